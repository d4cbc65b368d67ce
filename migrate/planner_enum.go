package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// addEnumValue commits at once: a value that was added can be used only after
// its transaction.
func (p *planner) addEnumValue(c ir.AddEnumValue) {
	p.alone(p.step(c))
}

// replaceEnum plans an enum that loses values or changes their order. PostgreSQL
// does neither to a type, so a new one takes its place: everything that mentions
// the type goes, the columns change over by the text of their values, and what
// is wanted comes back, all in one transaction. Rows that hold a value that goes
// are looked for first: they stop the plan, and are never changed by it.
func (p *planner) replaceEnum(drop ir.DropEnum, create ir.CreateEnum) {
	p.replaced(create)
	users := p.usersOf(drop.Enum)
	for _, u := range users {
		p.search(create, u.holders(create.Enum, drop.Enum))
		p.underFormula(create, u.id())
	}
	p.hazards = append(p.hazards, p.enumHazard(drop.Enum, create, users))

	id := ir.ChangeObject(create)
	old := p.spareName(id)
	var steps []Step
	add := func(c ir.Change, title string, sql ...string) *Step {
		steps = append(steps, locked(p.part(c, title, sql...), accessExclusive))
		return &steps[len(steps)-1]
	}
	keys := p.keysOf(users)
	for _, gone := range keys {
		steps = append(steps, p.removal(gone))
		p.settled[ir.ChangeObject(gone)] = true
	}
	for _, t := range tablesOf(users) {
		for _, gone := range textual(t) {
			steps = append(steps, p.removal(gone))
			p.settled[ir.ChangeObject(gone)] = true
		}
	}
	swap := add(create, describeAnew(create), append([]string{postgres.RenameType(id.Schema, id.Name, old)}, postgres.Statements(create)...)...)
	swap.Lock, swap.Blocks = noLock, BlocksNothing
	swap.saves = []record{p.record(id)}
	for _, u := range users {
		add(ir.AlterColumn{Table: u.table.Ref(), From: u.column, To: u.column}, "change "+u.id().SQL()+" over", u.changeOver(p.tables[u.table.Ref()])...).Rewrite = true
	}
	for _, t := range tablesOf(users) {
		for _, back := range p.comeBack(t) {
			s := add(back, describe(back), postgres.Statements(back)...)
			s.saves, _ = p.records(back)
		}
	}
	var proofs []ir.ValidateConstraint
	for _, gone := range keys {
		back, ok := p.keyAgain(gone)
		if !ok {
			p.line(gone)
			p.ends(gone)
			continue
		}
		s := add(back, describe(back)+", for new rows", addNotValid(back))
		s.saves, _ = p.records(back)
		p.settled[ir.ChangeObject(back)] = true
		proofs = append(proofs, ir.ValidateConstraint(back))
	}
	dropped := drop
	dropped.Enum.Name = old
	add(dropped, "drop the old type", postgres.Statements(dropped)...).Lock = noLock
	p.alone(steps...)
	for _, proof := range proofs {
		p.proof(proof)
	}
}

// keysOf lists the drops of the foreign keys over columns of an enum's type:
// between the changes of their two sides PostgreSQL has no operator for them. A
// foreign key that an earlier step dropped is not among them.
func (p *planner) keysOf(users []enumUser) (drops []ir.DropConstraint) {
	for i := range p.had.Tables {
		t := &p.had.Tables[i]
		for _, k := range t.ForeignKeys {
			drop := ir.DropConstraint{Table: t.Ref(), Constraint: k}
			mentions := slices.ContainsFunc(users, func(u enumUser) bool {
				return u.table.Ref() == t.Ref() && slices.Contains(k.Columns, u.column.Name)
			})
			if mentions && !p.settled[ir.ChangeObject(drop)] {
				drops = append(drops, drop)
			}
		}
	}
	return drops
}

// keyAgain is the creation of the foreign key that a dropped one becomes: that
// of its name, or one that says the same.
func (p *planner) keyAgain(gone ir.DropConstraint) (ir.AddConstraint, bool) {
	want := p.tables[gone.Table]
	if want == nil {
		return ir.AddConstraint{}, false
	}
	i := slices.IndexFunc(want.ForeignKeys, func(k ir.ForeignKey) bool {
		return k.Name == gone.Constraint.ConstraintName() || sameConstraint(gone.Constraint, k)
	})
	if i < 0 {
		return ir.AddConstraint{}, false
	}
	return ir.AddConstraint{Table: gone.Table, Constraint: want.ForeignKeys[i]}, true
}

// enumUser is a column of an enum's type, as it stands.
type enumUser struct {
	table  *ir.Table
	column ir.Column // its type is the enum, or an array of it
}

func (u enumUser) id() ir.ObjectID { return u.table.ID(ir.ColumnObject, u.column.Name) }

// usersOf lists the project's columns of an enum's type.
func (p *planner) usersOf(e ir.Enum) []enumUser {
	var users []enumUser
	enum := ir.Type{Kind: ir.EnumType, Schema: e.Schema, Name: e.Name}
	for _, typ := range []ir.Type{enum, {Kind: ir.ArrayType, Elem: &enum}} {
		for i := range p.had.Tables {
			t := &p.had.Tables[i]
			for _, c := range t.Columns {
				if c.Printed.Type == typ.SQL() {
					c.Type = typ
					users = append(users, enumUser{t, c})
				}
			}
		}
	}
	return users
}

func tablesOf(users []enumUser) []*ir.Table {
	var tables []*ir.Table
	for _, u := range users {
		if !slices.Contains(tables, u.table) {
			tables = append(tables, u.table)
		}
	}
	return tables
}

// holders is a probe for rows that hold a value that goes.
func (u enumUser) holders(now, was ir.Enum) *probe {
	var gone []string
	for _, value := range was.Values {
		if !slices.Contains(now.Values, value) {
			gone = append(gone, ir.Literal(value))
		}
	}
	values := "ARRAY[" + strings.Join(gone, ", ") + "]::text[]"
	name := ir.Ident(u.column.Name)
	where := name + "::text = ANY (" + values + ")"
	if u.column.Type.Kind == ir.ArrayType {
		where = name + "::text[] && " + values
	}
	return &probe{
		object: u.id(), origin: now.Origin, one: "1 row of " + u.table.Ref().SQL() + " holds a value that goes",
		many:  "%d rows of " + strings.ReplaceAll(u.table.Ref().SQL(), "%", "%%") + " hold a value that goes",
		query: "SELECT " + keyOrAll(u.table) + " FROM " + u.table.Ref().SQL() + " WHERE " + where,
	}
}

// textual lists the drops of what stands on a table and may mention a type:
// conditions, expressions and predicates.
func textual(t *ir.Table) []ir.Change {
	var drops []ir.Change
	for _, g := range t.Triggers {
		if g.When != "" {
			drops = append(drops, ir.DropTrigger{Table: t.Ref(), Trigger: g})
		}
	}
	for _, e := range t.Excludes {
		drops = append(drops, ir.DropConstraint{Table: t.Ref(), Constraint: e})
	}
	for _, c := range t.Checks {
		drops = append(drops, ir.DropConstraint{Table: t.Ref(), Constraint: c})
	}
	for _, i := range t.Indexes {
		if !plainIndex(i) {
			drops = append(drops, ir.DropIndex{Table: t.Ref(), Index: i})
		}
	}
	return drops
}

// comeBack lists the creations of what textual took away and is still wanted.
// The changes that the diff found for the same objects are settled by that.
func (p *planner) comeBack(t *ir.Table) []ir.Change {
	want := p.tables[t.Ref()]
	if want == nil {
		return nil
	}
	var creations []ir.Change
	gone := textual(t)
	add := func(kind ir.ObjectKind, name string, c ir.Change) {
		renamed := slices.ContainsFunc(gone, func(drop ir.Change) bool {
			_, _, ok := renaming(drop, c)
			return ok
		})
		if p.settled[want.ID(kind, name)] || renamed {
			creations = append(creations, c)
			p.settled[want.ID(kind, name)] = true
		}
	}
	for _, e := range want.Excludes {
		add(ir.ConstraintObject, e.Name, ir.AddConstraint{Table: t.Ref(), Constraint: e})
	}
	for _, c := range want.Checks {
		add(ir.ConstraintObject, c.Name, ir.AddConstraint{Table: t.Ref(), Constraint: c})
	}
	for _, i := range want.Indexes {
		add(ir.IndexObject, i.Name, ir.CreateIndex{Table: t.Ref(), Index: i})
	}
	for _, g := range want.Triggers {
		add(ir.TriggerObject, g.Name, ir.CreateTrigger{Table: t.Ref(), Trigger: g})
	}
	return creations
}

// changeOver spells how a column gets the new type. Its default is the wanted
// one, where the column is wanted.
func (u enumUser) changeOver(want *ir.Table) []string {
	bare := u.column
	bare.Default = ""
	var sql []string
	if u.column.Default != "" {
		sql = postgres.Statements(ir.AlterColumn{Table: u.table.Ref(), From: u.column, To: bare})
	}
	sql = append(sql, postgres.ThroughText(u.table.Ref(), u.column))
	if want == nil {
		return sql
	}
	i := slices.IndexFunc(want.Columns, func(c ir.Column) bool { return c.Name == u.column.Name })
	if i >= 0 && want.Columns[i].Default != "" && want.Columns[i].Type.Equal(u.column.Type) {
		sql = append(sql, postgres.SetDefault(u.table.Ref(), u.column.Name, want.Columns[i].Default))
	}
	return sql
}

func (p *planner) enumHazard(was ir.Enum, create ir.CreateEnum, users []enumUser) Hazard {
	var names []string
	rows := int64(0)
	for _, t := range tablesOf(users) {
		size, measured := p.facts.tables[t.Ref()]
		if !measured {
			size.rows, size.bytes = t.Rows, t.Bytes
		}
		names = append(names, t.Ref().SQL()+" ("+estimate(size)+")")
		if size.rows < 0 || rows < 0 {
			rows = -1
		} else {
			rows += size.rows
		}
	}
	text := fmt.Sprintf("the values of %s become %q instead of %q", ir.ChangeObject(create).SQL(), create.Enum.Values, was.Values)
	if len(names) > 0 {
		text += "; locked for reads and writes while they are written anew: " + strings.Join(names, ", ")
	}
	h := p.hazard(HazardDrop, create, rows, text)
	h.Allow = "drop=" + addressOf(create)
	return h
}
