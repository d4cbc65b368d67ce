package pawl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// GuardedManyOperation is a guarded change of many rows in one statement. Its SQL
// takes a text[] for each column of what one row needs, with the values as
// PostgreSQL spells them, locks the rows in the order of their keys, and writes all
// or none. For each given row it returns the row, a verdict, its subject and the
// position of what it is about (1 is the first). The verdicts are those of
// Operation.ExplainSQL, and
//
//	done     the row was written
//	again    nothing stands in its way, and another row kept it from being written
//	missing  there is no such row
//	twice    another row of the batch has the same key
type GuardedManyOperation struct {
	Operation
	// Types are the columns' types as pgx names them; "text" for those it does not
	// know, whose Go values are strings.
	Types []string
}

// BatchError says which rows kept a batch from being written. Nothing was: not the
// others either. errors.Is and errors.As look at the reason of each row.
type BatchError struct {
	Operation string
	Rows      []RowError // in the order in which they were given
	Given     int        // how many rows the batch had
}

// RowError is a row that kept its batch from being written.
type RowError struct {
	Index int   // its place in the batch; 0 is the first
	Err   error // ErrNotFound, *StateError, *GuardError, ErrBadInput
}

// Error says how many rows were refused, and why the first one was.
func (e *BatchError) Error() string {
	if len(e.Rows) == 0 {
		return e.Operation + ": nothing was written"
	}
	first := e.Rows[0]
	why := strings.TrimPrefix(first.Err.Error(), e.Operation+": ")
	return fmt.Sprintf("%s: nothing was written: %d of %d rows refused; row %d: %s", e.Operation, len(e.Rows), e.Given, first.Index+1, why)
}

// Unwrap returns the reason of each row.
func (e *BatchError) Unwrap() []error {
	list := make([]error, len(e.Rows))
	for i := range e.Rows {
		list[i] = e.Rows[i].Err
	}
	return list
}

// GuardedMany changes rows in one statement and returns them as they are
// afterwards, in the order of given: a row that was given twice stands there twice.
// values gives what one row needs, in the order of the statement's arguments.
//
// All are changed or none is: when one of them may not be, the error is a
// *BatchError. No given rows is an empty result and no error; nothing is sent then.
// Outside a transaction it is one round trip, and so is each attempt of a retry.
func GuardedMany[T, In any](ctx context.Context, s *Session, op *GuardedManyOperation, dest func(*T) []any, given []In, values func(*In) []any) ([]T, error) {
	if len(given) == 0 {
		return nil, nil
	}
	c := s.call(&op.Operation)
	args, err := s.columns(op.Types, len(given), func(i int) []any { return values(&given[i]) })
	if err != nil {
		return nil, c.done(ctx, "", 0, err)
	}
	judged := verdicts[T]{call: &c, dest: dest, given: len(given)}
	for range looks {
		if err := c.perform(ctx, args, &judged); err != nil {
			return nil, c.done(ctx, "", 0, err)
		}
		if judged.open == 0 || judged.written > 0 || !judged.unsure() {
			break
		}
	}
	if err := judged.err(); err != nil {
		return nil, c.done(ctx, "", 0, err)
	}
	return judged.rows, c.done(ctx, "", int64(len(judged.rows)), nil)
}

// verdicts are the rows of a batch with what was said of each.
type verdicts[T any] struct {
	call    *call
	dest    func(*T) []any
	given   int
	rows    []T     // by position
	refused []error // by position; nil for a row that nothing stands in the way of
	open    int     // how many rows are not as they were asked to be
	written int64
}

func (v *verdicts[T]) reset() {
	*v = verdicts[T]{call: v.call, dest: v.dest, given: v.given, rows: make([]T, v.given), refused: make([]error, v.given), open: v.given}
}
func (v *verdicts[T]) count() int64 { return v.written }
func (v *verdicts[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		fields, values := rows.FieldDescriptions(), rows.RawValues()
		last := len(values) - 1
		n, err := position(values[last], fields[last].Format)
		if last < 2 || err != nil || n < 1 || n > v.given {
			d.keep(&unreadable{what: "the last column is no position of a row; generate again"})
			continue
		}
		verdict, subject := string(values[last-2]), string(values[last-1])
		if verdict != "missing" && verdict != "twice" { // there is a row
			d.keep(d.row(append(v.dest(&v.rows[n-1]), nil, nil, nil)))
		}
		switch verdict {
		case "done":
			v.written++
			v.open--
		case "repeat":
			v.open--
		case "again":
		case "missing":
			v.refused[n-1] = ErrNotFound
		case "twice":
			v.refused[n-1] = fmt.Errorf("%w: another row of the batch has the same key", ErrBadInput)
		default:
			v.refused[n-1] = v.call.refusal(verdict, &subject, v.rows[n-1])
		}
	}
	return d.end()
}

// unsure reports that a second look may say something else: a row that is not
// there may have been deleted and inserted again while the statement waited for
// it, and a row that nothing stands in the way of was not written.
func (v *verdicts[T]) unsure() bool {
	refused := false
	for _, err := range v.refused {
		if errors.Is(err, ErrNotFound) {
			return true
		}
		refused = refused || err != nil
	}
	return !refused
}

// err is what became of the batch.
func (v *verdicts[T]) err() error {
	failed := &BatchError{Operation: v.call.op.Name, Given: v.given}
	for i, err := range v.refused {
		if err != nil {
			failed.Rows = append(failed.Rows, RowError{i, err})
		}
	}
	switch {
	case len(failed.Rows) > 0:
		return failed
	case v.open > 0 && v.written > 0:
		return fmt.Errorf("%s: a trigger or a row security policy kept %d of %d rows from being written, and the others are written",
			v.call.op.Name, v.open, v.given)
	case v.open > 0:
		return ErrUnsettled
	}
	return nil
}
