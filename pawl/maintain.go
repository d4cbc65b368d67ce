package pawl

import "context"

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
