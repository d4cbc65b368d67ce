package pawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrTermLost says that a leader's term is over, or may be: its lease ran out,
// its session ended, or another leader has begun the next term. Whatever it does
// from then on may happen beside the next leader's work.
var ErrTermLost = errors.New("term lost")

// Leader is the generated description of a singleton that leads from term to
// term.
type Leader struct {
	// Name is the address: singleton.scheduler.
	Name string
	// CampaignOp begins a term when nobody leads and returns its number. It takes
	// the holder's name and, where a lease decides, the lease in microseconds.
	CampaignOp Operation
	// RenewOp extends the lease of a term: $1 is its number, $2 the lease in
	// microseconds. It changes no row when the next term has begun.
	RenewOp Operation
	// ResignOp ends the term $1.
	ResignOp Operation
	// GuardOp locks the term $1 in the caller's transaction; no row when the next
	// one has begun.
	GuardOp Operation
	// Lease is how long a term lasts after its last renewal.
	Lease time.Duration
	// LockSQL takes the session lock of a leader that holds one instead of a lease,
	// and HeldSQL asks whether the session has it; both return a boolean. They are
	// empty where a lease decides.
	LockSQL, HeldSQL string
}

// LeadOption changes one call of Lead.
type LeadOption func(*leadConfig)

// LeadPoll sets how long, on average, a candidate waits before it asks again
// whether somebody leads; a third of the lease when it is not given. Each wait is
// random between half and one and a half of it.
func LeadPoll(d time.Duration) LeadOption { return func(c *leadConfig) { c.poll = d } }

// LeadErrors tells fn what goes wrong beside the leader's own work: campaigns and
// renewals that fail, and terms that are lost (ErrTermLost). It must be safe for
// concurrent use. Without it they go to slog.Default at level Warn.
func LeadErrors(fn func(error)) LeadOption { return func(c *leadConfig) { c.onError = fn } }

// LeadAs sets the name under which the leader is shown to people, in the column
// holder; the host and the process id when it is not given. It decides nothing.
func LeadAs(holder string) LeadOption { return func(c *leadConfig) { c.holder = holder } }

type leadConfig struct {
	poll    time.Duration
	onError func(error)
	holder  string
}

// Term is the time for which a process leads. Terms of one leader are numbered;
// a later one has a greater number.
type Term struct {
	number  int64
	leader  *Leader
	session *Session
}

// Number is the number of the term: a fencing token for what is outside of the
// database.
func (t Term) Number() int64 { return t.number }

// Guard keeps the next term from beginning before tx ends, which is a Store or
// Session inside a transaction. It fails with ErrTermLost, and the transaction
// must then do nothing, when the next term has begun. Renewals do not wait for
// it; a takeover does.
func (t Term) Guard(ctx context.Context, tx interface{ DB() DB }) error {
	s := &Session{root: t.session.root}
	s.bind(tx.DB())
	_, err := QueryOne(ctx, s, &t.leader.GuardOp, func(n *int64) []any { return []any{n} }, t.number)
	if errors.Is(err, ErrNotFound) {
		return t.lost("the next one has begun")
	}
	return err
}

func (t Term) lost(why string) error {
	return fmt.Errorf("%s: %w: term %d: %s", t.leader.Name, ErrTermLost, t.number, why)
}

// Lead waits until nobody leads, then leads: it runs fn until fn returns, and
// returns what fn returned. It returns ctx's error when ctx ends before that.
//
// fn's context ends with cause ErrTermLost when the term does: by the monotonic
// clock, from before the lease was asked for, unless a renewal extended it. When
// fn then returns, Lead waits for its next term and runs fn again. A process that
// was paused finds out late, so what fn writes must be in transactions that call
// Term.Guard: they are done before the next term begins, or not at all. For
// effects outside of the database, Term.Number is a fencing token.
//
// A leader that returns, or whose ctx ends, resigns, and the next one begins at
// once. One that dies is replaced when its lease has run out.
func Lead(ctx context.Context, s *Session, l *Leader, fn func(ctx context.Context, term Term) error, options ...LeadOption) error {
	if s.InTransaction() {
		return &callError{l.Name, errors.New("Lead needs a pool; inside a transaction nobody else could see the term")}
	}
	r := &reign{leader: l, session: s, config: leadConfig{poll: l.Lease / 3, holder: holderName()}}
	r.config.onError = func(err error) {
		slog.Default().Warn("a leader met a problem", "singleton", l.Name, "error", err)
	}
	for _, o := range options {
		o(&r.config)
	}
	for ctx.Err() == nil {
		led, err := r.once(ctx, fn)
		switch {
		case led && !errors.Is(err, ErrTermLost):
			return err
		case err != nil && ctx.Err() == nil:
			r.config.onError(err)
		}
		_ = sleep(ctx, jitter(r.config.poll))
	}
	return ctx.Err()
}

// holderName tells a person which process leads.
func holderName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return host + " " + strconv.Itoa(os.Getpid())
}

// reign is one call of Lead.
type reign struct {
	leader  *Leader
	session *Session
	config  leadConfig
}

// once campaigns and, when it wins, leads for one term. led reports whether fn
// ran; the error is then fn's, or ErrTermLost when the term ended under it.
func (r *reign) once(ctx context.Context, fn func(context.Context, Term) error) (led bool, err error) {
	session, release, err := r.seat(ctx)
	if err != nil || session == nil {
		return false, err
	}
	defer release()
	sent := time.Now()
	number, err := r.campaign(ctx, session)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h := &hold{reign: r, session: session, term: Term{number, r.leader, r.session}}
	return true, h.lead(ctx, sent, fn)
}

func (r *reign) campaign(ctx context.Context, session *Session) (int64, error) {
	args := []any{r.config.holder}
	if r.leader.LockSQL == "" {
		args = append(args, r.leader.Lease.Microseconds())
	}
	return QueryOne(ctx, session, &r.leader.CampaignOp, func(n *int64) []any { return []any{n} }, args...)
}

// seat is what the term is held on: the session as it is for a lease, and a
// connection of its own that has the lock otherwise. It is nil when somebody else
// has the lock.
func (r *reign) seat(ctx context.Context) (s *Session, release func(), err error) {
	if r.leader.LockSQL == "" {
		return r.session, func() {}, nil
	}
	pool, ok := r.session.db.(acquirer)
	if !ok {
		return nil, nil, &callError{r.leader.Name, errors.New("a leader of a session needs a pool, to take a connection out of it")}
	}
	borrowed, err := pool.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	locked, err := asked(ctx, borrowed.Conn(), r.leader.LockSQL)
	if err == nil && !locked {
		borrowed.Release()
		return nil, nil, nil
	}
	// After an error the connection may have the lock as well: the pool must not
	// lend it to anybody.
	conn := borrowed.Hijack()
	release = func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTimeout)
		defer cancel()
		// The end of the connection gives the lock back too, at some moment after Close:
		// whoever asks at once would wait for another poll.
		_, _ = conn.Exec(closing, "SELECT pg_catalog.pg_advisory_unlock_all()")
		_ = conn.Close(closing)
	}
	if err != nil {
		release()
		return nil, nil, &callError{r.leader.Name, err}
	}
	own := &Session{root: r.session.root}
	own.bind(conn)
	return own, release, nil
}

// resignTimeout bounds how long a leader that is done tries to say so.
const resignTimeout = 5 * time.Second

// asked runs a query that returns one boolean.
func asked(ctx context.Context, conn *pgx.Conn, sql string) (yes bool, err error) {
	err = conn.QueryRow(ctx, sql).Scan(&yes)
	return yes, err
}
