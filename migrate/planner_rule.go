package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// unkept refuses rules that triggers could not keep on the tables as they stand.
// The functions run with the rights of the tables' owner, whom row security binds
// only when it is forced: rows that it hides would then be counted by nobody. And
// a limit looks at what a statement changed, which PostgreSQL tells the triggers of
// the table alone that the statement names: not those of a partitioned table when
// somebody writes to a partition, nor those of a partition, or of a table that
// another one inherits from, when somebody writes to the other one.
func (p *planner) unkept(program *ir.Program) {
	for _, invariant := range program.Invariants {
		facts := invariant.Facts()
		tables := []ir.TableRef{facts.Table}
		switch i := invariant.(type) {
		case *ir.Limit:
			tables = append(tables, i.Counter)
			t := p.standing(facts.Table)
			switch {
			case t == nil:
			case t.Inherits:
				p.refuseRule(facts, t.Ref().SQL()+" is a part of another table, as a partition or by INHERITS, or another one is a part of it: a client that writes to the other one passes the triggers of the limit by",
					"keep the limit on a table that stands alone")
			case t.Partitioned:
				p.refuseRule(facts, t.Ref().SQL()+" is partitioned: a client that writes to a partition passes the triggers of the limit by",
					"keep the limit on a table that is not partitioned")
			}
		case *ir.AtLeastOne:
			tables = append(tables, i.Parent)
		case *ir.Sequence:
			tables = append(tables, i.Counter)
		case *ir.SetRule:
			for _, o := range i.On {
				tables = append(tables, o.Table)
			}
			if i.Parent != (ir.TableRef{}) {
				tables = append(tables, i.Parent)
			}
			slices.SortFunc(tables, func(a, b ir.TableRef) int { return strings.Compare(a.SQL(), b.SQL()) })
			tables = slices.Compact(tables)
		default:
			continue
		}
		for _, ref := range tables {
			if t := p.standing(ref); t != nil && t.ForcesRowSecurity {
				p.refuseRule(facts, ref.SQL()+" has FORCE ROW LEVEL SECURITY: policies hide rows from the triggers too, which run as its owner, and what they do not see they do not count",
					fmt.Sprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY; policies still bind every role but the owner", ref.SQL()))
			}
		}
	}
}

func (p *planner) refuseRule(facts *ir.Facts, text, help string) {
	p.hazards = append(p.hazards, Hazard{Kind: HazardBlocked, Address: facts.Address, Pos: facts.Pos, Rows: -1, Text: text, Help: help})
}

// standing is a table of the database, whoever owns it; nil when there is none.
func (p *planner) standing(ref ir.TableRef) *ir.Table {
	for i := range p.stands.Tables {
		if p.stands.Tables[i].Ref() == ref {
			return &p.stands.Tables[i]
		}
	}
	return nil
}
