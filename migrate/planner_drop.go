package migrate

import (
	"fmt"
	"slices"
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
	p.settled[ir.ChangeObject(c)] = !p.wanted(c)
	p.alone(p.alsoLocks(p.locking(c, accessExclusive), c))
}

// ends notes the guarantee that ends with a drop inside a run of changes.
func (p *planner) ends(drop ir.Change) {
	switch c := drop.(type) {
	case ir.DropConstraint:
		p.weakerConstraint(c)
	case ir.DropIndex:
		p.weakerIndex(c)
	case ir.DropTrigger:
		p.weakerTrigger(c)
	}
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
	id := ir.ChangeObject(c)
	rows := p.facts.lost[id]
	also := p.carriesOff(func(other ir.ObjectID) bool { return slices.Contains(p.uses[other], id) })
	p.loses(c, rows, fmt.Sprintf("the column %s is lost, with %s%s%s", id.SQL(), amount(rows, "value"), also, p.movedColumn(c)))
	p.alone(p.locking(c, accessExclusive))
}

func (p *planner) dropTable(c ir.DropTable) {
	rows := p.facts.lost[ir.ChangeObject(c)]
	also := p.carriesOff(func(other ir.ObjectID) bool { return other.Schema == c.Table.Schema && other.Table == c.Table.Name })
	p.loses(c, rows, fmt.Sprintf("the table %s is lost, with %s%s%s", c.Table.Ref().SQL(), amount(rows, "row"), also, p.movedTo(&c.Table)))
	p.alone(p.locking(c, accessExclusive))
}

// dropGlobal drops an enum, a domain or a function. A domain holds nothing: its
// columns have another type by then.
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

// movedTo says that a table which goes looks like one that comes, and how to
// tell that it is the same.
func (p *planner) movedTo(gone *ir.Table) string {
	for _, change := range p.changes {
		ref := ir.TableRef{Schema: change.Object.Schema, Name: change.Object.Table}
		if came := p.tables[ref]; p.created[ref] && came != nil && sameColumns(gone, came) {
			return fmt.Sprintf("; it looks like a move to %s, which will be empty: %s", ref.SQL(), movedBlock(gone.Origin, came.Origin))
		}
	}
	return ""
}

// movedColumn says the same of a column, where one column alone of its table comes
// with its type.
func (p *planner) movedColumn(c ir.DropColumn) string {
	want := p.tables[c.Table]
	if want == nil {
		return ""
	}
	var came []ir.Column
	for _, column := range want.Columns {
		added := slices.ContainsFunc(p.changes, func(change Change) bool {
			return change.Action == Add && change.Object == want.ID(ir.ColumnObject, column.Name)
		})
		if added && sameType(c.Column, column) {
			came = append(came, column)
		}
	}
	if len(came) != 1 {
		return ""
	}
	return fmt.Sprintf("; it looks like a move to %s, which will not have them: %s", ir.Ident(came[0].Name), movedBlock(c.Column.Origin, came[0].Origin))
}

// movedBlock is a block that tells a rename, to be pasted.
func movedBlock(from, to ir.Origin) string {
	return fmt.Sprintf("where it is the same, say so and plan again\nmoved {\n  from = %s\n  to   = %s\n}", from.Address, to.Address)
}

// sameColumns reports whether two tables have the same columns of the same types.
func sameColumns(a, b *ir.Table) bool {
	return len(a.Columns) == len(b.Columns) && !slices.ContainsFunc(a.Columns, func(c ir.Column) bool {
		return !slices.ContainsFunc(b.Columns, func(d ir.Column) bool { return c.Name == d.Name && sameType(c, d) })
	})
}

// sameType compares a column that stands with a wanted one, which the server
// need not have printed.
func sameType(stands, wanted ir.Column) bool {
	tight := func(t ir.Type) string { return strings.ReplaceAll(t.SQL(), ", ", ",") }
	return tight(stands.Type) == tight(wanted.Type)
}
