package pawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is what generated code runs on. *pgxpool.Pool, *pgxpool.Conn, *pgx.Conn and
// pgx.Tx are DBs, and so is anything that wraps one of them.
//
// A pgx.Tx, and a connection on which BEGIN was already sent, are a caller's
// transaction: statements run inside it alone, nothing is retried and no setting
// is changed. A wrapper that has the method Acquire (of *pgxpool.Pool) or Conn
// (of *pgx.Conn and pgx.Tx) is treated like the thing it wraps.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// What a DB can do beyond the interface.
type (
	// acquirer is a pool. A connection is taken before a statement is sent, so that
	// a failure to get one is not mistaken for a connection lost in mid-statement.
	acquirer interface {
		Acquire(ctx context.Context) (*pgxpool.Conn, error)
	}
	beginner interface {
		BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	}
	connected interface {
		Conn() *pgx.Conn
	}
)

// PostgreSQL's transaction status of a connection: outside a transaction, and
// inside one that has not failed.
const (
	idle          = 'I'
	inTransaction = 'T'
)

// connOf returns the connection that db is or wraps.
func connOf(db DB) (*pgx.Conn, bool) {
	if conn, ok := db.(*pgx.Conn); ok {
		return conn, conn != nil
	}
	c, ok := db.(connected)
	if !ok {
		return nil, false
	}
	conn := c.Conn()
	return conn, conn != nil
}

// inRawTransaction reports whether db is a connection on which somebody has sent
// BEGIN without telling pgx.
func inRawTransaction(db DB) bool {
	conn, ok := connOf(db)
	return ok && !conn.IsClosed() && conn.PgConn().TxStatus() != idle
}
