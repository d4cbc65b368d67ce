package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/pgsql"
)

// listed is an index of the table, for the read in its order.
type listed struct {
	decl  *dsl.Index
	index ir.Index
	exprs []*expression // beside the index's parts; nil for a plain column
	where *expression
}

// addLists adds the pages in the order of the primary key and of each index.
func (t *table) addLists() {
	t.addList(listing{table: t, name: "list", index: t.schema.PrimaryKey.Name, at: t.repository.Pos, order: t.tieBreakers(nil, false)})
	for _, l := range t.listed {
		if list, ok := t.listingBy(l); ok {
			t.addList(list)
		}
	}
}

// listing is a read of pages: what it is called and the order it goes by.
type listing struct {
	table *table
	name  string
	index string // that holds the order
	at    ir.Pos
	group []string // columns that the caller gives
	order []sorted
	where *expression
}

// sorted is one part of the order of a list.
type sorted struct {
	column           *column     // or
	expr             *expression // an expression of the index
	desc, nullsFirst bool
	null             bool // the part can be NULL
}

// listingBy is the list in the order of an index. Only a btree has an order, and
// one of an operator class of its own is not the order that ORDER BY asks for.
func (t *table) listingBy(l listed) (listing, bool) {
	if l.index.Method != defaultMethod || slices.ContainsFunc(l.index.Parts, func(p ir.IndexPart) bool { return p.OpClass != "" }) {
		return listing{}, false
	}
	list := listing{
		table: t, name: "list_by_" + strings.TrimPrefix(labelOf(l.decl.Block, l.decl.Rename), "by_"),
		index: l.index.Name, at: pos(l.decl.Header), group: t.groupColumns(leadingColumns(l.index.Parts)), where: l.where,
	}
	for i, p := range l.index.Parts[len(list.group):] {
		s := sorted{expr: l.exprs[len(list.group)+i], desc: p.Desc, nullsFirst: p.NullsFirst || p.Desc && !p.NullsLast}
		if s.expr == nil {
			s.column = t.byName[p.Column]
			s.null = s.column.null && !guaranteesNotNull(l.where, p.Column)
		} else {
			s.null = true // whatever its columns hold: a function may answer NULL
		}
		list.order = append(list.order, s)
	}
	have := slices.Clone(list.group)
	for _, p := range l.index.Parts {
		have = append(have, p.Column)
	}
	list.order = append(list.order, t.tieBreakers(have, l.index.Parts[len(l.index.Parts)-1].Desc)...)
	return list, slices.ContainsFunc(list.order, func(s sorted) bool { return slices.Contains(t.key, s.column) })
}

// tieBreakers are the columns of the primary key that an order has to end with,
// so that no two rows share a place in it.
func (t *table) tieBreakers(have []string, desc bool) []sorted {
	var list []sorted
	for _, col := range t.key {
		if !slices.Contains(have, col.name) {
			list = append(list, sorted{column: col, desc: desc, nullsFirst: desc})
		}
	}
	return list
}

// groupColumns are the leading columns of an index that are a foreign key: its
// rows are asked for parent by parent.
func (t *table) groupColumns(names []string) []string {
	best := 0
	for _, decl := range t.decl.ForeignKeys {
		n := len(decl.Columns)
		if n <= best || n > len(names) {
			continue
		}
		columns := make([]string, n)
		for i, name := range decl.Columns {
			columns[i] = name.Text
		}
		if sameColumns(columns, names[:n]) {
			best = n
		}
	}
	return names[:best]
}

// addList adds one list.
func (t *table) addList(l listing) {
	what := "the rows of " + t.ref.Name
	if l.where != nil {
		what += " where " + l.where.SQL()
	}
	if len(l.group) > 0 {
		what += " with the given " + and(l.group)
	}
	op := t.readOperation(l.name, ir.ListOp, "reads a page of "+what+" in the order of "+l.orderWords()+
		". The next page starts after the last row of the one before, so that rows which come or go in between move no other row from one page to another. Nothing is locked.")
	op.Key = t.fieldsOf(l.group)
	for i := range op.Key {
		op.Key[i].Null = false
	}
	op.Columns = l.places()
	op.Args = t.fieldsOf(op.Columns)
	for i := range op.Args {
		op.Args[i].Optional, op.Args[i].Null = true, true
	}
	limit := ir.Field{Name: "limit", Type: ir.Type{Name: "int8"}, Count: true}
	for t.byName[limit.Name] != nil {
		limit.Name += "_" // a column of that name is an argument too
	}
	op.Args = append(op.Args, limit)
	op.Reasons = append(l.reasons(), op.Reasons...)
	p := newParameters(op.Key, op.Args)
	op.Statements = []ir.Statement{{
		Role: ir.MainStatement, SQL: comment(op.Address) + l.sql(p),
		Args: p.fields, Results: t.rowFields(), Rows: ir.ReturnsMany,
	}}
	op.Pos = l.at
	t.addOperation(op, write{})
}

// places are the columns whose values say where a page begins.
func (l *listing) places() []string {
	var names []string
	for _, s := range l.order {
		for _, name := range s.columns() {
			if !slices.Contains(names, name) && !slices.Contains(l.group, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// columns are those that the part is made of.
func (s *sorted) columns() []string {
	if s.expr != nil {
		return columnsOf(s.expr.Expr)
	}
	return []string{s.column.name}
}

func (l *listing) reasons() []ir.Reason {
	reasons := []ir.Reason{{
		Choice: "keyset pages over " + l.index,
		Why: "OFFSET reads all the pages before, and shows a row twice or not at all when others come and go. The first page is an arm of its own, so that " +
			"each arm is one range of the index.",
	}}
	if arms := len(l.arms(newParameters(l.table.fieldsOf(l.group), l.table.fieldsOf(l.places())), 0, nil)); arms > 1 {
		reasons = append(reasons, ir.Reason{
			Choice: plainInt(arms) + " arms for what comes after a row",
			Why: "columns of different directions, and those that may be NULL, have no common comparison: (a, b) > (x, y) knows one direction, and with NULL " +
				"it is NULL. An OR would be no range of the index; the server skips the arms that the given row rules out.",
		})
	}
	return reasons
}

// orderWords spells the order in a sentence.
func (l *listing) orderWords() string {
	words := make([]string, len(l.order))
	for i, s := range l.order {
		words[i] = strings.Join(s.columns(), "")
		if s.expr != nil {
			words[i] = s.expr.SQL()
		}
		if s.desc {
			words[i] += " descending"
		}
		switch {
		case s.null && s.nullsFirst:
			words[i] += " (NULL first)"
		case s.null:
			words[i] += " (NULL last)"
		}
	}
	return and(words)
}

// sql spells a page. An OR between "first page" and "after this row" would be no
// range of the index in the plan that a connection keeps; in arms of their own the
// server drops those whose condition on the parameters is false.
func (l *listing) sql(p *parameters) string {
	t := l.table
	limit := "$" + plainInt(len(p.fields)) + "::bigint"
	var fixed []string
	for _, name := range l.group {
		fixed = append(fixed, ir.Ident(name)+" = "+p.ref(name))
	}
	if l.where != nil {
		fixed = append(fixed, "("+l.where.SQL()+")")
	}
	orderBy := l.orderBy()
	arms := append([]string{l.marker(p) + " IS NULL"}, l.arms(p, 0, nil)...)
	for i, condition := range arms {
		arms[i] = "(SELECT " + ir.Idents(columnList(t.columns)) + "\n  FROM " + t.ref.SQL() + "\n  WHERE " +
			strings.Join(append(slices.Clone(fixed), condition), " AND ") + "\n  ORDER BY " + orderBy + " LIMIT " + limit + ")"
	}
	sql := "SELECT " + t.rowList() + "\nFROM (\n  " + strings.Join(arms, "\n  UNION ALL\n  ") + "\n) AS page\nORDER BY " + orderBy
	if len(arms) > 2 { // of two, one is empty
		sql += "\nLIMIT " + limit
	}
	return sql
}

func (l *listing) orderBy() string {
	parts := make([]string, len(l.order))
	for i, s := range l.order {
		parts[i] = s.name()
		if s.desc {
			parts[i] += " DESC"
		}
		switch {
		case s.nullsFirst && !s.desc:
			parts[i] += " NULLS FIRST"
		case !s.nullsFirst && s.desc:
			parts[i] += " NULLS LAST"
		}
	}
	return strings.Join(parts, ", ")
}

// marker is an argument that is NULL for the first page alone: a column of the
// primary key.
func (l *listing) marker(p *parameters) string {
	for _, s := range l.order {
		if s.column != nil && slices.Contains(l.table.key, s.column) {
			return p.ref(s.column.name)
		}
	}
	panic("compiler: a list whose order has no column of the primary key")
}

// name spells the part over a row.
func (s *sorted) name() string {
	if s.expr != nil {
		return operand(s.expr.Expr)
	}
	return ir.Ident(s.column.name)
}

// value spells the part over the row that the page before ended with.
func (s *sorted) value(p *parameters) string {
	if s.expr == nil {
		return p.ref(s.column.name)
	}
	asked := map[string]*pgsql.Expr{}
	for _, name := range columnsOf(s.expr.Expr) {
		asked[name] = argument(name)
	}
	return operandSQL(p.sql(s.expr.Substitute(asked)))
}

// mostNullable is how many parts of an order that may be NULL get arms of their
// own for NULL and for values: each doubles the arms.
const mostNullable = 3

// arms are the conditions for the rows after a given one, each one range of the
// index, where the parts before i are the same.
func (l *listing) arms(p *parameters, i int, same []string) []string {
	if l.comparable(i) {
		return []string{strings.Join(append(slices.Clone(same), l.rowAfter(p, i)), " AND ")}
	}
	s := &l.order[i]
	after, equal := s.after(p, l.marker(p)), s.equal(p)
	if l.nullable() > mostNullable {
		after, equal = []string{"(" + strings.Join(after, " OR ") + ")"}, []string{s.name() + " IS NOT DISTINCT FROM " + s.value(p)}
	}
	var arms []string
	for _, condition := range after {
		arms = append(arms, strings.Join(append(slices.Clone(same), condition), " AND "))
	}
	if i+1 == len(l.order) {
		return arms
	}
	for _, condition := range equal {
		arms = append(arms, l.arms(p, i+1, append(slices.Clone(same), condition))...)
	}
	return arms
}

func (l *listing) nullable() int {
	n := 0
	for _, s := range l.order {
		if s.null {
			n++
		}
	}
	return n
}

// comparable reports whether the parts from i on compare as one row does.
func (l *listing) comparable(i int) bool {
	return !slices.ContainsFunc(l.order[i:], func(s sorted) bool { return s.null || s.desc != l.order[i].desc })
}

// rowAfter compares the parts from i on as one row.
func (l *listing) rowAfter(p *parameters, i int) string {
	rest := l.order[i:]
	names, values := make([]string, len(rest)), make([]string, len(rest))
	for k := range rest {
		names[k], values[k] = rest[k].name(), rest[k].value(p)
	}
	left, right := strings.Join(names, ", "), strings.Join(values, ", ")
	if len(rest) > 1 {
		left, right = "("+left+")", "("+right+")"
	}
	return left + rest[0].operator() + right
}

// operator compares a part with the value that it comes after.
func (s *sorted) operator() string {
	if s.desc {
		return " < "
	}
	return " > "
}

// after are the conditions for what comes after a value in this part alone.
func (s *sorted) after(p *parameters, marker string) []string {
	name, value := s.name(), s.value(p)
	list := []string{name + s.operator() + value}
	switch {
	case s.null && s.nullsFirst: // everything comes after NULL; on the first page the value is NULL too
		list = append(list, name+" IS NOT NULL AND "+value+" IS NULL AND "+marker+" IS NOT NULL")
	case s.null:
		list = append(list, name+" IS NULL AND "+value+" IS NOT NULL")
	}
	return list
}

// equal are the conditions for the same value in this part. IS NOT DISTINCT FROM
// would be one, but no range of an index.
func (s *sorted) equal(p *parameters) []string {
	name, value := s.name(), s.value(p)
	list := []string{name + " = " + value}
	if s.null {
		list = append(list, name+" IS NULL AND "+value+" IS NULL")
	}
	return list
}

func (t *table) fieldsOf(names []string) []ir.Field {
	list := make([]ir.Field, len(names))
	for i, name := range names {
		list[i] = t.byName[name].field()
	}
	return list
}
