package compiler_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// database is a database with the schema of a program in it.
func database(t testing.TB, p *ir.Program) *pgx.Conn {
	t.Helper()
	url := pgtest.URL(t)
	conn := connect(t, url)
	var version int
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::integer").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if major := version / 10000; major < p.Postgres {
		t.Skipf("the specification is for PostgreSQL %d and later, and this is %d", p.Postgres, major)
	}
	if _, err := conn.Exec(t.Context(), postgres.Schema(p), pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("the schema does not load: %v\n%s", err, postgres.Schema(p))
	}
	return conn
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // the database is dropped in any case
	return conn
}

// prepareAll prepares every statement and compares the server's idea of its
// arguments and results with the program's.
func prepareAll(t *testing.T, conn *pgx.Conn, p *ir.Program) {
	t.Helper()
	each(p, func(_ ir.Repository, op ir.Operation) {
		for _, s := range op.Statements {
			d, err := conn.Prepare(t.Context(), "", s.SQL)
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", op.Address, s.Role, err, s.SQL)
				continue
			}
			if len(d.ParamOIDs) != len(s.Args) {
				t.Errorf("%s, %s: the server counts %d arguments, the program %d", op.Address, s.Role, len(d.ParamOIDs), len(s.Args))
			}
			if s.Rows == ir.ReturnsNone {
				continue
			}
			if len(d.Fields) != len(s.Results) {
				t.Errorf("%s, %s: the server returns %d columns, the program says %d", op.Address, s.Role, len(d.Fields), len(s.Results))
				continue
			}
			for i, f := range d.Fields {
				if f.Name != s.Results[i].Name {
					t.Errorf("%s, %s: column %d is %s, the program says %s", op.Address, s.Role, i, f.Name, s.Results[i].Name)
				}
			}
		}
	})
	for _, i := range p.Invariants {
		if sql := i.Facts().Violators; sql != "" {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Errorf("%s: the query for violators fails: %v\n%s", i.Facts().Address, err, sql)
			}
		}
	}
}

func TestStatementsOfSeatsPrepare(t *testing.T) {
	p := seats(t)
	prepareAll(t, database(t, p), p)
}

// Odd names and all types are spelled so that the server reads them back.
func TestStatementsOfTheZooPrepare(t *testing.T) {
	src, err := os.ReadFile("testdata/zoo.hcl")
	if err != nil {
		t.Fatal(err)
	}
	p := compile(t, string(src))
	prepareAll(t, database(t, p), p)
}
