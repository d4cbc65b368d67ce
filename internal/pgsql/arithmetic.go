package pgsql

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// Addends returns the arguments that are added or subtracted at the top level
// of the expression, each once: @a and @b in stock - @a + @b, and none in
// stock - @a * 2 or greatest(stock - @a, 0).
func (e *Expr) Addends() []string {
	pieces := e.pieces
	for enclosed(pieces) {
		pieces = pieces[1 : len(pieces)-1]
	}
	sign := func(i int) bool {
		return i < 0 || i >= len(pieces) || pieces[i].kind == plain && (pieces[i].text == "+" || pieces[i].text == "-")
	}
	var names []string
	depth := 0
	for i, p := range pieces {
		depth += nesting(p.token)
		if p.kind == plain && p.token == pg.Token_CASE {
			depth++
		}
		if p.kind == plain && p.token == pg.Token_END_P {
			depth--
		}
		if depth == 0 && p.kind == argument && len(pieces) > 1 && sign(i-1) && sign(i+1) && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// IsArithmetic reports whether the expression holds nothing but columns,
// arguments and whole numbers under + - * / and parentheses: of such an
// expression the type follows from those of its columns and arguments.
func (e *Expr) IsArithmetic() bool {
	return !slices.ContainsFunc(e.pieces, func(p piece) bool {
		return p.kind == plain && p.token != pg.Token_ICONST && nesting(p.token) == 0 && !slices.Contains([]string{"+", "-", "*", "/"}, p.text)
	})
}

// Computes reports whether an operator of arithmetic or || stands in the
// expression.
func (e *Expr) Computes() bool {
	return slices.ContainsFunc(e.pieces, func(p piece) bool {
		return p.kind == plain && slices.Contains([]string{"+", "-", "*", "/", "%", "^", "||"}, p.text)
	})
}

// Compares reports whether the expression is one comparison, without OR, NOT or
// IS: of such a condition it is certain that it does not hold where it is NULL.
func (e *Expr) Compares() bool {
	return slices.ContainsFunc(e.pieces, func(p piece) bool { return p.kind == plain && comparisons[p.text] }) &&
		!slices.ContainsFunc(e.pieces, func(p piece) bool {
			return p.kind == plain && slices.Contains([]pg.Token{pg.Token_OR, pg.Token_NOT, pg.Token_IS, pg.Token_CASE}, p.token)
		})
}

// Same reports whether two expressions are spelled the same, apart from blanks,
// outer parentheses and the case of words that are not quoted. It never takes
// two different conditions for the same one.
func Same(a, b *Expr) bool {
	return slices.EqualFunc(opened(a.pieces), opened(b.pieces), func(x, y piece) bool {
		if x.kind != y.kind || x.token != y.token {
			return false
		}
		if x.kind == column {
			return x.name == y.name && x.qualifier == y.qualifier
		}
		return x.text == y.text || isLetter(x.text[0]) && !strings.ContainsAny(x.text, `'"`) && strings.EqualFold(x.text, y.text)
	})
}

func opened(pieces []piece) []piece {
	for enclosed(pieces) {
		pieces = pieces[1 : len(pieces)-1]
	}
	return pieces
}
