package pawl

import (
	"context"
	"fmt"
	"time"
)

// Singleton is the generated description of work that runs at most once at a
// time in the whole system.
type Singleton struct {
	// Name is the address: singleton.outbox_relay.
	Name string
	// LockSQL waits for the transaction's advisory lock, and TrySQL asks for it and
	// returns a boolean. They take no arguments.
	LockSQL string
	TrySQL  string
	// Transaction is the set of limits; nil means the session's. Without an idle
	// timeout a holder that is cut off from the database keeps the lock until TCP
	// notices, so DefaultSingletonIdleTimeout applies then.
	Transaction *Transaction
}

// DefaultSingletonIdleTimeout ends a singleton's transaction when its holder has
// sent nothing for so long, unless the specification or an option says otherwise.
const DefaultSingletonIdleTimeout = time.Minute

// Run waits until nobody else runs l, then runs fn in a transaction that holds
// the lock until its commit or rollback. A second Run anywhere waits for that,
// and so sees all that the first one committed. The wait is bounded by the
// context; lock_timeout applies to fn's statements only. fn may run more than
// once, see InTx.
//
// It needs read committed: under a snapshot of its own, fn would work on data
// that is older than the lock. In an open transaction of another level it fails
// with *IsolationError; in one at read committed it holds the lock until that
// transaction ends.
func Run(ctx context.Context, s *Session, l *Singleton, fn func(ctx context.Context, tx *Session) error, options ...TxOption) error {
	c := s.singletonConfig(l, options)
	limits := c.limits
	waits := Operation{Name: l.Name, SQL: l.LockSQL}
	// The transaction opens without lock_timeout, which would end the wait, and
	// gets it along with the lock.
	restore := limits.LockTimeout
	if restore != 0 {
		c.limits.LockTimeout = NoTimeout
	}
	return s.transact(ctx, c, func(ctx context.Context, tx *Session) error {
		if err := tx.lock(ctx, &waits, &limits); err != nil {
			return describe(l.Name, err)
		}
		return fn(ctx, tx)
	})
}

// TryRun runs fn as Run does if nobody else runs l at the moment, and otherwise
// returns false at once.
func TryRun(ctx context.Context, s *Session, l *Singleton, fn func(ctx context.Context, tx *Session) error, options ...TxOption) (ran bool, err error) {
	asks := Operation{Name: l.Name, SQL: l.TrySQL}
	err = s.transact(ctx, s.singletonConfig(l, options), func(ctx context.Context, tx *Session) error {
		got := one[bool]{dest: func(b *bool) []any { return []any{b} }}
		if err := tx.inside(ctx, &asks, nil, &got); err != nil {
			return describe(l.Name, err)
		}
		ran = got.row
		if !ran {
			return nil
		}
		return fn(ctx, tx)
	})
	return ran, err
}

func (s *Session) singletonConfig(l *Singleton, options []TxOption) txConfig {
	c := s.txConfig(options)
	if l.Transaction != nil {
		c = txConfig{limits: s.limits(l.Transaction)}
		for _, o := range options {
			o(&c)
		}
	}
	c.name, c.exact, c.asked = l.Name, true, ""
	c.limits.Isolation = ""
	if c.limits.IdleTimeout == 0 {
		c.limits.IdleTimeout = DefaultSingletonIdleTimeout
	}
	return c
}

// lock waits for the advisory lock and, in a transaction of our own, sets
// lock_timeout for what follows in the same round trip. At read committed the
// SELECTs leave no snapshot behind.
func (s *Session) lock(ctx context.Context, op *Operation, limits *Transaction) error {
	var locked affected
	if s.tx == nil || !s.tx.owned || limits.LockTimeout == 0 {
		return s.inside(ctx, op, nil, &locked)
	}
	after := Operation{
		Name:    op.Name,
		SQL:     fmt.Sprintf("SELECT pg_catalog.set_config('lock_timeout', '%s', true)", milliseconds(limits.LockTimeout)),
		Prelude: []Statement{{SQL: op.SQL}},
	}
	return s.inside(ctx, &after, nil, &locked)
}
