package client

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// send sends one statement and reads its answer. The mode is the one that asks
// the server nothing beforehand: one round trip, so that a gate in front of the
// connection sees one statement, and nothing that a change of the schema makes
// stale. In it values travel as text in both directions.
func send(ctx context.Context, db DB, s *ir.Statement, args []any) (*answer, error) {
	rows, err := db.Query(ctx, s.SQL, append([]any{pgx.QueryExecModeExec}, args...)...)
	if err != nil {
		return nil, err
	}
	return read(rows, s)
}

// alone runs a statement that is the whole of its transaction but for those that
// go ahead of it, tried again as the policy says.
func (c *run) alone(ctx context.Context, s *ir.Statement, ahead ...*ir.Statement) (*answer, error) {
	var found *answer
	all := func(db DB) (err error) {
		for _, first := range ahead {
			if _, err := send(ctx, db, first, c.arguments(first)); err != nil {
				return err
			}
		}
		found, err = send(ctx, db, s, c.arguments(s))
		return err
	}
	err := c.retried(ctx, func() error {
		if c.begin == nil || len(ahead) == 0 && (c.level() == pgx.ReadCommitted || c.readOnly(s)) {
			return all(c.db)
		}
		return c.within(ctx, c.level(), func(tx pgx.Tx) error { return all(tx) })
	})
	return found, err
}

// readOnly reports whether generated code sends a statement by itself whatever
// its operation's isolation level is.
func (c *run) readOnly(s *ir.Statement) bool {
	return s.Role == ir.ExplainStatement || c.Operation.Kind == ir.GetOp || c.Operation.Kind == ir.ListOp
}

// level is the isolation level of the operation's own transactions.
func (c *run) level() pgx.TxIsoLevel {
	if c.Operation.Isolation == "" {
		return pgx.ReadCommitted
	}
	return pgx.TxIsoLevel(c.Operation.Isolation)
}

// within runs fn in a transaction that is begun and committed for it.
func (c *run) within(ctx context.Context, level pgx.TxIsoLevel, fn func(tx pgx.Tx) error) error {
	tx, err := c.begin.BeginTx(ctx, pgx.TxOptions{IsoLevel: level})
	if err != nil {
		return err
	}
	// Deferred, so that a panic of the caller's function rolls back too.
	ended := false
	defer func() {
		if !ended {
			rollback(ctx, tx)
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	ended = true
	return tx.Commit(ctx)
}

// rollback ends tx on a context of its own: on one that is over, pgx would close
// the connection instead.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = tx.Rollback(ctx)
}
