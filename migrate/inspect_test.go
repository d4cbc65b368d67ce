package migrate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// TestAnUnprovenNotNullIsDrift takes the proof of a NOT NULL away by hand, which
// a server can do since PostgreSQL 18. Before, it takes NOT NULL away.
func TestAnUnprovenNotNullIsDrift(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people()), threePeople)
	exec(t, conn, "ALTER TABLE app.people ALTER COLUMN name DROP NOT NULL")
	if query[int](t, conn, "SELECT current_setting('server_version_num')::integer") >= 180000 {
		exec(t, conn, "ALTER TABLE app.people ADD CONSTRAINT people_name_not_null NOT NULL name NOT VALID")
	}
	read, err := migrate.Inspect(context.Background(), conn, []string{"app"})
	if err != nil {
		t.Fatal(err)
	}
	if !read.Tables[0].Columns[1].Null {
		t.Error("a column that may hold NULL is read as NOT NULL")
	}
	if made := apply(t, conn, program(schema(people()))); made.Empty() {
		t.Error("the plan sees no drift")
	}
}

// TestTheSizeOfATableThatWasNeverAnalysed looks at the plan for one that is full.
func TestTheSizeOfATableThatWasNeverAnalysed(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	apply(t, conn, program(schema(people())))
	exec(t, conn, "ALTER TABLE app.people SET (autovacuum_enabled = off); INSERT INTO app.people (name, age) SELECT 'a', n FROM generate_series(1, 1000) n")
	after := people()
	after.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "age"})}
	made := plan(t, conn, program(schema(after)))
	for _, s := range made.Steps {
		if strings.HasPrefix(s.Title, "build index") && (s.Rows != 1000 || s.Bytes < 8192) {
			t.Errorf("%s: %d rows, %d B", s.Title, s.Rows, s.Bytes)
		}
	}
	if len(made.Steps) != 1 {
		t.Errorf("plan:\n%s", outline(made))
	}
}
