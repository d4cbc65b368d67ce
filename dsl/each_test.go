package dsl

import "testing"

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
