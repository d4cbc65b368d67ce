package pawl

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Claim is a worker's hold on a task: the row's id, and the fence that only this
// claim has. The row type of a queue embeds it.
//
// A claim ends with its lease. Whoever claims the task then gets a greater
// fence, and everything the first holder still sends is refused: ErrClaimLost.
type Claim struct {
	ID      int64
	Fence   int64
	Attempt int
	// LeaseUntil is when the lease ends by the database's clock. To decide in Go
	// how long there is left, use Deadline.
	LeaseUntil time.Time

	deadline time.Time // by this process's monotonic clock
}

// Deadline is when the lease ends by this process's monotonic clock. It is
// measured from before the claim was sent, so it is never later than the
// database's LeaseUntil, however far the two clocks are apart.
func (c Claim) Deadline() time.Time { return c.deadline }

// Queue is the generated description of a queue whose claimed tasks are T. Each
// operation's SQL takes and returns exactly what is said here.
type Queue[T any] struct {
	// Name is the address: queue.tasks.
	Name string
	// Lease is how long a claim holds a task.
	Lease time.Duration
	// Dest gives the scan targets of a task: those of its declared columns, and
	// then ID, Fence, Attempt and LeaseUntil of its claim.
	Dest func(*T) []any
	// Claim gives the claim inside a task.
	Claim func(*T) *Claim
	// Grouped says that tasks have an order in groups: ClaimOp then takes $3 bigint, a
	// token that no other claim has.
	Grouped bool

	// ClaimOp takes $1 bigint, how many at most, and $2 bigint, the lease in
	// microseconds. It returns the columns of Dest and then id bigint, fence
	// bigint, attempt integer, lease_until timestamptz, in claim order. Statements
	// that go before it in the same transaction, such as the move of scheduled rows
	// that are due, are its Prelude.
	ClaimOp Operation
	// CompleteOp takes $1 bigint[], ids, and $2 bigint[], their fences, and returns
	// the ids it completed. An id whose fence is not current must not be touched.
	CompleteOp Operation
	// FailOp takes $1 bigint, the id, $2 bigint, the fence, $3 text, the error, and
	// $4 double precision, a random factor in [0, 1) for the backoff's full jitter.
	// It returns the id, or no row when the fence is not current.
	FailOp Operation
	// HeartbeatOp takes $1 bigint[], ids, $2 bigint[], their fences, and $3 bigint,
	// the lease in microseconds from now. It returns the ids that are still held.
	HeartbeatOp Operation
	// ReleaseOp takes $1 bigint, the id, and $2 bigint, the fence: it makes the task
	// ready again as if it had not been claimed, the attempt included. It returns the
	// id, or no row when the fence is not current.
	ReleaseOp Operation
}

// Complete marks tasks as done. Those whose claim was lost are named by a
// *ClaimLostError; the others are done all the same. A claim that is given twice
// counts once. On the session of a transaction the tasks are done when that
// commits: return the error of a lost claim, and the transaction's other writes
// go with it.
func (q *Queue[T]) Complete(ctx context.Context, s *Session, claims ...Claim) error {
	if len(claims) == 0 {
		return nil
	}
	c := s.call(&q.CompleteOp)
	claims = distinct(claims)
	ids, fences := split(claims)
	held := all[int64]{dest: scalar}
	err := c.perform(ctx, []any{ids, fences}, &held)
	if err == nil {
		if lost := lostOf(claims, held.rows); len(lost) > 0 {
			err = claimLost(q.CompleteOp.Name, lost)
		}
	}
	return c.done(ctx, "", held.count(), err)
}

// Release hands a task back without having tried it: the attempt is not counted.
func (q *Queue[T]) Release(ctx context.Context, s *Session, claim Claim) error {
	return settle(ctx, s, &q.ReleaseOp, claim, claim.ID, claim.Fence)
}

// Fail gives a task up for now, or for good after the queue's last attempt. The
// database decides when it is ready again. The cause's text is stored with the
// task, without what PostgreSQL cannot hold and cut to 4,096 bytes.
func (q *Queue[T]) Fail(ctx context.Context, s *Session, claim Claim, cause error) error {
	return settle(ctx, s, &q.FailOp, claim, claim.ID, claim.Fence, failureText(cause), rand.Float64())
}

// settle runs an operation that returns the id of the task it settled.
func settle(ctx context.Context, s *Session, op *Operation, claim Claim, args ...any) error {
	c := s.call(op)
	settled := one[int64]{dest: scalar}
	err := c.perform(ctx, args, &settled)
	if err == nil && settled.n == 0 {
		err = claimLost(op.Name, []Claim{claim})
	}
	return c.done(ctx, "", settled.n, err)
}

// Heartbeat makes the leases of claims start again from now, in one statement,
// moves their deadlines, and returns the ids of those that were lost.
func (q *Queue[T]) Heartbeat(ctx context.Context, s *Session, claims []*Claim) (lost []int64, err error) {
	gone, err := q.renew(ctx, s, claims)
	if len(gone) == 0 || err != nil {
		return nil, err
	}
	lost, _ = split(gone)
	return lost, nil
}

// renew is Heartbeat that returns the lost claims themselves.
func (q *Queue[T]) renew(ctx context.Context, s *Session, claims []*Claim) (lost []Claim, err error) {
	if len(claims) == 0 {
		return nil, nil
	}
	c := s.call(&q.HeartbeatOp)
	values := make([]Claim, len(claims))
	for i, claim := range claims {
		values[i] = *claim
	}
	values = distinct(values)
	ids, fences := split(values)
	held := all[int64]{dest: scalar}
	sent := time.Now()
	err = c.perform(ctx, []any{ids, fences, q.Lease.Microseconds()}, &held)
	if err != nil {
		return nil, c.done(ctx, "", 0, err)
	}
	lost = lostOf(values, held.rows)
	for _, claim := range claims {
		if !slices.ContainsFunc(lost, claim.same) {
			claim.deadline = sent.Add(q.Lease)
		}
	}
	return lost, c.done(ctx, "", held.count(), nil)
}

// same reports whether two claims are one hold on one task.
func (c *Claim) same(other Claim) bool { return c.ID == other.ID && c.Fence == other.Fence }

// distinct returns the claims once each, in id order, as every statement that
// locks several rows takes them, and by fence where a task was claimed twice.
func distinct(claims []Claim) []Claim {
	sorted := slices.SortedFunc(slices.Values(claims), func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Fence, b.Fence))
	})
	return slices.CompactFunc(sorted, func(a, b Claim) bool { return a.same(b) })
}

// lostOf returns the claims that were refused, of distinct ones and the ids that
// got through. Where a task was claimed twice, only the greater fence can be the
// current one.
func lostOf(claims []Claim, held []int64) []Claim {
	through := make(map[int64]bool, len(held))
	for _, id := range held {
		through[id] = true
	}
	var lost []Claim
	for i, c := range claims {
		superseded := i+1 < len(claims) && claims[i+1].ID == c.ID
		if superseded || !through[c.ID] {
			lost = append(lost, c)
		}
	}
	return lost
}

func claimLost(operation string, claims []Claim) *ClaimLostError {
	ids, _ := split(claims)
	return &ClaimLostError{Operation: operation, IDs: slices.Compact(ids), claims: claims}
}

// scalar is the scan target of a single number.
func scalar(n *int64) []any { return []any{n} }

func split(claims []Claim) (ids, fences []int64) {
	ids, fences = make([]int64, len(claims)), make([]int64, len(claims))
	for i, c := range claims {
		ids[i], fences[i] = c.ID, c.Fence
	}
	return ids, fences
}

// failureText is an error as a text column can hold it.
func failureText(cause error) string {
	const limit = 4096
	if cause == nil {
		return ""
	}
	text := strings.ToValidUTF8(strings.ReplaceAll(cause.Error(), "\x00", ""), "�")
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
