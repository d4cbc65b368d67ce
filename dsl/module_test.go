package dsl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pawldb/pawl/internal/diag"
)

// logModule is a log beside a table.
const logModule = `
variable "table" { type = table }
variable "days" {
  type    = number
  default = 7
}
locals { comment = "kept for ${var.days} days in ${path.module}" }
enum "kind" {
  name   = "${var.table.name}_kind"
  values = ["made", "changed"]
}
table "log" {
  name    = "${var.table.name}_log"
  comment = local.comment
  column "id" { type = bigint }
  column "row_id" { type = var.table.column.id.type }
  column "kind" { type = enum.kind }
  primary_key { columns = [id] }
  foreign_key "row" {
    columns    = [row_id]
    references = var.table
  }
  no_duplicates "row" { columns = [row_id] }
}
`

const logUser = `
table "orders" {
  column "id" { type = bigint }
}
table "items" {
  column "id" { type = uuid }
}
module "log" {
  for_each = {
    orders = table.orders
    items  = table.items
  }
  source = "./modules/log"
  table  = each.value
  days   = length(each.key)
}
`

func tableByID(t *testing.T, spec *Spec, id string) *Table {
	t.Helper()
	var ids []string
	for _, table := range spec.Tables {
		if table.ID() == id {
			return table
		}
		ids = append(ids, table.ID())
	}
	t.Fatalf("no table %s among %q", id, ids)
	return nil
}

func TestModulesAreUsedSeveralTimes(t *testing.T) {
	spec, list := Load(files("main.hcl", logUser+`
table "notes" {
  column "id" { type = module.log["orders"].table.log.column.row_id.type }
  column "kind" { type = module.log["items"].enum.kind }
  comment = module.log["items"].table.log.name
  foreign_key "log" {
    columns    = [id]
    references = module.log["orders"].table.log.no_duplicates.row
  }
  foreign_key "whole" {
    columns    = [id]
    references = module.log["items"].table.log
  }
}
`, "modules/log/main.hcl", logModule), Options{})
	requireNone(t, spec, list)
	orders, items := tableByID(t, spec, `module.log["orders"].log`), tableByID(t, spec, `module.log["items"].log`)
	if orders.Rename.V != "orders_log" || items.Rename.V != "items_log" {
		t.Errorf("names: %q and %q", orders.Rename.V, items.Rename.V)
	}
	if want := "kept for 6 days in modules/log"; orders.Comment.V != want {
		t.Errorf("comment: %q, want %q", orders.Comment.V, want)
	}
	requireSame(t, orders.Columns[1].Type, Type{Name: "int8"})
	requireSame(t, items.Columns[1].Type, Type{Name: "uuid"})
	requireSame(t, items.Columns[2].Type, Type{Enum: `module.log["items"].kind`})
	requireSame(t, items.ForeignKeys[0].References, Reference{Table: "items"})
	notes := tableByID(t, spec, "notes")
	requireSame(t, notes.Columns[0].Type, Type{Name: "int8"})
	requireSame(t, notes.Columns[1].Type, Type{Enum: `module.log["items"].kind`})
	requireSame(t, notes.ForeignKeys[0].References, Reference{Table: `module.log["orders"].log`, Key: "row"})
	requireSame(t, notes.ForeignKeys[1].References, Reference{Table: `module.log["items"].log`})
	if notes.Comment.V != "items_log" {
		t.Errorf("comment: %q", notes.Comment.V)
	}
	if len(spec.Modules) != 2 || len(spec.Enums) != 2 || len(spec.Variables) != 0 {
		t.Errorf("%d modules, %d enums, %d variables", len(spec.Modules), len(spec.Enums), len(spec.Variables))
	}
}

func TestModulesUseModules(t *testing.T) {
	spec, list := Load(files(
		"main.hcl", "module \"a\" {\n  source = \"./a\"\n  name   = \"x\"\n}\n",
		"a/a.hcl", "variable \"name\" {}\nmodule \"odd name\" {\n  source = \"../b\"\n  name   = \"${var.name}y\"\n}\n",
		"b/b.hcl", "variable \"name\" {}\ntable \"t\" {\n  name = var.name\n  column \"id\" { type = bigint }\n}\n",
	), Options{Dir: "p"})
	requireNone(t, spec, list)
	if table := tableByID(t, spec, `module.a.module["odd name"].t`); table.Rename.V != "xy" || table.Header.Filename != "p/b/b.hcl" {
		t.Errorf("%q in %s", table.Rename.V, table.Header.Filename)
	}
}

// TestCallStack: an error in a module shows how it came to be used.
func TestCallStack(t *testing.T) {
	_, list := Load(files(
		"main.hcl", "module \"a\" { source = \"./a\" }\n",
		"a/a.hcl", "module \"b\" {\n  source   = \"../b\"\n  for_each = toset([\"k\"])\n}\n",
		"b/b.hcl", "locals { x = y }\n",
	), Options{})
	requireOne(t, list, diag.UnknownReference, `Nothing is named "y"`)
	var stack []string
	for _, r := range list[0].Related {
		stack = append(stack, fmt.Sprintf("%s:%d %s", r.Range.Filename, r.Range.Start.Line, r.Text))
	}
	if want := []string{`a/a.hcl:1 used here as module.a.module.b["k"]`, "main.hcl:1 used here as module.a"}; !slices.Equal(stack, want) {
		t.Errorf("got %q, want %q", stack, want)
	}
}

func TestWrongModules(t *testing.T) {
	for _, test := range []struct {
		name, main string
		code       diag.Code
		text       string
		more       []string
	}{
		{"missing directory", `module "m" { source = "./nowhere" }`, diag.ModuleSource, `There is no directory "nowhere"`, nil},
		{"file", `module "m" { source = "./modules/log/main.hcl" }`, diag.ModuleSource, `There is no directory`, nil},
		{"empty directory", `module "m" { source = "./empty" }`, diag.ModuleSource, "holds no *.hcl file", []string{"empty/x.txt", ""}},
		{"outside", `module "m" { source = "../other" }`, diag.ModuleSource, "outside of the project", nil},
		{"far outside", `module "m" { source = "./../../../etc" }`, diag.ModuleSource, "outside of the project", nil},
		{"absolute", `module "m" { source = "/etc" }`, diag.ModuleSource, "begins with ./ or ../", nil},
		{"registry", `module "m" { source = "terraform-aws-modules/vpc/aws" }`, diag.ModuleSource, "local directory", nil},
		{"computed", `module "m" { source = "./${local.x}" }`, diag.ModuleSource, "does not depend on values", nil},
		{"no source", `module "m" {}`, diag.MissingAttribute, "source", nil},
		{"no label", `module { source = "./modules/log" }`, diag.BlockLabels, "needs one label", nil},
		{"unknown input", "module \"m\" {\n  source = \"./modules/log\"\n  table = table.t\n  dyas = 3\n}", diag.UnknownVariable, "did you mean days?", nil},
		{"missing input", `module "m" { source = "./modules/log" }`, diag.MissingVariable, `needs a value for its variable "table"`, nil},
		{"wrong input", "module \"m\" {\n  source = \"./modules/log\"\n  table = \"t\"\n}", diag.WrongType, "must be a table, and it is a text", nil},
		{"itself", `module "m" { source = "./" }`, diag.Cycle, `uses itself: module.m`, nil},
		{
			"circle", `module "m" { source = "./a" }`, diag.Cycle, `The directory "a" uses itself: module.n → module.o`,
			[]string{"a/a.hcl", `module "n" { source = "../b" }`, "b/b.hcl", `module "o" { source = "../a" }`},
		},
		{
			"circle of values", "module \"m\" {\n  source = \"./a\"\n  x = module.m.table.t.name\n}\n", diag.Cycle,
			"module.m.var.x → module.m.table.t.name → module.m.var.x",
			[]string{"a/a.hcl", "variable \"x\" {}\ntable \"t\" {\n  name = var.x\n  column \"id\" { type = bigint }\n}\n"},
		},
		{
			"for_each needs itself", "module \"m\" {\n  source = \"./a\"\n  for_each = { x = module.m[\"x\"].table.t.name }\n}\n", diag.Cycle, "module.m → module.m",
			[]string{"a/a.hcl", "table \"t\" {\n  column \"id\" { type = bigint }\n}\n"},
		},
		{"pawl in it", `module "m" { source = "./a" }`, diag.UnknownBlock, "the project's own directory", []string{"a/a.hcl", `pawl { project = "x" }`}},
		{"syntax in it", `module "m" { source = "./a" }`, diag.Syntax, "", []string{"a/a.hcl", "table {"}},
		{"each in it", "module \"m\" {\n  source = \"./a\"\n  for_each = { x = 1 }\n}\n", diag.UnknownReference, "in no block with for_each", []string{"a/a.hcl", "locals { x = each.key }"}},
		{"unknown key", logUser + `locals { x = module.log["order"].table.log.name }`, diag.UnknownReference, `did you mean`, nil},
		{"no key", logUser + `locals { x = module.log.table.log.name }`, diag.UnknownReference, `no "table" among the keys`, nil},
		{"unknown table", logUser + `locals { x = module.log["orders"].table.lag.name }`, diag.UnknownReference, "did you mean log?", nil},
		{"local", logUser + `locals { x = module.log["orders"].local.comment }`, diag.UnknownReference, "goes on with data, domain, enum, module, table or transaction", nil},
		{"unknown module", `locals { x = module.lag.table.t.name }`, diag.UnknownReference, `No module "lag" is declared`, nil},
		{"refused input", "module \"m\" {\n  source = \"./a\"\n  n = 0\n}\n", diag.InvalidVariable, "too few", []string{
			"a/a.hcl", "variable \"n\" {\n  validation {\n    condition = var.n > 0\n    error_message = \"too few\"\n  }\n}\n",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			more := append([]string{"main.hcl", test.main + "\ntable \"t\" {\n  column \"id\" { type = bigint }\n}\n", "modules/log/main.hcl", logModule}, test.more...)
			_, list := Load(files(more...), Options{})
			requireOne(t, list, test.code, test.text)
		})
	}
}

// TestLinksBetweenModules: directories that link to each other make a chain of
// modules without end, each with a path of its own.
func TestLinksBetweenModules(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.hcl": pawlFile + "module \"m\" { source = \"./a\" }\n", "a/a.hcl": "module \"m\" { source = \"./link\" }\n"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".", filepath.Join(dir, "a", "link")); err != nil {
		t.Skip(err)
	}
	_, list := Load(os.DirFS(dir), Options{})
	requireOne(t, list, diag.TooLarge, "more than 20 deep")
}

// TestModulesThatMultiply: every level repeats the next one ten times.
func TestModulesThatMultiply(t *testing.T) {
	fsys := fstest.MapFS{"pawl.hcl": {Data: []byte(pawlFile)}}
	for i := range 12 {
		text := fmt.Sprintf("module \"m\" {\n  source   = \"./m\"\n  for_each = toset([%s])\n}\n", strings.Repeat(`"a", `, 1)+`"b", "c", "d", "e", "f", "g", "h", "i", "j"`)
		fsys[strings.Repeat("m/", i)+"main.hcl"] = &fstest.MapFile{Data: []byte(text)}
	}
	fsys[strings.Repeat("m/", 12)+"main.hcl"] = &fstest.MapFile{Data: []byte("locals { x = 1 }\n")}
	start := time.Now()
	_, list := Load(fsys, Options{})
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == diag.TooLarge }) {
		t.Errorf("got %+v", list)
	}
}

// TestWholeModules uses modules and what is repeated as values, and hands them to
// other modules.
func TestWholeModules(t *testing.T) {
	spec, list := Load(files("main.hcl", `
table "orders" {
  column "id" { type = bigint }
}
table "by_day" {
  for_each = {
    mon = text
    tue = uuid
  }
  name = "on_${each.key}"
  column "id" { type = each.value }
}
enum "kind" {
  for_each = toset(["a", "b"])
  name     = "${each.key}_kind"
  values   = [each.key]
}
module "log" {
  for_each = {
    mon    = table.by_day["mon"]
    orders = table.orders
  }
  source = "./log"
  table  = each.value
}
module "one" {
  source = "./log"
  table  = table.by_day["tue"]
}
module "all" {
  source = "./all"
  tables = { for key, use in module.log : key => use.table.log }
  days   = table.by_day
  one    = module.one
}
table "t" {
  comment = "${join(",", keys(module.log))} ${join(",", keys(module.one.table))} ${module.one.table.log.name}"
  column "picked" {
    for_each = enum.kind
    name     = each.key
    type     = each.value
  }
  column "day" { type = table.by_day[keys(table.by_day)[0]].column.id.type }
  foreign_key "log" {
    for_each   = toset(["mon", "orders"])
    name       = "t_${each.key}"
    columns    = [day]
    references = module.log[each.key].table.log
  }
}
`, "log/main.hcl", `
variable "table" { type = table }
enum "state" {
  name   = "${var.table.name}_state"
  values = ["x"]
}
table "log" {
  name = "${var.table.name}_log"
  column "id" { type = var.table.column.id.type }
  column "state" { type = enum.state }
}
`, "all/main.hcl", `
variable "tables" { type = map(table) }
variable "days" { type = map(table) }
variable "one" { type = any }
table "copy" {
  for_each = var.tables
  name     = "${each.key}_copy"
  comment  = each.value.name
  column "id" { type = each.value.column.id.type }
  foreign_key "of" {
    columns    = [id]
    references = each.value
  }
}
table "whole" {
  comment = join(",", [for key, table in var.days : table.name])
  column "state" { type = var.one.enum.state }
  column "id" { type = var.one.table.log.column.id.type }
}
`), Options{})
	requireNone(t, spec, list)
	plain := tableByID(t, spec, "t")
	if want := "mon,orders log on_tue_log"; plain.Comment.V != want {
		t.Errorf("comment %q, want %q", plain.Comment.V, want)
	}
	requireSame(t, plain.Columns[1].Type, Type{Enum: `kind["b"]`})
	requireSame(t, plain.Columns[2].Type, Type{Name: "text"})
	requireSame(t, plain.ForeignKeys[1].References, Reference{Table: `module.log["orders"].log`})
	copied := tableByID(t, spec, `module.all.copy["mon"]`)
	requireSame(t, copied.Columns[0].Type, Type{Name: "text"})
	requireSame(t, copied.ForeignKeys[0].References, Reference{Table: `module.log["mon"].log`})
	whole := tableByID(t, spec, "module.all.whole")
	requireSame(t, whole.Columns[0].Type, Type{Enum: "module.one.state"})
	requireSame(t, whole.Columns[1].Type, Type{Name: "uuid"})
	if whole.Comment.V != "on_mon,on_tue" {
		t.Errorf("comment %q", whole.Comment.V)
	}
}
