package pawl

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrPayloadMismatch says that a key was used before with another payload. The
	// work was not done, and the stored answer is not given.
	ErrPayloadMismatch = errors.New("the key was used with another payload")
	// ErrInProgress says that the work of this key is being done at the moment. The
	// error is an *InProgressError, which says when to ask again.
	ErrInProgress = errors.New("in progress")
	// ErrLeaseLost says that another run has taken the key over, because this one's
	// lease had run out. What this run still wrote was rolled back.
	ErrLeaseLost = errors.New("the key was taken over")
)

// InProgressError says that the work of a key is being done at the moment.
// errors.Is(err, ErrInProgress) holds for it.
type InProgressError struct {
	Operation string
	// RetryAfter is when it is worth asking again: when the lease of the run ends,
	// or, for work in one transaction, a guess.
	RetryAfter time.Duration
}

// Error names the operation, never the key.
func (e *InProgressError) Error() string {
	return e.Operation + ": the work of this key is in progress; ask again after " + e.RetryAfter.String()
}

// Is reports that e belongs to ErrInProgress.
func (e *InProgressError) Is(target error) bool { return target == ErrInProgress }

// Once is the generated description of work in one transaction that is done once
// for each key. Every statement takes the values of the key as $1, $2, ….
type Once struct {
	// Name is the address: idempotency.refund_payment.
	Name string
	// Table is the table with the keys, for events: app.refund_payment.
	Table string
	// PrimaryKey is the constraint that a second run of one key cannot get past.
	PrimaryKey string
	// LockSQL tries to take the key for the transaction and returns a boolean.
	LockSQL string
	// Look returns the row of the key: payload_hash, hash_version, completed,
	// expired, status, header, body.
	Look Operation
	// Store stores the answer: behind the key it takes the hash, its version, and
	// status, header and body, or a reference. Its prelude removes an answer that
	// is no longer kept.
	Store Operation
	// Reap removes up to $1 answers that are no longer kept.
	Reap Operation
	// Reference says that the body is a reference, stored as text.
	Reference bool
	// Caller says that the last value of the key is the caller's own text, which is
	// checked before anything is sent.
	Caller bool
	// Wait is how long a twin tries again before it gets ErrInProgress.
	Wait time.Duration
	// Transaction is the set of limits of the work; nil means the session's.
	Transaction *Transaction
}

// MaxKey is how long a caller's key may be, in bytes.
const MaxKey = 255

// checkKey refuses a caller's key that is no key: empty, too long, or with
// characters that get lost on the way.
func checkKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: the key is empty", ErrBadInput)
	case len(key) > MaxKey:
		return fmt.Errorf("%w: the key has %d bytes; %d are allowed", ErrBadInput, len(key), MaxKey)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return fmt.Errorf("%w: the key holds the byte %#x; printable ASCII without spaces is allowed", ErrBadInput, key[i])
		}
	}
	return nil
}

// Do runs work once for each key. It returns the answer and how it came about:
// OutcomeExecuted when this call did the work, OutcomeReplayed when the answer was
// stored. The same key with another payload is ErrPayloadMismatch, and a key whose
// work is being done at this moment ErrInProgress, at once or after the wait of
// the specification, which holds no connection.
//
// Everything that work does through tx is committed together with the answer. An
// error rolls it back and frees the key: it may be tried again, with another
// payload too. The work may run more than once, see InTx, and must do nothing
// outside of the transaction. It runs at read committed; in an open transaction of
// another level Do fails with *IsolationError, and in one at read committed the
// key is held until that transaction ends.
//
// When the answer to COMMIT is lost, Do looks the key up: its row tells whether the
// work was done. Only when that cannot be told either is the error a
// *CommitUnknownError; the same call may then be made again without harm.
//
// A payload is a []byte, or any value whose JSON says what is asked for: all that
// decides what is done belongs in it. A key can be guessed: that somebody knows one
// never authorises anything. Keys, payloads and answers are read from the primary
// alone.
func Do(ctx context.Context, s *Session, o *Once, key []any, payload any, work func(ctx context.Context, tx *Session) (Response, error),
	options ...TxOption,
) (Response, Outcome, error) {
	r := &request{name: o.Name, table: o.Table, session: s, key: key, payload: payload, caller: o.Caller, wait: o.Wait, start: time.Now()}
	a := &atomicRun{request: r, once: o, work: work, config: s.onceConfig(o.Name, o.Transaction, options)}
	return r.answered(ctx, a.try)
}

// DoReference is Do for work whose answer is a reference: the work returns it, it
// is stored, and fetch makes the answer of it, for the call that did the work as
// for those after it.
func DoReference(ctx context.Context, s *Session, o *Once, key []any, payload any, work func(ctx context.Context, tx *Session) (string, error),
	fetch func(ctx context.Context, reference string) (Response, error), options ...TxOption,
) (Response, Outcome, error) {
	stored, outcome, err := Do(ctx, s, o, key, payload, func(ctx context.Context, tx *Session) (Response, error) {
		reference, err := work(ctx, tx)
		return Response{Body: []byte(reference)}, err
	}, options...)
	return fetched(ctx, stored, outcome, err, fetch)
}

// fetched makes the answer of a stored reference.
func fetched(ctx context.Context, stored Response, outcome Outcome, err error, fetch func(context.Context, string) (Response, error)) (Response, Outcome, error) {
	if err != nil {
		return Response{}, outcome, err
	}
	answer, err := fetch(ctx, string(stored.Body))
	return answer, outcome, err
}

// onceConfig is a transaction at read committed, whose commit nobody looks up by
// its id: the key's row tells more.
func (s *Session) onceConfig(name string, own *Transaction, options []TxOption) txConfig {
	c := s.txConfig(options)
	if own != nil {
		c = txConfig{limits: s.limits(own)}
		for _, o := range options {
			o(&c)
		}
	}
	c.name, c.exact, c.asked, c.unresolved = name, true, "", true
	c.limits.Isolation = ""
	return c
}
