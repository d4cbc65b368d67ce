package explore

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Conn is what a client's code sees: a connection whose statements wait for the
// explorer's grant. It has the methods Begin, BeginTx, Exec, Query, QueryRow,
// SendBatch and CopyFrom of *pgx.Conn, so that code written for a pool or a
// connection takes it. A batch is one step.
//
// It shows no Conn and no Acquire: code that looked through it would run past
// the gate. A transaction it begins is a pgx.Tx whose methods wait as well.
//
// Answers are read to their end before a method returns, so that a client holds
// nothing open on the server while its own code runs.
type Conn struct {
	actor *actor
	pg    *pgx.Conn
	// ahead collects what goes with the next step without a grant of its own, and
	// held sends the part of it that is kept back until then.
	ahead []string
	held  []func(context.Context) error
	// serializable is set once a transaction at that level may have been opened,
	// and stays: to take too much for serializable costs schedules, no more.
	serializable bool
	checks       bool // COMMIT may have constraints to check
}

// Begin opens a transaction. Without [Options.Full] and [Scenario.Clock] it sends
// nothing: BEGIN takes no snapshot and no lock, so it travels with the first
// statement, which also returns its error.
func (c *Conn) Begin(ctx context.Context) (pgx.Tx, error) {
	return c.BeginTx(ctx, pgx.TxOptions{})
}

// BeginTx opens a transaction like [Conn.Begin]. A BeginQuery and a CommitQuery
// are sent as they are.
func (c *Conn) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	commit := options.CommitQuery
	if commit == "" {
		commit = "commit"
	}
	t := &tx{conn: c, names: new(int), commitSQL: commit, rollbackSQL: "rollback"}
	return t.open(ctx, beginSQL(options), "BEGIN", func(ctx context.Context) (pgx.Tx, error) {
		return c.pg.BeginTx(ctx, options)
	})
}

// Exec runs a statement, or without arguments a script of several.
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	var tag pgconn.CommandTag
	if len(args) == 0 {
		if text, held := c.holdScript(ctx, sql); held {
			return pgconn.NewCommandTag(text), nil
		}
	}
	err := c.step(ctx, single(sql, args), func() answer {
		if len(args) == 0 {
			results, err := c.pg.PgConn().Exec(ctx, sql).ReadAll()
			a := answerOfResults(c.pg.TypeMap(), results, err)
			if len(results) > 0 && err == nil {
				tag = results[len(results)-1].CommandTag
			}
			return a
		}
		rows := readRows(c.pg.Query(ctx, sql, args...))
		tag = rows.tag
		return rows.answer()
	})
	return tag, err
}

// Query runs a statement and returns its rows, which have all arrived already.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows := c.query(ctx, sql, args)
	return rows, rows.err
}

// QueryRow runs a statement of which one row is wanted.
func (c *Conn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row{c.query(ctx, sql, args)}
}

func (c *Conn) query(ctx context.Context, sql string, args []any) *rows {
	var read *rows
	err := c.step(ctx, single(sql, args), func() answer {
		read = readRows(c.pg.Query(ctx, sql, args...))
		return read.answer()
	})
	if read == nil {
		read = failedRows(err)
	}
	return read
}

// SendBatch sends a batch, as one step. The callbacks of its queries run when the
// results are closed.
func (c *Conn) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	var results *batchResults
	parts := make([]part, 0, len(b.QueuedQueries))
	for _, q := range b.QueuedQueries {
		parts = append(parts, part{sql: q.SQL, args: q.Arguments})
	}
	err := c.step(ctx, parts, func() answer {
		results = readBatch(ctx, c, b)
		return results.answer()
	})
	if results == nil {
		results = &batchResults{batch: b, err: err}
	}
	return results
}

// CopyFrom copies rows into a table, as one step. The source is read meanwhile,
// and must not use the connection.
func (c *Conn) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error) {
	var copied int64
	quoted := make([]string, 0, len(columns))
	for _, column := range columns {
		quoted = append(quoted, pgx.Identifier{column}.Sanitize())
	}
	sql := "copy " + table.Sanitize() + " (" + strings.Join(quoted, ", ") + ") from stdin"
	err := c.step(ctx, []part{{sql: sql, effect: Write}}, func() answer {
		var err error
		copied, err = c.pg.CopyFrom(ctx, table, columns, source)
		return answer{tag: tagUnless(err, copyTag(copied)), err: err}
	})
	return copied, err
}

// CopyText runs a COPY … FROM STDIN whose rows come as text, as one step. What
// [Conn.CopyFrom] sends is binary, which pgx spells for the types alone that it
// knows: not for those of the database's own, such as arrays of an enum.
func (c *Conn) CopyText(ctx context.Context, sql, rows string) (pgconn.CommandTag, error) {
	var tag pgconn.CommandTag
	err := c.step(ctx, []part{{sql: sql, effect: Write}}, func() answer {
		var err error
		tag, err = c.pg.PgConn().CopyFrom(ctx, strings.NewReader(rows), sql)
		return answer{tag: tagUnless(err, tag.String()), err: err}
	})
	return tag, err
}

// step waits for the explorer's grant, does the work, and reports its answer.
// The error is the answer's, or says that the schedule is over.
func (c *Conn) step(ctx context.Context, parts []part, work func() answer) error {
	select {
	case <-c.actor.over:
		return errAbandoned
	default:
	}
	q := c.request(ctx, parts)
	if !q.gated {
		c.ahead = append(c.ahead, q.sql)
		return work().err
	}
	q.ahead, c.ahead = c.ahead, nil
	if err := c.actor.ask(q); err != nil {
		return err
	}
	a := answer{err: c.sendHeld(ctx)}
	if a.err == nil {
		a = work()
	}
	a.commits = q.committed(a, c.pg)
	c.actor.tell(a)
	return a.err
}

// beginSQL spells the statement that pgx sends for options.
func beginSQL(options pgx.TxOptions) string {
	if options.BeginQuery != "" {
		return options.BeginQuery
	}
	words := []string{"begin"}
	if options.IsoLevel != "" {
		words = append(words, "isolation level", string(options.IsoLevel))
	}
	if options.AccessMode != "" {
		words = append(words, string(options.AccessMode))
	}
	if options.DeferrableMode != "" {
		words = append(words, string(options.DeferrableMode))
	}
	return strings.Join(words, " ")
}
