package pawl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// EditManyOperation is EditOperation for many rows. LockSQL takes a text[] for
// each column of the key, and its rows end with the positions at which their key
// was given (1 is the first). SQL takes a text[] for each column of the key and
// each editable one, and its rows end with the position of the row they are about.
type EditManyOperation struct {
	EditOperation
	// Types are those of the key and then of the editable columns, as pgx names them;
	// "text" for those it does not know, whose Go values are strings.
	Types []string
}

// EditMany locks the rows that keys name, in the order of the keys of the table,
// lets fn change them, and writes the editable columns of those that it changed, in
// one transaction: its own, retried as the policy says, or the open one. fn gets
// the rows in the order of keys; a key that is given twice is one row in both
// places. It may run more than once and must change nothing but the rows.
//
// An error of fn ends the edit and is returned; nothing was written. A change to a
// column that is not editable is a *NotEditableError. A key without a row is
// ErrNotFound, and fn is not called then. The result has the rows as they are
// stored, in the order of keys; no keys is an empty result and no error.
func EditMany[T, In any](ctx context.Context, s *Session, op *EditManyOperation, dest func(*T) []any, fn func(ctx context.Context, rows []*T) error, keys []In, key func(*In) []any) ([]T, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	c := s.call(&op.Operation)
	e := editMany[T, In]{op: op, dest: dest, fn: fn, keys: keys, key: key}
	err := e.perform(ctx, &c)
	if err != nil {
		e.rows = nil
	}
	var exhausted *RetryError
	if e.own && !errors.As(err, &exhausted) {
		// The function's error goes back as it came, without a name in front.
		_ = c.done(ctx, "", 0, err)
		return e.rows, err
	}
	return e.rows, c.done(ctx, "", int64(len(e.rows)), err)
}

// editMany is one call of EditMany.
type editMany[T, In any] struct {
	op   *EditManyOperation
	dest func(*T) []any
	fn   func(context.Context, []*T) error
	keys []In
	key  func(*In) []any
	rows []T   // the result
	own  bool  // the error is fn's
	lost error // what is wrong with a written row, when the work stands all the same
}

// perform runs the edit where it can be run best.
func (e *editMany[T, In]) perform(ctx context.Context, c *call) error {
	keys, err := c.s.columns(e.op.Types[:len(e.key(&e.keys[0]))], len(e.keys), func(i int) []any { return e.key(&e.keys[i]) })
	if err != nil {
		return err
	}
	if c.s.InTransaction() || !c.s.canPin() {
		err := c.multi(ctx, func(ctx context.Context, tx *Session) error {
			return e.run(ctx, tx, &joined{tx: tx, ours: !c.s.InTransaction()}, keys)
		})
		if err == nil && e.lost != nil {
			return &StoredError{Operation: c.op.Name, Cause: e.lost}
		}
		return err
	}
	return c.retried(ctx, func(ctx context.Context) error {
		return c.s.pin(ctx, c.op.Name, &c.limits, func(ctx context.Context, p *pinned) error {
			return e.run(ctx, c.s, p, keys)
		})
	})
}

// run is one attempt: lock, decide, write.
func (e *editMany[T, In]) run(ctx context.Context, s *Session, in steps, keys []any) error {
	e.own, e.lost = false, nil
	found := placed[T]{dest: e.dest}
	lock := Operation{Name: e.op.Name, SQL: e.op.LockSQL}
	if err := in.first(ctx, &lock, keys, &found); err != nil {
		return err
	}
	rows := make([]*T, len(e.keys))
	for i := range found.rows {
		for _, at := range found.rows[i].at {
			if at < 1 || int(at) > len(rows) {
				return &unreadable{what: "the last column is no position of a row; generate again"}
			}
			rows[at-1] = &found.rows[i].after
		}
	}
	if slices.Contains(rows, nil) {
		return ErrNotFound
	}
	if err := e.fn(ctx, slices.Clone(rows)); err != nil {
		e.own = true
		return err
	}
	changed, err := e.changed(s, found.rows)
	if err != nil {
		return err
	}
	if len(changed.rows) > 0 {
		written := positioned[T]{dest: e.dest}
		if err := in.last(ctx, &e.op.Operation, changed.args, &written); err != nil {
			var unread *unreadable
			j, ok := in.(*joined)
			if !ok || !j.ours || !errors.As(err, &unread) {
				return err
			}
			e.lost = err // the commit follows, as it does where both travel together
			return nil
		}
		if len(written.rows) != len(changed.rows) {
			// The rows are locked, so only a trigger or a row security policy can do this.
			return ErrNotFound
		}
		for i := range changed.rows {
			*changed.rows[i] = written.rows[i+1]
		}
	}
	e.rows = make([]T, len(rows))
	for i := range rows {
		e.rows[i] = *rows[i]
	}
	return nil
}

// changedRows are those that are written, with the arguments of the statement.
type changedRows[T any] struct {
	rows []*T
	args []any
}

// changed compares the rows before and after.
func (e *editMany[T, In]) changed(s *Session, found []lockedRow[T]) (list changedRows[T], err error) {
	var values [][]any
	for i := range found {
		row := &found[i]
		editable, changed, err := e.op.changes(e.dest(&row.before), e.dest(&row.after))
		if err != nil {
			return list, err
		}
		if changed {
			list.rows = append(list.rows, &row.after)
			values = append(values, append(slices.Clone(e.key(&e.keys[row.at[0]-1])), editable...))
			continue
		}
		row.after = row.before
	}
	list.args, err = s.columns(e.op.Types, len(values), func(i int) []any { return values[i] })
	return list, err
}

// lockedRow is a row with the positions of its key; see twice for why there are two.
type lockedRow[T any] struct {
	before, after T
	at            []int64
}

// placed keeps every row with its positions.
type placed[T any] struct {
	dest func(*T) []any
	rows []lockedRow[T]
}

func (p *placed[T]) reset()       { p.rows = nil }
func (p *placed[T]) count() int64 { return int64(len(p.rows)) }
func (p *placed[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		var row lockedRow[T]
		d.keep(d.row(append(p.dest(&row.before), &row.at)))
		d.keep(d.row(append(p.dest(&row.after), nil)))
		p.rows = append(p.rows, row)
	}
	return d.end()
}

// positioned keeps every row by its one position.
type positioned[T any] struct {
	dest func(*T) []any
	rows map[int]T
}

func (p *positioned[T]) reset()       { p.rows = nil }
func (p *positioned[T]) count() int64 { return int64(len(p.rows)) }
func (p *positioned[T]) collect(rows pgx.Rows) error {
	p.rows = map[int]T{}
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		var row T
		fields, values := rows.FieldDescriptions(), rows.RawValues()
		last := len(values) - 1
		n, err := position(values[last], fields[last].Format)
		if err != nil {
			d.keep(&unreadable{what: fmt.Sprintf("the last column is no position of a row (%v); generate again", err)})
			continue
		}
		d.keep(d.row(append(p.dest(&row), nil)))
		p.rows[n] = row
	}
	return d.end()
}
