package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// tooFew is the SQLSTATE that our triggers raise when a group would be left
// without a row that it needs.
const tooFew = "PW004"

// least is an at_least_one block, or the lower half of an exactly_one block,
// after its checks.
type least struct {
	decl      *dsl.Cardinality
	label     string
	address   string
	name      string // what its objects are named after, and a violation is reported as
	per       []*column
	where     *expression
	parent    *table
	reference *reference
	key       []string // columns of parent, in the order of per
	touched   *column  // of parent: written as it is, so that the row is really updated
	facts     *ir.Facts
}

// atLeastOnes compiles the lower bounds of a table. It runs when all foreign keys
// are known: the group is a row of another table.
func (c *compilation) atLeastOnes(t *table) {
	for _, decl := range t.decl.Cardinals {
		if decl.Kind == "at_most_one" {
			continue
		}
		l := &least{decl: decl, label: labelOf(decl.Block, decl.Rename), address: inside(t.address, decl.Kind, decl.Block)}
		l.name = derivedName(t.ref.Name, decl.Name.Text, decl.Rename)
		if decl.Kind == "exactly_one" {
			l.address, l.name = under(l.address, "at_least_one"), l.name+"_least"
		}
		if c.leastParts(t, l) && c.leastParent(t, l) {
			c.lowerLeast(t, l)
		}
	}
}

// leastParts reads the group and which rows of it are meant.
func (c *compilation) leastParts(t *table, l *least) bool {
	var ok, readable bool
	l.per, ok = c.lookupAll(t, l.decl.Per)
	l.where, readable = c.where(t, l.decl.Where)
	if !ok || !readable || len(l.per) == 0 {
		return false
	}
	if l.where == nil {
		return true
	}
	for _, name := range columnsOf(l.where.Expr) {
		if col := t.byName[name]; col != nil && col.typ.Kind == ir.OtherType {
			c.report(diag.Diagnostic{
				Code:        diag.GroupColumn,
				Detail:      "The column " + quote(col.name) + " of type " + col.typ.SQL() + " stands in the where of " + l.decl.Kind + " " + quote(l.label) + ".",
				Subject:     l.where.source.Range,
				Label:       col.typ.SQL(),
				Consequence: "A trigger's function sees pg_catalog alone, where the type's own operators are not: it would compare otherwise than a query does.",
				Help:        "use a column of a type that pawl knows",
			})
			return false
		}
	}
	return true
}

// leastParent finds the row that stands for the group: whoever takes a row away
// writes it before looking.
func (c *compilation) leastParent(t *table, l *least) bool {
	decl := l.decl
	parent := c.referred(decl.Parent)
	if parent == nil {
		return false // reported by dsl
	}
	d := diag.Diagnostic{
		Code: diag.GroupParent, Subject: decl.Parent.Range,
		Consequence: "Two clients who each take away one of the last two rows both see the other's: they have to meet on a row that stands for the group.",
	}
	i := slices.IndexFunc(t.parents, func(r *reference) bool { return r.parent == parent && sameNames(r.columns, columnList(l.per)) })
	switch {
	case parent.theirs:
		d.Detail = "The table " + quote(parent.label) + " belongs to others, and nothing is put on it."
		d.Help = "keep the group in a table of the project"
	case parent == t:
		d.Detail = "The parent is the table itself."
		d.Help = "keep the group in a table of its own"
	case i < 0:
		d.Detail = "No foreign key of " + quote(t.label) + " leads from " + and(columnList(l.per)) + " to " + quote(parent.label) + "."
		d.Help = "declare it: foreign_key \"" + parent.label + "\" {\n  columns    = [" + strings.Join(columnList(l.per), ", ") + "]\n  references = table." + parent.label + "\n}"
	case parent.appendOnly():
		d.Detail = "Rows of " + quote(parent.label) + " never change."
		d.Related = []diag.Related{{Range: parent.decl.AppendOnly.Range, Text: "append_only = true"}}
		d.Help = "leave append_only out of the parent"
	default:
		r := t.parents[i]
		l.parent, l.reference = parent, r
		for _, name := range columnList(l.per) {
			l.key = append(l.key, r.target[slices.Index(r.columns, name)])
		}
		if l.touched = touchable(parent, l.key); l.touched != nil {
			return true
		}
		d.Detail = "The table " + quote(parent.label) + " has no column that an UPDATE can name: the server alone numbers them."
		d.Help = "write identity = \"by default\", or give the table another column"
	}
	c.report(d)
	return false
}

// touchable is a column that a statement may write as it is: one of the key, so
// that no other trigger takes it for a change, else any.
func touchable(t *table, key []string) *column {
	free := func(col *column) bool { return col.schema.Identity != ir.IdentityAlways }
	for _, name := range key {
		if col := t.byName[name]; free(col) {
			return col
		}
	}
	if i := slices.IndexFunc(t.columns, free); i >= 0 {
		return t.columns[i]
	}
	return nil
}

// lowerLeast puts the triggers on both tables and records what was decided.
func (c *compilation) lowerLeast(t *table, l *least) {
	inv := &ir.AtLeastOne{
		Per: columnList(l.per), Where: conditionSQL(l.where), Parent: l.parent.ref, Key: l.key, Touched: l.touched.name,
		Base: ir.Facts{
			Address: l.address, Kind: l.decl.Kind, Table: t.ref,
			Promise:   "Every row of " + l.parent.ref.Name + " has at least one " + l.rows(t) + ".",
			Mechanism: "deferred triggers " + l.name + "_… on both tables, which update the row of " + l.parent.ref.Name + " and then look, at COMMIT",
			Reasons:   l.reasons(t),
			Violators: l.violators(t),
			Pos:       pos(l.decl.Header),
		},
	}
	inv.Base.Objects = c.lowerLeastTriggers(t, l, ir.Origin{Address: l.address, Pos: pos(l.decl.Header)})
	l.facts = &inv.Base
	t.leasts = append(t.leasts, l)
	l.parent.members = append(l.parent.members, l)
	t.invariants = append(t.invariants, inv)
}

func (l *least) rows(t *table) string {
	rows := "row of " + t.ref.Name
	if l.where != nil {
		rows += " where " + l.where.SQL()
	}
	return rows
}

// counted is the condition under which a row is one that the group needs.
func (l *least) counted(record string) string {
	var list []string
	for _, col := range l.per {
		list = append(list, record+"."+ir.Ident(col.name)+" IS NOT NULL")
	}
	if l.where != nil {
		list = append(list, "("+l.where.OverRecord(record).SQL()+")")
	}
	return strings.Join(list, " AND ")
}

// leaves is the condition under which an UPDATE takes a row from its group.
func (l *least) leaves() string {
	var ways []string
	for _, col := range l.per {
		name := ir.Ident(col.name)
		ways = append(ways, "OLD."+name+" IS DISTINCT FROM NEW."+name)
	}
	if l.where != nil {
		ways = append(ways, "("+l.where.OverRecord("NEW").SQL()+") IS NOT TRUE")
	}
	return l.counted("OLD") + " AND (" + strings.Join(ways, " OR ") + ")"
}

// parentTriggers are those of the groups: for one that is new, and for one that is
// given another key, where the foreign key then takes its rows away.
func (l *least) parentTriggers() []ir.Trigger {
	list := []ir.Trigger{{Name: l.name + "_parent", Events: []ir.TriggerEvent{ir.OnInsert}}}
	if on := l.reference.schema.OnUpdate; on == ir.SetNull || on == ir.SetDefault {
		list = append(list, ir.Trigger{Name: l.name + "_renamed", Events: []ir.TriggerEvent{ir.OnUpdate}, When: l.renamed()})
	}
	return list
}

// renamed is the condition under which the parent becomes another one.
func (l *least) renamed() string {
	list := make([]string, len(l.key))
	for i, name := range l.key {
		list[i] = "OLD." + ir.Ident(name) + " IS DISTINCT FROM NEW." + ir.Ident(name)
	}
	return strings.Join(list, " OR ")
}

// lowerLeastTriggers adds the functions and triggers.
func (c *compilation) lowerLeastTriggers(t *table, l *least, origin ir.Origin) []ir.ObjectID {
	what := "a trigger of " + l.decl.Kind + " " + quote(l.label)
	var objects []ir.ObjectID
	add := func(on *table, function, body string, triggers ...ir.Trigger) {
		if !c.claimName(space{functionSpace, on.ref.Schema, "", function}, what, l.decl.Header) {
			return
		}
		c.program.Schema.Functions = append(c.program.Schema.Functions, ir.Function{
			Schema: on.ref.Schema, Name: function, Returns: "trigger", Language: "plpgsql", Body: body,
			SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"}, Origin: origin,
		})
		objects = append(objects, ir.ObjectID{Kind: ir.FunctionObject, Schema: on.ref.Schema, Name: function})
		for _, g := range triggers {
			// A constraint trigger is a constraint too.
			if !c.claimName(space{triggerSpace, on.ref.Schema, on.ref.Name, g.Name}, what, l.decl.Header) ||
				!c.claimName(space{constraintSpace, on.ref.Schema, on.ref.Name, g.Name}, what, l.decl.Header) {
				continue
			}
			g.Deferred, g.FuncSchema, g.FuncName, g.Origin = true, on.ref.Schema, function, origin
			on.schema.Triggers = append(on.schema.Triggers, g)
			objects = append(objects, ir.ObjectID{Kind: ir.TriggerObject, Schema: on.ref.Schema, Table: on.ref.Name, Name: g.Name})
		}
	}
	add(t, l.name+"_left", l.leftBody(t),
		ir.Trigger{Name: l.name + "_delete", Events: []ir.TriggerEvent{ir.OnDelete}, When: l.counted("OLD")},
		ir.Trigger{Name: l.name + "_update", Events: []ir.TriggerEvent{ir.OnUpdate}, When: l.leaves()})
	add(l.parent, l.name+"_began", l.beganBody(t),
		l.parentTriggers()...)
	return append(objects, c.refusing(t, origin, l.decl.Header, what, []ir.Trigger{refusesTruncate(t, tooFew, l.name)})...)
}

// parentIs compares a row of the parent with a record.
func (l *least) parentIs(row, record string, columns []string) string {
	list := make([]string, len(l.key))
	for i, name := range l.key {
		list[i] = row + "." + ir.Ident(name) + " = " + record + "." + ir.Ident(columns[i])
	}
	return strings.Join(list, " AND ")
}

// leftBody is the function for a row that left its group. It updates the parent,
// which every other client that takes a row away has to do too, and looks in a
// second statement, which sees what those have committed. An update of this
// transaction's own stands for another one: one a group is enough, however many
// rows leave it. A parent that is gone needs nothing.
func (l *least) leftBody(t *table) string {
	touched := ir.Ident(l.touched.name)
	is := l.parentIs("p", "OLD", columnList(l.per))
	return "BEGIN\n" +
		"  UPDATE " + l.parent.ref.SQL() + " AS p SET " + touched + " = p." + touched + "\n    WHERE " + is + " AND p.xmin <> pg_current_xact_id()::xid;\n" +
		"  IF NOT EXISTS (SELECT FROM " + l.parent.ref.SQL() + " AS p WHERE " + is + ") THEN\n    RETURN NULL;\n  END IF;\n" +
		l.look(t, "OLD", columnList(l.per)) + "  RETURN NULL;\nEND"
}

// beganBody is the function for a parent that is new, or has another key.
func (l *least) beganBody(t *table) string {
	return "BEGIN\n" +
		"  IF NOT EXISTS (SELECT FROM " + l.parent.ref.SQL() + " AS p WHERE " + l.parentIs("p", "NEW", l.key) + ") THEN\n    RETURN NULL;\n  END IF;\n" +
		l.look(t, "NEW", l.key) + "  RETURN NULL;\nEND"
}

// look raises when no row of the group is left.
func (l *least) look(t *table, record string, columns []string) string {
	match := make([]string, len(l.per))
	for i, col := range l.per {
		match[i] = "c." + ir.Ident(col.name) + " = " + record + "." + ir.Ident(columns[i])
	}
	if l.where != nil {
		match = append(match, "("+l.where.Qualify("c").SQL()+")")
	}
	return "  IF NOT EXISTS (SELECT FROM " + t.ref.SQL() + " AS c WHERE " + strings.Join(match, " AND ") + ") THEN\n" +
		"    RAISE EXCEPTION USING\n      ERRCODE = " + ir.Literal(tooFew) + ", SCHEMA = " + ir.Literal(t.ref.Schema) + ", TABLE = " + ir.Literal(t.ref.Name) +
		", CONSTRAINT = " + ir.Literal(l.name) + ",\n      MESSAGE = " + ir.Literal("a row of "+l.parent.ref.Name+" is left without a "+l.rows(t)) + ";\n  END IF;\n"
}

// violators finds parents without a row.
func (l *least) violators(t *table) string {
	names := make([]string, len(l.key))
	match := make([]string, len(l.key))
	for i, name := range l.key {
		names[i] = "p." + ir.Ident(name)
		match[i] = "c." + ir.Ident(l.per[i].name) + " = p." + ir.Ident(name)
	}
	if l.where != nil {
		match = append(match, "("+l.where.Qualify("c").SQL()+")")
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + l.parent.ref.SQL() + " AS p WHERE NOT EXISTS (SELECT 1 FROM " + t.ref.SQL() + " AS c WHERE " +
		strings.Join(match, " AND ") + ")"
}

func (l *least) reasons(t *table) []ir.Reason {
	parent := l.parent.ref.Name
	return append([]ir.Reason{
		{
			Choice: "the parent is updated before anybody looks",
			Why: "two clients who each take away one of the last two rows both see the other's. The UPDATE of one row, which changes nothing, is what they " +
				"meet on: READ COMMITTED waits and then looks, REPEATABLE READ and SERIALIZABLE get 40001. A lock alone would let a transaction with an " +
				"older snapshot through.",
		},
		{
			Choice: "deferred to COMMIT",
			Why: "a row of " + parent + " and its first row of " + t.ref.Name + " come in one after the other, and one row takes another's place in two statements: " +
				"what counts is what is committed. The error comes from the COMMIT then. SET CONSTRAINTS … IMMEDIATE asks earlier.",
		},
		{
			Choice: "a trigger on " + parent + " too",
			Why:    "a new row of it without any row of " + t.ref.Name + " breaks the rule as well. One that is deleted, with its rows or before them, needs none.",
		},
		{
			Choice: "what it costs",
			Why: "whoever takes a row away, or makes it count no longer, writes its row of " + parent + " at the end of the transaction: those of one " +
				and(columnList(l.per)) + " wait for each other. Who only adds rows waits for nobody.",
		},
		truncateReason,
	}, whereReason(t, l.decl.Where, l.where)...)
}
