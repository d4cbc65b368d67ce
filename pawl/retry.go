package pawl

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Policy says how often and how patiently a transaction is tried again. Fields
// that are zero take the values of DefaultPolicy.
type Policy struct {
	Attempts int           // in all, the first included; 1 never retries
	Base     time.Duration // the first pause is random between 0 and Base
	Max      time.Duration // pauses double up to Max
	Budget   time.Duration // over all attempts and pauses
	// Codes are the SQLSTATEs that are worth another attempt of the whole
	// transaction. Those of DefaultPolicy always are: add 55P03 to try busy rows
	// again, or 23505 where the key is computed inside the transaction.
	Codes []string
}

// DefaultPolicy is what a zero Policy means: five attempts within ten seconds,
// with random pauses of up to 10 ms, doubling to one second, for serialization
// failures (40001) and deadlocks (40P01).
func DefaultPolicy() Policy {
	return Policy{Attempts: 5, Base: 10 * time.Millisecond, Max: time.Second, Budget: 10 * time.Second}
}

// over returns p with its zero fields taken from below.
func (p Policy) over(below Policy) Policy {
	if p.Attempts == 0 {
		p.Attempts = below.Attempts
	}
	if p.Base == 0 {
		p.Base = below.Base
	}
	if p.Max == 0 {
		p.Max = below.Max
	}
	if p.Budget == 0 {
		p.Budget = below.Budget
	}
	if p.Codes == nil {
		p.Codes = below.Codes
	}
	return p
}

// retries reports whether err, or anything it wraps, is a server's error that
// another attempt of the whole transaction may get past.
func (p *Policy) retries(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && p.retriesCode(pgErr.Code)
}

func (p *Policy) retriesCode(code string) bool {
	return code == "40001" || code == "40P01" || slices.Contains(p.Codes, code)
}

// pause returns the pause after a failed attempt: full jitter, so that
// transactions that collided once do not collide again in step.
func (p *Policy) pause(attempt int) time.Duration {
	limit := p.Base
	for i := 1; i < attempt && limit < p.Max; i++ {
		limit *= 2
	}
	// Doubling stops as soon as Max is passed, so limit cannot overflow.
	limit = min(limit, p.Max)
	if limit <= 0 {
		return 0
	}
	return rand.N(limit)
}

// retrier counts the attempts of one call.
type retrier struct {
	operation   string
	policy      Policy
	constraints []Constraints // that the last error may be about
	start       time.Time
	attempt     int // the one that is running
}

func newRetrier(operation string, p Policy, constraints ...Constraints) retrier {
	return retrier{operation: operation, policy: p.over(DefaultPolicy()), constraints: constraints, start: time.Now(), attempt: 1}
}

// wait sleeps before the next attempt and returns nil, or returns the error to
// give up with: after the last attempt, when the budget is spent, and at once
// when the context would end during the pause.
func (r *retrier) wait(ctx context.Context, last error) error {
	pause := r.policy.pause(r.attempt)
	elapsed := time.Since(r.start)
	if r.attempt >= r.policy.Attempts || elapsed+pause > r.policy.Budget {
		return r.giveUp(last, nil)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < pause {
		return r.giveUp(last, context.DeadlineExceeded)
	}
	if err := sleep(ctx, pause); err != nil {
		return r.giveUp(last, err)
	}
	r.attempt++
	return nil
}

// giveUp makes the error of the last attempt. Attempts pass errors on as the
// server sent them, so that they can be told apart; callers get them described.
func (r *retrier) giveUp(last, stopped error) error {
	e := &RetryError{Operation: r.operation, Attempts: r.attempt, Elapsed: time.Since(r.start), Last: last, Stopped: stopped}
	var pgErr *pgconn.PgError
	switch {
	case named(last) || !errors.As(last, &pgErr):
	case any(last) == any(pgErr): // the error itself, not one that wraps it
		e.Last = describe(r.operation, last, r.constraints...)
	default:
		// It stands inside an error of the caller's, which is kept.
		e.described = describe(r.operation, pgErr, r.constraints...)
	}
	return e
}

// sleep waits for d or for the end of the context, whose error it returns then.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
