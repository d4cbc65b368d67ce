package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// dropForeignKeys drops the foreign keys that nobody wants, and those of tables
// that go away, so that these may go in any order. One that another takes the
// place of stays until that one stands.
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
			if _, ok := p.becomes(k); !ok {
				changes = append(changes, ir.DropConstraint{Table: p.ref, Constraint: k})
			}
		}
	}
	return changes
}

// becomes finds the wanted foreign key that an old one becomes: that of its
// name, one that says the same, or a new one of the same columns.
func (p pair) becomes(k ir.ForeignKey) (ir.ForeignKey, bool) {
	if now, ok := lookup(p.want.ForeignKeys, sameKey(k)); ok {
		return now, true
	}
	if now, ok := p.keys[k.Name]; ok {
		return now, true
	}
	return lookup(p.want.ForeignKeys, func(now ir.ForeignKey) bool {
		_, stands := lookup(p.have.ForeignKeys, sameKey(now))
		return !stands && sameSet(now.Columns, k.Columns)
	})
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
	if d.transplanted(p, now) {
		return nil
	}
	was, ok := lookup(p.have.ForeignKeys, func(k ir.ForeignKey) bool {
		return k.Name == now.Name || p.keys[k.Name].Name == now.Name
	})
	add := ir.AddConstraint{Table: p.ref, Constraint: now}
	switch {
	case !ok:
		return []ir.Change{add}
	case was.Printed != now.Printed || was.Name != now.Name:
		return []ir.Change{ir.DropConstraint{Table: p.ref, Constraint: was}, add}
	case was.Invalid:
		return []ir.Change{ir.ValidateConstraint{Table: p.ref, Constraint: now}}
	}
	return nil
}

// dropSucceeded drops the foreign keys that new ones of other names, which say
// something else, have taken the place of.
func (d *differ) dropSucceeded(p pair) (changes []ir.Change) {
	for _, k := range p.have.ForeignKeys {
		_, renamed := p.keys[k.Name]
		now, ok := p.becomes(k)
		if ok && now.Name != k.Name && !renamed && !d.uprooted(k) {
			changes = append(changes, ir.DropConstraint{Table: p.ref, Constraint: k})
		}
	}
	return changes
}

// renamedKeys pairs foreign keys as renamedItems pairs the other constraints.
func renamedKeys(have, want []ir.ForeignKey) map[string]ir.ForeignKey {
	renamed := map[string]ir.ForeignKey{}
	taken := map[string]bool{}
	for _, old := range have {
		if _, stays := lookup(want, sameKey(old)); stays || old.Invalid {
			continue
		}
		now, ok := lookup(want, func(k ir.ForeignKey) bool {
			_, stands := lookup(have, sameKey(k))
			return !stands && !taken[k.Name] && k.Printed == old.Printed && k.Printed != ""
		})
		if ok {
			renamed[old.Name], taken[now.Name] = now, true
		}
	}
	return renamed
}

// transplants ends keys that foreign keys rest on. PostgreSQL drops no such key,
// and while the old and the new one both stand it could tie a foreign key to
// either: so the foreign keys go, the keys go or are made anew, and the foreign
// keys come back, next to each other, for one transaction. New keys of other
// names stand by then.
func (d *differ) transplants() (changes []ir.Change) {
	for _, p := range d.both {
		var drops, keys, adds []ir.Change
		wanted := items(p.want)
		for _, old := range items(p.have) {
			if !d.bears(p, old) {
				continue
			}
			keys = append(keys, old.drop(p.ref))
			if now, ok := lookup(wanted, old.sameName); ok {
				keys = append(keys, now.create(p.ref))
			}
		}
		if len(keys) == 0 {
			continue
		}
		for _, from := range d.both {
			for _, k := range from.have.ForeignKeys {
				if now, ok := from.becomes(k); ok && target(k) == p.ref && d.uprooted(k) {
					drops = append(drops, ir.DropConstraint{Table: from.ref, Constraint: k})
					adds = append(adds, ir.AddConstraint{Table: from.ref, Constraint: now})
				}
			}
		}
		changes = append(changes, slices.Concat(drops, keys, adds)...)
	}
	return changes
}

// transplanted reports whether a wanted foreign key comes with a transplant.
func (d *differ) transplanted(p pair, now ir.ForeignKey) bool {
	return slices.ContainsFunc(p.have.ForeignKeys, func(k ir.ForeignKey) bool {
		becomes, ok := p.becomes(k)
		return ok && becomes.Name == now.Name && d.uprooted(k)
	})
}

// bears reports whether a key goes away or is made anew while a foreign key that
// stays rests on it.
func (d *differ) bears(p pair, i item) bool {
	if !p.ends(i) {
		return false
	}
	return slices.ContainsFunc(d.both, func(from pair) bool {
		return slices.ContainsFunc(from.have.ForeignKeys, func(k ir.ForeignKey) bool {
			_, stays := from.becomes(k)
			return stays && target(k) == p.ref && sameSet(keyColumns(i), k.RefColumns)
		})
	})
}

// ends reports whether an item goes away or is made anew; another name is neither.
func (p pair) ends(i item) bool {
	if _, renamed := p.renamed[i.key()]; renamed || leftover(i) {
		return false
	}
	now, ok := lookup(items(p.want), i.sameName)
	return !ok || !i.equal(now)
}

// uprooted reports whether the key that k refers to goes away or is made anew:
// PostgreSQL drops no key while a foreign key rests on it.
func (d *differ) uprooted(k ir.ForeignKey) bool {
	p, ok := lookup(d.both, func(p pair) bool { return p.ref == target(k) })
	return ok && slices.ContainsFunc(items(p.have), func(i item) bool {
		return sameSet(keyColumns(i), k.RefColumns) && p.ends(i)
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
