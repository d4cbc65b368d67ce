package migrate_test

import (
	"context"
	"slices"
	"strings"
	"testing"

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
		p.Invariants = []ir.Invariant{&ir.Limit{Base: ir.Facts{Address: "table.items.limit.few", Table: ref}, Counter: ref}}
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
