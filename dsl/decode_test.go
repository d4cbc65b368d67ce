package dsl

import (
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
)

// set is a value that was written.
func set[T any](v T) Value[T] { return Value[T]{V: v, Set: true} }

func names(texts ...string) []Name {
	out := make([]Name, len(texts))
	for i, text := range texts {
		out[i] = Name{Text: text}
	}
	return out
}

func literal(text string) *SQL { return &SQL{Text: text, Literal: true} }

// labelled is the Block of a block in full.hcl, all of which allow one check.
func labelled(label string) Block {
	return Block{Name: Name{Text: label}, Allow: []Allow{{Code: Name{Text: "discouraged-type"}, Reason: "an old project"}}}
}

// plain is the Block of a block that allows nothing.
func plain(label string) Block { return Block{Name: Name{Text: label}} }

// requireSame compares without the places, which TestEveryFieldIsDecoded sees to.
func requireSame(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(hcl.Range{})); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
}

func TestProjectBlocks(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Pawl, &Pawl{
		Block: plain(""), Project: set("full"), RequiredVersion: set(">= 0.1.0, < 2"), Postgres: set(15),
		Schema: set("app"), AppRole: set("app"), AdvisoryClass: set(4201),
	})
	requireSame(t, spec.Go, &GenerateGo{
		Block: plain("go"), Out: set("store"), Package: set("store"), Runtime: set("copy"),
		Adapters: names("slog", "otel"), RaceTests: set(true), UUID: set("github.com/google/uuid.UUID"),
	})
	requireSame(t, spec.SQL, &GenerateSQL{Block: plain("sql"), Out: set("schema.sql")})
	requireSame(t, spec.Variables, []*Variable{
		{
			Block: plain("lease"), Type: set("string"), Description: set("How long a worker holds a task."),
			Validations: []*Validation{{Block: plain("")}},
		},
	})
	kept := labelled("state")
	kept.Lifecycle = &Lifecycle{PreventDestroy: set(true), Ignore: names("comment")}
	requireSame(t, spec.Enums, []*Enum{{
		Block: kept, Schema: set("kinds"), Rename: set("booking_state"),
		Values: names("held", "confirmed"), Comment: set("What becomes of a booking."),
	}, {
		Block: Block{Name: Name{Text: "extra"}, Scope: "module.extra."}, Values: names("x"),
	}})
	requireSame(t, spec.Modules, []*Module{{Address: "module.extra", Dir: "extra", Stack: []diag.Related{{Text: "used here as module.extra"}}}})
}

func TestTableAttributes(t *testing.T) {
	spec, _ := loadFull(t)
	table := *spec.Tables[0]
	requireSame(t, Table{
		Block: table.Block, Schema: table.Schema, Rename: table.Rename, Comment: table.Comment, Live: table.Live,
		GoName: table.GoName, GoRow: table.GoRow,
	}, Table{
		Block: labelled("rooms"), Schema: set("places"), Rename: set("meeting_rooms"), Comment: set("A room."),
		Live: literal("gone_at IS NULL"), GoName: set("RoomStore"), GoRow: set("MeetingRoom"),
	})
}

func TestColumns(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Tables[0].Columns, []*Column{
		{
			Block: labelled("id"), Type: Type{Name: "int8"}, Null: set(true), Default: &Default{Text: "7", Kind: "number"},
			Identity: set("always"), Immutable: set(true), ElementsNullable: set(true), Comment: set("The number on the door."),
			Generated: literal("id + 1"), Collation: set("C"),
			GoName: set("Number"), GoType: set("example.com/rooms.Number"),
		},
		{
			Block: plain("during"), Type: Type{Name: "tstzrange"},
			Default: &Default{SQL: literal("'empty'"), Kind: "sql"},
		},
	})
}

func TestKeysAndConstraints(t *testing.T) {
	spec, _ := loadFull(t)
	table := spec.Tables[0]
	requireSame(t, table.PrimaryKey, &PrimaryKey{Block: labelled(""), Rename: set("rooms_pk"), Columns: names("id")})
	requireSame(t, table.ForeignKeys, []*ForeignKey{{
		Block: labelled("next"), Rename: set("rooms_next_fk"), Columns: names("id"),
		References: Reference{Table: "rooms", Key: "one"}, OnDelete: set("cascade"), OnUpdate: set("no action"),
	}})
	requireSame(t, table.Checks, []*Check{{Block: labelled("positive"), Rename: set("rooms_positive_ck"), Expr: *literal("id > 0"), Since: literal("id > 7")}})
	requireSame(t, table.Indexes, []*Index{{
		Block: labelled("by_time"), Rename: set("rooms_time_idx"),
		Columns: []KeyPart{
			{Column: &Name{Text: "during"}, Desc: true, NullsFirst: true, OpClass: "range_ops"},
			{Column: &Name{Text: "id"}, NullsLast: true},
			{Expr: literal("lower(during)")},
		},
		Method: set("btree"), Where: literal("id > 0"), Include: names("id"),
	}})
}

func TestNoDuplicates(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Tables[0].NoDuplicates, []*NoDuplicates{{
		Block: labelled("one"), Rename: set("rooms_one_uq"),
		Columns: []KeyPart{{Column: &Name{Text: "id"}}, {Expr: literal("lower(during)")}},
		Where:   literal("id > 0"), Since: literal("id > 7"), Nulls: set("not_distinct"), Deferrable: set(true),
	}})
}

func TestNoOverlap(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Tables[0].NoOverlaps, []*NoOverlap{
		{
			Block: labelled("apart"), Rename: set("rooms_apart_ex"), Within: names("id"), RangeColumn: &Name{Text: "during"},
			Capacity: set(1), Bounds: set("[)"), Where: literal("id > 0"), Since: literal("id > 7"), Prelock: set(true), AllowEmpty: set(true), AllowInfinite: set(true),
		},
		{Block: plain("two_columns"), From: &Name{Text: "id"}, To: &Name{Text: "during"}, Bounds: set("[]")},
	})
}

func TestOperations(t *testing.T) {
	spec, _ := loadFull(t)
	table := spec.Tables[0]
	requireSame(t, table.Transitions, []*Transitions{{
		Block: labelled("state"), Rename: set("rooms_moves"), Column: Name{Text: "id"}, Initial: names("held"), Final: names("confirmed"),
		Enforce: set("database"), Repeat: set("noop"), Since: literal("id > 7"),
		Moves: []*Move{{
			Block: labelled("confirm"), Rename: set("confirm_it"), From: names("held"), To: Name{Text: "confirmed"},
			Args: []Arg{
				{Name{Text: "price"}, Type{Name: "numeric", Mods: []int{12, 2}}},
				{Name{Text: "tags"}, Type{Elem: &Type{Name: "text"}}},
				{Name{Text: "state"}, Type{Enum: "state"}},
				{Name{Text: "cost"}, Type{Domain: "amount"}},
				{Name{Text: "path"}, Type{Other: "ltree"}},
			},
			Guard: literal("id > 0"),
			Set:   []Assignment{{Column: Name{Text: "id"}, Expr: *literal("id + 1")}},
			Wait:  set("nowait"), Transaction: &Name{Text: "hot"},
		}},
	}})
	requireSame(t, table.Adjusts, []*Adjust{{
		Block: labelled("shift"), Rename: set("shift_by"), Args: []Arg{{Name{Text: "n"}, Type{Name: "int8"}}},
		Set:   []Assignment{{Column: Name{Text: "id"}, Expr: *literal("id + @n")}},
		Guard: literal("id < 100"), Positive: names("n"), PositiveSet: true, Wait: set("1s"), Transaction: &Name{Text: "hot"},
	}})
	requireSame(t, table.Edits, []*Edit{{
		Block: labelled("renumber"), Rename: set("give_number"), Columns: names("id"), Rows: set("one"), Wait: set("500ms"), Transaction: &Name{Text: "hot"},
	}})
}

func TestQueue(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Queues, []*Queue{{
		Block: labelled("tasks"), Rename: set("work_tasks"), Schema: set("work"), Comment: set("Things to do."),
		Columns: []*Column{{
			Block: labelled("kind"), Type: Type{Name: "text"}, Null: set(true),
			Default: &Default{Text: "mail", Kind: "string"}, ElementsNullable: set(true), Comment: set("What to do."), Collation: set("C"), GoName: set("Kind"),
		}},
		Lease: set(5 * time.Minute), Heartbeat: set(time.Minute), Attempts: set(10), Retain: set(7 * 24 * time.Hour),
		Backoff: &Backoff{Block: labelled(""), Base: set(time.Second), Max: set(10 * time.Minute), Jitter: set("full")},
		Group:   &Group{Block: labelled(""), By: names("kind"), Head: set("skip")},
		GoName:  set("Tasks"), GoRow: set("Task"),
	}})
}

func TestSingletonAndTransaction(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Singletons, []*Singleton{
		{Block: labelled("relay"), Rename: set("outbox_relay"), Key: set(1), Scope: set("transaction")},
		{Block: plain("scheduler"), Key: set(2), Scope: set("leader"), Lease: set(15 * time.Second), Session: set(true)},
	})
	requireSame(t, spec.Transactions, []*Transaction{{
		Block: labelled("hot"), Isolation: set("serializable"), LockTimeout: set(time.Second),
		StatementTimeout: set(30 * time.Second), IdleTimeout: set(time.Minute),
		Retry: &Retry{
			Block: labelled(""), Attempts: set(5), Base: set(10 * time.Millisecond), Max: set(time.Second),
			Budget: set(10 * time.Second), On: names("40001"),
		},
	}})
}

func TestUpsert(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Tables[0].Upserts, []*Upsert{{
		Block: labelled("sync"), Rename: set("synchronize"), Key: &Name{Text: "one"}, Mode: set("versioned"), Version: &Name{Text: "id"}, Update: names("during"),
		Batch: set("last"), Transaction: &Name{Text: "hot"},
	}})
	spec = load(t, `
table "t" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
  upsert "put" {
    key  = primary_key
    mode = "reject"
  }
}
`)
	if key := spec.Tables[0].Upserts[0].Key; key == nil || key.Text != "" {
		t.Errorf("the primary key is read as %v", key)
	}
}

func TestRule(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Rules, []*Rule{{
		Block: labelled("someone"), Rename: set("someone_there"), Holds: literal("SELECT count(*) >= 1 FROM t WHERE id = @id"),
		Args: []Arg{{Name{Text: "id"}, Type{Name: "int8"}}}, On: []TableColumns{{Name{Text: "t"}, names("id", "during")}},
		Parent: &Reference{Table: "rooms"}, Enforce: set("database"),
		Operations: []*RuleOperation{{
			Block: labelled("leave"), Rename: set("go_away"), Run: literal("DELETE FROM t WHERE id = @id AND during = @during"),
			Args: []Arg{{Name{Text: "during"}, Type{Name: "tstzrange"}}}, Transaction: &Name{Text: "hot"},
		}},
	}})
}

func TestIdempotencyOutboxAndInbox(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Idempotencies, []*Idempotency{{
		Block: labelled("pay"), Rename: set("pay_once"), Unit: set("entity"), Mode: set("phased"),
		Key: []Arg{{Name{Text: "payment_id"}, Type{Name: "uuid"}}}, Scope: []Arg{{Name{Text: "tenant_id"}, Type{Name: "int8"}}},
		Lease: set(2 * time.Minute), RPCTimeout: set(30 * time.Second), RetryWindow: set(24 * time.Hour), Retain: set(72 * time.Hour),
		Response: set("body"), Wait: set(time.Second), AuditExpired: set(true),
		Phases: []*Phase{{Block: labelled("charge"), External: set(true), Result: Type{Name: "jsonb"}}},
	}})
	requireSame(t, spec.Outboxes, []*Outbox{{
		Block: labelled("events"), Rename: set("sent_events"), Schema: set("work"), Comment: set("What happened."), Aggregate: names("id"), Retain: set(72 * time.Hour),
		Columns: []*Column{{Block: plain("id"), Type: Type{Name: "int8"}}},
		Lease:   set(5 * time.Minute), Heartbeat: set(time.Minute), Attempts: set(10),
		Backoff: &Backoff{Block: labelled(""), Base: set(time.Second), Max: set(10 * time.Minute), Jitter: set("full")},
		GoName:  set("Events"), GoRow: set("Event"),
	}})
	requireSame(t, spec.Inboxes, []*Inbox{{Block: labelled("hooks"), Rename: set("stripe_hooks"), Source: set("stripe"), Retain: set(14 * 24 * time.Hour)}})
}

func TestPolicy(t *testing.T) {
	spec, _ := loadFull(t)
	policy := spec.Policies[0]
	if policy.Name.Text != "money" || policy.Each.V != "columns" || policy.Severity.V != "warning" {
		t.Errorf("got %+v", policy)
	}
	column := func(name, typ string) Element { return Element{"address": "a." + name, "name": name, "base_type": typ} }
	for _, test := range []struct {
		each Element
		want Verdict
	}{
		{column("net_amount", "text"), Verdict{Broken: true, Message: "a.net_amount holds money."}},
		{column("net_amount", "numeric"), Verdict{}},
		{column("amount_text", "text"), Verdict{}},
	} {
		got, list := policy.Judge(test.each)
		if got != test.want || len(list) > 0 {
			t.Errorf("%v: got %+v, %v", test.each, got, list)
		}
	}
}

// TestLeftOut looks at what is not written: it is not set, and its place is the
// block's header.
func TestLeftOut(t *testing.T) {
	spec := load(t, `
table "t" {
  column "id" { type = bigint }
  adjust "a" { set = { id = "id + 1" } }
  adjust "b" {
    set      = { id = "id + 1" }
    positive = []
  }
}
queue "q" {
  lease    = null == 1 ? "9m" : "1m"
  attempts = null
}
`)
	table, queue := spec.Tables[0], spec.Queues[0]
	if table.Schema.Set || table.Live != nil || table.PrimaryKey != nil || table.Columns[0].Default != nil {
		t.Errorf("something is set: %+v", table)
	}
	if got := table.Schema.Range; got != table.Header || got.Start.Line != 2 {
		t.Errorf("the place of what was left out is %v, want the header %v", got, table.Header)
	}
	if a, b := table.Adjusts[0], table.Adjusts[1]; a.PositiveSet || !b.PositiveSet {
		t.Errorf("positive: left out %v, [] %v", a.PositiveSet, b.PositiveSet)
	}
	if queue.Attempts.Set {
		t.Error("null counts as written")
	}
}

func TestColumnDefaults(t *testing.T) {
	for expr, want := range map[string]*Default{
		`"held"`:             {Text: "held", Kind: "string"},
		`0`:                  {Text: "0", Kind: "number"},
		`0.10`:               {Text: "0.1", Kind: "number"},
		`-12.5`:              {Text: "-12.5", Kind: "number"},
		`100000000000000000`: {Text: "100000000000000000", Kind: "number"},
		`true`:               {Text: "true", Kind: "bool"},
		`false`:              {Text: "false", Kind: "bool"},
		`null`:               {Kind: "null"},
		`sql("now()")`:       {SQL: literal("now()"), Kind: "sql"},
		`sql(upper("x()"))`:  {SQL: &SQL{Text: "X()"}, Kind: "sql"},
		`local.now`:          {SQL: literal("now()"), Kind: "sql"},
		`local.nows[0]`:      {SQL: &SQL{Text: "now()"}, Kind: "sql"},
		`local.none`:         {Kind: "null"},
	} {
		spec := load(t, `
locals {
  now  = sql("now()")
  nows = [sql("now()")]
  none = null
}
table "t" {
  column "c" {
    type    = text
    default = `+expr+`
  }
}
`)
		requireSame(t, spec.Tables[0].Columns[0].Default, want)
	}
}

func TestTarget(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Targets, []*Target{{
		Block: plain("production"), URL: set("postgres://app@pooler/shop"), AdminURL: set("postgres://app@db/shop"),
		Pooler: set("transaction"), LockTimeout: set(5 * time.Second), Protect: set(true),
	}})
}

// TestTargetReadsTheEnvironmentWhenNamed loads a project with two targets: only
// the one that a command names asks for what the environment holds.
func TestTargetReadsTheEnvironmentWhenNamed(t *testing.T) {
	files := fstest.MapFS{"a.hcl": {Data: []byte(`
pawl { project = "a" }
target "one" { url = env("ONE") }
target "two" { url = env("TWO") }
`)}}
	var asked []string
	env := func(name string) (string, bool) {
		asked = append(asked, name)
		return "postgres://" + name, true
	}
	spec, list := Load(files, Options{Env: env})
	if len(list) > 0 || len(asked) > 0 || spec.Targets[0].URL.Set {
		t.Errorf("without a target %v were asked for, and the diagnostics are %v", asked, list)
	}
	spec, list = Load(files, Options{Env: env, Target: "two"})
	if len(list) > 0 || slices.Contains(asked, "ONE") || spec.Targets[0].URL.Set || spec.Targets[1].URL.V != "postgres://TWO" {
		t.Errorf("with a target %v were asked for, and the diagnostics are %v", asked, list)
	}
}

func TestMoved(t *testing.T) {
	spec, _ := loadFull(t)
	requireSame(t, spec.Moved, []*Moved{{
		Block: plain(""),
		From:  &Address{Text: `table.old["a b"].column.x`, Type: "column", Within: `table.old["a b"]`, Label: "x"},
		To: &Address{
			Text: `module.log["a"].table.log.no_duplicates["odd label"]`, Type: "no_duplicates", Within: `module.log["a"].table.log`, Label: "odd label",
		},
	}})
}
