package pawl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// request is one call of Do.
type request struct {
	name, table string
	session     *Session
	key         []any
	payload     any
	hash        []byte // of the payload, in today's version
	caller      bool   // the last value of the key is a text of the caller's
	wait        time.Duration
	start       time.Time
}

// Between two looks at a key that is in progress.
const (
	twinPause   = 20 * time.Millisecond
	twinLongest = 500 * time.Millisecond
)

// answered asks until there is an answer, the wait is over or the context ends.
// Between two tries nothing is held, no connection either.
func (r *request) answered(ctx context.Context, try func(context.Context) (Response, Outcome, error)) (Response, Outcome, error) {
	answer, outcome, err := r.ask(ctx, try)
	var named *callError
	if err != nil && !errors.As(err, &named) && (errors.Is(err, ErrPayloadMismatch) || errors.Is(err, ErrBadInput)) {
		err = &callError{r.name, err}
	}
	if err != nil && outcome == "" {
		outcome = outcomeOf(err)
	}
	r.report(ctx, outcome, err)
	if err != nil {
		return Response{}, outcome, err
	}
	return answer, outcome, nil
}

func (r *request) ask(ctx context.Context, try func(context.Context) (Response, Outcome, error)) (Response, Outcome, error) {
	if err := r.prepare(); err != nil {
		return Response{}, OutcomeBadInput, err
	}
	until, unknown := r.start.Add(r.wait), error(nil)
	for pause := twinPause; ; pause = min(2*pause, twinLongest) {
		answer, outcome, err := try(ctx)
		switch {
		case r.commitUnknown(err) && !r.session.InTransaction():
			// The row tells, as soon as the server has noticed that its client is gone.
			if unknown == nil {
				until = time.Now().Add(resolveTimeout)
			}
			unknown = err
		case errors.Is(err, ErrInProgress):
		case unknown == nil || err == nil || refused(err):
			return answer, outcome, err
		}
		d := jitter(pause)
		if time.Now().Add(d).After(until) || sleep(ctx, d) != nil {
			if unknown != nil {
				return Response{}, OutcomeCommitUnknown, unknown
			}
			return Response{}, outcome, err
		}
	}
}

// commitUnknown reports a lost answer to a COMMIT of this request's own, and not of
// something that its work did elsewhere.
func (r *request) commitUnknown(err error) bool {
	var unknown *CommitUnknownError
	return errors.As(err, &unknown) && strings.HasPrefix(unknown.Operation, r.name)
}

// prepare checks the key and hashes the payload, before anything is sent.
func (r *request) prepare() (err error) {
	if text, ok := r.key[len(r.key)-1].(string); ok && r.caller {
		if err := checkKey(text); err != nil {
			return err
		}
	}
	r.hash, err = hashPayload(payloadVersion, r.payload)
	return err
}

// report tells the observer how the request was answered.
func (r *request) report(ctx context.Context, outcome Outcome, err error) {
	if r.session.root.observer == nil {
		return
	}
	e := Event{Operation: r.name, Table: r.table, Attempt: 1, Duration: time.Since(r.start), Request: true, Outcome: outcome, key: r.key}
	e.classify(err)
	e.Outcome = outcome
	r.session.root.observer.Observe(ctx, e)
}

// args are the values of the key, and others behind them.
func (r *request) args(more ...any) []any {
	return append(append(make([]any, 0, len(r.key)+len(more)), r.key...), more...)
}

// step runs a statement of a request, which is reported as a whole, and returns
// its row; nil when there is none.
func step[T any](ctx context.Context, s *Session, op *Operation, dest func(*T) []any, args ...any) (*T, error) {
	c := s.call(op)
	found := one[T]{dest: dest}
	if err := c.perform(ctx, args, &found); err != nil {
		return nil, c.name(err)
	}
	if found.n == 0 {
		return nil, nil
	}
	return &found.row, nil
}

// stored is the row of a key, as all looks begin.
type stored struct {
	hash      []byte
	version   int16
	completed bool
	expired   bool
	status    int32
	header    json.RawMessage
	body      []byte
}

func (s *stored) dest() []any {
	return []any{&s.hash, &s.version, &s.completed, &s.expired, &s.status, &s.header, &s.body}
}

// same compares the payload with the one that the key was stored with.
func (r *request) same(s *stored) error {
	hash := r.hash
	if s.version != payloadVersion {
		var err error
		if hash, err = hashPayload(s.version, r.payload); err != nil {
			return &callError{r.name, err}
		}
	}
	if !bytes.Equal(hash, s.hash) {
		return ErrPayloadMismatch
	}
	return nil
}

// response is the stored answer.
func (s *stored) response() (Response, error) {
	r := Response{Status: int(s.status), Body: s.body}
	if len(s.header) > 0 {
		r.Header = http.Header{}
		if err := json.Unmarshal(s.header, &r.Header); err != nil {
			return Response{}, fmt.Errorf("%w: the stored header: %w", ErrUnreadable, err)
		}
	}
	return r, nil
}

// replay is the answer that a completed row gives. The payload comes first: who
// has another one learns nothing of the answer.
func (r *request) replay(s *stored) (Response, Outcome, error) {
	if err := r.same(s); err != nil {
		return Response{}, outcomeOf(err), err
	}
	answer, err := s.response()
	if err != nil {
		return Response{}, OutcomeError, &callError{r.name, err}
	}
	return answer, OutcomeReplayed, nil
}

// answerArgs are the values that an answer is stored from.
func answerArgs(answer Response, reference bool) ([]any, error) {
	if err := answer.check(); err != nil {
		return nil, err
	}
	if reference {
		return []any{string(answer.Body)}, nil
	}
	header, err := answer.headerJSON()
	if err != nil {
		return nil, err
	}
	status := answer.Status
	if status == 0 {
		status = http.StatusOK
	}
	return []any{int32(status), header, answer.Body}, nil //nolint:gosec // check has looked at the status
}
