package migrate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pawldb/pawl/migrate"
)

// readsUsers is a program that refers to a table of others.
const readsUsers = `pawl {
  project = "orders"
  schema  = "app"
}
data "table" "users" {
  schema = "auth"
  column "id" { type = bigint }
  column "login" { type = varchar(40) }
  column "rank" {
    type = type("numeric(6,2)")
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "login" { columns = [login] }
}
table "orders" {
  column "id" { type = bigint }
  column "user_id" { type = data.table.users.column.id.type }
  primary_key { columns = [id] }
  foreign_key "user" {
    columns    = [user_id]
    references = data.table.users
  }
  index "by_user" { columns = [user_id] }
}
`

// TestDataTables compares what a data block says with a database, and demands the
// line that is wrong.
func TestDataTables(t *testing.T) {
	p := compileText(t, readsUsers)
	conn := connect(t)
	exec(t, conn, "CREATE SCHEMA auth")
	for _, test := range []struct{ table, says string }{
		{"", `data.table.users (spec.hcl:5): there is no table auth.users in the database`},
		{"CREATE VIEW auth.users AS SELECT 1::bigint AS id", `(spec.hcl:5): auth.users is no table`},
		{"CREATE TABLE auth.users (id bigint PRIMARY KEY, rank numeric(6,2))", `column.login (spec.hcl:8): the table auth.users has no column login`},
		{
			"CREATE TABLE auth.users (id integer PRIMARY KEY, login varchar(40) NOT NULL UNIQUE, rank numeric(6,2))",
			`column.id (spec.hcl:7): the column id of auth.users is integer in the database, and bigint in the block`,
		},
		{
			"CREATE TABLE auth.users (id bigint PRIMARY KEY, login varchar(41) NOT NULL UNIQUE, rank numeric(6,2))",
			`column.login (spec.hcl:8): the column login of auth.users is character varying(41)`,
		},
		{
			"CREATE TABLE auth.users (id bigint PRIMARY KEY, login varchar(40) UNIQUE, rank numeric(6,2))",
			`column.login (spec.hcl:8): the column login of auth.users may be NULL`,
		},
		{
			"CREATE TABLE auth.users (id bigint NOT NULL, login varchar(40) NOT NULL UNIQUE, rank numeric(6,2), PRIMARY KEY (id, login))",
			`primary_key (spec.hcl:13): no unique constraint of auth.users covers exactly (id)`,
		},
		{
			"CREATE TABLE auth.users (id bigint PRIMARY KEY, login varchar(40) NOT NULL UNIQUE DEFERRABLE, rank numeric(6,2))",
			`no_duplicates.login (spec.hcl:14): no unique constraint`,
		},
		{
			`CREATE TABLE auth.users (id bigint PRIMARY KEY, login varchar(40) NOT NULL, rank numeric(6,2));
			 CREATE UNIQUE INDEX ON auth.users (login) WHERE rank > 1; CREATE UNIQUE INDEX ON auth.users (lower(login))`,
			`no_duplicates.login (spec.hcl:14): no unique constraint`,
		},
	} {
		exec(t, conn, test.table)
		_, err := migrate.NewPlan(t.Context(), conn, p, migrate.PlanOptions{})
		var data *migrate.DataError
		if !errors.As(err, &data) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("with %q plan says %v, want %s", test.table, err, test.says)
		}
		exec(t, conn, "DROP SCHEMA auth CASCADE; CREATE SCHEMA auth")
	}

	// A unique index that includes another column will do; more columns than the
	// block knows, and whatever stands on the table, are none of its business.
	exec(t, conn, `
CREATE TABLE auth.users (id bigint PRIMARY KEY, login varchar(40) NOT NULL, rank numeric(6,2) NOT NULL, more json);
CREATE UNIQUE INDEX ON auth.users (login) INCLUDE (rank)`)
	apply(t, conn, p)
	exec(t, conn, "INSERT INTO auth.users VALUES (1, 'a', 1); INSERT INTO app.orders VALUES (1, 1)")
	if _, err := conn.Exec(t.Context(), "INSERT INTO app.orders VALUES (2, 2)"); err == nil {
		t.Error("an order of nobody came in")
	}
	if n := query[int](t, conn, "SELECT count(*)::int FROM pawl.object WHERE 'auth' IN (schema_name, object_name) OR 'users' IN (table_name, object_name)"); n != 0 {
		t.Errorf("pawl owns %d objects of the table that it reads", n)
	}

	// Nobody asks for the table any more: it stays.
	apply(t, conn, compileText(t, "pawl {\n  project = \"orders\"\n  schema  = \"app\"\n}\n"), "drop=table.orders")
	if n := query[int](t, conn, "SELECT count(*)::int FROM auth.users"); n != 1 {
		t.Errorf("%d rows are left of the table that was read, want 1", n)
	}
}
