package pgsql

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// WithoutConjuncts gives, for each part of each condition that is joined to the
// others by AND, the statement without that part: of every WHERE, those of CTEs,
// sub-selects and ON CONFLICT DO UPDATE too, and of every JOIN ... ON. The parts
// of the statement's own WHERE come before those of what it contains.
//
// The error joins those of edits that cannot be printed; the others are returned
// beside it.
func (s *Statement) WithoutConjuncts() ([]Edit, error) {
	e := s.edits()
	for _, condition := range conditions(e.tree) {
		whole := *condition.node
		parts := conjunctsOf(whole)
		for i, part := range parts {
			*condition.node = conjunction(slices.Delete(slices.Clone(parts), i, i+1))
			if *condition.node == nil && condition.needed {
				*condition.node = always()
			}
			e.add(text(part), part)
		}
		*condition.node = whole
	}
	return e.result()
}

// condition is a place in a tree where a condition stands.
type condition struct {
	node   **pg.Node
	needed bool // it cannot be left out: a JOIN needs its ON
}

// conditions finds the conditions that decide which rows a statement touches.
func conditions(tree proto.Message) []condition {
	var found []condition
	add := func(n **pg.Node, needed bool) {
		if *n != nil {
			found = append(found, condition{node: n, needed: needed})
		}
	}
	for m := range nodes(tree) {
		switch x := m.(type) {
		case *pg.SelectStmt:
			add(&x.WhereClause, false)
		case *pg.UpdateStmt:
			add(&x.WhereClause, false)
		case *pg.DeleteStmt:
			add(&x.WhereClause, false)
		case *pg.OnConflictClause:
			add(&x.WhereClause, false)
		case *pg.JoinExpr:
			add(&x.Quals, true)
		}
	}
	return found
}

// conjunctsOf splits a condition at its outermost ANDs.
func conjunctsOf(n *pg.Node) []*pg.Node {
	b := n.GetBoolExpr()
	if b == nil || b.Boolop != pg.BoolExprType_AND_EXPR {
		return []*pg.Node{n}
	}
	var parts []*pg.Node
	for _, arg := range b.Args {
		parts = append(parts, conjunctsOf(arg)...)
	}
	return parts
}

// conjunction joins conditions; none of them give nil.
func conjunction(parts []*pg.Node) *pg.Node {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return pg.MakeBoolExprNode(pg.BoolExprType_AND_EXPR, parts, 0)
}

// again is the alias under which a row is looked at a second time.
const again = "pawl_again"

// ConjunctsInSubselect gives, for each conjunct of the WHERE of an UPDATE or
// DELETE, the statement that asks it of the same row in a sub-select:
//
//	WHERE id = $1 AND (SELECT status = 'free' FROM app.seats AS pawl_again WHERE pawl_again.id = seats.id)
//
// It is the classic mistake: a statement that waited for a row asks the
// conditions on the row itself again, on the newest version, and in READ
// COMMITTED those of a sub-select on the snapshot of before. keys are the
// columns that identify a row. Conjuncts that name no column, or only keys, are
// left out, because for them nothing changes; statements of other kinds have no
// such edits.
//
// The error joins those of edits that cannot be printed; the others are returned
// beside it.
func (s *Statement) ConjunctsInSubselect(keys []string) ([]Edit, error) {
	e := s.edits()
	var where **pg.Node
	var table *pg.RangeVar
	switch x := e.tree.Stmts[0].Stmt.GetNode().(type) {
	case *pg.Node_UpdateStmt:
		where, table = &x.UpdateStmt.WhereClause, x.UpdateStmt.Relation
	case *pg.Node_DeleteStmt:
		where, table = &x.DeleteStmt.WhereClause, x.DeleteStmt.Relation
	}
	if where == nil || *where == nil || len(keys) == 0 {
		return nil, nil
	}
	whole := *where
	parts := conjunctsOf(whole)
	for i, part := range parts {
		if !namesOther(part, keys) {
			continue
		}
		moved := slices.Clone(parts)
		moved[i] = askedAgain(part, table, keys)
		*where = conjunction(moved)
		e.add(text(part), part)
	}
	return e.result()
}

// namesOther reports whether a condition names a column that is no key.
func namesOther(n *pg.Node, keys []string) bool {
	for m := range nodes(n) {
		if c, ok := m.(*pg.ColumnRef); ok && !slices.Contains(keys, columnName(c)) {
			return true
		}
	}
	return false
}

// askedAgain makes (SELECT condition FROM table AS again WHERE again.key = table.key).
// Bare names in the condition become those of the inner row by themselves;
// qualified ones are turned to it.
func askedAgain(n *pg.Node, table *pg.RangeVar, keys []string) *pg.Node {
	n = proto.Clone(n).(*pg.Node)
	outer := nameOf(table)
	for m := range nodes(n) {
		if c, ok := m.(*pg.ColumnRef); ok && ofTable(c, table) {
			c.Fields = []*pg.Node{pg.MakeStrNode(again), c.Fields[len(c.Fields)-1]}
		}
	}
	same := make([]*pg.Node, len(keys))
	for i, key := range keys {
		same[i] = pg.MakeAExprNode(pg.A_Expr_Kind_AEXPR_OP, []*pg.Node{pg.MakeStrNode("=")}, reference(again, key), reference(outer, key), 0)
	}
	inner := proto.Clone(table).(*pg.RangeVar)
	inner.Alias = &pg.Alias{Aliasname: again}
	from := &pg.Node{Node: &pg.Node_RangeVar{RangeVar: inner}}
	return selected(&pg.SelectStmt{
		TargetList:  []*pg.Node{pg.MakeResTargetNodeWithVal(n, 0)},
		FromClause:  []*pg.Node{from},
		WhereClause: conjunction(same),
	})
}

// selected makes a sub-select that gives one value.
func selected(s *pg.SelectStmt) *pg.Node {
	return &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{
		SubLinkType: pg.SubLinkType_EXPR_SUBLINK,
		Subselect:   query(s).Stmts[0].Stmt,
	}}}
}

// nameOf returns the name that qualifies a table's columns.
func nameOf(table *pg.RangeVar) string {
	if alias := table.Alias.GetAliasname(); alias != "" {
		return alias
	}
	return table.Relname
}

// ofTable reports whether a reference is qualified with the table's name.
func ofTable(c *pg.ColumnRef, table *pg.RangeVar) bool {
	names := make([]string, 0, len(c.Fields))
	for _, f := range c.Fields {
		names = append(names, f.GetString_().GetSval())
	}
	switch len(names) {
	case 2:
		return names[0] == nameOf(table)
	case 3:
		return table.Alias == nil && names[0] == table.Schemaname && names[1] == table.Relname
	}
	return false
}
