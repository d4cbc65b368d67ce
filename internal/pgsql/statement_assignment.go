package pgsql

import (
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// WithoutAssignments gives, for each item of each SET, the statement that does
// not set it: of UPDATEs, those of CTEs too, and of ON CONFLICT DO UPDATE. The
// only item of a SET is set to what it is instead. SET (a, b) = (...) is left
// alone.
//
// The error joins those of edits that cannot be printed; the others are returned
// beside it.
func (s *Statement) WithoutAssignments() ([]Edit, error) {
	e := s.edits()
	for _, set := range assignments(e.tree) {
		all := *set.items
		for i, n := range all {
			item := n.GetResTarget()
			if item.Val.GetMultiAssignRef() != nil {
				continue
			}
			*set.items = slices.Delete(slices.Clone(all), i, i+1)
			if len(all) == 1 {
				*set.items = []*pg.Node{assign(item, reference(nameOf(set.table), item.Name))}
			}
			e.add(assignmentText(item), n, reference(item.Name))
		}
		*set.items = all
	}
	return e.result()
}

// WithValues gives, for each item of a SET that assigns to the column, the
// statement that assigns expr instead: fence, so that a fence stays as it is.
// expr is one SQL expression.
//
// The error is that expr is none, or joins those of edits that cannot be printed;
// the others are returned beside it.
func (s *Statement) WithValues(column, expr string) ([]Edit, error) {
	value, err := exprNode(expr)
	if err != nil {
		return nil, err
	}
	e := s.edits()
	for _, set := range assignments(e.tree) {
		for i, n := range *set.items {
			item := n.GetResTarget()
			if item.Name != column || len(item.Indirection) > 0 || item.Val.GetMultiAssignRef() != nil {
				continue
			}
			(*set.items)[i] = assign(item, value)
			e.add(assignmentText(item), n, reference(item.Name))
			(*set.items)[i] = n
		}
	}
	return e.result()
}

// assignment is a SET: its items and the table whose columns they are.
type assignment struct {
	items *[]*pg.Node
	table *pg.RangeVar
}

// assignments finds the SETs of a statement.
func assignments(tree proto.Message) []assignment {
	var found []assignment
	for m := range nodes(tree) {
		switch x := m.(type) {
		case *pg.UpdateStmt:
			found = append(found, assignment{items: &x.TargetList, table: x.Relation})
		case *pg.InsertStmt:
			if c := x.OnConflictClause; c != nil && len(c.TargetList) > 0 {
				found = append(found, assignment{items: &c.TargetList, table: x.Relation})
			}
		}
	}
	return found
}

// assign makes an item of a SET with another value.
func assign(item *pg.ResTarget, value *pg.Node) *pg.Node {
	return pg.MakeResTargetNodeWithNameAndVal(item.Name, value, 0)
}

// assignmentText spells an item of a SET.
func assignmentText(item *pg.ResTarget) string {
	return fmt.Sprintf("%s = %s", text(reference(item.Name)), text(item.Val))
}
