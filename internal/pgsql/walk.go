package pgsql

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// walker goes through a parse tree once and writes what it finds on the pieces.
type walker struct {
	pieces []piece
	at     locator
	tables []TableRef
	with   map[string]bool // names that WITH clauses define
	scopes []scope         // of SELECTs, by their numbers
	scope  int             // the number of the one that is visited
	err    *Error          // the first thing that no text may hold
}

// walk visits the whole tree and returns the first thing, in the order of the
// text, that no text may hold.
func (w *walker) walk(root *pg.Node) *Error {
	w.visit(root, false)
	return w.refusals()
}

// walkInside is walk of a statement that writes: it is what its parts do that is
// looked at.
func (w *walker) walkInside(root *pg.Node) *Error {
	w.defines(*withClause(root))
	switch x := root.GetNode().(type) {
	case *pg.Node_InsertStmt:
		w.descend(x.InsertStmt.ProtoReflect(), false)
	case *pg.Node_UpdateStmt:
		w.descend(x.UpdateStmt.ProtoReflect(), false)
	case *pg.Node_DeleteStmt:
		w.descend(x.DeleteStmt.ProtoReflect(), false)
	}
	return w.refusals()
}

// sortedTables are the tables in the order of the text.
func (w *walker) sortedTables() []TableRef {
	slices.SortFunc(w.tables, func(a, b TableRef) int { return a.Offset - b.Offset })
	return w.tables
}

// refusals returns the first thing, in the order of the text, that it may not hold.
func (w *walker) refusals() *Error {
	for _, p := range w.pieces {
		if p.kind == argument && p.span == 0 {
			w.refuse(&Error{
				Kind: Syntax, Offset: p.offset, Length: p.length, Name: p.name,
				Message: p.text + " is a value, and no value can stand here",
			})
		}
	}
	return w.err
}

// refuse keeps the error that comes first in the text.
func (w *walker) refuse(err *Error) {
	if w.err == nil || err.Offset < w.err.Offset {
		w.err = err
	}
}

// visit handles one node; nested is set inside a sub-select. Every kind of node
// without a case of its own is searched through by reflection, so that nothing
// can hide in a rare one.
func (w *walker) visit(n *pg.Node, nested bool) {
	switch x := n.GetNode().(type) {
	case nil, *pg.Node_AConst, *pg.Node_ParamRef, *pg.Node_String_:
	case *pg.Node_ColumnRef:
		w.column(x.ColumnRef, nested)
	case *pg.Node_AExpr:
		w.comparison(x.AExpr, nested)
		w.visit(x.AExpr.Lexpr, nested)
		w.visit(x.AExpr.Rexpr, nested)
	case *pg.Node_BoolExpr:
		w.visitAll(x.BoolExpr.Args, nested)
	case *pg.Node_NullTest:
		w.visit(x.NullTest.Arg, nested)
	case *pg.Node_BooleanTest:
		w.visit(x.BooleanTest.Arg, nested)
	case *pg.Node_List:
		w.visitAll(x.List.Items, nested)
	case *pg.Node_FuncCall:
		w.function(x.FuncCall, nested)
		w.descend(x.FuncCall.ProtoReflect(), nested)
	case *pg.Node_SqlvalueFunction:
		w.valueFunction(x.SqlvalueFunction, nested)
	case *pg.Node_TypeCast:
		w.cast(x.TypeCast, nested)
		w.visit(x.TypeCast.Arg, nested)
		w.visitAll(x.TypeCast.TypeName.GetTypmods(), nested)
	case *pg.Node_SubLink:
		w.mark(x.SubLink.Location, mark{kind: subSelect, nested: nested})
		w.visit(x.SubLink.Testexpr, nested)
		w.visit(x.SubLink.Subselect, true)
	case *pg.Node_SetToDefault:
		p := w.pieces[w.index(x.SetToDefault.Location)]
		w.refuse(&Error{Kind: NotExpression, Offset: p.offset, Length: p.length, Name: "DEFAULT", Message: "DEFAULT is not a value"})
	case *pg.Node_GroupingFunc:
		w.mark(x.GroupingFunc.Location, mark{kind: aggregateFunction, name: "grouping", nested: nested})
		w.visitAll(x.GroupingFunc.Args, nested)
	case *pg.Node_JsonArrayAgg:
		w.mark(x.JsonArrayAgg.Constructor.GetLocation(), mark{kind: aggregateFunction, name: "json_arrayagg", nested: nested})
		w.descend(x.JsonArrayAgg.ProtoReflect(), nested)
	case *pg.Node_JsonObjectAgg:
		w.mark(x.JsonObjectAgg.Constructor.GetLocation(), mark{kind: aggregateFunction, name: "json_objectagg", nested: nested})
		w.descend(x.JsonObjectAgg.ProtoReflect(), nested)
	case *pg.Node_RangeVar:
		w.table(x.RangeVar)
	case *pg.Node_InsertStmt:
		w.writes(x.InsertStmt.Relation.GetLocation(), "INSERT")
	case *pg.Node_UpdateStmt:
		w.writes(x.UpdateStmt.Relation.GetLocation(), "UPDATE")
	case *pg.Node_DeleteStmt:
		w.writes(x.DeleteStmt.Relation.GetLocation(), "DELETE")
	case *pg.Node_MergeStmt:
		w.writes(x.MergeStmt.Relation.GetLocation(), "MERGE")
	default:
		w.descend(n.ProtoReflect(), nested)
	}
}

func (w *walker) visitAll(nodes []*pg.Node, nested bool) {
	for _, n := range nodes {
		w.visit(n, nested)
	}
}

// descend visits all nodes below a message.
func (w *walker) descend(m protoreflect.Message, nested bool) {
	if s, ok := m.Interface().(*pg.SelectStmt); ok {
		w.selects(s)
		defer w.enter()()
	}
	if columnsElsewhere(m.Interface()) {
		w.opaque()
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Kind() != protoreflect.MessageKind:
		case field.IsList():
			for i := range v.List().Len() {
				w.message(v.List().Get(i).Message().Interface(), nested)
			}
		default:
			w.message(v.Message().Interface(), nested)
		}
		return true
	})
}

func (w *walker) message(m proto.Message, nested bool) {
	if n, ok := m.(*pg.Node); ok {
		w.visit(n, nested)
		return
	}
	w.descend(m.ProtoReflect(), nested)
}

// index returns the piece at a location of the tree.
func (w *walker) index(location int32) int { return w.at.piece(int(location)) }

func (w *walker) mark(location int32, m mark) {
	i := w.index(location)
	w.pieces[i].marks = append(w.pieces[i].marks, m)
}

func (w *walker) column(c *pg.ColumnRef, nested bool) {
	names := make([]string, 0, len(c.Fields))
	for _, f := range c.Fields {
		if f.GetAStar() != nil {
			w.mark(c.Location, mark{kind: star, nested: nested})
			return
		}
		names = append(names, f.GetString_().GetSval())
	}
	p := &w.pieces[w.index(c.Location)]
	last := len(names) - 1
	if p.kind == argument {
		w.argument(p, last)
		return
	}
	p.kind, p.name, p.qualifier, p.nested = column, names[last], strings.Join(names[:last], "."), nested
	p.scope = w.scope
	p.span = 2*last + 1 // the names and the dots between them
}

// argument notes that an argument became a value. fields is the number of names
// behind it, as in @x.y, which the parser took for a qualified column.
func (w *walker) argument(p *piece, fields int) {
	p.span = 1
	if fields > 0 {
		w.refuse(&Error{
			Kind: Syntax, Offset: p.offset, Length: p.length, Name: p.name,
			Message: "a field of an argument needs parentheses", Help: "(" + p.text + ").field",
		})
	}
}

// function marks a call. Functions that the grammar spells in a way of its own,
// such as EXTRACT, come with the schema pg_catalog.
func (w *walker) function(f *pg.FuncCall, nested bool) {
	names := make([]string, 0, len(f.Funcname))
	for _, n := range f.Funcname {
		names = append(names, n.GetString_().GetSval())
	}
	m := mark{kind: function, name: names[len(names)-1], volatility: Unknown, nested: nested}
	m.schema = strings.Join(names[:len(names)-1], ".")
	if m.schema == "" || m.schema == "pg_catalog" {
		if b, ok := builtins[m.name]; ok {
			m.kind, m.volatility = b.kind, b.volatility
		}
		if m.name == "age" && len(f.Args) == 1 {
			m.volatility = Stable // age(t) is counted from today, age(t, u) between the two
		}
	}
	switch {
	case f.Over != nil:
		m.kind = windowFunction
	case f.AggStar || f.AggDistinct || f.AggWithinGroup || f.AggFilter != nil || len(f.AggOrder) > 0:
		m.kind = aggregateFunction
	}
	w.mark(f.Location, m)
}

// valueFunction marks a word like CURRENT_TIMESTAMP. They are all stable.
func (w *walker) valueFunction(f *pg.SQLValueFunction, nested bool) {
	name := strings.ToLower(strings.TrimPrefix(f.Op.String(), "SVFOP_"))
	name = strings.TrimSuffix(name, "_n")
	w.mark(f.Location, mark{kind: function, name: name, volatility: Stable, nested: nested})
}

func (w *walker) cast(c *pg.TypeCast, nested bool) {
	names := c.TypeName.GetNames()
	if len(names) == 0 {
		return
	}
	typ := names[len(names)-1].GetString_().GetSval()
	literal := c.Arg.GetAConst()
	if v := castVolatility(typ, literal.GetSval().GetSval(), literal != nil); v != Immutable {
		w.mark(c.Location, mark{kind: cast, name: typ, volatility: v, nested: nested})
	}
}

// comparison marks x = NULL, which is never true.
func (w *walker) comparison(e *pg.A_Expr, nested bool) {
	if comparesWithNull(e) {
		w.mark(e.Location, mark{kind: nullComparison, name: operator(e), nested: nested})
	}
	w.labels(e, nested)
}

// defines notes the names that a WITH clause gives.
func (w *walker) defines(with *pg.WithClause) {
	for _, n := range with.GetCtes() {
		if w.with == nil {
			w.with = make(map[string]bool)
		}
		w.with[n.GetCommonTableExpr().GetCtename()] = true
	}
}

// selects notes the names that WITH defines, and refuses a query that writes or
// locks.
func (w *walker) selects(s *pg.SelectStmt) {
	w.defines(s.WithClause)
	if s.IntoClause != nil {
		w.writes(s.IntoClause.Rel.GetLocation(), "SELECT INTO")
	}
	if len(s.LockingClause) > 0 {
		w.writes(0, "FOR UPDATE")
	}
}

func (w *walker) writes(location int32, what string) {
	p := w.pieces[w.index(location)]
	w.refuse(&Error{
		Kind: Writes, Offset: p.offset, Length: p.length, Name: what,
		Message: what + " writes or locks rows, and this text only reads",
	})
}

// table notes a table of a FROM clause, unless WITH defines its name.
func (w *walker) table(r *pg.RangeVar) {
	if len(r.Alias.GetColnames()) > 0 {
		w.opaque()
	}
	if r.Schemaname == "" && w.with[r.Relname] {
		w.opaque()
		return
	}
	i := w.index(r.Location)
	first, last := w.pieces[i], w.pieces[i]
	if r.Schemaname != "" && i+2 < len(w.pieces) {
		last = w.pieces[i+2]
	}
	w.tables = append(w.tables, TableRef{
		Name: r.Relname, Schema: r.Schemaname, Alias: r.Alias.GetAliasname(),
		Offset: first.offset, Length: last.offset + last.length - first.offset, scope: w.scope,
	})
}

// merged returns the pieces with each column reference as one of them.
func (w *walker) merged() []piece {
	out := make([]piece, 0, len(w.pieces))
	for i := 0; i < len(w.pieces); {
		p := w.pieces[i]
		n := max(p.span, 1)
		if p.kind == column {
			last := w.pieces[i+n-1]
			p.ident = last.text
			p.text = join(w.pieces[i : i+n])
			p.length = last.offset + last.length - p.offset
		}
		out = append(out, p)
		i += n
	}
	return slices.Clip(out)
}
