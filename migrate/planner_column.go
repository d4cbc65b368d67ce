package migrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

func (p *planner) addColumn(c ir.AddColumn) {
	size := p.facts.tables[c.Table]
	s := p.locking(c, accessExclusive)
	switch {
	case size.empty, p.regroups[c.Table]:
	case !c.Column.Null && c.Column.Default == "" && c.Column.Identity == ir.NoIdentity && c.Column.Generated == "":
		h := p.hazard(HazardBlocked, c, size.rows, fmt.Sprintf(
			"%s has rows, and the new column %s allows no NULL and has no default: those rows would have no value",
			c.Table.SQL(), ir.Ident(c.Column.Name)))
		h.Help = "give the column a default; or add it with null = true, fill it, and take null = true away"
		p.hazards = append(p.hazards, h)
	case p.facts.rewrites[ir.ChangeObject(c)]:
		p.rewrite(&s, c, whyRewritten(c.Column))
	}
	p.alone(s)
}

func whyRewritten(c ir.Column) string {
	if c.Generated != "" {
		return "the server computes the new column for each row"
	}
	if c.Type.Kind == ir.DomainType {
		return "the domain of the new column has checks, and each row is asked for them"
	}
	return "its default is another for each row"
}

// rewrite marks a step that writes its table anew.
func (p *planner) rewrite(s *Step, c ir.Change, why string) {
	s.Rewrite, s.Scans = true, true
	size := p.facts.tables[s.Table]
	h := p.hazard(HazardRewrite, c, size.rows, fmt.Sprintf("%s is locked for reads and writes while it is written anew (%s): %s",
		s.Table.SQL(), estimate(size), why))
	h.Allow = "rewrite=" + addressOf(c)
	p.hazards = append(p.hazards, h)
}

// alterColumn makes a column's changes in up to three parts: what new rows need
// first, then the proof that no old row holds NULL, then identity, which wants
// that proof.
func (p *planner) alterColumn(c ir.AlterColumn) {
	p.line(c)
	p.incomputable(c)
	prove := c.From.Null && !c.To.Null && !p.facts.tables[c.Table].empty
	identify := c.From.Identity == ir.NoIdentity && c.To.Identity != ir.NoIdentity
	mid := c.To
	if prove {
		mid.Null = true
	}
	if identify && prove {
		mid.Identity = ir.NoIdentity
	}
	if first := (ir.AlterColumn{Table: c.Table, From: c.From, To: mid}); len(postgres.Statements(first)) > 0 {
		s := p.alterStep(first)
		if identify && !prove && !p.facts.tables[c.Table].empty {
			s.SQL = append(s.SQL, postgres.AdvanceIdentity(c.Table, c.To.Name))
		}
		p.alone(s)
	}
	if !prove {
		return
	}
	p.proveNotNull(c)
	if identify {
		mid.Null = false
		s := p.alterStep(ir.AlterColumn{Table: c.Table, From: mid, To: c.To})
		s.SQL = append(s.SQL, postgres.AdvanceIdentity(c.Table, c.To.Name))
		p.alone(s)
	}
}

// alterStep is one ALTER TABLE for a column.
func (p *planner) alterStep(c ir.AlterColumn) Step {
	s := locked(p.part(c, describe(c), postgres.Statements(c)...), accessExclusive)
	s.saves = []record{p.record(ir.ChangeObject(c))}
	s.Undo = undo(c)
	p.lossy(c)
	p.recompute(&s, c)
	if !c.From.Type.Equal(c.To.Type) && p.facts.rewrites[ir.ChangeObject(c)] && !p.facts.tables[c.Table].empty {
		p.rewrite(&s, c, fmt.Sprintf("%s and %s are not stored alike", c.From.Type.SQL(), c.To.Type.SQL()))
	}
	return s
}

// incomputable stops a change that the server cannot make to a generated column,
// or to what one is made of.
func (p *planner) incomputable(c ir.AlterColumn) {
	id := ir.ChangeObject(c)
	instead := "declare a generated column of another name, let readers use it, and take this one away"
	reckoned := c.To.Generated != "" && c.From.Generated != c.To.Generated
	if reckoned && c.From.Generated == "" {
		p.blocked(c, id.SQL()+" holds values of its own, and PostgreSQL makes no such column a generated one", instead)
	} else if reckoned && p.server < 17 {
		p.blocked(c, "PostgreSQL "+strconv.Itoa(p.server)+" cannot change what "+id.SQL()+" is computed from; PostgreSQL 17 and later can", instead)
	}
	if c.Retyped() {
		p.underFormula(c, id)
	}
}

// underFormula stops a change of the type of a column that a generated one is
// made of.
func (p *planner) underFormula(c ir.Change, id ir.ObjectID) {
	if of := p.computedFrom(id); of != "" {
		p.blocked(c, "the generated column "+of+" is made of "+id.SQL()+", and PostgreSQL changes no type under it (0A000)",
			"take the generated column away, change the type, and declare it again")
	}
}

// blocked adds the hazard of a change that cannot be made this way.
func (p *planner) blocked(c ir.Change, text, help string) {
	h := p.hazard(HazardBlocked, c, -1, text)
	h.Help = help
	p.hazards = append(p.hazards, h)
}

// recompute marks the change of a formula or a collation.
func (p *planner) recompute(s *Step, c ir.AlterColumn) {
	if p.facts.tables[c.Table].empty {
		return
	}
	if c.From.Generated != "" && c.To.Generated != "" && c.From.Generated != c.To.Generated {
		p.rewrite(s, c, "the server computes the column for each row")
	}
	if c.From.Collation != c.To.Collation {
		p.rewrite(s, c, "texts have another order, and every index on the column is built anew")
	}
}

// computedFrom names a generated column that stands and is made of another one.
func (p *planner) computedFrom(id ir.ObjectID) string {
	var names []string
	for user, of := range p.uses {
		if user.Kind == ir.ColumnObject && slices.Contains(of, id) {
			names = append(names, ir.Ident(user.Name))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// proveNotNull spares the table the scan under a lock that stops everybody: a
// check binds new rows, is proved beside the writers, and then vouches for NOT
// NULL.
func (p *planner) proveNotNull(c ir.AlterColumn) {
	id := ir.ChangeObject(c)
	check := ir.Check{Name: p.spareName(id), Expr: ir.Ident(c.To.Name) + " IS NOT NULL"}
	spare := p.spare(ir.AddConstraint{Table: c.Table, Constraint: check}, check.Name)
	spare.Address = c.To.Origin.Address

	add := locked(p.part(c, "refuse NULL in new rows of "+id.SQL(), postgres.AddNotValid(c.Table, check)), accessExclusive)
	add.saves = []record{spare}
	p.alone(add)

	validate := ir.ValidateConstraint{Table: c.Table, Constraint: check}
	proof := locked(p.part(c, "prove that no row has NULL in "+id.SQL(), postgres.Statements(validate)...), shareUpdateExclusive)
	proof.Scans, proof.probe = true, missing(p.tables[c.Table], c.To)
	p.alone(proof)

	drop := ir.DropConstraint{Table: c.Table, Constraint: check}
	set := locked(p.part(c, "set NOT NULL for "+id.SQL(),
		append([]string{postgres.SetNotNull(c.Table, c.To.Name)}, postgres.Statements(drop)...)...), accessExclusive)
	set.saves, set.forgets = []record{p.record(id)}, []ir.ObjectID{spare.ID}
	set.Undo = undo(c)
	p.alone(set)
}

// retypeRun counts the changes at the start of a list that belong to the new
// type of a column: drops of what cannot be carried over, new types, creations
// of what was dropped. Other changes of columns have no part in it.
func retypeRun(changes []ir.Change) int {
	table := ir.ChangeObject(changes[0])
	dropped := map[string]bool{}
	altered, made := false, false
	for n, change := range changes {
		id := ir.ChangeObject(change)
		if id.Schema != table.Schema || id.Table != table.Table {
			return runLength(altered, n)
		}
		switch c := change.(type) {
		case ir.DropTrigger, ir.DropConstraint, ir.DropIndex:
			if altered {
				return runLength(altered, n)
			}
			dropped[id.Name] = true
		case ir.AlterColumn:
			if n == 0 || len(dropped) == 0 {
				return 0
			}
			if made || !c.Retyped() {
				return runLength(altered, n)
			}
			altered = true
		case ir.CreateTrigger, ir.AddConstraint, ir.CreateIndex:
			if !altered || !dropped[id.Name] {
				return runLength(altered, n)
			}
			made = true
		default:
			return runLength(altered, n)
		}
	}
	return runLength(altered, len(changes))
}

func runLength(altered bool, n int) int {
	if !altered {
		return 0
	}
	return n
}

// retype plans such a run in one transaction: there is no moment in which what
// was dropped for the new type is missing.
func (p *planner) retype(run []ir.Change) {
	var steps []Step
	for _, change := range run {
		switch c := change.(type) {
		case ir.AlterColumn:
			p.line(c)
			p.incomputable(c)
			steps = append(steps, p.alterStep(c))
		case ir.DropTrigger, ir.DropConstraint, ir.DropIndex:
			if !p.wanted(change) {
				p.line(change)
				p.ends(change)
			}
			steps = append(steps, p.removal(change))
		default:
			s := locked(p.part(change, describe(change), postgres.Statements(change)...), accessExclusive)
			s.saves, _ = p.records(change)
			steps = append(steps, s)
		}
	}
	p.alone(steps...)
}

// wanted reports whether the object of a change is wanted, so that its drop is
// no end.
func (p *planner) wanted(c ir.Change) bool {
	_, ok := p.objects[ir.ChangeObject(c)]
	return ok
}
