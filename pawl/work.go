package pawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// WorkOptions say how Work runs. The zero value is usable.
type WorkOptions struct {
	// Concurrency is how many tasks run at once; 10 when zero.
	Concurrency int
	// Batch is how many tasks one claim asks for at most; Concurrency when zero.
	// Never more are claimed than can start at once.
	Batch int
	// Poll is how long to wait, on average, before looking again after a claim that
	// was not full; one second when zero. Each wait is random between half and one
	// and a half of it, so that processes do not ask in step.
	Poll time.Duration
	// Heartbeat is how often leases of running tasks are renewed; a third of the
	// lease when zero.
	Heartbeat time.Duration
	// Grace is how long running tasks may go on after the context of Work has
	// ended, before their own contexts end too; none when zero.
	Grace time.Duration
	// Wake starts a claim at once when it receives, for instance from LISTEN.
	Wake <-chan struct{}
	// OnError is told what goes wrong beside the handlers' own errors: claims and
	// heartbeats that fail, claims that are lost, tasks that cannot be read
	// (*UnreadableTasksError). The errors hold ids and names, no data of tasks. It
	// must be safe for concurrent use; nil logs to slog.Default at level Warn.
	OnError func(err error)
}

func (o WorkOptions) withDefaults(queue string, lease time.Duration) WorkOptions {
	if o.Concurrency <= 0 {
		o.Concurrency = 10
	}
	if o.Batch <= 0 || o.Batch > o.Concurrency {
		o.Batch = o.Concurrency
	}
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	if o.Heartbeat <= 0 || o.Heartbeat > lease/2 {
		o.Heartbeat = lease / 3
	}
	if o.OnError == nil {
		o.OnError = func(err error) {
			slog.Default().Warn("a worker met a problem", "queue", queue, "error", err)
		}
	}
	return o
}

// ErrSettled is what a handler of Work returns when it has told the queue itself
// how its task ended, for instance with Complete inside its own transaction.
var ErrSettled = errors.New("the task was settled by its handler")

// errShutdown is the cause of a handler's context when Work was asked to stop.
var errShutdown = errors.New("the worker is shutting down")

// Work claims tasks and runs handler on each until ctx ends, and then returns
// ctx's error once every handler has returned.
//
// A handler that returns nil completes its task; completions travel together in
// one statement. One that returns an error or panics fails its own task and no
// other. A task whose columns do not fit their Go types fails alone, too, before
// a handler sees it.
//
// A handler's context ends, with cause ErrClaimLost, when the lease does: by the
// monotonic clock, from before the claim was sent, unless a heartbeat renewed
// it. From then on somebody else may run the task, and what this handler still
// reports is refused by the fence. The context also ends some time after ctx
// does, see WorkOptions.Grace; a task whose handler then returns an error is
// handed back without counting the attempt.
//
// Delivery is at least once: a handler that finished just as its process or its
// lease ended runs again elsewhere. For an effect in the same database, complete
// the task in the transaction of the effect, with Complete on that transaction's
// session, and return ErrSettled.
func (q *Queue[T]) Work(ctx context.Context, s *Session, options WorkOptions, handler func(ctx context.Context, task T) error) error {
	if s.InTransaction() {
		return &callError{q.Name, errors.New("Work needs a pool; inside a transaction its claims would be invisible to others and its lease worthless")}
	}
	if q.Lease <= 0 {
		return &callError{q.Name, fmt.Errorf("the lease is %s; it must be positive", q.Lease)}
	}
	options = options.withDefaults(q.Name, q.Lease)
	w := &worker[T]{
		queue: q, session: s, handler: handler, options: options,
		slots:   make(chan struct{}, options.Concurrency),
		done:    make(chan settlement),
		running: make(map[*run[T]]struct{}),
	}
	return w.work(ctx)
}

// worker is one call of Work.
type worker[T any] struct {
	queue   *Queue[T]
	session *Session
	handler func(context.Context, T) error
	options WorkOptions
	slots   chan struct{}   // holds a token for each running task
	done    chan settlement // finished tasks, to be completed together

	mu      sync.Mutex
	running map[*run[T]]struct{}
	ending  bool // the grace period is over
}

// run is one task on its way.
type run[T any] struct {
	task    T
	claim   Claim // heartbeats move its deadline, under the worker's mutex
	cancel  context.CancelCauseFunc
	expires *time.Timer // ends the handler's context at the deadline
}

// work runs the claim loop, the heartbeats and the completions, and ends them in
// an order that loses nothing: claims first, then handlers, then completions.
func (w *worker[T]) work(ctx context.Context) error {
	// What is on its way when ctx ends is still brought to the database.
	base := context.WithoutCancel(ctx)
	var handlers, helpers sync.WaitGroup
	stopHelpers := make(chan struct{})
	helpers.Go(func() { w.beat(base, stopHelpers) })
	completions := make(chan struct{})
	go func() { defer close(completions); w.complete(base) }()

	stopGrace := context.AfterFunc(ctx, func() { w.endAfterGrace(stopHelpers) })
	w.claims(ctx, base, &handlers)
	handlers.Wait()
	stopGrace()
	close(stopHelpers)
	helpers.Wait()
	close(w.done)
	<-completions
	return ctx.Err()
}

// endAfterGrace ends the contexts of the handlers that still run when the grace
// period is over.
func (w *worker[T]) endAfterGrace(finished <-chan struct{}) {
	select {
	case <-time.After(w.options.Grace):
	case <-finished:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ending = true
	for r := range w.running {
		r.cancel(errShutdown)
	}
}

// claims is the claim loop: it ends with ctx.
func (w *worker[T]) claims(ctx, base context.Context, handlers *sync.WaitGroup) {
	failures := 0
	for {
		free := w.reserve(ctx)
		if free == 0 {
			return
		}
		tasks, err := w.claim(base, free)
		if err != nil {
			w.options.OnError(err)
		}
		got := len(tasks)
		var unreadable *UnreadableTasksError
		if errors.As(err, &unreadable) {
			// The claim itself worked, and these tasks are dealt with.
			got, err = got+len(unreadable.IDs), nil
		}
		w.give(free - len(tasks))
		if ctx.Err() != nil {
			w.handBack(base, tasks)
			return
		}
		for _, task := range tasks {
			w.begin(base, task, handlers)
		}
		switch {
		case err != nil:
			failures++
			pause(ctx, claimBackoff(w.options.Poll, failures), w.options.Wake)
		case got < free:
			failures = 0
			pause(ctx, jitter(w.options.Poll), w.options.Wake)
		default:
			// The claim was full, so there may be more: ask again at once.
			failures = 0
		}
	}
}

// reserve waits for a free slot, then takes as many as are free, up to a batch.
// It returns 0 when ctx has ended.
func (w *worker[T]) reserve(ctx context.Context) int {
	select {
	case <-ctx.Done():
		return 0
	case w.slots <- struct{}{}:
	}
	taken := 1
	for taken < w.options.Batch && w.tryReserve() {
		taken++
	}
	if ctx.Err() != nil {
		w.give(taken)
		return 0
	}
	return taken
}

func (w *worker[T]) tryReserve() bool {
	select {
	case w.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (w *worker[T]) give(n int) {
	for range n {
		<-w.slots
	}
}

// claim asks for tasks on a context that the end of Work does not cut short: an
// answer that nobody reads would leave its tasks claimed for a whole lease.
func (w *worker[T]) claim(base context.Context, limit int) ([]T, error) {
	ctx, cancel := context.WithTimeout(base, w.queue.Lease/2)
	defer cancel()
	return w.queue.Take(ctx, w.session, limit)
}

// handBack returns tasks that were claimed and never started, and their slots.
func (w *worker[T]) handBack(base context.Context, tasks []T) {
	for i := range tasks {
		claim := *w.queue.Claim(&tasks[i])
		err := persist(base, func() time.Time { return claim.deadline }, func(ctx context.Context) error {
			return w.queue.Release(ctx, w.session, claim)
		})
		if err != nil {
			w.options.OnError(err)
		}
	}
	w.give(len(tasks))
}

// pause waits for d, a wake-up or the end of ctx.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}

// claimBackoff is the pause after claims that failed in a row: from poll up to 30 s.
func claimBackoff(poll time.Duration, failures int) time.Duration {
	const longest = 30 * time.Second
	limit := poll
	for i := 1; i < failures && limit < longest; i++ {
		limit *= 2
	}
	return jitter(min(limit, max(longest, poll)))
}

// jitter is random between half and one and a half of d.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// begin starts a task's handler.
func (w *worker[T]) begin(base context.Context, task T, handlers *sync.WaitGroup) {
	ctx, cancel := context.WithCancelCause(base)
	r := &run[T]{task: task, claim: *w.queue.Claim(&task), cancel: cancel}
	r.expires = time.AfterFunc(time.Until(r.claim.deadline), func() { cancel(w.lost(r)) })
	w.mu.Lock()
	w.running[r] = struct{}{}
	if w.ending {
		cancel(errShutdown)
	}
	w.mu.Unlock()
	handlers.Go(func() {
		err := w.handle(ctx, r)
		w.settle(ctx, base, r, err)
		w.mu.Lock()
		delete(w.running, r)
		w.mu.Unlock()
		r.expires.Stop()
		cancel(nil)
		w.give(1)
	})
}

func (w *worker[T]) lost(r *run[T]) error {
	return claimLost(w.queue.Name, []Claim{r.claim})
}

// handle runs the handler and turns a panic into an error of its task alone.
func (w *worker[T]) handle(ctx context.Context, r *run[T]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handler panicked: %v", p)
		}
	}()
	return w.handler(ctx, r.task)
}

// settle tells the database how a task ended.
func (w *worker[T]) settle(ctx, base context.Context, r *run[T], result error) {
	w.mu.Lock()
	claim := r.claim
	w.mu.Unlock()
	until := func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return r.claim.deadline
	}
	var err error
	switch cause := context.Cause(ctx); {
	case errors.Is(result, ErrSettled):
	case errors.Is(cause, ErrClaimLost):
		// Whatever the handler says, the task is not ours any more.
		err = cause
	case result == nil:
		s := settlement{claim: claim, until: until, answer: make(chan error, 1)}
		w.done <- s
		err = <-s.answer
	case errors.Is(cause, errShutdown):
		err = persist(base, until, func(ctx context.Context) error {
			return w.queue.Release(ctx, w.session, claim)
		})
	default:
		err = persist(base, until, func(ctx context.Context) error {
			return w.queue.Fail(ctx, w.session, claim, result)
		})
	}
	if err != nil {
		w.options.OnError(err)
	}
}
