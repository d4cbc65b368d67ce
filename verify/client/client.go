// Package client performs the operations of a compiled program as generated code
// would: the same statements in the same transactions, with the same meaning of
// zero rows, the same errors by constraint, and the same retries. It reads an
// ir.Operation where generated code was written from one, so verify needs no Go
// compiler to run a program's methods.
//
// Values are text, as PostgreSQL spells them, or nil for NULL.
//
// Two things are left out, because they are not what is verified: timeouts (a
// generated method sets lock_timeout and statement_timeout along with its
// statement), and the pauses between attempts. So an operation of one statement
// is one statement here, which commits by itself.
package client

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// DB is where a call runs: a connection, or a transaction of the caller's.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Beginner is a DB that can open transactions: *pgx.Conn, *pgxpool.Pool and
// *explore.Conn.
type Beginner interface {
	DB
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Call is one use of an operation.
type Call struct {
	Operation *ir.Operation
	// Args holds a value for each of the operation's Key and Args, by name; what is
	// missing is NULL. Arrays are spelled as PostgreSQL spells them: {1,2}. What a
	// generated method adds by itself may be left out: the lease of a queue is the
	// declared one then, and the jitter of a failed task is 0, no pause at all.
	Args map[string]*string
	// Decide is what an edit's function does: it gets the row that was read and
	// returns the new values of Operation.Columns; columns it leaves out stay as they
	// are, and when nothing changes nothing is written. Nil for other operations.
	Decide func(row map[string]*string) map[string]*string
	// Work is what runs while a singleton is held; its error ends the call and comes
	// back from Do as it is. Nil for other operations.
	Work func(ctx context.Context, tx pgx.Tx) error
	// Without breaks the call on purpose, for mutants.
	Without Without
}

// Without is what a broken client leaves out.
type Without struct {
	Retry    bool // a serialization failure or deadlock goes straight to the caller
	RowCount bool // zero rows are taken for success
	Again    bool // an upsert whose row has gone is not tried again
	// Transaction makes each statement of an edit or a claim commit by itself. A
	// singleton's lock is then given back before its work begins, in a transaction
	// of its own. In a caller's transaction it changes nothing.
	Transaction bool
}

// Answer classifies how a call ended. Every answer is one that the declaration
// allows; whatever else happens is an error of Do.
type Answer string

// The answers.
const (
	OK        Answer = "ok"        // the effect took place, or a read found its row
	Repeated  Answer = "repeated"  // already so: no effect, no error
	NotFound  Answer = "not found" // no such row, or nothing to claim
	Refused   Answer = "refused"   // by state, guard, input, fence or a race; see About
	Violation Answer = "violation" // a declared constraint said no; About is its name
	Busy      Answer = "busy"      // a lock was not to be had: 55P03, or a singleton that somebody else runs
)

// Outcome is what a call's caller learns.
type Outcome struct {
	Answer Answer
	// About names what refused: the state, the guard, the argument (or [Input]),
	// [Fence], [Unsettled], or the constraint.
	About string
	// Rows are what the operation returned, by column: also the row of a Repeated
	// call, and the ids that got through where some claims were lost.
	Rows []map[string]*string
	// Read is the row that an edit decided on.
	Read map[string]*string
	// Reads are the rows that an edit of many decided on and then wrote, as Rows are
	// what it made of them.
	Reads []map[string]*string
	// Attempts is one more than how often something was tried again.
	Attempts int
}

// What About says where it is no name of the declaration's.
const (
	// Fence says that a claim was lost: its task is not, or may not be, this
	// worker's any more.
	Fence = "fence"
	// Unsettled says that a guarded statement touched no row twice in a row, and that
	// nothing stood in its way whenever it was asked why.
	Unsettled = "unsettled"
	// Stale says that the row has another version than the caller has read.
	Stale = "stale"
	// Input says that the server found a value out of range, and did not name it.
	Input = "input"
)
