package migrate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// TestADropLosesNoMoreThanWasAllowed adds rows between a plan and its apply.
func TestADropLosesNoMoreThanWasAllowed(t *testing.T) {
	t.Parallel()
	less := people()
	less.Columns = slices.Delete(less.Columns, 2, 3) // email
	for name, c := range map[string]struct {
		after     ir.Schema
		allow     string
		has, more string
		said      string
	}{
		"empty table": {ir.Schema{Namespaces: []ir.Namespace{{Name: "app"}}}, "drop=table.people", "SELECT 1", threePeople, "the 0 rows"},
		"table":       {ir.Schema{Namespaces: []ir.Namespace{{Name: "app"}}}, "drop=table.people", threePeople, threePeople, "the 3 rows"},
		"column":      {schema(less), "drop=table.people.column.email", "INSERT INTO app.people (name, age) VALUES ('a', 1)", threePeople, "the 0 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			conn := from(t, schema(people()), c.has)
			p := program(c.after)
			made := plan(t, conn, p)
			exec(t, conn, c.more)
			err := made.Apply(ctx, conn, migrate.ApplyOptions{Allow: []string{c.allow}})
			if !errors.Is(err, migrate.ErrMoved) || !strings.Contains(err.Error(), c.said) {
				t.Errorf("apply says %v", err)
			}
			if n := query[int](t, conn, "SELECT count(email) FROM app.people"); n < 3 {
				t.Fatalf("%d of 3 new rows are left", n)
			}
			made = plan(t, conn, p)
			exec(t, conn, "DELETE FROM app.people WHERE email = 'a@x'") // less is no surprise
			if err := made.Apply(ctx, conn, migrate.ApplyOptions{Allow: []string{c.allow}}); err != nil {
				t.Error(err)
			}
			settled(t, conn, p)
		})
	}
}

// TestATableThatFillsUpIsProvedToo plans a trigger for an empty table, which has
// rows that break its rule when the apply comes to it.
func TestATableThatFillsUpIsProvedToo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := from(t, schema(people()), "SELECT 1")
	p := withRule()
	made := plan(t, conn, p)
	exec(t, conn, threePeople)
	var failed *migrate.StepError
	err := made.Apply(ctx, conn, migrate.ApplyOptions{})
	if !errors.As(err, &failed) || failed.Violation == nil || failed.Violation.Count != 1 {
		t.Fatalf("apply says %v", err)
	}
	if failed.Stand == 0 || failed.Stand != failed.Index {
		t.Errorf("%d steps stand, the step is number %d: it was alone", failed.Stand, failed.Index)
	}
	if n := query[int](t, conn, "SELECT count(*) FROM pg_trigger WHERE tgname = 'people_guard'"); n != 0 {
		t.Error("the trigger stands over a row that breaks its rule")
	}
	exec(t, conn, "DELETE FROM app.people WHERE age > 2")
	apply(t, conn, p)
}

// TestAStepInATransactionTakesThoseBeforeItAlong fails the last step of one
// transaction: none of them stands.
func TestAStepInATransactionTakesThoseBeforeItAlong(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	made := plan(t, conn, program(schema(people(), table("rooms"))))
	last := len(made.Steps) - 1
	made.Steps[last].SQL = append(made.Steps[last].SQL, "SELECT 1 / 0")
	var failed *migrate.StepError
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.As(err, &failed) {
		t.Fatalf("apply says %v", err)
	}
	if failed.Index != last || failed.Stand != 0 {
		t.Errorf("step %d of %d failed and %d are said to stand", failed.Index, last+1, failed.Stand)
	}
	if query[bool](t, conn, "SELECT to_regclass('app.people') IS NOT NULL") {
		t.Error("a table of the transaction stands")
	}
}
