package fault

import (
	"context"
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
	// down is held while the server is being taken down, so that nobody recovers
	// into a server about to die.
	down sync.RWMutex
	// striking is held while the fault is being injected.
	striking sync.Mutex
	// rivals are what runs beside the clients because of the fault.
	rivals sync.WaitGroup

	mu       sync.Mutex
	pids     []uint32 // the backends of the round
	seen     int      // points of the first client so far
	fault    Fault
	sever    bool // the client loses its connection at the end of the round trip
	recovery int  // pid of the backend that recovers the first client's work
	failed   error
}

// round runs one round. why is not empty when nothing can be said of it.
func (b *bench) round(ctx context.Context, fault Fault) (r *Round, why string, err error) {
	n := len(b.workload.Clients)
	t := &trial{
		bench: b, fault: fault, conns: make([]*pgx.Conn, n), finished: make(chan struct{}),
		round: &Round{Ends: make([]Ending, n), Recoveries: make([]*Ending, n)},
	}
	bounded, cancel := context.WithTimeoutCause(ctx, b.options.Timeout+b.workload.Lease, errLate)
	defer cancel()
	start := time.Now()
	err = t.run(bounded)
	t.round.Duration = time.Since(start)
	t.round.Fault = t.fault
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case bounded.Err() != nil:
		why = fmt.Sprintf("it had not ended after %s", b.options.Timeout)
		if err != nil {
			why += ": " + err.Error()
		}
		return t.round, why, t.tidy(ctx)
	case err != nil:
		return nil, "", err
	}
	t.round.Violations, err = b.control.judge(ctx, &b.workload, t.round)
	return t.round, "", err
}

// run is the round up to its judge.
func (t *trial) run(ctx context.Context) error {
	if err := t.control.script(ctx, t.workload.Fixture); err != nil {
		return err
	}
	for i := range t.conns {
		conn, err := t.connect(ctx, i)
		if err != nil {
			return err
		}
		defer hangUp(conn)
		t.conns[i] = conn
		t.pids = append(t.pids, conn.PgConn().PID())
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
	if t.fault.Point.Message == end {
		t.fault.Injected = true
		if err := t.takeDown(ctx, 0); err != nil {
			return err
		}
	}
	if t.failed != nil {
		return t.failed
	}
	return t.control.gone(ctx, t.pids)
}

// client runs a client and, where it does not know how its work ended, the
// recovery.
func (t *trial) client(ctx context.Context, i int) {
	if i == 0 {
		defer close(t.finished)
	}
	conn := t.conns[i]
	e := t.workload.run(conn, i, func() (any, error) { return t.workload.Clients[i](ctx, conn) })
	hangUp(conn)
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
	t.down.RLock()
	defer t.down.RUnlock()
	conn, err := pgx.ConnectConfig(ctx, t.direct)
	if err != nil {
		t.fail(fmt.Errorf("recover client %d: %w", i, err))
		return
	}
	defer hangUp(conn)
	pid := conn.PgConn().PID()
	t.mu.Lock()
	t.pids = append(t.pids, pid)
	if i == 0 {
		t.recovery = int(pid)
	}
	t.mu.Unlock()
	e := t.workload.recovery(ctx, conn, i, before)
	t.round.Recoveries[i] = &e
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

// tidy throws out whoever is left of a round that was given up.
func (t *trial) tidy(ctx context.Context) error {
	ctx, cancel := brief(ctx)
	defer cancel()
	for _, pid := range t.pids {
		if _, err := t.control.yes(ctx, "SELECT pg_catalog.pg_terminate_backend($1)", int(pid)); err != nil {
			return err
		}
	}
	return t.control.gone(ctx, t.pids)
}
