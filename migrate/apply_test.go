package migrate_test

import (
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// bookings has one of everything.
func bookings() ir.Schema {
	status := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "booking_status"}
	rooms := table("rooms", column("name", base("text")), with(column("price", base("numeric", 12, 2)), "0"))
	rooms.Uniques = []ir.Unique{{Name: "rooms_name", Columns: []string{"name"}}}
	rooms.Checks = []ir.Check{{Name: "rooms_price", Expr: "price >= 0"}}
	b := table("bookings", column("room_id", base("int8")), column("during", base("tstzrange")),
		with(column("status", status), "'held'"), with(column("created_at", base("timestamptz")), "now()"))
	b.Excludes = []ir.Exclude{{
		Name: "bookings_one_per_room", Method: "gist", Where: "status <> 'cancelled'",
		Elements: []ir.ExcludeElement{{Column: "room_id", Operator: "="}, {Column: "during", Operator: "&&"}},
	}}
	b.Checks = []ir.Check{{Name: "bookings_bounds", Expr: "NOT isempty(during) AND lower_inc(during) AND lower(during) > '-infinity'"}}
	b.ForeignKeys = []ir.ForeignKey{{
		Name: "bookings_room", Columns: []string{"room_id"}, RefSchema: "app", RefTable: "rooms", RefColumns: []string{"id"}, OnDelete: ir.Restrict,
	}}
	b.Indexes = []ir.Index{
		{Name: "bookings_by_room", Method: "btree", Parts: []ir.IndexPart{{Column: "room_id"}, {Column: "created_at", Desc: true}}},
		{Name: "bookings_upper", Method: "btree", Unique: true, Parts: []ir.IndexPart{{Expr: "upper(during)"}, {Column: "id"}}, Where: "status IN ('held', 'confirmed')"},
	}
	b.Triggers = []ir.Trigger{{
		Name: "bookings_status_update", Events: []ir.TriggerEvent{ir.OnUpdate},
		When:       "OLD.status IS DISTINCT FROM NEW.status AND (OLD.status = 'held' AND NEW.status IN ('confirmed', 'cancelled')) IS NOT TRUE",
		FuncSchema: "app", FuncName: "pawl_refuse", Args: []string{"PW001", "bookings_status", "no such 'move' \\ of \"it\""},
	}}
	s := schema(rooms, b)
	s.Extensions = []ir.Extension{{Name: "btree_gist", Schema: "public"}}
	s.Enums = []ir.Enum{{Schema: "app", Name: "booking_status", Values: []string{"held", "confirmed", "cancelled"}}}
	s.Functions = []ir.Function{refuse()}
	return s
}

func TestApplyMakesEverythingAndThenNothing(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	made := apply(t, conn, program(bookings()))
	t.Log(outline(made))
}
