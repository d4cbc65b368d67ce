package pawl

import "context"

// QueryOne runs a statement that returns one row: an insert, a read by key. No
// row is ErrNotFound; of several, the first is returned.
func QueryOne[T any](ctx context.Context, s *Session, op *Operation, dest func(*T) []any, args ...any) (T, error) {
	c := s.call(op)
	c.args = args
	found := one[T]{dest: dest}
	err := c.perform(ctx, args, &found)
	if err == nil && found.n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		found.reset()
	}
	return found.row, c.done(ctx, "", found.n, err)
}

// QueryAll runs a statement and returns its rows in the statement's order. No
// row is an empty result and no error.
func QueryAll[T any](ctx context.Context, s *Session, op *Operation, dest func(*T) []any, args ...any) ([]T, error) {
	c := s.call(op)
	c.args = args
	found := all[T]{dest: dest}
	err := c.perform(ctx, args, &found)
	if err != nil {
		found.reset()
	}
	return found.rows, c.done(ctx, "", found.count(), err)
}

// Exec runs a statement that returns no row, such as a delete, and returns how
// many rows it changed. None is ErrNotFound.
func Exec(ctx context.Context, s *Session, op *Operation, args ...any) (int64, error) {
	c := s.call(op)
	c.args = args
	var changed affected
	err := c.perform(ctx, args, &changed)
	if err == nil && changed.n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		changed.reset()
	}
	return changed.n, c.done(ctx, "", changed.n, err)
}

// multi runs an operation of several messages: in the open transaction, or in one
// of its own, tried again as the policy says.
func (c *call) multi(ctx context.Context, run func(context.Context, *Session) error) error {
	if c.s.InTransaction() {
		if err := c.joins(ctx); err != nil {
			return err
		}
		return run(ctx, c.s)
	}
	config := c.config()
	return c.retried(ctx, func(ctx context.Context) error { return c.s.attempt(ctx, &config, run) })
}

// retried runs attempts until one succeeds, fails for good or was the last.
func (c *call) retried(ctx context.Context, attempt func(context.Context) error) error {
	r := newRetrier(c.op.Name, c.limits.Retry, c.op.Errors, c.s.root.constraints)
	for {
		err := attempt(ctx)
		if err == nil || !worthRetry(&r.policy, err) {
			return err
		}
		if stop := r.wait(ctx, err); stop != nil {
			return stop
		}
		if c.s.root.observer != nil {
			c.report(ctx, OutcomeRetried, 0, err)
		}
		c.attempt = r.attempt
	}
}
