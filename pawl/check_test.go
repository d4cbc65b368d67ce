package pawl_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

const recordSchemaSQL = `
CREATE SCHEMA pawl;
CREATE TABLE pawl.object (
  project text NOT NULL, address text NOT NULL, kind text NOT NULL,
  schema_name text NOT NULL, table_name text NOT NULL, object_name text NOT NULL,
  spec_hash text NOT NULL, catalog_hash text NOT NULL,
  PRIMARY KEY (project, address, kind, schema_name, table_name, object_name)
);
CREATE FUNCTION app.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER items_moves AFTER UPDATE ON app.items FOR EACH ROW EXECUTE FUNCTION app.nothing();
CREATE UNIQUE INDEX items_note ON app.items (note);
`

var promises = []pawl.Promise{
	{Address: "table.items", Kind: "table", Schema: "app", Table: "items", Hash: "h0"},
	{Address: "table.items.column.stock", Kind: "column", Schema: "app", Table: "items", Name: "stock", Hash: "h1"},
	{Address: "table.items.check.stock", Kind: "constraint", Schema: "app", Table: "items", Name: "items_stock_not_negative", Hash: "h2"},
	{Address: "table.items.no_duplicates.note", Kind: "index", Schema: "app", Table: "items", Name: "items_note", Hash: "h3"},
	{Address: "table.items.transitions.status", Kind: "trigger", Schema: "app", Table: "items", Name: "items_moves", Hash: "h4"},
}

// onlyTables are promises that no record belongs to.
var onlyTables = []pawl.Promise{{Address: "table.items", Kind: "table", Schema: "app", Table: "items"}}

// applied makes a database that holds every promise.
func applied(t *testing.T, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	pool := connect(t, database(t), change...)
	exec(t, pool, recordSchemaSQL)
	for _, p := range promises {
		exec(t, pool, fmt.Sprintf(`INSERT INTO pawl.object VALUES ('seats', '%s', '%s', '%s', '%s', '%s', '%s', 'c')`, p.Address, p.Kind, p.Schema, p.Table, p.Name, p.Hash))
	}
	return pool
}

func TestCheck(t *testing.T) {
	for _, mode := range modes {
		must(t, pawl.Check(t.Context(), session(applied(t, inMode(mode))), "seats", promises))
	}
	for _, c := range []struct {
		name, sql, problem string
	}{
		{"missing constraint", `ALTER TABLE app.items DROP CONSTRAINT items_stock_not_negative`, "table.items.check.stock missing"},
		{"invalid constraint", `ALTER TABLE app.items DROP CONSTRAINT items_stock_not_negative, ADD CONSTRAINT items_stock_not_negative CHECK (stock >= 0) NOT VALID`, "table.items.check.stock invalid"},
		{"missing index", `DROP INDEX app.items_note`, "table.items.no_duplicates.note missing"},
		{"invalid index", `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app.items_note'::regclass`, "table.items.no_duplicates.note invalid"},
		{"missing trigger", `DROP TRIGGER items_moves ON app.items`, "table.items.transitions.status missing"},
		{"disabled trigger", `ALTER TABLE app.items DISABLE TRIGGER items_moves`, "table.items.transitions.status disabled"},
		{"trigger for replicas only", `ALTER TABLE app.items ENABLE REPLICA TRIGGER items_moves`, "table.items.transitions.status disabled"},
		{"missing column", `ALTER TABLE app.items RENAME COLUMN stock TO amount`, "table.items.column.stock missing"},
		{"another specification", `UPDATE pawl.object SET spec_hash = 'h9' WHERE kind = 'trigger'`, "table.items.transitions.status changed"},
		{"another project's record", `UPDATE pawl.object SET project = 'hotels' WHERE kind = 'trigger'`, "table.items.transitions.status unrecorded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := applied(t)
			exec(t, pool, c.sql)
			err := pawl.Check(t.Context(), session(pool), "seats", promises)
			var failed *pawl.CheckError
			if !errors.As(err, &failed) || len(failed.Problems) != 1 {
				t.Fatalf("check says %v", err)
			}
			p := failed.Problems[0]
			want(t, "problem", p.Promise.Address+" "+p.State, c.problem)
			if !strings.Contains(err.Error(), p.Promise.Address) || !strings.Contains(err.Error(), p.Promise.Name) {
				t.Errorf("the text %q does not say what", err)
			}
		})
	}
	t.Run("table gone", func(t *testing.T) {
		pool := applied(t)
		exec(t, pool, `DROP TABLE app.items`)
		var failed *pawl.CheckError
		if err := pawl.Check(t.Context(), session(pool), "seats", promises); !errors.As(err, &failed) || len(failed.Problems) != len(promises) {
			t.Errorf("check says %v", err)
		}
	})
}

func TestCheckWithoutARecord(t *testing.T) {
	pool, s := open(t)
	var failed *pawl.CheckError
	err := pawl.Check(t.Context(), s, "seats", promises)
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "pawl apply") || hasCode(err, "42P01") {
		t.Errorf("a database that was never applied to: %v", err)
	}
	exec(t, pool, recordSchemaSQL, `DROP ROLE IF EXISTS pawl_app`, `CREATE ROLE pawl_app`)
	t.Cleanup(func() { exec(t, pool, `DROP ROLE pawl_app`) })
	conn, err := pool.Acquire(t.Context())
	must(t, err)
	defer conn.Release()
	exec(t, conn, `SET ROLE pawl_app`)
	defer exec(t, conn, `RESET ROLE`)
	err = pawl.Check(t.Context(), session(conn), "seats", promises)
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "GRANT") {
		t.Errorf("a role without rights: %v", err)
	}
	exec(t, conn, `RESET ROLE`, `GRANT USAGE ON SCHEMA pawl TO pawl_app`, `GRANT SELECT ON pawl.object TO pawl_app`, `SET ROLE pawl_app`)
	for _, step := range []struct {
		grant   string
		problem string
	}{
		{`GRANT SELECT ON app.items TO pawl_app`, "table.items forbidden"}, // the schema is closed
		{`REVOKE SELECT ON app.items FROM pawl_app; GRANT USAGE ON SCHEMA app TO pawl_app`, "table.items forbidden"},
		{`GRANT SELECT (id, stock) ON app.items TO pawl_app`, ""},
	} {
		exec(t, conn, `RESET ROLE`, step.grant, `SET ROLE pawl_app`)
		found := ""
		err := pawl.Check(t.Context(), session(conn), "seats", onlyTables)
		if errors.As(err, &failed) && len(failed.Problems) == 1 {
			found = failed.Problems[0].Promise.Address + " " + failed.Problems[0].State
		}
		want(t, "after "+step.grant+" the problem", found, step.problem)
	}
	exec(t, conn, `RESET ROLE`, `DROP OWNED BY pawl_app`)
	// Inside a transaction a missing record must not put it into its failed state.
	_, err = pawl.InTx(t.Context(), session(connect(t, database(t))), func(ctx cx, tx *pawl.Session) (int, error) {
		if err := pawl.Check(ctx, tx, "seats", promises); !errors.As(err, &failed) {
			t.Errorf("in a transaction: %v", err)
		}
		return 0, nil
	})
	must(t, err)
}
