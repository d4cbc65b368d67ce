package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// workError marks an error of the caller's work, which goes back as it came. A
// retry still finds the server's error in it.
type workError struct{ cause error }

func (e *workError) Error() string { return e.cause.Error() }
func (e *workError) Unwrap() error { return e.cause }

// singleton takes the advisory lock of a transaction and runs the caller's work
// in it.
func (c *run) singleton(ctx context.Context) (Outcome, error) {
	if c.Work == nil {
		return Outcome{}, errors.New("a singleton needs a Work")
	}
	var out Outcome
	err := c.retried(ctx, func() (err error) {
		switch tx, joined := c.db.(pgx.Tx); {
		case c.begin == nil && !joined:
			return errors.New("a singleton needs a connection that can begin, or a transaction")
		case c.begin == nil:
			if err := readCommitted(ctx, tx); err != nil {
				return err
			}
			out, err = c.lockAndWork(ctx, tx)
			return err
		case c.Without.Transaction:
			out, err = c.lockThenWork(ctx)
			return err
		}
		return c.within(ctx, pgx.ReadCommitted, func(tx pgx.Tx) error {
			out, err = c.lockAndWork(ctx, tx)
			return err
		})
	})
	return out, err
}

// readCommitted refuses a transaction whose snapshot may be older than the lock:
// the work would run on data from before the holder that it waited for.
func readCommitted(ctx context.Context, tx pgx.Tx) error {
	found, err := send(ctx, tx, &ir.Statement{SQL: "SHOW transaction_isolation", Rows: ir.ReturnsOne}, nil)
	if err != nil {
		return err
	}
	if len(found.rows) != 1 || found.rows[0][0] == nil {
		return errors.New("the server does not say which isolation level the transaction has")
	}
	if level := *found.rows[0][0]; level != string(pgx.ReadCommitted) && level != string(pgx.ReadUncommitted) {
		return fmt.Errorf("a singleton cannot join a transaction at %s; it needs read committed", level)
	}
	return nil
}

// lockAndWork is one attempt: lock, and work in tx if the lock is there.
func (c *run) lockAndWork(ctx context.Context, tx pgx.Tx) (Outcome, error) {
	got, err := c.lock(ctx, tx)
	if err != nil {
		return Outcome{}, err
	}
	if !got {
		return Outcome{Answer: Busy}, nil
	}
	return c.work(ctx, tx)
}

// lockThenWork is lockAndWork of a broken client, whose lock is gone before the
// work begins.
func (c *run) lockThenWork(ctx context.Context) (out Outcome, err error) {
	got, err := c.lock(ctx, c.db)
	if err != nil {
		return Outcome{}, err
	}
	if !got {
		return Outcome{Answer: Busy}, nil
	}
	err = c.within(ctx, pgx.ReadCommitted, func(tx pgx.Tx) error {
		out, err = c.work(ctx, tx)
		return err
	})
	return out, err
}

// work runs what the caller wants done under the lock.
func (c *run) work(ctx context.Context, tx pgx.Tx) (Outcome, error) {
	if err := c.Work(ctx, tx); err != nil {
		return Outcome{}, &workError{err}
	}
	return Outcome{Answer: OK}, nil
}

// lock waits for the lock, or asks for it. Under Without.RowCount the answer to
// the question is not looked at.
func (c *run) lock(ctx context.Context, db DB) (bool, error) {
	found, err := send(ctx, db, c.Operation.Statement(ir.LockStatement), nil)
	if err != nil {
		return false, err
	}
	if c.Operation.Kind == ir.SingletonOp || c.Without.RowCount {
		return true, nil
	}
	if len(found.rows) != 1 || len(found.rows[0]) != 1 || found.rows[0][0] == nil {
		return false, errors.New("the server does not say whether the lock was taken")
	}
	return *found.rows[0][0] == "t", nil
}
