package pawl

import (
	"context"
	"errors"
)

// Reap removes up to limit answers that are no longer kept, and returns how many
// it removed. Work in progress stays.
func Reap(ctx context.Context, s *Session, op *Operation, limit int) (int64, error) {
	if err := NotNegative(op, "limit", limit); err != nil {
		return 0, err
	}
	c := s.call(op)
	var removed affected
	err := c.perform(ctx, []any{limit}, &removed)
	return removed.n, c.done(ctx, "", removed.n, err)
}

// maintainBatch is how many rows a statement of Maintain touches: each is a
// transaction of its own, so that none lasts long.
const maintainBatch = 1000

// Maintain runs chores, statements that take $1, how many rows to touch at most,
// until none has anything left to do. Each transaction tries lock first, so that of
// several processes one at a time does the upkeep; where another one does, Maintain
// returns at once. A chore that fails does not keep the others from running.
func Maintain(ctx context.Context, s *Session, lock *Singleton, chores ...*Operation) error {
	if s.InTransaction() {
		return &callError{lock.Name, errors.New("the upkeep needs a pool: each batch is a transaction of its own")}
	}
	var failed []error
	for _, op := range chores {
		for n := int64(maintainBatch); n == maintainBatch; {
			ran, err := TryRun(ctx, s, lock, func(ctx context.Context, tx *Session) error {
				var touched affected
				if err := tx.inside(ctx, op, []any{maintainBatch}, &touched); err != nil {
					return describe(op.Name, err)
				}
				n = touched.n
				return nil
			})
			if err != nil {
				failed = append(failed, err)
				break
			}
			if !ran {
				return errors.Join(failed...)
			}
		}
	}
	return errors.Join(failed...)
}
