package migrate

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// transplantRun counts the changes at the start of a list that end the keys of
// one table under the foreign keys that rest on them: drops of foreign keys,
// drops of keys, each perhaps followed by what takes its place, and the foreign
// keys again.
func transplantRun(changes []ir.Change) int {
	n := 0
	var table ir.TableRef
	for ; n < len(changes); n++ {
		drop, ok := changes[n].(ir.DropConstraint)
		if !ok {
			break
		}
		k, ok := drop.Constraint.(ir.ForeignKey)
		if !ok || n > 0 && refers(k) != table {
			break
		}
		table = refers(k)
	}
	foreign, keys := n, 0
	for ; n < len(changes); n++ {
		id := ir.ChangeObject(changes[n])
		if id.Schema != table.Schema || id.Table != table.Name {
			break
		}
		if isKey(changes[n]) {
			keys++
		} else if n == foreign || !replacesKey(changes[n-1], changes[n]) {
			break
		}
	}
	if foreign == 0 || keys == 0 {
		return 0
	}
	adds := 0
	for ; n < len(changes) && adds < foreign; n++ {
		add, ok := changes[n].(ir.AddConstraint)
		if !ok {
			break
		}
		if k, ok := add.Constraint.(ir.ForeignKey); !ok || refers(k) != table {
			break
		}
		adds++
	}
	if adds == 0 {
		return 0
	}
	return n
}

// refers is the table that a foreign key refers to.
func refers(k ir.ForeignKey) ir.TableRef { return ir.TableRef{Schema: k.RefSchema, Name: k.RefTable} }

// isKey reports whether a change drops what a foreign key can rest on.
func isKey(c ir.Change) bool {
	switch c := c.(type) {
	case ir.DropConstraint:
		switch c.Constraint.(type) {
		case ir.PrimaryKey, ir.Unique:
			return true
		}
	case ir.DropIndex:
		return c.Index.Unique
	}
	return false
}

// replacesKey reports whether a change makes what takes the place of a dropped key.
func replacesKey(drop, create ir.Change) bool {
	switch c := create.(type) {
	case ir.AddConstraint:
		return replaces(drop, c.Table, c.Constraint.ConstraintName(), isPrimary(c.Constraint))
	case ir.CreateIndex:
		return replaces(drop, c.Table, c.Index.Name, false)
	}
	return false
}

// transplant builds the new keys beside the old ones and then, in one
// transaction, lets the old ones go, gives the new ones their names and ties the
// foreign keys to them. They bind new rows from the moment at which the old ones
// let go, and old rows are proved once more afterwards.
func (p *planner) transplant(run []ir.Change) {
	var steps []Step
	var proofs []ir.ValidateConstraint
	for n, change := range run {
		switch c := change.(type) {
		case ir.AddConstraint:
			if _, ok := c.Constraint.(ir.ForeignKey); ok {
				steps = append(steps, p.tieAgain(c))
				proofs = append(proofs, ir.ValidateConstraint(c))
				continue
			}
			p.replaced(c)
			p.narrower(run[n-1], c)
			if p.unused(c.Table) {
				steps = append(steps, p.made(c))
			} else {
				steps = append(steps, p.fromIndex(c, p.buildKey(c)))
			}
		case ir.CreateIndex:
			p.replaced(c)
			p.narrower(run[n-1], c)
			if p.unused(c.Table) {
				steps = append(steps, p.made(c))
			} else {
				steps = append(steps, p.buildSpare(c))
			}
		default:
			steps = append(steps, p.removal(change))
			if isKey(change) && !(n+1 < len(run) && replacesKey(change, run[n+1])) {
				p.line(change)
			}
		}
	}
	p.alone(steps...)
	for _, proof := range proofs {
		p.proof(proof)
	}
}

// tieAgain is the foreign key's step of a transplant.
func (p *planner) tieAgain(c ir.AddConstraint) Step {
	p.replaced(c)
	s := p.alsoLocks(locked(p.part(c, describe(c)+", for new rows", addNotValid(c)), shareRowExclusive), c)
	s.saves = []record{p.record(ir.ChangeObject(c))}
	s.Undo = undo(c)
	return s
}

// alsoLocks says in a step's title that adding or dropping a foreign key takes
// the same lock on the table that it refers to.
func (p *planner) alsoLocks(s Step, c ir.Change) Step {
	var constraint ir.Constraint
	switch c := c.(type) {
	case ir.AddConstraint:
		constraint = c.Constraint
	case ir.DropConstraint:
		constraint = c.Constraint
	}
	k, ok := constraint.(ir.ForeignKey)
	if ok && refers(k) != s.Table && !p.created[refers(k)] && !slices.Contains([]string{noLock, shareUpdateExclusive}, s.Lock) {
		s.Title += ", with the same lock on " + refers(k).SQL()
	}
	return s
}
