package compiler

import (
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/dsl"
)

// TestDataInModules: a module takes a table of others where it takes a table, and
// may describe one itself; what several blocks say of one table is taken together.
func TestDataInModules(t *testing.T) {
	spec, list := dsl.Load(fstest.MapFS{
		"main.hcl": {Data: []byte(`pawl { project = "p" }
data "table" "users" {
  for_each = toset(["auth", "old"])
  schema   = each.value
  name     = "users_${each.key}"
  column "id" { type = uuid }
  primary_key { columns = [id] }
}
module "log" {
  source   = "./log"
  for_each = { new = data.table.users["auth"], old = data.table.users["old"] }
  of       = each.value
  name     = "log_${each.key}"
}
locals { log = module.log["new"] }
table "notes" {
  column "login" { type = module.log["new"].data.table.logins.column.login.type }
  primary_key { columns = [login] }
  foreign_key "login" {
    columns    = [login]
    references = local.log.data.table.logins.no_duplicates.login
  }
}
`)},
		"log/main.hcl": {Data: []byte(`variable "of" { type = table }
variable "name" { type = string }
data "table" "logins" {
  schema = "auth"
  name   = "users_auth"
  column "login" { type = varchar(40) }
  no_duplicates "login" { columns = [login] }
}
table "log" {
  name = var.name
  column "id" { type = var.of.column.id.type }
  primary_key { columns = [id] }
  foreign_key "of" {
    columns    = [id]
    references = var.of
  }
}
`)},
	}, dsl.Options{})
	if list.HasErrors() {
		t.Fatalf("%+v", list)
	}
	p, list := Compile(spec)
	if list.HasErrors() {
		t.Fatalf("%+v", list)
	}
	want := map[string]string{"log_new": `auth.users_auth`, "log_old": `old.users_old`, "notes": `auth.users_auth`}
	for _, table := range p.Schema.Tables {
		key := table.ForeignKeys[0]
		if got := key.RefSchema + "." + key.RefTable; got != want[table.Name] {
			t.Errorf("%s refers to %s, want %s", table.Name, got, want[table.Name])
		}
	}
	if len(p.Schema.Tables) != 3 || len(p.Repositories) != 3 || len(p.Data) != 4 {
		t.Errorf("%d tables, %d repositories, %d blocks of data; want 3, 3, 4", len(p.Schema.Tables), len(p.Repositories), len(p.Data))
	}
	data := p.DataSchema()
	if len(data.Tables) != 2 || len(data.Namespaces) != 2 || len(data.Tables[0].Columns) != 2 || len(data.Tables[0].Uniques) != 1 {
		t.Errorf("taken together: %+v", data)
	}
	if whole := p.Standalone(); len(whole.Schema.Tables) != 5 || len(whole.Schema.Namespaces) != 2 || len(p.Schema.Tables) != 3 {
		t.Errorf("alone: %+v", whole.Schema)
	}
}
