package pawl_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/pawl"
)

// A table that was partitioned by hand reports the partition and the partition's
// constraint. Callers still get the family, and the names that the server gave; and
// a row that no partition takes is a check without a name, and no check that is
// declared.
func TestPartitionErrors(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `CREATE TABLE app.visits (
  day integer, id bigint, room bigint, n integer NOT NULL,
  CONSTRAINT visits_pkey PRIMARY KEY (day, id),
  CONSTRAINT visits_room FOREIGN KEY (room) REFERENCES app.rooms (id),
  CONSTRAINT visits_n CHECK (n > 0)
) PARTITION BY LIST (day);
CREATE TABLE app.visits_1 PARTITION OF app.visits FOR VALUES IN (1);
INSERT INTO app.visits VALUES (1, 1, NULL, 1)`)
	declared := pawl.Constraints{
		{Schema: "app", Table: "visits", Constraint: "visits_pkey", Columns: []string{"day", "id"}, Code: "23505", Kind: pawl.KindDuplicate},
		{Schema: "app", Table: "visits", Constraint: "visits_room", Columns: []string{"room"}, Code: "23503", Kind: pawl.KindReference},
		{Schema: "app", Table: "visits", Constraint: "visits_n", Columns: []string{"n"}, Code: "23514", Kind: pawl.KindCheck},
		{Schema: "app", Table: "visits", Columns: []string{"n"}, Code: "23502", Kind: pawl.KindMissing},
	}
	insert := pawl.Operation{Name: "visit", SQL: `INSERT INTO app.visits VALUES ($1, $2, $3, $4)`, Errors: declared}
	for _, c := range []struct {
		name              string
		args              []any
		family            error
		table, constraint string
	}{
		{"duplicate", []any{1, 1, nil, 1}, pawl.ErrDuplicate, "visits_1", "visits_1_pkey"},
		{"missing parent", []any{1, 2, 77, 1}, pawl.ErrReference, "visits_1", "visits_room"},
		{"check", []any{1, 2, nil, 0}, pawl.ErrCheck, "visits_1", "visits_n"},
		{"missing value", []any{1, 2, nil, nil}, pawl.ErrMissing, "visits_1", ""},
		{"no partition", []any{2, 1, nil, 1}, pawl.ErrCheck, "visits", ""},
	} {
		_, err := pawl.Exec(t.Context(), s, &insert, c.args...)
		var reported *pawl.ConstraintError
		if !errors.Is(err, c.family) || !errors.As(err, &reported) || reported.Schema != "app" || reported.Table != c.table || reported.Constraint != c.constraint {
			t.Errorf("%s: %+v, %v", c.name, reported, err)
		}
		for _, other := range declared {
			if errors.Is(err, other) {
				t.Errorf("%s: %v is taken for %v", c.name, err, other)
			}
		}
	}
}

// A parent that may not be deleted is one error whatever the server calls it: 23503,
// and from PostgreSQL 18 on 23001 where the action is RESTRICT.
func TestRestrict(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `CREATE TABLE app.doors (room bigint CONSTRAINT doors_room REFERENCES app.rooms (id) ON DELETE RESTRICT);
INSERT INTO app.rooms (name) VALUES ('blue');
INSERT INTO app.doors VALUES (1)`)
	room := &pawl.ConstraintError{Schema: "app", Table: "doors", Constraint: "doors_room", Columns: []string{"room"}, Code: "23503", Kind: pawl.KindReference}
	remove := pawl.Operation{Name: "remove", SQL: `DELETE FROM app.rooms WHERE id = $1`, Errors: pawl.Constraints{room}}
	_, err := pawl.Exec(t.Context(), s, &remove, 1)
	wanted := "23503"
	if number(t, pool, `SELECT current_setting('server_version_num')::bigint`) >= 180000 {
		wanted = "23001"
	}
	var server *pgconn.PgError
	if !errors.Is(err, room) || !errors.Is(err, pawl.ErrReference) || !errors.As(err, &server) || server.Code != wanted {
		t.Errorf("%v, want the foreign key with %s", err, wanted)
	}
}
