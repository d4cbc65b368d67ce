package migrate

import (
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

func (p *planner) addConstraint(c ir.AddConstraint) {
	switch constraint := c.Constraint.(type) {
	case ir.ForeignKey:
		p.addForeignKey(c, constraint)
	case ir.Check:
		p.addCheck(c)
	case ir.Exclude:
		p.addExclude(c)
	case ir.PrimaryKey, ir.Unique:
		p.addUnique(c)
	}
}

// addForeignKey binds new rows first and proves the old ones in another
// transaction, without stopping writers.
func (p *planner) addForeignKey(c ir.AddConstraint, k ir.ForeignKey) {
	other := ir.TableRef{Schema: k.RefSchema, Name: k.RefTable}
	if p.created[c.Table] && (p.created[other] || other == c.Table) {
		p.quiet(p.step(c))
		return
	}
	if p.unused(c.Table) {
		p.alone(p.alsoLocks(p.locking(c, shareRowExclusive), c))
		return
	}
	s := p.locking(c, shareRowExclusive)
	s.SQL = []string{addNotValid(c)}
	s.Title += ", for new rows"
	p.alone(p.alsoLocks(s, c))
	p.proof(ir.ValidateConstraint(c))
}

func addNotValid(c ir.AddConstraint) string { return postgres.AddNotValid(c.Table, c.Constraint) }

func (p *planner) addCheck(c ir.AddConstraint) {
	if p.unused(c.Table) {
		p.build(c.Table, p.locking(c, accessExclusive))
		return
	}
	s := p.locking(c, accessExclusive)
	s.SQL = []string{postgres.AddNotValid(c.Table, c.Constraint)}
	s.Title += ", for new rows"
	p.alone(s)
	p.proof(ir.ValidateConstraint(c))
}

// validate proves a constraint that an interrupted apply left unproven.
func (p *planner) validate(c ir.ValidateConstraint) {
	p.line(c)
	p.proof(c)
}

// proof reads the table under a lock that lets readers and writers go on.
func (p *planner) proof(c ir.ValidateConstraint) {
	s := locked(p.part(c, describe(c), postgres.Statements(c)...), shareUpdateExclusive)
	s.Scans, s.probe = true, p.constraintProbe(c.Table, c.Constraint)
	s.saves = []record{p.record(ir.ChangeObject(c))}
	s.Undo = "nothing to undo: new rows are bound already"
	p.alone(s)
}

// constraintProbe finds the rows that break a constraint of a wanted table.
func (p *planner) constraintProbe(t ir.TableRef, c ir.Constraint) *probe {
	table := p.tables[t]
	id := table.ID(ir.ConstraintObject, c.ConstraintName())
	switch c := c.(type) {
	case ir.Check:
		return broken(table, id, c)
	case ir.ForeignKey:
		return orphans(table, id, c)
	case ir.Exclude:
		return conflicts(table, id, c)
	}
	return duplicates(t, id, ir.ConstraintOrigin(c), keyIndex(c, ""))
}

// keyIndex is the index that stands behind a primary key or unique constraint.
func keyIndex(c ir.Constraint, name string) ir.Index {
	i := ir.Index{Name: name, Unique: true, Method: "btree", Origin: ir.ConstraintOrigin(c)}
	var columns []string
	switch c := c.(type) {
	case ir.PrimaryKey:
		columns = c.Columns
	case ir.Unique:
		columns, i.NullsNotDistinct = c.Columns, c.NullsNotDistinct
	}
	for _, column := range columns {
		i.Parts = append(i.Parts, ir.IndexPart{Column: column})
	}
	return i
}

// addUnique builds the index beside the writers; the constraint then takes it
// over under a short lock.
func (p *planner) addUnique(c ir.AddConstraint) {
	if p.unused(c.Table) {
		p.build(c.Table, p.locking(c, accessExclusive))
		return
	}
	p.line(c)
	p.takeOver(c, p.buildKey(c))
}

// buildKey builds the index for a key under a spare name, and returns the name.
func (p *planner) buildKey(c ir.AddConstraint) string {
	pr := p.constraintProbe(c.Table, c.Constraint)
	p.search(c, pr)
	name := p.spareName(ir.ChangeObject(c))
	p.concurrently(ir.CreateIndex{Table: c.Table, Index: keyIndex(c.Constraint, name)}, pr)
	return name
}

// takeOver makes the constraint from the index; before it, in the same
// transaction, goes what it replaces.
func (p *planner) takeOver(c ir.AddConstraint, index string, before ...ir.Change) {
	var steps []Step
	for _, change := range before {
		s := locked(p.part(change, describe(change), postgres.Statements(change)...), accessExclusive)
		_, s.forgets = p.records(change)
		steps = append(steps, s)
	}
	p.alone(append(steps, p.fromIndex(c, index))...)
}

// fromIndex makes a key from the index that was built for it.
func (p *planner) fromIndex(c ir.AddConstraint, index string) Step {
	s := locked(p.part(c, describe(c)+" from its index", postgres.AddUsingIndex(c.Table, c.Constraint, index)), accessExclusive)
	s.saves = []record{p.record(ir.ChangeObject(c))}
	s.forgets = []ir.ObjectID{{Kind: ir.IndexObject, Schema: c.Table.Schema, Table: c.Table.Name, Name: index}}
	s.Undo = undo(c)
	return s
}

// longLockRows is where holding a lock while a table is read needs permission.
const longLockRows = 1_000_000

// addExclude has no online form in PostgreSQL: the table is locked while the
// index is built.
func (p *planner) addExclude(c ir.AddConstraint) {
	if p.unused(c.Table) {
		p.build(c.Table, p.locking(c, accessExclusive))
		return
	}
	p.line(c)
	p.search(c, p.constraintProbe(c.Table, c.Constraint))
	p.longLock(c)
	p.alone(p.plainExclude(c))
}

func (p *planner) plainExclude(c ir.AddConstraint) Step {
	s := locked(p.part(c, describe(c), postgres.Statements(c)...), accessExclusive)
	s.saves, _ = p.records(c)
	s.Scans, s.Undo, s.probe = true, undo(c), p.constraintProbe(c.Table, c.Constraint)
	return s
}

func (p *planner) longLock(c ir.AddConstraint) {
	size := p.facts.tables[c.Table]
	h := p.hazard(HazardLock, c, size.rows,
		c.Table.SQL()+" is locked for reads and writes while the index behind "+ir.Ident(c.Constraint.ConstraintName())+
			" is built ("+estimate(size)+"): PostgreSQL builds no exclusion constraint concurrently")
	h.Help = "apply when the table is quiet"
	if size.rows < 0 || size.rows >= longLockRows {
		h.Allow = "long-lock=" + addressOf(c)
	}
	p.hazards = append(p.hazards, h)
}

// replacement plans a change of one object, when that is what two changes are:
// the new one is made beside the old one and takes its place in one transaction.
func (p *planner) replacement(first, second ir.Change) bool {
	if p.rename(first, second) {
		return true
	}
	switch add := second.(type) {
	case ir.AddConstraint:
		if replaces(first, add.Table, add.Constraint.ConstraintName(), isPrimary(add.Constraint)) {
			p.replaceConstraint(first, add)
			return true
		}
	case ir.CreateIndex:
		if replaces(first, add.Table, add.Index.Name, false) {
			p.replaceIndex(first, add)
			return true
		}
	case ir.CreateTrigger:
		if drop, ok := first.(ir.DropTrigger); ok && drop.Table == add.Table && drop.Trigger.Name == add.Trigger.Name {
			p.looserTrigger(drop, add)
			p.replaceTrigger(add)
			return true
		}
	case ir.AddDomainCheck:
		if drop, ok := first.(ir.DropDomainCheck); ok && ir.ChangeObject(drop) == ir.ChangeObject(add) {
			p.replaceDomainCheck(drop, add)
			return true
		}
	case ir.CreateDomain:
		if drop, ok := first.(ir.DropDomain); ok && ir.ChangeObject(drop) == ir.ChangeObject(add) {
			p.domainOfAnotherType(drop, add)
			return true
		}
	case ir.CreateEnum:
		if drop, ok := first.(ir.DropEnum); ok && drop.Enum.Schema == add.Enum.Schema && drop.Enum.Name == add.Enum.Name {
			p.replaceEnum(drop, add)
			return true
		}
	}
	return false
}

// replaces reports whether a change drops what a new object takes the place of.
func replaces(drop ir.Change, t ir.TableRef, name string, primary bool) bool {
	switch d := drop.(type) {
	case ir.DropConstraint:
		return d.Table == t && (d.Constraint.ConstraintName() == name || primary && isPrimary(d.Constraint))
	case ir.DropIndex:
		return d.Table == t && d.Index.Name == name
	}
	return false
}

func isPrimary(c ir.Constraint) bool { _, ok := c.(ir.PrimaryKey); return ok }

func (p *planner) replaceConstraint(drop ir.Change, c ir.AddConstraint) {
	p.replaced(c)
	p.narrower(drop, c)
	_, excludes := c.Constraint.(ir.Exclude)
	switch {
	case p.unused(c.Table):
		p.inPlace(drop, c)
	case excludes:
		p.search(c, p.constraintProbe(c.Table, c.Constraint))
		p.longLock(c)
		p.alone(p.removal(drop), p.plainExclude(c))
	default:
		p.replaceOnline(drop, c)
	}
}

func (p *planner) replaceOnline(drop ir.Change, c ir.AddConstraint) {
	switch constraint := c.Constraint.(type) {
	case ir.Check:
		constraint.Name = p.spareName(ir.ChangeObject(c))
		p.replaceProven(drop, c, constraint)
	case ir.ForeignKey:
		constraint.Name = p.spareName(ir.ChangeObject(c))
		p.replaceProven(drop, c, constraint)
	default:
		p.takeOver(c, p.buildKey(c), drop)
	}
}

// replaceProven adds a check or foreign key under a spare name, proves it, and
// gives it the old one's name as that one goes.
func (p *planner) replaceProven(drop ir.Change, c ir.AddConstraint, spare ir.Constraint) {
	name := spare.ConstraintName()
	add := locked(p.part(c, describe(c)+", for new rows, as "+name, postgres.AddNotValid(c.Table, spare)), accessExclusive)
	if _, foreign := spare.(ir.ForeignKey); foreign {
		add = p.alsoLocks(locked(add, shareRowExclusive), c)
	}
	add.saves = []record{p.spare(c, name)}
	p.alone(add)

	validate := ir.ValidateConstraint{Table: c.Table, Constraint: spare}
	proof := locked(p.part(c, "prove that all rows pass it", postgres.Statements(validate)...), shareUpdateExclusive)
	proof.Scans, proof.probe = true, p.constraintProbe(c.Table, c.Constraint)
	p.alone(proof)

	rename := locked(p.part(c, "name "+name+" "+c.Constraint.ConstraintName(),
		postgres.RenameConstraint(c.Table, name, c.Constraint.ConstraintName())), accessExclusive)
	rename.saves = []record{p.record(ir.ChangeObject(c))}
	rename.forgets = []ir.ObjectID{p.spare(c, name).ID}
	p.alone(p.removal(drop), rename)
}

// inPlace makes an object anew on a table that nobody uses.
func (p *planner) inPlace(drop, create ir.Change) {
	p.alone(p.removal(drop), p.made(create))
}

// made makes the second half of what is made anew.
func (p *planner) made(create ir.Change) Step {
	s := locked(p.part(create, describe(create), postgres.Statements(create)...), accessExclusive)
	s.saves, _ = p.records(create)
	s.Undo = undo(create)
	return s
}

// removal is the drop of what is made anew: no line of its own in the plan.
func (p *planner) removal(drop ir.Change) Step {
	s := locked(p.part(drop, describe(drop), postgres.Statements(drop)...), accessExclusive)
	_, s.forgets = p.records(drop)
	s.Undo = undo(drop)
	return p.alsoLocks(s, drop)
}

// replaced writes the plan's line for an object that is made anew.
func (p *planner) replaced(c ir.Change) {
	p.line(c)
	line := &p.changes[len(p.changes)-1]
	line.Action, line.Text = Replace, describeAnew(c)
}
