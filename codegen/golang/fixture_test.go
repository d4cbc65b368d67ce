package golang

import (
	"slices"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
)

// Types that the fixtures use.
var (
	bigint      = ir.Type{Name: "int8"}
	text        = ir.Type{Name: "text"}
	timestamptz = ir.Type{Name: "timestamptz"}
	status      = ir.Type{Kind: ir.EnumType, Schema: "app", Name: "booking_status"}
)

func field(name string, t ir.Type) ir.Field { return ir.Field{Name: name, Type: t} }

func optional(f ir.Field) ir.Field { f.Optional = true; return f }

func nullable(f ir.Field) ir.Field { f.Null = true; return f }

func positive(f ir.Field) ir.Field { f.Positive = true; return f }

func at(line int) ir.Pos { return ir.Pos{File: "bookings.hcl", Line: line, Column: 1, Byte: line * 40} }

func arrayOf(t ir.Type) ir.Type { return ir.Type{Kind: ir.ArrayType, Elem: &t} }

// statement is a statement that returns a row.
func statement(role ir.Role, sql string, args, results []ir.Field) ir.Statement {
	rows := ir.ReturnsOne
	if role == ir.ExplainStatement {
		results = slices.Concat(results, []ir.Field{field("verdict", text), field("subject", text)})
	}
	if results == nil {
		rows = ir.ReturnsNone
	}
	return ir.Statement{Role: role, SQL: sql, Args: args, Results: results, Rows: rows}
}

// bookings is a small specification with one operation of each kind.
func bookings() *ir.Program {
	return &ir.Program{
		Project: "bookings", Postgres: 15, DefaultSchema: "app", AdvisoryClass: 4201,
		Go: &ir.GoOutput{Dir: "store", Package: "store", Runtime: RuntimeCopy, Pos: at(1)},
		Schema: ir.Schema{
			Enums: []ir.Enum{{
				Schema: "app", Name: "booking_status", Values: []string{"held", "confirmed", "cancelled"}, Origin: ir.Origin{Pos: at(2)},
			}},
			Tables: []ir.Table{{Schema: "app", Name: "bookings", Columns: []ir.Column{
				{Name: "id", Origin: ir.Origin{Pos: at(11)}},
				{Name: "during", Comment: "When the room is taken.", Origin: ir.Origin{Pos: at(13)}},
			}}},
		},
		Repositories: []ir.Repository{bookingsTable(), countersTable(), tasksQueue()},
		Singletons: []ir.Singleton{{
			Address: "singleton.outbox_relay", Name: "outbox_relay", Key: 1, Pos: at(90),
			Operations: []ir.Operation{
				{
					Address: "singleton.outbox_relay.run", Name: "run", Kind: ir.SingletonOp, Lock: ir.AdvisoryXact, Doc: "Runs fn when nobody else does.",
					Statements: []ir.Statement{{
						Role: ir.LockStatement, Rows: ir.ReturnsOne,
						SQL: "/* singleton.outbox_relay.run */ SELECT pg_advisory_xact_lock(4201, 1)",
					}},
				},
				{
					Address: "singleton.outbox_relay.try_run", Name: "try_run", Kind: ir.SingletonTry, Lock: ir.AdvisoryTryXact, Doc: "Runs fn unless somebody else does.",
					Statements: []ir.Statement{{
						Role: ir.LockStatement, Rows: ir.ReturnsOne,
						SQL: "/* singleton.outbox_relay.try_run */ SELECT pg_try_advisory_xact_lock(4201, 1)",
					}},
				},
			},
		}},
		Transactions: []ir.Transaction{
			{
				Name: "default", Isolation: ir.ReadCommitted, LockTimeout: time.Second,
				Retry: ir.Retry{Attempts: 5, Base: 10 * time.Millisecond, Max: time.Second, Budget: 10 * time.Second, On: []string{"40001", "40P01"}},
			},
			{Name: "hot", Isolation: ir.ReadCommitted, LockTimeout: 200 * time.Millisecond},
		},
		Promises: []ir.Promise{{
			Address: "table.bookings.no_overlap.one_per_room", Hash: "0123",
			Object: ir.ObjectID{Kind: ir.ConstraintObject, Schema: "app", Table: "bookings", Name: "bookings_one_per_room"},
		}},
		Invariants: []ir.Invariant{
			&ir.Transitions{
				Base: ir.Facts{Address: "table.bookings.transitions.status"}, Column: "status",
				Moves: []ir.Move{{Name: "confirm", From: []string{"held"}, To: "confirmed", Guard: "upper(during) > now()"}},
			},
			&ir.Adjust{
				Base:   ir.Facts{Address: "table.counters.adjust.send"},
				Checks: []ir.DerivedCheck{{Constraint: "counters_remaining_not_negative", Expr: "(remaining - n) >= 0"}},
			},
		},
	}
}

func bookingsTable() ir.Repository {
	id := []ir.Field{field("id", bigint)}
	row := []ir.Field{
		field("id", bigint), field("room_id", bigint), field("during", ir.Type{Name: "tstzrange"}), field("status", status),
		nullable(field("note", text)), field("seen", arrayOf(status)), field("created_at", timestamptz),
	}
	insert := []ir.Field{
		field("room_id", bigint), field("during", ir.Type{Name: "tstzrange"}), optional(field("status", status)),
		nullable(field("note", text)), optional(field("seen", arrayOf(status))), optional(field("created_at", timestamptz)),
	}
	const list = "id, room_id, during, status, note, seen::text[], created_at"
	get := func(suffix, lock string) string {
		return "/* table.bookings.get" + suffix + " */ SELECT " + list + "\nFROM app.bookings\nWHERE id = $1::bigint" + lock
	}
	return ir.Repository{
		Address: "table.bookings", Name: "bookings", Schema: "app", Table: "bookings", Comment: "One row a booking.", Pos: at(10),
		Row: row, Key: id, Insert: insert, Transitions: []string{"status"},
		Reported: []ir.Reported{
			{Name: "bookings_pkey", Label: "pkey", Kind: ir.Duplicate, Code: "23505", Schema: "app", Table: "bookings", Columns: []string{"id"}, Address: "table.bookings.primary_key", Doc: "two bookings have one id"},
			{Name: "bookings_one_per_room", Label: "one_per_room", Kind: ir.Overlap, Code: "23P01", Schema: "app", Table: "bookings", Columns: []string{"room_id", "during"}, Address: "table.bookings.no_overlap.one_per_room", Doc: "two bookings of one room overlap"},
			{Name: "bookings_status", Label: "status", Kind: ir.BadMove, Code: "PW001", Schema: "app", Table: "bookings", Columns: []string{"status"}, Address: "table.bookings.transitions.status", Doc: "status would change in a way that no move allows"},
		},
		Operations: []ir.Operation{
			{
				Address: "table.bookings.insert", Name: "insert", Kind: ir.InsertOp, Doc: "Adds a row.", Args: insert, Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted,
				Errors: []string{"bookings_pkey", "bookings_one_per_room", "bookings_status"},
				Statements: []ir.Statement{statement(ir.MainStatement, "/* table.bookings.insert */ INSERT INTO app.bookings (room_id, during, status, note, seen, created_at)\n"+
					"VALUES ($1::bigint, $2::tstzrange, COALESCE($3::app.booking_status, 'held'), $4::text, COALESCE($5::text[]::app.booking_status[], '{}'), COALESCE($6::timestamptz, now()))\n"+
					"RETURNING "+list, insert, row)},
			},
			{
				Address: "table.bookings.get", Name: "get", Kind: ir.GetOp, Doc: "Reads the row with this primary key.", Key: id, Lock: ir.NoLock, Isolation: ir.ReadCommitted,
				Statements: []ir.Statement{statement(ir.MainStatement, get("", ""), id, row)},
			},
			{
				Address: "table.bookings.get_for_update", Name: "get_for_update", Kind: ir.GetLockedOp, NeedsTransaction: true, Doc: "Reads and locks the row with this primary key.", Key: id, Isolation: ir.ReadCommitted,
				Lock: ir.ForNoKeyUpdate, Reasons: []ir.Reason{{Choice: "FOR NO KEY UPDATE", Why: "A row that refers to this one can still be inserted."}},
				Statements: []ir.Statement{statement(ir.MainStatement, get("_for_update", "\nFOR NO KEY UPDATE"), id, row)},
			},
			{
				Address: "table.bookings.get_many_for_update", Name: "get_many_for_update", Kind: ir.GetManyOp, NeedsTransaction: true, Doc: "Reads and locks rows in the order of their keys.", Lock: ir.ForNoKeyUpdate, Isolation: ir.ReadCommitted,
				Statements: []ir.Statement{{
					Role: ir.MainStatement, Rows: ir.ReturnsMany, Args: []ir.Field{field("ids", arrayOf(bigint))}, Results: row,
					SQL: "/* table.bookings.get_many_for_update */ SELECT " + list + " FROM app.bookings WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE",
				}},
			},
			{
				Address: "table.bookings.list_by_by_room", Name: "list_by_by_room", Kind: ir.ListOp, Doc: "Lists rows in the order of the index by_room.", Columns: []string{"room_id", "id"}, Lock: ir.NoLock, Isolation: ir.ReadCommitted,
				Statements: []ir.Statement{{
					Role: ir.MainStatement, Rows: ir.ReturnsMany, Results: row,
					Args: []ir.Field{nullable(field("room_id", bigint)), nullable(field("id", bigint)), {Name: "limit", Type: ir.Type{Name: "int4"}, Count: true}},
					SQL:  "/* table.bookings.list_by_by_room */ SELECT " + list + " FROM app.bookings WHERE ($1::bigint IS NULL OR (room_id, id) > ($1::bigint, $2::bigint)) ORDER BY room_id, id LIMIT $3::integer",
				}},
			},
			{
				Address: "table.bookings.transitions.status.confirm", Name: "confirm", Kind: ir.MoveOp, Doc: "Moves a row from held to confirmed.", Key: id, Wanted: "confirmed", Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted,
				Errors: []string{"bookings_one_per_room", "bookings_status"}, Transaction: "hot",
				Statements: []ir.Statement{
					statement(ir.MainStatement, "/* table.bookings.transitions.status.confirm */ UPDATE app.bookings SET status = 'confirmed'\nWHERE id = $1::bigint AND status IN ('held') AND (upper(during) > now())\nRETURNING "+list, id, row),
					statement(ir.ExplainStatement, "/* table.bookings.transitions.status.confirm */ SELECT "+list+",\n"+
						"  CASE WHEN status = 'confirmed' THEN 'repeat' WHEN status NOT IN ('held') THEN 'state' WHEN (upper(during) > now()) IS NOT TRUE THEN 'guard' ELSE 'again' END,\n"+
						"  CASE WHEN status NOT IN ('held') THEN status::text ELSE 'guard' END\nFROM app.bookings WHERE id = $1::bigint", id, row),
				},
			},
			{
				Address: "table.bookings.edit.annotate", Name: "annotate", Kind: ir.EditOp, Doc: "Changes the note of a row.", Key: id, Columns: []string{"note", "seen"}, Lock: ir.ForNoKeyUpdate, Isolation: ir.ReadCommitted, Wait: 50 * time.Millisecond,
				Statements: []ir.Statement{
					statement(ir.LockStatement, get("", "\nFOR NO KEY UPDATE"), id, row),
					statement(ir.WriteStatement, "/* table.bookings.edit.annotate */ UPDATE app.bookings SET note = $2::text, seen = $3::text[]::app.booking_status[] WHERE id = $1::bigint RETURNING "+list,
						[]ir.Field{field("id", bigint), nullable(field("note", text)), field("seen", arrayOf(status))}, row),
				},
			},
			{
				Address: "table.bookings.delete", Name: "delete", Kind: ir.DeleteOp, Doc: "Deletes the row with this primary key.", Key: id, Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted,
				Statements: []ir.Statement{statement(ir.MainStatement, "/* table.bookings.delete */ DELETE FROM app.bookings WHERE id = $1::bigint", id, nil)},
			},
		},
	}
}

func countersTable() ir.Repository {
	row := []ir.Field{field("name", text), field("sent", bigint), field("remaining", bigint)}
	args := []ir.Field{field("name", text), positive(field("n", bigint))}
	return ir.Repository{
		Address: "table.counters", Name: "counters", Schema: "app", Table: "counters", Pos: at(60), Row: row, Key: row[:1],
		Reported: []ir.Reported{{Name: "counters_remaining_not_negative", Label: "remaining_not_negative", Kind: ir.CheckFailed, Code: "23514", Schema: "app", Table: "counters", Columns: []string{"remaining"}, Address: "table.counters.check.remaining_not_negative", Doc: "remaining >= 0 does not hold"}},
		Operations: []ir.Operation{{
			Address: "table.counters.adjust.send", Name: "send", Kind: ir.AdjustOp, Doc: "Sends n messages.", Key: row[:1], Args: args[1:], Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted,
			Statements: []ir.Statement{
				statement(ir.MainStatement, "/* table.counters.adjust.send */ UPDATE app.counters SET sent = sent + $2::bigint, remaining = remaining - $2::bigint\nWHERE name = $1::text AND ((remaining - $2::bigint) >= 0) IS NOT FALSE AND $2::bigint > 0\nRETURNING name, sent, remaining", args, row),
				statement(ir.ExplainStatement, "/* table.counters.adjust.send */ SELECT name, sent, remaining,\n  CASE WHEN NOT $2::bigint > 0 THEN 'input' WHEN ((remaining - $2::bigint) >= 0) IS FALSE THEN 'guard' ELSE 'again' END,\n  CASE WHEN NOT $2::bigint > 0 THEN 'n' ELSE 'counters_remaining_not_negative' END\nFROM app.counters WHERE name = $1::text", args, row),
			},
		}},
	}
}

// claimed are the columns that a claim returns.
func claimed(payload []ir.Field) []ir.Field {
	return slices.Concat(payload, []ir.Field{field("id", bigint), field("fence", bigint), field("attempt", ir.Type{Name: "int4"}), field("lease_until", timestamptz)})
}

func tasksQueue() ir.Repository {
	payload := []ir.Field{field("kind", text), field("body", ir.Type{Name: "jsonb"})}
	pairs := []ir.Field{field("ids", arrayOf(bigint)), field("fences", arrayOf(bigint))}
	ids := []ir.Field{field("id", bigint)}
	operation := func(name string, kind ir.OperationKind, sql string, args, results []ir.Field) ir.Operation {
		address := "queue.tasks." + name
		return ir.Operation{Address: address, Name: name, Kind: kind, Doc: "Does its part.", Isolation: ir.ReadCommitted, Statements: []ir.Statement{
			{Role: ir.MainStatement, SQL: "/* " + address + " */ " + sql, Args: args, Results: results, Rows: ir.ReturnsMany},
		}}
	}
	claim := operation("claim", ir.ClaimOp, "SELECT kind, body, id, fence, attempt, lease_until FROM app.tasks LIMIT $1::integer",
		[]ir.Field{field("limit", ir.Type{Name: "int4"}), field("lease", bigint)}, claimed(payload))
	claim.Statements = append(claim.Statements, ir.Statement{
		Role: ir.DueStatement, Rows: ir.ReturnsNone, Args: claim.Statements[0].Args[:1],
		SQL: "/* queue.tasks.claim */ UPDATE app.tasks SET state = 'ready' WHERE state = 'scheduled' AND $1::integer > 0",
	})
	return ir.Repository{
		Address: "queue.tasks", Name: "tasks", Schema: "app", Table: "tasks", Pos: at(80),
		Queue: &ir.Queue{Payload: payload, Lease: 5 * time.Minute, Heartbeat: 90 * time.Second, Attempts: 10},
		Operations: []ir.Operation{
			operation("enqueue", ir.EnqueueOp, "INSERT INTO app.tasks (kind, body) VALUES ($1::text, $2::jsonb) RETURNING id", payload, ids),
			claim,
			operation("complete", ir.CompleteOp, "DELETE FROM app.tasks RETURNING id", pairs, ids),
			operation("fail", ir.FailOp, "UPDATE app.tasks SET state = 'scheduled' RETURNING id", nil, ids),
			operation("heartbeat", ir.HeartbeatOp, "UPDATE app.tasks SET lease_until = now() RETURNING id", pairs, ids),
			operation("release", ir.ReleaseOp, "UPDATE app.tasks SET state = 'ready' RETURNING id", pairs, ids),
		},
	}
}
