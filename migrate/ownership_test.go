package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// TestOnlyWhatPawlMadeIsTouched puts objects of others beside, on and in the way
// of the project's.
func TestOnlyWhatPawlMadeIsTouched(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t)
	exec(t, conn, `
CREATE SCHEMA app; CREATE TABLE app.theirs (x integer CHECK (x > 0)); CREATE TYPE app.mood AS ENUM ('a');
CREATE FUNCTION app.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
	p := program(schema(people()))
	apply(t, conn, p)
	exec(t, conn, "ALTER TABLE app.people ADD COLUMN theirs integer DEFAULT 1 CHECK (theirs > 0); CREATE INDEX their_index ON app.people (theirs)")
	made := plan(t, conn, p)
	if !made.Empty() {
		t.Errorf("the plan touches what is not pawl's:\n%s", outline(made))
	}
	var names []string
	for _, id := range made.Unmanaged {
		names = append(names, string(id.Kind)+" "+id.SQL())
	}
	want := []string{
		"enum app.mood", "function app.f", "column app.people.theirs", "constraint app.people.people_theirs_check",
		"index app.people.their_index", "table app.theirs",
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("unmanaged are\n%s", strings.Join(names, "\n"))
	}
	// Dropping everything that is declared leaves theirs.
	empty := program(ir.Schema{Namespaces: []ir.Namespace{{Name: "app"}}})
	apply(t, conn, empty, "drop=table.people")
	if n := query[int](t, conn, "SELECT count(*) FROM pg_class WHERE relname = 'theirs'"); n != 1 {
		t.Error("a table of someone else is gone")
	}

	s := schema(table("theirs"))
	s.Enums = []ir.Enum{{Schema: "app", Name: "mood", Values: []string{"a"}}}
	var inTheWay *migrate.UnmanagedError
	_, err := migrate.NewPlan(ctx, conn, program(s), migrate.PlanOptions{})
	if !errors.As(err, &inTheWay) || len(inTheWay.Objects) != 2 {
		t.Fatalf("plan says %v", err)
	}
	for _, text := range []string{"table app.theirs", "enum app.mood", "test.hcl:", "was not created by pawl"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in: %v", text, err)
		}
	}
}

// TestNamesOfOtherKindsAreInTheWayToo takes a table's and an index's name with
// relations of other kinds.
func TestNamesOfOtherKindsAreInTheWayToo(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	exec(t, conn, "CREATE SCHEMA app; CREATE VIEW app.people AS SELECT 1 AS x; CREATE SEQUENCE app.rooms_i")
	rooms := table("rooms", column("name", base("text")))
	rooms.Indexes = []ir.Index{index("rooms_i", "", ir.IndexPart{Column: "name"})}
	var inTheWay *migrate.UnmanagedError
	_, err := migrate.NewPlan(context.Background(), conn, program(schema(people(), rooms)), migrate.PlanOptions{})
	if !errors.As(err, &inTheWay) || len(inTheWay.Objects) != 2 {
		t.Fatalf("plan says %v", err)
	}
	for _, text := range []string{"view app.people", "sequence app.rooms_i", "test.hcl:"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in: %v", text, err)
		}
	}
}

// TestTwoProjectsShareADatabase gives two projects one schema and one function.
func TestTwoProjectsShareADatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t)
	one, two := schema(people()), schema(table("rooms"))
	one.Functions, two.Functions = []ir.Function{refuse()}, []ir.Function{refuse()}
	first, second := program(one), program(two)
	second.Project = "other"
	apply(t, conn, first)
	apply(t, conn, second)
	settled(t, conn, first)

	// Each may leave the function to the other.
	two.Functions = nil
	second = program(two)
	second.Project = "other"
	apply(t, conn, second)
	settled(t, conn, first)
	if n := query[int](t, conn, "SELECT count(*) FROM pg_proc WHERE proname = 'pawl_refuse'"); n != 1 {
		t.Fatal("the function that the first project needs is gone")
	}

	two.Tables = append(two.Tables, people())
	second = program(two)
	second.Project = "other"
	_, err := migrate.NewPlan(ctx, conn, second, migrate.PlanOptions{})
	if err == nil || !strings.Contains(err.Error(), `belongs to the project "test"`) {
		t.Errorf("plan says %v", err)
	}
}

// TestNewTextWithTheSameMeaningIsRecorded changes only how a check is written:
// nothing is made anew, and generated code that compares texts is content.
func TestNewTextWithTheSameMeaningIsRecorded(t *testing.T) {
	t.Parallel()
	before, after := people(), people()
	before.Checks = []ir.Check{check("people_c", "age > 0 and age < 9")}
	after.Checks = []ir.Check{check("people_c", "(age > 0) AND (age < 9)")}
	conn := from(t, schema(before), threePeople)
	p := program(schema(after))
	made := apply(t, conn, p)
	if len(made.Changes) != 0 || len(made.Steps) != 1 || len(made.Steps[0].SQL) != 0 {
		t.Errorf("plan:\n%s", outline(made))
	}
	hash := query[string](t, conn, "SELECT spec_hash FROM pawl.object WHERE object_name = 'people_c'")
	if want := ir.Fingerprint(after.Checks[0]); hash != want {
		t.Errorf("the record says %s, want %s", hash, want)
	}
}

// TestPlanningWithoutTemporaryTables takes the right to make them away.
func TestPlanningWithoutTemporaryTables(t *testing.T) {
	t.Parallel()
	p := program(bookings())
	conn := from(t, bookings(), "SELECT 1")
	database := ir.Ident(query[string](t, conn, "SELECT current_database()"))
	exec(t, conn, "CREATE ROLE "+database+"_reader; REVOKE TEMPORARY ON DATABASE "+database+" FROM PUBLIC; GRANT USAGE ON SCHEMA app TO "+database+"_reader")
	t.Cleanup(func() { exec(t, conn, "RESET ROLE; DROP OWNED BY "+database+"_reader; DROP ROLE "+database+"_reader") })
	as := func(fn func()) {
		exec(t, conn, "SET ROLE "+database+"_reader")
		fn()
		exec(t, conn, "RESET ROLE")
	}
	as(func() {
		if made := plan(t, conn, p); !made.Empty() || len(made.Uncertain) != 0 {
			t.Errorf("what is remembered is uncertain:\n%s", outline(made))
		}
	})
	exec(t, conn, "UPDATE pawl.object SET catalog_hash = '', spec_hash = 'of another text'")
	as(func() {
		made := plan(t, conn, p)
		uncertain := map[ir.ObjectID]bool{}
		for _, u := range made.Uncertain {
			uncertain[u.ID] = true
		}
		if len(made.Changes) != 0 || len(made.Steps) != 1 || !strings.Contains(made.Steps[0].Title, fmt.Sprint(len(p.Schema.Objects())-len(uncertain))+" definitions") {
			t.Errorf("%d of %d are uncertain, and the rest means the same as before:\n%s", len(uncertain), len(p.Schema.Objects()), outline(made))
		}
		if len(made.Uncertain) == 0 || !strings.Contains(made.Uncertain[0].Why, "TEMPORARY") {
			t.Errorf("%d are uncertain:\n%s", len(made.Uncertain), outline(made))
		}
		var refused *migrate.RefusedError
		if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.As(err, &refused) {
			t.Errorf("apply says %v", err)
		}
	})
}
