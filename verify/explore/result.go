package explore

import "time"

// Result is what an exploration found.
type Result struct {
	Scenario string
	// Schedules is how many were executed to their end and judged.
	Schedules int
	// Waiting is how many of them had a step that waited for a lock: the others are
	// the scenario's concurrency.
	Waiting int
	// Pruned is how many beginnings were given up because their schedules are known
	// to come out like others.
	Pruned int
	// Violating is how many schedules broke a rule, and Counterexamples the first
	// of them, shortest first.
	Violating       int
	Counterexamples []*Run
	// Outcomes counts the different ends: results and errors of all clients. Two
	// searches of one scenario that differ in their reductions must agree in its keys.
	Outcomes map[string]int
	// NonDeterministic are schedules that came out differently when repeated: on the
	// way, in the second case of an exploration or also on further tries; or, of the
	// first and the last, when they were run once more at the end. The exploration is
	// then no proof.
	NonDeterministic []*Run
	// Repeated is how many executions went on differently than before and were
	// repeated. One that then went on as before is tolerated, and shows here alone.
	Repeated int
	// Inconclusive are schedules that did not end: something waited that is no lock.
	Inconclusive []*Run
	// Complete is true when every schedule was tried: no limit was reached, nothing
	// was inconclusive or non-deterministic, and StopAtFirst did not stop it.
	Complete bool
	Duration time.Duration
}
