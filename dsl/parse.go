package dsl

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// parseBlocks parses a file in pieces that end behind a closing brace at the
// start of a line, which is where most blocks end. HCL's parser keeps all tokens
// of its input at a hundred bytes each, so that a file of a thousand tables in
// one piece costs more than everything else together.
//
// It is false when a piece has any error: only the file as a whole tells then
// what is wrong.
func parseBlocks(src []byte, filename string) ([]*hclsyntax.Body, bool) {
	var bodies []*hclsyntax.Body
	start := hcl.InitialPos
	for len(src) > 0 {
		end, fine := pieceEnd(src, filename, start)
		if !fine {
			return nil, false
		}
		file, diags := hclsyntax.ParseConfig(src[:end], filename, start)
		body, ok := file.Body.(*hclsyntax.Body)
		if len(diags) > 0 || !ok {
			return nil, false
		}
		bodies = append(bodies, body)
		start.Byte += end
		start.Line += bytes.Count(src[:end], []byte("\n"))
		src = src[end:]
	}
	return bodies, true
}

// pieceEnd returns where the first piece of a text ends: behind the first brace
// at the start of a line where nothing is open. It is false when the piece is
// too deep for the parser.
func pieceEnd(src []byte, filename string, start hcl.Pos) (int, bool) {
	end := 0
	for {
		// Each try is twice as long as the one before, or a long string of
		// braces would be read once for each of them.
		end = nextBrace(src, 2*end)
		tokens, _ := hclsyntax.LexConfig(src[:end], filename, start)
		_, tooDeep, whole := nestingLimit(tokens)
		if tooDeep {
			return 0, false
		}
		if whole || end == len(src) {
			return end, true
		}
	}
}

// nextBrace returns the place behind the first line after from that starts with
// a closing brace, or the end of the text.
func nextBrace(src []byte, from int) int {
	if from >= len(src) {
		return len(src)
	}
	i := bytes.Index(src[from:], []byte("\n}"))
	if i < 0 {
		return len(src)
	}
	from += i + len("\n}")
	if i = bytes.IndexByte(src[from:], '\n'); i < 0 {
		return len(src)
	}
	return from + i + 1
}

// parseWhole parses a file in one piece and reports what is wrong with it. A
// file that may have lost a part is left out.
func (p *project) parseWhole(src []byte, filename string) []*hclsyntax.Body {
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	if d, tooDeep, _ := nestingLimit(tokens); tooDeep {
		p.report(d)
		p.incomplete = true
		return nil
	}
	file, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	p.reportAll(helpWithLists(diag.FromHCL(diags), src))
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok || hasSyntaxErrors(diags) {
		p.incomplete = true
		return nil
	}
	return []*hclsyntax.Body{body}
}

// helpWithLists says how pawl writes the type of a list where somebody wrote it as
// PostgreSQL does: text[].
func helpWithLists(list diag.List, src []byte) diag.List {
	for i, d := range list {
		at := d.Subject.Start.Byte
		if d.Code == diag.Syntax && at > 0 && at < len(src) && src[at] == ']' && src[at-1] == '[' {
			list[i].Help = "write the type of a list as list(TYPE)"
		}
	}
	return list
}

// hasSyntaxErrors reports whether the parser may have lost a part of the file.
// A repeated attribute is the one error after which the rest is whole.
func hasSyntaxErrors(diags hcl.Diagnostics) bool {
	return slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool {
		return d.Severity == hcl.DiagError && d.Summary != "Attribute redefined"
	})
}
