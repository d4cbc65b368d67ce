package pgsql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Statement is one whole DML statement that can be rewritten: a SELECT, INSERT,
// UPDATE, DELETE or MERGE with parameters $n. Where an Expr keeps the text that
// a person wrote, a Statement is a tree, and what it prints is PostgreSQL's own
// spelling of that tree; the text is for a machine to run and for a person to
// compare.
//
// Its rewrites break a statement on purpose, each in one place, so that a check
// can show that it notices. A Statement is immutable and safe for concurrent use.
type Statement struct {
	comment string // the comments in front, as they were written
	tree    *pg.ParseResult
}

// Edit is a statement that differs from the one it was made of in one place.
type Edit struct {
	// SQL is the statement as it is now, with the comment that stood in front.
	SQL string
	// Removed is what went away or was changed, as PostgreSQL spells it: a
	// condition, "FOR UPDATE", "ORDER BY id", "fence = fence + 1".
	Removed string
	// Columns are the columns that Removed names, without qualifiers, each once.
	Columns []string
	// Params are the numbers n of the parameters $n that Removed names, each once.
	Params []int
}

// ParseStatement reads a text that must be exactly one DML statement. The error
// says what else it is, or that its tree cannot be printed so that PostgreSQL
// reads the same tree again.
func ParseStatement(sql string) (*Statement, error) {
	comment, err := leadingComment(sql)
	if err != nil {
		return nil, err
	}
	tree, err := pg.Parse(sql)
	if err != nil {
		message, _ := describe(err)
		return nil, fmt.Errorf("this statement cannot be parsed: %s", message)
	}
	if len(tree.Stmts) != 1 {
		return nil, fmt.Errorf("one statement is needed, and there are %d", len(tree.Stmts))
	}
	switch tree.Stmts[0].Stmt.GetNode().(type) {
	case *pg.Node_SelectStmt, *pg.Node_InsertStmt, *pg.Node_UpdateStmt, *pg.Node_DeleteStmt, *pg.Node_MergeStmt:
	default:
		return nil, errors.New("only SELECT, INSERT, UPDATE, DELETE and MERGE can be rewritten")
	}
	if tree.Stmts[0].Stmt.GetSelectStmt().GetIntoClause() != nil {
		return nil, errors.New("SELECT INTO makes a table, and only statements that use tables can be rewritten")
	}
	s := &Statement{comment: comment, tree: tree}
	if _, err := s.print(tree); err != nil {
		return nil, err
	}
	return s, nil
}

// SQL returns the statement unchanged, spelled as its edits are: a comparison
// with one of them shows nothing but the edit.
func (s *Statement) SQL() string {
	sql, err := s.print(s.tree)
	if err != nil {
		panic("pgsql: a statement that was printed once cannot be printed again: " + err.Error())
	}
	return sql
}

// leadingComment returns the comments that a text begins with.
func leadingComment(sql string) (string, error) {
	scanned, err := pg.Scan(sql)
	if err != nil {
		message, _ := describe(err)
		return "", fmt.Errorf("this statement cannot be read: %s", message)
	}
	end := 0
	for _, t := range scanned.Tokens {
		if t.Token != pg.Token_C_COMMENT && t.Token != pg.Token_SQL_COMMENT {
			break
		}
		end = int(t.End)
	}
	return strings.TrimSpace(sql[:end]), nil
}

// print gives the text of a tree, and makes sure that it is the text of that
// tree and no other.
func (s *Statement) print(tree *pg.ParseResult) (string, error) {
	sql, err := deparse(tree)
	if err != nil {
		return "", err
	}
	switch {
	case s.comment == "":
		return sql, nil
	case strings.HasPrefix(s.comment, "--") || strings.Contains(s.comment, "\n--"):
		return s.comment + "\n" + sql, nil
	}
	return s.comment + " " + sql, nil
}

// deparse prints a tree so that PostgreSQL reads the same tree again. It goes
// around two mistakes of the deparser. It drops the parentheses of a conjunction
// under IS and ::, as in (a AND b) IS NULL; that is printed as COALESCE(a AND b),
// which means the same. And it leaves no blank behind FOR UPDATE OF t when SKIP
// LOCKED follows.
func deparse(tree *pg.ParseResult) (string, error) {
	sql, err := pg.Deparse(tree)
	if err != nil {
		return "", fmt.Errorf("the statement cannot be printed from its tree: %w", err)
	}
	if reads(sql, tree) {
		return sql, nil
	}
	guarded := proto.Clone(tree).(*pg.ParseResult)
	guardConjunctions(guarded)
	marked := proto.Clone(guarded).(*pg.ParseResult)
	markLockedTables(marked)
	sql, err = pg.Deparse(marked)
	if err != nil {
		return "", fmt.Errorf("the statement cannot be printed from its tree: %w", err)
	}
	sql = strings.ReplaceAll(sql, lockedTable, " ")
	if !reads(sql, guarded) {
		return "", fmt.Errorf("PostgreSQL would read the statement otherwise than it was meant when printed from its tree: %s", sql)
	}
	return sql, nil
}

// reads reports whether a text has a certain tree.
func reads(sql string, tree *pg.ParseResult) bool {
	again, err := pg.Parse(sql)
	return err == nil && len(again.Stmts) == len(tree.Stmts) && proto.Equal(placeless(tree), placeless(again))
}

// lockedTable ends the name of a table in marked trees; a blank takes its place.
const lockedTable = "_pawl_locked_table"

// markLockedTables marks the last table of each lock that names some. A name in
// quotes needs no blank behind it, and could not be marked so.
func markLockedTables(tree proto.Message) {
	for m := range nodes(tree) {
		l, ok := m.(*pg.LockingClause)
		if !ok || len(l.LockedRels) == 0 || l.WaitPolicy == pg.LockWaitPolicy_LockWaitBlock {
			continue
		}
		table := l.LockedRels[len(l.LockedRels)-1].GetRangeVar()
		if !strings.ContainsFunc(table.GetRelname(), func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
			table.Relname += lockedTable
		}
	}
}

// guardConjunctions puts COALESCE around each conjunction that an IS or a cast
// applies to.
func guardConjunctions(tree proto.Message) {
	for m := range nodes(tree) {
		var arg **pg.Node
		switch x := m.(type) {
		case *pg.NullTest:
			arg = &x.Arg
		case *pg.BooleanTest:
			arg = &x.Arg
		case *pg.TypeCast:
			arg = &x.Arg
		default:
			continue
		}
		if (*arg).GetBoolExpr() != nil {
			*arg = &pg.Node{Node: &pg.Node_CoalesceExpr{CoalesceExpr: &pg.CoalesceExpr{Args: []*pg.Node{*arg}}}}
		}
	}
}

// placeless returns a copy of a tree without what depends on the text alone.
func placeless(tree *pg.ParseResult) *pg.ParseResult {
	c := proto.Clone(tree).(*pg.ParseResult)
	c.Version, c.Stmts[0].StmtLocation, c.Stmts[0].StmtLen = 0, 0, 0
	for m := range nodes(c) {
		r := m.ProtoReflect()
		if f := r.Descriptor().Fields().ByName("location"); f != nil {
			r.Clear(f)
		}
	}
	return c
}

// nodes yields every message below root, and root itself, always in the same
// order: one before what it holds.
func nodes(root proto.Message) func(yield func(proto.Message) bool) {
	return func(yield func(proto.Message) bool) { descend(root.ProtoReflect(), yield) }
}

func descend(m protoreflect.Message, yield func(proto.Message) bool) bool {
	if !m.IsValid() {
		return true
	}
	if !yield(m.Interface()) {
		return false
	}
	// By the list of fields, since Range has no order that could be relied on.
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.Kind() != protoreflect.MessageKind || !m.Has(f):
		case f.IsList():
			for j := range m.Get(f).List().Len() {
				if !descend(m.Get(f).List().Get(j).Message(), yield) {
					return false
				}
			}
		default:
			if !descend(m.Get(f).Message(), yield) {
				return false
			}
		}
	}
	return true
}

// edits collects the edits of one rewrite, which changes tree, has it printed,
// and puts back what it changed.
type edits struct {
	statement *Statement
	tree      *pg.ParseResult // a copy for this rewrite alone
	list      []Edit
	errs      []error
}

func (s *Statement) edits() *edits {
	return &edits{statement: s, tree: proto.Clone(s.tree).(*pg.ParseResult)}
}

// add prints the tree as it is now. named holds what went away, for its columns
// and parameters.
func (e *edits) add(removed string, named ...*pg.Node) {
	sql, err := e.statement.print(withParameters(e.tree, e.statement.tree))
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("without %s: %w", removed, err))
		return
	}
	edit := Edit{SQL: sql, Removed: removed}
	for _, n := range named {
		for m := range nodes(n) {
			switch x := m.(type) {
			case *pg.ColumnRef:
				if name := columnName(x); name != "" && !slices.Contains(edit.Columns, name) {
					edit.Columns = append(edit.Columns, name)
				}
			case *pg.ParamRef:
				if !slices.Contains(edit.Params, int(x.Number)) {
					edit.Params = append(edit.Params, int(x.Number))
				}
			}
		}
	}
	e.list = append(e.list, edit)
}

func (e *edits) result() ([]Edit, error) { return e.list, errors.Join(e.errs...) }

// columnName returns the last name of a reference, or "" when that is a star.
func columnName(c *pg.ColumnRef) string {
	if len(c.Fields) == 0 {
		return ""
	}
	return c.Fields[len(c.Fields)-1].GetString_().GetSval()
}

// reference makes a reference to a column.
func reference(names ...string) *pg.Node {
	fields := make([]*pg.Node, len(names))
	for i, name := range names {
		fields[i] = pg.MakeStrNode(name)
	}
	return pg.MakeColumnRefNode(fields, 0)
}

// always makes the constant true.
func always() *pg.Node {
	return &pg.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: &pg.A_Const_Boolval{Boolval: &pg.Boolean{Boolval: true}}}}}
}

// null makes the constant NULL.
func null() *pg.Node {
	return &pg.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Isnull: true}}}
}

// text prints an expression.
func text(n *pg.Node) string {
	sql, err := deparse(query(&pg.SelectStmt{TargetList: []*pg.Node{pg.MakeResTargetNodeWithVal(n, 0)}}))
	if err != nil {
		return "a condition that cannot be printed alone"
	}
	return strings.TrimPrefix(sql, "SELECT ")
}

// query makes the tree of one SELECT.
func query(s *pg.SelectStmt) *pg.ParseResult {
	s.LimitOption, s.Op = pg.LimitOption_LIMIT_OPTION_DEFAULT, pg.SetOperation_SETOP_NONE
	return &pg.ParseResult{Stmts: []*pg.RawStmt{{Stmt: &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: s}}}}}
}

// exprNode reads one expression of the caller's.
func exprNode(sql string) (*pg.Node, error) {
	tree, err := pg.Parse("SELECT " + sql)
	if err != nil {
		message, _ := describe(err)
		return nil, fmt.Errorf("%s is no expression: %s", sql, message)
	}
	root := onlyTarget(tree)
	if root == nil {
		return nil, fmt.Errorf("%s is not exactly one expression", sql)
	}
	return root, nil
}
