package pgsql

import (
	"fmt"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// Query is one SELECT that only reads. It is immutable.
type Query struct {
	fragment
	tables  []TableRef
	names   []string
	typed   []CastRef
	targets int
	scopes  []scope
}

// TableRef is a mention of a table in a FROM clause, or of the one that is written.
type TableRef struct {
	// Name, Schema and Alias are folded; the latter two may be empty.
	Name, Schema, Alias string
	// Offset and Length are the bytes of the name in the parsed text, its schema
	// included.
	Offset, Length int
	scope          int
}

// ParseSelect reads a text that must be exactly one SELECT (or VALUES, TABLE or
// WITH ... SELECT) that neither writes nor locks.
func ParseSelect(text string, o Options) (*Query, *Error) {
	w, root, first, err := parseStatement(text, o)
	if err != nil {
		return nil, err
	}
	s := root.GetSelectStmt()
	if s == nil {
		return nil, &Error{
			Kind: NotExpression, Offset: first.offset, Length: first.length, Name: strings.ToUpper(first.text),
			Message: fmt.Sprintf("the %s must be one SELECT", o.what()),
		}
	}
	if err := w.walk(root); err != nil {
		return nil, err
	}
	typed := w.casts(root) // before the pieces are merged
	return &Query{fragment: fragment{pieces: w.merged()}, tables: w.sortedTables(), names: outputNames(root), typed: typed, targets: targetsOf(s), scopes: w.scopes}, nil
}

// parseStatement parses a text that must be one statement, and gives a walker for
// it and the first piece of the text.
func parseStatement(text string, o Options) (*walker, *pg.Node, piece, *Error) {
	pieces, err := scan(text)
	if err != nil {
		return nil, nil, piece{}, err
	}
	sql, starts := parseable(pieces)
	at := locator{text: text, sql: sql, to: len(sql), starts: starts}
	tree, parseErr := pg.Parse(sql)
	if parseErr != nil {
		return nil, nil, piece{}, syntaxError(parseErr, pieces, at, o)
	}
	first := pieces[0]
	if len(tree.GetStmts()) != 1 {
		return nil, nil, piece{}, &Error{
			Kind: Several, Offset: first.offset, Length: first.length, Name: strings.ToUpper(first.text),
			Message: fmt.Sprintf("the %s must be one statement", o.what()),
		}
	}
	return &walker{pieces: pieces, at: at}, tree.Stmts[0].GetStmt(), first, nil
}

// Tables returns all mentions of tables, in the order of the text. Names that a
// WITH clause defines are not among them.
func (q *Query) Tables() []TableRef { return slices.Clone(q.tables) }

// Names are the names that the query gives to tables, columns and values by itself:
// what one of its columns may mean beside a column of a table.
func (q *Query) Names() []string { return slices.Clone(q.names) }

// Targets is how many columns the result has; 0 when the text alone does not tell.
func (q *Query) Targets() int { return q.targets }

// WithTables spells tables otherwise. spell is called once for each mention; an
// empty text keeps it.
func (q *Query) WithTables(spell func(TableRef) string) *Query {
	c := *q
	c.pieces = retable(q.pieces, q.tables, spell)
	return &c
}

// retable exchanges the mentions of tables in pieces that still stand where they
// stood in the text.
func retable(pieces []piece, tables []TableRef, spell func(TableRef) string) []piece {
	var out []piece
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		at := slices.IndexFunc(tables, func(t TableRef) bool { return t.Offset == p.offset && t.Length > 0 })
		if at < 0 {
			out = append(out, p)
			continue
		}
		text := spell(tables[at])
		if text == "" {
			out = append(out, p)
			continue
		}
		end := tables[at].Offset + tables[at].Length
		q := inserted(text, p.token, p.gap)
		out = append(out, q)
		for i+1 < len(pieces) && pieces[i+1].offset < end {
			i++
		}
	}
	return out
}

// targetsOf counts the columns of a SELECT; 0 for one with a star, or without a
// list.
func targetsOf(s *pg.SelectStmt) int {
	for s.GetLarg() != nil {
		s = s.Larg
	}
	for _, t := range s.TargetList {
		for _, f := range t.GetResTarget().GetVal().GetColumnRef().GetFields() {
			if f.GetAStar() != nil {
				return 0
			}
		}
	}
	return len(s.TargetList)
}

// outputNames collects the aliases of a statement.
func outputNames(root *pg.Node) []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for m := range nodes(root) {
		switch x := m.(type) {
		case *pg.ResTarget:
			add(x.Name)
			add(implicitName(x.Val))
		case *pg.Alias:
			add(x.Aliasname)
			for _, c := range x.Colnames {
				add(c.GetString_().GetSval())
			}
		case *pg.CommonTableExpr:
			add(x.Ctename)
			for _, c := range x.Aliascolnames {
				add(c.GetString_().GetSval())
			}
		}
	}
	return names
}

// implicitName is what PostgreSQL calls a value that nobody names: the function that
// makes it.
func implicitName(n *pg.Node) string {
	if f := n.GetFuncCall(); f != nil && len(f.Funcname) > 0 {
		return f.Funcname[len(f.Funcname)-1].GetString_().GetSval()
	}
	return ""
}

// CastRef is a cast to a type.
type CastRef struct {
	Name           string // folded, without a schema
	Offset, Length int
}

// casts collects the casts to types that stand without a schema.
func (w *walker) casts(root *pg.Node) []CastRef {
	var list []CastRef
	for m := range nodes(root) {
		c, ok := m.(*pg.TypeCast)
		if !ok || len(c.TypeName.GetNames()) != 1 {
			continue
		}
		p := w.pieces[w.index(c.TypeName.Location)]
		list = append(list, CastRef{Name: c.TypeName.Names[0].GetString_().GetSval(), Offset: p.offset, Length: p.length})
	}
	return list
}

// Casts returns the casts to types that stand without a schema.
func (q *Query) Casts() []CastRef { return slices.Clone(q.typed) }

// Known reports a function of PostgreSQL's own, which every search_path finds.
func (f FunctionRef) Known() bool {
	_, known := builtins[f.Name]
	return known && (f.Schema == "" || f.Schema == "pg_catalog")
}
