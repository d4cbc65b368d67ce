package main

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/examples/seats/store/pawl"
)

// sabotage removes one thing that a promise rests on: by DDL in the database,
// or by cutting a piece out of the statements that generated code sends. A test
// that still passes then has no teeth.
type sabotage struct {
	name string
	ddl  string
	cuts []cut
	// The explorer works on one database: mend is the DDL that puts back what ddl
	// took away. It can also make other calls, and with other options.
	mend    string
	calls   []call
	options []pawl.Option
}

// cut replaces a piece of the statements of one operation.
type cut struct {
	in       string // the operation's address, or begin
	old, new string
}

// begin stands for the statement that opens a transaction, which bears no
// address.
const begin = "begin"

// saboteur is a pawl.DB that sends statements with pieces cut out.
type saboteur struct {
	db   beginner
	cuts []cut
	made []atomic.Int64 // how often each cut was made
}

// beginner is a pawl.DB that opens transactions with options: a pool, or a
// connection of the explorer.
type beginner interface {
	pawl.DB
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// on is the same saboteur on another connection. What is cut there counts, too.
func (s *saboteur) on(db beginner) *saboteur { return &saboteur{db, s.cuts, s.made} }

// newSaboteur makes a saboteur, and fails the test in the end when a cut was
// never made: the statement has changed its form, and the race ran with the
// guard in place.
func newSaboteur(t *testing.T, db beginner, cuts []cut) *saboteur {
	s := &saboteur{db, cuts, make([]atomic.Int64, len(cuts))}
	t.Cleanup(func() {
		for i, c := range cuts {
			if s.made[i].Load() == 0 {
				t.Errorf("no statement of %s holds %q: nothing was sabotaged", c.in, c.old)
			}
		}
	})
	return s
}

func (s *saboteur) sql(text string) string {
	for i, c := range s.cuts {
		if strings.Contains(text, "/* "+c.in+" */") && strings.Contains(text, c.old) {
			text = strings.ReplaceAll(text, c.old, c.new)
			s.made[i].Add(1)
		}
	}
	return text
}

func (s *saboteur) batch(b *pgx.Batch) *pgx.Batch {
	for _, q := range b.QueuedQueries {
		q.SQL = s.sql(q.SQL)
	}
	return b
}

func (s *saboteur) Begin(ctx context.Context) (pgx.Tx, error) {
	return s.BeginTx(ctx, pgx.TxOptions{})
}

func (s *saboteur) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	for i, c := range s.cuts {
		if c.in == begin && strings.Contains(o.BeginQuery, c.old) {
			s.made[i].Add(1)
			o.BeginQuery = strings.ReplaceAll(o.BeginQuery, c.old, c.new)
		}
	}
	tx, err := s.db.BeginTx(ctx, o)
	return saboteurTx{tx, s}, err
}

func (s *saboteur) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return s.db.Exec(ctx, s.sql(sql), args...)
}

func (s *saboteur) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.db.Query(ctx, s.sql(sql), args...)
}

func (s *saboteur) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return s.db.QueryRow(ctx, s.sql(sql), args...)
}

func (s *saboteur) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return s.db.SendBatch(ctx, s.batch(b))
}

func (s *saboteur) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	return s.db.CopyFrom(ctx, table, columns, rows)
}

// saboteurTx is a transaction of a saboteur.
type saboteurTx struct {
	pgx.Tx
	s *saboteur
}

func (t saboteurTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.Tx.Exec(ctx, t.s.sql(sql), args...)
}

func (t saboteurTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.Tx.Query(ctx, t.s.sql(sql), args...)
}

func (t saboteurTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.Tx.QueryRow(ctx, t.s.sql(sql), args...)
}

func (t saboteurTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.Tx.SendBatch(ctx, t.s.batch(b))
}
