// Package pawl is the runtime of the code that the pawl tool generates. It needs
// pgx and nothing else, and a project may import it or carry a copy.
//
// A program uses the generated package, store in what follows, and meets this one
// in options, errors and transactions:
//
//	db := store.New(pool, pawl.WithObserver(pawl.LogTo(slog.Default())))
//	if err := db.Check(ctx); err != nil {
//		return err // the database does not hold what this code relies on
//	}
//	item, err := db.Items.Take(ctx, 7, 3)
//	switch {
//	case errors.Is(err, pawl.ErrGuard):
//		// not enough in stock
//	case errors.Is(err, pawl.ErrNotFound):
//		// no such item
//	}
//
// # Transactions
//
// A method that is called by itself is a transaction of its own. [InTx], which
// generated packages wrap as store.InTx, makes one of several calls:
//
//	order, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (store.Order, error) {
//		if _, err := tx.Items.Take(ctx, 7, 3); err != nil {
//			return store.Order{}, err
//		}
//		tx.AfterCommit(func() { mail(customer) })
//		return tx.Orders.Insert(ctx, store.OrderInsert{UserID: customer})
//	})
//
// It runs all of the function again when PostgreSQL answers with a serialization
// failure or a deadlock, at any statement or at COMMIT. So the function does nothing
// that a second run would do twice: what leaves the database, a mail or a message,
// waits in [Session.AfterCommit], and its result is what it returns. How often it
// is tried is the specification's to say, and [Retry] or [WithRetry] win over it;
// [Isolation], [LockTimeout] and the other options of type [TxOption] are for one
// call. InTx inside InTx joins.
//
// [Savepoint] is for a part that may fail by itself: its work is undone, its hooks
// are dropped, and the transaction goes on.
//
// A caller who has a pgx.Tx already, or another library that has one, binds it
// with [Session.WithTx]; then nothing is retried and no setting changes.
// [Session.DB] is the way back: inside InTx it is the transaction, for statements of
// one's own and for other libraries' queries.
//
// # Errors
//
// Every error names the operation's address and belongs to a family: test with
// errors.Is(err, [ErrOverlap]) and so on, or for one constraint with the
// variable that is generated for it. errors.As finds the *pgconn.PgError
// beneath. Error texts hold no values of rows, so that they can be logged.
// [HTTPStatus] is the status that a service would answer with.
//
// Three errors deserve a thought. [RetryError] says that the database was too busy
// with conflicting transactions; trying later is safe. [CommitUnknownError] says
// that the connection broke between COMMIT and its answer: the work may be done.
// This package never runs it again on its own. Look first, or make the operation
// one that can be repeated; [WithResolveCommit] asks the server. [StoredError] says
// that the work is committed and the row that came back does not fit its Go type: do
// not run it again. It matches [ErrCommitUnknown] too, so that code that looks first
// needs no second branch.
//
// # Watching
//
// [WithObserver] gives each operation's outcome to metrics and logs, as an [Event]
// of names from small closed sets and no data. [LogTo] writes events to slog,
// package otelpawl below this one feeds OpenTelemetry, and an [ObserverFunc] is a
// few lines for anything else. Several observers are several options.
//
// # What generated code does with it
//
// A specification says what must stay true of the data: one booking per room and
// time, a stock that never goes below zero, a task that one worker holds. The
// tool turns that into SQL and into one method per operation. The method's SQL
// and everything known about it stand in an [Operation]; the method itself is a
// call of one function of this package:
//
//   - [Guarded], [GuardedMany]: change rows if their guards hold, else say why not
//   - [QueryOne], [QueryAll], [QueryKeys], [Exec], [Copy]: insert, read, delete, bulk insert
//   - [Update]: set the columns that a caller names
//   - [Edit], [EditMany]: lock rows, decide in Go, write them
//   - [Upsert], [UpsertMany]: insert, or meet the row that is there
//   - [Queue]: enqueue, claim, complete and work on tasks
//   - [Do], [DoPhases], [Handler]: work that is done once for each key
//   - [Run], [TryRun], [Lead]: work that only one process does at a time
//   - [Check]: is the database the one this code was generated for?
//   - [Maintain]: remove what is no longer kept
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
package pawl
