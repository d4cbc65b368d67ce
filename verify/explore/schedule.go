package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// patience is how long a step may take before the server is asked whether it
	// waits for a lock. Most have answered by then.
	patience = 1500 * time.Microsecond
	// glance is how long a wait that has not been checked for a deadlock goes
	// unobserved. The server tells when it has looked, long before as a rule.
	glance = 10 * time.Millisecond
	// fallback is how long a session that says nothing must have waited for the
	// check to be taken as done (deadlock_timeout is 1 ms).
	fallback = 100 * time.Millisecond
)

// choice is a client that can be granted a step.
type choice struct {
	client int
	kind   Kind
	sql    string
	class  class
}

// verdict is what a schedule's decider wants.
type verdict uint8

const (
	proceed verdict = iota
	prune           // the schedules that begin so come out like others
	diverge         // this is not where the decider has been before
)

// decider chooses who goes next. blocked says that somebody waits for a lock.
type decider interface {
	decide(enabled []choice, blocked bool) (client int, v verdict)
	// took tells what became of the last choice: steps are those that it added.
	took(steps []Step)
}

// schedule is the execution of one order of steps.
type schedule struct {
	explorer *Explorer
	scenario *Scenario
	decider  decider
	actors   []*actor
	events   chan event
	run      *Run
	order    []string // the clients granted a step
	resumed  []Step   // found by the current settle
	noted    int      // steps whose consequences have been looked at
	ended    verdict
}

// execute runs one schedule from the fixture to its end. The verdict is proceed
// when it ended, and otherwise what the decider said. A schedule that got stuck
// says so in the run.
func (x *Explorer) execute(ctx context.Context, s *Scenario, d decider) (*Run, verdict, error) {
	started := time.Now()
	if err := x.prepare(ctx, s); err != nil {
		return nil, proceed, err
	}
	over := make(chan struct{})
	e := &schedule{explorer: x, scenario: s, decider: d, events: make(chan event), run: newRun(s)}
	clientsCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	var clients sync.WaitGroup
	for i := range s.Clients {
		a, conn := e.actor(i, over)
		e.actors = append(e.actors, a)
		clients.Go(func() { a.run(clientsCtx, conn) })
	}
	err := e.steps(ctx)
	close(over)
	err = errors.Join(err, x.finish(ctx, e.actors, &clients, cancel))
	for i, a := range e.actors {
		if rollbackErr := a.session.rollback(ctx); err == nil && rollbackErr != nil {
			err = fmt.Errorf("roll back what client %d left open: %w", i, rollbackErr)
		}
	}
	e.conclude()
	if err == nil && e.ended == proceed && e.run.Stuck == "" {
		err = e.judge(ctx)
	}
	e.run.Duration = time.Since(started)
	return e.run, e.ended, err
}

func newRun(s *Scenario) *Run {
	run := &Run{Ends: make([]End, len(s.Clients))}
	for _, c := range s.Clients {
		run.Clients = append(run.Clients, c.Name)
	}
	return run
}

// actor makes the client with the given index.
func (e *schedule) actor(index int, over <-chan struct{}) (*actor, *Conn) {
	session := e.explorer.sessions[index]
	a := &actor{
		index: index, client: e.scenario.Clients[index], session: session,
		effect: e.scenario.Effect, full: e.explorer.options.Full, clock: e.scenario.Clock,
		grant: make(chan struct{}), events: e.events, over: over,
	}
	return a, &Conn{actor: a, pg: session.conn, serializable: e.explorer.serializable, checks: e.explorer.deferrable}
}

// steps grants steps until every client has returned, the decider has enough, or
// the schedule is stuck.
func (e *schedule) steps(ctx context.Context) error {
	for {
		if err := e.settle(ctx); err != nil || e.run.Stuck != "" {
			return err
		}
		if e.finished() {
			return nil
		}
		enabled := e.enabled()
		if len(enabled) == 0 {
			// Whoever waits may still be released by a timeout of its own.
			if err := e.await(ctx); err != nil || e.run.Stuck != "" {
				return err
			}
			continue
		}
		client, v := e.decider.decide(enabled, e.anybody(waiting))
		if v != proceed {
			e.ended = v
			return nil
		}
		if err := e.grant(ctx, e.actors[client]); err != nil {
			return err
		}
	}
}

func (e *schedule) finished() bool {
	return !slices.ContainsFunc(e.actors, func(a *actor) bool { return a.state != done })
}

func (e *schedule) anybody(in state) bool {
	return slices.ContainsFunc(e.actors, func(a *actor) bool { return a.state == in })
}

// enabled returns the clients that can be granted a step. Of those that are
// alike and have not started, only the first may: the others' schedules are the
// same with the names exchanged.
func (e *schedule) enabled() []choice {
	var enabled []choice
	fresh := make(map[string]bool)
	for i, a := range e.actors {
		switch a.state {
		case ready:
			if class := a.client.Class; class != "" && !a.full && !a.started {
				if fresh[class] {
					continue
				}
				fresh[class] = true
			}
			enabled = append(enabled, choice{client: i, kind: a.pending.kind, sql: a.pending.sql, class: a.pending.class})
		case stopped:
			enabled = append(enabled, choice{client: i, kind: Continue, sql: a.pending.sql, class: a.pending.class.inside()})
		}
	}
	return enabled
}

// grant lets a client take its step.
func (e *schedule) grant(ctx context.Context, a *actor) error {
	e.unsettle()
	q := &a.pending
	step := Step{Client: a.index, Kind: q.kind, SQL: q.sql, Args: q.args, Ahead: q.ahead}
	release := a.state == stopped
	if release {
		step.Kind, step.Ahead = Continue, nil
	}
	e.order = append(e.order, strconv.Itoa(a.index))
	a.step, a.shown, a.started, a.state = len(e.run.Steps), coding, true, running
	e.run.Steps = append(e.run.Steps, step)
	if release {
		return e.explorer.release(ctx, a.session.pid, a.gate)
	}
	a.grant <- struct{}{} // it is waiting for nothing else
	return nil
}

// unsettle has everybody looked at again who waits for a lock: what has happened
// may have released it.
func (e *schedule) unsettle() {
	for _, a := range e.actors {
		a.settled = false
	}
}

// handle takes in what a client tells.
func (e *schedule) handle(ev event) {
	a := ev.actor
	switch ev.kind {
	case asks:
		a.pending, a.state = ev.request, ready
	case returned:
		a.end, a.state = ev.end, done
	case answered:
		e.fill(a, ev.answer)
		a.state = coding
		a.session.ear.forget()
		e.unsettle()
	}
}

// fill writes an answer into the timeline.
func (e *schedule) fill(a *actor, answer answer) {
	step := &e.run.Steps[a.step]
	if a.shown != coding {
		step = e.resume(a)
	}
	step.answer(answer)
	a.shown = coding
}

// resume adds a row for what becomes of a step without a grant.
func (e *schedule) resume(a *actor) *Step {
	e.resumed = append(e.resumed, Step{Client: a.index, Kind: Resume, SQL: a.pending.sql, Args: a.pending.args})
	return &e.resumed[len(e.resumed)-1]
}

func (s *Step) answer(a answer) {
	s.State = Done
	s.Tag, s.Columns, s.Rows, s.Err, s.Commits = a.tag, a.columns, a.rows, a.err, a.commits
}

// conclude completes the run.
func (e *schedule) conclude() {
	e.run.ID = strings.Join(e.order, ".")
	for i, a := range e.actors {
		e.run.Ends[i] = a.end
	}
	for i := range e.run.Steps {
		if e.run.Steps[i].State == Waiting {
			e.run.Waits++
		}
		e.run.Violations = append(e.run.Violations, e.run.Steps[i].Violations...)
	}
}

// judge asks the scenario's questions at the end of a schedule.
func (e *schedule) judge(ctx context.Context) error {
	x, s := e.explorer, e.scenario
	if s.Judge != nil {
		found, err := s.Judge(ctx, x.judge, e.run)
		if err = errors.Join(err, x.judged(ctx)); err != nil {
			return fmt.Errorf("judge schedule %s: %w", e.run.ID, err)
		}
		e.run.Violations = append(e.run.Violations, found...)
	}
	if s.State != nil {
		text, err := s.State(ctx, x.judge)
		if err = errors.Join(err, x.judged(ctx)); err != nil {
			return fmt.Errorf("ask for the final state of schedule %s: %w", e.run.ID, err)
		}
		e.run.FinalState = text
	}
	return nil
}

// judged ends a transaction that a judge has left open: its locks would keep the
// clients waiting.
func (x *Explorer) judged(ctx context.Context) error {
	if x.judge.IsClosed() || x.judge.PgConn().TxStatus() == idle {
		return nil
	}
	_, err := x.judge.Exec(ctx, "ROLLBACK")
	return err
}
