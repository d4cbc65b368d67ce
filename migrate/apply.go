package migrate

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// ApplyOptions are the choices of an apply. Zero values are good ones.
type ApplyOptions struct {
	// Allow holds what is allowed, each as [Hazard.Allow] says it:
	// "drop=table.bookings".
	Allow []string
	// LockTimeout is how long a step waits for a lock that stops others before
	// it gives up and tries again; 3 seconds by default. Whoever comes later
	// waits behind it for as long.
	LockTimeout time.Duration
	// Attempts is how often such a step is tried; 20 by default.
	Attempts int
	// Wait is how long to wait for another apply in the same database; a minute
	// by default.
	Wait time.Duration
	// Observe is told what happens, from the goroutine that applies; nil for
	// nobody.
	Observe func(Event)
}

// EventKind tells events apart.
type EventKind string

// What can happen during an apply.
const (
	EventWaiting EventKind = "waiting" // for another apply; Text says whose
	EventStart   EventKind = "start"   // of a step
	EventRetry   EventKind = "retry"   // a step's transaction was rolled back for Err and is tried again after Wait
	EventDone    EventKind = "done"    // a step stands, committed
)

// Event is something that happened during an apply.
type Event struct {
	Kind    EventKind
	Step    *Step // nil for EventWaiting
	Index   int   // of the step, from 0
	Total   int   // steps of the plan
	Attempt int   // from 1
	Wait    time.Duration
	Elapsed time.Duration // of the step
	Err     error
	Text    string
}

// Apply runs the plan's steps. It takes a session lock on the database for as
// long, looks again whether the database is still what was planned for
// ([ErrMoved]), and then goes step by step. A step that fails is a [StepError]:
// the transactions before it stand, and a new plan goes on from there. A plan with hazards
// that are not allowed is a [RefusedError] and does nothing.
//
// When ctx is cancelled, the running step is rolled back and the result is an
// [InterruptedError]. The session's settings are put back afterwards.
//
// conn must be a session of its own, not inside a transaction, in the database
// that was planned for.
func (p *Plan) Apply(ctx context.Context, conn *pgx.Conn, o ApplyOptions) error {
	if err := p.Permitted(o.Allow); err != nil {
		return err
	}
	a := &applier{plan: p, conn: conn, options: o.withDefaults()}
	switch standby, err := checkSession(ctx, conn); {
	case err != nil:
		return err
	case standby:
		return ErrStandby
	}
	unpin, err := pin(ctx, conn, pins(p.path))
	if err != nil {
		return err
	}
	defer unpin()
	if err := a.lock(ctx); err != nil {
		return err
	}
	defer a.unlock()
	if err := a.recheck(ctx); err != nil {
		return err
	}
	if err := a.run(ctx); err != nil {
		return err
	}
	return a.remember(ctx)
}

func (o ApplyOptions) withDefaults() ApplyOptions {
	if o.LockTimeout <= 0 {
		o.LockTimeout = 3 * time.Second
	}
	if o.Attempts <= 0 {
		o.Attempts = 20
	}
	if o.Wait <= 0 {
		o.Wait = time.Minute
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	return o
}

// Permitted is what Apply answers to a plan before it does anything: a
// [RefusedError] for a hazard that must be allowed and is not, or cannot be, and a
// [ViolationsError] for rows that the plan would fail on. Whoever asks a person
// first asks it before: nobody should say yes to what will be refused.
func (p *Plan) Permitted(allowed []string) error {
	var refused []Hazard
	for _, h := range p.Hazards {
		switch {
		case h.Kind == HazardBlocked, h.Kind == HazardUnproven:
			refused = append(refused, h)
		case h.Allow != "" && !slices.Contains(allowed, h.Allow):
			refused = append(refused, h)
		}
	}
	if len(refused) > 0 {
		return &RefusedError{refused}
	}
	if len(p.Violations) > 0 {
		return &ViolationsError{p.Violations}
	}
	return nil
}

// applier runs one apply.
type applier struct {
	plan    *Plan
	conn    *pgx.Conn
	options ApplyOptions
	done    int // steps that stand
}

// recheck looks whether the database is still as it was planned for, and brings
// the table of an older version up to what is recorded today.
func (a *applier) recheck(ctx context.Context) error {
	var upgrade []string
	err := snapshot(ctx, a.conn, func(tx pgx.Tx) error {
		have, l, err := survey(ctx, tx, a.plan.program)
		if err != nil {
			return err
		}
		upgrade = l.upgrade()
		if fingerprint(states(have), l, a.plan.program.Schema.Objects()) != a.plan.fingerprint {
			return ErrMoved
		}
		return nil
	})
	for i := 0; err == nil && i < len(upgrade); i++ {
		_, err = a.conn.Exec(ctx, upgrade[i])
	}
	return err
}

// remember records what the catalog prints for each definition now that all
// stand, so that the next plan has nothing to ask, and forgets what is gone.
func (a *applier) remember(ctx context.Context) error {
	var have *ir.Schema
	var l *ledger
	err := snapshot(ctx, a.conn, func(tx pgx.Tx) error {
		var err error
		have, l, err = survey(ctx, tx, a.plan.program)
		return err
	})
	if err != nil || !l.exists {
		return err
	}
	all := states(have)
	var records []record
	for _, o := range a.plan.program.Schema.Objects() {
		r, mine := l.mine[o.ID]
		now := recordOf(a.plan.program, o)
		now.CatalogHash = catalogHash(a.plan.program, o, all[o.ID])
		if mine && r != now && r.SpecHash == o.Hash {
			records = append(records, now)
		}
	}
	if len(records) == 0 && len(a.plan.stale) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, a.conn, func(tx pgx.Tx) error {
		return errors.Join(save(ctx, tx, records), forget(ctx, tx, a.plan.Project, a.plan.stale))
	})
}
