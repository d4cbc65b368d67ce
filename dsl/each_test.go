package dsl

import (
	"slices"
	"testing"
)

func TestRepeatedBlocks(t *testing.T) {
	spec := load(t, `
locals { days = toset(["mon", "tue"]) }
enum "state" {
  for_each = local.days
  name     = "${each.key}_state"
  values   = [each.value, "done"]
}
table "by_day" {
  for_each = {
    mon = numeric(4, 2)
    tue = bigint
  }
  name    = "on_${each.key}"
  comment = each.key
  column "id" { type = each.value }
  column "amount" {
    for_each = toset(["net", "gross"])
    name     = "${each.key}_amount"
    type     = numeric(12, 2)
  }
  column "state" { type = enum.state["mon"] }
  check "positive" {
    for_each = toset(["net", "gross"])
    name     = "${each.key}_positive"
    expr     = "${each.key}_amount > 0"
  }
  no_duplicates "one" {
    for_each = toset(["net"])
    name     = "one_${each.key}"
    columns  = ["${each.key}_amount"]
  }
}
table "none" {
  for_each = {}
  name     = each.key
  column "id" { type = bigint }
}
table "t" {
  column "id" { type = table.by_day["tue"].column.id.type }
  column "n" { type = table.by_day["mon"].column.amount["net"].type }
  comment = "${table.by_day["mon"].name} ${table.by_day["tue"].column.amount["gross"].name}"
  foreign_key "day" {
    columns    = [id]
    references = table.by_day["mon"]
  }
  foreign_key "one" {
    columns    = [n]
    references = table.by_day["tue"].no_duplicates.one["net"]
  }
}
`)
	if len(spec.Tables) != 3 || len(spec.Enums) != 2 {
		t.Fatalf("%d tables and %d enums", len(spec.Tables), len(spec.Enums))
	}
	mon := tableByID(t, spec, `by_day["mon"]`)
	requireSame(t, mon.Columns[0].Type, Type{Name: "numeric", Mods: []int{4, 2}})
	requireSame(t, mon.Columns[3].Type, Type{Enum: `state["mon"]`})
	if mon.Rename.V != "on_mon" || mon.Comment.V != "mon" {
		t.Errorf("name %q, comment %q", mon.Rename.V, mon.Comment.V)
	}
	if got := []string{mon.Columns[1].Name.Text, mon.Columns[2].Name.Text}; got[0] != "gross_amount" || got[1] != "net_amount" {
		t.Errorf("columns %q", got)
	}
	if mon.Checks[0].ID() != `positive["gross"]` || mon.Checks[1].Expr.Text != "net_amount > 0" {
		t.Errorf("checks %+v %+v", mon.Checks[0], mon.Checks[1])
	}
	plain := tableByID(t, spec, "t")
	requireSame(t, plain.Columns[0].Type, Type{Name: "int8"})
	requireSame(t, plain.Columns[1].Type, Type{Name: "numeric", Mods: []int{12, 2}})
	if plain.Comment.V != "on_mon gross_amount" {
		t.Errorf("comment %q", plain.Comment.V)
	}
	requireSame(t, plain.ForeignKeys[0].References, Reference{Table: `by_day["mon"]`})
	requireSame(t, plain.ForeignKeys[1].References, Reference{Table: `by_day["tue"]`, Key: `one["net"]`})
}

// TestRepeatedOperations repeats what declares no object: each round keeps the
// label, and has the key in its ID and a name of its own.
func TestRepeatedOperations(t *testing.T) {
	spec := load(t, `
locals { parts = toset(["gross", "net"]) }
table "t" {
  column "id" { type = bigint }
  column "amount" {
    for_each = local.parts
    name     = each.key
    type     = bigint
  }
  column "state" {
    for_each = local.parts
    name     = "${each.key}_state"
    type     = text
  }
  primary_key { columns = [id] }
  no_duplicates "one" {
    for_each = local.parts
    name     = "one_${each.key}"
    columns  = [each.key]
  }
  transitions "state" {
    for_each = local.parts
    name     = "${each.key}_moves"
    column   = "${each.key}_state"
    initial  = ["open"]
    move "close" {
      name = "close_${each.key}"
      from = ["open"]
      to   = "closed_${each.key}"
    }
  }
  adjust "add" {
    for_each = local.parts
    name     = "add_${each.key}"
    set      = { (each.key) = "${each.key} + 1" }
  }
  edit "change" {
    for_each = local.parts
    name     = "change_${each.key}"
    columns  = [each.key]
  }
  upsert "put" {
    for_each = local.parts
    name     = "put_${each.key}"
    key      = no_duplicates.one[each.key]
    mode     = "ignore"
  }
  upsert "one" {
    key  = no_duplicates.one["net"]
    mode = "ignore"
  }
}
queue "work" {
  for_each = local.parts
  name     = "${each.key}_work"
  lease    = "5m"
  column "n" { type = bigint }
}
singleton "relay" {
  for_each = {
    gross = 1
    net   = 2
  }
  name = "${each.key}_relay"
  key  = each.value
}
outbox "events" {
  for_each  = local.parts
  name      = "${each.key}_events"
  aggregate = [id]
  column "id" { type = bigint }
}
inbox "hooks" {
  for_each = local.parts
  name     = "${each.key}_hooks"
  source   = each.key
  retain   = "14d"
}
idempotency "pay" {
  for_each     = local.parts
  name         = "pay_${each.key}"
  unit         = "request"
  retry_window = "24h"
  retain       = "72h"
}
`)
	table := spec.Tables[0]
	got := func(b Block, name Value[string]) string { return b.ID() + " " + name.V }
	for _, test := range []struct {
		want string
		got  string
	}{
		{`state["net"] net_moves`, got(table.Transitions[1].Block, table.Transitions[1].Rename)},
		{`add["net"] add_net`, got(table.Adjusts[1].Block, table.Adjusts[1].Rename)},
		{`change["gross"] change_gross`, got(table.Edits[0].Block, table.Edits[0].Rename)},
		{`put["net"] put_net`, got(table.Upserts[1].Block, table.Upserts[1].Rename)},
		{`work["net"] net_work`, got(spec.Queues[1].Block, spec.Queues[1].Rename)},
		{`relay["gross"] gross_relay`, got(spec.Singletons[0].Block, spec.Singletons[0].Rename)},
		{`events["gross"] gross_events`, got(spec.Outboxes[0].Block, spec.Outboxes[0].Rename)},
		{`hooks["net"] net_hooks`, got(spec.Inboxes[1].Block, spec.Inboxes[1].Rename)},
		{`pay["net"] pay_net`, got(spec.Idempotencies[1].Block, spec.Idempotencies[1].Rename)},
		{`close_net`, table.Transitions[1].Moves[0].Rename.V},
		{`closed_net`, table.Transitions[1].Moves[0].To.Text},
		{`net_state`, table.Transitions[1].Column.Text},
		{`one["gross"]`, table.Upserts[0].Key.Text},
		{`one["net"]`, table.Upserts[2].Key.Text},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
	keys := []int{spec.Singletons[0].Key.V, spec.Singletons[1].Key.V}
	if !slices.Equal(keys, []int{1, 2}) {
		t.Errorf("keys %v", keys)
	}
}
