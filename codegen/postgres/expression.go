package postgres

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// operand spells an expression where the grammar takes only a simple one, a
// column's DEFAULT for instance: whatever is not plainly a constant or a
// function call goes into parentheses. More of them than needed change
// nothing, PostgreSQL does not keep them.
func operand(expr string) string {
	if isWord(expr) || isString(expr) || isCall(expr) {
		return expr
	}
	return paren(expr)
}

// key spells an expression as a key of an index: a function call as it is,
// everything else in parentheses.
func key(expr string) string {
	if isCall(expr) {
		return expr
	}
	return paren(expr)
}

// isWord reports whether expr is a number or a single word such as true.
func isWord(expr string) bool {
	for i := 0; i < len(expr); i++ {
		if !wordByte(expr[i]) {
			return false
		}
	}
	return expr != ""
}

// isString reports whether expr is one string constant.
func isString(expr string) bool {
	return len(expr) >= 2 && expr[0] == '\'' &&
		strings.IndexByte(expr[1:], '\'') == len(expr)-2
}

// isCall reports whether expr is name(…) and nothing else. It may say no to
// one that is: what holds quotes or comments, or a name that is a key word,
// is left to the parentheses.
func isCall(expr string) bool {
	name, rest, ok := strings.Cut(expr, "(")
	if !ok || strings.ContainsAny(rest, `'"$-/`) {
		return false
	}
	for _, part := range strings.Split(name, ".") {
		if part == "" || ir.Ident(part) != part {
			return false
		}
	}
	depth := 1
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i == len(rest)-1
		}
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
