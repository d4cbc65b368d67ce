package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// maintenance lists the statements of upkeep: the reapers of idempotencies, of inboxes
// and of queues that keep what is done, and the movers of queues' tasks that are due,
// which claims run too. A project without reapers has none: its claims do what there
// is to do.
func (c *compilation) maintenance() {
	p := c.program
	if len(p.Idempotencies)+len(p.Inboxes) == 0 && !slices.ContainsFunc(p.Repositories, ir.Repository.Retains) {
		return
	}
	m := &ir.Maintenance{Address: "pawl.maintain"}
	m.TrySQL = comment(m.Address) + "SELECT " + string(ir.AdvisoryTryXact) + "(hash_record_extended(ROW(" + ir.Literal(m.Address) + "::text, " +
		ir.Literal(p.Project) + "::text), 0)) AS acquired"
	for i := range p.Idempotencies {
		if reap := p.Idempotencies[i].Step(ir.OnceReap); reap != nil {
			m.Chores = append(m.Chores, ir.Chore{Address: reap.Address, Role: ir.MainStatement})
		}
	}
	for i := range p.Inboxes {
		m.Chores = append(m.Chores, ir.Chore{Address: p.Inboxes[i].Step(ir.InboxReap).Address, Role: ir.MainStatement})
	}
	for i := range p.Repositories {
		for j := range p.Repositories[i].Operations {
			if op := &p.Repositories[i].Operations[j]; op.Statement(ir.DueStatement) != nil {
				m.Chores = append(m.Chores, ir.Chore{Address: op.Address, Role: ir.DueStatement})
			} else if op.Kind == ir.ReapOp {
				m.Chores = append(m.Chores, ir.Chore{Address: op.Address, Role: ir.MainStatement})
			}
		}
	}
	p.Maintenance = m
}
