package pawl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

// beginFails is a DB whose transactions fail to begin at first.
type beginFails struct {
	*pgxpool.Pool
	left int
	err  error
}

func (b *beginFails) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	if b.left > 0 {
		b.left--
		return nil, b.err
	}
	return b.Pool.BeginTx(ctx, o)
}

// scanFails is a scan target that refuses its value at first.
type scanFails struct{ left *int }

func (s *scanFails) ScanInt64(pgtype.Int8) error { return s.fail() }
func (s *scanFails) fail() error {
	if *s.left > 0 {
		*s.left--
		return &pgconn.PgError{Severity: "ERROR", Code: "40001", Message: "could not serialize access"}
	}
	return nil
}

// TestInTxRetriesWhereverTheFailureComesFrom injects three serialization
// failures at each place where PostgreSQL or the driver can report one.
func TestInTxRetriesWhereverTheFailureComesFrom(t *testing.T) {
	const failures = 3
	left := failures
	rowsThenFailure := fmt.Sprintf(`SELECT CASE WHEN g < 3 THEN g ELSE app.flaky('40001', %d) END FROM generate_series(1, 3) g`, failures)
	for name, run := range map[string]func(cx, *pawl.Session) error{
		"query": func(ctx cx, tx *pawl.Session) error {
			_, err := pawl.QueryOne(ctx, tx, &flaky, func(n *int64) []any { return []any{n} }, "40001", failures)
			return err
		},
		"exec of a statement of one's own": func(ctx cx, tx *pawl.Session) error {
			_, err := tx.DB().Exec(ctx, `SELECT app.flaky('40001', 3)`)
			return err
		},
		"wrapped by the caller": func(ctx cx, tx *pawl.Session) error {
			_, err := pawl.QueryOne(ctx, tx, &flaky, func(n *int64) []any { return []any{n} }, "40P01", failures)
			if err != nil {
				err = fmt.Errorf("reading the shift: %w", err)
			}
			return err
		},
		"replaced by the caller": func(ctx cx, tx *pawl.Session) error {
			if _, err := pawl.Exec(ctx, tx, &flaky, "40001", failures); err != nil {
				return errors.New("it did not work")
			}
			return nil
		},
		"dropped by the caller": func(ctx cx, tx *pawl.Session) error {
			_, _ = pawl.Exec(ctx, tx, &flaky, "40001", failures)
			return nil
		},
		"rows.Err": func(ctx cx, tx *pawl.Session) error {
			rows, err := pawl.QueryAll(ctx, tx, &pawl.Operation{Name: "rows", SQL: rowsThenFailure}, func(n *int64) []any { return []any{n} })
			if err == nil && len(rows) != 3 {
				return fmt.Errorf("%d rows", len(rows))
			}
			return err
		},
		"scan": func(ctx cx, tx *pawl.Session) error {
			_, err := tx.DB().Exec(ctx, `SELECT nextval('app.attempts')`)
			if err != nil {
				return err
			}
			_, err = pawl.QueryOne(ctx, tx, &pawl.Operation{Name: "scan", SQL: `SELECT 1::bigint`}, func(s *scanFails) []any { s.left = &left; return []any{s} })
			return err
		},
		"commit": func(ctx cx, tx *pawl.Session) error {
			_, err := tx.DB().Exec(ctx, `INSERT INTO app.flaky_commits VALUES ('40001', 3)`)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool, s := open(t)
			attempts := 0
			result, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
				attempts++
				want(t, "attempt", pawl.Attempt(ctx), attempts)
				exec(t, tx.DB(), `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
				return attempts, run(ctx, tx)
			})
			must(t, err)
			want(t, "result", result, failures+1)
			want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items`), 1)
			if name != "scan" {
				want(t, "attempts seen by the server", number(t, pool, `SELECT last_value FROM app.attempts`) >= failures+1, true)
			}
		})
	}
	t.Run("begin", func(t *testing.T) {
		for _, cause := range []error{
			&pgconn.PgError{Severity: "ERROR", Code: "40001"},
			&pgconn.PgError{Severity: "FATAL", Code: "57P03", Message: "the database system is starting up"},
			errors.New("unexpected EOF"), // of a pooled connection to a server that was restarted
		} {
			pool, _ := open(t)
			attempts := 0
			_, err := pawl.InTx(t.Context(), session(&beginFails{pool, failures, cause}), func(cx, *pawl.Session) (int, error) {
				attempts++
				return 0, nil
			})
			must(t, err)
			want(t, "runs of the function", attempts, 1)
		}
	})
}

func TestInTxGivesUp(t *testing.T) {
	pool, s := open(t)
	fail := func(ctx cx, tx *pawl.Session) (int, error) {
		_, err := pawl.Exec(ctx, tx, &flaky, "40001", 99)
		return 1, err
	}
	result, err := pawl.InTx(t.Context(), s, fail, pawl.Named("seats.swap"))
	var retry *pawl.RetryError
	if !errors.As(err, &retry) || !hasCode(err, "40001") || !strings.HasPrefix(err.Error(), "seats.swap: gave up after 5 attempts") {
		t.Fatalf("a transaction that always fails: %v", err)
	}
	want(t, "result", result, 0)
	want(t, "attempts", retry.Attempts, 5)
	want(t, "runs", number(t, pool, `SELECT last_value FROM app.attempts`), 5)

	_, err = pawl.InTx(t.Context(), s, fail, pawl.Retry(pawl.Policy{Attempts: 1000, Base: 20 * time.Millisecond, Budget: 100 * time.Millisecond}))
	if !errors.As(err, &retry) || retry.Attempts > 100 || retry.Elapsed > 5*time.Second {
		t.Errorf("a budget of 100 ms: %v", err)
	}

	// A pause that would outlast the context is not begun.
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	start := time.Now()
	_, err = pawl.InTx(soon, s, fail, pawl.Retry(pawl.Policy{Attempts: 1000, Base: time.Hour, Max: time.Hour, Budget: 24 * time.Hour}))
	if !errors.As(err, &retry) || !errors.Is(err, context.DeadlineExceeded) || !hasCode(err, "40001") {
		t.Errorf("a deadline before the next attempt: %v", err)
	}
	if waited := time.Since(start); waited > time.Second {
		t.Errorf("it slept %s although the next attempt was out of reach", waited)
	}
}

// Two doctors go off call at once, each having seen the other on call. Under
// serializable one of them fails at COMMIT, runs again and sees.
func TestWriteSkewAtCommitIsRetried(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.shifts VALUES (1, 1, true), (2, 1, true)`)
	count := func(ctx cx, tx *pawl.Session) (n int64, err error) {
		err = tx.DB().QueryRow(ctx, `SELECT count(*) FROM app.shifts WHERE team_id = 1 AND on_call`).Scan(&n)
		return n, err
	}
	errLast := errors.New("the last one on call stays")
	leave := func(ctx cx, tx *pawl.Session, id int, seen func()) error {
		n, err := count(ctx, tx)
		if err != nil {
			return err
		}
		seen()
		if n < 2 {
			return errLast
		}
		_, err = tx.DB().Exec(ctx, `UPDATE app.shifts SET on_call = false WHERE id = $1`, id)
		return err
	}
	attempts := 0
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		attempts++
		return 0, leave(ctx, tx, 1, func() {
			if attempts > 1 {
				return
			}
			_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
				return 0, leave(ctx, tx, 2, func() {})
			}, pawl.Isolation(pgx.Serializable))
			must(t, err)
		})
	}, pawl.Isolation(pgx.Serializable))
	if any(err) != any(errLast) { // unchanged, not merely wrapped
		t.Errorf("going off call last: %v", err)
	}
	want(t, "attempts", attempts, 2)
	want(t, "on call", number(t, pool, `SELECT count(*) FROM app.shifts WHERE on_call`), 1)
}

func TestCancelledTransactionsLeaveThePoolHealthy(t *testing.T) {
	pool := connect(t, database(t), size(2))
	s := session(pool)
	backends := make(map[int64]bool)
	for range 100 {
		c, cancel := context.WithCancel(t.Context())
		_, err := pawl.InTx(c, s, func(ctx cx, tx *pawl.Session) (int, error) {
			backends[number(t, tx.DB(), `SELECT pg_backend_pid()`)] = true
			cancel()
			if len(backends)%2 == 0 {
				return 0, nil // asks for a commit that cannot be sent any more
			}
			return 0, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || errors.Is(err, pawl.ErrCommitUnknown) {
			t.Fatalf("a cancelled transaction: %v", err)
		}
	}
	want(t, "connections in use", pool.Stat().AcquiredConns(), 0)
	if len(backends) > 2 {
		t.Errorf("100 cancelled transactions used %d connections, so they were not kept", len(backends))
	}
}

func TestPanicRollsBackAndGoesOn(t *testing.T) {
	pool := connect(t, database(t), size(1))
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _ = pawl.InTx(t.Context(), session(pool), func(ctx cx, tx *pawl.Session) (int, error) {
			exec(t, tx.DB(), `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
			panic("boom")
		})
	}()
	want(t, "connections in use", pool.Stat().AcquiredConns(), 0)
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items`), 0)
}

func TestNestedTransactionsJoin(t *testing.T) {
	pool, s := open(t)
	insert := func(id int) func(cx, *pawl.Session) (item, error) {
		return func(ctx cx, tx *pawl.Session) (item, error) {
			return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, id, 1)
		}
	}
	stop := errors.New("stop")
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		_, err := pawl.InTx(ctx, tx, insert(1))
		must(t, err)
		return 0, stop
	})
	want(t, "error", err, stop)
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items`), 0)

	// The whole is retried by its outermost owner, never the joined part alone.
	outer, inner := 0, 0
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		outer++
		return pawl.InTx(ctx, tx, func(ctx cx, tx *pawl.Session) (int, error) {
			inner++
			_, err := pawl.Exec(ctx, tx, &flaky, "40001", 2)
			return 0, err
		})
	})
	must(t, err)
	want(t, "outer runs", outer, 3)
	want(t, "inner runs", inner, 3)
}

// Half of a joined transaction's work must not be committed because its error
// was dropped.
func TestDroppedErrorOfAJoinedTransaction(t *testing.T) {
	pool, s := open(t)
	stop := errors.New("stop")
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		_, _ = pawl.InTx(ctx, tx, func(ctx cx, tx *pawl.Session) (int, error) {
			exec(t, tx.DB(), `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
			return 0, stop
		})
		return 0, nil
	})
	if !errors.Is(err, pawl.ErrRolledBack) || !errors.Is(err, stop) {
		t.Errorf("a dropped error: %v", err)
	}
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items`), 0)
}

func TestJoiningAWeakerTransaction(t *testing.T) {
	pool, s := open(t)
	joined := false
	serializable := func(ctx cx, tx *pawl.Session) error {
		_, err := pawl.InTx(ctx, tx, func(cx, *pawl.Session) (int, error) { joined = true; return 0, nil }, pawl.Isolation(pgx.Serializable))
		return err
	}
	for _, have := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		check := func(whose string, err error) {
			t.Helper()
			var level *pawl.IsolationError
			switch {
			case have == pgx.Serializable && err != nil:
				t.Errorf("joining %s serializable transaction: %v", whose, err)
			case have != pgx.Serializable && (!errors.As(err, &level) || level.Have != have || level.Want != pgx.Serializable):
				t.Errorf("joining %s %s transaction: %v", whose, have, err)
			}
			want(t, "joined", joined, have == pgx.Serializable)
			joined = false
		}
		_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) { return 0, serializable(ctx, tx) }, pawl.Isolation(have))
		check("our", err)

		tx, err := pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: have})
		must(t, err)
		check("a caller's", serializable(t.Context(), s.WithTx(tx)))
		must(t, tx.Rollback(t.Context()))
	}
	_, err := pawl.InTx(t.Context(), s, func(cx, *pawl.Session) (int, error) { return 0, nil }, pawl.Isolation("chaos; drop table app.items"))
	if err == nil || !strings.Contains(err.Error(), "unknown isolation level") {
		t.Errorf("an isolation level that does not exist: %v", err)
	}
}

// 25P02 says only that something failed before; callers are told what.
func TestFirstErrorIsReported(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	work := func(ctx cx, tx *pawl.Session) (item, error) {
		_, _ = pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
		return pawl.QueryOne(ctx, tx, &getItem, (*item).dest, 1)
	}
	_, err := pawl.InTx(t.Context(), s, work)
	if !errors.Is(err, errItemsPkey) || hasCode(err, "25P02") {
		t.Errorf("in our transaction: %v", err)
	}
	want(t, "text", strings.HasPrefix(err.Error(), getItem.Name+": the transaction had failed before: "+insertItem.Name+": "), true)
	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	_, err = work(t.Context(), s.WithTx(tx))
	if !errors.Is(err, errItemsPkey) || hasCode(err, "25P02") {
		t.Errorf("in a caller's transaction: %v", err)
	}
	// After a rollback to a savepoint the transaction works again, and what fails
	// then is a failure of its own.
	tx2, err := pool.Begin(t.Context())
	must(t, err)
	defer tx2.Rollback(t.Context())
	bound := s.WithTx(tx2)
	exec(t, tx2, `SAVEPOINT before`)
	_, err = pawl.QueryOne(t.Context(), bound, &insertItem, (*item).dest, 1, 1)
	if !errors.Is(err, errItemsPkey) {
		t.Fatal(err)
	}
	exec(t, tx2, `ROLLBACK TO SAVEPOINT before`)
	_, err = pawl.QueryOne(t.Context(), bound, &getItem, (*item).dest, 1)
	must(t, err)
	_, _ = tx2.Exec(t.Context(), `SELECT 1/0`)
	_, err = pawl.QueryOne(t.Context(), bound, &getItem, (*item).dest, 1)
	if !hasCode(err, "25P02") {
		t.Errorf("after a failure that this package did not see: %v", err)
	}
}

func TestDroppedErrorOfAStatement(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		_, _ = pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
		return 0, nil
	})
	if !errors.Is(err, pawl.ErrRolledBack) || !errors.Is(err, errItemsPkey) {
		t.Errorf("a dropped error: %v", err)
	}
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		_, _ = tx.DB().Exec(ctx, `SELECT 1/0`)
		return 0, nil
	})
	if !errors.Is(err, pawl.ErrRolledBack) || !errors.Is(err, pgx.ErrTxCommitRollback) {
		t.Errorf("a dropped error of a statement of one's own: %v", err)
	}
}

func TestCallersTransactionIsNeverRetried(t *testing.T) {
	pool, s := open(t)
	for name, run := range map[string]func(cx, *pawl.Session) error{
		"a statement": func(ctx cx, tx *pawl.Session) error {
			_, err := pawl.Exec(ctx, tx, &flaky, "40001", 2)
			return err
		},
		"InTx": func(ctx cx, tx *pawl.Session) error {
			_, err := pawl.InTx(ctx, tx, func(ctx cx, tx *pawl.Session) (int64, error) {
				return pawl.Exec(ctx, tx, &flaky, "40001", 2)
			})
			return err
		},
	} {
		exec(t, pool, `ALTER SEQUENCE app.attempts RESTART`)
		tx, err := pool.Begin(t.Context())
		must(t, err)
		err = run(t.Context(), s.WithTx(tx))
		if _, direct := any(err).(*pgconn.PgError); !direct || !hasCode(err, "40001") {
			t.Errorf("%s: the error is %T %v, not the server's own", name, err, err)
		}
		must(t, tx.Rollback(t.Context()))
		want(t, name+": runs", number(t, pool, `SELECT last_value FROM app.attempts`), 1)
	}
}

func TestDeferredConstraintOfATransaction(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.deferred VALUES (1)`)
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		_, err := tx.DB().Exec(ctx, `INSERT INTO app.deferred VALUES (1)`)
		return 0, err
	})
	if !errors.Is(err, errDeferredN) || !errors.Is(err, pawl.ErrDuplicate) {
		t.Errorf("a deferred duplicate: %v", err)
	}
}

func TestReadOnlyTransaction(t *testing.T) {
	_, s := open(t)
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
	}, pawl.ReadOnly())
	if !hasCode(err, "25006") {
		t.Errorf("a write in a read-only transaction: %v", err)
	}
}

// A read-only part of a transaction that writes: the part is refused its writes, and
// the rest is not.
func TestReadOnlyPart(t *testing.T) {
	pool, s := open(t)
	insert := func(ctx cx, tx *pawl.Session, id int) error {
		_, err := pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, id, 1)
		return err
	}
	read := func(id int) func(cx, *pawl.Session) (int, error) {
		return func(ctx cx, tx *pawl.Session) (n int, err error) {
			if err := tx.DB().QueryRow(ctx, `SELECT count(*) FROM app.items`).Scan(&n); err != nil || id == 0 {
				return n, err
			}
			return n, insert(ctx, tx, id)
		}
	}
	around := func(ctx cx, tx *pawl.Session) (int, error) {
		if err := insert(ctx, tx, 1); err != nil {
			return 0, err
		}
		n, err := pawl.InTx(ctx, tx, read(0), pawl.ReadOnly())
		if err != nil {
			return 0, err
		}
		return n, insert(ctx, tx, 2)
	}
	n, err := pawl.InTx(t.Context(), s, around)
	must(t, err)
	want(t, "rows that the part saw", n, 1)

	tx, err := pool.Begin(t.Context())
	must(t, err)
	_, err = pawl.InTx(t.Context(), s.WithTx(tx), read(3), pawl.ReadOnly())
	if !hasCode(err, "25006") {
		t.Errorf("a write in a read-only part of a caller's transaction: %v", err)
	}
	must(t, insert(t.Context(), s.WithTx(tx), 4)) // the caller decides what to do about it
	must(t, tx.Commit(t.Context()))

	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		_, err := pawl.InTx(ctx, tx, read(5), pawl.ReadOnly())
		if !hasCode(err, "25006") {
			t.Errorf("a write in a read-only part: %v", err)
		}
		return 0, nil
	})
	if !errors.Is(err, pawl.ErrRolledBack) {
		t.Errorf("a transaction that dropped a part's error: %v", err)
	}
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		return pawl.InTx(ctx, tx, read(6), pawl.ReadOnly())
	}, pawl.ReadOnly())
	if !hasCode(err, "25006") {
		t.Errorf("a write in a part of a read-only transaction: %v", err)
	}
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items WHERE id IN (1, 2, 4)`), 3)
	want(t, "all rows", number(t, pool, `SELECT count(*) FROM app.items WHERE id IN (3, 5, 6)`), 0)
}

func TestFunctionThatEndsItsTransaction(t *testing.T) {
	_, s := open(t)
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		return 0, tx.DB().(pgx.Tx).Rollback(ctx)
	})
	if !errors.Is(err, pgx.ErrTxClosed) {
		t.Errorf("a function that rolls back itself: %v", err)
	}
}

// A hook may register another, and a session that outlives its transaction none.
func TestAfterCommitInAHook(t *testing.T) {
	_, s := open(t)
	var ran []string
	var left *pawl.Session
	_, err := pawl.InTx(t.Context(), s, func(_ cx, tx *pawl.Session) (int, error) {
		left = tx
		tx.AfterCommit(func() {
			ran = append(ran, "first")
			want(t, "registered in a hook", tx.AfterCommit(func() { ran = append(ran, "third") }), true)
		})
		tx.AfterCommit(func() { ran = append(ran, "second") })
		return 0, nil
	})
	must(t, err)
	want(t, "order", strings.Join(ran, " "), "first second third")
	want(t, "registered behind the end", left.AfterCommit(func() {}), false)
}

// A part that panics leaves half of its work. Whoever recovers cannot commit it.
func TestRecoveredPart(t *testing.T) {
	pool, s := open(t)
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (n int, err error) {
		func() {
			defer func() { want(t, "recovered", recover() != nil, true) }()
			_, _ = pawl.InTx(ctx, tx, func(ctx cx, tx *pawl.Session) (int, error) {
				_, err := pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
				must(t, err)
				panic("half-way")
			})
		}()
		return 0, nil
	})
	if !errors.Is(err, pawl.ErrRolledBack) {
		t.Errorf("half of a part's work was committed: %v", err)
	}
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items`), 0)
}

// An operation whose transaction block asks for an isolation level has it in an open
// transaction too, or refuses.
func TestOperationOfAStrongerLevel(t *testing.T) {
	pool, s := open(t)
	strict := defaults
	strict.Isolation = pgx.Serializable
	op := insertItem
	op.Transaction = &strict
	insert := func(ctx cx, tx *pawl.Session) (int, error) {
		_, err := pawl.QueryOne(ctx, tx, &op, (*item).dest, 1, 1)
		return 0, err
	}
	var weak *pawl.IsolationError
	if _, err := pawl.InTx(t.Context(), s, insert); !errors.As(err, &weak) || weak.Want != pgx.Serializable || weak.Have != pgx.ReadCommitted {
		t.Errorf("joined at read committed: %v", err)
	}
	tx, err := pool.Begin(t.Context())
	must(t, err)
	if _, err := insert(t.Context(), s.WithTx(tx)); !errors.As(err, &weak) {
		t.Errorf("in a caller's transaction at read committed: %v", err)
	}
	must(t, tx.Rollback(t.Context()))
	_, err = pawl.InTx(t.Context(), s, insert, pawl.Isolation(pgx.Serializable))
	must(t, err)
}

func TestAfterCommit(t *testing.T) {
	_, s := open(t)
	ran := 0
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		want(t, "registered", tx.AfterCommit(func() { ran++ }), true)
		_, err := pawl.Exec(ctx, tx, &flaky, "40001", 2)
		return 0, err
	})
	must(t, err)
	want(t, "runs after a commit", ran, 1)
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		tx.AfterCommit(func() { ran++ })
		return 0, errors.New("stop")
	})
	want(t, "runs after a rollback", ran, 1)
	want(t, "failed", err != nil, true)
	want(t, "registered outside", s.AfterCommit(func() {}), false)
}

// plainDB has nothing but the methods of pawl.DB.
type plainDB struct{ pawl.DB }

func TestDBThatCannotBeginWithOptions(t *testing.T) {
	pool, _ := open(t)
	s := session(plainDB{pool}, pawl.WithIsolation(pgx.RepeatableRead))
	level, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (level string, err error) {
		err = tx.DB().QueryRow(ctx, `SELECT current_setting('transaction_isolation') || current_setting('lock_timeout')`).Scan(&level)
		return level, err
	})
	must(t, err)
	want(t, "level and timeout", level, "repeatable read1s")
	testStatements(t, s)
}

func TestContextCarriesATransaction(t *testing.T) {
	_, s := open(t)
	want(t, "without one", pawl.FromContext(t.Context(), s), s)
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		want(t, "with one", pawl.FromContext(pawl.NewContext(ctx, tx), s), tx)
		return 0, nil
	})
	must(t, err)
	want(t, "attempt outside", pawl.Attempt(t.Context()), 0)
}
