package migrate_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// A rule that triggers cannot keep on the table as it stands is refused with the
// reason.
func TestRulesThatTriggersCannotKeep(t *testing.T) {
	t.Parallel()
	items := func(columns ...ir.Column) *ir.Program {
		p := program(schema(table("items", columns...)))
		ref := ir.TableRef{Schema: "app", Name: "items"}
		p.Invariants = []ir.Invariant{&ir.Limit{Base: ir.Facts{Address: "table.items.limit.few", Table: ref}, Counter: ref, Key: []string{"id"}}}
		return p
	}
	more := column("n", ir.Type{Name: "int8"})
	more.Null = true
	conn := from(t, schema(table("items")), "")
	if made := plan(t, conn, items(more)); len(made.Hazards) != 0 {
		t.Fatalf("hazards of a table that is in order: %+v", made.Hazards)
	}
	if _, err := conn.Exec(t.Context(), "ALTER TABLE app.items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"); err != nil {
		t.Fatal(err)
	}
	made := plan(t, conn, items(more))
	if len(made.Hazards) == 0 || made.Hazards[0].Kind != migrate.HazardBlocked || !strings.Contains(made.Hazards[0].Text, "FORCE ROW LEVEL SECURITY") {
		t.Fatalf("hazards: %+v", made.Hazards)
	}
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); err == nil {
		t.Error("applied")
	}
	if _, err := conn.Exec(t.Context(), "DROP TABLE app.items; CREATE TABLE app.items (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY) PARTITION BY RANGE (id)"); err != nil {
		t.Fatal(err)
	}
	refused := func(why string) {
		t.Helper()
		if made = plan(t, conn, items(more)); !slices.ContainsFunc(made.Hazards, func(h migrate.Hazard) bool { return h.Kind == migrate.HazardBlocked && strings.Contains(h.Text, why) }) {
			t.Fatalf("hazards: %+v", made.Hazards)
		}
	}
	refused("is partitioned")
	// A statement that names another table fires no trigger of this one.
	for _, sql := range []string{
		"DROP TABLE app.items; CREATE TABLE app.items (id bigint PRIMARY KEY); CREATE TABLE app.special () INHERITS (app.items)",
		"DROP TABLE app.special; CREATE TABLE app.every (id bigint) PARTITION BY LIST (id); ALTER TABLE app.every ATTACH PARTITION app.items DEFAULT",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		refused("is a part of another table")
	}
}

// What somebody took from a rule by hand, each trigger and each function that asks, is
// found by the next plan and put back: the rule holds again, for every client.
func TestTriggersOfARuleAreRestored(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	p := compileFS(t, os.DirFS("../testdata/cases/rule"))
	apply(t, conn, p)
	const serializable = "BEGIN ISOLATION LEVEL SERIALIZABLE; "
	exec(t, conn, serializable+"INSERT INTO app.teams (id, name) VALUES (1, 'day'); INSERT INTO app.shifts (team_id, doctor, on_call) VALUES (1, 'Ada', true); COMMIT")
	refused := func(sql string) string {
		t.Helper()
		_, err := conn.Exec(context.Background(), sql)
		var raised *pgconn.PgError
		errors.As(err, &raised)
		exec(t, conn, "ROLLBACK")
		if raised == nil {
			return ""
		}
		return raised.Code
	}
	keeps := func() {
		t.Helper()
		for sql, want := range map[string]string{
			"UPDATE app.shifts SET on_call = false":                                  "PW007",
			"DELETE FROM app.shifts":                                                 "PW007",
			serializable + "UPDATE app.shifts SET on_call = false; COMMIT":           "PW006",
			serializable + "DELETE FROM app.shifts; COMMIT":                          "PW006",
			serializable + "INSERT INTO app.teams (id, name) VALUES (9, ''); COMMIT": "PW006",
		} {
			if got := refused(sql); got != want {
				t.Errorf("%s: %q, want %q", sql, got, want)
			}
		}
	}
	keeps()
	const mine = "FROM pg_trigger WHERE NOT tgisinternal AND (tgname LIKE 'someone%' OR tgname LIKE 'enough%')"
	stood := query[int](t, conn, "SELECT count(*) "+mine)
	for name, drift := range map[string]string{
		"dropped":  "SELECT string_agg(format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass), '; ') " + mine,
		"disabled": "SELECT string_agg(format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname), '; ') " + mine,
		"reworded": "SELECT replace(pg_get_functiondef('app.someone_on_call_left'::regproc), 'IS NOT TRUE', 'IS NULL')",
	} {
		exec(t, conn, query[string](t, conn, drift))
		// What was broken meanwhile is found before the triggers are trusted again.
		exec(t, conn, serializable+"UPDATE app.shifts SET on_call = NOT on_call; COMMIT")
		var broken *migrate.ViolationsError
		if err := plan(t, conn, p).Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.As(err, &broken) {
			t.Errorf("%s, with a group that breaks the rule: %v", name, err)
		}
		exec(t, conn, serializable+"UPDATE app.shifts SET on_call = NOT on_call; COMMIT")
		made := apply(t, conn, p)
		changed := 0
		for _, c := range made.Changes {
			if c.Object.Kind == ir.TriggerObject {
				changed++
			}
		}
		if name != "reworded" && changed != stood {
			t.Errorf("%d triggers %s, and the plan changes %d", stood, name, changed)
		}
		if n := query[int](t, conn, "SELECT count(*) "+mine+" AND tgenabled = 'O'"); n != stood {
			t.Errorf("%s: %d of %d triggers stand", name, n, stood)
		}
		keeps()
	}
}
