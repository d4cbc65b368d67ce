package pawl

import (
	"context"
	"fmt"
	"reflect"
)

// Change is a field of an update: the new value of a column, or nothing. The zero
// Change leaves the column as it is. Make one with Set.
type Change[T any] struct {
	value T
	set   bool
}

// Set names a column in an update: RoomUpdate{Price: pawl.Set(price)}. For a
// column that may be NULL the value is a pointer, and nil is NULL:
// pawl.Set[*string](nil).
func Set[T any](value T) Change[T] { return Change[T]{value, true} }

// Get returns the new value; ok is false when the column stays as it is.
func (c Change[T]) Get() (value T, ok bool) { return c.value, c.set }

// arguments are those of the update's statement: whether the column changes, and
// to what. A value that is not given must not reach the server: the zero value of
// an enum is none of its labels.
func (c Change[T]) arguments() (set bool, value any) {
	if !c.set {
		return false, nil
	}
	return true, argument(reflect.ValueOf(&c.value).Elem())
}

// Changed is a Change of any type.
type Changed interface{ arguments() (set bool, value any) }

// Update sets the columns that changes name in one row and leaves the others as
// they are. The statement takes key, and then for each change whether it is one and
// the new value. It is one statement whatever is set: ELSE keeps the value of the
// newest row, so that two updates of different columns do not undo each other.
//
// No row is ErrNotFound; with a version in key, a row of another version is
// ErrStale. An update that names no column is ErrBadInput.
func Update[T any](ctx context.Context, s *Session, op *Operation, dest func(*T) []any, key []any, changes ...Changed) (T, error) {
	c := s.call(op)
	c.args = key
	args := make([]any, len(key), len(key)+2*len(changes))
	copy(args, key)
	named := false
	for _, change := range changes {
		set, value := change.arguments()
		named = named || set
		args = append(args, set, value)
	}
	var zero T
	if !named {
		return zero, c.done(ctx, "", 0, fmt.Errorf("%w: the update names no column", ErrBadInput))
	}
	if op.ExplainSQL != "" {
		row, outcome, err := guarded(ctx, &c, dest, args)
		return row, c.done(ctx, outcome, countOf(err), err)
	}
	found := one[T]{dest: dest}
	err := c.perform(ctx, args, &found)
	if err == nil && found.n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		found.reset()
	}
	return found.row, c.done(ctx, "", found.n, err)
}
