package pgsql

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// Conjuncts splits a condition at its outermost ANDs: all of them hold exactly
// when the condition holds. Parentheses around conjunctions are opened. The parts
// keep their offsets in the text.
func (e *Expr) Conjuncts() []*Expr {
	var parts []*Expr
	for _, pieces := range conjuncts(e.pieces) {
		part := slices.Clone(pieces)
		part[0].gap = tight
		parts = append(parts, compose(part))
	}
	return parts
}

// Offset returns the byte of the parsed text where the expression begins, and -1
// for the result of a rewrite.
func (e *Expr) Offset() int { return e.pieces[0].offset }

func conjuncts(pieces []piece) [][]piece {
	for opens(pieces) {
		pieces = pieces[1 : len(pieces)-1]
	}
	cuts, ok := outerAnds(pieces)
	if !ok || len(cuts) == 0 {
		return [][]piece{pieces}
	}
	var parts [][]piece
	from := 0
	for _, cut := range append(cuts, len(pieces)) {
		parts = append(parts, conjuncts(pieces[from:cut])...)
		from = cut + 1
	}
	return parts
}

// opens reports whether the pieces are a condition in parentheses: not a
// sub-select, and not a row of several values.
func opens(pieces []piece) bool {
	if !enclosed(pieces) {
		return false
	}
	for _, m := range pieces[0].marks {
		if m.kind == subSelect {
			return false
		}
	}
	depth := 0
	for _, p := range pieces {
		depth += nesting(p.token)
		if depth == 1 && p.token == comma {
			return false
		}
	}
	return true
}

// outerAnds finds the ANDs outside of all brackets. OR binds weaker than AND, so
// an OR at the same level means that the condition is no conjunction. The AND of
// BETWEEN does not count, and CASE ... END is a bracket.
func outerAnds(pieces []piece) (cuts []int, conjunction bool) {
	depth, betweens := 0, 0
	for i, p := range pieces {
		depth += nesting(p.token)
		if p.kind != plain {
			continue
		}
		switch p.token {
		case pg.Token_CASE:
			depth++
		case pg.Token_END_P:
			depth--
		}
		if depth > 0 {
			continue
		}
		switch p.token {
		case pg.Token_OR:
			return nil, false
		case pg.Token_BETWEEN:
			betweens++
		case pg.Token_AND:
			if betweens > 0 {
				betweens--
				continue
			}
			cuts = append(cuts, i)
		}
	}
	return cuts, true
}
