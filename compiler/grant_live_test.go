package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// TestGrantsAreExact starts every statement of golden folders as a role that has
// the grants and nothing else, and then once without each of them: some statement
// must be refused. PostgreSQL checks rights when a statement starts, and so does
// EXPLAIN.
func TestGrantsAreExact(t *testing.T) {
	for _, name := range []string{
		"upsert", "limit", "queue", "leader", "transitions-args", "edit-key", "no-overlap-range", "immutable", "idempotency", "inbox", "at-most-one", "at-least-one",
		"sequence", "ordered", "version", "rule",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join("../testdata/cases", name)
			spec, findings := dsl.Load(os.DirFS(folder), dsl.Options{})
			role := "app_" + strings.ReplaceAll(name, "-", "_")
			spec.Pawl.AppRole.V = role
			p, more := compiler.Compile(spec)
			if findings.Extend(more); p == nil {
				t.Fatalf("%+v", findings)
			}
			for _, extension := range pgtest.ExtensionsOf(t, folder) {
				t.Skipf("needs %s", extension)
			}
			bare := *p
			bare.Grants = nil
			conn := database(t, &bare)
			newRole(t, conn, role)
			execute(t, conn, "REVOKE ALL ON SCHEMA public FROM PUBLIC")
			execute(t, conn, postgres.Grants(role, p.Grants)...)
			if err := startAll(t, conn, p, role); err != nil {
				t.Error(err)
			}
			for _, g := range p.Grants {
				if strings.Contains(g.Why, "store.Check") && !strings.Contains(g.Why, ",") {
					continue // reads of the catalog are asked for by store.Check alone
				}
				execute(t, conn, postgres.Revokes(role, []ir.Grant{g})...)
				var refused *pgconn.PgError
				if err := startAll(t, conn, p, role); !errors.As(err, &refused) || refused.Code != "42501" {
					t.Errorf("without %s on %s everything runs: %v", g.Privilege, g.Object().SQL(), err)
				}
				execute(t, conn, postgres.Grants(role, []ir.Grant{g})...)
			}
		})
	}
}

// newRole makes a role that nobody granted anything.
func newRole(t *testing.T, conn *pgx.Conn, role string) {
	t.Helper()
	execute(t, conn, "CREATE ROLE "+role)
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "RESET ROLE; DROP OWNED BY "+role+"; DROP ROLE "+role, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Error(err)
		}
	})
}

func execute(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// startAll starts each statement of a program as a role, and says which is
// refused first.
func startAll(t *testing.T, conn *pgx.Conn, p *ir.Program, role string) error {
	t.Helper()
	execute(t, conn, "SET ROLE "+role)
	defer execute(t, conn, "RESET ROLE")
	for op := range p.Operations() {
		for _, s := range op.Statements {
			var err error
			if op.Kind == ir.InsertManyOp {
				_, err = conn.PgConn().CopyFrom(t.Context(), strings.NewReader(""), s.SQL)
			} else {
				nulls := ""
				if len(s.Args) > 0 {
					nulls = "(" + strings.TrimSuffix(strings.Repeat("NULL,", len(s.Args)), ",") + ")"
				}
				_, err = conn.Exec(t.Context(), "PREPARE started AS "+s.SQL+"; EXPLAIN EXECUTE started"+nulls+"; DEALLOCATE started", pgx.QueryExecModeSimpleProtocol)
				_, _ = conn.Exec(t.Context(), "DEALLOCATE ALL")
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", op.Address, s.Role, err)
			}
		}
	}
	return nil
}
