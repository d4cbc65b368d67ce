package pawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Outcome is how an operation or an attempt ended: a small closed set, fit for a
// metric's label.
type Outcome string

// The outcomes.
const (
	OutcomeOK            Outcome = "ok"
	OutcomeRepeated      Outcome = "repeated"       // a move was asked for again: nothing to do
	OutcomeInserted      Outcome = "inserted"       // by an upsert
	OutcomeUpdated       Outcome = "updated"        // by an upsert
	OutcomeUnchanged     Outcome = "unchanged"      // an upsert found its row and had nothing to write, or ignored the new one
	OutcomeNotFound      Outcome = "not_found"      //
	OutcomeState         Outcome = "wrong_state"    //
	OutcomeGuard         Outcome = "guard"          //
	OutcomeStale         Outcome = "stale"          // also of a versioned upsert, which is no error there
	OutcomeConstraint    Outcome = "constraint"     // Event.Constraint says which
	OutcomeBadInput      Outcome = "bad_input"      //
	OutcomeBusy          Outcome = "busy"           // a lock was not to be had in time
	OutcomeTimeout       Outcome = "timeout"        //
	OutcomeClaimLost     Outcome = "claim_lost"     //
	OutcomeConflict      Outcome = "conflict"       // a serialization failure or deadlock inside a transaction, whose owner may retry it
	OutcomeRetried       Outcome = "retried"        // an attempt that is followed by another: not an error of the operation
	OutcomeExhausted     Outcome = "exhausted"      // the last attempt failed with an error worth a retry
	OutcomeCommitUnknown Outcome = "commit_unknown" // alarm on any
	OutcomeStored        Outcome = "stored"         // committed, but the row that came back does not fit its Go type
	OutcomeExecuted      Outcome = "executed"       // work that is done once was done by this request
	OutcomeReplayed      Outcome = "replayed"       // the stored answer of such work was given
	OutcomeTakeover      Outcome = "takeover"       // such work was left behind by a run, and finished by this request
	OutcomeDuplicate     Outcome = "duplicate"      // a message that was taken before: acknowledge it
	OutcomeInProgress    Outcome = "in_progress"    // another request does the work at the moment
	OutcomeMismatch      Outcome = "mismatch"       // the key was used with another payload: alarm on any
	OutcomeLeaseLost     Outcome = "lease_lost"     // the work was taken over by another request
	OutcomeUnknown       Outcome = "unknown"        // zero rows and no reason found: alarm on any
	OutcomeCanceled      Outcome = "canceled"       // the context ended
	OutcomeError         Outcome = "error"          // anything else
)

// Event is one finished operation, transaction or attempt. Its fields are static
// names and numbers, fit for metrics: no argument or row is in it, and the key of
// the row only behind the methods Key and KeyHash.
type Event struct {
	Operation  string // address of the operation, or the transaction's name
	Table      string // schema.table; empty for a transaction
	Invariant  string // address of the constraint that refused
	Constraint string // its name in the database
	SQLState   string // of the error, when the server reported one
	State      string // that the row was in when it refused a move
	Outcome    Outcome
	Attempt    int   // 1 for the first
	Rows       int64 // returned or changed
	Duration   time.Duration
	Isolation  pgx.TxIsoLevel // of a transaction; empty for a single statement
	Upserted   UpsertCounts   // of an upsert: how many rows ended how
	// Request marks a request for work that is done once, as a whole: Outcome then
	// says how it was answered.
	Request bool

	key []any
}

// Key is the key of the row that the operation was about, as text; empty where it
// was about no single row. It is a person's data where the key is an address or a
// name: think before it goes into a log, and never make a metric's label of it.
func (e *Event) Key() string {
	parts := make([]string, len(e.key))
	for i, part := range e.key {
		parts[i] = fmt.Sprint(part)
	}
	return strings.Join(parts, ",")
}

// KeyHash is a short hash of Key, by which the events of one row are found
// without showing it; empty where Key is. It hides a key from a reader, not from
// somebody who tries all keys there can be.
func (e *Event) KeyHash() string {
	key := e.Key()
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}

// Observer is told about every operation, in the goroutine that ran it: it must
// be quick and safe for concurrent use.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// ObserverFunc makes a function an Observer.
type ObserverFunc func(ctx context.Context, e Event)

// Observe calls f.
func (f ObserverFunc) Observe(ctx context.Context, e Event) { f(ctx, e) }

// outcomes is searched from the top.
var outcomes = []struct {
	family  error
	outcome Outcome
}{
	{ErrStored, OutcomeStored}, // is ErrCommitUnknown too
	{ErrCommitUnknown, OutcomeCommitUnknown},
	{ErrDuplicateMessage, OutcomeDuplicate},
	{ErrNotFound, OutcomeNotFound},
	{ErrGuard, OutcomeGuard},
	{ErrStale, OutcomeStale},
	{ErrBadInput, OutcomeBadInput},
	{ErrBusy, OutcomeBusy},
	{ErrTimeout, OutcomeTimeout},
	{ErrClaimLost, OutcomeClaimLost},
	{ErrPayloadMismatch, OutcomeMismatch},
	{ErrInProgress, OutcomeInProgress},
	{ErrLeaseLost, OutcomeLeaseLost},
	{ErrUnsettled, OutcomeUnknown},
	{context.Canceled, OutcomeCanceled},
	{context.DeadlineExceeded, OutcomeCanceled},
}

// classify fills the fields of e that follow from err.
func (e *Event) classify(err error) {
	if err == nil {
		if e.Outcome == "" {
			e.Outcome = OutcomeOK
		}
		return
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		e.SQLState = pgErr.Code
	}
	e.Outcome = outcomeOf(err)
	var c *ConstraintError
	if errors.As(err, &c) {
		e.Constraint, e.Invariant = c.Constraint, c.Address
	}
	var state *StateError
	if errors.As(err, &state) {
		e.State = state.Current
	}
}

// outcomeOf names how an operation that failed with err ended.
func outcomeOf(err error) Outcome {
	var retry *RetryError
	if errors.As(err, &retry) {
		return OutcomeExhausted
	}
	var c *ConstraintError
	if errors.As(err, &c) {
		return OutcomeConstraint
	}
	var state *StateError
	if errors.As(err, &state) {
		return OutcomeState
	}
	for _, o := range outcomes {
		if errors.Is(err, o.family) {
			return o.outcome
		}
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && (pgErr.Code == "40001" || pgErr.Code == "40P01") {
		return OutcomeConflict
	}
	return OutcomeError
}
