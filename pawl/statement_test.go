package pawl_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

// TestStatementsInEveryMode runs each function of the package that sends a
// statement, in each of pgx's exec modes, seven times: past the execution at
// which PostgreSQL may turn to a generic plan.
func TestStatementsInEveryMode(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode), setting("plan_cache_mode", "force_generic_plan"))
			outside := session(pool)
			for range 7 {
				testStatements(t, outside)
			}
			_, err := pawl.InTx(t.Context(), outside, func(ctx cx, tx *pawl.Session) (int, error) {
				for range 7 {
					testStatements(t, tx)
				}
				return 0, nil
			})
			must(t, err)
		})
	}
}

func testStatements(t *testing.T, s *pawl.Session) {
	t.Helper()
	for id := range 3 {
		_, err := pawl.QueryOne(t.Context(), s, &insertItem, (*item).dest, id, 5)
		must(t, err)
	}
	n, err := pawl.Copy(t.Context(), s, &copyItems, []item{{ID: 3, Stock: 1}, {ID: 4, Stock: 2}}, func(i *item) []any { return []any{i.ID, i.Stock} })
	must(t, err)
	want(t, "rows copied", n, 2)

	got, err := pawl.QueryOne(t.Context(), s, &getItem, (*item).dest, 4)
	must(t, err)
	want(t, "stock", got.Stock, 2)
	_, err = pawl.QueryOne(t.Context(), s, &getItem, (*item).dest, 99)
	if !errors.Is(err, pawl.ErrNotFound) {
		t.Errorf("getting nothing: %v", err)
	}
	page, err := pawl.QueryAll(t.Context(), s, &listItems, (*item).dest, 1, 2)
	must(t, err)
	if ids := idsOf(page); !slices.Equal(ids, []int64{2, 3}) {
		t.Errorf("page is %v", ids)
	}
	_, err = pawl.Edit(t.Context(), s, &repriceItem, (*item).dest, func(ctx cx, i *item) error {
		note := "checked"
		i.Note, i.Tags = &note, append(i.Tags, "new")
		return i.Price.Scan("12.50")
	}, 2)
	must(t, err)

	n, err = pawl.Exec(t.Context(), s, &pawl.Operation{Name: "table.items.clear", SQL: `DELETE FROM app.items WHERE id >= $1::bigint`}, 0)
	must(t, err)
	want(t, "rows deleted", n, 5)
	_, err = pawl.Exec(t.Context(), s, &deleteItem, 1)
	if !errors.Is(err, pawl.ErrNotFound) {
		t.Errorf("deleting nothing: %v", err)
	}
}

func idsOf(items []item) []int64 {
	var ids []int64
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids
}

func TestRoundTrips(t *testing.T) {
	proxy, through, direct := proxied(t, size(1))
	s := session(through)
	exec(t, direct, `INSERT INTO app.items (id, stock) VALUES (1, 1000)`, `INSERT INTO app.rooms (name) VALUES ('blue')`)
	one := func(err error) error { return err }
	for _, c := range []struct {
		name string
		trip int
		run  func() error
	}{
		{"guarded", 1, func() error {
			_, err := pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, 1)
			return err
		}},
		{"read", 1, func() error {
			_, err := pawl.QueryOne(t.Context(), s, &getItem, (*item).dest, 1)
			return err
		}},
		{"guarded, refused and explained", 2, func() error {
			_, err := pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, 5000)
			if !errors.Is(err, pawl.ErrGuard) {
				return err
			}
			return nil
		}},
		{"transaction of two statements", 4, func() error {
			_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
				if _, err := pawl.Guarded(ctx, tx, &takeItem, (*item).dest, 1, 1); err != nil {
					return 0, err
				}
				_, err := pawl.Guarded(ctx, tx, &takeItem, (*item).dest, 1, 1)
				return 0, err
			})
			return one(err)
		}},
		{"edit", 2, func() error {
			_, err := pawl.Edit(t.Context(), s, &repriceItem, (*item).dest, func(ctx cx, i *item) error {
				i.Tags = append(i.Tags, "x")
				return nil
			}, 1)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			must(t, c.run()) // introduces the statement to the connection
			must(t, c.run()) // and that which sets the timeouts
			proxy.Reset()
			must(t, c.run())
			want(t, "round trips", proxy.RoundTrips(), c.trip)
		})
	}
}

func TestTimeoutsAreSetAndDoNotStay(t *testing.T) {
	pool := connect(t, database(t), size(1), setting("lock_timeout", "123s"))
	s := session(pool, pawl.WithLockTimeout(1500*time.Microsecond), pawl.WithStatementTimeout(pawl.NoTimeout), pawl.WithIdleTimeout(7*time.Second))
	show := pawl.Operation{Name: "show", SQL: `SELECT concat_ws(' ', current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'))`}
	text := func(s *pawl.Session) string {
		got, err := pawl.QueryOne(t.Context(), s, &show, func(s *string) []any { return []any{s} })
		must(t, err)
		return got
	}
	// New to the connection, the statement runs in a transaction that is begun.
	want(t, "timeouts of a first statement", text(s), "2ms 0 7s")
	want(t, "timeouts of a statement", text(s), "2ms 0 0")
	inside, err := pawl.InTx(t.Context(), s, func(_ cx, tx *pawl.Session) (string, error) { return text(tx), nil })
	must(t, err)
	want(t, "timeouts of a transaction", inside, "2ms 0 7s")
	inside, err = pawl.InTx(t.Context(), s, func(_ cx, tx *pawl.Session) (string, error) { return text(tx), nil },
		pawl.LockTimeout(pawl.NoTimeout), pawl.StatementTimeout(time.Minute), pawl.IdleTimeout(time.Hour))
	must(t, err)
	want(t, "timeouts asked for", inside, "0 1min 1h")
	var after string
	must(t, pool.QueryRow(t.Context(), show.SQL).Scan(&after))
	want(t, "timeouts afterwards", after, "123s 0 0")

	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	want(t, "timeouts in a caller's transaction", text(s.WithTx(tx)), "123s 0 0")
}

func TestLockTimeoutIsBusy(t *testing.T) {
	pool, s := open(t, pawl.WithLockTimeout(30*time.Millisecond))
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	holder, err := pool.Begin(t.Context())
	must(t, err)
	defer holder.Rollback(t.Context())
	exec(t, holder, `UPDATE app.items SET stock = 1`)

	_, err = pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, 1)
	if !errors.Is(err, pawl.ErrBusy) {
		t.Errorf("a statement on a locked row: %v", err)
	}
	_, err = pawl.Edit(t.Context(), s, &repriceItem, (*item).dest, func(cx, *item) error { return nil }, 1)
	if !errors.Is(err, pawl.ErrBusy) {
		t.Errorf("an edit of a locked row: %v", err)
	}
	nowait := repriceItem
	nowait.LockSQL += " NOWAIT"
	_, err = pawl.Edit(t.Context(), session(pool, pawl.WithLockTimeout(pawl.NoTimeout)), &nowait, (*item).dest, func(cx, *item) error { return nil }, 1)
	if !errors.Is(err, pawl.ErrBusy) {
		t.Errorf("an edit that does not wait: %v", err)
	}
	// The same code as an SQLSTATE of the policy is tried again.
	patient := session(pool, pawl.WithLockTimeout(30*time.Millisecond), pawl.WithRetry(pawl.Policy{Attempts: 3, Codes: []string{"55P03"}}))
	_, err = pawl.Guarded(t.Context(), patient, &takeItem, (*item).dest, 1, 1)
	var retry *pawl.RetryError
	if !errors.As(err, &retry) || retry.Attempts != 3 || !hasCode(err, "55P03") {
		t.Errorf("a policy that retries busy rows: %v", err)
	}
}

func TestStatementTimeout(t *testing.T) {
	_, s := open(t, pawl.WithStatementTimeout(20*time.Millisecond))
	_, err := pawl.Exec(t.Context(), s, &pawl.Operation{Name: "slow", SQL: `SELECT pg_sleep(5)`})
	if !errors.Is(err, pawl.ErrTimeout) || !hasCode(err, "57014") {
		t.Errorf("a slow statement: %v", err)
	}
}

// hasCode reports whether a server's error with an SQLSTATE is in err.
func hasCode(err error, code string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == code
}

// TestOtherDefaultIsolation: where the role's default is repeatable read, a guard
// would be judged on an old snapshot. The call notices, runs at read committed
// and remembers.
func TestOtherDefaultIsolation(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode), setting("default_transaction_isolation", "repeatable read"))
			exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
			level := pawl.Operation{Name: "level", SQL: `SELECT current_setting('transaction_isolation') WHERE nextval('app.attempts') > $1::bigint`}
			ask := func(s *pawl.Session, above int) string {
				got, err := pawl.QueryOne(t.Context(), s, &level, func(s *string) []any { return []any{s} }, above)
				must(t, err)
				return got
			}
			s := session(pool)
			if mode != pgx.QueryExecModeDescribeExec { // which never sends a batch
				warm(t, pool, level.SQL, 0)
				// A row that came back is an answer: the update was not in conflict.
				want(t, "level of the first batch", ask(s, 0), "repeatable read")
				// Zero rows are none: the call runs again.
				exec(t, pool, `ALTER SEQUENCE app.attempts RESTART`)
				want(t, "level of a first batch without a row", ask(session(pool), 1), "read committed")
			}
			want(t, "level of the next call", ask(s, 0), "read committed")

			warm(t, pool, takeItem.SQL, 99, 1)
			raced := raceForItem(t, pool, session(pool))
			if !errors.Is(raced, pawl.ErrGuard) {
				t.Errorf("taking what somebody else took: %v", raced)
			}
		})
	}
}

// warm runs a statement through the runtime on every connection of the pool that
// is idle, so that the next call sends it in a batch.
func warm(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	for _, conn := range pool.AcquireAllIdle(t.Context()) {
		_, err := pawl.Exec(t.Context(), session(conn), &pawl.Operation{Name: "warm", SQL: sql}, args...)
		if err != nil && !errors.Is(err, pawl.ErrNotFound) {
			t.Fatal(err)
		}
		conn.Release()
	}
}

// raceForItem takes the last item while somebody else's take is not committed
// yet, and commits that while ours waits for it.
func raceForItem(t *testing.T, pool *pgxpool.Pool, s *pawl.Session) error {
	other, err := pool.Begin(t.Context())
	must(t, err)
	exec(t, other, `UPDATE app.items SET stock = 0 WHERE id = 1`)
	result := make(chan error)
	go func() {
		_, err := pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, 1)
		result <- err
	}()
	eventually(t, "waiting for the row", func() bool {
		return number(t, pool, `SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) OR NOT granted AND locktype = 'transactionid'`) > 0
	})
	must(t, other.Commit(t.Context()))
	return <-result
}

// An operation that asks for a stronger level gets it in a transaction of its own.
func TestOperationIsolation(t *testing.T) {
	_, s := open(t)
	op := pawl.Operation{
		Name: "level", SQL: `SELECT current_setting('transaction_isolation')`,
		Transaction: &pawl.Transaction{Isolation: pgx.Serializable},
	}
	got, err := pawl.QueryOne(t.Context(), s, &op, func(s *string) []any { return []any{s} })
	must(t, err)
	want(t, "level", got, "serializable")
}

func TestOneStatementIsRetried(t *testing.T) {
	for _, code := range []string{"40001", "40P01"} {
		pool, s := open(t)
		n, err := pawl.QueryOne(t.Context(), s, &flaky, func(n *int64) []any { return []any{n} }, code, 3)
		must(t, err)
		want(t, "attempt that succeeded", n, 4)
		exec(t, pool, `ALTER SEQUENCE app.attempts RESTART`)
		_, err = pawl.QueryOne(t.Context(), s, &flaky, func(n *int64) []any { return []any{n} }, code, 99)
		var retry *pawl.RetryError
		if !errors.As(err, &retry) || !hasCode(err, code) {
			t.Fatalf("five failures: %v", err)
		}
		want(t, "attempts", retry.Attempts, 5)
		want(t, "statements run", number(t, pool, `SELECT last_value FROM app.attempts`), 5)
	}
}

func TestOtherErrorsAreNotRetried(t *testing.T) {
	pool, s := open(t)
	_, err := pawl.QueryOne(t.Context(), s, &flaky, func(n *int64) []any { return []any{n} }, "22012", 3)
	if !hasCode(err, "22012") {
		t.Errorf("division by zero: %v", err)
	}
	want(t, "statements run", number(t, pool, `SELECT last_value FROM app.attempts`), 1)
}

func TestNeedsTransaction(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	_, err := pawl.QueryOne(t.Context(), s, &lockItem, (*item).dest, 1)
	if !errors.Is(err, pawl.ErrNoTransaction) {
		t.Errorf("a lock outside a transaction: %v", err)
	}
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, tx, &lockItem, (*item).dest, 1)
	})
	must(t, err)
}

func TestPrelude(t *testing.T) {
	for _, mode := range modes {
		pool := connect(t, database(t), inMode(mode))
		op := pawl.Operation{
			Name:    "two statements",
			Prelude: []pawl.Statement{{SQL: `INSERT INTO app.items (id, stock) VALUES ($1::bigint, 1)`, Args: []int{2}}},
			SQL:     `SELECT ` + itemColumns + ` FROM app.items WHERE stock = $1::integer AND id = $2::bigint`,
		}
		for id := range 3 {
			_, err := pawl.QueryOne(t.Context(), session(pool), &op, (*item).dest, 1, id)
			must(t, err)
		}
		_, err := pawl.InTx(t.Context(), session(pool), func(ctx cx, tx *pawl.Session) (item, error) {
			return pawl.QueryOne(ctx, tx, &op, (*item).dest, 1, 3)
		})
		must(t, err)
		_, err = pawl.QueryOne(t.Context(), session(pool), &op, (*item).dest, 1, 3)
		if !errors.Is(err, pawl.ErrDuplicate) {
			t.Errorf("%v: an error of the prelude: %v", mode, err)
		}
	}
}

// A deferred constraint speaks only when the batch commits itself.
func TestDeferredConstraintOfAStatement(t *testing.T) {
	for _, mode := range modes {
		pool := connect(t, database(t), inMode(mode))
		op := pawl.Operation{Name: "table.deferred.insert", SQL: `INSERT INTO app.deferred VALUES ($1::integer)`}
		_, err := pawl.Exec(t.Context(), session(pool), &op, 1)
		must(t, err)
		_, err = pawl.Exec(t.Context(), session(pool), &op, 1)
		if !errors.Is(err, errDeferredN) {
			t.Errorf("%v: a deferred duplicate: %v", mode, err)
		}
		want(t, "rows", number(t, pool, `SELECT count(*) FROM app.deferred`), 1)
	}
}

func TestRowThatDoesNotFit(t *testing.T) {
	_, s := open(t)
	for _, dest := range []func(*int64) []any{
		func(n *int64) []any { return []any{n} },
		func(n *int64) []any { return []any{n, n} },
	} {
		op := pawl.Operation{Name: "misread", SQL: `SELECT 'text'::text`, ReadOnly: true}
		_, err := pawl.QueryOne(t.Context(), s, &op, dest)
		if !errors.Is(err, pawl.ErrUnreadable) || errors.Is(err, pawl.ErrCommitUnknown) || !strings.Contains(err.Error(), "generate again") {
			t.Errorf("a column of another type: %v", err)
		}
	}
}

// A connection on which somebody sent BEGIN is that somebody's transaction.
func TestRawTransactionOfAConnection(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), database(t))
	must(t, err)
	defer conn.Close(t.Context())
	s := session(conn)
	want(t, "in a transaction before", s.InTransaction(), false)
	exec(t, conn, `BEGIN`)
	want(t, "in a transaction after BEGIN", s.InTransaction(), true)
	_, err = pawl.QueryOne(t.Context(), s, &insertItem, (*item).dest, 1, 1)
	must(t, err)
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 2, 1)
	})
	must(t, err)
	exec(t, conn, `ROLLBACK`)
	want(t, "rows after ROLLBACK", number(t, conn, `SELECT count(*) FROM app.items`), 0)
}

// Everything works on each kind of DB, and on what wraps one.
func TestEveryKindOfDB(t *testing.T) {
	pool := connect(t, database(t))
	pooled, err := pool.Acquire(t.Context())
	must(t, err)
	defer pooled.Release()
	conn, err := pgx.ConnectConfig(t.Context(), pool.Config().ConnConfig)
	must(t, err)
	defer func() { must(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer func() { must(t, tx.Rollback(context.WithoutCancel(t.Context()))) }()
	// The transaction comes last: its rows stand in the way of the others.
	for _, kind := range []struct {
		name string
		db   pawl.DB
	}{
		{"pool", pool}, {"connection of a pool", pooled}, {"connection", conn}, {"what wraps a pool", plainDB{pool}}, {"transaction", tx},
	} {
		t.Run(kind.name, func(t *testing.T) {
			s := session(kind.db)
			testStatements(t, s)
			_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
				testStatements(t, tx)
				return 0, nil
			})
			must(t, err)
			exec(t, kind.db, `DELETE FROM app.items`)
		})
	}
}
