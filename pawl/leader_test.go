package pawl_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

// scheduler leads by a lease, and consumer by a lock of its session.
var (
	scheduler = leader("scheduler", false)
	consumer  = leader("consumer", true)
)

// leader is a leader in the form that the compiler gives it.
func leader(name string, session bool) pawl.Leader {
	address := "singleton." + name
	op := func(name, sql string) pawl.Operation {
		name = address + "." + name
		return pawl.Operation{Name: name, Table: "app.pawl_leader", SQL: "/* " + name + " */ " + sql}
	}
	free, until := " AND lease_until <= clock_timestamp()", "clock_timestamp() + $2::bigint * interval '1 microsecond'"
	if session {
		free, until = "", "'infinity'"
	}
	l := pawl.Leader{
		Name: address,
		CampaignOp: op("campaign", "WITH free AS MATERIALIZED (SELECT name FROM app.pawl_leader WHERE name = '"+address+"'"+free+" FOR UPDATE) "+
			"UPDATE app.pawl_leader AS l SET term = l.term + 1, lease_until = "+until+", holder = $1::text, since = clock_timestamp() "+
			"FROM free WHERE l.name = free.name RETURNING l.term"),
		ResignOp: op("resign", "UPDATE app.pawl_leader SET lease_until = '-infinity', holder = NULL WHERE name = '"+address+"' AND term = $1::bigint"),
		GuardOp:  op("guard", "SELECT term FROM app.pawl_leader WHERE name = '"+address+"' AND term = $1::bigint FOR KEY SHARE"),
		Lease:    300 * time.Millisecond,
	}
	l.CampaignOp.Prelude = []pawl.Statement{{
		SQL: "/* " + address + ".campaign */ INSERT INTO app.pawl_leader (name) VALUES ('" + address + "') ON CONFLICT (name) DO NOTHING", Args: []int{},
	}}
	l.GuardOp.NeedsTransaction = true
	if session {
		l.LockSQL = "SELECT pg_try_advisory_lock(4201, 2)"
		l.HeldSQL = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted AND classid = 4201 AND objid = 2)"
	} else {
		l.RenewOp = op("renew", "UPDATE app.pawl_leader SET lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond' WHERE name = '"+address+"' AND term = $1::bigint")
	}
	return l
}

// quiet keeps what a test provokes out of its output.
func quiet() pawl.LeadOption { return pawl.LeadErrors(func(error) {}) }

func eachLeader(t *testing.T, test func(*testing.T, pawl.Leader)) {
	for _, l := range []pawl.Leader{scheduler, consumer} {
		t.Run(strings.TrimPrefix(l.Name, "singleton."), func(t *testing.T) { test(t, l) })
	}
}

func TestLeadReturnsWhatItsWorkReturns(t *testing.T) {
	eachLeader(t, func(t *testing.T, l pawl.Leader) {
		pool, s := open(t)
		stop := errors.New("stop")
		err := pawl.Lead(t.Context(), s, &l, func(_ cx, term pawl.Term) error {
			want(t, "term", term.Number(), int64(1))
			want(t, "holder", text(t, pool, "SELECT holder FROM app.pawl_leader"), "me")
			return stop
		}, pawl.LeadAs("me"))
		want(t, "error", err, stop)
		// It has resigned: the next one need not wait for the lease.
		l.Lease = time.Hour
		must(t, pawl.Lead(t.Context(), s, &l, func(_ cx, term pawl.Term) error {
			want(t, "term", term.Number(), int64(2))
			return nil
		}))
		must(t, pawl.Lead(t.Context(), s, &l, func(cx, pawl.Term) error { return nil }))
		want(t, "term", number(t, pool, "SELECT term FROM app.pawl_leader"), int64(3))
	})
}

func TestLeadResignsWhenItsWorkPanics(t *testing.T) {
	eachLeader(t, func(t *testing.T, l pawl.Leader) {
		_, s := open(t)
		l.Lease = time.Hour
		func() {
			defer func() { want(t, "panic", fmt.Sprint(recover()), "oh") }()
			_ = pawl.Lead(t.Context(), s, &l, func(cx, pawl.Term) error { panic("oh") })
		}()
		must(t, pawl.Lead(t.Context(), s, &l, func(cx, pawl.Term) error { return nil }))
	})
}

func TestLeadEndsWithItsContext(t *testing.T) {
	eachLeader(t, func(t *testing.T, l pawl.Leader) {
		_, s := open(t)
		l.Lease = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		leads := make(chan struct{})
		first := make(chan error)
		go func() {
			first <- pawl.Lead(ctx, s, &l, func(ctx cx, _ pawl.Term) error {
				close(leads)
				<-ctx.Done()
				return nil
			})
		}()
		<-leads
		waiting, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		err := pawl.Lead(waiting, s, &l, func(cx, pawl.Term) error {
			t.Error("two lead")
			return nil
		}, pawl.LeadPoll(5*time.Millisecond))
		want(t, "the candidate", err, context.DeadlineExceeded)
		cancel()
		must(t, <-first)
	})
}

func TestLeadInsideATransactionIsRefused(t *testing.T) {
	pool, s := open(t)
	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	if err := pawl.Lead(t.Context(), s.WithTx(tx), &scheduler, nil); err == nil || !strings.Contains(err.Error(), "needs a pool") {
		t.Errorf("got %v", err)
	}
}

// In every mode of pgx a term outlives its lease, seven renewals long, so that none of
// the plans stays new.
func TestLeaderRenewsInEveryMode(t *testing.T) {
	url := database(t)
	for _, mode := range modes {
		pool := connect(t, url, inMode(mode), size(2))
		l := scheduler
		l.Lease = 60 * time.Millisecond
		renewed := func() int64 {
			return number(t, pool, "SELECT (extract(epoch FROM lease_until - since) * 1000)::bigint FROM app.pawl_leader")
		}
		must(t, pawl.Lead(t.Context(), session(pool), &l, func(ctx cx, term pawl.Term) error {
			for ctx.Err() == nil && renewed() < 60+7*20 {
				time.Sleep(time.Millisecond)
			}
			return nil
		}, quiet()))
	}
}

// A leader that cannot renew is told, and its context ends before the next one
// begins.
func TestTermEndsWhenItIsNotRenewed(t *testing.T) {
	_, s := open(t)
	mute := scheduler
	mute.Lease = time.Second
	mute.RenewOp.SQL = "SELECT 1 / 0 FROM app.pawl_leader WHERE term = $1::bigint + $2::bigint * 0"
	failed, causes := make(chan error, 100), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- pawl.Lead(ctx, s, &mute, func(work cx, _ pawl.Term) error {
			<-work.Done()
			causes <- context.Cause(work)
			<-ctx.Done() // it does not listen
			return nil
		}, pawl.LeadErrors(func(err error) { failed <- err }))
	}()
	if err := <-failed; !strings.Contains(err.Error(), "division by zero") {
		t.Errorf("the failed renewal is told as %v", err)
	}
	must(t, pawl.Lead(t.Context(), s, &scheduler, func(_ cx, next pawl.Term) error {
		want(t, "term", next.Number(), int64(2))
		select {
		case cause := <-causes:
			want(t, "lost", errors.Is(cause, pawl.ErrTermLost), true)
		default:
			t.Error("the next term has begun, and the last leader has not been told")
		}
		return nil
	}, pawl.LeadPoll(5*time.Millisecond)))
	cancel()
	want(t, "error", <-done, context.Canceled)
}

func TestGuardRefusesATermThatIsOver(t *testing.T) {
	eachLeader(t, func(t *testing.T, l pawl.Leader) {
		pool, s := open(t)
		l.Lease = time.Minute
		must(t, pawl.Lead(t.Context(), s, &l, func(ctx cx, term pawl.Term) error {
			guarded := func() error {
				_, err := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) { return 0, term.Guard(ctx, tx) })
				return err
			}
			must(t, guarded())
			want(t, "outside a transaction", errors.Is(term.Guard(ctx, s), pawl.ErrNoTransaction), true)
			exec(t, pool, "UPDATE app.pawl_leader SET term = term + 1")
			err := guarded()
			want(t, "lost", errors.Is(err, pawl.ErrTermLost), true)
			return nil
		}))
	})
}

// A takeover waits for the guarded transactions of the term before, and the
// leader's own renewals do not.
func TestTakeoverWaitsForGuardedTransactions(t *testing.T) {
	behind := func(t *testing.T, l pawl.Leader) (renewed bool, err error) {
		pool, s := open(t, pawl.WithLockTimeout(100*time.Millisecond))
		must(t, pawl.Lead(t.Context(), s, &l, func(ctx cx, term pawl.Term) error {
			_, txErr := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) {
				must(t, term.Guard(ctx, tx))
				_, renewErr := pawl.Exec(ctx, s, &l.RenewOp, term.Number(), int64(1))
				renewed = renewErr == nil
				exec(t, pool, "SELECT pg_sleep(0.001)") // the lease of a microsecond is over
				_, err = pawl.QueryOne(ctx, s, &l.CampaignOp, func(n *int64) []any { return []any{n} }, "other", int64(1000000))
				return 0, nil
			})
			return txErr
		}, quiet()))
		return renewed, err
	}
	long := scheduler
	long.Lease = time.Minute
	renewed, err := behind(t, long)
	want(t, "renewed", renewed, true)
	want(t, "the takeover waits", errors.Is(err, pawl.ErrBusy), true)
	open := long
	open.GuardOp.SQL = strings.ReplaceAll(open.GuardOp.SQL, " FOR KEY SHARE", "")
	if _, err := behind(t, open); err != nil {
		t.Errorf("without FOR KEY SHARE: %v: the test proves nothing", err)
	}
	strong := long
	strong.GuardOp.SQL = strings.ReplaceAll(strong.GuardOp.SQL, "FOR KEY SHARE", "FOR SHARE")
	if renewed, _ := behind(t, strong); renewed {
		t.Error("FOR SHARE lets the leader renew: the test proves nothing")
	}
}

// A session that ends takes the term with it.
func TestSessionThatEndsLosesTheTerm(t *testing.T) {
	pool, s := open(t)
	l := consumer
	terms := 0
	must(t, pawl.Lead(t.Context(), s, &l, func(ctx cx, term pawl.Term) error {
		terms++
		if terms == 2 {
			want(t, "term", term.Number(), int64(2))
			return nil
		}
		exec(t, pool, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 4201 AND objid = 2")
		<-ctx.Done()
		want(t, "cause", errors.Is(context.Cause(ctx), pawl.ErrTermLost), true)
		return ctx.Err()
	}, quiet(), pawl.LeadPoll(5*time.Millisecond)))
	want(t, "locks left", number(t, pool, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), int64(0))
}

// Leaders that are cut off, stop without a word or go on after their term: no
// guarded transaction of a term is committed after one of a later term.
func TestTermsFollowEachOther(t *testing.T) {
	const takeovers = 60
	run := func(t *testing.T, l pawl.Leader) (disorder int64) {
		pool, s := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				_ = pawl.Lead(ctx, s, &l, func(_ cx, term pawl.Term) error { return reporting(ctx, s, term, takeovers, cancel) }, quiet(), pawl.LeadPoll(2*time.Millisecond))
			})
		}
		all.Wait()
		if n := number(t, pool, "SELECT count(DISTINCT term) FROM app.reports"); n < 5 {
			t.Errorf("only %d terms reported", n)
		}
		return number(t, pool, "SELECT count(*) FROM (SELECT term < max(term) OVER (ORDER BY seq) AS late FROM app.reports) r WHERE late")
	}
	fast := scheduler
	fast.Lease = 20 * time.Millisecond
	want(t, "reports out of order", run(t, fast), int64(0))
	open := fast
	open.GuardOp.SQL = "SELECT $1::bigint"
	if run(t, open) == 0 {
		t.Error("without the guard no report is late: the test proves nothing")
	}
}

// reporting is a leader that does not look at the end of its term: it writes
// guarded reports until one is refused. Now and then it is slow between the guard
// and the report.
func reporting(ctx context.Context, s *pawl.Session, term pawl.Term, enough int64, stop func()) error {
	if term.Number() > enough {
		stop()
		return nil
	}
	for n := range 4 {
		_, err := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) {
			if err := term.Guard(ctx, tx); err != nil {
				return 0, err
			}
			if n == 3 {
				time.Sleep(rand.N(40 * time.Millisecond))
			}
			_, err := tx.DB().Exec(ctx, "INSERT INTO app.reports (term) VALUES ($1)", term.Number())
			return 0, err
		})
		if err != nil {
			return err
		}
		if n == 2 {
			time.Sleep(rand.N(30 * time.Millisecond))
		}
	}
	return nil
}

// text returns the answer to a query for one text.
func text(t testing.TB, db pawl.DB, sql string, args ...any) (s string) {
	t.Helper()
	rows, err := db.Query(context.Background(), sql, args...)
	must(t, err)
	s, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	must(t, err)
	return s
}
