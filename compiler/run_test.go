package compiler_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// rows are the answer of a statement: columns by name.
type rows []map[string]any

// querier is a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// run executes a statement of an operation and reads all rows.
func run(t testing.TB, q querier, p *ir.Program, address string, role ir.Role, args ...any) (rows, error) {
	t.Helper()
	s := operation(t, p, address).Statement(role)
	if s == nil {
		t.Fatalf("%s has no %s statement", address, role)
	}
	r, err := q.Query(context.Background(), s.SQL, args...)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(r, pgx.RowToMap)
	return list, err
}

// must is run without an error.
func must(t testing.TB, q querier, p *ir.Program, address string, role ir.Role, args ...any) rows {
	t.Helper()
	r, err := run(t, q, p, address, role, args...)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return r
}

// one is must with exactly one row.
func one(t testing.TB, q querier, p *ir.Program, address string, role ir.Role, args ...any) map[string]any {
	t.Helper()
	r := must(t, q, p, address, role, args...)
	if len(r) != 1 {
		t.Fatalf("%s gave %d rows, want 1", address, len(r))
	}
	return r[0]
}

// exec runs plain SQL as some other client would.
func exec(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// wantError fails unless err is the given SQLSTATE of the given constraint.
func wantError(t testing.TB, err error, code, constraint string) {
	t.Helper()
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		t.Fatalf("got %v, want SQLSTATE %s", err, code)
	}
	if pg.Code != code || pg.ConstraintName != constraint {
		t.Fatalf("got %s of %q (%s), want %s of %q", pg.Code, pg.ConstraintName, pg.Message, code, constraint)
	}
}

// codeOnly is a specification whose transitions are kept by generated code
// alone.
func codeOnly(hcl string) string {
	return strings.ReplaceAll(hcl, "    column  = status\n", "    column  = status\n    enforce = \"code\"\n")
}

// cutLine is a statement without the line that holds a text: a mutant, to prove
// that the line matters.
func cutLine(t testing.TB, sql, text string) string {
	t.Helper()
	var kept []string
	for line := range strings.Lines(sql) {
		if !strings.Contains(line, text) {
			kept = append(kept, line)
		}
	}
	mutant := strings.Join(kept, "")
	if mutant == sql {
		t.Fatalf("%q is not in the statement:\n%s", text, sql)
	}
	return mutant
}
