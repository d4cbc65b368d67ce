package pawl_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

// put inserts an item.
func put(ctx cx, tx *pawl.Session, id int) error {
	_, err := pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, id, 1)
	return err
}

// attempted runs fn in a savepoint.
func attempted(ctx cx, tx *pawl.Session, fn func(cx, *pawl.Session) error) error {
	_, err := pawl.Savepoint(ctx, tx, func(ctx cx, tx *pawl.Session) (int, error) { return 0, fn(ctx, tx) })
	return err
}

func TestSavepointUndoesItsOwnWorkAlone(t *testing.T) {
	pool := connect(t, database(t))
	stop := errors.New("stop")
	work := func(ctx cx, tx *pawl.Session) error {
		if err := put(ctx, tx, 1); err != nil {
			return err
		}
		// An error of the server, which without the savepoint spoils the transaction.
		if err := attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
			if err := put(ctx, tx, 2); err != nil {
				return err
			}
			return put(ctx, tx, 1)
		}); !errors.Is(err, errItemsPkey) {
			t.Errorf("a duplicate in a savepoint: %v", err)
		}
		// An error of the caller's, two savepoints deep.
		err := attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
			if err := put(ctx, tx, 3); err != nil {
				return err
			}
			if err := attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
				if err := put(ctx, tx, 4); err != nil {
					return err
				}
				return stop
			}); any(err) != any(stop) {
				t.Errorf("the function's error came back as %v", err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		// A statement that failed although fn says that all is well.
		if err := attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
			_ = put(ctx, tx, 1)
			return nil
		}); !errors.Is(err, pawl.ErrRolledBack) || !errors.Is(err, errItemsPkey) {
			t.Errorf("an error dropped inside a savepoint: %v", err)
		}
		func() {
			defer func() { want(t, "panic", recover(), any("boom")) }()
			_ = attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
				must(t, put(ctx, tx, 5))
				panic("boom")
			})
		}()
		return put(ctx, tx, 6)
	}
	check := func(whose string) {
		t.Helper()
		rows, err := pool.Query(t.Context(), `DELETE FROM app.items RETURNING id`)
		must(t, err)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		must(t, err)
		if slices.Sort(ids); !slices.Equal(ids, []int64{1, 3, 6}) {
			t.Errorf("%s transaction keeps the items %v, want 1, 3 and 6", whose, ids)
		}
	}
	_, err := pawl.InTx(t.Context(), session(pool), func(ctx cx, tx *pawl.Session) (int, error) { return 0, work(ctx, tx) })
	must(t, err)
	check("our")

	tx, err := pool.Begin(t.Context())
	must(t, err)
	must(t, work(t.Context(), session(pool).WithTx(tx)))
	must(t, tx.Commit(t.Context()))
	check("a caller's")

	conn, err := pool.Acquire(t.Context())
	must(t, err)
	defer conn.Release()
	exec(t, conn, `BEGIN`)
	must(t, work(t.Context(), session(conn)))
	exec(t, conn, `COMMIT`)
	check("a connection's")

	if err := attempted(t.Context(), session(pool), put0); !errors.Is(err, pawl.ErrNoTransaction) {
		t.Errorf("outside a transaction: %v", err)
	}
}

func put0(ctx cx, tx *pawl.Session) error { return put(ctx, tx, 0) }

// A hook belongs to the savepoint it was registered in.
func TestAfterCommitBelongsToItsSavepoint(t *testing.T) {
	_, s := open(t)
	var ran []string
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		hook := func(name string) { tx.AfterCommit(func() { ran = append(ran, name) }) }
		hook("before")
		_ = attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
			hook("in one that failed")
			must(t, attempted(ctx, tx, func(cx, *pawl.Session) error { hook("in one inside it that did not"); return nil }))
			return errors.New("stop")
		})
		must(t, attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
			hook("in one that worked")
			_ = attempted(ctx, tx, func(cx, *pawl.Session) error { hook("in one inside it that failed"); return errors.New("stop") })
			return nil
		}))
		hook("after")
		return 0, nil
	})
	must(t, err)
	if !slices.Equal(ran, []string{"before", "in one that worked", "after"}) {
		t.Errorf("hooks that ran: %q", ran)
	}
}

// A savepoint does not clear a serialization failure, whatever becomes of its
// error: the whole runs again.
func TestSavepointDoesNotSwallowARetry(t *testing.T) {
	for name, fn := range map[string]func(cx, *pawl.Session) error{
		"dropped inside": func(ctx cx, tx *pawl.Session) error {
			_, _ = pawl.Exec(ctx, tx, &flaky, "40001", 2)
			return nil
		},
		"replaced inside": func(ctx cx, tx *pawl.Session) error {
			_, _ = pawl.Exec(ctx, tx, &flaky, "40P01", 2)
			return errors.New("it did not work")
		},
		"of a statement of one's own": func(ctx cx, tx *pawl.Session) error {
			_, err := tx.DB().Exec(ctx, `SELECT app.flaky('40001', 2)`)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool, s := open(t)
			runs, hooks := 0, 0
			_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
				runs++
				tx.AfterCommit(func() { hooks++ })
				_ = attempted(ctx, tx, fn)
				return 0, put(ctx, tx, 1) // works, as the savepoint was rolled back
			})
			must(t, err)
			want(t, "runs", runs, 3)
			want(t, "hooks", hooks, 1)
			want(t, "items", number(t, pool, `SELECT count(*) FROM app.items`), 1)
		})
	}
}

// An InTx that joins inside a savepoint and fails spoils the savepoint, not the
// transaction around it.
func TestJoinInsideASavepoint(t *testing.T) {
	pool, s := open(t)
	stop := errors.New("stop")
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
		err := attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
			_, _ = pawl.InTx(ctx, tx, func(ctx cx, tx *pawl.Session) (int, error) {
				must(t, put(ctx, tx, 1))
				return 0, stop
			})
			return nil
		})
		if !errors.Is(err, pawl.ErrRolledBack) || !errors.Is(err, stop) {
			t.Errorf("half of a joined transaction was kept: %v", err)
		}
		return 0, put(ctx, tx, 2)
	})
	must(t, err)
	want(t, "items", number(t, pool, `SELECT sum(id) FROM app.items`), 2)
}

// 100 calls whose context ends in the middle use one connection, and leave it
// usable.
func TestCancelledCallsKeepTheirConnection(t *testing.T) {
	pool := connect(t, database(t), size(1))
	s := session(pool)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 100)`)
	backend := number(t, pool, `SELECT pg_backend_pid()`)
	for name, call := range map[string]func(ctx context.Context, cancel func()) error{
		"one statement": func(ctx context.Context, cancel func()) error {
			cancel()
			_, err := pawl.Guarded(ctx, s, &takeItem, (*item).dest, 1, 1)
			return err
		},
		"edit": func(ctx context.Context, cancel func()) error {
			_, err := pawl.Edit(ctx, s, &repriceItem, (*item).dest, func(_ cx, i *item) error {
				i.Tags = append(i.Tags, "late")
				cancel()
				return nil
			}, 1)
			return err
		},
		"savepoint": func(ctx context.Context, cancel func()) error {
			_, err := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) {
				err := attempted(ctx, tx, func(ctx cx, tx *pawl.Session) error {
					err := put(ctx, tx, 2)
					cancel()
					return err
				})
				want(t, "the transaction works after it", number(t, tx.DB(), `SELECT count(*) FROM app.items`), 1)
				return 0, err
			})
			return err
		},
	} {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			if err := call(ctx, cancel); !errors.Is(err, context.Canceled) || errors.Is(err, pawl.ErrCommitUnknown) {
				t.Fatalf("%s: a cancelled call: %v", name, err)
			}
		}
		want(t, name+": connections in use", pool.Stat().AcquiredConns(), 0)
		want(t, name+": the connection", number(t, pool, `SELECT pg_backend_pid()`), backend)
	}
	want(t, "stock that was never taken", number(t, pool, `SELECT stock FROM app.items WHERE tags = '{}'`), 100)
}
