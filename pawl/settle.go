package pawl

import (
	"context"
	"errors"
	"slices"
	"time"
)

// settlement is a finished task that waits for its completion to be stored.
type settlement struct {
	claim  Claim
	until  func() time.Time // the end of its lease, which heartbeats move
	answer chan error
}

// complete stores completions until w.done is closed. What finishes while a
// statement is on its way goes along with the next: batches grow with the load
// and no task waits for a timer. A handler's slot is free only after its
// completion, which holds claims back when the database is slow.
func (w *worker[T]) complete(base context.Context) {
	for first := range w.done {
		w.flush(base, w.gather(first))
	}
}

// gather takes the settlements that are waiting now.
func (w *worker[T]) gather(first settlement) []settlement {
	batch := []settlement{first}
	for len(batch) < w.options.Concurrency {
		select {
		case s, open := <-w.done:
			if !open {
				return batch
			}
			batch = append(batch, s)
		default:
			return batch
		}
	}
	return batch
}

// flush completes a batch in one statement and answers each settlement.
func (w *worker[T]) flush(base context.Context, batch []settlement) {
	claims := make([]Claim, len(batch))
	for i, s := range batch {
		claims[i] = s.claim
	}
	until := func() (last time.Time) {
		for _, s := range batch {
			if end := s.until(); end.After(last) {
				last = end
			}
		}
		return last
	}
	err := persist(base, until, func(ctx context.Context) error {
		return w.queue.Complete(ctx, w.session, claims...)
	})
	var lost *ClaimLostError
	if !errors.As(err, &lost) {
		for _, s := range batch {
			s.answer <- err
		}
		return
	}
	for _, s := range batch {
		if slices.ContainsFunc(lost.claims, s.claim.same) {
			s.answer <- claimLost(lost.Operation, []Claim{s.claim})
		} else {
			s.answer <- nil
		}
	}
}

// The pauses between attempts to store a result.
const (
	persistFirst   = 50 * time.Millisecond
	persistLongest = 5 * time.Second
)

// persist sends a result until it arrives, the server refuses it or the lease
// ends, which heartbeats go on moving meanwhile. Sending twice is harmless: the fence
// lets only one through. A claim that is lost after an attempt whose outcome is not
// known was lost to that attempt.
func persist(base context.Context, until func() time.Time, send func(context.Context) error) error {
	unknown := false
	for pause := persistFirst; ; pause = min(2*pause, persistLongest) {
		ctx, cancel := context.WithDeadline(base, until())
		err := send(ctx)
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrClaimLost):
			if unknown {
				return nil
			}
			return err
		case refused(err) && !errors.Is(err, ErrBusy):
			// Busy is a lock that somebody else still holds, that of a group for instance.
			return err
		}
		unknown = unknown || errors.Is(err, ErrCommitUnknown)
		if sleep(base, min(jitter(pause), time.Until(until()))) != nil || !time.Now().Before(until()) {
			return err
		}
	}
}

// beat renews the leases of all running tasks in one statement, again and again.
func (w *worker[T]) beat(base context.Context, stop <-chan struct{}) {
	ticker := time.NewTicker(w.options.Heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			w.renew(base)
		}
	}
}

func (w *worker[T]) renew(base context.Context) {
	runs, claims := w.held()
	ctx, cancel := context.WithTimeout(base, w.options.Heartbeat)
	defer cancel()
	lost, err := w.queue.renew(ctx, w.session, claims)
	if err != nil {
		// The leases run on: the next beat tries again, and timers end the handlers
		// whose leases end before one gets through.
		w.options.OnError(err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, r := range runs {
		if slices.ContainsFunc(lost, claims[i].same) {
			r.cancel(w.lost(r))
			continue
		}
		r.claim.deadline = claims[i].deadline
		r.expires.Reset(time.Until(r.claim.deadline))
	}
}

// held copies the claims of the running tasks.
func (w *worker[T]) held() ([]*run[T], []*Claim) {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := make([]*run[T], 0, len(w.running))
	claims := make([]*Claim, 0, len(w.running))
	for r := range w.running {
		claim := r.claim
		runs, claims = append(runs, r), append(claims, &claim)
	}
	return runs, claims
}
