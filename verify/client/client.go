// Package client performs the operations of a compiled program as generated code
// would: the same statements in the same transactions, with the same meaning of
// zero rows, the same errors by constraint, and the same retries. It reads an
// ir.Operation where generated code was written from one, so verify needs no Go
// compiler to run a program's methods.
//
// Values are text, as PostgreSQL spells them, or nil for NULL.
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
	// missing is NULL.
	Args map[string]*string
	// Decide is what an edit's function does: it gets the row that was read and
	// returns the new values of Operation.Columns. Nil for other operations.
	Decide func(row map[string]*string) map[string]*string
	// Work is what runs while a singleton is held. Nil for other operations.
	Work func(ctx context.Context, tx pgx.Tx) error
	// Without breaks the call on purpose, for mutants.
	Without Without
}

// Without is what a broken client leaves out.
type Without struct {
	Retry       bool // a serialization failure or deadlock goes straight to the caller
	RowCount    bool // zero rows are taken for success
	Transaction bool // each statement of the operation commits by itself
}

// Answer classifies how a call ended. Every answer is one that the declaration
// allows; whatever else happens is an error of Do.
type Answer string

// The answers.
const (
	OK        Answer = "ok"        // the effect took place, or a read found its row
	Repeated  Answer = "repeated"  // already so: no effect, no error
	NotFound  Answer = "not found" // no such row, or nothing to claim
	Refused   Answer = "refused"   // by state, guard, input or fence; see About
	Violation Answer = "violation" // a declared constraint said no; About is its name
	Busy      Answer = "busy"      // a lock was not to be had (55P03)
)

// Outcome is what a call's caller learns.
type Outcome struct {
	Answer Answer
	// About names what refused: the state, the guard, "fence", or the constraint.
	About string
	// Rows are what the operation returned, by column.
	Rows []map[string]*string
	// Read is the row that an edit decided on.
	Read map[string]*string
	// Attempts is how many transactions it took.
	Attempts int
}
