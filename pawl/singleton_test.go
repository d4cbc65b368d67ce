package pawl_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

var relay = pawl.Singleton{
	Name:    "singleton.outbox_relay",
	LockSQL: `/* singleton.outbox_relay */ SELECT pg_advisory_xact_lock(4201, 1)`,
	TrySQL:  `/* singleton.outbox_relay */ SELECT pg_try_advisory_xact_lock(4201, 1)`,
}

// overlaps runs l three times at once and reports whether two were ever inside.
func overlaps(t *testing.T, s *pawl.Session, l *pawl.Singleton) bool {
	var inside, most atomic.Int32
	var all meeting
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			err := pawl.Run(t.Context(), s, l, func(cx, *pawl.Session) error {
				defer inside.Add(-1)
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				all.wait(2)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return most.Load() > 1
}

func TestSingletonsNeverOverlap(t *testing.T) {
	_, s := open(t, pawl.WithLockTimeout(10*time.Millisecond)) // for the work inside, not for the wait
	want(t, "overlap", overlaps(t, s, &relay), false)
	unlocked := relay
	unlocked.LockSQL = `SELECT 1`
	if !overlaps(t, s, &unlocked) {
		t.Error("without the lock nothing overlaps, so the test proves nothing")
	}
}

func TestSingletonLimits(t *testing.T) {
	pool := connect(t, database(t))
	inside := func(s *pawl.Session, l *pawl.Singleton) (text string) {
		must(t, pawl.Run(t.Context(), s, l, func(ctx cx, tx *pawl.Session) error {
			return tx.DB().QueryRow(ctx, `SELECT concat_ws(' ', current_setting('transaction_isolation'), current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'))`).Scan(&text)
		}))
		return text
	}
	want(t, "limits", inside(session(pool), &relay), "read committed 1s 1min")
	want(t, "limits with options", inside(session(pool, pawl.WithIdleTimeout(time.Second), pawl.WithIsolation(pgx.Serializable)), &relay), "read committed 1s 1s")
	bound := relay
	bound.Transaction = &pawl.Transaction{LockTimeout: 2 * time.Second, IdleTimeout: 3 * time.Second}
	want(t, "limits of its own", inside(session(pool), &bound), "read committed 2s 3s")
}

func TestTryRun(t *testing.T) {
	_, s := open(t)
	ran, err := pawl.TryRun(t.Context(), s, &relay, func(ctx cx, tx *pawl.Session) error {
		second, err := pawl.TryRun(t.Context(), s, &relay, func(cx, *pawl.Session) error {
			t.Error("a second one ran beside the first")
			return nil
		})
		must(t, err)
		want(t, "the second one ran", second, false)
		return nil
	})
	must(t, err)
	want(t, "the first one ran", ran, true)
	stop := errors.New("stop")
	ran, err = pawl.TryRun(t.Context(), s, &relay, func(cx, *pawl.Session) error { return stop })
	want(t, "ran", ran, true)
	want(t, "error", err, stop)
}

func TestSingletonNeedsReadCommitted(t *testing.T) {
	pool, s := open(t)
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		tx, err := pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		must(t, err)
		err = pawl.Run(t.Context(), s.WithTx(tx), &relay, func(cx, *pawl.Session) error { return nil })
		var refused *pawl.IsolationError
		if (level == pgx.ReadCommitted) != (err == nil) || (err != nil && !errors.As(err, &refused)) {
			t.Errorf("in a %s transaction: %v", level, err)
		}
		must(t, tx.Rollback(t.Context()))
	}
}
