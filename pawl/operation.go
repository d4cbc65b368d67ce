package pawl

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// Operation is one generated method as data: its final SQL and what the runtime
// must know to run it. Generated code keeps each in a package variable.
type Operation struct {
	// Name is the address: table.bookings.transitions.status.confirm.
	Name string
	// Table is the table in errors and events: app.bookings.
	Table string
	// SQL is the statement. A guarded statement that finds its guard false must
	// touch no row, and return no row.
	SQL string
	// Prelude are statements that run ahead of SQL in the same round trip and the
	// same transaction. Their results are dropped.
	Prelude []Statement
	// ExplainSQL says why SQL touched no row. It returns the row's columns as SQL
	// does, then two texts: a verdict and its subject. No row means that there is
	// no such row. The verdicts are
	//
	//	repeat  the row is as the move would leave it: it is returned, no error
	//	state   *StateError with Current = subject
	//	guard   *GuardError with Guard = subject: a check's name, or "guard" for the
	//	        operation's own guard, which has none
	//	input   ErrBadInput: the argument called subject is zero or less where it has to
	//	        be positive, or NaN or infinite where it is computed with
	//	stale   ErrStale
	//	again   nothing stands in the way any more: SQL is run once more
	ExplainSQL string
	// ExplainArgs are the positions (1 is the first) of the arguments that
	// ExplainSQL takes as $1, $2, …; nil passes all of them.
	ExplainArgs []int
	// KeyArgs is how many of the first arguments name the row; 0 when none do.
	KeyArgs int
	// Wanted is the state that a move leads to, for StateError.
	Wanted string
	// Guard is the operation's own guard as the specification has it, for the text
	// of GuardError; empty when there is none.
	Guard string
	// Errors are the constraints that SQL can violate. The session's are looked
	// through after them.
	Errors Constraints
	// Transaction is the set of limits of the operation; nil means the session's.
	Transaction *Transaction
	// ReadOnly marks a statement that changes nothing and takes no lock. Outside a
	// transaction it is sent as it is: it can wait for nothing but a DDL statement,
	// which the context's deadline bounds, so that setting timeouts would only cost.
	ReadOnly bool
	// NeedsTransaction marks a statement whose effect is a lock. Outside a
	// transaction it fails with ErrNoTransaction before anything is sent.
	NeedsTransaction bool
}

// Statement is an SQL text with the positions (1 is the first) of the call's
// arguments that it takes as $1, $2, ….
type Statement struct {
	SQL  string
	Args []int
}

// pick returns the arguments at positions; nil positions pick all.
func pick(args []any, positions []int) []any {
	if positions == nil {
		return args
	}
	picked := make([]any, len(positions))
	for i, p := range positions {
		picked[i] = args[p-1]
	}
	return picked
}

// NoTimeout as a limit switches PostgreSQL's timeout off. Zero leaves what the
// server, the role or the connection has set.
const NoTimeout time.Duration = -1

// Transaction is a `transaction` block of the specification: the limits that an
// operation or a transaction runs under. Durations are rounded up to whole
// milliseconds.
type Transaction struct {
	Isolation        pgx.TxIsoLevel // empty means read committed, whatever the server's default is
	LockTimeout      time.Duration  // lock_timeout
	StatementTimeout time.Duration  // statement_timeout
	IdleTimeout      time.Duration  // idle_in_transaction_session_timeout
	Retry            Policy
}

// isolation returns the level in force: read committed unless another is named.
func (t *Transaction) isolation() pgx.TxIsoLevel {
	if t.Isolation == "" {
		return pgx.ReadCommitted
	}
	return t.Isolation
}
