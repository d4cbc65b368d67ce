package pgsql

import (
	"maps"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// arguments is the name of the CTE that mentions parameters which an edit left
// without a use.
const arguments = "pawl_arguments"

// withParameters returns tree with each parameter of the original mentioned.
// Whoever runs an edit gives it the arguments of the original, and PostgreSQL
// refuses one whose type nothing tells (42P18). A CTE that nobody reads is never
// executed, so it changes nothing else.
func withParameters(tree, original *pg.ParseResult) *pg.ParseResult {
	all, left := parameters(original), parameters(tree)
	var targets []*pg.Node
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if left[n] == nil {
			targets = append(targets, pg.MakeResTargetNodeWithVal(all[n], 0))
		}
	}
	if len(targets) == 0 {
		return tree
	}
	tree = proto.Clone(tree).(*pg.ParseResult)
	with := withClause(tree.Stmts[0].Stmt)
	if *with == nil {
		*with = &pg.WithClause{}
	}
	mention := &pg.CommonTableExpr{
		Ctename: arguments, Ctematerialized: pg.CTEMaterialize_CTEMaterializeDefault,
		Ctequery: query(&pg.SelectStmt{TargetList: targets}).Stmts[0].Stmt,
	}
	(*with).Ctes = append([]*pg.Node{{Node: &pg.Node_CommonTableExpr{CommonTableExpr: mention}}}, (*with).Ctes...)
	return tree
}

// parameters returns a mention of each parameter of a tree, by its number: with
// the type that it is cast to, where it is.
func parameters(tree proto.Message) map[int32]*pg.Node {
	found := make(map[int32]*pg.Node)
	for m := range nodes(tree) {
		n, ok := m.(*pg.Node)
		if !ok {
			continue
		}
		if p := n.GetTypeCast().GetArg().GetParamRef(); p != nil {
			found[p.Number] = n
		}
		if p := n.GetParamRef(); p != nil && found[p.Number] == nil {
			found[p.Number] = n
		}
	}
	return found
}

// withClause returns where the WITH of a statement stands.
func withClause(n *pg.Node) **pg.WithClause {
	switch x := n.GetNode().(type) {
	case *pg.Node_InsertStmt:
		return &x.InsertStmt.WithClause
	case *pg.Node_UpdateStmt:
		return &x.UpdateStmt.WithClause
	case *pg.Node_DeleteStmt:
		return &x.DeleteStmt.WithClause
	case *pg.Node_MergeStmt:
		return &x.MergeStmt.WithClause
	}
	return &n.GetSelectStmt().WithClause
}
