package explore

import (
	"context"
	"errors"
	"slices"
)

// errManyRows says that a statement was found to change several rows, while
// first rows were not gated.
var errManyRows = errors.New("a statement changes several rows")

const (
	// repeats is how often a schedule is tried again that came out differently.
	repeats = 3
	// tolerated is how many schedules of an exploration may need that. What happens
	// twice is no accident: a client that tosses a coin needs few repeats too.
	tolerated = 1
)

// node is a decision on the way to the current schedule.
type node struct {
	enabled []choice
	chosen  int  // index in enabled
	blocked bool // somebody waited for a lock
	wide    bool // what was chosen turned out to concern others
	answers answers
	known   bool // answers are
	// asleep are clients whose next step need not be tried here: it was, or what
	// follows comes out like a schedule that was executed.
	asleep map[int]class
}

// next chooses the first step that is not asleep.
func (n *node) next() bool {
	n.chosen = slices.IndexFunc(n.enabled, func(c choice) bool {
		_, asleep := n.asleep[c.client]
		return !asleep
	})
	return n.chosen >= 0
}

// class is what is known about the chosen step.
func (n *node) class() class {
	c := n.enabled[n.chosen].class
	c.wide = n.wide
	return c
}

// matches reports whether the same can be chosen from as before.
func (n *node) matches(enabled []choice) bool {
	return slices.EqualFunc(n.enabled, enabled, func(a, b choice) bool {
		return a.client == b.client && a.kind == b.kind && a.sql == b.sql
	})
}

// search goes through all schedules depth first. It is the decider of each.
type search struct {
	full  bool
	path  []*node
	depth int     // decisions taken in the current schedule
	came  answers // since the last of them
	fixed bool    // nothing is added to path
}

func (s *search) decide(enabled []choice, blocked bool) (client int, v verdict) {
	if !s.agrees() || s.fixed && s.depth == len(s.path) {
		return 0, diverge
	}
	if s.depth < len(s.path) {
		n := s.path[s.depth]
		if !n.matches(enabled) {
			return 0, diverge
		}
		s.depth++
		return enabled[n.chosen].client, proceed
	}
	n := &node{enabled: enabled, blocked: blocked, asleep: s.inherited()}
	if !n.next() {
		return 0, prune
	}
	s.path = append(s.path, n)
	s.depth++
	return enabled[n.chosen].client, proceed
}

// inherited returns who stays asleep after the last decision: those whose step
// commutes with what was chosen.
func (s *search) inherited() map[int]class {
	asleep := make(map[int]class)
	if s.full || s.depth == 0 {
		return asleep
	}
	n := s.path[s.depth-1]
	taken := n.class()
	for client, c := range n.asleep {
		if independent(c, taken, n.blocked) {
			asleep[client] = c
		}
	}
	return asleep
}

func (s *search) took(steps []Step) {
	s.came.add(steps)
	if s.depth > 0 && slices.ContainsFunc(steps, concernsOthers) {
		s.path[s.depth-1].wide = true
	}
}

// concernsOthers reports whether a step did more than its class says: it let
// others go on, or its COMMIT depended on them.
func concernsOthers(s Step) bool {
	return s.Kind == Resume || s.Kind == Commit && (s.State == Waiting || s.Err != nil)
}

// agrees reports whether the last choice was answered as it was before, which it
// remembers when there is no before.
func (s *search) agrees() bool {
	came := s.came
	s.came = nil
	if s.depth == 0 {
		return true
	}
	n := s.path[s.depth-1]
	if !n.known {
		n.answers, n.known = came, true
	}
	return slices.Equal(n.answers, came)
}

// restart goes back to the fixture, to take the same choices again.
func (s *search) restart() { s.depth, s.came = 0, nil }

// advance moves on to the next schedule; false when there is none.
func (s *search) advance() bool {
	s.restart()
	for len(s.path) > 0 {
		n := s.path[len(s.path)-1]
		n.asleep[n.enabled[n.chosen].client] = n.class()
		n.wide, n.answers, n.known = false, nil, false
		if n.next() {
			return true
		}
		s.path = s.path[:len(s.path)-1]
	}
	return false
}

// exhaust runs all schedules of a scenario.
func (x *Explorer) exhaust(ctx context.Context, s *Scenario) (*Result, error) {
	result := &Result{Scenario: s.Name, Outcomes: make(map[string]int), Complete: true}
	tree := &search{full: x.options.Full}
	var sample sample
	for more := true; more; {
		run, ended, err := x.tryAgain(ctx, s, tree, result)
		if err != nil {
			return nil, err
		}
		x.count(result, s, run, ended)
		sample.take(s, run, ended, tree)
		more = tree.advance()
		if more && x.enough(s, result) {
			result.Complete = false
			return result, nil
		}
	}
	if !result.Complete {
		return result, nil
	}
	return result, x.confirm(ctx, s, &sample, result)
}

// tryAgain executes the search's current schedule, several times if it does not
// come to where the search has been before.
func (x *Explorer) tryAgain(ctx context.Context, s *Scenario, tree *search, result *Result) (*Run, verdict, error) {
	for try := 0; ; try++ {
		run, ended, err := x.execute(ctx, s, tree)
		if err != nil {
			return run, ended, err
		}
		if ended == proceed && run.Stuck == "" && !tree.agrees() {
			ended = diverge
		}
		if ended != diverge && tree.depth == len(tree.path) {
			return run, ended, nil
		}
		if try == repeats {
			tree.path = tree.path[:tree.depth] // what is below cannot be reached
			if run.Stuck == "" {
				run.Deviation = "it went on differently here than when it was first begun"
				ended = diverge
			}
			return run, ended, nil
		}
		if queued(run) {
			tree.restart()
			continue
		}
		if result.Repeated++; result.Repeated > tolerated {
			run.Deviation = "it went on differently here than when it was first begun, and it is not the first that did"
			result.differs(run)
		}
		tree.restart()
	}
}

// queued reports a run in which several clients waited: which of those that wait
// for one transaction goes on first is PostgreSQL's choice, and no client's. Such
// a run is repeated without being held against the scenario.
func queued(run *Run) bool {
	waited := map[int]bool{}
	for _, s := range run.Steps {
		if s.State == Waiting {
			waited[s.Client] = true
		}
	}
	return len(waited) > 1
}

// count enters a run into the result.
func (x *Explorer) count(r *Result, s *Scenario, run *Run, ended verdict) {
	switch {
	case ended == prune:
		r.Pruned++
		return
	case ended == diverge:
		r.differs(run)
		return
	case run.Stuck != "":
		r.Inconclusive = append(r.Inconclusive, run)
		r.Complete = false
		return
	}
	r.Schedules++
	r.Outcomes[outcome(s, run)]++
	if run.Waits > 0 {
		r.Waiting++
	}
	if len(run.Violations) > 0 {
		r.Violating++
		r.keep(run, x.options.Keep)
	}
}

// enough reports whether the search is to stop early.
func (x *Explorer) enough(s *Scenario, r *Result) bool {
	return (s.StopAtFirst || x.options.StopAtFirst) && r.Violating > 0 || x.options.Limit > 0 && r.Schedules >= x.options.Limit
}
