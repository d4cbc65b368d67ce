package migrate

import (
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// createTrigger makes a trigger and then, in the same transaction, looks for
// rows that break its rule: the lock has waited for the writers in flight, and
// new ones meet the trigger. Looking before would be a race.
func (p *planner) createTrigger(c ir.CreateTrigger) {
	p.triggers[ir.ChangeObject(c)] = true
	p.build(c.Table, p.proven(p.locking(c, shareRowExclusive), c))
}

// enableTrigger lets a trigger work again and looks, like createTrigger, for what was
// written while nobody looked.
func (p *planner) enableTrigger(c ir.EnableTrigger) {
	p.alone(p.proven(p.locking(c, shareRowExclusive), ir.CreateTrigger(c)))
}

func (p *planner) replaceTrigger(c ir.CreateTrigger) {
	p.replaced(c)
	s := locked(p.part(c, describeAnew(c), postgres.ReplaceTrigger(c.Table, c.Trigger)), shareRowExclusive)
	if c.Trigger.Deferred { // PostgreSQL replaces no constraint trigger
		s = locked(p.part(c, describeAnew(c), append(postgres.Statements(ir.DropTrigger(c)), postgres.Statements(c)...)...), accessExclusive)
	}
	s.saves, _ = p.records(c)
	p.alone(p.proven(s, c))
}

// proven adds the probe that the compiler wrote for the trigger's rule, if there
// is one. A table that is empty now may hold rows by the time that it is locked:
// only one that this plan makes cannot.
func (p *planner) proven(s Step, c ir.CreateTrigger) Step {
	id := ir.ChangeObject(c)
	if query := p.violators[id]; query != "" && !p.created[c.Table] {
		s.probe = &probe{object: id, origin: c.Trigger.Origin, query: strings.TrimRight(query, "; \n"), one: "1 row breaks the rule", many: "%d rows break the rule"}
		s.Scans, s.prove = !p.unused(c.Table), true
	}
	return s
}
