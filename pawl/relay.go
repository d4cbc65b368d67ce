package pawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// RelayOptions say how Relay runs. The zero value is usable.
type RelayOptions struct {
	// Batch is how many events one call of publish gets at most; 100 when zero.
	Batch int
	// Poll is how long to wait, on average, before looking again when no event was
	// there; one second when zero. Each wait is random between half and one and a half
	// of it, so that processes do not ask in step.
	Poll time.Duration
	// Heartbeat is how often the leases of events on their way are renewed; a third of
	// the lease when zero.
	Heartbeat time.Duration
	// Grace is how long publish may go on after the context of Relay has ended, before
	// its own context ends too; none when zero.
	Grace time.Duration
	// Wake starts a claim at once when it receives, for instance from LISTEN.
	Wake <-chan struct{}
	// OnError is told what goes wrong: errors of publish, claims and heartbeats that
	// fail, claims that are lost, events that cannot be read (*UnreadableTasksError).
	// It must be safe for concurrent use; nil logs to slog.Default at level Warn.
	OnError func(err error)
}

func (o RelayOptions) withDefaults(outbox string, lease time.Duration) RelayOptions {
	if o.Batch <= 0 {
		o.Batch = 100
	}
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	if o.Heartbeat <= 0 || o.Heartbeat > lease/2 {
		o.Heartbeat = lease / 3
	}
	if o.OnError == nil {
		o.OnError = func(err error) {
			slog.Default().Warn("a relay met a problem", "outbox", outbox, "error", err)
		}
	}
	return o
}

// UnpublishedError is what publish returns when some events of its batch are out and
// others are not. Those that it does not name count as published.
type UnpublishedError struct {
	Causes map[int64]error // why, by the id of the event
}

// Error says how many events are not out, and why that with the smallest id is not.
func (e *UnpublishedError) Error() string {
	if len(e.Causes) == 0 {
		return "every event was published"
	}
	first := slices.Min(slices.Collect(maps.Keys(e.Causes)))
	return fmt.Sprintf("%d event(s) were not published; event %d: %v", len(e.Causes), first, e.Causes[first])
}

// Unwrap returns why each of the events is not out.
func (e *UnpublishedError) Unwrap() []error {
	causes := make([]error, 0, len(e.Causes))
	for _, id := range slices.Sorted(maps.Keys(e.Causes)) {
		causes = append(causes, e.Causes[id])
	}
	return causes
}

// Relay claims events and hands them to publish in batches until ctx ends, and then
// returns ctx's error once what was on its way is settled. No transaction is open
// while publish runs.
//
// Of a queue with groups a batch holds one event of a group at most, and the next one
// is claimed when publish has returned: whatever publish does with the order of its
// batch, the order of a group is kept. A batch that was not full is followed by the
// next at once; Relay waits when there is nothing.
//
// publish returns nil when all of its events are out, and *UnpublishedError when some
// are. After any other error, or a panic, none counts as published. Those that are not
// out come back after the queue's backoff.
//
// publish's context ends, with cause ErrClaimLost, when the lease does: by the
// monotonic clock, unless a heartbeat renewed it. From then on another relay may
// publish the events, and what this one still reports is refused by the fence. The
// context also ends some time after ctx does, see RelayOptions.Grace; events that are
// not out then are handed back without counting the attempt.
//
// Delivery is at least once: an event whose relay died before the database heard of
// its publication is published again, with the same id.
func (q *Queue[T]) Relay(ctx context.Context, s *Session, options RelayOptions, publish func(ctx context.Context, events []T) error) error {
	if s.InTransaction() {
		return &callError{q.Name, errors.New("Relay needs a pool; inside a transaction its claims would be invisible to others and its lease worthless")}
	}
	if q.Lease <= 0 {
		return &callError{q.Name, fmt.Errorf("the lease is %s; it must be positive", q.Lease)}
	}
	r := relay[T]{queue: q, session: s, publish: publish, options: options.withDefaults(q.Name, q.Lease)}
	return r.run(ctx)
}

// relay is one call of Relay.
type relay[T any] struct {
	queue   *Queue[T]
	session *Session
	publish func(context.Context, []T) error
	options RelayOptions
	tails   sync.WaitGroup // shipments whose last events wait for a lock
}

// run claims and ships until ctx ends.
func (r *relay[T]) run(ctx context.Context) error {
	// What is on its way when ctx ends is still brought to the database.
	base := context.WithoutCancel(ctx)
	failures := 0
	for ctx.Err() == nil {
		events, err := r.claim(base)
		if err != nil {
			r.options.OnError(err)
		}
		var unreadable *UnreadableTasksError
		if errors.As(err, &unreadable) {
			err = nil // the claim itself worked, and these events are dealt with
		}
		if len(events) > 0 {
			if sent := r.ship(ctx, base, events); !sent {
				err = errNotShipped
			}
		}
		switch {
		case err != nil:
			failures++
			pause(ctx, claimBackoff(r.options.Poll, failures), r.options.Wake)
		case len(events) == 0:
			failures = 0
			pause(ctx, jitter(r.options.Poll), r.options.Wake)
		default:
			failures = 0
		}
	}
	r.tails.Wait()
	return ctx.Err()
}

// errNotShipped stands for a batch of which nothing was published, which OnError was
// told of.
var errNotShipped = errors.New("no event of the batch was published")

// claim asks for events on a context that the end of Relay does not cut short: an
// answer that nobody reads would leave them claimed for a whole lease.
func (r *relay[T]) claim(base context.Context) ([]T, error) {
	ctx, cancel := context.WithTimeout(base, r.queue.Lease/2)
	defer cancel()
	return r.queue.Take(ctx, r.session, r.options.Batch)
}

// shipment is a batch of events on its way.
type shipment[T any] struct {
	relay  *relay[T]
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	claims   []*Claim // of the events that are not settled; heartbeats move their deadlines
	deadline time.Time
	expires  *time.Timer // ends publish's context at the deadline
}

// ship publishes a batch and settles it. It reports whether anything was published.
func (r *relay[T]) ship(ctx, base context.Context, events []T) (sent bool) {
	if ctx.Err() != nil {
		r.handBack(base, events)
		return true
	}
	shipping, cancel := context.WithCancelCause(base)
	b := &shipment[T]{relay: r, cancel: cancel}
	for i := range events {
		claim := *r.queue.Claim(&events[i])
		b.claims = append(b.claims, &claim)
		b.deadline = claim.deadline
	}
	b.expires = time.AfterFunc(time.Until(b.deadline), func() { cancel(b.lost()) })
	stop := make(chan struct{})
	var helpers sync.WaitGroup
	helpers.Go(func() { b.beat(base, stop) })

	stopGrace := context.AfterFunc(ctx, func() { endAfter(r.options.Grace, shipping, cancel) })
	err := r.call(shipping, events)
	stopGrace()
	cause := context.Cause(shipping)
	b.expires.Stop()

	settled := make(chan struct{})
	r.tails.Go(func() {
		defer cancel(nil)
		b.settle(base, err, cause, sync.OnceFunc(func() { close(settled) }))
		close(stop)
		helpers.Wait()
		b.expires.Stop() // a heartbeat may have set it again
	})
	<-settled
	var some *UnpublishedError
	return err == nil || errors.As(err, &some) && len(some.Causes) < len(events)
}

// endAfter ends the context of publish when the grace period is over, or does nothing
// when publish has returned before.
func endAfter(grace time.Duration, shipping context.Context, cancel context.CancelCauseFunc) {
	select {
	case <-time.After(grace):
		cancel(errShutdown)
	case <-shipping.Done():
	}
}

// call runs publish and turns a panic into an error of the batch.
func (r *relay[T]) call(ctx context.Context, events []T) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("publish panicked: %v", p)
		}
	}()
	return r.publish(ctx, events)
}

// handBack returns events that were claimed when ctx had ended.
func (r *relay[T]) handBack(base context.Context, events []T) {
	for i := range events {
		claim := *r.queue.Claim(&events[i])
		r.tell(persist(base, func() time.Time { return claim.deadline }, func(ctx context.Context) error {
			return r.queue.Release(ctx, r.session, claim)
		}))
	}
}

func (r *relay[T]) tell(err error) {
	if err != nil {
		r.options.OnError(err)
	}
}

// settle tells the database what became of the events. next is called when the relay
// may go on with another batch: at the latest when all that is left waits for the lock
// of a group, which a transaction that adds an event holds for as long as it lasts.
func (b *shipment[T]) settle(base context.Context, result, cause error, next func()) {
	defer next()
	r := b.relay
	if result != nil {
		r.options.OnError(fmt.Errorf("%s: publish: %w", r.queue.Name, result))
	}
	if errors.Is(cause, ErrClaimLost) {
		// Whatever publish says, the events are not ours any more.
		r.options.OnError(cause)
		return
	}
	published, failed := b.sorted(result)
	b.complete(base, published, next)
	for _, f := range failed {
		r.tell(persist(base, b.until, func(ctx context.Context) error {
			if errors.Is(cause, errShutdown) {
				return r.queue.Release(ctx, r.session, f.claim)
			}
			return r.queue.Fail(ctx, r.session, f.claim, f.cause)
		}))
		b.settled(f.claim)
	}
}

// failure is an event that was not published.
type failure struct {
	claim Claim
	cause error
}

// sorted tells the published events from the others.
func (b *shipment[T]) sorted(result error) (published []Claim, failed []failure) {
	var some *UnpublishedError
	partly := errors.As(result, &some)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, claim := range b.claims {
		cause := result
		if partly {
			cause = some.Causes[claim.ID]
		}
		if cause == nil {
			published = append(published, *claim)
		} else {
			failed = append(failed, failure{*claim, cause})
		}
	}
	return published, failed
}

// complete stores that events were published: all in one statement, or one by one when
// a group is locked, so that nobody but its own event waits for it.
func (b *shipment[T]) complete(base context.Context, published []Claim, next func()) {
	r := b.relay
	if len(published) == 0 {
		return
	}
	ctx, cancel := context.WithDeadline(base, b.until())
	err := r.queue.Complete(ctx, r.session, published...)
	cancel()
	if err == nil || errors.Is(err, ErrClaimLost) {
		r.tell(err)
		b.settled(published...)
		return
	}
	unknown := errors.Is(err, ErrCommitUnknown)
	next()
	var each sync.WaitGroup
	slots := make(chan struct{}, stragglers)
	for _, claim := range published {
		slots <- struct{}{}
		each.Go(func() {
			defer func() { <-slots }()
			err := persist(base, b.until, func(ctx context.Context) error { return r.queue.Complete(ctx, r.session, claim) })
			if unknown && errors.Is(err, ErrClaimLost) {
				err = nil // the statement whose outcome is not known has completed it
			}
			r.tell(err)
			b.settled(claim)
		})
	}
	each.Wait()
}

// stragglers is how many events of a batch are completed at once when they could not
// be together. Each takes a connection.
const stragglers = 2

// until is the end of the lease, which heartbeats move.
func (b *shipment[T]) until() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deadline
}

// settled takes events out of what heartbeats renew.
func (b *shipment[T]) settled(claims ...Claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claims = slices.DeleteFunc(b.claims, func(c *Claim) bool { return slices.ContainsFunc(claims, c.same) })
}

// lost is the error of a batch whose lease is over.
func (b *shipment[T]) lost() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	claims := make([]Claim, len(b.claims))
	for i, c := range b.claims {
		claims[i] = *c
	}
	return claimLost(b.relay.queue.Name, claims)
}

// beat renews the leases of the batch until it is settled.
func (b *shipment[T]) beat(base context.Context, stop <-chan struct{}) {
	ticker := time.NewTicker(b.relay.options.Heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			b.renew(base)
		}
	}
}

// renew makes the leases start again from now. Of events that were lost publish must
// hear, and it has one context: it ends for all.
func (b *shipment[T]) renew(base context.Context) {
	r := b.relay
	b.mu.Lock()
	claims := make([]*Claim, len(b.claims))
	for i, c := range b.claims {
		claim := *c
		claims[i] = &claim
	}
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(base, r.options.Heartbeat)
	defer cancel()
	lost, err := r.queue.renew(ctx, r.session, claims)
	if err != nil {
		// The leases run on: the next beat tries again, and the timer ends publish when
		// they end before one gets through.
		r.options.OnError(err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	lost = slices.DeleteFunc(lost, func(c Claim) bool { return !slices.ContainsFunc(b.claims, func(o *Claim) bool { return o.same(c) }) })
	if len(lost) > 0 {
		b.cancel(claimLost(r.queue.Name, lost))
		return
	}
	if len(claims) > 0 {
		b.deadline = claims[0].deadline
		b.expires.Reset(time.Until(b.deadline))
	}
}
