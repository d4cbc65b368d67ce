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

// key tells the items of one table apart.
func (i item) key() string { return i.kind() + " " + i.name() }

func (i item) kindOfObject() ir.ObjectKind {
	if i.constraint == nil {
		return ir.IndexObject
	}
	return ir.ConstraintObject
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

// constraints makes what is new and makes anew what changed. Keys that foreign
// keys rest on are for transplants.
func (d *differ) constraints() (changes []ir.Change) {
	for _, p := range d.both {
		was := items(p.have)
		for _, now := range items(p.want) {
			if old, ok := lookup(was, now.sameName); !ok || !d.bears(p, old) {
				changes = append(changes, p.constraint(was, now)...)
			}
		}
	}
	return changes
}

func (p pair) constraint(was []item, now item) []ir.Change {
	old, ok := lookup(was, now.sameName)
	if !ok {
		old, ok = lookup(was, func(i item) bool {
			to, renamed := p.renamed[i.key()]
			return renamed && i.backed() == now.backed() && to.name() == now.name()
		})
	}
	switch {
	case !ok:
		return []ir.Change{now.create(p.ref)}
	case old.equal(now):
		if old.invalid {
			return []ir.Change{ir.ValidateConstraint{Table: p.ref, Constraint: now.constraint}}
		}
		return nil
	case p.moves(old):
		return nil // made anew around the column's new type
	}
	return []ir.Change{old.drop(p.ref), now.create(p.ref)}
}

// renamedItems pairs what stands under a name that nobody wants with what is
// wanted under a name that nobody has, where both say the same.
func renamedItems(have, want []item) map[string]item {
	renamed := map[string]item{}
	taken := map[string]bool{}
	for _, old := range have {
		if _, stays := lookup(want, old.sameName); stays && !old.primary() || old.invalid {
			continue
		}
		now, ok := lookup(want, func(i item) bool {
			_, stands := lookup(have, i.sameName)
			return i.name() != old.name() && i.kind() == old.kind() && i.printed == old.printed && i.printed != "" &&
				(!stands || i.primary()) && !taken[i.key()]
		})
		if ok {
			renamed[old.key()], taken[now.key()] = now, true
		}
	}
	return renamed
}

// leftover reports whether an item is what a build that was cut off left behind:
// nothing rests on it, and it costs every write.
func leftover(i item) bool { return i.invalid && i.constraint == nil }

// dropLeftovers drops invalid indexes that nobody wants, before anything is
// built: a new build of the same may follow.
func (d *differ) dropLeftovers() (changes []ir.Change) {
	for _, p := range d.both {
		wanted := items(p.want)
		for _, old := range items(p.have) {
			if _, ok := lookup(wanted, old.sameName); !ok && leftover(old) {
				changes = append(changes, old.drop(p.ref))
			}
		}
	}
	return changes
}

// dropFromTables drops what the wanted tables no longer have: triggers, then
// foreign keys, indexes and constraints, then columns. It comes late, so that
// what replaces an object under another name stands before the object goes.
func (d *differ) dropFromTables() (changes []ir.Change) {
	for _, p := range d.both {
		for _, g := range p.have.Triggers {
			if _, ok := lookup(p.want.Triggers, sameTrigger(g)); !ok && !p.triggerMoves(g) {
				changes = append(changes, ir.DropTrigger{Table: p.ref, Trigger: g})
			}
		}
	}
	// Triggers of one table may write columns of another: all of them go first.
	for _, p := range d.both {
		changes = append(changes, d.dropSucceeded(p)...)
		wanted := items(p.want)
		for _, old := range slices.Backward(items(p.have)) {
			_, stays := lookup(wanted, old.sameName)
			_, renamed := p.renamed[old.key()]
			if !stays && !renamed && !p.moves(old) && !leftover(old) && !d.bears(p, old) {
				changes = append(changes, old.drop(p.ref))
			}
		}
		changes = append(changes, p.dropColumns()...)
	}
	return changes
}
