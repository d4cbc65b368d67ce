package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// overLimit is the SQLSTATE that our triggers raise for a TRUNCATE past a
// counter. A group that is full is a violation of the counter's CHECK.
const overLimit = "PW003"

// limit is a limit block after its checks.
type limit struct {
	decl    *dsl.Limit
	label   string
	stem    string // what its objects are named after
	address string
	per     []*column
	sum     *column // nil when rows are counted
	where   *expression

	parent  *table // with the counter on its rows; nil for a table of counters
	counter ir.TableRef
	key     []string // columns of counter, in the order of per
	used    string   // its column with what is used
	check   string   // its CHECK
	typ     ir.Type  // of used
	number  string   // the bound, or
	column  *column  // the parent's column that holds it
	facts   *ir.Facts
}

// limits compiles the limit blocks of a table. It runs when all foreign keys
// are known and no operation is compiled yet: the counter becomes a column of
// the parent, and its CHECK a part of what the parent's operations keep.
func (c *compilation) limits(t *table) {
	for _, decl := range t.decl.Limits {
		l := &limit{
			decl: decl, label: labelOf(decl.Block, decl.Rename), stem: decl.Name.Text,
			address: inside(t.address, "limit", decl.Block),
		}
		set(&l.stem, decl.Rename)
		if c.limitParts(t, l) && c.limitPlace(t, l) && c.limitMax(t, l) {
			c.lowerLimit(t, l)
		}
	}
}

// limitParts reads which rows make a group, which count, and what is added up.
func (c *compilation) limitParts(t *table, l *limit) bool {
	var ok, readable bool
	l.per, ok = c.lookupAll(t, l.decl.Per)
	l.where, readable = c.covered(t, l.decl.Block, l.decl.Where, l.decl.Since)
	if !ok || !readable || len(l.per) == 0 {
		return false
	}
	c.ignoresLive(t, l.decl.Block, l.decl.Where, l.where, "limit")
	for i, col := range l.per {
		if col.known && (col.typ.Kind == ir.OtherType || familyOf(col.typ).noOrder) {
			c.limitType(l, col, l.decl.Per[i], "makes a group", "groups are compared and locked in the order of their values")
			return false
		}
	}
	if l.where != nil {
		for _, name := range columnsOf(l.where.Expr) {
			if col := t.byName[name]; col != nil && col.typ.Kind == ir.OtherType {
				c.limitType(l, col, dsl.Name{Range: l.decl.Block.Header}, "stands in its where",
					"a trigger's function sees pg_catalog alone, where the type's own operators are not: it would compare otherwise than a query does")
				return false
			}
		}
	}
	l.typ = ir.Type{Name: "int8"}
	if l.decl.Sum == nil {
		return true
	}
	if l.sum = c.lookup(t, *l.decl.Sum); l.sum == nil || !l.sum.known {
		return false
	}
	switch base := l.sum.typ.Base(); {
	case base.Name == "numeric":
		l.typ = ir.Type{Name: "numeric"}
	case !familyOf(base).integer:
		c.limitType(l, l.sum, *l.decl.Sum, "is added up", "a sum that is kept by adding and taking away is exact for integers and numeric alone")
		return false
	}
	return true
}

func (c *compilation) limitType(l *limit, col *column, at dsl.Name, what, why string) {
	c.report(diag.Diagnostic{
		Code:        diag.LimitColumn,
		Detail:      "The column " + quote(col.name) + " of type " + col.typ.SQL() + " " + what + " in limit " + quote(l.decl.Name.Text) + ".",
		Subject:     at.Range,
		Label:       col.typ.SQL(),
		Consequence: "The counter would drift away from the rows: " + why + ".",
		Help:        "use a column of a type that pawl knows",
	})
}

// limitPlace decides where the counter stands: on the row that the group refers
// to, or in a table of its own.
func (c *compilation) limitPlace(t *table, l *limit) bool {
	names := columnList(l.per)
	i := slices.IndexFunc(t.parents, func(r *reference) bool { return sameNames(r.columns, names) })
	if i >= 0 && t.parents[i].parent != t && !t.parents[i].parent.theirs {
		r := t.parents[i]
		if r.parent.appendOnly() {
			c.report(diag.Diagnostic{
				Code:        diag.GroupParent,
				Detail:      "The rows of " + quote(r.parent.label) + ", on which limit " + quote(l.label) + " keeps its counter, never change.",
				Subject:     l.decl.List,
				Label:       "leads to " + quote(r.parent.label),
				Related:     []diag.Related{{Range: r.parent.decl.AppendOnly.Range, Text: "append_only = true"}},
				Consequence: "A trigger refuses every UPDATE of them (PW002), the counter's too: every insert of a row that counts would fail.",
				Help:        "leave append_only out of the parent, or keep what has a limit in a table of its own",
			})
			return false
		}
		l.parent, l.counter = r.parent, r.parent.ref
		for _, name := range names {
			l.key = append(l.key, r.target[slices.Index(r.columns, name)])
		}
		l.used, l.check = l.stem+"_used", r.parent.ref.Name+"_"+l.stem
		return c.counterColumn(t, l)
	}
	l.counter = ir.TableRef{Schema: t.ref.Schema, Name: t.ref.Name + "_" + l.stem}
	l.key, l.used, l.check = names, "used", l.counter.Name+"_max"
	return c.claimRelation(l.counter, l.counter.Name, "the counters of limit "+quote(l.label), l.decl.Header) &&
		c.claimRelation(l.counter, l.counter.Name+"_pkey", "the key of the counters of limit "+quote(l.label), l.decl.Header)
}

// sameNames compares two lists without their order.
func sameNames(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}

// counterColumn puts the counter on the parent's rows.
func (c *compilation) counterColumn(t *table, l *limit) bool {
	if have := l.parent.byName[l.used]; have != nil {
		c.report(diag.Diagnostic{
			Code:        diag.DuplicateName,
			Detail:      "The counter of limit " + quote(l.label) + " and a column of " + quote(l.parent.label) + " would both be named " + quote(l.used) + ".",
			Subject:     l.decl.Header,
			Label:       quote(l.used) + " is taken",
			Related:     []diag.Related{{Range: have.decl.Header, Text: "the column"}},
			Consequence: "PostgreSQL would refuse the second one.",
			Help:        `give the limit another label, or write name = "…" in it`,
		})
		return false
	}
	col := &column{
		decl: &dsl.Column{Block: l.decl.Block}, name: l.used, typ: l.typ, known: true, counts: l,
		schema: ir.Column{
			Name: l.used, Default: "0", Comment: "Kept by the triggers of limit " + l.label + " of " + t.ref.Name + ".",
			Origin: ir.Origin{Address: l.address, Pos: pos(l.decl.Header), Why: "the limit's counter"},
		},
	}
	l.parent.columns = append(l.parent.columns, col)
	l.parent.byName[l.used] = col
	return true
}

// limitMax reads the bound.
func (c *compilation) limitMax(t *table, l *limit) bool {
	m := l.decl.Max
	if m.Number != "" {
		l.number = m.Number
		return true
	}
	if m.Column == "" {
		return false // reported by dsl
	}
	d := diag.Diagnostic{
		Code: diag.LimitMax, Subject: m.Range,
		Consequence: "The trigger keeps the counter on the row that the group refers to; a bound that stands elsewhere could change beside it.",
	}
	switch {
	case l.parent == nil:
		d.Detail = "No foreign key of " + quote(t.label) + " has the columns " + and(columnList(l.per)) + ", so that there is no parent row with a " + quote(m.Column) + "."
		d.Help = "declare a foreign_key over them, or write max = 100"
		if slices.ContainsFunc(t.parents, func(r *reference) bool { return r.parent.theirs && sameNames(r.columns, columnList(l.per)) }) {
			d.Detail = "The rows that the group refers to are in a table of others, on which pawl keeps no counter."
			d.Help = "write max = 100: the counters then stand in a table of their own"
		}
	case m.Table != "" && m.Table != l.parent.label || l.parent.byName[m.Column] == nil:
		d.Detail = "The group refers to " + quote(l.parent.label) + ", which does not have this column."
		d.Help = didYouMean(m.Column, l.parent.columnNames(), "") + ": max = table." + l.parent.label + ".column.NAME"
	case !familyOf(l.parent.byName[m.Column].typ.Base()).numeric:
		d.Detail = "The column " + quote(m.Column) + " is no number."
		d.Help = "name a column of type integer, bigint or numeric"
	default:
		l.column = l.parent.byName[m.Column]
		return true
	}
	c.report(d)
	return false
}

// bound spells the maximum over a row of the counter's table.
func (l *limit) bound(row string) string {
	if l.column == nil {
		return l.number
	}
	if row != "" {
		row += "."
	}
	return row + ir.Ident(l.column.name)
}

// amount is what one row adds.
func (l *limit) amount() string {
	if l.sum == nil {
		return "1"
	}
	return "COALESCE(" + ir.Ident(l.sum.name) + ", 0)"
}

// counted is the condition under which a row counts: it belongs to a group, and
// the where holds.
func (l *limit) counted() string {
	var list []string
	for _, col := range l.per {
		list = append(list, ir.Ident(col.name)+" IS NOT NULL")
	}
	if l.where != nil {
		list = append(list, "("+l.where.SQL()+")")
	}
	return strings.Join(list, " AND ")
}

// lowerLimit puts the counter, its CHECK and the triggers into the schema.
func (c *compilation) lowerLimit(t *table, l *limit) {
	origin := ir.Origin{Address: l.address, Pos: pos(l.decl.Header)}
	what := "limit " + quote(l.label)
	var guards []ir.ObjectID
	bound := built(ir.Ident(l.used) + " <= " + l.bound(""))
	objects := []ir.ObjectID{{Kind: ir.ConstraintObject, Schema: l.counter.Schema, Table: l.counter.Name, Name: l.check}}
	if l.parent != nil {
		if !c.claimConstraint(l.parent, l.check, "the check of "+what, l.decl.Header, false) {
			return
		}
		l.parent.addCheck(&check{name: l.check, expr: bound, address: l.address, counts: l}, origin)
		objects = append(objects, ir.ObjectID{Kind: ir.ColumnObject, Schema: l.counter.Schema, Table: l.counter.Name, Name: l.used})
		l.parent.bounds = append(l.parent.bounds, l)
		guards = c.guardParent(t, l, origin)
	} else {
		counters := l.counterTable(ir.Check{Name: l.check, Expr: bound.SQL(), Origin: origin}, origin)
		guards = c.guardCounters(&counters, "a trigger of "+what, "limit "+l.label, origin, l.decl.Header)
		c.program.Schema.Tables = append(c.program.Schema.Tables, counters)
		objects = append(objects, ir.ObjectID{Kind: ir.TableObject, Schema: l.counter.Schema, Table: l.counter.Name, Name: l.counter.Name})
	}
	objects = append(objects, c.lowerFinite(t, l, origin)...)
	objects = append(objects, c.lowerCounting(t, l, origin)...)
	inv := &ir.Limit{
		Per: columnList(l.per), Where: conditionSQL(l.where), Counter: l.counter, Key: l.key, Used: l.used, Max: l.bound(""),
		OnRow: l.parent != nil, Fill: l.fill(t), Guards: guards,
		Base: ir.Facts{
			Address: l.address, Kind: "limit", Table: t.ref,
			Promise: l.promise(t), Mechanism: l.mechanism(t), Reasons: l.reasons(t), Objects: objects, Violators: l.violators(t),
			Pos: pos(l.decl.Header),
		},
	}
	if l.sum != nil {
		inv.Sum = l.sum.name
	}
	l.facts = &inv.Base
	t.counted = append(t.counted, l)
	t.invariants = append(t.invariants, inv)
}

// counterTable is the table of counters of groups that are no foreign key.
func (l *limit) counterTable(check ir.Check, origin ir.Origin) ir.Table {
	table := ir.Table{
		Schema: l.counter.Schema, Name: l.counter.Name, Origin: origin, Checks: []ir.Check{check},
		Comment:    "Kept by the triggers of limit " + l.label + ".",
		PrimaryKey: &ir.PrimaryKey{Name: l.counter.Name + "_pkey", Columns: l.key, Origin: origin},
	}
	for _, col := range l.per {
		table.Columns = append(table.Columns, ir.Column{Name: col.name, Type: col.typ, Origin: origin})
	}
	table.Columns = append(table.Columns, ir.Column{Name: l.used, Type: l.typ, Origin: origin})
	return table
}

// promise is the rule in a sentence.
func (l *limit) promise(t *table) string {
	rows := "rows of " + t.ref.Name
	if l.where != nil {
		rows += " where " + l.where.SQL()
	}
	group := " with one " + and(columnList(l.per))
	most := l.number
	if l.column != nil {
		most = l.column.name + " of their row of " + l.parent.ref.Name
	}
	if l.sum != nil {
		return "The sum of " + l.sum.name + " over the " + rows + group + " is at most " + most + "." + l.where.coverage()
	}
	return "There are at most " + most + " " + rows + group + "." + l.where.coverage()
}

func (l *limit) mechanism(t *table) string {
	place := "the column " + l.used + " of " + l.counter.Name
	if l.parent == nil {
		place = "the table " + l.counter.Name
	}
	return "a counter in " + place + " with CHECK (" + ir.Ident(l.used) + " <= " + l.bound("") + "), kept for every client by triggers " + t.ref.Name + "_" + l.stem + "_…"
}

// reasons tell why a counter, and what it costs.
func (l *limit) reasons(t *table) []ir.Reason {
	row := "its row of " + l.counter.Name
	return append([]ir.Reason{
		{
			Choice: "a counter that is really updated",
			Why: "counting first and inserting then is a race: two writers both count the same rows. An UPDATE of one row is what all of them meet, at every " +
				"isolation level: READ COMMITTED waits and sees the new number, REPEATABLE READ and SERIALIZABLE get 40001. A lock alone would let a " +
				"transaction with an older snapshot through.",
		},
		{
			Choice: "CHECK (used <= max)",
			Why:    "it holds whoever writes the counter's row, so that lowering the bound below what is used is refused too. A bound that is NULL allows any number.",
		},
		{
			Choice: "once a statement",
			Why: "the triggers see all rows of a statement at its end and change each counter once, in the order of the groups' keys. Of many rows in one " +
				"statement only the sum is counted. The functions run with the rights of the table's owner, so that a client needs none on " + l.counter.Name + ".",
		},
		l.guardReason(),
		{
			Choice: "what it costs",
			Why: "whoever adds, removes or moves a row of " + t.ref.Name + " writes " + row + " and holds it until the transaction ends: writers of one " +
				and(columnList(l.per)) + " wait for each other, those of others do not. Take the row late in a long transaction.",
		},
		truncateReason,
	}, whereReason(t, l.decl.Where, l.where)...)
}

// guardReason is why nobody else writes the counter.
func (l *limit) guardReason() ir.Reason {
	if l.parent == nil {
		return ir.Reason{
			Choice: "nobody else writes the counters",
			Why:    "whoever could set one could pass the rule: triggers of " + l.counter.Name + " refuse every write that does not come from those that count (PW002).",
		}
	}
	return ir.Reason{
		Choice: "nobody else writes " + l.used,
		Why: "whoever could set it could pass the rule: triggers of " + l.counter.Name + " refuse every write of it that does not come from those that count " +
			"(PW002). They also keep " + and(l.key) + " as long as rows count under it, since the counter goes along with its row, and refuse a statement that " +
			"deletes a row and puts it back.",
	}
}
