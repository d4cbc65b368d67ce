package migrate

import (
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// rename plans a new name for what otherwise stays as it is, when that is what
// two changes are. Nothing is built, and no guarantee ends for a moment.
func (p *planner) rename(first, second ir.Change) bool {
	sql, lock, ok := renaming(first, second)
	if !ok {
		return false
	}
	title := "rename " + noun(first) + " on " + ir.Qualified(ir.ChangeObject(first).Schema, ir.ChangeObject(first).Table)
	title += ": " + ir.Ident(ir.ChangeObject(first).Name) + " → " + ir.Ident(ir.ChangeObject(second).Name)
	p.line(second)
	line := &p.changes[len(p.changes)-1]
	line.Action, line.Text = Alter, title

	s := locked(p.part(second, title, sql), lock)
	s.saves, s.forgets = []record{p.record(ir.ChangeObject(second))}, []ir.ObjectID{ir.ChangeObject(first)}
	s.Undo, _, _ = renaming(second, first)
	if s.Undo == "" {
		s.Undo = "give it the old name again"
	}
	p.alone(s)
	return true
}

// renaming spells the new name of what one change drops and the next makes,
// when the two say the same.
func renaming(first, second ir.Change) (sql, lock string, ok bool) {
	switch old := first.(type) {
	case ir.DropConstraint:
		now, same := second.(ir.AddConstraint)
		if !same || now.Table != old.Table || !sameConstraint(old.Constraint, now.Constraint) {
			return "", "", false
		}
		return postgres.RenameConstraint(old.Table, old.Constraint.ConstraintName(), now.Constraint.ConstraintName()), accessExclusive, true
	case ir.DropIndex:
		now, same := second.(ir.CreateIndex)
		if !same || now.Table != old.Table || old.Index.Name == now.Index.Name || old.Index.Invalid ||
			old.Index.Printed == "" || old.Index.Printed != now.Index.Printed {
			return "", "", false
		}
		return postgres.RenameIndex(old.Table.Schema, old.Index.Name, now.Index.Name), shareUpdateExclusive, true
	}
	return "", "", false
}

// sameConstraint reports whether two constraints differ in nothing but the name,
// and the first is proven.
func sameConstraint(a, b ir.Constraint) bool {
	switch c := a.(type) {
	case ir.Check:
		if c.Invalid {
			return false
		}
	case ir.ForeignKey:
		if c.Invalid {
			return false
		}
	}
	return a.ConstraintName() != b.ConstraintName() && constraintWord(a) == constraintWord(b) &&
		printOf(a) != "" && printOf(a) == printOf(b)
}

// noun is what kind of thing a drop is about.
func noun(drop ir.Change) string {
	switch c := drop.(type) {
	case ir.DropConstraint:
		return constraintWord(c.Constraint)
	case ir.DropIndex:
		if c.Index.Unique {
			return "unique index"
		}
	}
	return string(ir.ChangeObject(drop).Kind)
}
