package pawl

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// Session binds a DB to the limits of a specification and to a caller's options.
// It is what generated repositories hold. A Session on a pool is safe for
// concurrent use; one on a connection or a transaction is not, as those are not.
type Session struct {
	db   DB
	tx   *openTx // nil when db is not a transaction as far as this session knows
	root *root
}

// root is what a session shares with those made from it.
type root struct {
	db          DB // that the first session was made with
	ancestors   ancestors
	defaults    Transaction
	constraints Constraints
	overrides   overrides
	observer    Observer
	resolver    DB // where a lost commit is looked up; nil for never
	resolve     bool
	settings    settingsCache

	pooled   bool // another server connection for each transaction
	prepares bool // the pooler keeps prepared statements
	// describes is set in the mode that asks what a statement looks like in one
	// message and runs it in the next, which behind a pooler may meet another server.
	describes bool

	// explicit is set when the database's default isolation level turned out not
	// to be read committed: one-statement calls then open their transaction
	// themselves. It is a hint that saves a round trip; each call checks anyway.
	explicit atomic.Bool
}

// NewSession binds db to the specification's default limits, the constraints
// that the generated package knows (a deferred one reports only at COMMIT, where
// no operation is at hand) and the caller's options, which win over the
// specification.
func NewSession(db DB, defaults Transaction, constraints Constraints, options ...Option) *Session {
	r := &root{db: db, defaults: defaults, constraints: constraints}
	for _, o := range options {
		o(r)
	}
	if r.resolve && r.resolver == nil {
		r.resolver = db
	}
	r.checkMode(db)
	s := &Session{root: r}
	s.bind(db)
	return s
}

// bind points s at db and notices a caller's transaction.
func (s *Session) bind(db DB) {
	s.db, s.tx = db, nil
	if _, ok := db.(pgx.Tx); ok {
		s.tx = &openTx{}
	}
}

// WithTx returns a session with the same options that runs inside a caller's
// transaction. It retries nothing and changes no setting: the caller owns both.
func (s *Session) WithTx(tx pgx.Tx) *Session {
	bound := &Session{root: s.root}
	bound.bind(tx)
	return bound
}

// DB returns what the session runs on, for statements of one's own: inside InTx,
// the open transaction.
func (s *Session) DB() DB { return s.db }

// InTransaction reports whether statements of s run inside an open transaction.
func (s *Session) InTransaction() bool {
	return s.tx != nil || inRawTransaction(s.db)
}

// Option changes a session for all its calls. It wins over the specification.
type Option func(*root)

// WithObserver tells o about every operation and transaction. Given several times,
// it tells each, in the order of the options.
func WithObserver(o Observer) Option {
	return func(r *root) {
		switch {
		case o == nil:
		case r.observer == nil:
			r.observer = o
		default:
			first := r.observer
			r.observer = ObserverFunc(func(ctx context.Context, e Event) {
				first.Observe(ctx, e)
				o.Observe(ctx, e)
			})
		}
	}
}

// WithRetry sets how often and how patiently serialization failures and
// deadlocks are retried. Zero fields keep the specification's values.
func WithRetry(p Policy) Option { return func(r *root) { r.overrides.retry = p } }

// WithLockTimeout sets lock_timeout; NoTimeout waits for ever.
func WithLockTimeout(d time.Duration) Option { return func(r *root) { r.overrides.lock = d } }

// WithStatementTimeout sets statement_timeout; NoTimeout switches it off.
func WithStatementTimeout(d time.Duration) Option {
	return func(r *root) { r.overrides.statement = d }
}

// WithIdleTimeout sets idle_in_transaction_session_timeout of transactions;
// NoTimeout switches it off.
func WithIdleTimeout(d time.Duration) Option { return func(r *root) { r.overrides.idle = d } }

// WithIsolation sets the isolation level of transactions that InTx opens without
// naming one. It does not touch single statements, whose level was chosen so
// that their promise holds.
func WithIsolation(level pgx.TxIsoLevel) Option {
	return func(r *root) { r.overrides.isolation = level }
}

// WithResolveCommit looks up what became of a transaction whose COMMIT got no
// answer, with pg_xact_status on a connection of db, or of the session's own
// pool when db is nil. db must reach the primary. Transactions of InTx then
// fetch their id along with their first writing statement. What cannot be
// answered stays a *CommitUnknownError: a single statement's batch has no id,
// and after a failover the id may mean another transaction.
func WithResolveCommit(db DB) Option {
	return func(r *root) { r.resolve, r.resolver = true, db }
}

// overrides are the options that replace limits of the specification.
type overrides struct {
	isolation             pgx.TxIsoLevel
	lock, statement, idle time.Duration
	retry                 Policy
}

// limits returns the limits that op runs under: the caller's options, then the
// operation's own transaction block, then the session's.
func (s *Session) limits(own *Transaction) Transaction {
	t := s.root.defaults
	if own != nil {
		t = *own
	}
	o := &s.root.overrides
	if o.lock != 0 {
		t.LockTimeout = o.lock
	}
	if o.statement != 0 {
		t.StatementTimeout = o.statement
	}
	if o.idle != 0 {
		t.IdleTimeout = o.idle
	}
	t.Retry = o.retry.over(t.Retry)
	return t
}

// contextKey is the type of the keys this package puts into a context.
type contextKey int

const (
	sessionKey contextKey = iota
	attemptKey
)

// NewContext returns a context that carries tx, for code between a transaction
// and a repository whose signatures have no room for it. Read it with
// FromContext; nothing in this package looks for it by itself.
func NewContext(ctx context.Context, tx *Session) context.Context {
	return context.WithValue(ctx, sessionKey, tx)
}

// FromContext returns the session that NewContext put into ctx, or otherwise
// fallback.
func FromContext(ctx context.Context, fallback *Session) *Session {
	if s, ok := ctx.Value(sessionKey).(*Session); ok {
		return s
	}
	return fallback
}

// Attempt returns which attempt of a transaction the context belongs to: 1 for
// the first, 0 outside InTx.
func Attempt(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey).(int)
	return n
}
