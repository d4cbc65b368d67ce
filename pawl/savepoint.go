package pawl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// Savepoint runs fn inside a savepoint of the transaction that s is in, and
// returns what fn returns. When fn fails or panics, what it did is undone, the
// hooks that it gave to AfterCommit are dropped, and the transaction can go on: the
// caller may take the error as an answer.
//
// Two things a savepoint cannot do. It does not clear a serialization failure or
// a deadlock: the snapshot stays, and the same statement would fail again, so the
// transaction runs again as a whole whatever becomes of the error here. And locks
// that fn took before the failure of another statement may be held until the
// transaction ends. Outside a transaction it fails with ErrNoTransaction.
func Savepoint[T any](ctx context.Context, s *Session, fn func(ctx context.Context, tx *Session) (T, error)) (T, error) {
	var result T
	err := s.savepoint(ctx, func(ctx context.Context) error {
		value, err := fn(ctx, s)
		if err == nil {
			result = value
		}
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return result, nil
}

const savepointName = "savepoint" // in errors, as "transaction" is

// savepoint runs fn between SAVEPOINT and RELEASE, or ROLLBACK TO.
func (s *Session) savepoint(ctx context.Context, fn func(context.Context) error) error {
	if !s.InTransaction() {
		return &callError{savepointName, ErrNoTransaction}
	}
	if s.tx == nil {
		// A connection on which somebody sent BEGIN: what is to be known of the
		// transaction is kept for the length of the savepoint.
		s.tx = &openTx{}
		defer func() { s.tx = nil }()
	}
	t := s.tx
	t.depth++
	defer func() { t.depth-- }()
	name := "pawl_" + strconv.Itoa(t.depth)
	_, err := s.db.Exec(ctx, "savepoint "+name)
	if err = t.note(err); err != nil {
		return describe(savepointName, err)
	}
	before := t.mark()
	open := true
	// Deferred, so that a panic undoes the work too and then goes on.
	defer func() {
		if open {
			_ = s.undo(ctx, name, before)
		}
	}()
	if err = s.keep(ctx, name, before, fn(ctx)); err == nil {
		open = false
		return nil
	}
	open = false
	if failed := s.undo(ctx, name, before); failed != nil {
		err = errors.Join(err, failed)
	}
	s.trace(ctx, err)
	t.keepFailing(err)
	return err
}

// keep releases the savepoint after a function that returned err, or says why the
// work has to be undone.
func (s *Session) keep(ctx context.Context, name string, before mark, err error) error {
	if err != nil {
		return err
	}
	if err := s.dropped(before); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return &callError{savepointName, err}
	}
	if _, err := s.db.Exec(ctx, "release savepoint "+name); err != nil {
		return describe(savepointName, s.tx.note(err))
	}
	return nil
}

// mark is what a savepoint brings back.
type mark struct {
	doomed error
	after  int
}

func (t *openTx) mark() mark { return mark{doomed: t.doomed, after: len(t.after)} }

// dropped is the error that a function kept to itself although it spoilt the work
// since the mark.
func (s *Session) dropped(before mark) error {
	var cause error
	switch t := s.tx; {
	case t.first != nil:
		cause = s.described(&txConfig{name: savepointName}, t.first)
	case before.doomed == nil && t.doomed != nil:
		cause = t.doomed
	default:
		return nil
	}
	return &callError{savepointName, fmt.Errorf("%w: an error inside it was dropped: %w", ErrRolledBack, cause)}
}

// undo rolls back to the savepoint and removes it, on a context of its own: on the
// caller's, which may be over, the connection would be lost with the transaction.
func (s *Session) undo(ctx context.Context, name string, before mark) error {
	t := s.tx
	first := t.first
	clear(t.after[before.after:])
	t.after, t.doomed, t.first = t.after[:before.after], before.doomed, nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_, err := s.db.Exec(ctx, "rollback to savepoint "+name+"; release savepoint "+name)
	if err != nil {
		if first != nil {
			t.first = first
		}
		err = describe(savepointName, t.note(err))
		t.doom(err)
	}
	t.keepFailing(first)
	return err
}

// keepFailing remembers an error worth a retry, which a savepoint does not clear.
func (t *openTx) keepFailing(err error) {
	if t.policy.retries(err) {
		t.doom(err)
	}
}

// doom makes it impossible to commit. The first reason counts.
func (t *openTx) doom(err error) {
	if t.doomed == nil {
		t.doomed = err
	}
}
