package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// counting is an invariant whose triggers keep counters, which have to be filled
// for the rows that are there.
type counting struct {
	facts     *ir.Facts
	fill      []string
	guards    []ir.ObjectID // what refuses other writes of the counters
	one, many string        // what is wrong with rows that break it
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
	fill := locked(p.part(last, "count the rows of "+rule.facts.Table.SQL()+" for "+rule.facts.Address, p.unguarded(rule)...), shareRowExclusive)
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

// unguarded fills the counters while the triggers that refuse other writes of them,
// where they are there already, are off: nobody else sees them off, since that is
// over when the transaction commits.
func (p *planner) unguarded(rule *counting) []string {
	var table ir.TableRef
	var names []string
	for _, id := range rule.guards {
		if id.Kind == ir.TriggerObject && p.triggered(id) {
			table, names = ir.TableRef{Schema: id.Schema, Name: id.Table}, append(names, id.Name)
		}
	}
	if len(names) == 0 {
		return rule.fill
	}
	return slices.Concat([]string{postgres.SwitchTriggers(table, false, names...)}, rule.fill, []string{postgres.SwitchTriggers(table, true, names...)})
}

// triggered reports whether a trigger is there at this point of the plan.
func (p *planner) triggered(id ir.ObjectID) bool {
	return p.triggers[id] || slices.ContainsFunc(p.had.Tables, func(t ir.Table) bool {
		return t.Schema == id.Schema && t.Name == id.Table && slices.ContainsFunc(t.Triggers, func(g ir.Trigger) bool { return g.Name == id.Name })
	})
}

// regrouped refuses another group for a rule whose table of counters, numbers or
// locks has one row for each: what stands there is about other groups, and its rows
// have no value for a column that is new.
func (p *planner) regrouped() {
	for _, invariant := range p.program.Invariants {
		var counters ir.TableRef
		var per []string
		switch i := invariant.(type) {
		case *ir.Limit:
			if i.OnRow {
				continue
			}
			counters, per = i.Counter, i.Key
		case *ir.Sequence:
			counters, per = i.Counter, i.Per
		case *ir.Ordered:
			counters, per = i.Groups, i.Per
		default:
			continue
		}
		at := slices.IndexFunc(p.had.Tables, func(t ir.Table) bool { return t.Ref() == counters })
		if at < 0 || p.had.Tables[at].PrimaryKey == nil || slices.Equal(slices.Sorted(slices.Values(p.had.Tables[at].PrimaryKey.Columns)), slices.Sorted(slices.Values(per))) {
			continue
		}
		p.regroups[counters] = true
		f := invariant.Facts()
		p.refuseRule(f, fmt.Sprintf("%s has a row for each %s, and the rule now has groups by %s: a %s does not change its groups in place",
			counters.SQL(), strings.Join(p.had.Tables[at].PrimaryKey.Columns, ", "), strings.Join(per, ", "), f.Kind),
			"give the block another label: the new rule is filled and kept beside the old one, which then goes with --allow drop="+f.Address)
	}
}
