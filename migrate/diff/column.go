package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

func (d *differ) columns() (changes []ir.Change) {
	for _, p := range d.both {
		if p.have.Comment != p.want.Comment {
			changes = append(changes, ir.SetTableComment{
				Table: p.ref, From: p.have.Comment, To: p.want.Comment, Origin: p.want.Origin,
			})
		}
		for _, c := range p.want.Columns {
			if _, ok := lookup(p.have.Columns, sameColumn(c)); !ok && c.Generated == "" {
				changes = append(changes, ir.AddColumn{Table: p.ref, Column: c})
			}
		}
		for _, c := range p.want.Columns { // after what they may be made of
			if _, ok := lookup(p.have.Columns, sameColumn(c)); !ok && c.Generated != "" {
				changes = append(changes, ir.AddColumn{Table: p.ref, Column: c})
			}
		}
		changes = append(changes, p.alterColumns()...)
	}
	return changes
}

func sameColumn(c ir.Column) func(ir.Column) bool {
	return func(d ir.Column) bool { return c.Name == d.Name }
}

// alterColumns changes the columns that both sides have. Where one gets
// another type, what PostgreSQL cannot carry over goes before and comes after;
// the other columns of the table have no part in that.
func (p pair) alterColumns() (changes []ir.Change) {
	var retypes []ir.Change
	for _, c := range p.want.Columns {
		was, ok := lookup(p.have.Columns, sameColumn(c))
		if !ok {
			continue
		}
		from := known(was, c)
		switch {
		case !differs(from, c):
		case slices.Contains(p.retyped, c.Name):
			retypes = append(retypes, ir.AlterColumn{Table: p.ref, From: from, To: c})
		default:
			changes = append(changes, ir.AlterColumn{Table: p.ref, From: from, To: c})
		}
	}
	if len(p.retyped) == 0 {
		return changes
	}
	before, after := p.aroundRetype()
	return slices.Concat(before, retypes, after, changes)
}

// aroundRetype is what has to go before a column's type changes and come back
// after it: triggers with a condition over the column, which PostgreSQL refuses
// to carry over, and checks and indexes of the column that change too, whose old
// text may not fit the new type.
func (p pair) aroundRetype() (before, after []ir.Change) {
	for _, was := range p.have.Triggers {
		if !p.triggerMoves(was) {
			continue
		}
		before = append(before, ir.DropTrigger{Table: p.ref, Trigger: was})
		if g, ok := lookup(p.want.Triggers, sameTrigger(was)); ok {
			after = append(after, ir.CreateTrigger{Table: p.ref, Trigger: g})
		}
	}
	wanted := items(p.want)
	for _, was := range items(p.have) {
		if !p.moves(was) {
			continue
		}
		now, ok := lookup(wanted, was.sameName)
		if ok && was.equal(now) {
			continue
		}
		before = append(before, was.drop(p.ref))
		if ok {
			after = append(after, now.create(p.ref))
		}
	}
	return before, after
}

// moves reports whether an item that changes or goes has to do so around the
// new type of a column. A key of columns is rebuilt by the server, and so is
// what only gets another name.
func (p pair) moves(was item) bool {
	_, renamed := p.renamed[was.key()]
	return !was.plainKey() && !renamed && p.mentions(was.kindOfObject(), was.name())
}

// triggerMoves reports whether a trigger stands in the way of a column's new type.
func (p pair) triggerMoves(g ir.Trigger) bool {
	return g.When != "" && p.mentions(ir.TriggerObject, g.Name)
}

// mentions reports whether what stands mentions a column that gets another type.
func (p pair) mentions(kind ir.ObjectKind, name string) bool {
	if len(p.retyped) == 0 || p.uses == nil {
		return len(p.retyped) > 0
	}
	return slices.ContainsFunc(p.uses[p.have.ID(kind, name)], func(column ir.ObjectID) bool {
		return column.Schema == p.ref.Schema && column.Table == p.ref.Name && slices.Contains(p.retyped, column.Name)
	})
}

// retyped lists the columns that get another type.
func retyped(have, want *ir.Table) (names []string) {
	for _, c := range want.Columns {
		if was, ok := lookup(have.Columns, sameColumn(c)); ok && was.Printed.Type != c.Printed.Type {
			names = append(names, c.Name)
		}
	}
	return names
}

// known is the column as it was, its type and default spelled as the wanted
// ones are where they print the same: what then differs really differs.
func known(was, want ir.Column) ir.Column {
	if was.Printed.Type == want.Printed.Type {
		was.Type, was.Collation = want.Type, want.Collation
	}
	if want.Printed.Type != "" && was.Printed.Default == want.Printed.Default {
		was.Default, was.Generated = want.Default, want.Generated
	}
	return was
}

func differs(from, to ir.Column) bool {
	return !from.Type.Equal(to.Type) || from.Default != to.Default || from.Null != to.Null ||
		from.Identity != to.Identity || from.Comment != to.Comment ||
		from.Generated != to.Generated || from.Collation != to.Collation
}

// dropColumns drops generated columns first: with what it is made of PostgreSQL
// drops one without a word.
func (p pair) dropColumns() (changes []ir.Change) {
	var plain []ir.Change
	for _, c := range p.have.Columns {
		if _, ok := lookup(p.want.Columns, sameColumn(c)); ok {
			continue
		}
		list := &plain
		if c.Generated != "" {
			list = &changes
		}
		*list = append(*list, ir.DropColumn{Table: p.ref, Column: c})
	}
	return append(changes, plain...)
}
