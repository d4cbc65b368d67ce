package pawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// phase runs one phase and moves the key on. It returns what the phase keeps.
func (w *phasedRun) phase(ctx context.Context, fence int64, at int, again bool, done Results) (json.RawMessage, error) {
	if w.steps[at].Inside != nil {
		return w.inside(ctx, fence, at, done)
	}
	value, err := w.outside(ctx, &w.steps[at], again, done)
	if err != nil {
		return nil, err
	}
	return w.keep(ctx, fence, at, value)
}

// outside makes the call of a phase, or finds that it was made.
func (w *phasedRun) outside(ctx context.Context, s *Step, again bool, done Results) (any, error) {
	if w.phased.RPCTimeout > 0 {
		bounded, cancel := context.WithTimeout(ctx, w.phased.RPCTimeout)
		defer cancel()
		ctx = bounded
	}
	call := Call{Key: w.derived(s.Name), Again: again}
	if again && s.Resume != nil {
		value, found, err := s.Resume(ctx, call, done)
		if found || err != nil {
			return value, err
		}
	}
	return s.Outside(ctx, call, done)
}

// derived is the key of a call to the outside.
func (w *phasedRun) derived(phase string) string {
	parts := []string{strings.TrimPrefix(w.name, "idempotency.")}
	for _, value := range w.key {
		parts = append(parts, keyText(value))
	}
	parts = append(parts, phase)
	for i := range parts {
		parts[i] = keyEscapes.Replace(parts[i])
	}
	text := strings.Join(parts, "/")
	if checkKey(text) != nil {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	return text
}

// keyEscapes keep the parts of a derived key apart.
var keyEscapes = strings.NewReplacer("%", "%25", "/", "%2F")

// keyText spells a value of a key in its one way.
func keyText(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.String {
		return v.String()
	}
	return fmt.Sprint(value) // whole numbers, booleans, and uuids, which are Stringers
}

// keptJSON is what a phase keeps, as JSON.
func (s *Step) keptJSON(value any) (json.RawMessage, error) {
	if !s.Keeps {
		return nil, nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("what the phase %s keeps is no JSON: %w", s.Name, err)
	}
	return raw, nil
}

// advanceArgs are the fence and, where the phase keeps one, its value.
func (s *Step) advanceArgs(fence int64, raw json.RawMessage) []any {
	if s.Keeps {
		return []any{fence, raw}
	}
	return []any{fence}
}

// advanceTries is how often the end of a phase is sent when its answer is lost.
// Sending it twice is harmless: the key moves on once.
const advanceTries = 4

// keep stores the value of a call and moves the key on.
func (w *phasedRun) keep(ctx context.Context, fence int64, at int, value any) (json.RawMessage, error) {
	s := &w.steps[at]
	raw, err := s.keptJSON(value)
	if err != nil {
		return nil, &callError{w.name, err}
	}
	unknown := false
	for try := 1; ; try++ {
		n, err := w.changed(ctx, &w.phased.Advance[at], s.advanceArgs(fence, raw)...)
		switch {
		case err == nil && n == 1:
			return raw, nil
		case err == nil && unknown:
			if row, err := w.moved(ctx, fence, at); row != nil || err != nil {
				return raw, err
			}
			return nil, w.lost()
		case err == nil:
			return nil, w.lost()
		case refused(err) || try == advanceTries || sleep(ctx, jitter(twinPause)) != nil:
			return nil, err
		}
		unknown = true
	}
}

// inside runs a phase in a transaction of its own, in which the key moves on.
func (w *phasedRun) inside(ctx context.Context, fence int64, at int, done Results) (json.RawMessage, error) {
	var raw json.RawMessage
	row, err := w.settled(ctx, fence, at, func(ctx context.Context, tx *Session) (*Operation, []any, error) {
		s := &w.steps[at]
		value, err := s.Inside(ctx, tx, done)
		if err != nil {
			return nil, nil, err
		}
		if raw, err = s.keptJSON(value); err != nil {
			return nil, nil, &callError{w.name, err}
		}
		return &w.phased.Advance[at], s.advanceArgs(fence, raw), nil
	})
	if row == nil || err != nil {
		return raw, err
	}
	kept, err := row.done()
	return kept[w.steps[at].Name], err
}

// finish runs the last phase, whose transaction stores the answer.
func (w *phasedRun) finish(ctx context.Context, fence int64, done Results) (answer Response, err error) {
	at := len(w.steps) - 1
	row, err := w.settled(ctx, fence, at, func(ctx context.Context, tx *Session) (*Operation, []any, error) {
		value, err := w.steps[at].Inside(ctx, tx, done)
		if err != nil {
			return nil, nil, err
		}
		switch value := value.(type) {
		case Response:
			answer = value
		case string:
			answer = Response{Body: []byte(value)}
		}
		values, err := answerArgs(answer, w.phased.Reference)
		return &w.phased.Complete, append([]any{fence}, values...), err
	})
	if row == nil || err != nil {
		return answer, err
	}
	return row.response()
}

// settled runs a transaction that ends a phase, until it is known how it ended.
// The row is returned when that was found there, because the answer to COMMIT had
// been lost.
func (w *phasedRun) settled(ctx context.Context, fence int64, at int,
	work func(context.Context, *Session) (end *Operation, args []any, err error),
) (*phasedRow, error) {
	var unknown error
	for try := 1; ; try++ {
		err := w.session.transact(ctx, w.config, func(ctx context.Context, tx *Session) error {
			end, args, err := work(ctx, tx)
			if err != nil {
				return err
			}
			var n affected
			if err := tx.inside(ctx, end, w.args(args...), &n); err != nil {
				return describe(w.name, err)
			}
			if n.n != 1 {
				return w.lost()
			}
			return nil
		})
		switch {
		case w.commitUnknown(err):
			unknown = err
		case unknown != nil && errors.Is(err, ErrLeaseLost):
		default:
			return nil, err
		}
		// A transaction of ours that still commits holds the row, so that the next one
		// waits for it; and where it has committed the key has moved on.
		row, lookErr := w.moved(ctx, fence, at)
		switch {
		case row != nil:
			return row, nil
		case lookErr == nil && errors.Is(err, ErrLeaseLost):
			return nil, err
		case try == advanceTries || sleep(ctx, jitter(twinPause)) != nil:
			return nil, unknown
		}
	}
}

// moved looks whether the key has moved on from a phase under our fence; nil when
// it has not.
func (w *phasedRun) moved(ctx context.Context, fence int64, at int) (*phasedRow, error) {
	row, err := step(ctx, w.session, &w.phased.Look, (*phasedRow).dest, w.args(w.owner)...)
	if err != nil || row == nil || !row.mine || row.fence != fence {
		return nil, err
	}
	if row.completed || at+1 < len(w.steps) && row.point == w.steps[at+1].Name {
		return row, nil
	}
	return nil, nil
}

// holder keeps a lease while its run lasts.
type holder struct {
	run    *phasedRun
	fence  int64
	ctx    context.Context // of the run: ends when the key is lost
	cancel context.CancelCauseFunc
	over   chan struct{}
	gone   chan struct{}
}

// hold begins the heartbeats of a run. The lease's end by itself ends nothing: only
// another run that has taken the key does, and the database knows of it.
func (w *phasedRun) hold(ctx context.Context, fence int64) *holder {
	h := &holder{run: w, fence: fence, over: make(chan struct{}), gone: make(chan struct{})}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	go h.beat(context.WithoutCancel(ctx))
	return h
}

func (h *holder) beat(base context.Context) {
	defer close(h.gone)
	ticker := time.NewTicker(max(h.run.phased.Lease/3, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-h.over:
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(base, h.run.phased.Lease/3)
		n, err := h.run.changed(ctx, &h.run.phased.Heartbeat, h.fence)
		cancel()
		if err == nil && n == 0 {
			h.cancel(h.run.lost())
			return
		}
	}
}

// stop ends the heartbeats.
func (h *holder) stop() {
	close(h.over)
	<-h.gone
	h.cancel(nil)
}

// cause is what a run failed for: the loss of its key, when that ended it.
func (h *holder) cause(err error) error {
	if lost := context.Cause(h.ctx); err != nil && errors.Is(lost, ErrLeaseLost) && !errors.Is(err, ErrLeaseLost) {
		return errors.Join(lost, err)
	}
	return err
}
