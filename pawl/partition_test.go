package pawl_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

// partitions makes tables that were partitioned by hand, two levels deep, and
// returns what a specification of the topmost would declare.
func partitions(t *testing.T, pool *pgxpool.Pool) pawl.Constraints {
	t.Helper()
	exec(t, pool, `CREATE TABLE app.visits (
  day integer, id bigint, room bigint, mail text, n integer NOT NULL,
  CONSTRAINT visits_pkey PRIMARY KEY (day, id),
  CONSTRAINT visits_room FOREIGN KEY (room) REFERENCES app.rooms (id),
  CONSTRAINT visits_n CHECK (n > 0)
) PARTITION BY LIST (day);
CREATE UNIQUE INDEX visits_mail ON app.visits (day, lower(mail));
CREATE TABLE app.visits_1 PARTITION OF app.visits FOR VALUES IN (1);
CREATE TABLE app.visits_2 PARTITION OF app.visits FOR VALUES IN (2, 3) PARTITION BY LIST (day);
CREATE TABLE app.visits_3 (day integer NOT NULL, id bigint NOT NULL, room bigint, mail text, n integer NOT NULL,
  CONSTRAINT visits_n CHECK (n > 0), CONSTRAINT visits_room CHECK (room <> 13));
ALTER TABLE app.visits_2 ATTACH PARTITION app.visits_3 FOR VALUES IN (3);
CREATE TABLE app.guests (visit_day integer, visit_id bigint,
  CONSTRAINT guests_visit FOREIGN KEY (visit_day, visit_id) REFERENCES app.visits (day, id));
INSERT INTO app.visits VALUES (1, 1, NULL, 'a', 1), (3, 1, NULL, 'a', 1);
INSERT INTO app.guests VALUES (3, 1)`)
	return pawl.Constraints{
		{Schema: "app", Table: "visits", Constraint: "visits_pkey", Columns: []string{"day", "id"}, Code: "23505", Kind: pawl.KindDuplicate},
		{Schema: "app", Table: "visits", Constraint: "visits_mail", Columns: []string{"day"}, Code: "23505", Kind: pawl.KindDuplicate},
		{Schema: "app", Table: "visits", Constraint: "visits_room", Columns: []string{"room"}, Code: "23503", Kind: pawl.KindReference},
		{Schema: "app", Table: "visits", Constraint: "visits_n", Columns: []string{"n"}, Code: "23514", Kind: pawl.KindCheck},
		{Schema: "app", Table: "visits", Columns: []string{"n"}, Code: "23502", Kind: pawl.KindMissing},
		{Schema: "app", Table: "guests", Constraint: "guests_visit", Columns: []string{"visit_day", "visit_id"}, Code: "23503", Kind: pawl.KindReference},
	}
}

// A partition reports itself and its own constraint. Callers get the one that is
// declared, whatever the partition's is called and however deep it lies; and a row
// that no partition takes is a check without a name, and none that is declared.
func TestPartitionErrors(t *testing.T) {
	pool, s := open(t)
	declared := partitions(t, pool)
	insert := pawl.Operation{Name: "visit", SQL: `INSERT INTO app.visits VALUES ($1, $2, $3, $4, $5)`, Errors: declared}
	remove := pawl.Operation{Name: "leave", SQL: `DELETE FROM app.visits WHERE day = $1 AND id = $2`, Errors: declared}
	for _, c := range []struct {
		name   string
		op     *pawl.Operation
		args   []any
		want   int // which of declared; -1 for none of them
		family error
	}{
		{"duplicate", &insert, []any{1, 1, nil, "b", 1}, 0, pawl.ErrDuplicate},
		{"duplicate below", &insert, []any{3, 1, nil, "b", 1}, 0, pawl.ErrDuplicate},
		{"unique index", &insert, []any{1, 2, nil, "A", 1}, 1, pawl.ErrDuplicate},
		{"unique index below", &insert, []any{3, 2, nil, "A", 1}, 1, pawl.ErrDuplicate},
		{"missing parent", &insert, []any{1, 2, 77, "b", 1}, 2, pawl.ErrReference},
		{"missing parent under another name", &insert, []any{3, 2, 77, "b", 1}, 2, pawl.ErrReference},
		{"check", &insert, []any{1, 2, nil, "b", 0}, 3, pawl.ErrCheck},
		{"check below", &insert, []any{3, 2, nil, "b", 0}, 3, pawl.ErrCheck},
		{"missing value", &insert, []any{1, 2, nil, "b", nil}, 4, pawl.ErrMissing},
		{"a parent that is a partition", &remove, []any{3, 1}, 5, pawl.ErrReference},
		{"check of a partition alone", &insert, []any{3, 2, 13, "b", 1}, -1, pawl.ErrCheck},
		{"no partition", &insert, []any{9, 1, nil, "b", 1}, -1, pawl.ErrCheck},
	} {
		for range 2 { // asked for, and remembered
			_, err := pawl.Exec(t.Context(), s, c.op, c.args...)
			if !errors.Is(err, c.family) {
				t.Errorf("%s: %v, want the family %v", c.name, err, c.family)
			}
			for i, other := range declared {
				if errors.Is(err, other) != (i == c.want) {
					t.Errorf("%s: %v; is it %v? %t", c.name, err, other, errors.Is(err, other))
				}
			}
		}
	}
}

// A partition that a transaction made and took back is looked up again when it is
// there.
func TestPartitionThatComesLater(t *testing.T) {
	pool, s := open(t)
	declared := partitions(t, pool)
	const create = `CREATE TABLE app.visits_9 PARTITION OF app.visits FOR VALUES IN (9)`
	insert := pawl.Operation{Name: "visit", SQL: `INSERT INTO app.visits VALUES (9, 1, NULL, 'a', 1), (9, 1, NULL, 'b', 1)`, Errors: declared}
	_, err := pawl.InTx(t.Context(), s, func(ctx context.Context, tx *pawl.Session) (int64, error) {
		if _, err := tx.DB().Exec(ctx, create); err != nil {
			return 0, err
		}
		return pawl.Exec(ctx, tx, &insert)
	})
	if !errors.Is(err, pawl.ErrDuplicate) {
		t.Errorf("in the transaction that makes it: %v", err)
	}
	exec(t, pool, create)
	if _, err := pawl.Exec(t.Context(), s, &insert); !errors.Is(err, declared[0]) {
		t.Errorf("once it is there: %v", err)
	}
}

// A table that only looks like a partition, with a constraint over the same column,
// is none.
func TestLookalikeOfAPartition(t *testing.T) {
	pool, s := open(t)
	declared := partitions(t, pool)
	exec(t, pool, `CREATE TABLE app.visits_old (LIKE app.visits INCLUDING ALL); INSERT INTO app.visits_old VALUES (1, 1, NULL, 'a', 1)`)
	insert := pawl.Operation{Name: "visit", SQL: `INSERT INTO app.visits_old VALUES (1, 1, NULL, 'a', 1)`, Errors: declared}
	_, err := pawl.Exec(t.Context(), s, &insert)
	for _, other := range declared {
		if !errors.Is(err, pawl.ErrDuplicate) || errors.Is(err, other) {
			t.Errorf("%v is taken for %v", err, other)
		}
	}
}

// In a transaction that has failed, another connection answers; when the pool has
// none to spare nobody waits, and the answer comes when the work has been undone.
func TestPartitionErrorsInTransactions(t *testing.T) {
	pool, wide := open(t)
	declared := partitions(t, pool)
	pkey := declared[0]
	insert := pawl.Operation{Name: "visit", SQL: `INSERT INTO app.visits VALUES (1, 1, NULL, 'b', 1)`, Errors: declared}
	single := connect(t, pool.Config().ConnString(), size(1))
	// A session for each, as what one has learnt it remembers.
	narrow := func() *pawl.Session { return pawl.NewSession(single, pawl.Transaction{}, nil) }

	visit := func(s *pawl.Session) (inside, outside error) {
		_, outside = pawl.InTx(t.Context(), s, func(ctx context.Context, tx *pawl.Session) (int64, error) {
			_, inside = pawl.Exec(ctx, tx, &insert)
			inside = fmt.Errorf("wrapped: %w", inside)
			return 0, inside
		})
		return inside, outside
	}
	if inside, outside := visit(wide); !errors.Is(inside, pkey) || !errors.Is(outside, pkey) {
		t.Errorf("with connections to spare: %v, then %v", inside, outside)
	}
	seen := false
	s := narrow()
	_, err := pawl.InTx(t.Context(), s, func(ctx context.Context, tx *pawl.Session) (int64, error) {
		_, err := pawl.Exec(ctx, tx, &insert)
		seen = errors.Is(err, pkey)
		return 0, err
	})
	if seen || !errors.Is(err, pkey) {
		t.Errorf("one connection: known inside %t, and outside %v", seen, err)
	}
	if inside, _ := visit(s); !errors.Is(inside, pkey) {
		t.Errorf("one connection, asked before: %v", inside)
	}
	_, err = pawl.InTx(t.Context(), narrow(), func(ctx context.Context, tx *pawl.Session) (int64, error) {
		_, err := pawl.Savepoint(ctx, tx, func(ctx context.Context, tx *pawl.Session) (int64, error) { return pawl.Exec(ctx, tx, &insert) })
		if !errors.Is(err, pkey) {
			t.Errorf("behind a savepoint: %v", err)
		}
		return 0, nil
	})
	if err != nil {
		t.Error(err)
	}

	tx, err := single.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = pawl.Exec(t.Context(), narrow().WithTx(tx), &insert)
	var reported *pawl.ConstraintError
	if !errors.Is(err, pawl.ErrDuplicate) || !errors.As(err, &reported) || reported.Table != "visits_1" || reported.Constraint != "visits_1_pkey" {
		t.Errorf("in a caller's transaction on the last connection: %v", err)
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
