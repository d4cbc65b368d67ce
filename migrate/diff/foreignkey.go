package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// dropForeignKeys drops the foreign keys that nobody wants, those of tables
// that go away, so that these may go in any order, and those that rest on a key
// that is made anew.
func (d *differ) dropForeignKeys() (changes []ir.Change) {
	for _, t := range d.dropped {
		for _, k := range t.ForeignKeys {
			if target(k) != t.Ref() {
				changes = append(changes, ir.DropConstraint{Table: t.Ref(), Constraint: k})
			}
		}
	}
	for _, p := range d.both {
		for _, k := range p.have.ForeignKeys {
			_, wanted := lookup(p.want.ForeignKeys, sameKey(k))
			if !wanted || d.uprooted(k) {
				changes = append(changes, ir.DropConstraint{Table: p.ref, Constraint: k})
			}
		}
	}
	return changes
}

func (d *differ) foreignKeys() (changes []ir.Change) {
	for _, t := range d.added {
		for _, k := range t.ForeignKeys {
			changes = append(changes, ir.AddConstraint{Table: t.Ref(), Constraint: k})
		}
	}
	for _, p := range d.both {
		for _, k := range p.want.ForeignKeys {
			changes = append(changes, d.foreignKey(p, k)...)
		}
	}
	return changes
}

func (d *differ) foreignKey(p pair, now ir.ForeignKey) []ir.Change {
	was, ok := lookup(p.have.ForeignKeys, sameKey(now))
	add := ir.AddConstraint{Table: p.ref, Constraint: now}
	switch {
	case ok && d.uprooted(was):
		return nil // comes back when the key that it refers to stands again
	case !ok:
		return []ir.Change{add}
	case was.Printed != now.Printed:
		return []ir.Change{ir.DropConstraint{Table: p.ref, Constraint: was}, add}
	case was.Invalid:
		return []ir.Change{ir.ValidateConstraint{Table: p.ref, Constraint: now}}
	}
	return nil
}

// replantForeignKeys brings back what dropForeignKeys took from under a key. It
// comes after the old key is gone: while both stood, PostgreSQL could tie the
// foreign key to either.
func (d *differ) replantForeignKeys() (changes []ir.Change) {
	for _, p := range d.both {
		for _, k := range p.want.ForeignKeys {
			if was, ok := lookup(p.have.ForeignKeys, sameKey(k)); ok && d.uprooted(was) {
				changes = append(changes, ir.AddConstraint{Table: p.ref, Constraint: k})
			}
		}
	}
	return changes
}

// uprooted reports whether the key that k refers to goes away or is made anew:
// PostgreSQL drops no key while a foreign key rests on it.
func (d *differ) uprooted(k ir.ForeignKey) bool {
	p, ok := lookup(d.both, func(p pair) bool { return p.ref == target(k) })
	if !ok {
		return false
	}
	wanted := items(p.want)
	return slices.ContainsFunc(items(p.have), func(i item) bool {
		if !sameSet(keyColumns(i), k.RefColumns) {
			return false
		}
		now, ok := lookup(wanted, i.sameName)
		return !ok || !i.equal(now)
	})
}

// keyColumns are the columns of a key that a foreign key can refer to.
func keyColumns(i item) []string {
	switch c := i.constraint.(type) {
	case ir.PrimaryKey:
		return c.Columns
	case ir.Unique:
		return c.Columns
	}
	if i.constraint != nil || !i.index.Unique || i.index.Where != "" {
		return nil
	}
	var columns []string
	for _, part := range i.index.Parts {
		columns = append(columns, part.Column)
	}
	return columns
}

func sameSet(a, b []string) bool {
	return len(a) > 0 && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func target(k ir.ForeignKey) ir.TableRef { return ir.TableRef{Schema: k.RefSchema, Name: k.RefTable} }

func sameKey(k ir.ForeignKey) func(ir.ForeignKey) bool {
	return func(l ir.ForeignKey) bool { return k.Name == l.Name }
}
