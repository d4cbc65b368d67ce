package explore

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// batchResults are the answers to a batch, read to their end. They implement
// pgx.BatchResults.
type batchResults struct {
	batch *pgx.Batch
	read  []*rows
	tx    pgx.Tx
	sent  error // how the batch as a whole ended
	err   error // what the caller has met: sticky, as pgx's is

	at     int
	closed bool
}

// readBatch sends b and reads all answers, without the callbacks of its queries:
// those are the client's code.
func readBatch(ctx context.Context, c *Conn, b *pgx.Batch) *batchResults {
	from := c.pg.SendBatch(ctx, b)
	r := &batchResults{batch: b}
	for range b.QueuedQueries {
		answer := readRows(from.Query())
		r.read = append(r.read, answer)
		if answer.err != nil {
			break
		}
	}
	if real := from.Tx(); real != nil {
		r.tx = &tx{conn: c, real: real, names: new(int), commitSQL: "commit", rollbackSQL: "rollback"}
	}
	r.sent = from.Close()
	return r
}

// answer is what the timeline says about r: all tags, and the last rows.
func (r *batchResults) answer() answer {
	var tags []string
	a := answer{err: r.sent}
	for _, read := range r.read {
		one := read.answer()
		if one.tag != "" {
			tags = append(tags, one.tag)
		}
		if one.columns != nil {
			a.columns, a.rows = one.columns, one.rows
		}
		if a.err == nil {
			a.err = one.err
		}
	}
	a.tag = strings.Join(tags, "; ")
	return a
}

// next returns the answer to the next query.
func (r *batchResults) next() *rows {
	switch {
	case r.err != nil:
		return failedRows(r.err)
	case r.closed:
		return failedRows(errors.New("batch already closed"))
	}
	r.at++
	switch {
	case r.at <= len(r.read):
		return r.read[r.at-1]
	case r.sent != nil:
		return failedRows(r.sent)
	}
	return failedRows(errors.New("no more results in batch"))
}

func (r *batchResults) Exec() (pgconn.CommandTag, error) {
	next := r.next()
	if next.err != nil {
		r.err = next.err
	}
	return next.tag, next.err
}

func (r *batchResults) Query() (pgx.Rows, error) {
	next := r.next()
	return next, next.err
}

func (r *batchResults) QueryRow() pgx.Row { return row{r.next()} }

// Close runs the callbacks of the queries whose answers were not asked for.
func (r *batchResults) Close() error {
	for r.err == nil && !r.closed && r.at < len(r.batch.QueuedQueries) {
		if fn := r.batch.QueuedQueries[r.at].Fn; fn != nil {
			r.err = fn(r)
		} else {
			_, _ = r.Exec() // remembered in r.err
		}
	}
	r.closed = true
	if r.err == nil {
		r.err = r.sent
	}
	return r.err
}

// Tx returns the transaction that the batch began, if it did.
func (r *batchResults) Tx() pgx.Tx {
	if r.tx == nil {
		return nil
	}
	return r.tx
}
