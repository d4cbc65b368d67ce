package pgsql

import (
	pg "github.com/pganalyze/pg_query_go/v5"
)

// LabelRef is a string literal that a column is compared with, as in
// status <> 'held' or status IN ('held', 'free').
type LabelRef struct {
	// Column is the column as PostgreSQL folds it.
	Column string
	// Text is the literal's value.
	Text string
	// Offset and Length are the bytes of the literal in the parsed text. Offset
	// is -1 when a rewrite put it there.
	Offset, Length int
}

// Labels returns all string literals that columns are compared with by =, <> or
// IN, in the order of the text. A caller that knows a column's values finds
// misspelt ones there, which no server refuses where the column is a text.
func (f fragment) Labels() []LabelRef {
	var refs []LabelRef
	for _, p := range f.pieces {
		for _, m := range p.marks {
			if m.kind == label && !m.nested {
				refs = append(refs, LabelRef{Column: m.name, Text: m.schema, Offset: p.offset, Length: p.length})
			}
		}
	}
	return refs
}

// labels marks the literals that a comparison puts beside a column.
func (w *walker) labels(e *pg.A_Expr, nested bool) {
	switch e.Kind {
	case pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_IN, pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
	default:
		return
	}
	if op := operator(e); op != "=" && op != "<>" {
		return
	}
	for _, sides := range [][2]*pg.Node{{e.Lexpr, e.Rexpr}, {e.Rexpr, e.Lexpr}} {
		column := sides[0].GetColumnRef()
		if column == nil || len(column.Fields) == 0 || column.Fields[len(column.Fields)-1].GetString_() == nil {
			continue
		}
		name := column.Fields[len(column.Fields)-1].GetString_().Sval
		literals := []*pg.Node{sides[1]}
		if list := sides[1].GetList(); list != nil {
			literals = list.Items
		}
		for _, n := range literals {
			if cast := n.GetTypeCast(); cast != nil {
				n = cast.Arg
			}
			if c := n.GetAConst(); c.GetSval() != nil {
				w.mark(c.Location, mark{kind: label, name: name, schema: c.GetSval().Sval, nested: nested})
			}
		}
	}
}
