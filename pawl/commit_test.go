package pawl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/internal/faultproxy"
	"github.com/pawldb/pawl/pawl"
)

// faults are the two ways to lose a commit, and whether its work is done.
var faults = []struct {
	name   string
	action faultproxy.Action
	done   bool
}{
	{"cut before the server sees it", faultproxy.Cut, false},
	{"reply swallowed after the server did it", faultproxy.SwallowReply, true},
}

// checkUnknown fails the test unless err says that the outcome is not known and
// the database shows what really happened, once.
func checkUnknown(t *testing.T, err error, direct *pgxpool.Pool, done bool) {
	t.Helper()
	var unknown *pawl.CommitUnknownError
	if !errors.As(err, &unknown) || !errors.Is(err, pawl.ErrCommitUnknown) {
		t.Errorf("a lost commit: %v", err)
	}
	if pgconn.SafeToRetry(err) {
		t.Errorf("pgconn.SafeToRetry(%v) is true", err)
	}
	rows := int64(0)
	if done {
		rows = 1
	}
	want(t, "rows", number(t, direct, `SELECT count(*) FROM app.items`), rows)
}

func TestLostCommitOfATransaction(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			proxy, through, direct := proxied(t)
			proxy.SetRules(faultproxy.Once(faultproxy.Commit, f.action))
			runs := 0
			result, err := pawl.InTx(t.Context(), session(through), func(ctx cx, tx *pawl.Session) (int, error) {
				runs++
				_, err := pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, runs, 1)
				return runs, err
			})
			checkUnknown(t, err, direct, f.done)
			want(t, "runs of the function", runs, 1)
			want(t, "result", result, 0)
		})
	}
}

func TestLostCommitOfOneStatement(t *testing.T) {
	for _, mode := range modes {
		for _, f := range faults {
			t.Run(mode.String()+"/"+f.name, func(t *testing.T) {
				proxy, through, direct := proxied(t, inMode(mode), size(1))
				s := session(through)
				// Once in a transaction that is begun, as it is new to the connection …
				proxy.SetRules(faultproxy.On(faultproxy.Commit, f.action))
				_, err := pawl.QueryOne(t.Context(), s, &insertItem, (*item).dest, 1, 1)
				if mode == pgx.QueryExecModeSimpleProtocol || mode == pgx.QueryExecModeExec {
					must(t, err) // which is always a batch here
				} else {
					checkUnknown(t, err, direct, f.done)
				}
				// … and once in a batch, whose Sync is its commit.
				proxy.SetRules()
				exec(t, direct, `DELETE FROM app.items`)
				_, err = pawl.QueryOne(t.Context(), s, &insertItem, (*item).dest, 2, 1)
				must(t, err)
				exec(t, direct, `DELETE FROM app.items`)
				last := faultproxy.Runs(insertItem.Name)
				if mode == pgx.QueryExecModeDescribeExec {
					last = faultproxy.Commit // which never is one
				}
				proxy.SetRules(faultproxy.On(last, f.action))
				_, err = pawl.QueryOne(t.Context(), s, &insertItem, (*item).dest, 3, 1)
				checkUnknown(t, err, direct, f.done)
			})
		}
	}
}

func TestLostCommitOfAnEdit(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			proxy, through, direct := proxied(t)
			exec(t, direct, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
			proxy.SetRules(faultproxy.Once(faultproxy.Executes("commit"), f.action))
			runs := 0
			_, err := pawl.Edit(t.Context(), session(through), &repriceItem, (*item).dest, func(ctx cx, i *item) error {
				runs++
				i.Tags = append(i.Tags, "edited")
				return nil
			}, 1)
			checkUnknown(t, err, direct, true)
			want(t, "runs of the function", runs, 1)
			edited := number(t, direct, `SELECT count(*) FROM app.items WHERE tags = '{edited}'`) == 1
			want(t, "edited", edited, f.done)
		})
	}
}

// What is lost before a commit was sent is not unknown.
func TestConnectionLostBeforeTheCommit(t *testing.T) {
	proxy, through, direct := proxied(t, size(1))
	s := session(through)
	proxy.SetRules(faultproxy.Once(faultproxy.Runs(insertItem.Name), faultproxy.Cut))
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
	})
	if err == nil || errors.Is(err, pawl.ErrCommitUnknown) {
		t.Errorf("a connection lost at the first statement: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, run := range map[string]func() error{
		"statement": func() error {
			_, err := pawl.QueryOne(cancelled, s, &insertItem, (*item).dest, 1, 1)
			return err
		},
		"transaction": func() error {
			_, err := pawl.InTx(cancelled, s, func(ctx cx, tx *pawl.Session) (int, error) { return 0, nil })
			return err
		},
	} {
		if err := run(); !errors.Is(err, context.Canceled) || errors.Is(err, pawl.ErrCommitUnknown) {
			t.Errorf("%s on a context that is over: %v", name, err)
		}
	}
	// Waiting for a connection until the context ends sends nothing either.
	busy, err := through.Acquire(t.Context())
	must(t, err)
	defer busy.Release()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = pawl.QueryOne(short, s, &insertItem, (*item).dest, 1, 1)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, pawl.ErrCommitUnknown) {
		t.Errorf("a pool without a free connection: %v", err)
	}
	want(t, "rows", number(t, direct, `SELECT count(*) FROM app.items`), 0)
}

// A context that ends while the server works on a batch leaves its outcome open.
func TestContextEndsDuringOneStatement(t *testing.T) {
	pool, s := open(t)
	slow := pawl.Operation{Name: "slow", SQL: `SELECT pg_sleep(10) FROM app.items`}
	_, err := pawl.Exec(t.Context(), s, &slow) // connects and prepares
	if !errors.Is(err, pawl.ErrNotFound) {
		t.Fatal(err)
	}
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err = pawl.Exec(short, s, &slow)
	if !errors.Is(err, pawl.ErrCommitUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends in mid-statement: %v", err)
	}
}

// A session ended by the administrator may have committed before.
func TestTerminatedDuringOneStatement(t *testing.T) {
	pool, s := open(t)
	suicide := pawl.Operation{Name: "suicide", SQL: `SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5) FROM app.items`}
	_, err := pawl.Exec(t.Context(), s, &suicide)
	if !errors.Is(err, pawl.ErrNotFound) {
		t.Fatal(err)
	}
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	_, err = pawl.Exec(t.Context(), s, &suicide)
	if !errors.Is(err, pawl.ErrCommitUnknown) || !hasCode(err, "57P01") {
		t.Errorf("a terminated session: %v", err)
	}
}

func TestResolveCommit(t *testing.T) {
	insert := func(ctx cx, tx *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
	}
	raw := func(ctx cx, tx *pawl.Session) (item, error) {
		_, err := tx.DB().Exec(ctx, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
		return item{ID: 1}, err
	}
	for name, fn := range map[string]func(cx, *pawl.Session) (item, error){"our statement": insert, "a statement of one's own": raw} {
		for _, f := range faults {
			t.Run(name+"/"+f.name, func(t *testing.T) {
				proxy, through, direct := proxied(t)
				proxy.SetRules(faultproxy.Once(faultproxy.Commit, f.action))
				runs := 0
				row, err := pawl.InTx(t.Context(), session(through, pawl.WithResolveCommit(nil)), func(ctx cx, tx *pawl.Session) (item, error) {
					runs++
					return fn(ctx, tx)
				})
				want(t, "runs of the function", runs, 1)
				if f.done {
					must(t, err)
					want(t, "row", row.ID, 1)
				} else if !errors.Is(err, pawl.ErrRolledBack) || errors.Is(err, pawl.ErrCommitUnknown) {
					t.Errorf("a commit that never arrived: %v", err)
				}
				want(t, "done", number(t, direct, `SELECT count(*) FROM app.items`) == 1, f.done)
			})
		}
	}
	t.Run("nobody to ask", func(t *testing.T) {
		proxy, through, direct := proxied(t)
		gone := connect(t, "postgres://nobody@127.0.0.1:1/none")
		proxy.SetRules(faultproxy.Once(faultproxy.Commit, faultproxy.SwallowReply))
		_, err := pawl.InTx(t.Context(), session(through, pawl.WithResolveCommit(gone)), insert)
		checkUnknown(t, err, direct, true)
		var unknown *pawl.CommitUnknownError
		if errors.As(err, &unknown) && unknown.XID == "" {
			t.Error("the error does not carry the transaction's id")
		}
	})
	t.Run("the id costs no round trip", func(t *testing.T) {
		proxy, through, _ := proxied(t)
		s := session(through, pawl.WithResolveCommit(nil))
		for id := range 2 {
			proxy.Reset()
			_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (item, error) {
				return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, id, 1)
			})
			must(t, err)
		}
		want(t, "round trips", proxy.RoundTrips(), 3)
	})
}

// laterResolver asks for another transaction first, one that goes on.
type laterResolver struct {
	pawl.DB
	open string // its id
	left int
}

func (r *laterResolver) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if r.left--; r.left >= 0 {
		args[len(args)-1] = r.open
	}
	return r.DB.QueryRow(ctx, sql, args...)
}

// A server that has not noticed yet that its client is gone says "in progress",
// which is no answer.
func TestResolveCommitAsksAgainWhileInProgress(t *testing.T) {
	proxy, through, direct := proxied(t)
	open, err := direct.Begin(t.Context())
	must(t, err)
	defer func() { must(t, open.Rollback(t.Context())) }()
	later := &laterResolver{DB: direct, left: 2}
	must(t, open.QueryRow(t.Context(), `SELECT pg_current_xact_id()::text`).Scan(&later.open))
	proxy.SetRules(faultproxy.Once(faultproxy.Commit, faultproxy.SwallowReply))
	_, err = pawl.InTx(t.Context(), session(through, pawl.WithResolveCommit(later)), func(ctx cx, tx *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, tx, &insertItem, (*item).dest, 1, 1)
	})
	must(t, err)
	want(t, "questions beyond the two in progress", later.left < 0, true)
}
