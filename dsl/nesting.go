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

// nestingLimit reports text that would be too deep for the parser, or a number
// whose text would not fit in memory.
func nestingLimit(src []byte, filename string) (diag.Diagnostic, bool) {
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	levels := []level{{lines: true}}
	for _, t := range tokens {
		top := &levels[len(levels)-1]
		switch t.Type {
		case hclsyntax.TokenOBrace:
			top.operators++
			levels = append(levels, level{lines: true})
		case hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			top.operators++
			levels = append(levels, level{})
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		case hclsyntax.TokenNewline:
			if top.lines {
				top.operators = 0
			}
		case hclsyntax.TokenComma:
			top.operators = 0
		case hclsyntax.TokenNumberLit:
			if digitsOf(string(t.Bytes)) > maxDigits {
				return tooLarge(t.Range, "The number has more than "+strconv.Itoa(maxDigits)+" digits."), true
			}
		case hclsyntax.TokenIdent, hclsyntax.TokenStringLit, hclsyntax.TokenQuotedLit, hclsyntax.TokenComment:
		default:
			top.operators++
		}
		if len(levels) > maxDepth || levels[len(levels)-1].operators > maxOperators {
			return tooLarge(t.Range, "The text is nested too deep, or an expression is too long."), true
		}
	}
	return diag.Diagnostic{}, false
}

// level is an open bracket.
type level struct {
	operators int  // since the last separator
	lines     bool // a new line separates here
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

func tooLarge(at hcl.Range, detail string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:    diag.TooLarge,
		Detail:  detail,
		Subject: at,
		Help:    "split it with locals",
	}
}
