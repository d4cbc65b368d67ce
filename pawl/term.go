package pawl

import (
	"context"
	"errors"
	"time"
)

// hold is one term on its way.
type hold struct {
	reign   *reign
	session *Session // what the term is held on
	term    Term
	cancel  context.CancelCauseFunc
	expires *time.Timer // ends the context of the work at the deadline
}

// lead runs fn for the term and ends the term.
func (h *hold) lead(ctx context.Context, sent time.Time, fn func(context.Context, Term) error) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h.cancel = cancel
	lease := h.reign.leader.Lease
	h.expires = time.AfterFunc(time.Until(sent.Add(lease)), func() { cancel(h.term.lost("it was not renewed in time")) })
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		h.renewals(context.WithoutCancel(ctx), work.Done(), stop)
	}()
	defer func() { // also when fn panics
		close(stop)
		<-stopped
		h.expires.Stop()
		if !errors.Is(context.Cause(work), ErrTermLost) {
			h.resign(context.WithoutCancel(ctx))
		}
	}()
	err := fn(work, h.term)
	lost := context.Cause(work)
	if !errors.Is(lost, ErrTermLost) {
		return err
	}
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ErrTermLost) {
		return lost
	}
	return errors.Join(lost, err)
}

// renewals extends the term again and again until it is told to stop or the term
// is over.
func (h *hold) renewals(base context.Context, over, stop <-chan struct{}) {
	lease := h.reign.leader.Lease
	// Three renewals fit into a lease; one that failed is tried again sooner.
	regular, urgent := lease/3, lease/10
	pause := regular
	for {
		select {
		case <-stop:
			return
		case <-over:
			return
		case <-time.After(pause):
		}
		sent := time.Now()
		ctx, cancel := context.WithTimeout(base, regular)
		err := h.renew(ctx)
		cancel()
		switch {
		case err == nil:
			h.expires.Reset(time.Until(sent.Add(lease)))
			pause = regular
		case errors.Is(err, ErrTermLost):
			h.cancel(err)
			return
		default:
			h.reign.config.onError(err)
			pause = urgent
		}
	}
}

// renew extends the lease, or asks whether the session still has its lock.
func (h *hold) renew(ctx context.Context) error {
	leader := h.reign.leader
	if leader.LockSQL == "" {
		_, err := Exec(ctx, h.session, &leader.RenewOp, h.term.number, leader.Lease.Microseconds())
		if errors.Is(err, ErrNotFound) {
			return h.term.lost("the next one has begun")
		}
		return err
	}
	conn, _ := connOf(h.session.db)
	held, err := asked(ctx, conn, leader.HeldSQL)
	switch {
	case err != nil && conn.IsClosed():
		return h.term.lost("its session has ended")
	case err != nil:
		return &callError{leader.Name, err}
	case !held:
		return h.term.lost("its session has no lock any more")
	}
	return nil
}

// resign ends the term, so that the next leader need not wait for the lease to
// run out.
func (h *hold) resign(base context.Context) {
	ctx, cancel := context.WithTimeout(base, min(resignTimeout, h.reign.leader.Lease))
	defer cancel()
	_, err := Exec(ctx, h.session, &h.reign.leader.ResignOp, h.term.number)
	if err != nil && !errors.Is(err, ErrNotFound) {
		h.reign.config.onError(err)
	}
}
