package dsl

import (
	"testing"
	"time"

	"github.com/pawldb/pawl/internal/diag"
)

// evaluated loads a project whose table has a comment and returns its text.
func evaluatedText(t *testing.T, expr string, more string, o Options) string {
	t.Helper()
	src := more + "\ntable \"t\" {\n  column \"id\" { type = bigint }\n  comment = " + expr + "\n}\n"
	spec, list := Load(files("main.hcl", src), o)
	requireNone(t, spec, list)
	for _, table := range spec.Tables {
		if table.Name.Text == "t" {
			return table.Comment.V
		}
	}
	t.Fatal("no table")
	return ""
}

func TestVariables(t *testing.T) {
	const declared = `
variable "s" {
  type    = string
  default = "one"
}
variable "n" {
  type    = number
  default = 1.5
}
variable "b" {
  type    = bool
  default = false
}
variable "untyped" { default = 7 }
variable "given" {}
`
	const expr = `"${var.s} ${var.n} ${var.b} ${var.untyped} ${var.given}"`
	got := evaluatedText(t, expr, declared, Options{Vars: map[string]string{"given": "x"}})
	if want := "one 1.5 false 7 x"; got != want {
		t.Errorf("defaults: got %q, want %q", got, want)
	}
	got = evaluatedText(t, expr, declared, Options{Vars: map[string]string{"given": "", "s": "1", "n": "2", "b": "true", "untyped": "z"}})
	if want := "1 2 true z "; got != want {
		t.Errorf("given: got %q, want %q", got, want)
	}
}

func TestWrongVariables(t *testing.T) {
	for _, test := range []struct {
		name, src string
		vars      map[string]string
		code      diag.Code
		text      string
	}{
		{"unknown", `variable "lease" { default = "5m" }`, map[string]string{"leese": "x"}, diag.UnknownVariable, "did you mean lease?"},
		{"none declared", ``, map[string]string{"leese": "x"}, diag.UnknownVariable, `declare it: variable "leese"`},
		{"no number", "variable \"n\" {\n  type    = number\n  default = 1\n}", map[string]string{"n": "many"}, diag.WrongType, "--var n=many must be a number"},
		{"huge number", "variable \"n\" {\n  type    = number\n  default = 1\n}", map[string]string{"n": "1e99999999"}, diag.WrongType, "must be a number"},
		{"no bool", "variable \"b\" {\n  type    = bool\n  default = true\n}", map[string]string{"b": "yes"}, diag.WrongType, "--var b=true"},
		{"missing", `variable "lease" { type = string }`, nil, diag.MissingVariable, "--var lease=VALUE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireOne(t, refused(t, test.src, Options{Vars: test.vars}), test.code, test.text)
		})
	}
}

// TestFailedValueIsToldOnce: whatever uses a value that has an error is silent.
func TestFailedValueIsToldOnce(t *testing.T) {
	list := refused(t, `
locals {
  bad   = nothing
  worse = "${local.bad}!"
}
table "t" {
  column "id" { type = local.bad }
  column "x" { type = table.t.column.id.type }
  comment = local.worse
  live    = local.bad
  index "i" { columns = [local.bad, sql(local.worse)] }
  adjust "a" { set = { x = local.worse } }
}
`, Options{})
	requireOne(t, list, diag.UnknownReference, `Nothing is named "nothing"`)
}

func TestReferencesAreValues(t *testing.T) {
	const more = `
locals {
  chain = local.next
  next  = "end"
  rooms = table.rooms
}
table "rooms" {
  name   = "meeting_${local.next}"
  schema = "places"
  column "id" { type = bigint }
  column "no in words" { type = text }
}
table "plain" {
  column "id" { type = bigint }
}
`
	for expr, want := range map[string]string{
		`path.module`:                               ".",
		`local.chain`:                               "end",
		`table.rooms.name`:                          "meeting_end",
		`table.rooms.schema`:                        "places",
		`table.plain.name`:                          "plain",
		`table.plain.schema`:                        "public",
		`table.rooms.column.id.name`:                "id",
		`table["rooms"].column["no in words"].name`: "no in words",
		`local.rooms.name`:                          "meeting_end",
		`join(",", [for c in table.rooms.column : c.name])`:   "id,no in words",
		`table.rooms.column.id.type == bigint ? "yes" : "no"`: "yes",
		`table.rooms.column.id.type == int4 ? "yes" : "no"`:   "no",
		`numeric(12) == numeric(12, 0) ? "yes" : "no"`:        "yes",
		`list(text) != list(varchar(4)) ? "yes" : "no"`:       "yes",
		`format("%s-%03d", upper("a"), length([1, 2]))`:       "A-002",
		`contains(["a"], "a") ? trimspace(" x ") : "no"`:      "x",
		`"${table.rooms.name}.${table.plain.column.id.name}"`: "meeting_end.id",
	} {
		if got := evaluatedText(t, expr, more, Options{}); got != want {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}

// TestSchemaOfReference: a table without a schema of its own is in the project's.
func TestSchemaOfReference(t *testing.T) {
	spec, list := Load(files(
		"pawl.hcl", "pawl {\n  project = \"p\"\n  schema = \"app\"\n}\n",
		"main.hcl", "table \"t\" {\n  column \"id\" { type = bigint }\n  comment = table.t.schema\n}\n",
	), Options{})
	requireNone(t, spec, list)
	if got := spec.Tables[0].Comment.V; got != "app" {
		t.Errorf("got %q", got)
	}
}

// TestCircularForeignKeys: a table's object depends on names and types alone.
func TestCircularForeignKeys(t *testing.T) {
	spec := load(t, `
table "a" {
  column "id" { type = bigint }
  column "b_id" { type = table.b.column.id.type }
  column "parent_id" { type = table.a.column.id.type }
  foreign_key "b" {
    columns    = [b_id]
    references = table.b
  }
  foreign_key "parent" {
    columns    = [parent_id]
    references = table.a.primary_key
  }
}
table "b" {
  column "id" { type = uuid }
  column "a_id" { type = table.a.column.id.type }
  no_duplicates "a" { columns = [a_id] }
  foreign_key "a" {
    columns    = [a_id]
    references = table.a
  }
  foreign_key "self" {
    columns    = [a_id]
    references = table["b"].no_duplicates["a"]
  }
}
`)
	requireSame(t, spec.Tables[0].Columns[1].Type, Type{Name: "uuid"})
	requireSame(t, spec.Tables[0].Columns[2].Type, Type{Name: "int8"})
	requireSame(t, spec.Tables[0].ForeignKeys[0].References, Reference{Table: "b"})
	requireSame(t, spec.Tables[0].ForeignKeys[1].References, Reference{Table: "a"})
	requireSame(t, spec.Tables[1].ForeignKeys[1].References, Reference{Table: "b", Key: "a"})
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"250ms": 250 * time.Millisecond, "5m": 5 * time.Minute, "72h": 72 * time.Hour, "7d": 7 * day, "1d12h": 36 * time.Hour,
		"1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "1d": 24 * time.Hour,
	} {
		if got, ok := parseDuration(text); !ok || got != want {
			t.Errorf("%q: got %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "d", "5", "5 m", "1.5d", "-1d", "1d-1h", "1d+1h", "7days", "1dd", "12h1d", "99999999999999999999d", "5µ"} {
		if got, ok := parseDuration(text); ok && got <= longest {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
