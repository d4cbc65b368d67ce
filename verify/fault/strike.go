package fault

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/pawldb/pawl/internal/faultproxy"
)

// rule counts the first client's points and strikes at the one of the fault. The
// message waits meanwhile.
func (t *trial) rule(ctx context.Context, f faultproxy.Frame) faultproxy.Action {
	p, ok := pointOf(f)
	if !ok {
		return faultproxy.Forward
	}
	t.striking.Lock()
	defer t.striking.Unlock()
	action := faultproxy.Forward
	if t.reaches(p) {
		var err error
		if action, err = t.strike(ctx); err != nil {
			t.fail(err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sever && p.endsRoundTrip() {
		t.sever = false
		t.wire().severAfterWrite()
	}
	return action
}

// reaches counts a point and reports whether the fault belongs there.
func (t *trial) reaches(p Point) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.Number = len(t.sent)
	t.sent = append(t.sent, p)
	if p.Number != t.fault.Point.Number || t.fault.Point.Message == end || t.fault.Injected {
		return false
	}
	// Concurrent clients may have led this one to another statement.
	t.fault.Point, t.fault.Injected = p, true
	return true
}

// strike injects the fault and says what becomes of the message.
func (t *trial) strike(ctx context.Context) (faultproxy.Action, error) {
	victim := t.conns[0].PgConn().PID()
	switch t.fault.Kind {
	case Cut:
		return faultproxy.Cut, nil
	case LoseReply:
		return faultproxy.SwallowReply, nil
	case Terminate:
		return faultproxy.Forward, t.terminate(ctx, victim)
	case Kill, Restart:
		return faultproxy.Forward, t.takeDown(ctx, victim)
	case PauseBackend:
		return faultproxy.Forward, t.pauseBackend(ctx, victim)
	case PauseClient:
		return faultproxy.Forward, t.pauseClient(ctx)
	}
	return faultproxy.Forward, fmt.Errorf("no such fault: %q", t.fault.Kind)
}

func (t *trial) terminate(ctx context.Context, victim uint32) error {
	if _, err := t.control.yes(ctx, "SELECT pg_catalog.pg_terminate_backend($1)", int(victim)); err != nil {
		return err
	}
	return t.control.gone(ctx, []uint32{victim})
}

// takeDown takes part in the outage. victims are the backends to kill.
func (t *trial) takeDown(ctx context.Context, victims ...uint32) error {
	t.arrived = true
	return t.outage.join(ctx, t.control, victims...)
}

// leaveOutage keeps the other rounds of an outage from waiting for this one.
func (t *trial) leaveOutage(ctx context.Context) error {
	if t.outage == nil || t.arrived {
		return nil
	}
	t.arrived = true
	return t.outage.leave(ctx, t.control)
}

// signal sends a signal to a backend.
func signal(pid uint32, s syscall.Signal) error {
	if err := syscall.Kill(int(pid), s); err != nil {
		return fmt.Errorf("send %s to backend %d: %w", s, pid, err)
	}
	return nil
}

// pauseBackend stops the backend. The message is passed on, the client's
// connection ends, and when its work has been recovered, or recovery cannot go
// on without the backend, the backend finds the message in its socket.
func (t *trial) pauseBackend(ctx context.Context, victim uint32) error {
	// It may still be at work on an earlier message of the round trip. Stopped there,
	// it could hold a lock of the server's own, and everybody would stand still.
	err := t.control.await(ctx, "the backend to be idle",
		"SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND wait_event = 'ClientRead')", int(victim))
	if err != nil {
		return err
	}
	w := t.wire()
	w.hold()
	if err := signal(victim, syscall.SIGSTOP); err != nil {
		w.release()
		return err
	}
	t.mu.Lock()
	t.sever = true
	t.mu.Unlock()
	t.rivals.Go(func() {
		if err := t.untilRecovered(ctx, t.finished); err != nil {
			t.fail(err)
		}
		if err := signal(victim, syscall.SIGCONT); err != nil {
			t.fail(err)
		}
		w.release()
	})
	return nil
}

// pauseClient holds the message back while somebody recovers the client's work,
// or until recovery cannot go on without the client.
func (t *trial) pauseClient(ctx context.Context) error {
	recovered := make(chan struct{})
	t.rivals.Go(func() {
		defer close(recovered)
		t.recover(ctx, 0, Ending{Err: ErrSilent, Outcome: Unknown})
	})
	return t.untilRecovered(ctx, recovered)
}

// How long a paused one stays so when its work is being recovered: until recovery
// has waited for a lock this long, which the paused one will hold, or has taken
// long in another way, polling for what the paused one holds perhaps.
const (
	lockPatience     = 20 * time.Millisecond
	recoveryPatience = time.Second
)

// untilRecovered waits for recovered or until there is no use in waiting.
func (t *trial) untilRecovered(ctx context.Context, recovered <-chan struct{}) error {
	patient, cancel := context.WithTimeout(ctx, t.workload.Lease+recoveryPatience)
	defer cancel()
	var blocked time.Time
	for {
		select {
		case <-recovered:
			return nil
		case <-patient.Done():
			return context.Cause(ctx)
		case <-time.After(pollPause):
		}
		waits, err := t.recoveryWaits(patient)
		switch {
		case patient.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case !waits:
			blocked = time.Time{}
		case blocked.IsZero():
			blocked = time.Now()
		case time.Since(blocked) > lockPatience:
			return nil
		}
	}
}

// recoveryWaits reports whether the recovery of the first client's work waits for
// a lock.
func (t *trial) recoveryWaits(ctx context.Context) (bool, error) {
	t.mu.Lock()
	pid := t.recovery
	t.mu.Unlock()
	if pid == 0 {
		return false, nil
	}
	return t.control.yes(ctx, "SELECT pg_catalog.cardinality(pg_catalog.pg_blocking_pids($1)) > 0", pid)
}
