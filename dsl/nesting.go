package dsl

import (
	"math"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// Bounds of what is handed to the HCL parser. It and the evaluator recurse over
// brackets and operators, and a stack that overflows ends a Go program without
// a way to recover. No text that a person writes comes near them.
const (
	maxDepth     = 64   // brackets, braces and templates open at once
	maxOperators = 1000 // operators between two separators of one bracket
	maxDigits    = 4096 // of a number, written without an exponent
)

// nesting follows the brackets of a text token by token.
type nesting struct {
	levels []level // the open brackets; the first is the file
	texts  int     // strings, heredocs and interpolations that are open
}

// level is an open bracket.
type level struct {
	operators int  // since the last separator
	lines     bool // a new line separates here
}

// nestingLimit reports text that would be too deep for the parser, or a number
// whose text would not fit in memory. Whole says that nothing is open at the
// end.
func nestingLimit(tokens hclsyntax.Tokens) (d diag.Diagnostic, tooDeep, whole bool) {
	n := nesting{levels: []level{{lines: true}}}
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenNumberLit && digitsOf(string(t.Bytes)) > maxDigits {
			return tooLarge(t.Range, "The number has more than "+strconv.Itoa(maxDigits)+" digits.", "write it as a text"), true, false
		}
		n.take(t.Type)
		if len(n.levels) > maxDepth || n.top().operators > maxOperators {
			return tooLarge(t.Range, "The text is nested too deep, or an expression is too long.", "split it with locals"), true, false
		}
	}
	return diag.Diagnostic{}, false, len(n.levels) == 1 && n.texts == 0
}

func (n *nesting) top() *level { return &n.levels[len(n.levels)-1] }

func (n *nesting) take(t hclsyntax.TokenType) {
	switch t {
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		n.texts++
	case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		n.texts--
	default:
	}
	switch t {
	case hclsyntax.TokenOBrace:
		n.open(level{lines: true})
	case hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		n.open(level{})
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
		if len(n.levels) > 1 {
			n.levels = n.levels[:len(n.levels)-1]
		}
	case hclsyntax.TokenNewline:
		if n.top().lines {
			n.top().operators = 0
		}
	case hclsyntax.TokenComma:
		n.top().operators = 0
	case hclsyntax.TokenIdent, hclsyntax.TokenNumberLit, hclsyntax.TokenStringLit, hclsyntax.TokenQuotedLit, hclsyntax.TokenComment:
	default:
		n.top().operators++
	}
}

func (n *nesting) open(l level) {
	n.top().operators++
	n.levels = append(n.levels, l)
}

// digitsOf returns about how many digits a number literal has when it is
// written without an exponent.
func digitsOf(literal string) int {
	for i, r := range literal {
		if r != 'e' && r != 'E' {
			continue
		}
		n, err := strconv.Atoi(literal[i+1:])
		if err != nil {
			return math.MaxInt
		}
		return max(n, -n) + i
	}
	return len(literal)
}

func tooLarge(at hcl.Range, detail, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:    diag.TooLarge,
		Detail:  detail,
		Subject: at,
		Help:    help,
	}
}
