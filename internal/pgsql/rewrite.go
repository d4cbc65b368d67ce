package pgsql

import (
	"slices"
	"strings"
	"sync"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// derive makes the result of a rewrite. Its pieces come from different texts, so
// they have no offset any more.
func derive(pieces []piece) *Expr {
	for i := range pieces {
		pieces[i].offset = -1
	}
	return compose(pieces)
}

// compose makes an expression of pieces. It is parsed again only when somebody
// asks for its values: most results of rewrites are only printed.
func compose(pieces []piece) *Expr {
	e := &Expr{fragment: fragment{pieces: pieces}}
	e.values = sync.OnceValue(func() truth {
		again, err := ParseExpr(e.SQL(), Options{})
		if err != nil {
			return anything // too deep for the parser
		}
		return again.values()
	})
	return e
}

// replace exchanges pieces. with returns what comes in place of one, or nil to
// keep it; element is set where an index or a field is taken of it, as in x[1].
func replace(pieces []piece, with func(p piece, element bool) []piece) []piece {
	out := make([]piece, 0, len(pieces))
	torn := false
	for i, p := range pieces {
		element := i+1 < len(pieces) && (pieces[i+1].token == openBracket || pieces[i+1].token == dot)
		instead := with(p, element)
		if instead != nil {
			first := len(out)
			out = append(out, instead...)
			out[first].gap = max(p.gap, loose)
			torn = true
			continue
		}
		if torn {
			p.gap = max(p.gap, loose)
		}
		torn = false
		out = append(out, p)
	}
	return out
}

// Substitute replaces columns by expressions, in parentheses where needed. The
// keys are folded names; the columns of sub-selects are left alone. It is how a
// CHECK becomes the weakest precondition of an assignment: with stock replaced by
// stock - @qty, the check stock >= 0 becomes (stock - @qty) >= 0.
func (e *Expr) Substitute(columns map[string]*Expr) *Expr {
	return derive(replace(e.pieces, func(p piece, element bool) []piece {
		by := columns[p.name]
		if p.kind != column || p.nested || by == nil {
			return nil
		}
		if element && len(by.pieces) == 1 {
			return []piece{inserted("(", openParen, loose), by.pieces[0], inserted(")", closeParen, loose)}
		}
		return parenthesised(by.pieces)
	}))
}

// Qualify puts a table, alias or record before every column, in place of what
// stood there. The qualifier is SQL text, quoted where it has to be; an empty one
// leaves bare names. The columns of sub-selects are left alone.
func (e *Expr) Qualify(qualifier string) *Expr {
	return derive(replace(e.pieces, func(p piece, _ bool) []piece {
		if p.kind != column || p.nested {
			return nil
		}
		p.text, p.qualifier = p.ident, ""
		if qualifier != "" {
			p.text, p.qualifier = qualifier+"."+p.ident, fold(qualifier)
		}
		return []piece{p}
	}))
}

// OverRecord makes the form that a trigger's WHEN needs, where the columns are
// those of the record OLD or NEW.
func (e *Expr) OverRecord(record string) *Expr { return e.Qualify(record) }

// RenameArgs gives arguments other names. rename is called once for each mention.
func (e *Expr) RenameArgs(rename func(name string) string) *Expr {
	return derive(replace(e.pieces, func(p piece, _ bool) []piece {
		if p.kind != argument {
			return nil
		}
		p.name = rename(p.name)
		p.text = "@" + p.name
		return []piece{p}
	}))
}

// fold gives a name as PostgreSQL reads it: without its quotes, or in lower case.
func fold(name string) string {
	if strings.HasPrefix(name, `"`) && strings.HasSuffix(name, `"`) && len(name) > 1 {
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return strings.ToLower(name)
}

// And joins conditions. No condition gives the expression true, a single one
// itself.
func And(conditions ...*Expr) *Expr {
	switch len(conditions) {
	case 0:
		return derive([]piece{inserted("true", pg.Token_TRUE_P, tight)})
	case 1:
		return conditions[0]
	}
	var pieces []piece
	for i, c := range conditions {
		if i > 0 {
			pieces = append(pieces, inserted("AND", pg.Token_AND, blank))
		}
		pieces = appendApart(pieces, c)
	}
	return derive(pieces)
}

// Not negates a condition. It is NULL where the condition is.
func Not(condition *Expr) *Expr {
	return derive(appendApart([]piece{inserted("NOT", pg.Token_NOT, tight)}, condition))
}

// Or joins two conditions, of which one is enough.
func Or(a, b *Expr) *Expr {
	pieces := append(appendApart(nil, a), inserted("OR", pg.Token_OR, blank))
	return derive(appendApart(pieces, b))
}

// IsNotFalse makes the condition as a CHECK takes it: NULL counts as kept.
func IsNotFalse(condition *Expr) *Expr {
	pieces := appendApart(nil, condition)
	for _, w := range []string{"IS", "NOT", "FALSE"} {
		pieces = append(pieces, inserted(w, pg.Token_IDENT, blank))
	}
	return derive(pieces)
}

// appendApart appends an expression in parentheses, a blank before them.
func appendApart(pieces []piece, e *Expr) []piece {
	first := len(pieces)
	pieces = append(pieces, parenthesised(slices.Clone(e.pieces))...)
	if first > 0 {
		pieces[first].gap = blank
	}
	return pieces
}
