// Package pawl is the runtime of the code that the pawl tool generates. It needs
// pgx and nothing else, and a project may import it or carry a copy.
//
// # What generated code does with it
//
// A specification says what must stay true of the data: one booking per room and
// time, a stock that never goes below zero, a task that one worker holds. The
// tool turns that into SQL and into one method per operation. The method's SQL
// and everything known about it stand in an [Operation]; the method itself is a
// call of one function of this package:
//
//   - [Guarded]: change a row if its guard holds, else say why not
//   - [QueryOne], [QueryAll], [Exec], [Copy]: insert, read, delete, bulk insert
//   - [Update]: set the columns that a caller names
//   - [Edit]: lock a row, decide in Go, write it
//   - [Queue]: enqueue, claim, complete and work on tasks
//   - [Run], [TryRun]: work that only one process does at a time
//   - [Check]: is the database the one this code was generated for?
//
// # Transactions
//
// [InTx] runs a function in a transaction, and runs all of it again when
// PostgreSQL answers with a serialization failure or a deadlock. A method called
// on the function's session is part of that transaction; a method called outside
// is a transaction of its own. A caller who has a pgx.Tx already binds it with
// [Session.WithTx]; then nothing is retried and no setting changes.
//
// # How a single statement runs
//
// Outside a transaction a writing statement travels in one batch with a
// statement that sets its timeouts: one round trip, one implicit transaction.
// The batch reports the isolation level it ran at. Guards hold because read
// committed checks them again on the newest version of the row; where the
// database's default is another level, the statement runs in a transaction that
// names its own, and the session remembers that.
//
// The first run of a statement on a connection takes the longer way too: pgx
// prepares it first, and that may wait for the lock of a DDL statement, so it
// happens inside a transaction that has its lock_timeout already.
//
// # Errors
//
// Every error names the operation's address and belongs to a family: test with
// errors.Is(err, [ErrOverlap]) and so on, or for one constraint with the
// variable that is generated for it. errors.As finds the *pgconn.PgError
// beneath. Error texts hold no values of rows, so that they can be logged.
//
// Three errors deserve a thought. [RetryError] says that the database was too busy
// with conflicting transactions; trying later is safe. [CommitUnknownError] says
// that the connection broke between COMMIT and its answer: the work may be done.
// This package never runs it again on its own. Look first, or make the operation
// one that can be repeated. [StoredError] says that the work is committed and the
// row that came back does not fit its Go type: do not run it again. It matches
// [ErrCommitUnknown] too, so that code that looks first needs no second branch.
//
// # Watching
//
// [WithObserver] gives each operation's outcome to metrics and logs, with names
// of a small closed set and no data.
package pawl
