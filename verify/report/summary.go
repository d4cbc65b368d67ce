package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/pawldb/pawl/verify"
)

// Overall is the verdict about a whole report. A violation, or a mutant that
// survived, outweighs what could not be decided. Where nothing was checked, the
// verdict is [verify.Untried]: nothing holds that nobody looked at.
func Overall(r *verify.Report) verify.Verdict {
	if total(r).checks == 0 {
		return verify.Untried
	}
	verdict := verify.Holds
	for i := range r.Subjects {
		verdict = worse(verdict, verdictOf(&r.Subjects[i]))
	}
	return verdict
}

// severity orders the verdicts that a report, a subject or a check can have.
var severity = []verify.Verdict{verify.Holds, verify.Untried, verify.Inconclusive, verify.Survived, verify.Violated}

func worse(a, b verify.Verdict) verify.Verdict {
	return slices.MaxFunc([]verify.Verdict{a, b}, func(a, b verify.Verdict) int {
		return cmp.Compare(slices.Index(severity, a), slices.Index(severity, b))
	})
}

// verdictOf is a subject's verdict: the worst of its checks and their mutants.
func verdictOf(s *verify.Subject) verify.Verdict {
	verdict := verify.Holds
	for i := range s.Checks {
		verdict = worse(verdict, verdictOfCheck(&s.Checks[i]))
	}
	return verdict
}

func verdictOfCheck(c *verify.Check) verify.Verdict {
	verdict := c.Verdict
	for _, m := range c.Mutants {
		// Killed and Excused are as they should be.
		if m.Verdict == verify.Survived || m.Verdict == verify.Inconclusive {
			verdict = worse(verdict, m.Verdict)
		}
	}
	return verdict
}

// tally is what a summary counts of some checks.
type tally struct {
	checks, schedules, waiting, violating int
	mutants, killed, survived, excused    int
	rounds, faults                        int
	unclear, untried                      int // checks
	duration                              time.Duration
}

// count adds up checks: the schedules of explorations, the rounds of stress, the
// faults of crashes, which are no schedules.
func count(checks []verify.Check) tally {
	var t tally
	for _, c := range checks {
		t.checks++
		t.duration += c.Duration
		t.violating += c.Violating
		switch c.Phase {
		case verify.Stress:
			t.rounds += c.Rounds
		case verify.Crash:
			t.faults += c.Rounds
		case verify.Interleavings:
			t.schedules += c.Schedules
			t.waiting += c.Waiting
		}
		switch c.Verdict {
		case verify.Inconclusive:
			t.unclear++
		case verify.Untried:
			t.untried++
		case verify.Holds, verify.Violated, verify.Killed, verify.Survived, verify.Excused:
		}
		t.countMutants(c.Mutants)
	}
	return t
}

func (t *tally) countMutants(mutants []verify.Mutant) {
	for _, m := range mutants {
		t.duration += m.Duration
		t.mutants++
		switch m.Verdict {
		case verify.Killed:
			t.killed++
		case verify.Survived:
			t.survived++
		case verify.Excused:
			t.excused++
		case verify.Holds, verify.Violated, verify.Inconclusive, verify.Untried:
		}
	}
}

// total is the tally of a whole report.
func total(r *verify.Report) tally {
	var all []verify.Check
	for _, s := range r.Subjects {
		all = append(all, s.Checks...)
	}
	return count(all)
}

// Example is a counterexample and where it is from.
type Example struct {
	Subject        *verify.Subject
	Check          *verify.Check
	Mutant         *verify.Mutant // nil for a violation of the program itself
	Counterexample *verify.Counterexample
}

// Counterexamples lists the counterexamples of a report, those of mutants after
// those of their check.
func Counterexamples(r *verify.Report) []Example {
	var list []Example
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for j := range s.Checks {
			c := &s.Checks[j]
			for k := range c.Counterexamples {
				list = append(list, Example{s, c, nil, &c.Counterexamples[k]})
			}
			for k := range c.Mutants {
				if m := &c.Mutants[k]; m.Counterexample != nil {
					list = append(list, Example{s, c, m, m.Counterexample})
				}
			}
		}
	}
	return list
}
