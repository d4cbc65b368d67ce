package pgsql

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// piece is a token of an SQL text, or a whole column reference or argument.
type piece struct {
	text   string
	kind   pieceKind
	token  pg.Token
	offset int // in the text that was parsed; -1 for what a rewrite put in
	length int // bytes in the text that was parsed
	gap    gap

	// name is the column as PostgreSQL folds it, or the argument without its @.
	name string
	// qualifier is what stands before the column's name, folded, parts joined
	// with dots.
	qualifier string
	// ident is the column's own name as it was written.
	ident string
	// span is the number of tokens of a column reference or argument that the
	// parser took for a value; 0 until then.
	span int
	// nested is set inside a sub-select, where names have another scope.
	nested bool
	// scope is the number of the SELECT that it stands in.
	scope int
	// marks are facts about the expression that begins here.
	marks []mark
}

type pieceKind int

const (
	plain pieceKind = iota
	column
	argument
)

// gap tells what stands between a piece and the one before it.
type gap int

const (
	// tight: nothing stood there in the parsed text. N'x' must not become N 'x'.
	tight gap = iota
	// loose: a rewrite brought them together; a blank is put in where needed.
	loose
	// blank: white space or a comment stood there.
	blank
)

// mark is a fact about a node of the parse tree. It hangs on the piece that the
// node is located at, so that it moves along in rewrites.
type mark struct {
	kind       markKind
	name       string // function, type or operator
	schema     string
	volatility Volatility
	nested     bool   // inside a sub-select
	typ        string // what a literal is cast to; empty for none
}

type markKind int

const (
	function markKind = iota
	aggregateFunction
	windowFunction
	setFunction
	cast
	subSelect
	star
	nullComparison
	label // a literal that a column equals or not; schema holds its value
	bound // a literal that a column is above or below; the same
)

// join prints pieces. A blank stands where one stood, and where two pieces that
// a rewrite brought together would otherwise become one token.
func join(pieces []piece) string {
	var b strings.Builder
	for i, p := range pieces {
		if i > 0 && (p.gap == blank || p.gap == loose && fuse(pieces[i-1], p)) {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// fuse reports whether two pieces would grow together without a blank.
func fuse(before, p piece) bool {
	last, first := before.text[len(before.text)-1], p.text[0]
	return isWord(last) && isWord(first) || isOperator(last) && first == '@'
}

// isWord reports whether a byte can be part of a name, a number, a parameter or
// a quoted text.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '\'' || c == '"' || c >= 0x80 ||
		c >= '0' && c <= '9' || isLetter(c)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isOperator reports whether a byte can be part of an operator.
func isOperator(c byte) bool { return strings.IndexByte("~!@#^&|`?+-*/%<>=", c) >= 0 }

// inserted makes a piece that a rewrite puts in.
func inserted(text string, token pg.Token, g gap) piece {
	return piece{text: text, token: token, offset: -1, gap: g}
}

// parenthesised puts parentheses around pieces unless they cannot be torn apart.
func parenthesised(pieces []piece) []piece {
	if len(pieces) == 1 || enclosed(pieces) {
		return pieces
	}
	out := make([]piece, 0, len(pieces)+2)
	out = append(out, inserted("(", openParen, pieces[0].gap))
	out = append(out, pieces...)
	out[1].gap = loose
	return append(out, inserted(")", closeParen, loose))
}

// enclosed reports whether the first piece is a parenthesis that the last one
// closes.
func enclosed(pieces []piece) bool {
	if len(pieces) < 2 || pieces[0].token != openParen || pieces[len(pieces)-1].token != closeParen {
		return false
	}
	depth := 0
	for i, p := range pieces {
		depth += nesting(p.token)
		if depth == 0 {
			return i == len(pieces)-1
		}
	}
	return false
}

// nesting is 1 for a token that opens a bracket and -1 for one that closes it.
func nesting(t pg.Token) int {
	switch t {
	case openParen, openBracket:
		return 1
	case closeParen, closeBracket:
		return -1
	}
	return 0
}

// Tokens of the scanner, by what they look like.
const (
	openParen    = pg.Token_ASCII_40
	closeParen   = pg.Token_ASCII_41
	comma        = pg.Token_ASCII_44
	dot          = pg.Token_ASCII_46
	semicolon    = pg.Token_ASCII_59
	openBracket  = pg.Token_ASCII_91
	closeBracket = pg.Token_ASCII_93
)
