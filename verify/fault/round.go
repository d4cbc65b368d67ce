package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/faultproxy"
)

// trial is one round of a crash phase while it runs.
type trial struct {
	*bench
	round *Round
	conns []*pgx.Conn
	// finished is closed when the first client and its recovery are over.
	finished chan struct{}
	// outage is shared with the rounds of other databases; nil for a fault that
	// hits one connection.
	outage *outage
	// striking is held while the fault is being injected.
	striking sync.Mutex
	// rivals are what runs beside the clients because of the fault.
	rivals sync.WaitGroup

	mu       sync.Mutex
	orphans  []uint32 // backends whose clients are gone
	sent     []Point  // by the first client, so far
	fault    Fault
	sever    bool // the client loses its connection at the end of the round trip
	recovery int  // pid of the backend that recovers the first client's work
	arrived  bool // at the outage
	failed   error
}

// round runs one round. why is not empty when nothing can be said of it.
func (b *bench) round(ctx context.Context, fault Fault, shared *outage) (r *Round, why string, err error) {
	n := len(b.workload.Clients)
	t := &trial{
		bench: b, fault: fault, outage: shared, finished: make(chan struct{}),
		round: &Round{Number: b.rounds, Ends: make([]Ending, n), Recoveries: make([]*Ending, n)},
	}
	b.rounds++
	bounded, cancel := context.WithTimeoutCause(ctx, b.options.Timeout+b.workload.Lease, errLate)
	defer cancel()
	start := time.Now()
	defer func() { t.round.Duration = time.Since(start) }()
	err = errors.Join(t.run(bounded), t.leaveOutage(bounded))
	t.round.Fault, t.round.Sent = t.fault, t.sent
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case bounded.Err() != nil:
		why = fmt.Sprintf("it had not ended after %s", b.options.Timeout)
		if err != nil {
			why += ": " + err.Error()
		}
		return t.round, why, t.control.expel(ctx, t.orphans)
	case err != nil:
		return nil, "", err
	}
	t.round.Violations, err = b.control.judge(ctx, &b.workload, t.round)
	return t.round, "", err
}

// run is the round up to its judge.
func (t *trial) run(ctx context.Context) error {
	if err := t.control.fixture(ctx, t.workload.Fixture); err != nil {
		return err
	}
	var err error
	if t.conns, err = t.clients.takeAll(ctx); err != nil {
		return err
	}
	t.proxy.Reset()
	t.proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action { return t.rule(ctx, f) })
	defer t.proxy.SetRules()

	var clients sync.WaitGroup
	barrier := make(chan struct{})
	for i := range t.conns {
		clients.Go(func() {
			<-barrier
			t.client(ctx, i)
		})
	}
	close(barrier)
	clients.Wait()
	// A fault may still be on its way when its victims are done.
	t.striking.Lock()
	defer t.striking.Unlock()
	t.rivals.Wait()
	if err := t.atEnd(ctx); err != nil {
		return err
	}
	return t.control.gone(ctx, t.orphans)
}

// atEnd is what remains when the clients are done: an outage that waits for it,
// or for the others to come to theirs.
func (t *trial) atEnd(ctx context.Context) error {
	if t.fault.Point.Message == end {
		t.fault.Injected = true
		if err := t.takeDown(ctx); err != nil {
			return err
		}
	}
	if err := t.leaveOutage(ctx); err != nil {
		return err
	}
	return t.failed
}

// client runs a client and, where it does not know how its work ended, the
// recovery.
func (t *trial) client(ctx context.Context, i int) {
	if i == 0 {
		defer close(t.finished)
	}
	conn := t.conns[i]
	e := t.workload.run(conn, i, func() (any, error) { return t.workload.Clients[i](ctx, conn) })
	t.left(conn)
	t.round.Ends[i] = e
	if e.Outcome == Unknown && !(i == 0 && t.struckBy(PauseClient)) {
		t.recover(ctx, i, e)
	}
}

// recover does what a client does after a fault, on a new connection.
func (t *trial) recover(ctx context.Context, i int, before Ending) {
	if i == 0 && (t.struckBy(PauseClient) || t.struckBy(PauseBackend)) {
		if err := sleep(ctx, t.workload.Lease); err != nil {
			t.fail(err)
			return
		}
	}
	t.host.down.RLock()
	conn, err := t.rescuers.take(ctx, i)
	t.host.down.RUnlock()
	if err != nil {
		t.fail(err)
		return
	}
	if i == 0 {
		t.mu.Lock()
		t.recovery = int(conn.PgConn().PID())
		t.mu.Unlock()
	}
	e := t.workload.recovery(ctx, conn, i, before)
	t.left(conn)
	t.round.Recoveries[i] = &e
}

// left looks after a connection that its user is done with: one that is broken
// may have left a backend behind that is still at work.
func (t *trial) left(conn *pgx.Conn) {
	leave(conn)
	if conn.IsClosed() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.orphans = append(t.orphans, conn.PgConn().PID())
	}
}

// struckBy reports whether a fault of the kind has been injected.
func (t *trial) struckBy(kind Kind) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault.Injected && t.fault.Kind == kind
}

// fail notes the first thing that went wrong in the machinery.
func (t *trial) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = err
	}
}
