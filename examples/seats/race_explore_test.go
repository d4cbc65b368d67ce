package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/explore"
)

// explored is two calls of generated methods that run in every order their
// statements can take: the real methods, with their retries and their mapping of
// errors, on a connection of the explorer's.
type explored struct {
	name    string
	fixture string
	calls   []call
	// allowed are the errors that a caller may get. Anything else, such as a plain
	// error of PostgreSQL, is a violation.
	allowed []error
	// exclusive says that at most one call may succeed.
	exclusive bool
	// neverWaits says that no schedule may have a wait.
	neverWaits bool
	// broken is a query for the number of broken promises. It is asked after each
	// COMMIT.
	broken string
	// end judges the end of a schedule: what the calls answered, and the one number
	// that endQuery returns.
	endQuery string
	end      func(answers []explore.End, state int64) error
	// gates are the tables whose statements are stopped inside, where a call is one
	// statement. Such a call is also tried inside a transaction of its caller's.
	gates    []string
	options  []pawl.Option
	without  []sabotage
	classify string // equal calls have one class
}

// call is what one client does.
type call struct {
	name string
	run  func(ctx context.Context, db *store.Store) (any, error)
}

// outcome of a whole exploration: what the test says of it.
func (e *explored) violations(r *explore.Result) int {
	n := r.Violating
	if e.neverWaits {
		n += r.Waiting
	}
	return n
}

// TestExploredRaces shows for each race that it holds in every schedule, and that
// the same exploration finds a schedule that breaks it once a guard is gone.
func TestExploredRaces(t *testing.T) {
	a := newArena(t)
	for _, e := range exploredRaces() {
		t.Run(e.name, func(t *testing.T) {
			for _, form := range e.forms() {
				r := a.explore(t, &e, form, nil)
				t.Logf("%-12s %3d schedules, %3d with a wait, %5s  %v", form, r.Schedules, r.Waiting, r.Duration.Round(time.Millisecond), r.Outcomes)
				if n := e.violations(r); n > 0 || !r.Complete {
					t.Errorf("%s: %d violations, complete: %v\n%s", form, n, r.Complete, showRuns(r))
				}
			}
			if len(e.without) == 0 {
				t.Error("nothing is ever removed: this race has no teeth")
			}
			for _, s := range e.without {
				t.Run("without "+s.name, func(t *testing.T) { a.mustBreak(t, &e, &s) })
			}
		})
	}
}

// mustBreak fails unless some form of a race breaks without a guard.
func (a *arena) mustBreak(t *testing.T, e *explored, s *sabotage) {
	if s.ddl != "" {
		a.exec(t, s.ddl)
		defer a.exec(t, emptied+s.mend)
	}
	saboteur := newSaboteur(t, nil, s.cuts)
	broken := *e
	broken.options = append(slices.Clone(e.options), s.options...)
	if s.calls != nil {
		broken.calls = s.calls
	}
	for _, form := range e.forms() {
		r := a.explore(t, &broken, form, saboteur)
		if n := e.violations(r); n > 0 {
			t.Logf("%s: found after %d schedules, in %s", form, r.Schedules, r.Duration.Round(time.Millisecond))
			return
		}
	}
	t.Error("no schedule breaks the promise: the exploration would not notice that it is gone")
}

// form is how a call runs.
type form string

const (
	alone    form = "alone"
	inside   form = "inside InTx"
	stopping form = "stopped"
)

func (e *explored) forms() []form {
	if len(e.gates) == 0 {
		return []form{alone}
	}
	return []form{stopping, inside}
}

// arena is a database with schema.sql and an explorer on it.
type arena struct {
	explorer *explore.Explorer
	pool     *pgxpool.Pool
}

func newArena(t *testing.T) *arena {
	t.Helper()
	pool := newPool(t, nil)
	x, err := explore.Open(t.Context(), pool.Config().ConnString(), explore.Options{Clients: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return &arena{x, pool}
}

func (a *arena) exec(t *testing.T, script string) {
	t.Helper()
	if _, err := a.pool.Exec(context.WithoutCancel(t.Context()), script, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// explore runs a race in one form, through a saboteur when one is given, and
// then only up to the first violation.
func (a *arena) explore(t *testing.T, e *explored, f form, s *saboteur) *explore.Result {
	t.Helper()
	scenario := explore.Scenario{
		Name: e.name, Fixture: emptied + e.fixture, AfterCommit: e.afterCommit, Judge: e.judge, StopAtFirst: s != nil,
	}
	if f == stopping {
		scenario.Gates = e.gates
	}
	for _, c := range e.calls {
		scenario.Clients = append(scenario.Clients, explore.Client{
			Name: c.name, Class: e.classify,
			Run: func(ctx context.Context, gated *explore.Conn) (any, error) {
				var db pawl.DB = conn{gated}
				if s != nil {
					db = s.on(conn{gated})
				}
				opened := store.New(db, append(timeless(), e.options...)...)
				if f == inside {
					return store.InTx(ctx, opened, c.run)
				}
				return c.run(ctx, opened)
			},
		})
	}
	result, err := a.explorer.Explore(t.Context(), scenario)
	for try := 1; err == nil && result.Violating == 0 && len(result.NonDeterministic) > 0 && try < 3; try++ {
		// Who is the victim of a deadlock can depend on time. A search that met that
		// shows nothing, and is made again.
		result, err = a.explorer.Explore(t.Context(), scenario)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// conn is a connection of the explorer's for which timeouts, all switched off, are
// not said. BEGIN alone takes no decision; a script might do anything.
type conn struct{ *explore.Conn }

func (c conn) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	o.BeginQuery, _, _ = strings.Cut(o.BeginQuery, ";")
	return c.Conn.BeginTx(ctx, o)
}

// timeless are options that keep clocks out of a schedule: a lock is waited for
// as long as it takes, and a retry comes at once.
func timeless() []pawl.Option {
	return []pawl.Option{
		pawl.WithLockTimeout(pawl.NoTimeout), pawl.WithStatementTimeout(pawl.NoTimeout), pawl.WithIdleTimeout(pawl.NoTimeout),
		pawl.WithRetry(pawl.Policy{Attempts: 10, Base: time.Nanosecond, Max: time.Nanosecond}),
	}
}

// once switches retries off.
func once() pawl.Option { return pawl.WithRetry(pawl.Policy{Attempts: 1}) }

func (e *explored) afterCommit(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
	if e.broken == "" {
		return nil, nil
	}
	var n int64
	if err := conn.QueryRow(ctx, e.broken).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	return []explore.Violation{{Rule: fmt.Sprintf("the promise is broken %d times", n)}}, nil
}

func (e *explored) judge(ctx context.Context, conn *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
	var found []explore.Violation
	violated := func(format string, args ...any) {
		found = append(found, explore.Violation{Rule: fmt.Sprintf(format, args...)})
	}
	succeeded := 0
	for i, end := range run.Ends {
		if end.Err == nil {
			succeeded++
		} else if !answersOneOf(end.Err, e.allowed) {
			violated("%s got an error that is not declared: %v", run.Clients[i], end.Err)
		}
	}
	if e.exclusive && succeeded > 1 {
		violated("%d calls succeeded", succeeded)
	}
	if e.end != nil {
		var state int64
		if e.endQuery != "" {
			if err := conn.QueryRow(ctx, e.endQuery).Scan(&state); err != nil {
				return nil, err
			}
		}
		if err := e.end(run.Ends, state); err != nil {
			violated("%v", err)
		}
	}
	return found, nil
}

// answersOneOf reports whether err is one of those allowed, and no plain error of
// PostgreSQL.
func answersOneOf(err error, allowed []error) bool {
	for _, want := range allowed {
		if code, ok := any(want).(retryError); ok {
			var exhausted *pawl.RetryError
			if errors.As(err, &exhausted) && answers(err, sqlState(code)) {
				return true
			}
		} else if errors.Is(err, want) {
			return true
		}
	}
	return false
}

// showRuns shows the first schedules that broke a rule or did not end.
func showRuns(r *explore.Result) string {
	var b strings.Builder
	for _, run := range append(append(r.Counterexamples, r.NonDeterministic...), r.Inconclusive...) {
		fmt.Fprintf(&b, "%s %s %s\n", run.ID, run.Stuck, run.Deviation)
		for _, step := range run.Steps {
			fmt.Fprintf(&b, "  %-10s %-9s %-8s %.160q %s %v %v\n", run.Clients[step.Client], step.Kind, step.State, step.SQL, step.Tag, step.Err, step.Violations)
		}
		for i, end := range run.Ends {
			fmt.Fprintf(&b, "  %-10s %v %v\n", run.Clients[i], end.Value, end.Err)
		}
		fmt.Fprintf(&b, "  %v\n", run.Violations)
	}
	return b.String()
}
