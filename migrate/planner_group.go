package migrate

import (
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// groupsOf finds the queue whose groups a table holds; nil for any other table.
func (p *planner) groupsOf(table ir.TableRef) *ir.QueueRule {
	for _, i := range p.program.Invariants {
		if q, ok := i.(*ir.QueueRule); ok && q.Group != nil && q.Group.Table == table {
			return q
		}
	}
	return nil
}

// createGroups makes the table of groups of a queue that is there, and adds a row
// for each group of its tasks in the same transaction: a task whose group has no
// row is never claimed. The lock waits for the writers in flight and holds new ones
// until the rows are there.
func (p *planner) createGroups(c ir.CreateTable, rule *ir.QueueRule) {
	create := locked(p.step(c), shareRowExclusive)
	create.SQL = append([]string{postgres.LockAgainstWriters(rule.Base.Table)}, create.SQL...)
	create.Table = rule.Base.Table
	fill := locked(p.part(c, "add the groups of the tasks in "+rule.Base.Table.SQL(), rule.Fill...), shareRowExclusive)
	fill.Table, fill.Scans = rule.Base.Table, true
	fill.Undo = "the groups go with their table"
	p.alone(create, fill)
	p.makes++
}
