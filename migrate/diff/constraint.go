package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// item is a constraint or an index of a table, whichever it is.
type item struct {
	constraint ir.Constraint // or
	index      ir.Index
	printed    string
	invalid    bool
}

// items lists a table's constraints and indexes, foreign keys not among them.
func items(t *ir.Table) []item {
	var list []item
	if k := t.PrimaryKey; k != nil {
		list = append(list, item{constraint: *k, printed: k.Printed})
	}
	for _, u := range t.Uniques {
		list = append(list, item{constraint: u, printed: u.Printed})
	}
	for _, e := range t.Excludes {
		list = append(list, item{constraint: e, printed: e.Printed})
	}
	for _, c := range t.Checks {
		list = append(list, item{constraint: c, printed: c.Printed, invalid: c.Invalid})
	}
	for _, i := range t.Indexes {
		list = append(list, item{index: i, printed: i.Printed, invalid: i.Invalid})
	}
	return list
}

func (i item) name() string {
	if i.constraint == nil {
		return i.index.Name
	}
	return i.constraint.ConstraintName()
}

// backed reports whether an index stands behind the item: such share their
// names with each other, a check does not.
func (i item) backed() bool {
	_, check := i.constraint.(ir.Check)
	return !check
}

// sameName reports whether j is the same object as i, or stands in its place. A
// table has one primary key, whatever it is called.
func (i item) sameName(j item) bool {
	return i.backed() == j.backed() && i.name() == j.name() || i.primary() && j.primary()
}

// equal reports whether nothing has to be made anew. An invalid index counts as
// none; an invalid check only wants validation.
func (i item) equal(j item) bool {
	return i.name() == j.name() && i.kind() == j.kind() && i.printed == j.printed &&
		(!i.invalid || i.constraint != nil)
}

func (i item) kind() string {
	switch i.constraint.(type) {
	case ir.PrimaryKey:
		return "primary key"
	case ir.Unique:
		return "unique"
	case ir.Exclude:
		return "exclude"
	case ir.Check:
		return "check"
	}
	return "index"
}

func (i item) primary() bool { return i.kind() == "primary key" }

// plainKey reports whether the item is a key of columns, with no SQL text in it.
func (i item) plainKey() bool { return i.kind() == "unique" || i.primary() }

func (i item) create(t ir.TableRef) ir.Change {
	if i.constraint == nil {
		return ir.CreateIndex{Table: t, Index: i.index}
	}
	return ir.AddConstraint{Table: t, Constraint: i.constraint}
}

func (i item) drop(t ir.TableRef) ir.Change {
	if i.constraint == nil {
		return ir.DropIndex{Table: t, Index: i.index}
	}
	return ir.DropConstraint{Table: t, Constraint: i.constraint}
}

// constraints makes what is new and makes anew what changed.
func (d *differ) constraints() (changes []ir.Change) {
	for _, p := range d.both {
		was := items(p.have)
		for _, now := range items(p.want) {
			changes = append(changes, p.constraint(was, now)...)
		}
	}
	return changes
}

func (p pair) constraint(was []item, now item) []ir.Change {
	old, ok := lookup(was, now.sameName)
	switch {
	case !ok:
		return []ir.Change{now.create(p.ref)}
	case old.equal(now):
		if old.invalid {
			return []ir.Change{ir.ValidateConstraint{Table: p.ref, Constraint: now.constraint}}
		}
		return nil
	case p.retyped && !old.plainKey():
		return nil // made anew around the column's new type
	}
	return []ir.Change{old.drop(p.ref), now.create(p.ref)}
}

// dropFromTables drops what the wanted tables no longer have: triggers, then
// indexes and constraints, then columns. It comes late, so that what replaces
// an object under another name stands before the object goes.
func (d *differ) dropFromTables() (changes []ir.Change) {
	for _, p := range d.both {
		for _, g := range p.have.Triggers {
			if _, ok := lookup(p.want.Triggers, sameTrigger(g)); !ok && (!p.retyped || g.When == "") {
				changes = append(changes, ir.DropTrigger{Table: p.ref, Trigger: g})
			}
		}
		wanted := items(p.want)
		for _, old := range slices.Backward(items(p.have)) {
			if _, ok := lookup(wanted, old.sameName); !ok && (!p.retyped || old.plainKey()) {
				changes = append(changes, old.drop(p.ref))
			}
		}
		changes = append(changes, p.dropColumns()...)
	}
	return changes
}
