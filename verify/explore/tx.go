package explore

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// tx is a transaction, or a savepoint inside one, whose statements wait for the
// explorer's grant. It implements pgx.Tx. What it sends is sent by pgx's own
// transaction, so that it fails as that does.
type tx struct {
	conn        *Conn
	real        pgx.Tx // nil while its BEGIN is kept back
	names       *int   // savepoints so far; shared by the whole transaction
	commitSQL   string
	rollbackSQL string
	closed      bool
}

// open sends the statement that opens t, or keeps it back. If that fails when it is
// sent at last, t is closed.
func (t *tx) open(ctx context.Context, sql, tag string, begin func(context.Context) (pgx.Tx, error)) (pgx.Tx, error) {
	send := func(ctx context.Context) (err error) {
		t.real, err = begin(ctx)
		t.closed = err != nil
		return err
	}
	if _, held := t.conn.holdBack(ctx, sql, send); held {
		return t, nil
	}
	err := t.conn.step(ctx, single(sql, nil), func() answer {
		err := send(ctx)
		return answer{tag: tagUnless(err, tag), err: err}
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Begin sets a savepoint.
func (t *tx) Begin(ctx context.Context) (pgx.Tx, error) {
	if t.closed {
		return nil, pgx.ErrTxClosed
	}
	// pgx numbers the savepoints of a transaction from one.
	*t.names++
	name := "sp_" + strconv.Itoa(*t.names)
	nested := &tx{
		conn: t.conn, names: t.names,
		commitSQL: "release savepoint " + name, rollbackSQL: "rollback to savepoint " + name,
	}
	return nested.open(ctx, "savepoint "+name, "SAVEPOINT", func(ctx context.Context) (pgx.Tx, error) {
		if t.closed {
			return nil, pgx.ErrTxClosed
		}
		return t.real.Begin(ctx)
	})
}

func (t *tx) Commit(ctx context.Context) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	return t.conn.step(ctx, single(t.commitSQL, nil), func() answer {
		t.closed = true
		err := t.real.Commit(ctx)
		if errors.Is(err, pgx.ErrTxCommitRollback) {
			return answer{tag: "ROLLBACK", err: err}
		}
		return answer{tag: tagUnless(err, "COMMIT"), err: err}
	})
}

func (t *tx) Rollback(ctx context.Context) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	return t.conn.step(ctx, single(t.rollbackSQL, nil), func() answer {
		t.closed = true
		err := t.real.Rollback(ctx)
		return answer{tag: tagUnless(err, "ROLLBACK"), err: err}
	})
}

func (t *tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.closed {
		return pgconn.CommandTag{}, pgx.ErrTxClosed
	}
	return t.conn.Exec(ctx, sql, args...)
}

func (t *tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.closed {
		return failedRows(pgx.ErrTxClosed), pgx.ErrTxClosed
	}
	return t.conn.Query(ctx, sql, args...)
}

func (t *tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if t.closed {
		return row{failedRows(pgx.ErrTxClosed)}
	}
	return t.conn.QueryRow(ctx, sql, args...)
}

func (t *tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.closed {
		return &batchResults{batch: b, err: pgx.ErrTxClosed}
	}
	return t.conn.SendBatch(ctx, b)
}

func (t *tx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error) {
	if t.closed {
		return 0, pgx.ErrTxClosed
	}
	return t.conn.CopyFrom(ctx, table, columns, source)
}

// Prepare parses a statement, which is no step: it changes nothing.
func (t *tx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if t.closed {
		return nil, pgx.ErrTxClosed
	}
	return t.conn.pg.Prepare(ctx, name, sql)
}

// LargeObjects are not gated: their functions run at once, and so does a BEGIN that
// was kept back. It panics when that fails, since it cannot return the error.
func (t *tx) LargeObjects() pgx.LargeObjects {
	if err := t.conn.sendHeld(context.Background()); err != nil {
		panic(err) // becomes the end of the client
	}
	return t.real.LargeObjects()
}

// Conn returns the connection itself, as pgx.Tx demands. What is sent on it runs
// past the gate, and so does a BEGIN that was kept back.
func (t *tx) Conn() *pgx.Conn {
	if err := t.conn.sendHeld(context.Background()); err != nil {
		panic(err) // becomes the end of the client
	}
	return t.conn.pg
}
