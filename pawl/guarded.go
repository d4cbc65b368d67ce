package pawl

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Guarded runs a statement that touches its row only if the row's guard holds,
// and returns the row as it is afterwards. dest gives the scan targets of a row
// in the order of the statement's columns.
//
// Outside a transaction it is one round trip. When no row was touched, a second
// statement (Operation.ExplainSQL) says why: ErrNotFound, *StateError,
// *GuardError, ErrStale, or the row itself when the move was asked for again.
func Guarded[T any](ctx context.Context, s *Session, op *Operation, dest func(*T) []any, args ...any) (T, error) {
	c := s.call(op)
	c.args = args
	row, outcome, err := guarded(ctx, &c, dest, args)
	return row, c.done(ctx, outcome, countOf(err), err)
}

// looks is how often a guarded statement is run when its explanation finds
// nothing in the way any more: a race with a change that came and went.
const looks = 2

func guarded[T any](ctx context.Context, c *call, dest func(*T) []any, args []any) (T, Outcome, error) {
	found := one[T]{dest: dest}
	for range looks {
		if err := c.perform(ctx, args, &found); err != nil {
			var zero T
			return zero, "", err
		}
		if found.n > 0 {
			return found.row, "", nil
		}
		row, outcome, again, err := explain(ctx, c, dest, args)
		if !again {
			return row, outcome, err
		}
	}
	var zero T
	return zero, OutcomeUnknown, ErrUnsettled
}

// explanation is the one row of an explain statement.
type explanation[T any] struct {
	dest    func(*T) []any
	row     T
	verdict string
	subject *string
	n       int64
}

func (e *explanation[T]) reset()       { *e = explanation[T]{dest: e.dest} }
func (e *explanation[T]) count() int64 { return e.n }
func (e *explanation[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		d.keep(d.row(append(e.dest(&e.row), &e.verdict, &e.subject)))
		e.n++
	}
	return d.end()
}

// explain asks why a guarded statement touched no row. again says that nothing
// stands in its way any more. It is a statement of its own, so that under read
// committed it sees what the guarded statement could not.
func explain[T any](ctx context.Context, c *call, dest func(*T) []any, args []any) (row T, outcome Outcome, again bool, err error) {
	why := explanation[T]{dest: dest}
	question := Operation{Name: c.op.Name, SQL: c.op.ExplainSQL, ReadOnly: true}
	asked := call{s: c.s, op: &question, limits: c.limits, attempt: c.attempt}
	if err := asked.perform(ctx, pick(args, c.op.ExplainArgs), &why); err != nil {
		return row, "", false, err
	}
	if why.n == 0 {
		return row, OutcomeNotFound, false, ErrNotFound
	}
	switch why.verdict {
	case "repeat":
		return why.row, OutcomeRepeated, false, nil
	case "again":
		return row, "", true, nil
	}
	return row, "", false, c.refusal(why.verdict, why.subject, why.row)
}

// ownGuard is the subject of the verdict about the operation's own guard.
const ownGuard = "guard"

// refusal makes the error of a verdict.
func (c *call) refusal(verdict string, subject *string, row any) error {
	about := ""
	if subject != nil {
		about = *subject
	}
	switch verdict {
	case "state":
		return &StateError{Operation: c.op.Name, Current: about, Wanted: c.op.Wanted}
	case "guard":
		refused := &GuardError{Operation: c.op.Name, Guard: about, Row: row}
		if about == ownGuard {
			refused.Expr = c.op.Guard
		}
		return refused
	case "input":
		return fmt.Errorf("%w: %s is no number that this operation takes: zero or less, NaN or infinite", ErrBadInput, about)
	case "stale":
		return ErrStale
	}
	return errors.New("the explain statement answered " + verdict + ", which this version of pawl does not know")
}

// countOf is the number of rows of a call that returns one or fails.
func countOf(err error) int64 {
	if err != nil {
		return 0
	}
	return 1
}
