package pawl

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Phased is the generated description of work in phases that is done once for each
// key. Every statement takes the values of the key as $1, $2, …; Enter, Again and
// Takeover take the payload's hash, its version and the run's own name behind
// them, Look the name alone, and the others the fence. A row is payload_hash,
// hash_version, completed, expired, status, header, body, mine, fence,
// recovery_point, remaining (microseconds of the lease), results.
type Phased struct {
	// Name is the address: idempotency.create_payment.
	Name string
	// Table is the table with the keys, for events: app.create_payment.
	Table string
	// Enter adds the row of a key that has none, and returns the row; no row when
	// another run has just added it.
	Enter Operation
	// Look returns the row.
	Look Operation
	// Again begins anew a key whose answer is no longer kept, and Takeover takes over
	// one whose lease has run out. Both return the row, or none when they came late.
	Again, Takeover Operation
	// Advance ends each phase but the last; those that keep a value take it last.
	Advance []Operation
	// Complete ends the last phase and stores the answer.
	Complete Operation
	// Heartbeat makes the lease start again, Release ends it, and Forget removes a
	// key that is still in its first phase.
	Heartbeat, Release, Forget Operation
	// Reap removes up to $1 answers that are no longer kept.
	Reap Operation
	// Lease is how long a run has the key without a heartbeat.
	Lease time.Duration
	// RPCTimeout bounds each call to the outside; 0 does not.
	RPCTimeout time.Duration
	// Reference says that the body is a reference, stored as text.
	Reference bool
	// Caller says that the last value of the key is the caller's own text.
	Caller bool
	// Wait is how long a twin tries again before it gets ErrInProgress.
	Wait time.Duration
	// Transaction is the set of limits of the phases; nil means the session's.
	Transaction *Transaction
}

// Step is a phase as the runtime runs it: Inside a transaction, or Outside of any.
type Step struct {
	Name string
	// Keeps says that what the phase returns is kept for those after it, as JSON.
	Keeps bool
	// Inside is database work. What the last one returns is the answer: a Response,
	// or a reference as a string.
	Inside func(ctx context.Context, tx *Session, done Results) (any, error)
	// Outside is a call to the outside, and Resume asks the outside whether a call
	// that may have been made was; nil asks nothing.
	Outside func(ctx context.Context, call Call, done Results) (any, error)
	Resume  func(ctx context.Context, call Call, done Results) (value any, found bool, err error)
}

// Results are what the phases so far have kept, by their names.
type Results map[string]json.RawMessage

// Result is what a phase has kept.
func Result[T any](done Results, phase string) (T, error) {
	var value T
	err := json.Unmarshal(done[phase], &value)
	if err != nil {
		err = fmt.Errorf("%w: what the phase %s has kept: %w", ErrUnreadable, phase, err)
	}
	return value, err
}

// Call is one call to the outside.
type Call struct {
	// Key is an idempotency key for whoever is called: made of the scope, the key and
	// the phase, so that the same call has the same key however often it is made. It
	// has at most 255 bytes of printable ASCII.
	Key string
	// Again says that the call may have been made before, by a run that was lost.
	Again bool
}

// DoPhases runs the phases of work once for each key, in order. It returns the
// answer and how it came about: OutcomeExecuted, OutcomeTakeover when this call
// finished what another run had left behind, OutcomeReplayed when the answer was
// stored.
//
// A phase inside of the database is a transaction of its own, in which the key
// moves on to the next phase: both are committed or neither is. A phase outside
// runs without a transaction; its value is stored when it returns. When a run is
// lost, the next one goes on with the phase where the key stands, after the lease.
// A call that may have been made is asked for first, by the phase's Resume, and
// made again with the same key otherwise.
//
// An error gives the key back at once: the next request goes on with the phase that
// failed, with the same payload. In a first phase inside of the database nothing
// has happened yet, and the key is free for any payload.
//
// A run that has lost its key, because it was paused for longer than its lease, is
// told by ErrLeaseLost; its context ends, and what it still writes is rolled back.
// fetch makes the answer of a reference; it is nil for others. It cannot run inside
// a transaction.
func DoPhases(ctx context.Context, s *Session, p *Phased, key []any, payload any, steps []Step,
	fetch func(ctx context.Context, reference string) (Response, error), options ...TxOption,
) (Response, Outcome, error) {
	if s.InTransaction() {
		return Response{}, OutcomeError, &callError{p.Name, errors.New("phased work needs a pool; inside a transaction nobody else could see how far it is")}
	}
	r := &request{name: p.Name, table: p.Table, session: s, key: key, payload: payload, caller: p.Caller, wait: p.Wait, start: time.Now()}
	w := &phasedRun{request: r, phased: p, steps: steps, config: s.onceConfig(p.Name, p.Transaction, options), owner: rand.Text()}
	answer, outcome, err := r.answered(ctx, w.try)
	if fetch != nil {
		return fetched(ctx, answer, outcome, err, fetch)
	}
	return answer, outcome, err
}

// phasedRun is one call of DoPhases.
type phasedRun struct {
	*request
	phased *Phased
	steps  []Step
	config txConfig
	ran    bool   // phases of this call have run, and may have called the outside
	owner  string // tells this call's row from those of others, also when an answer was lost
}

// phasedRow is the row of a key of phased work.
type phasedRow struct {
	stored
	mine      bool
	fence     int64
	point     string // the phase to go on with
	remaining int64  // microseconds of the lease
	results   json.RawMessage
}

func (r *phasedRow) dest() []any {
	return append(r.stored.dest(), &r.mine, &r.fence, &r.point, &r.remaining, &r.results)
}

// done are the values that earlier phases have kept.
func (r *phasedRow) done() (Results, error) {
	done := Results{}
	if err := json.Unmarshal(r.results, &done); err != nil {
		return nil, fmt.Errorf("%w: what the phases have kept: %w", ErrUnreadable, err)
	}
	return done, nil
}

// try takes the key, or answers for it. A statement that came late looks again.
func (w *phasedRun) try(ctx context.Context) (Response, Outcome, error) {
	for range 3 {
		row, err := w.claim(ctx, &w.phased.Enter)
		if err != nil {
			return Response{}, "", err
		}
		outcome, again := OutcomeExecuted, false
		switch {
		case row == nil:
			continue
		case row.completed && row.expired:
			row, err = w.claim(ctx, &w.phased.Again)
		case row.completed:
			return w.replay(&row.stored)
		default:
			if err := w.same(&row.stored); err != nil {
				return Response{}, outcomeOf(err), err
			}
			switch mine := row.mine; {
			case row.remaining == 0:
				if again = true; !mine {
					outcome = OutcomeTakeover
				}
				row, err = w.claim(ctx, &w.phased.Takeover)
			case mine: // taken by this call, perhaps by a statement whose answer was lost
				again = w.ran || row.fence > 1
			default:
				return Response{}, OutcomeInProgress, &InProgressError{w.name, time.Duration(row.remaining) * time.Microsecond}
			}
		}
		if err != nil {
			return Response{}, "", err
		}
		if row != nil {
			w.ran = true
			answer, err := w.run(ctx, row, again)
			if err != nil {
				return Response{}, "", err
			}
			return answer, outcome, nil
		}
	}
	return Response{}, OutcomeInProgress, &InProgressError{w.name, twinPause}
}

// claim runs a statement that takes a key.
func (w *phasedRun) claim(ctx context.Context, op *Operation) (*phasedRow, error) {
	return step(ctx, w.session, op, (*phasedRow).dest, w.args(w.hash, int16(payloadVersion), w.owner)...)
}

// changed runs a statement under a fence and returns how many rows it changed.
func (w *phasedRun) changed(ctx context.Context, op *Operation, args ...any) (int64, error) {
	c := w.session.call(op)
	var n affected
	err := c.perform(ctx, w.args(args...), &n)
	return n.n, c.name(err)
}

// lost says that another run has the key.
func (w *phasedRun) lost() error { return &callError{w.name, ErrLeaseLost} }

// run goes on with the phase where the key stands, up to the last.
func (w *phasedRun) run(ctx context.Context, row *phasedRow, again bool) (answer Response, err error) {
	at := slices.IndexFunc(w.steps, func(s Step) bool { return s.Name == row.point })
	done, err := row.done()
	if at < 0 && err == nil {
		err = fmt.Errorf("the key stands at the phase %q, which this program does not have", row.point)
	}
	if err != nil {
		w.giveUp(ctx, row.fence, at)
		return Response{}, &callError{w.name, err}
	}
	h := w.hold(ctx, row.fence)
	ended := false
	defer func() { // also when a phase panics
		h.stop()
		if !ended {
			w.giveUp(ctx, row.fence, at)
		}
	}()
	for first := at; at < len(w.steps)-1; at++ {
		value, err := w.phase(h.ctx, row.fence, at, again && at == first, done)
		if err != nil {
			return Response{}, h.cause(err)
		}
		if w.steps[at].Keeps {
			done[w.steps[at].Name] = value
		}
	}
	answer, err = w.finish(h.ctx, row.fence, done)
	ended = err == nil
	return answer, h.cause(err)
}

// giveUp gives the key of a failed run back. Where nothing was done yet it is
// forgotten. The fence keeps a run that has lost its key from touching the row.
func (w *phasedRun) giveUp(ctx context.Context, fence int64, at int) {
	op := &w.phased.Release
	if at == 0 && w.steps[0].Inside != nil {
		op = &w.phased.Forget
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(resignTimeout, w.phased.Lease))
	defer cancel()
	// When it does not arrive, the lease runs out by itself.
	_, _ = w.changed(ctx, op, fence)
}
