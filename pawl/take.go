package pawl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

// Take claims up to limit tasks that are ready, or whose lease has ended, and
// returns them in claim order. No task is an empty result and no error.
//
// A task whose columns do not fit their Go types fails alone: it is given up
// with Fail, so that it comes back later or ends after the queue's last attempt,
// and the error holds an *UnreadableTasksError beside the tasks that are
// returned. Those are claimed: work on them, whatever the error says.
func (q *Queue[T]) Take(ctx context.Context, s *Session, limit int) ([]T, error) {
	c := s.call(&q.ClaimOp)
	if limit < 0 {
		return nil, c.done(ctx, "", 0, notNegative("limit"))
	}
	sent := time.Now()
	found := claimed[T]{queue: q}
	args := []any{int64(min(limit, math.MaxInt32)), q.Lease.Microseconds()}
	if q.Grouped {
		args = append(args, rand.Int64())
	}
	if err := c.perform(ctx, args, &found); err != nil {
		return nil, c.done(ctx, "", 0, err)
	}
	for i := range found.tasks {
		q.Claim(&found.tasks[i]).deadline = sent.Add(q.Lease)
	}
	_ = c.done(ctx, "", found.count(), nil)
	return found.tasks, q.failUnreadable(ctx, s, found.bad)
}

// failUnreadable gives up tasks that could not be read.
func (q *Queue[T]) failUnreadable(ctx context.Context, s *Session, bad []misread) error {
	if len(bad) == 0 {
		return nil
	}
	unreadable := &UnreadableTasksError{Operation: q.ClaimOp.Name}
	failures := []error{unreadable}
	for _, b := range bad {
		unreadable.IDs = append(unreadable.IDs, b.claim.ID)
		unreadable.Causes = append(unreadable.Causes, b.err)
		if err := q.Fail(ctx, s, b.claim, b.err); err != nil {
			// Its lease ends, and then it is claimed again.
			failures = append(failures, err)
		}
	}
	if len(failures) == 1 {
		return unreadable
	}
	return errors.Join(failures...)
}

// UnreadableTasksError names tasks that were claimed and whose columns do not
// fit their Go types. They were given up with Fail, each by itself.
// errors.Is(err, ErrUnreadable) holds for it.
type UnreadableTasksError struct {
	Operation string
	IDs       []int64
	Causes    []error // why, in the order of IDs
}

// Error names the tasks by id and says what does not fit in the first.
func (e *UnreadableTasksError) Error() string {
	text := fmt.Sprintf("%s: failed %d task(s) that cannot be read: %d", e.Operation, len(e.IDs), e.IDs)
	if len(e.Causes) > 0 {
		text += fmt.Sprintf("; the first: %v", e.Causes[0])
	}
	return text
}

// Is reports that e belongs to ErrUnreadable.
func (e *UnreadableTasksError) Is(target error) bool { return target == ErrUnreadable }

// Unwrap returns why each of the tasks cannot be read.
func (e *UnreadableTasksError) Unwrap() []error { return e.Causes }

// misread is a task that was claimed and cannot be read.
type misread struct {
	claim Claim
	err   error
}

// claimColumns is how many of a task's last columns are its claim's.
const claimColumns = 4

// claimed keeps the tasks of a claim, and by their claims those that do not fit.
type claimed[T any] struct {
	queue *Queue[T]
	tasks []T
	bad   []misread
}

func (c *claimed[T]) reset()       { c.tasks, c.bad = nil, nil }
func (c *claimed[T]) count() int64 { return int64(len(c.tasks) + len(c.bad)) }
func (c *claimed[T]) collect(rows pgx.Rows) error {
	d := decode(rows)
	defer rows.Close()
	for rows.Next() {
		var task T
		err := d.row(c.queue.Dest(&task))
		if err == nil {
			c.tasks = append(c.tasks, task)
			continue
		}
		claim, ok := c.claim(d)
		if !ok {
			d.keep(err) // nobody can be told, so the call as a whole fails
			continue
		}
		c.bad = append(c.bad, misread{claim, err})
	}
	return d.end()
}

// claim reads the claim alone out of the current row.
func (c *claimed[T]) claim(d *decoder) (Claim, bool) {
	var task T
	targets := c.queue.Dest(&task)
	if len(targets) < claimColumns {
		return Claim{}, false
	}
	clear(targets[:len(targets)-claimColumns])
	if d.row(targets) != nil {
		return Claim{}, false
	}
	return *c.queue.Claim(&task), true
}
