package client

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// once runs a step of work that is done once. A key that another run has is Busy,
// with the row that was found; so is an answer that another run has stored first.
// A step that changes no row is NotFound: another run has the key.
func (c *run) once(ctx context.Context) (Outcome, error) {
	main := c.Operation.Statement(ir.MainStatement)
	if lock := c.Operation.Statement(ir.LockStatement); lock != nil {
		got, err := send(ctx, c.db, lock, c.arguments(lock))
		if err != nil {
			return Outcome{}, err
		}
		out := Outcome{Answer: Busy}
		if acquired := got.maps()[0]["acquired"]; acquired != nil && *acquired == "t" {
			out.Answer = OK
		}
		found, err := send(ctx, c.db, main, c.arguments(main))
		if err != nil {
			return Outcome{}, err
		}
		out.Rows = found.maps()
		return out, nil
	}
	due := c.Operation.Statement(ir.DueStatement)
	if due != nil {
		if _, err := send(ctx, c.db, due, c.arguments(due)); err != nil {
			return Outcome{}, err
		}
	}
	found, err := send(ctx, c.db, main, c.arguments(main))
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == "23505":
		return Outcome{Answer: Busy}, nil
	case err != nil:
		return Outcome{}, err
	case due == nil && found.count() == 0:
		return Outcome{Answer: NotFound}, nil
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}
