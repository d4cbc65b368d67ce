package migrate

import (
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// countingRun is how many of the changes, from the first on, bring the triggers
// or functions that keep one limit's counters, of a table that holds rows: until
// all of them are there, writes pass the counters by, so that they belong into
// one transaction, and what is counted belongs behind them.
func (p *planner) countingRun(changes []ir.Change) int {
	var limit *ir.Limit
	n := 0
	for ; n < len(changes); n++ {
		of := p.counters[ir.ChangeObject(changes[n])]
		if of == nil || n > 0 && of != limit || p.created[of.Base.Table] || !keepsCounter(changes[n]) {
			break
		}
		limit = of
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
	limit := p.counters[ir.ChangeObject(changes[0])]
	steps := make([]Step, 0, len(changes)+1)
	for _, c := range changes {
		steps = append(steps, p.locking(c, shareRowExclusive))
	}
	first := &steps[0]
	first.SQL = append([]string{postgres.LockAgainstWriters(limit.Base.Table)}, first.SQL...)
	first.Table = limit.Base.Table
	last := changes[len(changes)-1]
	fill := locked(p.part(last, "count the rows of "+limit.Base.Table.SQL()+" for "+limit.Base.Address, limit.Fill...), shareRowExclusive)
	fill.Table, fill.Scans = limit.Base.Table, true
	fill.Undo = "the counters go with the limit"
	steps[len(steps)-1].probe = &probe{
		object: ir.ChangeObject(last), origin: ir.ChangeOrigin(last), query: strings.TrimRight(limit.Base.Violators, "; \n"),
		one: "1 group is over the limit", many: "%d groups are over the limit",
	}
	steps[len(steps)-1].prove, steps[len(steps)-1].Scans = true, true
	p.alone(append(steps, fill)...)
}
