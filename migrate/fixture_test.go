package migrate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/migrate"
)

// connect opens a session in a new, empty database.
func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	return connectTo(t, pgtest.URL(t))
}

func connectTo(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
}

func query[T any](t testing.TB, conn *pgx.Conn, sql string) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(context.Background(), sql).Scan(&v); err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
	return v
}

// program is a program with a schema, each of whose objects gets an address and
// a place in a file that does not exist.
func program(s ir.Schema) *ir.Program {
	line := 0
	origin := func(format string, args ...any) ir.Origin {
		line++
		return ir.Origin{Address: fmt.Sprintf(format, args...), Pos: ir.Pos{File: "test.hcl", Line: line}}
	}
	for i := range s.Enums {
		s.Enums[i].Origin = origin("enum.%s", s.Enums[i].Name)
	}
	for i := range s.Functions {
		s.Functions[i].Origin = origin("function.%s", s.Functions[i].Name)
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		t.Origin = origin("table.%s", t.Name)
		on := func(kind, name string) ir.Origin { return origin("table.%s.%s.%s", t.Name, kind, name) }
		for j := range t.Columns {
			t.Columns[j].Origin = on("column", t.Columns[j].Name)
		}
		if t.PrimaryKey != nil {
			t.PrimaryKey.Origin = on("primary_key", t.PrimaryKey.Name)
		}
		for j := range t.Uniques {
			t.Uniques[j].Origin = on("unique", t.Uniques[j].Name)
		}
		for j := range t.Excludes {
			t.Excludes[j].Origin = on("no_overlap", t.Excludes[j].Name)
		}
		for j := range t.Checks {
			t.Checks[j].Origin = on("check", t.Checks[j].Name)
		}
		for j := range t.ForeignKeys {
			t.ForeignKeys[j].Origin = on("foreign_key", t.ForeignKeys[j].Name)
		}
		for j := range t.Indexes {
			t.Indexes[j].Origin = on("index", t.Indexes[j].Name)
		}
		for j := range t.Triggers {
			t.Triggers[j].Origin = on("trigger", t.Triggers[j].Name)
		}
	}
	return &ir.Program{Project: "test", Postgres: 14, DefaultSchema: "app", Schema: s}
}

func plan(t testing.TB, conn *pgx.Conn, p *ir.Program) *migrate.Plan {
	t.Helper()
	made, err := migrate.NewPlan(context.Background(), conn, p, migrate.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// apply plans, applies, and then demands that nothing is left to do.
func apply(t testing.TB, conn *pgx.Conn, p *ir.Program, allow ...string) *migrate.Plan {
	t.Helper()
	made := plan(t, conn, p)
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{Allow: allow}); err != nil {
		t.Fatalf("%v\n%s", err, outline(made))
	}
	settled(t, conn, p)
	return made
}

// settled demands that a plan is empty, both from memory and by asking the
// server, and that no object under a spare name is left.
func settled(t testing.TB, conn *pgx.Conn, p *ir.Program) {
	t.Helper()
	remembered := plan(t, conn, p)
	if !remembered.Empty() {
		t.Errorf("a second plan is not empty:\n%s", outline(remembered))
	}
	if remembered.Asked != 0 {
		t.Errorf("the server was asked for %d definitions that pawl.object remembers", remembered.Asked)
	}
	forgetful(t, conn, p)
	if query[bool](t, conn, "SELECT to_regclass('pawl.object') IS NOT NULL") {
		left := query[int](t, conn, `
SELECT (SELECT count(*) FROM pawl.object WHERE object_name LIKE 'pawl\_new%') +
       (SELECT count(*) FROM pg_class WHERE relname LIKE 'pawl\_new%') +
       (SELECT count(*) FROM pg_constraint WHERE conname LIKE 'pawl\_new%' OR NOT convalidated) +
       (SELECT count(*) FROM pg_index WHERE NOT indisvalid)`)
		if left != 0 {
			t.Errorf("%d spare, unproven or invalid objects are left", left)
		}
	}
}

// forgetful demands that a plan is empty when pawl.object remembers no print.
func forgetful(t testing.TB, conn *pgx.Conn, p *ir.Program) {
	t.Helper()
	ctx := context.Background()
	if !query[bool](t, conn, "SELECT to_regclass('pawl.object') IS NOT NULL") {
		return
	}
	exec(t, conn, "CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT * FROM pawl.object WITH NO DATA; TRUNCATE kept; INSERT INTO kept SELECT * FROM pawl.object; UPDATE pawl.object SET catalog_hash = ''")
	asked, err := migrate.NewPlan(ctx, conn, p, migrate.PlanOptions{})
	exec(t, conn, "UPDATE pawl.object o SET catalog_hash = k.catalog_hash FROM kept k WHERE (o.project, o.kind, o.schema_name, o.table_name, o.object_name) = (k.project, k.kind, k.schema_name, k.table_name, k.object_name); DROP TABLE kept")
	if err != nil {
		t.Fatal(err)
	}
	if asked.Asked == 0 && len(p.Schema.Tables) > 0 {
		t.Error("nothing was remembered, and yet the server was asked for nothing")
	}
	if !asked.Empty() {
		t.Errorf("a second plan without memory is not empty:\n%s", outline(asked))
	}
}

// outline is a plan as text, for goldens and failures.
func outline(p *migrate.Plan) string {
	var b strings.Builder
	for _, c := range p.Changes {
		fmt.Fprintf(&b, "%s %s\n", c.Action, c.Text)
	}
	last := -1
	for _, s := range p.Steps {
		switch {
		case s.Transaction == 0:
			b.WriteString("outside:\n")
		case s.Transaction != last:
			b.WriteString("transaction:\n")
		}
		last = s.Transaction
		fmt.Fprintf(&b, "  %s", s.Title)
		if s.Lock != "" {
			fmt.Fprintf(&b, " [%s, blocks %s]", s.Lock, s.Blocks)
		}
		if s.Scans {
			b.WriteString(" scans")
		}
		if s.Rewrite {
			b.WriteString(" rewrites")
		}
		b.WriteString("\n")
		for _, sql := range s.SQL {
			b.WriteString("    " + strings.ReplaceAll(sql, "\n", "\n    ") + ";\n")
		}
	}
	for _, h := range p.Hazards {
		fmt.Fprintf(&b, "! %s %s: %s (%s)\n", h.Kind, h.Address, h.Text, h.Allow)
	}
	for _, v := range p.Violations {
		fmt.Fprintf(&b, "violated: %s %s\n", v.Error(), v.Samples)
	}
	for _, u := range p.Unmanaged {
		fmt.Fprintf(&b, "unmanaged: %s %s\n", u.Kind, u.SQL())
	}
	return b.String()
}

func base(name string, mods ...int) ir.Type { return ir.Type{Name: name, Mods: mods} }

func column(name string, typ ir.Type) ir.Column { return ir.Column{Name: name, Type: typ} }

func nullable(name string, typ ir.Type) ir.Column {
	return ir.Column{Name: name, Type: typ, Null: true}
}

func with(c ir.Column, def string) ir.Column { c.Default = def; return c }

// table is a table of the schema "app" with an identity key.
func table(name string, columns ...ir.Column) ir.Table {
	id := ir.Column{Name: "id", Type: base("int8"), Identity: ir.IdentityAlways}
	return ir.Table{
		Schema: "app", Name: name, Columns: append([]ir.Column{id}, columns...),
		PrimaryKey: &ir.PrimaryKey{Name: name + "_pkey", Columns: []string{"id"}},
	}
}

func schema(tables ...ir.Table) ir.Schema {
	return ir.Schema{Namespaces: []ir.Namespace{{Name: "app"}}, Tables: tables}
}

// parts makes index parts of columns.
func parts(columns ...string) []ir.IndexPart {
	var list []ir.IndexPart
	for _, c := range columns {
		list = append(list, ir.IndexPart{Column: c})
	}
	return list
}

// refuse is the function that triggers of pawl call.
func refuse() ir.Function {
	return ir.Function{
		Schema: "app", Name: "pawl_refuse", Returns: "trigger", Language: "plpgsql", SecurityDefiner: true,
		SearchPath: []string{"pg_catalog", "pg_temp"},
		Body:       "BEGIN\n  RAISE EXCEPTION USING ERRCODE = TG_ARGV[0], MESSAGE = TG_ARGV[2], CONSTRAINT = TG_ARGV[1], TABLE = TG_TABLE_NAME;\nEND",
	}
}
