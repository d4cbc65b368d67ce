package pawl

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// collector takes the rows of a statement.
type collector interface {
	reset()                      // before each run: a failed attempt must leave nothing behind
	collect(rows pgx.Rows) error // reads all rows and closes them
	count() int64                // rows returned or changed
}

// one keeps the first row.
type one[T any] struct {
	dest func(*T) []any
	row  T
	n    int64
}

func (o *one[T]) reset()       { var zero T; o.row, o.n = zero, 0 }
func (o *one[T]) count() int64 { return o.n }
func (o *one[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		if o.n == 0 {
			d.keep(d.row(o.dest(&o.row)))
		}
		o.n++
	}
	return d.end()
}

// all keeps every row.
type all[T any] struct {
	dest func(*T) []any
	rows []T
}

func (a *all[T]) reset()       { a.rows = nil }
func (a *all[T]) count() int64 { return int64(len(a.rows)) }
func (a *all[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		var row T
		d.keep(d.row(a.dest(&row)))
		a.rows = append(a.rows, row)
	}
	return d.end()
}

// affected keeps how many rows the command tag counts.
type affected struct{ n int64 }

func (a *affected) reset()       { a.n = 0 }
func (a *affected) count() int64 { return a.n }
func (a *affected) collect(rows pgx.Rows) error {
	rows.Close()
	a.n = rows.CommandTag().RowsAffected()
	return rows.Err()
}

// call is one run of an operation, from the method to its event.
type call struct {
	s       *Session
	op      *Operation
	limits  Transaction
	start   time.Time // zero when nobody observes
	args    []any     // of the method, the key first; nil where nothing names a row
	attempt int
	// upserted counts the rows of an upsert by their outcomes, for the event.
	upserted UpsertCounts
}

func (s *Session) call(op *Operation) call {
	c := call{s: s, op: op, limits: s.limits(op.Transaction), attempt: 1}
	if s.root.observer != nil {
		c.start = time.Now()
	}
	return c
}

// done names the operation in err and reports the event.
func (c *call) done(ctx context.Context, outcome Outcome, rows int64, err error) error {
	err = c.name(err)
	c.s.trace(ctx, err)
	if c.s.root.observer != nil {
		c.report(ctx, outcome, rows, err)
	}
	return err
}

func (c *call) report(ctx context.Context, outcome Outcome, rows int64, err error) {
	e := Event{Operation: c.op.Name, Table: c.op.Table, Outcome: outcome, Attempt: c.attempt, Rows: rows, Duration: time.Since(c.start), Upserted: c.upserted}
	if c.op.KeyArgs <= len(c.args) {
		e.key = c.args[:c.op.KeyArgs]
	}
	e.classify(err)
	if outcome == OutcomeRetried {
		e.Outcome = OutcomeRetried
	}
	c.s.root.observer.Observe(ctx, e)
}

// name turns err into what callers see. Inside a transaction an error worth a
// retry passes through as it came: whoever owns the transaction looks for it.
func (c *call) name(err error) error {
	if err == nil || named(err) {
		return err
	}
	policy := c.limits.Retry
	if c.s.InTransaction() && policy.retries(err) {
		return err
	}
	described := describe(c.op.Name, err, c.op.Errors, c.s.root.constraints)
	if t := c.s.tx; t != nil && any(t.first) == any(err) {
		t.first = described // so that statements behind it can name the one that failed
	}
	return described
}

// named reports whether err already carries an operation's name.
func named(err error) bool {
	// The outermost error alone: what it wraps may have been named by another call.
	switch any(err).(type) {
	case *RetryError, *CommitUnknownError, *StoredError, *StateError, *GuardError, *ClaimLostError, *NotEditableError,
		*IsolationError, *InProgressError, *BatchError, *violation, *sqlError, *callError, *beginError:
		return true
	}
	return false
}

// perform runs the operation's statement: alone inside a transaction, otherwise
// as a transaction of its own, tried again as the policy says.
func (c *call) perform(ctx context.Context, args []any, into collector) error {
	if c.s.InTransaction() {
		into.reset()
		if err := c.joins(ctx); err != nil {
			return err
		}
		return c.s.inside(ctx, c.op, args, into)
	}
	if c.op.NeedsTransaction {
		return ErrNoTransaction
	}
	err := c.once(ctx, args, into)
	if err == nil || !c.limits.Retry.retries(err) {
		return err
	}
	return c.retry(ctx, args, into, err)
}

// joins refuses to run in an open transaction that is weaker than the one that the
// specification gives the operation. The timeouts of the open one hold.
func (c *call) joins(ctx context.Context) error {
	if c.op.Transaction == nil {
		return nil
	}
	return c.s.checkIsolation(ctx, &txConfig{name: c.op.Name, asked: c.op.Transaction.Isolation})
}

// retry is the slow half of perform: it runs only after a first failure.
func (c *call) retry(ctx context.Context, args []any, into collector, err error) error {
	r := newRetrier(c.op.Name, c.limits.Retry, c.op.Errors, c.s.root.constraints)
	for {
		next := r.wait(ctx, err)
		if next != nil {
			return next
		}
		if c.s.root.observer != nil {
			c.report(ctx, OutcomeRetried, 0, err)
		}
		c.attempt = r.attempt
		err = c.once(ctx, args, into)
		if err == nil || !c.limits.Retry.retries(err) {
			return err
		}
	}
}

// once is one attempt outside a transaction.
func (c *call) once(ctx context.Context, args []any, into collector) error {
	into.reset()
	if c.op.ReadOnly && len(c.op.Prelude) == 0 {
		return c.read(ctx, args, into)
	}
	db := c.s.db
	if pool, ok := db.(acquirer); ok {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return err // nothing was sent
		}
		defer conn.Release()
		db = conn
	}
	known := acquaintanceOf(db)
	err := c.on(ctx, db, known, args, into)
	known.note(c.op.SQL, err)
	return err
}

// read runs a statement that needs no limits.
func (c *call) read(ctx context.Context, args []any, into collector) error {
	if c.s.root.describes {
		// A batch parses the statement again where it runs it. Query counts on
		// finding what it had described, which is on another server by then.
		return c.s.insideBatch(ctx, c.op, args, into)
	}
	rows, err := c.s.db.Query(ctx, c.op.SQL, args...)
	if err == nil {
		err = into.collect(rows)
	}
	return unsent(c.s.db, args, err)
}

// on is once on a connection.
func (c *call) on(ctx context.Context, db DB, known *acquaintance, args []any, into collector) error {
	if c.limits.isolation() != pgx.ReadCommitted || c.s.root.explicit.Load() || !known.batches(c.op.SQL) {
		return c.explicitly(ctx, db, args, into)
	}
	readCommitted, err := c.batch(ctx, db, args, into)
	if readCommitted {
		return err
	}
	// The server's default isolation level is not read committed: a guard was not
	// checked again on the newest row. Zero rows, and a serialization failure, are
	// then no answer; a row that was returned is.
	c.s.root.explicit.Store(true)
	if c.limits.Retry.retries(err) || (err == nil && into.count() == 0) {
		into.reset()
		return c.explicitly(ctx, db, args, into)
	}
	return err
}

// batch sends the settings, the prelude and the statement in one round trip: one
// implicit transaction, whose Sync is its COMMIT. readCommitted is false when
// the batch ran at another isolation level.
//
// BEGIN does not travel with it: COMMIT could only follow once the reply is here.
func (c *call) batch(ctx context.Context, db DB, args []any, into collector) (readCommitted bool, err error) {
	if err := ctx.Err(); err != nil {
		return true, err // nothing was sent
	}
	var b pgx.Batch
	b.Queue(c.s.root.settings.settings(timeouts{c.limits.LockTimeout, c.limits.StatementTimeout}))
	c.op.queue(&b, args)
	results := db.SendBatch(ctx, &b)
	readCommitted, err = readSettings(results)
	if err == nil {
		err = c.op.read(results, into)
	}
	closeErr := results.Close()
	if bad := unsent(db, args, err); !errors.Is(err, bad) {
		return true, bad
	}
	return readCommitted, c.op.ended(err, closeErr)
}

// ended is the error of a batch that commits, from that of its statements and
// that of its end. Close reads up to the end of the transaction: a deferred
// constraint speaks there. It counts unless a statement had failed before.
func (op *Operation) ended(err, closeErr error) error {
	var unread *unreadable
	switch {
	case err == nil, errors.As(err, &unread) && closeErr != nil:
		return commitError(op.Name, closeErr)
	case unread != nil && op.ReadOnly:
		return err
	case unread != nil:
		return &StoredError{Operation: op.Name, Cause: err}
	}
	return commitError(op.Name, err)
}

// queue adds the prelude and the statement to b.
func (op *Operation) queue(b *pgx.Batch, args []any) {
	for _, p := range op.Prelude {
		b.Queue(p.SQL, pick(args, p.Args)...)
	}
	b.Queue(op.SQL, args...)
}

// read reads the results of what queue queued.
func (op *Operation) read(results pgx.BatchResults, into collector) error {
	if err := skip(results, len(op.Prelude)); err != nil {
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return into.collect(rows)
}

// readSettings reads the result of the settings statement. The isolation level
// is compared as raw bytes, which are the same in both wire formats.
func readSettings(results pgx.BatchResults) (readCommitted bool, err error) {
	rows, err := results.Query()
	if err != nil {
		return true, err
	}
	defer rows.Close()
	readCommitted = true
	if rows.Next() {
		values := rows.RawValues()
		level := values[len(values)-1]
		readCommitted = string(level) == string(pgx.ReadCommitted) || string(level) == string(pgx.ReadUncommitted)
	}
	rows.Close()
	return readCommitted, rows.Err()
}

// commitError decides what an error of a message that commits says about the
// commit. The server's own refusal means that nothing happened. Anything else
// came after the message was handed to the connection and says nothing: neither
// the kind of error nor pgconn.SafeToRetry is asked, because drivers have been
// wrong about it.
func commitError(operation string, err error) error {
	if err == nil || refused(err) {
		return err
	}
	// pgx prepares statements that are new to a connection in a round trip of its
	// own before it sends the batch.
	var unprepared pgx.ErrPreprocessingBatch
	var unconnected *pgconn.ConnectError
	if errors.As(err, &unprepared) || errors.As(err, &unconnected) {
		return err
	}
	return &CommitUnknownError{Operation: operation, Cause: err}
}

// refused reports whether err is the server's answer that the transaction was
// rolled back. A FATAL error is not one: the administrator may have ended a
// session that had committed and was waiting for a standby.
func refused(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && !fatal(pgErr)
}

func fatal(e *pgconn.PgError) bool {
	severity := e.SeverityUnlocalized
	if severity == "" {
		severity = e.Severity
	}
	return severity == "FATAL" || severity == "PANIC"
}

// config is the transaction of an operation that needs one of its own.
func (c *call) config() txConfig {
	return txConfig{name: c.op.Name, limits: c.limits, errors: c.op.Errors}
}

// explicitly runs the statement in a transaction that is begun and committed with
// messages of its own, at the operation's isolation level. A row that cannot be
// read does not undo the work: in a batch the commit is on its way by then, and
// how a statement travels must not change what an error says.
func (c *call) explicitly(ctx context.Context, db DB, args []any, into collector) error {
	config := c.config()
	via := &Session{db: db, root: c.s.root}
	var unread *unreadable
	err := via.attempt(ctx, &config, func(ctx context.Context, tx *Session) error {
		err := tx.inside(ctx, c.op, args, into)
		if errors.As(err, &unread) {
			return nil
		}
		return err
	})
	if err == nil && unread != nil {
		return c.op.ended(unread, nil)
	}
	return err
}
