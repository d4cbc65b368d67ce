package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// settle waits until no client is running: each is at its own code's end, waits
// for a grant, is stopped at a gate, or waits for a lock and was looked at by
// the server for a deadlock. What happened meanwhile is written into the timeline.
func (e *schedule) settle(ctx context.Context) (err error) {
	var told bool
	asked := time.Now()
	deadline := asked.Add(e.explorer.options.StepTimeout)
	for !e.quiet() {
		due, ask := e.due(asked)
		if !ask || due.After(deadline) {
			due = deadline
		}
		if told, err = e.listen(ctx, time.Until(due)); err != nil {
			return err
		}
		now := time.Now()
		if due, ask = e.due(asked); ask && (told || !now.Before(due)) {
			if err := e.ask(ctx); err != nil {
				return err
			}
			asked = time.Now()
		}
		if now.After(deadline) && !e.quiet() {
			e.stuck("a step took longer than the step timeout, and waits for no lock")
			return nil
		}
	}
	return e.note(ctx)
}

func (e *schedule) quiet() bool {
	return !slices.ContainsFunc(e.actors, func(a *actor) bool { return !a.quiet() })
}

// due says when to ask the server next, given when it was last asked; ask is
// false when there is nothing to ask.
func (e *schedule) due(asked time.Time) (at time.Time, ask bool) {
	for _, a := range e.actors {
		switch {
		case a.state == running:
			return asked.Add(patience), true
		case a.watched():
			at, ask = asked.Add(glance), true
		}
	}
	return at, ask
}

// listen takes in one event, for which it waits at most a while. told is true when
// a session was told instead that it waits.
func (e *schedule) listen(ctx context.Context, while time.Duration) (told bool, err error) {
	if while <= 0 {
		e.drain()
		return false, ctx.Err()
	}
	timer := time.NewTimer(while)
	defer timer.Stop()
	select {
	case ev := <-e.events:
		e.handle(ev)
	case <-e.explorer.nudges:
		return true, nil
	case <-timer.C:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return false, nil
}

// drain takes in what clients have to tell right now, and reports whether one
// has got an answer.
func (e *schedule) drain() (news bool) {
	for {
		select {
		case ev := <-e.events:
			e.handle(ev)
			news = news || ev.kind == answered
		default:
			return news
		}
	}
}

// ask asks the server whom the running clients wait for.
func (e *schedule) ask(ctx context.Context) error {
	x := e.explorer
	var pids []int32
	for _, a := range e.actors {
		if a.watched() {
			pids = append(pids, int32(a.session.pid))
		}
	}
	waits, err := probe(ctx, x.control, pids)
	if err != nil {
		return err
	}
	// Who has answered since the question was asked may have released others.
	news := e.drain()
	now := time.Now()
	for _, a := range e.actors {
		if !a.watched() {
			continue
		}
		if err := e.look(a, waits[int32(a.session.pid)], now); err != nil {
			return err
		}
	}
	if news || e.anybody(running) {
		return nil
	}
	for _, a := range e.actors {
		if a.state == waiting && a.checked(now) {
			a.settled = true
		}
	}
	return nil
}

// look takes in whom one client waits for.
func (e *schedule) look(a *actor, w wait, now time.Time) error {
	if slices.Contains(w.by, int32(e.explorer.controlPID)) {
		return e.stop(a, w.gate)
	}
	var clients []int
	others := false
	for _, pid := range slices.Concat(w.by, w.snapshot) {
		i := slices.IndexFunc(e.actors, func(o *actor) bool { return int32(o.session.pid) == pid })
		if i >= 0 && i != a.index && !slices.Contains(clients, i) {
			clients = append(clients, i)
		}
		others = others || pid == 0 // a prepared transaction
	}
	if len(clients) == 0 && !others {
		// It runs, or somebody outside keeps it, such as a vacuum: that ends by itself.
		a.state, a.blockers = running, nil
		return nil
	}
	slices.Sort(clients)
	a.waits(w, clients, now)
	return nil
}

// stop takes in that a client may have come to a gate.
func (e *schedule) stop(a *actor, gate gateKey) error {
	if gate == 0 {
		return nil
	}
	if gate.place() == atLaterRow && !e.explorer.firstRows {
		return errManyRows
	}
	a.state, a.gate = stopped, gate
	return nil
}

// note writes into the timeline how everybody stands now, and asks whether what
// became visible breaks a rule.
func (e *schedule) note(ctx context.Context) error {
	for _, a := range e.actors {
		if a.state == waiting || a.state == stopped {
			e.noteStanding(a)
		}
	}
	slices.SortStableFunc(e.resumed, func(a, b Step) int { return a.Client - b.Client })
	e.run.Steps = append(e.run.Steps, e.resumed...)
	e.resumed = nil
	steps := e.run.Steps[e.noted:]
	e.noted = len(e.run.Steps)
	if len(steps) == 0 {
		return nil
	}
	e.decider.took(steps)
	return e.afterCommit(ctx, steps)
}

// noteStanding records that a step waits or is stopped.
func (e *schedule) noteStanding(a *actor) {
	if a.shown == a.state {
		return
	}
	step := &e.run.Steps[a.step]
	if a.shown == waiting {
		step = e.resume(a)
	}
	if a.state == waiting {
		step.State, step.WaitsFor = Waiting, a.blockers
	} else {
		step.State, step.Place = Stopped, a.gate.place().String()
	}
	a.shown = a.state
}

// afterCommit asks about the steps that made work visible.
func (e *schedule) afterCommit(ctx context.Context, steps []Step) error {
	if e.scenario.AfterCommit == nil {
		return nil
	}
	last := -1
	for i := range steps {
		if steps[i].Commits {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	found, err := e.scenario.AfterCommit(ctx, e.explorer.judge)
	if err = errors.Join(err, e.explorer.judged(ctx)); err != nil {
		return fmt.Errorf("judge after a commit of schedule %s: %w", strings.Join(e.order, "."), err)
	}
	steps[last].Violations = found
	return nil
}

// await gives clients that all wait for locks the time that they may have set
// themselves, by a lock_timeout for instance.
func (e *schedule) await(ctx context.Context) error {
	deadline := time.Now().Add(e.explorer.options.StepTimeout)
	for e.quiet() {
		if time.Now().After(deadline) {
			e.stuck("everybody waits for a lock that nobody gives back")
			return nil
		}
		if _, err := e.listen(ctx, time.Until(deadline)); err != nil {
			return err
		}
	}
	return nil
}

// stuck gives the schedule up.
func (e *schedule) stuck(reason string) {
	var who []string
	for _, a := range e.actors {
		switch a.state {
		case coding:
			who = append(who, a.client.Name+" is in its own code")
		case running:
			who = append(who, fmt.Sprintf("%s is running %s", a.client.Name, a.pending.sql))
		case waiting:
			who = append(who, fmt.Sprintf("%s waits for a lock in %s", a.client.Name, a.pending.sql))
		}
	}
	e.run.Stuck = reason + ": " + strings.Join(who, "; ")
}
