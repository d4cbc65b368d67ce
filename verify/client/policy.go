package client

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// policy is how often what is tried again.
type policy struct {
	attempts int
	codes    []string
}

// The names and numbers that hold where the specification says nothing: those of
// the runtime of generated code.
const (
	defaultTransaction = "default"
	defaultAttempts    = 5
)

// policyOf is the retry policy of an operation's transaction block.
func (p *Performer) policyOf(o *ir.Operation) policy {
	name := o.Transaction
	if name == "" {
		name = defaultTransaction
	}
	found := policy{attempts: defaultAttempts, codes: []string{"40001", "40P01"}}
	if t := p.transactions[name]; t != nil {
		if t.Retry.Attempts > 0 {
			found.attempts = t.Retry.Attempts
		}
		found.codes = append(found.codes, t.Retry.On...)
	}
	return found
}

// retries reports whether another attempt of the whole transaction may get past
// err.
func (p *policy) retries(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.Contains(p.codes, refused.Code)
}

// retried runs attempts until one succeeds, fails for good or was the last. In a
// transaction of the caller's there is one: only the owner can run all of it again.
func (c *run) retried(ctx context.Context, attempt func() error) error {
	for tried := 1; ; tried++ {
		err := attempt()
		if err == nil || c.begin == nil || c.Without.Retry || tried >= c.policy.attempts || !c.policy.retries(err) || ctx.Err() != nil {
			return err
		}
		c.retries++
	}
}
