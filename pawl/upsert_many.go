package pawl

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// UpsertManyOperation is an upsert of many rows in one statement. Its SQL takes a
// text[] for each column, with the values as PostgreSQL spells them, and its rows
// end with the outcome and the position of the row they are about (1 is the first).
type UpsertManyOperation struct {
	Operation
	// Types are the columns' types as pgx names them; "text" for those it does not
	// know, whose Go values are strings.
	Types []string
}

// Upserted is what became of one row of a batch.
type Upserted[T any] struct {
	Row     T // as it is stored now
	Outcome UpsertOutcome
}

// UpsertMany upserts rows in one statement and returns what became of each, in the
// order of rows. values gives a row's values in the order of the statement's
// arguments. All of it is one transaction: the open one, or its own, which is
// retried as the policy says.
//
// The statement writes one row of those with the same key, in the order of the
// keys, so that two batches never deadlock whatever order they come in. What it
// did not write a second statement finds, and rows that have gone by then are
// given to the first one again.
func UpsertMany[T, In any](ctx context.Context, s *Session, op *UpsertManyOperation, dest func(*T) []any, rows []In, values func(*In) []any) ([]Upserted[T], error) {
	c := s.call(&op.Operation)
	if len(rows) == 0 {
		return nil, nil
	}
	b := many[T, In]{op: op, dest: dest, rows: rows, values: values}
	err := c.multi(ctx, func(ctx context.Context, tx *Session) error { return b.run(ctx, tx, &c) })
	if err != nil {
		return nil, c.done(ctx, "", 0, err)
	}
	for i := range b.done {
		c.upserted.add(b.done[i].Outcome)
	}
	return b.done, c.done(ctx, "", int64(len(b.done)), nil)
}

// many is one call of UpsertMany.
type many[T, In any] struct {
	op     *UpsertManyOperation
	dest   func(*T) []any
	rows   []In
	values func(*In) []any
	done   []Upserted[T] // by position; without an outcome while open
}

// run is one attempt.
func (b *many[T, In]) run(ctx context.Context, tx *Session, c *call) error {
	b.done = make([]Upserted[T], len(b.rows))
	open := make([]int, len(b.rows)) // the positions of the rows that are not done
	for i := range open {
		open[i] = i
	}
	inside := *c
	inside.s = tx
	for range upsertLooks {
		args, err := b.arguments(tx, open)
		if err != nil {
			return err
		}
		found := answers[T]{dest: b.dest, open: open, done: b.done}
		written := inside.readingFirst()
		if err := tx.inside(ctx, written.op, args, &found); err != nil {
			return err
		}
		if open = b.remaining(open); len(open) == 0 {
			return nil
		}
		question := Operation{Name: b.op.Name, SQL: b.op.ExplainSQL, ReadOnly: true}
		if err := tx.inside(ctx, &question, args, &found); err != nil {
			return err
		}
		if found.refused != nil {
			return found.refused
		}
		if open = b.remaining(open); len(open) == 0 {
			return nil
		}
	}
	return ErrUnsettled
}

// remaining are the positions that have no outcome yet.
func (b *many[T, In]) remaining(open []int) []int {
	var left []int
	for _, i := range open {
		if b.done[i].Outcome == "" {
			left = append(left, i)
		}
	}
	return left
}

// arguments are the values of the rows at positions.
func (b *many[T, In]) arguments(tx *Session, positions []int) ([]any, error) {
	args, err := tx.columns(b.op.Types, len(positions), func(i int) []any { return b.values(&b.rows[positions[i]]) })
	var misfit *misfitError
	if errors.As(err, &misfit) {
		misfit.row = positions[misfit.row]
	}
	return args, err
}

// answers takes the rows of a batch's statement to their positions.
type answers[T any] struct {
	dest    func(*T) []any
	open    []int // the positions that the statement was given
	done    []Upserted[T]
	refused error
	n       int64
}

func (a *answers[T]) reset()       {}
func (a *answers[T]) count() int64 { return a.n }
func (a *answers[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		fields, values := rows.FieldDescriptions(), rows.RawValues()
		last := len(values) - 1
		n, err := position(values[last], fields[last].Format)
		if err != nil || n < 1 || n > len(a.open) {
			d.keep(&unreadable{what: "the last column is no position of a row; generate again"})
			continue
		}
		at := a.open[n-1]
		if a.done[at].Outcome != "" {
			continue // the first statement has answered
		}
		a.n++
		switch verdict := string(values[last-1]); verdict {
		case verdictAgain:
		case verdictInput:
			a.refuse(at, "the key does not cover it: a column of it is NULL, or its condition does not hold")
		case verdictTwice:
			a.refuse(at, "another row of the batch has the same key")
		default:
			d.keep(d.row(append(a.dest(&a.done[at].Row), nil, nil)))
			a.done[at].Outcome = UpsertOutcome(verdict)
		}
	}
	return d.end()
}

func (a *answers[T]) refuse(at int, why string) {
	if a.refused == nil {
		a.refused = fmt.Errorf("%w: row %d: %s", ErrBadInput, at+1, why)
	}
}
