package pgsql

import (
	"fmt"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// strengths are the row locks, weakest first, as SQL spells them.
var strengths = []struct {
	sql      string
	strength pg.LockClauseStrength
}{
	{"FOR KEY SHARE", pg.LockClauseStrength_LCS_FORKEYSHARE},
	{"FOR SHARE", pg.LockClauseStrength_LCS_FORSHARE},
	{"FOR NO KEY UPDATE", pg.LockClauseStrength_LCS_FORNOKEYUPDATE},
	{"FOR UPDATE", pg.LockClauseStrength_LCS_FORUPDATE},
}

// WithoutRowLocks gives, for each FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE and
// FOR KEY SHARE, the statement without it. SKIP LOCKED and NOWAIT go with it.
func (s *Statement) WithoutRowLocks() ([]Edit, error) {
	e := s.edits()
	for _, sel := range locking(e.tree) {
		all := sel.LockingClause
		for i, n := range all {
			sel.LockingClause = slices.Delete(slices.Clone(all), i, i+1)
			e.add(lockText(n.GetLockingClause()))
		}
		sel.LockingClause = all
	}
	return e.result()
}

// WithRowLocks gives, for each row lock of another strength, the statement with
// that lock changed to strength: "FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE" or
// "FOR KEY SHARE".
func (s *Statement) WithRowLocks(strength string) ([]Edit, error) {
	for _, k := range strengths {
		if k.sql == strength {
			return s.changeLocks(func(l *pg.LockingClause) { l.Strength = k.strength })
		}
	}
	return nil, fmt.Errorf("%q is no row lock; write FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE or FOR KEY SHARE", strength)
}

// WithoutSkipLocked gives, for each row lock with SKIP LOCKED or NOWAIT, the
// statement that waits for the row instead.
func (s *Statement) WithoutSkipLocked() ([]Edit, error) {
	return s.changeLocks(func(l *pg.LockingClause) { l.WaitPolicy = pg.LockWaitPolicy_LockWaitBlock })
}

// changeLocks gives an edit for each lock that change makes another of.
func (s *Statement) changeLocks(change func(*pg.LockingClause)) ([]Edit, error) {
	e := s.edits()
	for _, sel := range locking(e.tree) {
		for i, n := range sel.LockingClause {
			old := n.GetLockingClause()
			changed := proto.Clone(old).(*pg.LockingClause)
			change(changed)
			if proto.Equal(old, changed) {
				continue
			}
			sel.LockingClause[i] = &pg.Node{Node: &pg.Node_LockingClause{LockingClause: changed}}
			e.add(lockText(old))
			sel.LockingClause[i] = n
		}
	}
	return e.result()
}

// WithoutOrder gives, for each SELECT that locks rows in an order, or feeds an
// INSERT that meets rows in one, the statement that does it in any: in the order
// in which they are found.
func (s *Statement) WithoutOrder() ([]Edit, error) {
	return s.changeOrder(func([]*pg.Node) []*pg.Node { return nil })
}

// ReversedOrder gives, for each SELECT that locks rows in an order, or feeds an
// INSERT that meets rows in one, the statement that does it in the opposite one.
func (s *Statement) ReversedOrder() ([]Edit, error) {
	return s.changeOrder(func(order []*pg.Node) []*pg.Node {
		reversed := make([]*pg.Node, len(order))
		for i, n := range order {
			reversed[i] = proto.Clone(n).(*pg.Node)
			reverse(reversed[i].GetSortBy())
		}
		return reversed
	})
}

func (s *Statement) changeOrder(change func([]*pg.Node) []*pg.Node) ([]Edit, error) {
	e := s.edits()
	for _, sel := range append(locking(e.tree), meeting(e.tree)...) {
		order := sel.SortClause
		if len(order) == 0 || slices.ContainsFunc(order, usesOperator) {
			continue
		}
		sel.SortClause = change(order)
		e.add(orderText(order), order...)
		sel.SortClause = order
	}
	return e.result()
}

// usesOperator reports whether ORDER BY ... USING an operator, which has no
// opposite that is known here.
func usesOperator(n *pg.Node) bool {
	return n.GetSortBy().GetSortbyDir() == pg.SortByDir_SORTBY_USING
}

func reverse(s *pg.SortBy) {
	if s.SortbyDir == pg.SortByDir_SORTBY_DESC {
		s.SortbyDir = pg.SortByDir_SORTBY_ASC
	} else {
		s.SortbyDir = pg.SortByDir_SORTBY_DESC
	}
	// Without a word of its own, NULLS turns round with the direction.
	switch s.SortbyNulls {
	case pg.SortByNulls_SORTBY_NULLS_FIRST:
		s.SortbyNulls = pg.SortByNulls_SORTBY_NULLS_LAST
	case pg.SortByNulls_SORTBY_NULLS_LAST:
		s.SortbyNulls = pg.SortByNulls_SORTBY_NULLS_FIRST
	}
}

// locking finds the SELECTs that lock rows.
func locking(tree proto.Message) []*pg.SelectStmt {
	var found []*pg.SelectStmt
	for m := range nodes(tree) {
		if sel, ok := m.(*pg.SelectStmt); ok && len(sel.LockingClause) > 0 {
			found = append(found, sel)
		}
	}
	return found
}

// meeting finds the SELECTs whose rows an INSERT … ON CONFLICT brings in: it locks
// those that it meets.
func meeting(tree proto.Message) []*pg.SelectStmt {
	var found []*pg.SelectStmt
	for m := range nodes(tree) {
		insert, ok := m.(*pg.InsertStmt)
		if !ok || insert.OnConflictClause == nil {
			continue
		}
		if sel := insert.SelectStmt.GetSelectStmt(); sel != nil && len(sel.LockingClause) == 0 {
			found = append(found, sel)
		}
	}
	return found
}

// lockText spells a row lock.
func lockText(l *pg.LockingClause) string {
	var words []string
	for _, k := range strengths {
		if k.strength == l.Strength {
			words = append(words, k.sql)
		}
	}
	if len(l.LockedRels) > 0 {
		var tables []string
		for _, n := range l.LockedRels {
			tables = append(tables, n.GetRangeVar().GetRelname())
		}
		words = append(words, "OF", strings.Join(tables, ", "))
	}
	switch l.WaitPolicy {
	case pg.LockWaitPolicy_LockWaitSkip:
		words = append(words, "SKIP LOCKED")
	case pg.LockWaitPolicy_LockWaitError:
		words = append(words, "NOWAIT")
	}
	return strings.Join(words, " ")
}

// orderText spells an ORDER BY.
func orderText(order []*pg.Node) string {
	sql, err := deparse(query(&pg.SelectStmt{TargetList: []*pg.Node{pg.MakeResTargetNodeWithVal(null(), 0)}, SortClause: order}))
	if err != nil {
		return "ORDER BY"
	}
	return strings.TrimPrefix(sql, "SELECT NULL ")
}
