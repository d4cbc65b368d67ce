package migrate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// run goes through the steps, those of one transaction together.
func (a *applier) run(ctx context.Context) error {
	steps := a.plan.Steps
	for a.done < len(steps) {
		if err := ctx.Err(); err != nil {
			return &InterruptedError{Done: a.done, Total: len(steps), err: context.Cause(ctx)}
		}
		n := 1
		if steps[a.done].Transactional() {
			for a.done+n < len(steps) && steps[a.done+n].Transaction == steps[a.done].Transaction {
				n++
			}
			if err := a.transaction(ctx, a.done, n); err != nil {
				return err
			}
		} else if err := a.concurrent(ctx, a.done); err != nil {
			return err
		}
		a.done += n
	}
	return nil
}

func (a *applier) event(kind EventKind, index int, e Event) {
	e.Kind, e.Index, e.Step, e.Total = kind, index, &a.plan.Steps[index], len(a.plan.Steps)
	a.options.Observe(e)
}

// failure is the error of a step: that it was interrupted, or why it failed.
func (a *applier) failure(ctx context.Context, index int, left string, err error) error {
	step := a.plan.Steps[index]
	if ctx.Err() != nil && (sqlState(err) == queryCanceled || errors.Is(err, ctx.Err())) {
		return &InterruptedError{Step: &step, Done: a.done, Total: len(a.plan.Steps), Left: left, err: context.Cause(ctx)}
	}
	failed := newStepError(step, index, len(a.plan.Steps), err)
	failed.Stand, failed.Left = a.done, left
	return failed
}

// transaction runs n steps from first in one transaction, and again when a lock
// was not to be had in time.
func (a *applier) transaction(ctx context.Context, first, n int) error {
	for attempt := 1; ; attempt++ {
		took, at, err := a.attempt(ctx, first, n, attempt)
		if err == nil {
			for i := range n {
				a.event(EventDone, first+i, Event{Attempt: attempt, Elapsed: took[i]})
			}
			return nil
		}
		state := sqlState(err)
		if ctx.Err() != nil || attempt >= a.options.Attempts || state != lockNotAvailable && state != deadlockDetected {
			return a.failure(ctx, at, "", a.explain(ctx, at, err))
		}
		wait := backoff(attempt)
		a.event(EventRetry, at, Event{Attempt: attempt, Wait: wait, Err: err})
		if sleep(ctx, wait) != nil {
			return &InterruptedError{Done: a.done, Total: len(a.plan.Steps), err: context.Cause(ctx)}
		}
	}
}

// backoff is a random part of a span that doubles up to ten seconds, so that
// the tries do not keep the pace of whatever holds the lock.
func backoff(attempt int) time.Duration {
	span := min(10*time.Second, 200*time.Millisecond<<min(attempt, 10))
	return time.Duration(rand.Int64N(int64(span)) + 1)
}

// attempt runs the steps once. On failure it says which step failed.
func (a *applier) attempt(ctx context.Context, first, n, attempt int) (took []time.Duration, at int, err error) {
	at = first
	err = a.interruptible(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, a.conn, func(tx pgx.Tx) error {
			limit := strconv.FormatInt(a.options.LockTimeout.Milliseconds(), 10)
			if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = "+limit); err != nil {
				return err
			}
			for ; at < first+n; at++ {
				a.event(EventStart, at, Event{Attempt: attempt})
				start := time.Now()
				if err := a.step(ctx, tx, &a.plan.Steps[at]); err != nil {
					return err
				}
				took = append(took, time.Since(start))
			}
			at = first + n - 1
			return nil
		})
	})
	return took, at, err
}

// step runs one step inside a transaction, with its records.
func (a *applier) step(ctx context.Context, tx pgx.Tx, s *Step) error {
	for _, l := range s.losses {
		if err := l.hold(ctx, tx); err != nil {
			return err
		}
	}
	for _, sql := range s.SQL {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	if s.prove || s.kind == stepProbe {
		v, err := s.probe.run(ctx, tx)
		if err != nil && (s.prove || !s.probe.unbounded || !unavailable(err)) {
			return err
		}
		if v != nil {
			return &ViolationsError{[]Violation{*v}}
		}
	}
	if err := forget(ctx, tx, a.plan.Project, s.forgets); err != nil {
		return err
	}
	return save(ctx, tx, s.saves)
}

// explain looks for the rows that made a step fail.
func (a *applier) explain(ctx context.Context, index int, err error) error {
	s := &a.plan.Steps[index]
	if state := sqlState(err); s.probe == nil || len(state) != 5 || state[:2] != "23" || ctx.Err() != nil {
		return err
	}
	var found *Violation
	probing := pgx.BeginTxFunc(ctx, a.conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return limited(ctx, tx, func(tx pgx.Tx) (err error) {
			found, err = s.probe.run(ctx, tx)
			return err
		})
	})
	if probing != nil || found == nil {
		return err
	}
	return errors.Join(err, &ViolationsError{[]Violation{*found}})
}

// concurrent runs a step that cannot be in a transaction. What it will leave is
// recorded before a build, and what it took away after a drop: a crash between
// the two leaves a record too many, never an object that nobody knows.
func (a *applier) concurrent(ctx context.Context, index int) error {
	s := &a.plan.Steps[index]
	a.event(EventStart, index, Event{Attempt: 1})
	start := time.Now()
	err := a.interruptible(ctx, func(ctx context.Context) error {
		if err := save(ctx, a.conn, s.saves); err != nil {
			return err
		}
		for _, sql := range s.SQL {
			if _, err := a.conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		if s.kind == stepBuild {
			return a.valid(ctx, s.index)
		}
		return forget(ctx, a.conn, a.plan.Project, s.forgets)
	})
	if err != nil {
		err = a.explain(ctx, index, err)
		return a.failure(ctx, index, a.clear(ctx, s), err)
	}
	a.event(EventDone, index, Event{Attempt: 1, Elapsed: time.Since(start)})
	return nil
}

// valid checks that a concurrent build ended in an index that works.
func (a *applier) valid(ctx context.Context, id ir.ObjectID) error {
	var ok bool
	err := a.conn.QueryRow(ctx, `
SELECT COALESCE(bool_and(i.indisvalid AND i.indisready), false)
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2`, id.Schema, id.Name).Scan(&ok)
	if err == nil && !ok {
		return fmt.Errorf("the index %s was built and is not valid", id.SQL())
	}
	return err
}

// clear drops what a failed build left. When it cannot, because the session is
// gone or was told to stop, it says what is left: the next apply drops it.
func (a *applier) clear(ctx context.Context, s *Step) (left string) {
	if s.kind != stepBuild {
		return ""
	}
	left = "an invalid index " + ir.Qualified(s.index.Schema, s.index.Name) + " may be left, the next apply drops it"
	if ctx.Err() != nil || a.conn.IsClosed() {
		return left
	}
	var exists bool
	err := a.conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", ir.Qualified(s.index.Schema, s.index.Name)).Scan(&exists)
	if err == nil && exists {
		_, err = a.conn.Exec(ctx, postgres.DropIndexOnline(s.index.Schema, s.index.Name))
	}
	if err == nil {
		err = forget(ctx, a.conn, a.plan.Project, []ir.ObjectID{s.index})
	}
	if err != nil {
		return left
	}
	return ""
}

// interruptible runs work that must not be cut off in the middle of a message:
// when ctx ends, the server is asked to cancel the running statement, which
// then answers with an error.
func (a *applier) interruptible(ctx context.Context, work func(context.Context) error) error {
	finished, watching := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-finished:
		case <-ctx.Done():
			asking, cancel := cleanup()
			defer cancel()
			// When the request is lost, the statement runs to its end.
			_ = a.conn.PgConn().CancelRequest(asking)
		}
	}()
	err := work(context.WithoutCancel(ctx))
	close(finished)
	<-watching
	return err
}
