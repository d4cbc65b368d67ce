package pgsql

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// Write is one INSERT, UPDATE or DELETE that returns nothing. It is immutable.
type Write struct {
	fragment
	// Verb is INSERT, UPDATE or DELETE.
	Verb   string
	target TableRef
	tables []TableRef
	names  []string
	sets   []string
	// conflicts is the place of ON CONFLICT; its length is 0 when there is none.
	conflicts ColumnRef
}

// ParseWrite reads a text that must be exactly one INSERT, UPDATE or DELETE, with
// no other write inside it and without RETURNING.
func ParseWrite(text string, o Options) (*Write, *Error) {
	w, root, first, err := parseStatement(text, o)
	if err != nil {
		return nil, err
	}
	written := &Write{names: outputNames(root)}
	var relation *pg.RangeVar
	var returning []*pg.Node
	switch x := root.GetNode().(type) {
	case *pg.Node_InsertStmt:
		written.Verb, relation, returning = "INSERT", x.InsertStmt.Relation, x.InsertStmt.ReturningList
		written.sets = targetNames(x.InsertStmt.Cols)
		if c := x.InsertStmt.OnConflictClause; c != nil {
			p := w.pieces[w.index(c.Location)]
			written.conflicts = ColumnRef{Offset: p.offset, Length: p.length}
		}
	case *pg.Node_UpdateStmt:
		written.Verb, relation, returning = "UPDATE", x.UpdateStmt.Relation, x.UpdateStmt.ReturningList
		written.sets = targetNames(x.UpdateStmt.TargetList)
	case *pg.Node_DeleteStmt:
		written.Verb, relation, returning = "DELETE", x.DeleteStmt.Relation, x.DeleteStmt.ReturningList
	default:
		return nil, &Error{
			Kind: NotExpression, Offset: first.offset, Length: first.length, Name: strings.ToUpper(first.text),
			Message: fmt.Sprintf("the %s must be one INSERT, UPDATE or DELETE", o.what()),
		}
	}
	if len(returning) > 0 {
		return nil, &Error{
			Kind: NotExpression, Offset: first.offset, Length: first.length, Name: "RETURNING",
			Message: fmt.Sprintf("the %s returns rows, and nobody would read them", o.what()), Help: "leave RETURNING out",
		}
	}
	w.table(relation)
	written.target = w.tables[len(w.tables)-1]
	if err := w.walkInside(root); err != nil {
		return nil, err
	}
	written.fragment = fragment{pieces: w.merged()}
	written.tables = w.sortedTables()
	return written, nil
}

// targetNames are the columns that a list of targets names.
func targetNames(targets []*pg.Node) []string {
	var names []string
	for _, t := range targets {
		if name := t.GetResTarget().GetName(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Target is the table that is written.
func (w *Write) Target() TableRef { return w.target }

// Tables returns all mentions of tables, that of the target among them.
func (w *Write) Tables() []TableRef { return append([]TableRef(nil), w.tables...) }

// Names are the names that the statement gives by itself, as of [Query.Names].
func (w *Write) Names() []string { return append([]string(nil), w.names...) }

// Sets are the columns that the statement names as its targets: none for a DELETE,
// and for an INSERT without a list.
func (w *Write) Sets() []string { return append([]string(nil), w.sets...) }

// OnConflict is where ON CONFLICT stands; ok is false when it does not.
func (w *Write) OnConflict() (offset, length int, ok bool) {
	return w.conflicts.Offset, w.conflicts.Length, w.conflicts.Length > 0
}

// WithTables spells tables otherwise, as [Query.WithTables] does.
func (w *Write) WithTables(spell func(TableRef) string) *Write {
	c := *w
	c.pieces = retable(w.pieces, w.tables, spell)
	return &c
}
