package explore

import (
	"context"
	"errors"
	"slices"
)

// errManyRows says that a statement was found to change several rows, while
// first rows were not gated.
var errManyRows = errors.New("a statement changes several rows")

// repeats is how often a schedule is tried again that came out differently.
const repeats = 3

// node is a decision on the way to the current schedule.
type node struct {
	enabled []choice
	chosen  int  // index in enabled
	blocked bool // somebody waited for a lock
	wide    bool // what was chosen turned out to concern others
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
	depth int // decisions taken in the current schedule
}

func (s *search) decide(enabled []choice, blocked bool) (client int, v verdict) {
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
	if s.depth > 0 && slices.ContainsFunc(steps, concernsOthers) {
		s.path[s.depth-1].wide = true
	}
}

// concernsOthers reports whether a step did more than its class says: it let
// others go on, or its COMMIT depended on them.
func concernsOthers(s Step) bool {
	return s.Kind == Resume || s.Kind == Commit && (s.State == Waiting || s.Err != nil)
}

// advance moves on to the next schedule; false when there is none.
func (s *search) advance() bool {
	s.depth = 0
	for len(s.path) > 0 {
		n := s.path[len(s.path)-1]
		n.asleep[n.enabled[n.chosen].client] = n.class()
		n.wide = false
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
	for {
		run, ended, err := x.tryAgain(ctx, s, tree)
		if err != nil {
			return nil, err
		}
		x.count(result, s, run, ended)
		if x.enough(s, result) {
			result.Complete = result.Complete && !tree.advance()
			return result, nil
		}
		if !tree.advance() {
			return result, nil
		}
	}
}

// tryAgain executes the search's current schedule, several times if it does not
// come to where the search has been before.
func (x *Explorer) tryAgain(ctx context.Context, s *Scenario, tree *search) (*Run, verdict, error) {
	for try := 0; ; try++ {
		run, ended, err := x.execute(ctx, s, tree)
		short := tree.depth < len(tree.path)
		if err != nil || ended != diverge && !short {
			return run, ended, err
		}
		if try == repeats {
			tree.path = tree.path[:tree.depth] // what is below cannot be reached
			if run.Stuck == "" {
				run.Deviation = "it went on differently here than when it was first begun"
				ended = diverge
			}
			return run, ended, nil
		}
		tree.depth = 0
	}
}

// count enters a run into the result.
func (x *Explorer) count(r *Result, s *Scenario, run *Run, ended verdict) {
	switch {
	case ended == prune:
		r.Pruned++
		return
	case ended == diverge:
		r.NonDeterministic = append(r.NonDeterministic, run)
		r.Complete = false
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
