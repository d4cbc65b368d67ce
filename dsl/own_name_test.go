package dsl

import "testing"

// TestOwnNamesAreNeverEvaluated: a column may be called like a type, a root of
// references, a function or a word of HCL.
func TestOwnNamesAreNeverEvaluated(t *testing.T) {
	for _, word := range []string{
		"date", "text", "name", "path", "time", "var", "local", "each", "table", "enum", "null", "true", "false",
		"if", "in", "lower", "desc", "sql", "string", "number", "bounds", "größe", "a-b",
	} {
		spec := load(t, `
variable "date" { default = "other" }
locals { text = "other" }
table "t" {
  column "x" { type = bigint }
  primary_key { columns = [`+word+`] }
  foreign_key "f" {
    columns    = [`+word+`]
    references = table.t
  }
  index "i" {
    columns = [`+word+`, desc(x)]
    include = [`+word+`]
  }
  index "d" { columns = [desc(`+word+`)] }
  no_duplicates "n" { columns = [`+word+`] }
  no_overlap "o" {
    within = [`+word+`]
    range  = `+word+`
  }
  no_overlap "p" { range = { from = `+word+`, to = `+word+`, bounds = "[)" } }
  transitions "s" {
    column  = `+word+`
    initial = ["a"]
    move "m" {
      from = ["a"]
      to   = "b"
    }
  }
  adjust "a" {
    set      = { x = "x + 1" }
    positive = [`+word+`]
  }
  edit "e" { columns = [`+word+`] }
}
`)
		table := spec.Tables[0]
		got := []Name{
			table.PrimaryKey.Columns[0], table.ForeignKeys[0].Columns[0], *table.Indexes[0].Columns[0].Column,
			table.Indexes[0].Include[0], *table.Indexes[1].Columns[0].Column, *table.NoDuplicates[0].Columns[0].Column,
			table.NoOverlaps[0].Within[0], *table.NoOverlaps[0].RangeColumn, *table.NoOverlaps[1].From, *table.NoOverlaps[1].To,
			table.Transitions[0].Column, table.Adjusts[0].Positive[0], table.Edits[0].Columns[0],
		}
		for i, n := range got {
			if n.Text != word {
				t.Errorf("%s at place %d was read as %q", word, i, n.Text)
			}
		}
	}
}

// TestOwnNamesFromValues: everything but a single word is evaluated and gives
// texts.
func TestOwnNamesFromValues(t *testing.T) {
	spec := load(t, `
variable "prefix" { default = "home" }
locals { both = ["street", "city"] }
table "t" {
  column "street" { type = text }
  index "a" { columns = ["zip", "${var.prefix}_city", table.t.column.street.name] }
  index "b" { columns = local.both }
  index "c" { columns = [for n in local.both : upper(n)] }
  primary_key { columns = concat(local.both, ["zip"]) }
  transitions "s" {
    column  = "${var.prefix}_state"
    initial = local.both
    move "m" {
      from = [local.both[0]]
      to   = local.both[1]
      set  = { "${var.prefix}_city" = "'x'", street = "'y'" }
    }
  }
  adjust "x" { set = { for n in local.both : n => "${n} || '!'" } }
}
`)
	table := spec.Tables[0]
	var keys [][]Name
	for _, i := range table.Indexes {
		var texts []Name
		for _, k := range i.Columns {
			texts = append(texts, *k.Column)
		}
		keys = append(keys, texts)
	}
	requireSame(t, keys, [][]Name{names("zip", "home_city", "street"), names("street", "city"), names("STREET", "CITY")})
	requireSame(t, table.PrimaryKey.Columns, names("street", "city", "zip"))
	move := table.Transitions[0].Moves[0]
	requireSame(t, table.Transitions[0].Column, Name{Text: "home_state"})
	requireSame(t, table.Transitions[0].Initial, names("street", "city"))
	requireSame(t, []Name{move.From[0], move.To}, names("street", "city"))
	requireSame(t, []Name{move.Set[0].Column, move.Set[1].Column}, names("home_city", "street"))
	requireSame(t, table.Adjusts[0].Set, []Assignment{
		{Column: Name{Text: "city"}, Expr: SQL{Text: "city || '!'"}},
		{Column: Name{Text: "street"}, Expr: SQL{Text: "street || '!'"}},
	})
}
