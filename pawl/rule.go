package pawl

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Ruled runs a write of what a rule over several rows looks at. No row that it
// changes is ErrNotFound.
//
// Outside a transaction it is a serializable one of its own, tried again as the
// policy says. The rule is asked when that commits: one that would not hold is an
// error of the family ErrRule, and nothing was written. In an open transaction the
// error comes from that transaction's COMMIT; one that is not serializable is a
// *IsolationError, and nothing was sent.
func Ruled(ctx context.Context, s *Session, op *Operation, args ...any) error {
	c := s.call(op)
	c.args = args
	var changed affected
	err := c.ruled(ctx, args, &changed)
	if err == nil && changed.n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		changed.reset()
	}
	return c.done(ctx, "", changed.n, err)
}

func (c *call) ruled(ctx context.Context, args []any, changed *affected) error {
	if c.s.InTransaction() {
		if err := c.s.checkIsolation(ctx, &txConfig{name: c.op.Name, asked: pgx.Serializable}); err != nil {
			return err
		}
	}
	return c.perform(ctx, args, changed)
}

// weakIsolation is the SQLSTATE of a trigger that refuses a write because the
// transaction is not serializable.
const weakIsolation = "PW007"
