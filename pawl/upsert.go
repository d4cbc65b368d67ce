package pawl

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// UpsertOutcome says what an upsert did with its row. None of them is an error.
type UpsertOutcome string

// The outcomes of an upsert.
const (
	// Inserted says that no row had the key, and that the new one is stored.
	Inserted UpsertOutcome = "inserted"
	// Updated says that a row had the key, and that it has the new values now.
	Updated UpsertOutcome = "updated"
	// Unchanged says that a row has the key and that nothing was written: it had the
	// same values already, or the upsert leaves rows that are there as they are.
	Unchanged UpsertOutcome = "unchanged"
	// Stale says that the row which is there has a version that is not below the new
	// one's, and that it was left as it is.
	Stale UpsertOutcome = "stale"
)

// UpsertCounts are how many rows of an upsert ended how. Unchanged rows of an
// upsert that ignores duplicates are rows that were dropped.
type UpsertCounts struct{ Inserted, Updated, Unchanged, Stale int64 }

func (c *UpsertCounts) add(o UpsertOutcome) {
	switch o {
	case Inserted:
		c.Inserted++
	case Updated:
		c.Updated++
	case Unchanged:
		c.Unchanged++
	case Stale:
		c.Stale++
	}
}

// What the statements of an upsert answer besides the outcomes.
const (
	verdictAgain = "again" // the row that was there has gone
	verdictInput = "input" // the key does not cover the new row
	verdictTwice = "twice" // another row of the batch has the same key
)

// upsertLooks is how often an upsert is run when the row that stood in its way
// has gone each time it was looked for.
const upsertLooks = 16

// Upsert runs a statement that inserts a row or does something with the row that
// has its key, and returns the row that is there afterwards. Its last column is
// the outcome. When it returns no row nothing was written: ExplainSQL then finds
// the row that is there, and when it has gone by then SQL is run again.
//
// Inside a serializable transaction ExplainSQL also goes ahead of SQL, in the
// same round trip: PostgreSQL does not track rows that were seen through ON
// CONFLICT alone, and two transactions could each decide on what the other one
// changes.
func Upsert[T any](ctx context.Context, s *Session, op *Operation, dest func(*T) []any, args ...any) (T, UpsertOutcome, error) {
	c := s.call(op)
	row, outcome, err := upsert(ctx, &c, dest, args)
	if err != nil {
		var zero T
		return zero, "", c.done(ctx, "", 0, err)
	}
	c.upserted.add(outcome)
	return row, outcome, c.done(ctx, Outcome(outcome), 1, nil)
}

func upsert[T any](ctx context.Context, c *call, dest func(*T) []any, args []any) (T, UpsertOutcome, error) {
	var zero T
	written := c.readingFirst()
	for range upsertLooks {
		found := settled[T]{dest: dest}
		if err := written.perform(ctx, args, &found); err != nil {
			c.attempt = written.attempt
			return zero, "", err
		}
		c.attempt = written.attempt
		if found.n == 0 {
			if err := c.explaining().perform(ctx, pick(args, c.op.ExplainArgs), &found); err != nil {
				return zero, "", err
			}
		}
		switch found.verdict {
		case verdictAgain, "":
			continue
		case verdictInput:
			return zero, "", fmt.Errorf("%w: the key does not cover the row: a column of it is NULL, or its condition does not hold", ErrBadInput)
		}
		return found.row, UpsertOutcome(found.verdict), nil
	}
	return zero, "", ErrUnsettled
}

// explaining is the call of the explain statement.
func (c *call) explaining() *call {
	question := &Operation{Name: c.op.Name, SQL: c.op.ExplainSQL, ReadOnly: true}
	return &call{s: c.s, op: question, limits: c.limits, attempt: c.attempt}
}

// readingFirst is the call with the key read ahead of its statement where that
// may be needed: at SERIALIZABLE, and in a transaction whose level is not known,
// where asking for it would be a round trip and reading the key is none.
func (c *call) readingFirst() *call {
	level := c.limits.isolation()
	if c.s.InTransaction() {
		level = ""
		if c.s.tx != nil {
			level = c.s.tx.isolation
		}
	}
	if level != "" && level != pgx.Serializable {
		return c
	}
	op := *c.op
	op.Prelude = append(op.Prelude[:len(op.Prelude):len(op.Prelude)], Statement{SQL: op.ExplainSQL, Args: c.op.ExplainArgs})
	reading := *c
	reading.op = &op
	return &reading
}

// settled keeps the row of an upsert's statement and what its last column says of
// it. Of some verdicts there is no row: its columns are NULL.
type settled[T any] struct {
	dest    func(*T) []any
	row     T
	verdict string
	n       int64
}

func (u *settled[T]) reset()       { *u = settled[T]{dest: u.dest} }
func (u *settled[T]) count() int64 { return u.n }
func (u *settled[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		values := rows.RawValues()
		u.verdict = string(values[len(values)-1]) // text is the same bytes in both formats
		u.n++
		if u.verdict != verdictAgain && u.verdict != verdictInput {
			d.keep(d.row(append(u.dest(&u.row), nil)))
		}
	}
	return d.end()
}
