package pawl_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/internal/faultproxy"
	"github.com/pawldb/pawl/pawl"
)

// worker runs Work until stop is called, which waits for it to return.
func worker(t *testing.T, s *pawl.Session, q *pawl.Queue[task], o pawl.WorkOptions, handler func(context.Context, task) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- q.Work(ctx, s, o, handler) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("Work returned %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

func tasksIn(t *testing.T, pool *pgxpool.Pool, state string) int64 {
	t.Helper()
	return number(t, pool, `SELECT count(*) FROM app.tasks WHERE state = $1`, state)
}

// quick is a worker's options for tests.
func quick(concurrency int) pawl.WorkOptions {
	return pawl.WorkOptions{Concurrency: concurrency, Poll: 10 * time.Millisecond}
}

func TestWorkDoesEachTaskOnce(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	enqueue(t, s, 200)
	record := func(ctx context.Context, task task) error {
		_, err := pool.Exec(ctx, `INSERT INTO app.effects VALUES ($1, 'a')`, task.ID)
		return err
	}
	for range 3 {
		worker(t, s, q, quick(10), record)
	}
	eventually(t, "the last completion", func() bool { return tasksIn(t, pool, "done") == 200 })
	want(t, "effects", number(t, pool, `SELECT count(*) FROM app.effects`), 200)
	want(t, "tasks with an effect", number(t, pool, `SELECT count(DISTINCT task) FROM app.effects`), 200)
}

func TestFailuresAndPanicsStayWithTheirTask(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	ids := enqueue(t, s, 6)
	var runs sync.Map
	worker(t, s, q, quick(6), func(ctx context.Context, task task) error {
		n, _ := runs.LoadOrStore(task.ID, new(atomic.Int32))
		first := n.(*atomic.Int32).Add(1) == 1
		switch {
		case task.ID == ids[0] && first:
			return errors.New("no such host")
		case task.ID == ids[1] && first:
			panic("index out of range")
		}
		return nil
	})
	eventually(t, "the last completion", func() bool { return tasksIn(t, pool, "done") == 6 })
	for i, wanted := range []string{"no such host", "the handler panicked: index out of range"} {
		var text string
		must(t, pool.QueryRow(t.Context(), `SELECT error FROM app.tasks WHERE id = $1 AND attempt = 2`, ids[i]).Scan(&text))
		want(t, "error", text, wanted)
	}
	want(t, "tasks tried once", number(t, pool, `SELECT count(*) FROM app.tasks WHERE attempt = 1`), 4)
}

// A worker that dies holds its task until the lease ends; then another does it.
func TestDeadWorkersTaskIsDoneByAnother(t *testing.T) {
	pool, s := open(t)
	q := newQueue(300*time.Millisecond, same)
	enqueue(t, s, 1)
	dead, err := q.Take(t.Context(), s, 1)
	must(t, err)
	worker(t, s, q, quick(2), func(context.Context, task) error { return nil })
	eventually(t, "completion by another worker", func() bool { return tasksIn(t, pool, "done") == 1 })
	if time.Now().Before(dead[0].Deadline()) {
		t.Error("the task was taken before its lease ended")
	}
	want(t, "attempts", number(t, pool, `SELECT attempt FROM app.tasks`), 2)
	if err := q.Complete(t.Context(), s, dead[0].Claim); !errors.Is(err, pawl.ErrClaimLost) {
		t.Errorf("the dead worker's completion: %v", err)
	}
}

func TestHeartbeatKeepsALongTask(t *testing.T) {
	pool, s := open(t)
	q := newQueue(1500*time.Millisecond, same) // long enough for a heartbeat on a busy machine
	enqueue(t, s, 1)
	var runs atomic.Int32
	handler := func(ctx context.Context, _ task) error {
		runs.Add(1)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(4 * time.Second): // more than two leases
			return nil
		}
	}
	for range 2 {
		worker(t, s, q, quick(2), handler)
	}
	eventually(t, "completion", func() bool { return tasksIn(t, pool, "done") == 1 })
	want(t, "runs", runs.Load(), 1)
}

// A result that meets a lock for longer than the lease, as that of a group, is sent
// again as long as heartbeats keep the lease: the task does not run twice.
func TestResultOutlastsALock(t *testing.T) {
	pool, s := open(t, pawl.WithLockTimeout(100*time.Millisecond))
	q := newQueue(1500*time.Millisecond, same)
	q.CompleteOp.Prelude = []pawl.Statement{{SQL: "SELECT pg_advisory_xact_lock(77)", Args: []int{}}}
	held, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	exec := func(sql string) {
		t.Helper()
		if _, err := held.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("SELECT pg_advisory_lock(77)")
	enqueue(t, s, 1)
	var runs atomic.Int32
	worker(t, s, q, quick(2), func(context.Context, task) error { runs.Add(1); return nil })
	time.Sleep(4 * time.Second) // more than two leases
	want(t, "completions behind the lock", tasksIn(t, pool, "done"), 0)
	exec("SELECT pg_advisory_unlock(77)")
	eventually(t, "completion", func() bool { return tasksIn(t, pool, "done") == 1 })
	want(t, "runs", runs.Load(), 1)
}

// Cut off from the database, a handler is told to stop when its lease ends, by
// its own clock: nobody can tell it anything.
func TestHandlerEndsWithItsLease(t *testing.T) {
	proxy, through, direct := proxied(t)
	q := newQueue(500*time.Millisecond, same)
	enqueue(t, session(direct), 1)
	ended := make(chan error, 1)
	var trouble atomic.Int32
	options := quick(1)
	options.OnError = func(error) { trouble.Add(1) }
	stop := worker(t, session(through), q, options, func(ctx context.Context, task task) error {
		proxy.SetRules(func(faultproxy.Frame) faultproxy.Action { return faultproxy.Cut })
		<-ctx.Done()
		if early := time.Until(task.Deadline()); early > 0 {
			t.Errorf("the context ended %s before the lease", early)
		}
		ended <- context.Cause(ctx)
		return nil
	})
	if cause := <-ended; !errors.Is(cause, pawl.ErrClaimLost) {
		t.Errorf("the context ended because of %v", cause)
	}
	proxy.SetRules()
	stop()
	want(t, "tasks completed in a lost claim's name", tasksIn(t, direct, "done"), 0)
	want(t, "reported trouble", trouble.Load() > 0, true)
}

// A claim that somebody else has taken over ends the handler at the next heartbeat.
func TestHandlerEndsWhenItsClaimIsTaken(t *testing.T) {
	pool, s := open(t)
	q := newQueue(10*time.Second, same)
	enqueue(t, s, 1)
	options := quick(1)
	options.Heartbeat = 30 * time.Millisecond
	ended := make(chan error, 1)
	worker(t, s, q, options, func(ctx context.Context, task task) error {
		_, err := pool.Exec(ctx, `UPDATE app.tasks SET fence = fence + 1`)
		must(t, err)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	})
	if cause := <-ended; !errors.Is(cause, pawl.ErrClaimLost) {
		t.Errorf("the context ended because of %v", cause)
	}
}

func TestShutdown(t *testing.T) {
	t.Run("hands tasks back", func(t *testing.T) {
		pool, s := open(t)
		q := newQueue(time.Minute, same)
		enqueue(t, s, 5)
		started := make(chan struct{}, 5)
		stop := worker(t, s, q, quick(2), func(ctx context.Context, _ task) error {
			started <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		<-started
		<-started
		stop()
		want(t, "ready tasks", tasksIn(t, pool, "ready"), 5)
		want(t, "attempts counted", number(t, pool, `SELECT sum(attempt) FROM app.tasks`), 0)
	})
	t.Run("lets tasks finish", func(t *testing.T) {
		pool, s := open(t)
		q := newQueue(time.Minute, same)
		enqueue(t, s, 2)
		started := make(chan struct{}, 2)
		options := quick(2)
		options.Grace = 10 * time.Second
		stop := worker(t, s, q, options, func(ctx context.Context, _ task) error {
			started <- struct{}{}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
				return nil
			}
		})
		<-started
		<-started
		stop()
		want(t, "done tasks", tasksIn(t, pool, "done"), 2)
	})
	// The claim's answer comes after the stop: its tasks must not wait for their
	// lease to end.
	t.Run("during a claim", func(t *testing.T) {
		proxy, through, direct := proxied(t)
		q := newQueue(time.Minute, same)
		enqueue(t, session(direct), 3)
		claiming := make(chan struct{})
		var once sync.Once
		matches := faultproxy.Runs("clock_timestamp() + $2")
		proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action {
			if matches(f) {
				once.Do(func() { close(claiming) })
				return faultproxy.Delay
			}
			return faultproxy.Forward
		})
		stop := worker(t, session(through), q, quick(3), func(context.Context, task) error {
			t.Error("a task was started after the stop")
			return nil
		})
		<-claiming
		stop()
		want(t, "ready tasks", tasksIn(t, direct, "ready"), 3)
		want(t, "attempts counted", number(t, direct, `SELECT sum(attempt) FROM app.tasks`), 0)
	})
}

func TestSettledByTheHandler(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	enqueue(t, s, 3)
	options := quick(3)
	options.Grace = time.Minute // the rows say done before the handler's COMMIT has its answer
	options.OnError = func(err error) { t.Error(err) }
	stop := worker(t, s, q, options, func(ctx context.Context, task task) error {
		_, err := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) {
			exec(t, tx.DB(), `INSERT INTO app.effects VALUES (1, 'a')`)
			return 0, q.Complete(ctx, tx, task.Claim)
		})
		if err != nil {
			return err
		}
		return pawl.ErrSettled
	})
	eventually(t, "completion", func() bool { return tasksIn(t, pool, "done") == 3 })
	stop()
	want(t, "effects", number(t, pool, `SELECT count(*) FROM app.effects`), 3)
}

// A completion whose answer is lost is sent again; the fence makes that harmless.
func TestLostAnswerToACompletion(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			proxy, through, direct := proxied(t)
			q := newQueue(time.Minute, same)
			enqueue(t, session(direct), 1)
			proxy.SetRules(faultproxy.Once(faultproxy.Runs("SET state = 'done'"), f.action))
			options := quick(1)
			options.OnError = func(err error) { t.Error(err) }
			var runs atomic.Int32
			stop := worker(t, session(through), q, options, func(context.Context, task) error { runs.Add(1); return nil })
			eventually(t, "completion", func() bool { return tasksIn(t, direct, "done") == 1 })
			stop()
			want(t, "runs", runs.Load(), 1)
		})
	}
}

// A claim that fails is tried again, with pauses.
func TestWorkSurvivesFailedClaims(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	enqueue(t, s, 1)
	exec(t, pool, `ALTER TABLE app.tasks RENAME TO gone`)
	failed := make(chan struct{}, 1000)
	options := quick(1)
	options.OnError = func(error) { failed <- struct{}{} }
	worker(t, s, q, options, func(context.Context, task) error { return nil })
	<-failed
	exec(t, pool, `ALTER TABLE app.gone RENAME TO tasks`)
	eventually(t, "completion", func() bool { return tasksIn(t, pool, "done") == 1 })
}

func TestWakeStartsAClaim(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	wake := make(chan struct{})
	worker(t, s, q, pawl.WorkOptions{Poll: time.Hour, Wake: wake}, func(context.Context, task) error { return nil })
	enqueue(t, s, 1)
	eventually(t, "completion", func() bool {
		select {
		case wake <- struct{}{}:
		default:
		}
		return tasksIn(t, pool, "done") == 1
	})
}

func TestWorkNeedsAPool(t *testing.T) {
	pool, s := open(t)
	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	nothing := func(context.Context, task) error { return nil }
	if err := newQueue(time.Minute, same).Work(t.Context(), s.WithTx(tx), pawl.WorkOptions{}, nothing); err == nil {
		t.Error("Work ran inside a transaction")
	}
	if err := newQueue(0, same).Work(t.Context(), s, pawl.WorkOptions{}, nothing); err == nil {
		t.Error("Work ran without a lease")
	}
}
