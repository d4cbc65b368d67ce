package postgres_test

import "github.com/pawldb/pawl/compiler/ir"

func base(name string, mods ...int) ir.Type { return ir.Type{Name: name, Mods: mods} }

func at(address string) ir.Origin { return ir.Origin{Address: address} }

// sample has one of everything that a program can ask for.
func sample() *ir.Program {
	status := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "booking_status"}
	return &ir.Program{
		Project: "seats",
		Schema: ir.Schema{
			Namespaces: []ir.Namespace{{Name: "public"}, {Name: "app", Origin: at("pawl")}},
			Extensions: []ir.Extension{{Name: "btree_gist", Schema: "public", Origin: at("table.bookings.no_overlap.one_per_room")}},
			Enums: []ir.Enum{
				{Schema: "app", Name: "booking_status", Values: []string{"held", "confirmed", "cancelled"}, Origin: at("enum.booking_status")},
			},
			Functions: []ir.Function{{
				Schema: "app", Name: "pawl_refuse", Returns: "trigger", Language: "plpgsql",
				Body:            "BEGIN\n  RAISE EXCEPTION USING ERRCODE = TG_ARGV[0], MESSAGE = TG_ARGV[2], CONSTRAINT = TG_ARGV[1];\nEND",
				SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"},
				Origin: at("table.bookings.transitions.status"),
			}},
			Tables: []ir.Table{rooms(), bookings(status)},
		},
	}
}

func rooms() ir.Table {
	return ir.Table{
		Schema: "app", Name: "rooms", Comment: "What can be booked.",
		Columns: []ir.Column{
			{Name: "id", Type: base("int8"), Identity: ir.IdentityAlways},
			{Name: "name", Type: base("text"), Comment: "Isn't empty"},
			{Name: "price", Type: base("numeric", 12, 2), Default: "0"},
			{Name: "order", Type: base("int4"), Null: true},
		},
		PrimaryKey: &ir.PrimaryKey{Name: "rooms_pkey", Columns: []string{"id"}},
		Uniques:    []ir.Unique{{Name: "rooms_name", Columns: []string{"name", "order"}, Deferrable: true, Deferred: true}},
		Checks:     []ir.Check{{Name: "rooms_price_not_negative", Expr: "price >= 0"}},
		Origin:     at("table.rooms"),
	}
}

func bookings(status ir.Type) ir.Table {
	return ir.Table{
		Schema: "app", Name: "bookings",
		Columns: []ir.Column{
			{Name: "id", Type: base("int8"), Identity: ir.IdentityAlways},
			{Name: "room_id", Type: base("int8")},
			{Name: "during", Type: base("tstzrange")},
			{Name: "status", Type: status, Default: "'held'"},
			{Name: "day", Type: base("date"), Default: "(now() AT TIME ZONE 'UTC')::date"},
			{Name: "created_at", Type: base("timestamptz", 3), Default: "now()"},
			{Name: "history", Type: ir.Type{Kind: ir.ArrayType, Elem: &status}, Null: true},
		},
		PrimaryKey: &ir.PrimaryKey{Name: "bookings_pkey", Columns: []string{"id"}},
		Excludes: []ir.Exclude{{
			Name: "bookings_one_per_room", Method: "gist", Where: "status <> 'cancelled'",
			Elements: []ir.ExcludeElement{{Column: "room_id", Operator: "="}, {Expr: "during * during", Operator: "&&"}},
		}},
		Checks: []ir.Check{{Name: "bookings_one_per_room_bounds", Expr: "NOT isempty(during) -- never"}},
		ForeignKeys: []ir.ForeignKey{{
			Name: "bookings_room", Columns: []string{"room_id"}, RefSchema: "app", RefTable: "rooms",
			RefColumns: []string{"id"}, OnDelete: ir.Restrict, Origin: at("table.bookings.foreign_key.room"),
		}},
		Indexes: []ir.Index{
			{
				Name: "bookings_by_room", Method: "btree", Include: []string{"status"},
				Parts:  []ir.IndexPart{{Column: "room_id"}, {Column: "created_at", Desc: true, NullsLast: true}},
				Origin: at("table.bookings.index.by_room"),
			},
			{
				Name: "bookings_by_day", Method: "btree", Unique: true, Where: "status <> 'cancelled' AND room_id > 10",
				Parts:  []ir.IndexPart{{Expr: "abs(room_id)"}, {Expr: "room_id + 1", NullsFirst: true}, {Column: "day"}},
				Origin: at("table.bookings.no_duplicates.by_day"),
			},
		},
		Triggers: []ir.Trigger{{
			Name: "bookings_status_update", Events: []ir.TriggerEvent{ir.OnInsert, ir.OnUpdate},
			When: "NEW.status = 'confirmed' AND isempty(NEW.during)", FuncSchema: "app", FuncName: "pawl_refuse",
			Args: []string{"PW001", "bookings_status", "no such 'move'"}, Origin: at("table.bookings.transitions.status"),
		}},
		Origin: at("table.bookings"),
	}
}
