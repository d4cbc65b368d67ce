package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
)

// mutantWithout makes a mutant for each object of a kind that an invariant rests
// on: "unique", "exclude", "check", "trigger", "foreign key".
func mutantWithout(x *index, objects []ir.ObjectID, kind string) []mutant {
	var list []mutant
	for _, id := range objects {
		table := x.tables[ir.TableRef{Schema: id.Schema, Name: id.Table}]
		if table == nil {
			if m, ok := x.withoutDomainCheck(id.Schema, id.Table, id.Name); ok && kind == "check" {
				list = append(list, m)
			}
			continue
		}
		if m, ok := x.withoutObject(table, id, kind); ok {
			list = append(list, m)
		}
	}
	return list
}

func (x *index) withoutObject(t *ir.Table, id ir.ObjectID, kind string) (mutant, bool) {
	//exhaustive:enforce
	switch id.Kind {
	case ir.ConstraintObject:
		for _, c := range slices.Concat(t.Constraints(), foreignKeys(t)) {
			if c.ConstraintName() == id.Name && constraintKind(c) == kind {
				return x.withoutConstraint(t, c), true
			}
		}
	case ir.IndexObject:
		for _, i := range t.Indexes {
			if i.Name == id.Name && i.Unique && kind == "unique" {
				return dropping(id.Name, "without the unique index", ir.DropIndex{Table: t.Ref(), Index: i}, ir.CreateIndex{Table: t.Ref(), Index: i}), true
			}
		}
	case ir.TriggerObject:
		for _, g := range t.Triggers {
			if g.Name == id.Name && kind == "trigger" {
				return withoutTrigger(t, g), true
			}
		}
	case ir.NamespaceObject, ir.ExtensionObject, ir.EnumObject, ir.DomainObject, ir.FunctionObject, ir.TableObject, ir.ColumnObject:
	}
	return mutant{}, false
}

// withoutDomainCheck drops a check of a domain.
func (x *index) withoutDomainCheck(schema, domain, name string) (mutant, bool) {
	for _, d := range x.program.Schema.Domains {
		if d.Schema != schema || d.Name != domain {
			continue
		}
		for _, c := range d.Checks {
			if c.Name == name {
				return dropping(name, "without the check "+name+" of the domain "+ir.Qualified(schema, domain),
					ir.DropDomainCheck{Domain: d, Check: c}, ir.AddDomainCheck{Domain: d, Check: c}), true
			}
		}
	}
	return mutant{}, false
}

// withoutCheck drops the check that a guard was derived from: one of the table, or
// one of a domain.
func (x *index) withoutCheck(t ir.TableRef, name string) []mutant {
	for _, c := range x.tables[t].Checks {
		if c.Name == name {
			return []mutant{x.withoutConstraint(x.tables[t], c)}
		}
	}
	for _, d := range x.program.Schema.Domains {
		if m, ok := x.withoutDomainCheck(d.Schema, d.Name, name); ok {
			return []mutant{m}
		}
	}
	return nil
}

func foreignKeys(t *ir.Table) []ir.Constraint {
	var list []ir.Constraint
	for _, k := range t.ForeignKeys {
		list = append(list, k)
	}
	return list
}

func constraintKind(c ir.Constraint) string {
	switch c.(type) {
	case ir.Unique, ir.PrimaryKey:
		return "unique"
	case ir.Exclude:
		return "exclude"
	case ir.Check:
		return "check"
	case ir.ForeignKey:
		return "foreign key"
	}
	return ""
}

// kindNames is how a reader calls a kind of constraint.
var kindNames = map[string]string{
	"unique": "unique constraint", "exclude": "exclusion constraint", "check": "check", "foreign key": "foreign key",
}

// withoutConstraint drops a constraint, and the foreign keys that stand on it.
func (x *index) withoutConstraint(t *ir.Table, c ir.Constraint) mutant {
	m := dropping(c.ConstraintName(), "without the "+kindNames[constraintKind(c)]+" "+c.ConstraintName(),
		ir.DropConstraint{Table: t.Ref(), Constraint: c}, ir.AddConstraint{Table: t.Ref(), Constraint: c})
	for _, child := range x.children(t.Ref()) {
		if constraintKind(c) == "unique" && slices.Equal(child.key.RefColumns, constraintColumns(c)) {
			m.drop = append([]ir.Change{ir.DropConstraint{Table: child.table, Constraint: child.key}}, m.drop...)
			m.restore = append(m.restore, ir.AddConstraint{Table: child.table, Constraint: child.key})
		}
	}
	return m
}

func constraintColumns(c ir.Constraint) []string {
	switch c := c.(type) {
	case ir.Unique:
		return c.Columns
	case ir.PrimaryKey:
		return c.Columns
	}
	return nil
}

// tooStrict lets one row into the table, whatever its values.
func tooStrict(t ir.TableRef) mutant {
	one := ir.Index{Name: "pawl_verify_one", Unique: true, Method: "btree", Parts: []ir.IndexPart{{Expr: "true"}}}
	return mutant{
		id: "too-strict", name: "with a constraint that refuses more than was declared", strict: true,
		drop: []ir.Change{ir.CreateIndex{Table: t, Index: one}}, restore: []ir.Change{ir.DropIndex{Table: t, Index: one}},
		diff: []string{"+CREATE UNIQUE INDEX ON " + t.SQL() + " ((true))"},
	}
}

func withoutTrigger(t *ir.Table, g ir.Trigger) mutant {
	return dropping(g.Name, "without the trigger "+g.Name, ir.DropTrigger{Table: t.Ref(), Trigger: g}, ir.CreateTrigger{Table: t.Ref(), Trigger: g})
}

// dropping is a mutant that takes an object away from the database.
func dropping(id, name string, drop, restore ir.Change) mutant {
	m := mutant{id: "without-" + id, name: name, drop: []ir.Change{drop}, restore: []ir.Change{restore}}
	for _, sql := range postgres.Statements(restore) {
		for line := range strings.Lines(sql) {
			m.diff = append(m.diff, "-"+strings.TrimRight(line, "\n"))
		}
	}
	return m
}

// edited makes a mutant out of an edit of a statement.
func edited(id, name string, op *ir.Operation, s *ir.Statement, e pgsql.Edit, added ...string) mutant {
	m := mutant{id: id, name: name, statements: []replacement{{op.Address, s.Role, e.SQL}}, columns: e.Columns}
	m.diff = append(m.diff, " /* "+op.Address+", "+string(s.Role)+" */", "-"+e.Removed)
	for _, line := range added {
		m.diff = append(m.diff, "+"+line)
	}
	return m
}

// rewriting makes a mutant of each edit that a rewrite makes of a compiled
// statement; name gives its ID and its name, an empty ID to leave it out, and the
// lines that stand in place of what went away. A statement that cannot be
// rewritten is a mutant that cannot be tried: it is reported, not passed over.
func rewriting(op *ir.Operation, role ir.Role, rewrite func(*pgsql.Statement) ([]pgsql.Edit, error),
	name func(n int, e pgsql.Edit) (id, name string, added []string),
) []mutant {
	s := op.Statement(role)
	if s == nil {
		return nil
	}
	var edits []pgsql.Edit
	tree, err := pgsql.ParseStatement(s.SQL)
	if err == nil {
		edits, err = rewrite(tree)
	}
	var list []mutant
	for _, e := range edits {
		if id, called, added := name(len(list)+1, e); id != "" {
			list = append(list, edited(id, called, op, s, e, added...))
		}
	}
	if err != nil {
		list = append(list, mutant{id: "unwritten-" + string(role), name: "a change of the statement that could not be written", err: err})
	}
	return list
}

// withoutGuards makes a mutant for each condition of a statement that is not
// about which row is meant.
func withoutGuards(op *ir.Operation, role ir.Role, key []string) []mutant {
	return rewriting(op, role, (*pgsql.Statement).WithoutConjuncts, func(n int, e pgsql.Edit) (string, string, []string) {
		if onlyKey(e, key) {
			return "", "", nil
		}
		return "without-condition-" + strconv.Itoa(n), "without the condition " + e.Removed, nil
	})
}

// guardsAskedApart moves each condition into a sub-select, where READ COMMITTED
// does not ask it again.
func guardsAskedApart(op *ir.Operation, role ir.Role, key []string) []mutant {
	if len(key) == 0 {
		return nil
	}
	apart := func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.ConjunctsInSubselect(key) }
	return rewriting(op, role, apart, func(n int, e pgsql.Edit) (string, string, []string) {
		if onlyKey(e, key) || len(e.Columns) == 0 {
			return "", "", nil
		}
		return "apart-condition-" + strconv.Itoa(n), "with the condition " + e.Removed + " asked in a sub-select", []string{"(SELECT " + e.Removed + " FROM …)"}
	})
}

// withoutRowLocks makes a mutant for each lock that a statement takes on rows it
// reads; id gives the n-th its ID.
func withoutRowLocks(op *ir.Operation, role ir.Role, id func(n int) string) []mutant {
	return rewriting(op, role, (*pgsql.Statement).WithoutRowLocks, func(n int, e pgsql.Edit) (string, string, []string) {
		return id(n), "without " + e.Removed, nil
	})
}

// withoutLock is the ID of the one lock that a statement takes.
func withoutLock(int) string { return "without-lock" }

// withRowLocks makes a mutant for each lock that a statement takes on rows it
// reads, with another strength.
func withRowLocks(op *ir.Operation, role ir.Role, strength string) []mutant {
	other := func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithRowLocks(strength) }
	return rewriting(op, role, other, func(_ int, e pgsql.Edit) (string, string, []string) {
		return "with-" + word(strength), "with " + strength + " instead of " + e.Removed, []string{strength}
	})
}

// withoutAnyGuard leaves out every condition that is not about which row is
// meant.
func withoutAnyGuard(op *ir.Operation, role ir.Role, key []string) (mutant, bool) {
	s := op.Statement(role)
	if s == nil {
		return mutant{}, false
	}
	m := mutant{id: "without-any-condition", name: "without any condition", diff: []string{" /* " + op.Address + ", " + string(role) + " */"}}
	sql := s.SQL
	for {
		tree, err := pgsql.ParseStatement(sql)
		if err != nil {
			return mutant{}, false
		}
		edits, err := tree.WithoutConjuncts()
		i := slices.IndexFunc(edits, func(e pgsql.Edit) bool { return !onlyKey(e, key) })
		if err != nil || i < 0 {
			break
		}
		sql = edits[i].SQL
		m.diff = append(m.diff, "-"+edits[i].Removed)
	}
	m.statements = []replacement{{op.Address, role, sql}}
	return m, len(m.diff) > 1
}

// onlyKey reports a condition that names the row.
func onlyKey(e pgsql.Edit, key []string) bool {
	if len(e.Columns) == 0 {
		return false
	}
	for _, c := range e.Columns {
		if !slices.Contains(key, c) {
			return false
		}
	}
	return true
}

// withoutRowCount is a client that takes zero rows for success.
func withoutRowCount(op *ir.Operation) mutant {
	return mutant{
		id: "without-row-count", name: "without looking at the row count", without: client.Without{RowCount: true},
		diff: []string{" /* " + op.Address + " */", "-if no row came back, say why", "+take zero rows for success"},
	}
}
