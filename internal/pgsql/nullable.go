package pgsql

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// NullFrom names a column whose NULL can make the whole expression NULL, or "".
// nullable tells which columns may be NULL. coalesce(org, ”) is never NULL and
// lower(org) is when org is; of functions it takes that they give NULL for
// NULL alone, as nearly all do. Arguments count as not NULL.
func (e *Expr) NullFrom(nullable func(column string) bool) string {
	mentioned := slices.IndexFunc(e.pieces, func(p piece) bool { return p.kind == column && !p.nested && nullable(p.name) })
	if mentioned < 0 {
		return ""
	}
	sql, _ := parseable(e.pieces)
	tree, err := pg.Parse("SELECT (" + sql + ")")
	if err != nil || onlyTarget(tree) == nil {
		return e.pieces[mentioned].name
	}
	n := nulls{nullable: nullable, otherwise: e.pieces[mentioned].name}
	return n.from(onlyTarget(tree))
}

// nulls looks for columns that make an expression NULL.
type nulls struct {
	nullable  func(string) bool
	otherwise string // the answer for nodes that it does not know
}

func (s nulls) from(n *pg.Node) string {
	switch x := n.GetNode().(type) {
	case nil, *pg.Node_AConst, *pg.Node_NullTest, *pg.Node_BooleanTest, *pg.Node_AArrayExpr, *pg.Node_RowExpr, *pg.Node_SqlvalueFunction:
		return "" // a NULL that is written down comes from no column
	case *pg.Node_ColumnRef:
		last := x.ColumnRef.Fields[len(x.ColumnRef.Fields)-1].GetString_()
		if last != nil && s.nullable(last.Sval) {
			return last.Sval
		}
		return ""
	case *pg.Node_TypeCast:
		return s.from(x.TypeCast.Arg)
	case *pg.Node_CollateClause:
		return s.from(x.CollateClause.Arg)
	case *pg.Node_CoalesceExpr:
		return s.all(x.CoalesceExpr.Args)
	case *pg.Node_MinMaxExpr: // greatest and least pass over NULL
		return s.all(x.MinMaxExpr.Args)
	case *pg.Node_AExpr:
		return s.operator(x.AExpr)
	case *pg.Node_FuncCall:
		return s.any(x.FuncCall.Args)
	case *pg.Node_CaseExpr:
		return s.caseOf(x.CaseExpr)
	}
	return s.otherwise
}

// any is for what is NULL when one of its parts is.
func (s nulls) any(parts []*pg.Node) string {
	for _, p := range parts {
		if name := s.from(p); name != "" {
			return name
		}
	}
	return ""
}

// all is for what is NULL when all of its parts are.
func (s nulls) all(parts []*pg.Node) string {
	name := ""
	for _, p := range parts {
		own := s.from(p)
		if own == "" && !isNullLiteral(p) {
			return ""
		}
		if name == "" {
			name = own
		}
	}
	return name
}

func (s nulls) operator(e *pg.A_Expr) string {
	switch e.Kind {
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return ""
	case pg.A_Expr_Kind_AEXPR_OP:
		return s.any([]*pg.Node{e.Lexpr, e.Rexpr})
	}
	return s.otherwise
}

// caseOf looks at the results. Without an ELSE the rest is NULL, which can be a
// way to leave rows out.
func (s nulls) caseOf(e *pg.CaseExpr) string {
	if e.Defresult == nil {
		return s.otherwise
	}
	results := []*pg.Node{e.Defresult}
	for _, w := range e.Args {
		results = append(results, w.GetCaseWhen().GetResult())
	}
	return s.any(results)
}
