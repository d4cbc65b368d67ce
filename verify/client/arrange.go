package client

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// arrange runs the statements of an operation on a group.
func (c *run) arrange(ctx context.Context) (Outcome, error) {
	found, err := c.inOrder(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if found.count() == 0 && !c.Without.RowCount {
		return Outcome{Answer: NotFound}, nil
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}

// inOrder runs the main statement behind those that go ahead of it, in one message
// and so in one transaction. A statement without a text is one that a mutant left
// out.
func (c *run) inOrder(ctx context.Context) (found *answer, err error) {
	var list []*ir.Statement
	for _, s := range append(c.Operation.Prelude(), c.Operation.Statement(ir.MainStatement)) {
		if s.SQL != "" {
			list = append(list, s)
		}
	}
	err = c.retried(ctx, func() (err error) {
		switch {
		case c.Without.Transaction:
			for _, s := range list {
				if found, err = send(ctx, c.db, s, c.arguments(s)); err != nil {
					return err
				}
			}
			return nil
		case c.begin == nil || c.level() == pgx.ReadCommitted:
			found, err = c.together(ctx, c.db, list...)
			return err
		}
		return c.within(ctx, c.level(), func(tx pgx.Tx) error {
			found, err = c.together(ctx, tx, list...)
			return err
		})
	})
	return found, err
}
