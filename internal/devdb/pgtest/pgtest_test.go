package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

func TestURLGivesEachTestItsOwnDatabase(t *testing.T) {
	names := make(map[string]bool)
	for range 3 {
		t.Run("database", func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			var name string
			if err := conn.QueryRow(t.Context(), `SELECT current_database()`).Scan(&name); err != nil {
				t.Fatal(err)
			}
			if names[name] {
				t.Errorf("two tests got database %s", name)
			}
			names[name] = true
			// Fails unless the database is new.
			if _, err := conn.Exec(t.Context(), `CREATE EXTENSION btree_gist; CREATE TABLE seat (id int)`); err != nil {
				t.Fatal(err)
			}
		})
	}
	conn, err := pgx.Connect(t.Context(), pgtest.Server(t).URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for name := range names {
		var exists bool
		if err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&exists); err != nil {
			t.Fatal(err)
		}
		if exists {
			t.Errorf("database %s was not dropped at the end of its test", name)
		}
	}
}
