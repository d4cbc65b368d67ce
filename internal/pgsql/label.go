package pgsql

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// LabelRef is a string literal that a column is compared with, as in
// status <> 'held', status IN ('held', 'free') or at > 'now'.
type LabelRef struct {
	// Column is the column as PostgreSQL folds it.
	Column string
	// Text is the literal's value.
	Text string
	// Ordered is set for <, >, <=, >= and BETWEEN.
	Ordered bool
	// Cast is the type that the literal is cast to, as PostgreSQL names it, or
	// empty.
	Cast string
	// Offset and Length are the bytes of the literal in the parsed text. Offset
	// is -1 when a rewrite put it there.
	Offset, Length int
}

// Labels returns all string literals that columns are compared with, in the order
// of the text. A caller that knows a column's values finds misspelt ones there,
// which no server refuses where the column is a text.
func (f fragment) Labels() []LabelRef {
	var refs []LabelRef
	for _, p := range f.pieces {
		for _, m := range p.marks {
			if (m.kind == label || m.kind == bound) && !m.nested {
				refs = append(refs, p.labelRef(m))
			}
		}
	}
	return refs
}

func (p piece) labelRef(m mark) LabelRef {
	return LabelRef{Column: m.name, Text: m.schema, Ordered: m.kind == bound, Cast: m.typ, Offset: p.offset, Length: p.length}
}

// ReplaceLabels exchanges the values of those literals. with returns the value
// that is left in place of one.
func (e *Expr) ReplaceLabels(with func(LabelRef) string) *Expr {
	return derive(replace(e.pieces, func(p piece, _ bool) []piece {
		for i, m := range p.marks {
			if m.kind != label && m.kind != bound || m.nested {
				continue
			}
			text := with(p.labelRef(m))
			if text == m.schema {
				return nil
			}
			p.marks = slices.Clone(p.marks)
			p.marks[i].schema = text
			p.text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
			return []piece{p}
		}
		return nil
	}))
}

// labels marks the literals that a comparison puts beside a column.
func (w *walker) labels(e *pg.A_Expr, nested bool) {
	var kind markKind
	switch e.Kind {
	case pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_IN, pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		switch operator(e) {
		case "=", "<>":
			kind = label
		case "<", "<=", ">", ">=":
			kind = bound
		default:
			return
		}
	case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN, pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		kind = bound
	default:
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
			typ := ""
			if cast := n.GetTypeCast(); cast != nil {
				names := cast.TypeName.GetNames()
				typ = names[len(names)-1].GetString_().GetSval()
				n = cast.Arg
			}
			if c := n.GetAConst(); c.GetSval() != nil {
				w.mark(c.Location, mark{kind: kind, name: name, schema: c.GetSval().Sval, nested: nested, typ: typ})
			}
		}
	}
}
