package fault_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fault"
)

// A statement outlives its client unless the session looks for it.
func TestOrphanOutlivesItsClient(t *testing.T) {
	r, err := fault.Orphan(t.Context(), pgtest.URL(t), fault.LateUpdate())
	if err != nil {
		t.Fatal(err)
	}
	if r.Unchecked.Dropped || !r.Unchecked.Applied {
		t.Errorf("without client_connection_check_interval: %+v", r.Unchecked)
	}
	if !r.Checked.Dropped || r.Checked.Applied {
		t.Errorf("with client_connection_check_interval: %+v", r.Checked)
	}
}

// A worker dies while its completion waits for the row that its successor is
// just taking over. With the fence the late write misses; without, it ends the
// successor's job under its feet.
func TestOrphanAgainstAFence(t *testing.T) {
	for _, guarded := range []bool{true, false} {
		t.Run(map[bool]string{true: "fenced", false: "unfenced"}[guarded], func(t *testing.T) {
			r, err := fault.Orphan(t.Context(), database(t, pgtest.URL(t)), fault.OrphanCase{
				Name:    "a completion that comes late",
				Fixture: `TRUNCATE job; INSERT INTO job VALUES (1, 'old', 1, now(), NULL)`,
				Hold: func(ctx context.Context, tx pgx.Tx) error {
					_, err := tx.Exec(ctx, `UPDATE job SET owner = 'new', fence = fence + 1`)
					return err
				},
				Client: func(ctx context.Context, conn *pgx.Conn) (any, error) {
					return conn.Exec(ctx, complete(guarded), 1, "old", 1)
				},
				Applied: func(ctx context.Context, conn *pgx.Conn) (applied bool, err error) {
					err = conn.QueryRow(ctx, `SELECT coalesce(done_by = 'old', false) FROM job`).Scan(&applied)
					return applied, err
				},
				Judge: func(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
					return doneByItsOwner(ctx, conn)
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Unchecked.Applied == guarded || (len(r.Unchecked.Violations) == 0) != guarded {
				t.Errorf("unchecked: %+v", r.Unchecked)
			}
			if !r.Checked.Dropped || r.Checked.Applied || len(r.Checked.Violations) > 0 {
				t.Errorf("checked: %+v", r.Checked)
			}
		})
	}
}

func TestOrphanThatDoesNotWait(t *testing.T) {
	c := fault.LateUpdate()
	c.Hold = func(context.Context, pgx.Tx) error { return nil }
	_, err := fault.Orphan(t.Context(), pgtest.URL(t), c)
	if err == nil || !strings.Contains(err.Error(), "did not wait for the lock") {
		t.Errorf("error %v", err)
	}
}
