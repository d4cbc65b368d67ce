package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// movers adds the methods that change the order. Where a table has several
// orders, their names say which.
func (c *compilation) movers(t *table) {
	if len(t.repository.Row) == 0 {
		return
	}
	for _, o := range t.orders {
		moveTo, swap := "move_to", "swap"
		if len(t.orders) > 1 {
			moveTo, swap = "move_"+o.label+"_to", "swap_"+o.label
		}
		o.addMoveTo(t, moveTo)
		o.addSwap(t, swap)
	}
}

// operation is what both methods have in common, with the statement that takes
// the group of the row.
func (o *ordered) operation(t *table, part, name string) ir.Operation {
	op := ir.Operation{
		Address: under(o.address, part), Name: name, Kind: ir.ArrangeOp, Key: t.keyFields(),
		Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Columns: t.withVersion(o.column.name), Reasons: append(slices.Clone(o.rule.Base.Reasons[:2]), lockFirstReason), Pos: pos(o.decl.Header),
	}
	p := newParameters(t.keyFields())
	list := make([]string, len(o.per))
	for i, col := range o.per {
		list[i] = "r." + ir.Ident(col.name)
	}
	op.Statements = []ir.Statement{{
		Role: ir.GroupStatement, Args: p.fields, Rows: ir.ReturnsNone,
		SQL: comment(op.Address) + o.take("SELECT "+strings.Join(list, ", ")+", 1 FROM "+t.ref.SQL()+" AS r WHERE "+equals(t.key, p, "r"), ""),
	}}
	return op
}

// addMoveTo adds the method that gives a row a place among the others.
func (o *ordered) addMoveTo(t *table, name string) {
	op := o.operation(t, "move_to", name)
	place := ir.Field{Name: "to", Type: ir.Type{Name: "int8"}, Positive: true}
	for slices.ContainsFunc(op.Key, func(f ir.Field) bool { return f.Name == place.Name }) {
		place.Name += "_"
	}
	op.Args = []ir.Field{place}
	op.Doc = "makes the row of " + t.ref.Name + " with the given " + and(columnList(t.key)) + " the one at the given place of its group by " + and(columnList(o.per)) +
		", and returns it. The others keep their order and are numbered from 1 without a gap; a place behind the last is the last. Calls for one group wait for each other."
	p := newParameters(op.Key, op.Args)
	position, n, at := ir.Ident(o.column.name), ir.Ident(t.free("n")), ir.Ident(t.free("rank"))
	to := "greatest(" + p.ref(place.Name) + ", 1)"
	key := make([]string, len(t.key))
	same := make([]string, len(t.key))
	for i, col := range t.key {
		key[i] = ir.Ident(col.name)
		same[i] = "c." + key[i] + " = placed." + key[i]
	}
	group := make([]string, len(o.per))
	for i, col := range o.per {
		group[i] = "o." + ir.Ident(col.name) + " = moved." + ir.Ident(col.name)
	}
	main := "WITH placed AS (\n" +
		"  SELECT " + prefixed("r", key) + ", CASE WHEN " + equals(t.key, p, "r") + " THEN least(" + to + ", count(*) OVER ())\n" +
		"    ELSE r." + at + " + CASE WHEN r." + at + " >= " + to + " THEN 1 ELSE 0 END END AS " + n + "\n" +
		"  FROM (\n    SELECT " + prefixed("o", key) + ", row_number() OVER (PARTITION BY " + equals(t.key, p, "o") + " ORDER BY o." + position + ") AS " + at + "\n" +
		"    FROM " + t.ref.SQL() + " AS o, " + t.ref.SQL() + " AS moved\n    WHERE " + equals(t.key, p, "moved") + " AND " + strings.Join(group, " AND ") + "\n  ) AS r\n" +
		"), changed AS (\n" +
		"  UPDATE " + t.ref.SQL() + " AS c SET " + position + " = placed." + n + o.raise(t) + "\n" +
		"  FROM placed WHERE " + strings.Join(same, " AND ") + " AND c." + position + " <> placed." + n + "\n  RETURNING " + t.storedRow("c") + "\n)\n" +
		"SELECT " + t.rowList() + " FROM changed WHERE " + t.keyEquals(p) + "\nUNION ALL\n" +
		"SELECT " + t.rowList() + " FROM " + t.ref.SQL() + " WHERE " + t.keyEquals(p) + " AND NOT EXISTS (SELECT 1 FROM changed WHERE " + t.keyEquals(p) + ")"
	o.finish(t, op, main, p)
}

// addSwap adds the method that lets two rows change places.
func (o *ordered) addSwap(t *table, name string) {
	op := o.operation(t, "swap", name)
	other := make([]ir.Field, len(t.key))
	for i, col := range t.key {
		other[i] = col.field()
		other[i].Name = "with_" + col.name
	}
	op.Args = other
	op.Doc = "lets the row of " + t.ref.Name + " with the given " + and(columnList(t.key)) + " and another one of its group by " + and(columnList(o.per)) +
		" change places, and returns the first. When one of them is not there, or in another group, nothing is changed and the row is not found. Calls for one group wait for each other."
	p := newParameters(op.Key, other)
	position := ir.Ident(o.column.name)
	with := func(row string) string {
		parts := make([]string, len(t.key))
		for i, col := range t.key {
			parts[i] = row + "." + ir.Ident(col.name) + " = " + p.ref(other[i].Name)
		}
		return strings.Join(parts, " AND ")
	}
	group := make([]string, len(o.per))
	for i, col := range o.per {
		group[i] = "a." + ir.Ident(col.name) + " = b." + ir.Ident(col.name)
	}
	main := "WITH changed AS (\n" +
		"  UPDATE " + t.ref.SQL() + " AS c SET " + position + " = CASE WHEN " + equals(t.key, p, "c") + " THEN b." + position + " ELSE a." + position + " END" + o.raise(t) + "\n" +
		"  FROM " + t.ref.SQL() + " AS a, " + t.ref.SQL() + " AS b\n" +
		"  WHERE " + equals(t.key, p, "a") + " AND " + with("b") + " AND " + strings.Join(group, " AND ") + "\n" +
		"    AND (" + equals(t.key, p, "c") + " OR " + with("c") + ")\n  RETURNING " + t.qualifiedRow("c") + "\n)\n" +
		"SELECT " + t.rowList() + " FROM changed WHERE " + t.keyEquals(p)
	o.finish(t, op, main, p)
}

// raise is the end of a SET list over the row c that raises its version.
func (o *ordered) raise(t *table) string {
	if t.version == nil {
		return ""
	}
	name := ir.Ident(t.version.name)
	return ", " + name + " = c." + name + " + 1"
}

func (o *ordered) finish(t *table, op ir.Operation, main string, p *parameters) {
	op.Statements = append(op.Statements, ir.Statement{
		Role: ir.MainStatement, SQL: comment(op.Address) + main, Args: p.fields, Results: t.rowFields(), Rows: ir.ReturnsOne,
	})
	t.addOperation(op, write{updates: op.Columns, facts: &o.rule.Base})
}

// prefixed lists columns of a row.
func prefixed(row string, columns []string) string {
	list := make([]string, len(columns))
	for i, name := range columns {
		list[i] = row + "." + name
	}
	return strings.Join(list, ", ")
}
