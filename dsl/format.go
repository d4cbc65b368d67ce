package dsl

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/pawldb/pawl/internal/diag"
)

// maxPasses bounds how often a text is formatted until nothing changes. The
// alignment of one pass can move a comment that the next one aligns anew.
const maxPasses = 10

// Format returns src in the canonical form of `pawl fmt`: HCL's own spacing and
// alignment, no more than one blank line between lines and none at the edges of
// a block, lines that end in \n.
//
// Only white space changes. In particular "${x}" does not become x: among the
// columns of a table the one is a value and the other a name. Text inside quotes
// and heredocs is left alone. Formatting what Format returned changes nothing.
//
// Text with a syntax error is returned as it is, with the errors. The name stands
// in them.
func Format(src []byte, filename string) ([]byte, diag.List) {
	if list := syntaxErrors(src, filename); list.HasErrors() {
		return src, list
	}
	formatted := src
	for range maxPasses {
		next := hclwrite.Format(trimBlankLines(formatted))
		// HCL writes text that reads back as what it was. Should it ever not, the
		// user's text is worth more than its looks.
		if !sameTokens(src, next) {
			return src, nil
		}
		if bytes.Equal(next, formatted) {
			return formatted, nil
		}
		formatted = next
	}
	return src, nil
}

// syntaxErrors are what keeps a text from being read as HCL.
func syntaxErrors(src []byte, filename string) diag.List {
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	if d, tooDeep, _ := nestingLimit(tokens); tooDeep {
		return diag.List{d}
	}
	_, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	return diag.FromHCL(diags)
}

// trimBlankLines puts lines together that have too many blank ones between them,
// and ends each with \n.
func trimBlankLines(src []byte) []byte {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var out bytes.Buffer
	end := 0 // of the token before, in src
	if len(tokens) > 0 {
		end = tokens[0].Range.Start.Byte // behind a byte order mark
	}
	blank := 0 // line ends since the last text
	lineStart, afterOpen := true, true
	for _, t := range tokens {
		space := src[end:t.Range.Start.Byte]
		end = t.Range.End.Byte
		switch t.Type {
		case hclsyntax.TokenNewline:
			blank++
			continue
		case hclsyntax.TokenEOF:
			if out.Len() > 0 && (blank > 0 || !lineStart) {
				out.WriteByte('\n')
			}
			return out.Bytes()
		default:
		}
		out.WriteString(lineEnds(blank, lineStart, afterOpen || closes(t)))
		blank = 0
		out.Write(space)
		text := withoutReturns(t)
		out.Write(text)
		// A comment to the end of the line holds the end.
		lineStart = t.Type == hclsyntax.TokenComment && bytes.HasSuffix(text, []byte("\n"))
		if t.Type != hclsyntax.TokenComment {
			afterOpen = t.Type == hclsyntax.TokenOBrace
		} else {
			afterOpen = false
		}
	}
	return out.Bytes()
}

// lineEnds spells the ends of lines between two texts: as many as there were, but
// one blank line at most, and none at the edge of a body.
func lineEnds(found int, lineStart, edge bool) string {
	if lineStart {
		// The line has ended already, or this is the first one of the file.
		found++
	}
	if edge {
		found = min(found, 1)
	}
	found = min(found, 2)
	if lineStart {
		found--
	}
	return "\n\n"[:found]
}

func closes(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenCBrace }

// withoutReturns is a token's text with \r\n turned into \n where that changes no
// value: in comments. What stands in a heredoc is part of a text.
func withoutReturns(t hclsyntax.Token) []byte {
	if t.Type == hclsyntax.TokenComment {
		return bytes.ReplaceAll(t.Bytes, []byte("\r\n"), []byte("\n"))
	}
	return t.Bytes
}

// sameTokens reports whether two texts differ in white space alone: token by
// token they are the same, and lines end at the same places.
func sameTokens(a, b []byte) bool {
	left, right := significant(a), significant(b)
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if left[i].Type != right[i].Type || !bytes.Equal(withoutReturns(left[i]), withoutReturns(right[i])) {
			return false
		}
	}
	return true
}

// significant are the tokens of a text without blank lines and the end of the
// last line, and with every line end the same.
func significant(src []byte) hclsyntax.Tokens {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	kept := tokens[:0]
	lineStart := true
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenEOF {
			break
		}
		newline := t.Type == hclsyntax.TokenNewline
		if newline && lineStart {
			continue
		}
		if newline {
			t.Bytes = []byte("\n")
		}
		kept = append(kept, t)
		lineStart = newline || t.Type == hclsyntax.TokenComment && bytes.HasSuffix(t.Bytes, []byte("\n"))
	}
	if n := len(kept); n > 0 && kept[n-1].Type == hclsyntax.TokenNewline {
		kept = kept[:n-1]
	}
	return kept
}
