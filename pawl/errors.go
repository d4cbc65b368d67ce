package pawl

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The families of errors. Test for them with errors.Is; the error in hand says
// more: which constraint, which state, which guard.
var (
	// ErrNotFound says that no row has the key that was asked for.
	ErrNotFound = errors.New("not found")
	// ErrDuplicate says that a row with the same key is there (23505).
	ErrDuplicate = errors.New("duplicate")
	// ErrOverlap says that a row that overlaps is there (23P01).
	ErrOverlap = errors.New("overlaps an existing row")
	// ErrReference says that a row that is referred to is missing, or that a row
	// is still referred to (23503, 23001).
	ErrReference = errors.New("reference violated")
	// ErrCheck says that a CHECK refused the row (23514).
	ErrCheck = errors.New("check violated")
	// ErrMissing says that a column that must have a value has none (23502).
	ErrMissing = errors.New("missing value")
	// ErrBadInput says that PostgreSQL could not take a value: a range that ends
	// before it starts, a number out of range, a text that is too long or no UTF-8,
	// a negative limit (class 22).
	ErrBadInput = errors.New("bad input")
	// ErrState says that the row is in a state that the move does not leave. The
	// error is a *StateError, or a *ConstraintError when a trigger refused.
	ErrState = errors.New("wrong state")
	// ErrImmutable says that a trigger refused to change or delete what never
	// changes (PW002): a column that is immutable, or a row of a table that rows are
	// only added to. No generated method tries; SQL of the caller's own may.
	ErrImmutable = errors.New("may not be changed")
	// ErrLimit says that a group is full: more rows, or a greater sum, than its limit
	// allows. The error is a *ConstraintError; where rows came in it is a *LimitError
	// too, which says how much is used.
	ErrLimit = errors.New("limit reached")
	// ErrGuard says that a guard does not hold. The error is a *GuardError.
	ErrGuard = errors.New("guard does not hold")
	// ErrStale says that the row was changed since the caller read it.
	ErrStale = errors.New("stale version")
	// ErrRule says that a rule over several rows would not hold any more.
	ErrRule = errors.New("rule violated")
	// ErrBusy says that a lock was not to be had in time (55P03): lock_timeout or
	// NOWAIT. Nothing was changed; the same call may work in a moment.
	ErrBusy = errors.New("busy")
	// ErrTimeout says that statement_timeout ended the statement (57014).
	ErrTimeout = errors.New("statement timed out")
	// ErrClaimLost says that a task's lease ended and the task went, or may go, to
	// someone else. Whatever was done for it must not be counted as done.
	ErrClaimLost = errors.New("claim lost")
	// ErrUnsettled says that a guarded statement touched no row although nothing
	// stood in its way when it looked why, twice in a row. It is safe to try again.
	ErrUnsettled = errors.New("the row changed each time it was looked at")
	// ErrNotEditable says that the function of an Edit changed a column that is
	// not among the edit's columns. Nothing was written.
	ErrNotEditable = errors.New("column is not editable")
	// ErrNoTransaction says that an operation whose effect is a lock was called
	// outside a transaction, where the lock would be gone before the call returns.
	ErrNoTransaction = errors.New("needs a transaction")
	// ErrCommitUnknown says that the connection was lost while the transaction was
	// being committed: it may or may not have happened. The error is a
	// *CommitUnknownError. It is never retried by this package.
	ErrCommitUnknown = errors.New("it is not known whether the transaction was committed")
	// ErrStored says that the work is committed although the call failed. The error
	// is a *StoredError. It must not be run again.
	ErrStored = errors.New("the work is stored")
	// ErrUnreadable says that a row of the database does not fit its Go type: a
	// value that the type cannot hold, such as infinity in a time.Time, or code that
	// was generated for another version of the table.
	ErrUnreadable = errors.New("a row does not fit its Go type")
	// ErrRolledBack says that a transaction, or the part of it in a Savepoint, was
	// rolled back although its function asked for a commit, because an error inside
	// it had been dropped.
	ErrRolledBack = errors.New("transaction was rolled back")
)

// StateError says that a move found its row in a state that it does not leave.
// errors.Is(err, ErrState) holds for it.
type StateError struct {
	Operation string // the address of the move
	Current   string // the state the row is in
	Wanted    string // the state the move leads to
}

// Error names the operation and both states.
func (e *StateError) Error() string {
	return fmt.Sprintf("%s: the row is %q and cannot become %q", e.Operation, e.Current, e.Wanted)
}

// Is reports that e belongs to ErrState.
func (e *StateError) Is(target error) bool { return target == ErrState }

// GuardError says that a guard of a move or an adjustment does not hold.
// errors.Is(err, ErrGuard) holds for it.
type GuardError struct {
	Operation string
	Guard     string // the check's name, or "guard" for the guard of the operation
	// Expr is the guard of the operation as the specification has it; empty for a
	// check, which has a name.
	Expr string
	// Row is the row as it was found, of the repository's row type. It is not part
	// of Error(), because rows hold personal data.
	Row any
}

// Error names the operation and the guard, never the row.
func (e *GuardError) Error() string {
	if e.Expr != "" {
		return fmt.Sprintf("%s: %s does not hold: %s", e.Operation, e.Guard, e.Expr)
	}
	return fmt.Sprintf("%s: %s does not hold", e.Operation, e.Guard)
}

// Is reports that e belongs to ErrGuard.
func (e *GuardError) Is(target error) bool { return target == ErrGuard }

// NotEditableError says which column the function of an Edit changed although
// the edit does not declare it. errors.Is(err, ErrNotEditable) holds for it.
type NotEditableError struct {
	Operation string
	Column    string
}

// Error names the column.
func (e *NotEditableError) Error() string {
	return fmt.Sprintf("%s: column %q is not among the columns of this edit; nothing was written", e.Operation, e.Column)
}

// Is reports that e belongs to ErrNotEditable.
func (e *NotEditableError) Is(target error) bool { return target == ErrNotEditable }

// IsolationError says that a call needs another isolation level than the open
// transaction has. PostgreSQL cannot change the level of a transaction that has
// begun its work, and running at the wrong one would break the promise silently.
type IsolationError struct {
	Operation string
	Have      pgx.TxIsoLevel // empty when a trigger of the database noticed it
	Want      pgx.TxIsoLevel

	refused *pgconn.PgError // what the trigger said; nil when nothing was sent
}

// Error says what the level is and what it has to be.
func (e *IsolationError) Error() string {
	if e.refused != nil {
		return fmt.Sprintf("%s: needs isolation level %s: %s (SQLSTATE %s); open the transaction with pawl.Isolation", e.Operation, e.Want, e.refused.Message, e.refused.Code)
	}
	return fmt.Sprintf("%s: needs isolation level %s, the open transaction has %s; open it with pawl.Isolation", e.Operation, e.Want, e.Have)
}

// Unwrap returns the server's error, where it was the server that noticed.
func (e *IsolationError) Unwrap() error {
	if e.refused == nil {
		return nil
	}
	return e.refused
}

// RetryError says that the last permitted attempt failed with an error that is
// worth another try, such as a serialization failure. It unwraps to that error,
// to the families that it belongs to (ErrBusy for a lock that was never to be
// had, a constraint that the policy retries) and, when a context ended the
// waiting, to the context's error.
type RetryError struct {
	Operation string
	Attempts  int
	Elapsed   time.Duration
	Last      error
	Stopped   error // the context's error, when that ended the retries

	described error // what the server's error inside Last means, when Last is a caller's
}

// Error says how often it was tried and what came back last.
func (e *RetryError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: gave up after %d attempts in %s", e.Operation, e.Attempts, e.Elapsed.Round(time.Millisecond))
	if e.Stopped != nil {
		fmt.Fprintf(&b, " (%v)", e.Stopped)
	}
	fmt.Fprintf(&b, ": %v", e.Last)
	return b.String()
}

// Unwrap returns the last attempt's error with its meaning, and the context's
// error when there is one.
func (e *RetryError) Unwrap() []error {
	errs := []error{e.Last}
	if e.described != nil {
		errs = append(errs, e.described)
	}
	if e.Stopped != nil {
		errs = append(errs, e.Stopped)
	}
	return errs
}

// CommitUnknownError says that the connection was lost after the commit was
// handed to it and before the answer came. The work is either whole in the
// database or not at all. Look before doing it again; a natural key or an
// idempotency key answers best. errors.Is(err, ErrCommitUnknown) holds for it.
type CommitUnknownError struct {
	Operation string
	// XID is the transaction's id for pg_xact_status, when WithResolveCommit was
	// given and the transaction had one; otherwise it is empty.
	XID string
	// Cause is how the connection was lost.
	Cause error
}

// Error says what is not known.
func (e *CommitUnknownError) Error() string {
	return fmt.Sprintf("%s: the connection was lost during COMMIT, so the work may or may not be stored: %v", e.Operation, e.Cause)
}

// Is reports that e belongs to ErrCommitUnknown.
func (e *CommitUnknownError) Is(target error) bool { return target == ErrCommitUnknown }

// Unwrap returns how the connection was lost, which may be the context's error.
func (e *CommitUnknownError) Unwrap() error { return e.Cause }

// SafeToRetry answers pgconn.SafeToRetry: never, whatever the cause says.
func (e *CommitUnknownError) SafeToRetry() bool { return false }

// StoredError says that a write outside a transaction was committed, and that
// the row it returned does not fit its Go type (Cause, of family ErrUnreadable).
// Running it again would do the work twice. errors.Is(err, ErrStored) holds for
// it, and so does errors.Is(err, ErrCommitUnknown), so that code that looks
// before it repeats work whose commit is in doubt does so here too.
//
// Inside a transaction there is no such error: whoever owns the transaction
// decides what becomes of it, and a row that cannot be read is ErrUnreadable.
type StoredError struct {
	Operation string
	Cause     error
}

// Error says that the work is done and what could not be read.
func (e *StoredError) Error() string {
	return fmt.Sprintf("%s: the work is stored and must not be run again, but %v", e.Operation, e.Cause)
}

// Is reports that e belongs to ErrStored and to ErrCommitUnknown.
func (e *StoredError) Is(target error) bool { return target == ErrStored || target == ErrCommitUnknown }

// Unwrap returns what could not be read.
func (e *StoredError) Unwrap() error { return e.Cause }

// SafeToRetry answers pgconn.SafeToRetry: never.
func (e *StoredError) SafeToRetry() bool { return false }

// ClaimLostError names the tasks whose claims were lost.
// errors.Is(err, ErrClaimLost) holds for it.
type ClaimLostError struct {
	Operation string
	IDs       []int64

	claims []Claim // the holds that were lost; a task may have had several
}

// Error names the tasks by id.
func (e *ClaimLostError) Error() string {
	return fmt.Sprintf("%s: claim lost for %d task(s): %d", e.Operation, len(e.IDs), e.IDs)
}

// Is reports that e belongs to ErrClaimLost.
func (e *ClaimLostError) Is(target error) bool { return target == ErrClaimLost }
