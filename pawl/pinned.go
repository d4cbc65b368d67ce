package pawl

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pinned is a transaction of two known statements on a connection that is held
// for it: BEGIN travels with the first and COMMIT with the last, so that it takes
// two round trips, where begin, two statements and commit would take four. Only
// on a connection of one's own can both be sent without the pool noticing.
type pinned struct {
	conn   DB // *pgx.Conn or *pgxpool.Conn
	name   string
	limits *Transaction
}

// canPin reports whether s can hold a connection. A commit that shall be looked
// up needs the transaction's id before it, which takes the longer way.
func (s *Session) canPin() bool {
	if s.root.resolve {
		return false
	}
	switch s.db.(type) {
	case *pgx.Conn, *pgxpool.Conn, acquirer:
		return true
	}
	return false
}

// pin runs fn with a connection held. What fn leaves open is rolled back.
func (s *Session) pin(ctx context.Context, name string, limits *Transaction, fn func(context.Context, *pinned) error) error {
	p := &pinned{conn: s.db, name: name, limits: limits}
	if pool, ok := s.db.(acquirer); ok {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return &beginError{name, err}
		}
		defer conn.Release()
		p.conn = conn
	}
	// Deferred, so that a panic of fn rolls back too and then goes on.
	defer p.rollback(ctx)
	return fn(ctx, p)
}

// first opens the transaction and runs its first statement.
func (p *pinned) first(ctx context.Context, op *Operation, args []any, into collector) error {
	var b pgx.Batch
	settings := localSettings(p.limits)
	b.Queue("begin isolation level " + string(p.limits.isolation()))
	for _, set := range settings {
		b.Queue(set)
	}
	b.Queue(op.SQL, args...)
	results := p.conn.SendBatch(ctx, &b)
	err := skip(results, 1+len(settings))
	if err == nil {
		err = op.read(results, into)
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return unsent(p.conn, args, err)
}

// last runs the last statement and commits.
func (p *pinned) last(ctx context.Context, op *Operation, args []any, into collector) error {
	if err := ctx.Err(); err != nil {
		return err // nothing was sent
	}
	var b pgx.Batch
	b.Queue(op.SQL, args...)
	b.Queue("commit")
	results := p.conn.SendBatch(ctx, &b)
	err := op.read(results, into)
	var unread *unreadable
	if err != nil && !errors.As(err, &unread) {
		_ = results.Close()
		if bad := unsent(p.conn, args, err); !errors.Is(err, bad) {
			return bad
		}
		return commitError(p.name, err)
	}
	tag, commitErr := results.Exec()
	if closeErr := results.Close(); commitErr == nil {
		commitErr = closeErr
	}
	if commitErr == nil && tag.String() != "COMMIT" {
		return fmt.Errorf("%w: the server answered %s to COMMIT", ErrRolledBack, tag)
	}
	return op.ended(err, commitErr)
}

// rollback ends the transaction if it is still open, on a context of its own.
func (p *pinned) rollback(ctx context.Context) {
	if !inRawTransaction(p.conn) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_, _ = p.conn.Exec(ctx, "rollback")
}

// skip reads n results that carry no rows.
func skip(results pgx.BatchResults, n int) error {
	for range n {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	return nil
}
