package explore_test

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/verify/explore"
)

// busy asks for the test that needs the machine for itself.
var busy = flag.Bool("load", false, "run the test that keeps the machine busy")

// load keeps the process's own processors busy until the test ends, and the
// machine's.
func load(t *testing.T) {
	t.Helper()
	var over atomic.Bool
	for range runtime.GOMAXPROCS(0) - 1 { // of more, each costs every handover 10 ms
		go func() {
			for turns := 0; !over.Load(); {
				turns++
			}
		}()
	}
	t.Cleanup(func() { over.Store(true) })
	for range 6 {
		// It ends also where this process cannot end it; what it says is thrown away.
		yes := exec.Command("sh", "-c", "ulimit -t 30; exec yes")
		if err := yes.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = yes.Process.Kill()
			_ = yes.Wait() // killed
		})
	}
}

// retried is a client that runs statements in a transaction, and once more when
// it was the victim of a deadlock.
func retried(name string, statements ...string) explore.Client {
	return explore.Client{Name: name, Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
		once := func() error {
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				for _, sql := range statements {
					if _, err := tx.Exec(ctx, sql); err != nil {
						return err
					}
				}
				return nil
			})
		}
		err := once()
		if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) && pgErr.Code == "40P01" {
			return "victim", once()
		}
		return "", err
	}}
}

const (
	addTo1 = `update account SET balance = balance + 1 WHERE id = 1`
	addTo2 = `update account SET balance = balance + 1 WHERE id = 2`
)

// Who is the victim of a deadlock must not depend on how fast the machine is.
func TestDeadlockVictimsUnderLoad(t *testing.T) {
	if !*busy {
		t.Skip("it keeps the machine busy, and other tests from running: ask for it with -load")
	}
	for _, test := range []struct {
		name    string
		clients []explore.Client
	}{
		{"opposite order", []explore.Client{retried("a", addTo1, addTo2), retried("b", addTo2, addTo1)}},
		// Not three clients that share a lock and then change the row: which of several
		// that wait for one transaction goes on first is PostgreSQL's choice.
	} {
		t.Run(test.name, func(t *testing.T) {
			x := open(t, explore.Options{Clients: len(test.clients)}, accounts)
			load(t)
			var first *explore.Result
			for range 2 { // -count repeats all of it
				result, err := x.Explore(t.Context(), explore.Scenario{
					Name: test.name, Fixture: `DELETE FROM account; INSERT INTO account VALUES (1, 100), (2, 100)`,
					Clients: test.clients, Effect: effectOf, State: contents("account"),
				})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d schedules in %v", result.Schedules, result.Duration)
				if first == nil {
					first = result
				}
				if !result.Complete || result.Schedules != first.Schedules || !maps.Equal(result.Outcomes, first.Outcomes) {
					t.Errorf("complete %v, %d non-deterministic, %d schedules, outcomes %v; at first %d schedules, outcomes %v", result.Complete,
						len(result.NonDeterministic), result.Schedules, result.Outcomes, first.Schedules, first.Outcomes)
				}
			}
		})
	}
}
