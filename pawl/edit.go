package pawl

import (
	"context"
	"errors"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// EditOperation is a read, a decision in Go and a write of one row under one
// lock. Operation.SQL is the UPDATE: its arguments are the key and then the
// editable columns in the order of Editable, and it returns the row.
type EditOperation struct {
	Operation
	// LockSQL selects the row for update; its arguments are the key.
	LockSQL string
	// Columns are the row's columns in the order of its scan targets.
	Columns []string
	// Editable are the positions in Columns (0 is the first) that may change.
	Editable []int
}

// Edit locks the row that key names, lets fn change it, and writes the editable
// columns, in one transaction: its own, retried as the policy says, or the open
// one. fn may run more than once and must change nothing but the row.
//
// An error of fn ends the edit and is returned; nothing was written. A change to
// a column that is not editable is a *NotEditableError, not a loss. When fn
// changed nothing, nothing is written and the row is returned. No row is
// ErrNotFound; a lock that was not to be had in time is ErrBusy.
func Edit[T any](ctx context.Context, s *Session, op *EditOperation, dest func(*T) []any, fn func(ctx context.Context, row *T) error, key ...any) (T, error) {
	c := s.call(&op.Operation)
	c.args = key
	e := edit[T]{op: op, dest: dest, fn: fn, key: key}
	err := e.perform(ctx, &c)
	if err != nil {
		var zero T
		e.row = zero
	}
	var exhausted *RetryError
	if e.own && !errors.As(err, &exhausted) {
		// The function's error goes back as it came, without a name in front.
		_ = c.done(ctx, "", 0, err)
		return e.row, err
	}
	return e.row, c.done(ctx, "", countOf(err), err)
}

// edit is one call of Edit.
type edit[T any] struct {
	op   *EditOperation
	dest func(*T) []any
	fn   func(context.Context, *T) error
	key  []any
	row  T    // the result
	own  bool // the error is fn's
	// unread is what is wrong with the written row, when the work stands all the same.
	unread error
}

// perform runs the edit where it can be run best.
func (e *edit[T]) perform(ctx context.Context, c *call) error {
	if c.s.InTransaction() || !c.s.canPin() {
		err := c.multi(ctx, func(ctx context.Context, tx *Session) error {
			return e.run(ctx, &joined{tx: tx, ours: !c.s.InTransaction()})
		})
		if err == nil && e.unread != nil {
			return &StoredError{Operation: c.op.Name, Cause: e.unread}
		}
		return err
	}
	return c.retried(ctx, func(ctx context.Context) error {
		return c.s.pin(ctx, c.op.Name, &c.limits, func(ctx context.Context, p *pinned) error {
			return e.run(ctx, p)
		})
	})
}

// steps are the two statements of an edit, the second of which may end the
// transaction.
type steps interface {
	first(ctx context.Context, op *Operation, args []any, into collector) error
	last(ctx context.Context, op *Operation, args []any, into collector) error
}

// joined takes the steps inside a transaction that somebody else ends.
type joined struct {
	tx   *Session
	ours bool // it was begun for the edit alone
}

func (j *joined) first(ctx context.Context, op *Operation, args []any, into collector) error {
	return j.tx.inside(ctx, op, args, into)
}

func (j *joined) last(ctx context.Context, op *Operation, args []any, into collector) error {
	return j.tx.inside(ctx, op, args, into)
}

// run is one attempt: lock, decide, write.
func (e *edit[T]) run(ctx context.Context, s steps) error {
	e.own, e.unread = false, nil
	found := twice[T]{dest: e.dest}
	lock := Operation{Name: e.op.Name, SQL: e.op.LockSQL}
	if err := s.first(ctx, &lock, e.key, &found); err != nil {
		return err
	}
	if found.n == 0 {
		return ErrNotFound
	}
	if err := e.fn(ctx, &found.after); err != nil {
		e.own = true
		return err
	}
	values, changed, err := e.op.changes(e.dest(&found.before), e.dest(&found.after))
	if err != nil {
		return err
	}
	if !changed {
		e.row = found.before
		return nil
	}
	written := one[T]{dest: e.dest}
	args := append(e.key[:len(e.key):len(e.key)], values...)
	if err := s.last(ctx, &e.op.Operation, args, &written); err != nil {
		var unread *unreadable
		if j, ok := s.(*joined); ok && j.ours && errors.As(err, &unread) {
			// The commit follows, as it does where both travel together.
			e.unread = err
			return nil
		}
		return err
	}
	if written.n == 0 {
		// The row is locked, so only a trigger or a row security policy can do this.
		return ErrNotFound
	}
	e.row = written.row
	return nil
}

// changes compares the scan targets of the row before and after, and returns the
// values of the editable columns.
func (op *EditOperation) changes(before, after []any) (values []any, changed bool, err error) {
	editable := make([]bool, len(after))
	for _, i := range op.Editable {
		editable[i] = true
		values = append(values, argument(reflect.ValueOf(after[i]).Elem()))
	}
	for i := range after {
		if same(reflect.ValueOf(before[i]), reflect.ValueOf(after[i])) {
			continue
		}
		if !editable[i] {
			return nil, false, &NotEditableError{Operation: op.Name, Column: op.Columns[i]}
		}
		changed = true
	}
	return values, changed, nil
}

// same reports whether two scan targets hold the same value. A NaN is the same as
// another, as it is to PostgreSQL: a row that holds one was not changed by reading it.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float() || a.Float() != a.Float() && b.Float() != b.Float()
	case reflect.Pointer:
		return a.Pointer() == b.Pointer() || !a.IsNil() && !b.IsNil() && same(a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() || a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return sameEntries(a, b)
	case reflect.Interface:
		return a.IsNil() && b.IsNil() || !a.IsNil() && !b.IsNil() && a.Elem().Type() == b.Elem().Type() && same(a.Elem(), b.Elem())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return a.IsNil() && b.IsNil()
	}
	return a.Equal(b)
}

func sameEntries(a, b reflect.Value) bool {
	if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
		return false
	}
	for _, key := range a.MapKeys() {
		other := b.MapIndex(key)
		if !other.IsValid() || !same(a.MapIndex(key), other) {
			return false
		}
	}
	return true
}

// argument is a column's value as every execution mode of pgx can send it. Where it
// does not know the type of the parameter, pgx cannot encode a slice of a named
// string type, an array of an enum, nor one of a type of sixteen bytes, a uuid; nor
// of pointers to them.
func argument(v reflect.Value) any {
	if v.Kind() != reflect.Slice || v.IsNil() {
		return v.Interface()
	}
	elem := v.Type().Elem()
	switch {
	case elem.Kind() == reflect.String:
		return converted(v, reflect.Value.String)
	case elem.Kind() == reflect.Pointer && elem.Elem().Kind() == reflect.String:
		return converted(v, func(pointer reflect.Value) *string {
			if pointer.IsNil() {
				return nil
			}
			text := pointer.Elem().String()
			return &text
		})
	case isUUID(elem):
		return converted(v, uuidOf)
	case elem.Kind() == reflect.Pointer && isUUID(elem.Elem()):
		return converted(v, func(pointer reflect.Value) pgtype.UUID {
			if pointer.IsNil() {
				return pgtype.UUID{}
			}
			return uuidOf(pointer.Elem())
		})
	}
	return v.Interface()
}

// isUUID reports whether a type is an array of sixteen bytes.
func isUUID(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.Len() == 16 && t.Elem().Kind() == reflect.Uint8
}

func uuidOf(v reflect.Value) pgtype.UUID {
	return pgtype.UUID{Bytes: v.Convert(reflect.TypeFor[[16]byte]()).Interface().([16]byte), Valid: true}
}

// converted converts the elements of a slice.
func converted[T any](slice reflect.Value, convert func(reflect.Value) T) []T {
	list := make([]T, slice.Len())
	for i := range list {
		list[i] = convert(slice.Index(i))
	}
	return list
}

// twice keeps the first row two times, sharing no memory: what fn does to the
// second, also behind a pointer or inside a slice, does not reach the first.
type twice[T any] struct {
	dest          func(*T) []any
	before, after T
	n             int64
}

func (t *twice[T]) reset()       { *t = twice[T]{dest: t.dest} }
func (t *twice[T]) count() int64 { return t.n }
func (t *twice[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		if t.n == 0 {
			d.keep(d.row(t.dest(&t.before)))
			d.keep(d.row(t.dest(&t.after)))
		}
		t.n++
	}
	return d.end()
}
