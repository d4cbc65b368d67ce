package fault_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fault"
)

// schema holds what the workloads of these tests use.
const schema = `
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE request (key text PRIMARY KEY);
CREATE TABLE loose (name text NOT NULL);
CREATE TABLE strict (name text PRIMARY KEY);
CREATE TABLE job (id int PRIMARY KEY, owner text, fence int NOT NULL DEFAULT 0, until timestamptz, done_by text);
`

// database makes the schema and returns the address it was given.
func database(t *testing.T, url string) string {
	t.Helper()
	conn := connect(t, url)
	if _, err := conn.PgConn().Exec(t.Context(), schema).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return url
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

const counterFixture = `TRUNCATE counter, request; INSERT INTO counter VALUES (1, 0)`

// increment counts one more in a transaction, whoever asks and however often.
func increment(ctx context.Context, conn *pgx.Conn) (any, error) {
	return nil, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE counter SET n = n + 1 WHERE id = $1`, 1)
		return err
	})
}

// incrementAlone does the same in one statement.
func incrementAlone(ctx context.Context, conn *pgx.Conn) (any, error) {
	_, err := conn.Exec(ctx, `UPDATE counter SET n = n + 1 WHERE id = $1`, 1)
	return nil, err
}

// incrementOnce counts one more unless the request of this key has been counted.
func incrementOnce(key string) fault.Client {
	return func(ctx context.Context, conn *pgx.Conn) (any, error) {
		return nil, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `INSERT INTO request VALUES ($1) ON CONFLICT DO NOTHING`, key)
			if err != nil || tag.RowsAffected() == 0 {
				return err
			}
			_, err = tx.Exec(ctx, `UPDATE counter SET n = n + 1 WHERE id = $1`, 1)
			return err
		})
	}
}

// countedOnce compares the counter with what was answered.
func countedOnce(ctx context.Context, conn *pgx.Conn, r *fault.Round) ([]explore.Violation, error) {
	var n int
	if err := conn.QueryRow(ctx, `SELECT n FROM counter WHERE id = 1`).Scan(&n); err != nil {
		return nil, err
	}
	return fault.OnceInTotal(r, n), nil
}

// complete is the statement with which a worker ($2) that holds the fence $3 ends
// job $1. Unguarded, it relies on the lease alone.
func complete(guarded bool) string {
	sql := `UPDATE job SET done_by = $2 WHERE id = $1 AND done_by IS NULL`
	if guarded {
		return sql + ` AND fence = $3`
	}
	return sql + ` AND $3::int IS NOT NULL`
}

// doneByItsOwner demands that a job is ended by nobody but who holds it.
func doneByItsOwner(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
	var owner, done string
	err := conn.QueryRow(ctx, `SELECT owner, coalesce(done_by, owner) FROM job`).Scan(&owner, &done)
	if err != nil || owner == done {
		return nil, err
	}
	return []explore.Violation{{Rule: "a job is ended by its owner", Columns: []string{"owner", "done_by"}, Rows: [][]string{{owner, done}}}}, nil
}

// rules are what is broken.
func rules(found []explore.Violation) []string {
	var texts []string
	for _, v := range found {
		texts = append(texts, v.Rule)
	}
	return texts
}
