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
	tables []TableRef
}

// TableRef is a mention of a table in a FROM clause.
type TableRef struct {
	// Name, Schema and Alias are folded; the latter two may be empty.
	Name, Schema, Alias string
	// Offset and Length are the bytes of the name in the parsed text, its schema
	// included.
	Offset, Length int
}

// ParseSelect reads a text that must be exactly one SELECT (or VALUES, TABLE or
// WITH ... SELECT) that neither writes nor locks.
func ParseSelect(text string, o Options) (*Query, *Error) {
	pieces, err := scan(text)
	if err != nil {
		return nil, err
	}
	sql, starts := parseable(pieces)
	at := locator{text: text, sql: sql, to: len(sql), starts: starts}
	tree, parseErr := pg.Parse(sql)
	if parseErr != nil {
		return nil, syntaxError(parseErr, pieces, at, o)
	}
	first := pieces[0]
	if len(tree.GetStmts()) != 1 || tree.Stmts[0].GetStmt().GetSelectStmt() == nil {
		return nil, &Error{
			Kind: NotExpression, Offset: first.offset, Length: first.length, Name: strings.ToUpper(first.text),
			Message: fmt.Sprintf("the %s must be one SELECT", o.what()),
		}
	}
	w := walker{pieces: pieces, at: at}
	if err := w.walk(tree.Stmts[0].Stmt); err != nil {
		return nil, err
	}
	slices.SortFunc(w.tables, func(a, b TableRef) int { return a.Offset - b.Offset })
	return &Query{fragment: fragment{pieces: w.merged()}, tables: w.tables}, nil
}

// Tables returns all mentions of tables, in the order of the text. Names that a
// WITH clause defines are not among them.
func (q *Query) Tables() []TableRef { return slices.Clone(q.tables) }
