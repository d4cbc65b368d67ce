package pawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TxOption changes one call of InTx. It wins over the session's options.
type TxOption func(*txConfig)

// Isolation sets the isolation level: pgx.Serializable, pgx.RepeatableRead or
// pgx.ReadCommitted.
func Isolation(level pgx.TxIsoLevel) TxOption {
	return func(c *txConfig) { c.limits.Isolation, c.asked = level, level }
}

// ReadOnly makes PostgreSQL refuse writes in the transaction. A call that joins a
// transaction that may write runs behind a savepoint, which the refusal ends with.
func ReadOnly() TxOption { return func(c *txConfig) { c.readOnly = true } }

// LockTimeout sets lock_timeout for the transaction; NoTimeout waits for ever.
func LockTimeout(d time.Duration) TxOption {
	return func(c *txConfig) { c.limits.LockTimeout = d }
}

// StatementTimeout sets statement_timeout for the transaction.
func StatementTimeout(d time.Duration) TxOption {
	return func(c *txConfig) { c.limits.StatementTimeout = d }
}

// IdleTimeout sets idle_in_transaction_session_timeout for the transaction.
func IdleTimeout(d time.Duration) TxOption {
	return func(c *txConfig) { c.limits.IdleTimeout = d }
}

// Retry sets the policy of the transaction. Zero fields keep the session's values.
func Retry(p Policy) TxOption {
	return func(c *txConfig) { c.limits.Retry = p.over(c.limits.Retry) }
}

// Limits runs the transaction under a transaction block of the specification.
func Limits(t Transaction) TxOption {
	return func(c *txConfig) { c.limits, c.asked = t, t.Isolation }
}

// Named names the transaction in errors and events. Without it, it is "transaction".
func Named(name string) TxOption { return func(c *txConfig) { c.name = name } }

// txConfig is what one call of InTx asks for.
type txConfig struct {
	name     string
	limits   Transaction
	asked    pgx.TxIsoLevel // the level that the call named; empty when it named none
	readOnly bool
	errors   Constraints // of the operation, looked through before the session's
	// exact refuses to join a transaction of a stronger level too: under one
	// snapshot, what is read after a lock may be older than the lock.
	exact bool
	// unresolved keeps WithResolveCommit from asking for the transaction's id: a row
	// that the transaction writes tells what became of it.
	unresolved bool
}

func (s *Session) txConfig(options []TxOption) txConfig {
	c := txConfig{name: "transaction", limits: s.limits(nil)}
	if level := s.root.overrides.isolation; level != "" {
		c.limits.Isolation = level
	}
	for _, o := range options {
		o(&c)
	}
	return c
}

// openTx is the state of a transaction that is open.
type openTx struct {
	owned     bool           // opened by InTx: this package commits it
	isolation pgx.TxIsoLevel // empty for a caller's until it was asked for
	readOnly  bool           // because InTx was told so; a caller's may be without this
	wantXID   bool
	xid       string
	// first is the error that put the transaction into its failed state. What
	// comes after it is only "current transaction is aborted" (25P02).
	first error
	// doomed is the error of a joined InTx. Committing what is left of it would
	// keep half of its work, so the whole transaction rolls back.
	doomed error
	after  []func()
	last   *lastStatement // travels with COMMIT; nil for none
	depth  int            // of savepoints that are open
	policy Policy         // of the InTx that opened it
}

// note keeps the transaction's first error and returns what to report for err.
func (t *openTx) note(err error) error {
	if t == nil {
		return err
	}
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		// A statement that works shows that an earlier failure was undone, by a
		// rollback to a savepoint of the caller's.
		t.first = nil
		return nil
	case !errors.As(err, &pgErr):
		return err
	case pgErr.Code == "25P02" && t.first != nil:
		return &abortedError{t.first}
	case t.first == nil:
		t.first = err
	}
	return err
}

// abortedError is the error of a statement that ran in a failed transaction.
type abortedError struct{ first error }

func (e *abortedError) Error() string { return "the transaction had failed before: " + e.first.Error() }
func (e *abortedError) Unwrap() error { return e.first }

// InTx runs fn in a transaction and commits it, or rolls it back when fn returns
// an error or panics. The result is fn's return value, so that nothing of a
// failed attempt can leak into it.
//
// When PostgreSQL ends an attempt with a serialization failure or a deadlock, at
// any statement or at COMMIT, the whole of fn runs again in a new transaction,
// after a random pause, as often as the policy allows; then the error is a
// *RetryError. So fn must do nothing that a second run would do twice: no mail,
// no payment, no change of captured variables. See AfterCommit. fn finds the
// number of the attempt with Attempt(ctx).
//
// When s is inside a transaction already, fn joins it: nothing is begun,
// committed or retried here, because only the outermost owner can run everything
// again. If a joined fn fails, the outer transaction cannot commit any more. A
// call that names an isolation level and finds a weaker one open fails with
// *IsolationError.
//
// An answer to COMMIT that never came is a *CommitUnknownError and is not
// retried: the work may be done.
func InTx[T any](ctx context.Context, s *Session, fn func(ctx context.Context, tx *Session) (T, error), options ...TxOption) (T, error) {
	var result T
	err := s.transact(ctx, s.txConfig(options), func(ctx context.Context, tx *Session) error {
		value, err := fn(ctx, tx)
		if err == nil {
			result = value
		}
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return result, nil
}

// AfterCommit runs fn once s's transaction has committed, and never if it rolls
// back or its outcome is not known. Attempts and savepoints that fail drop what
// they registered. What fn registers runs behind all others.
// Only a transaction that InTx opened can do this; it reports false for any other,
// and for one that has ended.
func (s *Session) AfterCommit(fn func()) bool {
	if s.tx == nil || !s.tx.owned {
		return false
	}
	s.tx.after = append(s.tx.after, fn)
	return true
}

// transact runs fn in a transaction: a new one for each attempt, or the open one.
func (s *Session) transact(ctx context.Context, c txConfig, fn func(context.Context, *Session) error) error {
	if !knownIsolation(c.limits.Isolation) {
		return &callError{c.name, fmt.Errorf("unknown isolation level %q", c.limits.Isolation)}
	}
	if s.InTransaction() {
		return s.join(ctx, &c, fn)
	}
	r := newRetrier(c.name, c.limits.Retry, c.errors, s.root.constraints)
	for {
		start := time.Now()
		err := s.attempt(context.WithValue(ctx, attemptKey, r.attempt), &c, fn)
		if err == nil || !worthRetry(&r.policy, err) {
			return s.finish(ctx, &c, &r, r.start, err)
		}
		if stop := r.wait(ctx, err); stop != nil {
			return s.finish(ctx, &c, &r, r.start, stop)
		}
		s.report(ctx, &c, OutcomeRetried, r.attempt-1, start, err)
	}
}

// finish names and reports the last attempt.
func (s *Session) finish(ctx context.Context, c *txConfig, r *retrier, start time.Time, err error) error {
	s.trace(ctx, err)
	s.report(ctx, c, "", r.attempt, start, err)
	return err
}

func (s *Session) report(ctx context.Context, c *txConfig, outcome Outcome, attempt int, start time.Time, err error) {
	if s.root.observer == nil {
		return
	}
	e := Event{Operation: c.name, Attempt: attempt, Duration: time.Since(start), Isolation: c.limits.isolation()}
	e.classify(err)
	if outcome != "" {
		e.Outcome = outcome
	}
	s.root.observer.Observe(ctx, e)
}

// join runs fn in the transaction that is open.
func (s *Session) join(ctx context.Context, c *txConfig, fn func(context.Context, *Session) error) error {
	if err := s.checkIsolation(ctx, c); err != nil {
		return err
	}
	run := func(ctx context.Context) error { return fn(ctx, s) }
	if c.readOnly && (s.tx == nil || !s.tx.readOnly) {
		run = func(ctx context.Context) error {
			return s.savepoint(ctx, func(ctx context.Context) error { return s.reading(ctx, c, fn) })
		}
	}
	err := fmt.Errorf("%s panicked", c.name) // until it has returned
	// Deferred, since a panic that somebody recovers leaves half of the work too.
	defer func() {
		if err != nil && s.tx != nil && (s.tx.owned || s.tx.depth > 0) {
			s.tx.doom(err)
		}
	}()
	err = run(ctx)
	return err
}

// reading runs fn read-only in a savepoint. PostgreSQL gives the outer transaction
// its right to write back when the savepoint is released.
func (s *Session) reading(ctx context.Context, c *txConfig, fn func(context.Context, *Session) error) error {
	if _, err := s.db.Exec(ctx, "set transaction read only"); err != nil {
		return describe(c.name, s.tx.note(err))
	}
	s.tx.readOnly = true
	defer func() { s.tx.readOnly = false }()
	return fn(ctx, s)
}

// checkIsolation refuses an open transaction that is weaker than the call needs.
// A call that names no level takes what is there.
func (s *Session) checkIsolation(ctx context.Context, c *txConfig) error {
	want := c.asked
	if c.exact {
		want = pgx.ReadCommitted
	}
	if want == "" || (strength(want) == 1 && !c.exact) {
		return nil
	}
	have, err := s.currentIsolation(ctx)
	if err != nil {
		return describe(c.name, err)
	}
	if strength(have) < strength(want) || (c.exact && strength(have) != strength(want)) {
		return &IsolationError{Operation: c.name, Have: have, Want: want}
	}
	return nil
}

// currentIsolation returns the level of the open transaction. SHOW takes no
// snapshot, so asking does not change what the transaction sees.
func (s *Session) currentIsolation(ctx context.Context) (pgx.TxIsoLevel, error) {
	if s.tx != nil && s.tx.isolation != "" {
		return s.tx.isolation, nil
	}
	var level string
	if err := s.db.QueryRow(ctx, "SHOW transaction_isolation").Scan(&level); err != nil {
		return "", s.tx.note(err)
	}
	if s.tx != nil {
		s.tx.isolation = pgx.TxIsoLevel(level)
	}
	return pgx.TxIsoLevel(level), nil
}

// beginError marks an error from before the transaction was open: nothing of it
// can have happened.
type beginError struct {
	operation string
	cause     error
}

func (e *beginError) Error() string { return e.operation + ": begin: " + e.cause.Error() }
func (e *beginError) Unwrap() error { return e.cause }

// worthRetry reports whether another attempt may get past err.
func worthRetry(p *Policy, err error) bool {
	var unknown *CommitUnknownError
	if errors.As(err, &unknown) {
		return false
	}
	if p.retries(err) {
		return true
	}
	// A pool hands out connections of a server that has been restarted since, or
	// that is still starting (57P03). Nothing had begun, so trying again is safe.
	var begin *beginError
	if !errors.As(err, &begin) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code == "57P03" || pgErr.Code == "57P01" || pgErr.Code[:min(2, len(pgErr.Code))] == "08"
	}
	var unconnected *pgconn.ConnectError
	return !errors.As(err, &unconnected)
}

// attempt is one whole transaction.
func (s *Session) attempt(ctx context.Context, c *txConfig, fn func(context.Context, *Session) error) error {
	pgxTx, err := s.begin(ctx, c)
	if err != nil {
		return &beginError{c.name, err}
	}
	open := &openTx{owned: true, isolation: c.limits.isolation(), readOnly: c.readOnly, policy: c.limits.Retry, wantXID: s.root.resolve && !c.readOnly && !c.unresolved}
	defer func() { open.owned = false }()
	ended := false
	// Deferred, so that a panic, or runtime.Goexit in a test, rolls back too and
	// then goes on.
	defer func() {
		if !ended {
			rollback(ctx, pgxTx)
		}
	}()
	tx := &Session{db: pgxTx, tx: open, root: s.root}
	if err := open.verdict(c, fn(ctx, tx)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return &callError{c.name, err}
	}
	if err := open.fetchXID(ctx, pgxTx); err != nil {
		return describe(c.name, err)
	}
	ended = true
	commit := s.commit
	if open.last != nil {
		commit = s.commitWith
	}
	if err := commit(ctx, c, open, pgxTx); err != nil {
		return err
	}
	for i := 0; i < len(open.after); i++ { // each may register more
		open.after[i]()
	}
	return nil
}

// verdict decides what the function's return value means for the transaction.
func (t *openTx) verdict(c *txConfig, err error) error {
	switch {
	case t.first != nil && c.limits.Retry.retries(t.first):
		// Whatever fn made of it: the attempt failed because of this.
		return t.first
	case t.doomed != nil && c.limits.Retry.retries(t.doomed):
		return t.doomed
	case err != nil:
		return err
	case t.doomed != nil:
		return &callError{c.name, fmt.Errorf("%w: a part of it failed, an InTx that had joined or a savepoint, and its error was dropped: %w", ErrRolledBack, t.doomed)}
	}
	return nil
}

// begin opens a transaction with its isolation level and limits.
func (s *Session) begin(ctx context.Context, c *txConfig) (pgx.Tx, error) {
	if b, ok := s.db.(beginner); ok {
		return b.BeginTx(ctx, pgx.TxOptions{BeginQuery: beginSQL(&c.limits, c.readOnly)})
	}
	tx, err := s.db.Begin(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, configureSQL(&c.limits, c.readOnly)); err != nil {
		rollback(ctx, tx)
		return nil, err
	}
	return tx, nil
}

// rollbackTimeout bounds a rollback, which runs on a context of its own: on the
// caller's, which may be over, pgx would close the connection instead.
const rollbackTimeout = 2 * time.Second

// rollback ends tx and keeps its connection. If that fails, pgx has closed the
// connection and the server rolls back by itself.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// inside runs a statement in the open transaction: nothing else, and no retry.
func (s *Session) inside(ctx context.Context, op *Operation, args []any, into collector) error {
	if s.tx != nil && s.tx.wantXID && s.tx.xid == "" && !op.ReadOnly {
		return s.tx.note(s.insideWithXID(ctx, op, args, into))
	}
	if len(op.Prelude) > 0 {
		return s.tx.note(s.insideBatch(ctx, op, args, into))
	}
	rows, err := s.db.Query(ctx, op.SQL, args...)
	if err == nil {
		err = into.collect(rows)
	}
	return s.tx.note(unsent(s.db, args, err))
}

// insideBatch runs a statement with its prelude in one round trip.
func (s *Session) insideBatch(ctx context.Context, op *Operation, args []any, into collector) error {
	var b pgx.Batch
	op.queue(&b, args)
	results := s.db.SendBatch(ctx, &b)
	err := op.read(results, into)
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return unsent(s.db, args, err)
}
