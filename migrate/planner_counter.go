package migrate

import (
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// counting is an invariant whose triggers keep counters, which have to be filled
// for the rows that are there.
type counting struct {
	facts     *ir.Facts
	fill      []string
	one, many string // what is wrong with rows that break it
}

// countingRun is how many of the changes, from the first on, bring the triggers
// or functions that keep one limit's counters, of a table that holds rows: until
// all of them are there, writes pass the counters by, so that they belong into
// one transaction, and what is counted belongs behind them.
func (p *planner) countingRun(changes []ir.Change) int {
	var rule *counting
	n := 0
	for ; n < len(changes); n++ {
		of := p.counters[ir.ChangeObject(changes[n])]
		if of == nil || n > 0 && of != rule || p.created[of.facts.Table] || !keepsCounter(changes[n]) {
			break
		}
		rule = of
	}
	return n
}

// keepsCounter reports a change after which rows have to be counted anew. A new
// function is not called before its trigger is there; a trigger that takes the
// place of its own kind, a pair of changes, brings another bound alone.
func keepsCounter(c ir.Change) bool {
	switch c := c.(type) {
	case ir.CreateTrigger:
		return true
	case ir.ReplaceFunction:
		return c.Exists
	case ir.EnableTrigger:
		return true
	}
	return false
}

// count makes the triggers and functions of a limit, and then, in the same
// transaction, looks for groups that have too many rows already, and counts: the
// lock has waited for the writers in flight, and new ones wait for the counters.
func (p *planner) count(changes []ir.Change) {
	rule := p.counters[ir.ChangeObject(changes[0])]
	steps := make([]Step, 0, len(changes)+1)
	for _, c := range changes {
		if f, ok := c.(ir.ReplaceFunction); ok && f.Exists {
			p.looserCount(f)
		}
		steps = append(steps, p.locking(c, shareRowExclusive))
	}
	first := &steps[0]
	first.SQL = append([]string{postgres.LockAgainstWriters(rule.facts.Table)}, first.SQL...)
	for i := range steps { // a function is on no table of its own
		p.about(&steps[i], rule.facts.Table)
	}
	last := changes[len(changes)-1]
	fill := locked(p.part(last, "count the rows of "+rule.facts.Table.SQL()+" for "+rule.facts.Address, rule.fill...), shareRowExclusive)
	p.about(&fill, rule.facts.Table)
	fill.Scans = true
	fill.Undo = "the counters go with the rule"
	steps[len(steps)-1].probe = &probe{
		object: ir.ChangeObject(last), origin: ir.ChangeOrigin(last), query: strings.TrimRight(rule.facts.Violators, "; \n"),
		one: rule.one, many: rule.many,
	}
	steps[len(steps)-1].prove, steps[len(steps)-1].Scans = true, true
	p.alone(append(steps, fill)...)
}
