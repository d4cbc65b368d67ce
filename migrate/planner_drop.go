package migrate

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// hazard describes what a person has to know of a change.
func (p *planner) hazard(kind HazardKind, c ir.Change, rows int64, text string) Hazard {
	origin := ir.ChangeOrigin(c)
	return Hazard{Kind: kind, Address: origin.Address, Pos: origin.Pos, Text: text, Rows: rows}
}

// addressOf is how a change is named in an allowance.
func addressOf(c ir.Change) string {
	if address := ir.ChangeOrigin(c).Address; address != "" {
		return address
	}
	return ir.ChangeObject(c).SQL()
}

// loses adds the hazard of a drop that loses data.
func (p *planner) loses(c ir.Change, rows int64, text string) {
	h := p.hazard(HazardDrop, c, rows, text)
	h.Allow = "drop=" + addressOf(c)
	p.hazards = append(p.hazards, h)
}

// weaker notes that a guarantee ends. Nothing is lost by that, so it needs no
// allowance; a spare object never was one.
func (p *planner) weaker(c ir.Change, text string) {
	p.hazards = append(p.hazards, p.hazard(HazardWeaker, c, -1, text))
}

func (p *planner) dropConstraint(c ir.DropConstraint) {
	if p.tables[c.Table] != nil {
		p.weakerConstraint(c)
	}
	p.alone(p.locking(c, accessExclusive))
}

func (p *planner) weakerConstraint(c ir.DropConstraint) {
	name := ir.Ident(c.Constraint.ConstraintName())
	switch k := c.Constraint.(type) {
	case ir.ForeignKey:
		if p.wanted(c) {
			return // it comes back when the key that it refers to stands again
		}
		p.weaker(c, fmt.Sprintf("rows of %s that refer to no row of %s are accepted from then on",
			c.Table.SQL(), ir.Qualified(k.RefSchema, k.RefTable)))
	case ir.Check:
		if k.Invalid || spareCheck(k) {
			return
		}
		p.weaker(c, "rows that "+name+" refused are accepted from then on")
	default:
		p.weaker(c, "rows that "+name+" refused are accepted from then on")
	}
}

// spareCheck reports whether a check is one that an interrupted apply left.
func spareCheck(c ir.Check) bool { return strings.HasPrefix(c.Name, sparePrefix) }

func (p *planner) dropColumn(c ir.DropColumn) {
	rows := p.facts.lost[ir.ChangeObject(c)]
	p.loses(c, rows, fmt.Sprintf("the column %s is lost, with %s", ir.ChangeObject(c).SQL(), amount(rows, "value")))
	p.alone(p.locking(c, accessExclusive))
}

func (p *planner) dropTable(c ir.DropTable) {
	rows := p.facts.lost[ir.ChangeObject(c)]
	p.loses(c, rows, fmt.Sprintf("the table %s is lost, with %s", c.Table.Ref().SQL(), amount(rows, "row")))
	p.alone(p.locking(c, accessExclusive))
}

// dropGlobal drops an enum or a function.
func (p *planner) dropGlobal(c ir.Change) {
	if drop, ok := c.(ir.DropEnum); ok {
		p.loses(c, 0, fmt.Sprintf("the type %s is lost, with its %d values", ir.Qualified(drop.Enum.Schema, drop.Enum.Name), len(drop.Enum.Values)))
	}
	p.alone(p.step(c))
}

// amount is a number of things, for a sentence.
func amount(n int64, thing string) string {
	switch {
	case n < 0:
		return "an unknown number of " + thing + "s"
	case n == 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// estimate is the size of a table, for a sentence.
func estimate(s size) string {
	if s.rows < 0 {
		return "its size is not known before an ANALYZE"
	}
	return fmt.Sprintf("about %d rows, %d MB", s.rows, (s.bytes+1<<20-1)>>20)
}
