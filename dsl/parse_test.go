package dsl

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// places lists every name of blocks and attributes with its place, and the
// place of every expression.
func places(bodies ...*hclsyntax.Body) []string {
	var out []string
	for _, body := range bodies {
		_ = hclsyntax.VisitAll(body, func(n hclsyntax.Node) hcl.Diagnostics {
			switch n := n.(type) {
			case *hclsyntax.Block:
				out = append(out, n.Type+" "+strings.Join(n.Labels, " ")+" "+n.DefRange().String())
			case *hclsyntax.Attribute:
				out = append(out, n.Name+" "+n.NameRange.String())
			case hclsyntax.Expression:
				r := n.Range()
				out = append(out, r.String()+" "+intText(int64(r.Start.Byte))+" "+intText(int64(r.End.Byte)))
			}
			return nil
		})
	}
	slices.Sort(out)
	return out
}

// TestPiecesAreTheFile: parsing in pieces gives what parsing in one piece gives.
func TestPiecesAreTheFile(t *testing.T) {
	full, err := os.ReadFile("testdata/full.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		src    string
		pieces int // 0 when the file must be read as a whole
	}{
		"full":                 {string(full), 8},
		"windows lines":        {strings.ReplaceAll("a \"x\" {\n  b = 1\n}\n\nc {\n  d = \"ä\"\n}\n", "\n", "\r\n"), 2},
		"no last line":         {"a {\n}\nb {\n}", 2},
		"attributes":           {"x = {\n}\ny = [\n1\n]\nz = 2\n", 2},
		"brace in a heredoc":   {"a {\n  b = <<EOF\n}\nEOF\n}\nc {\n}\n", 1},
		"brace in an object":   {"a {\n  b = {\n}\n}\nc {\n}\n", 1},
		"brace in a template":  {"a {\n  b = \"${ {\n} }\"\n}\n", 1},
		"brace in a comment":   {"a {\n  b = 1 /*\n}\n*/\n}\nc {\n}\n", 0},
		"comment behind":       {"a {\n} # }\n// }\nb {\n}\n", 2},
		"comments between":     {"/* { */\na {\n}\n# {\nb {\n}\n", 2},
		"one line blocks only": {"a {}\nb {}\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			pieces, fine := parseBlocks([]byte(test.src), "f.hcl")
			file, diags := hclsyntax.ParseConfig([]byte(test.src), "f.hcl", hcl.InitialPos)
			if fine && diags.HasErrors() {
				t.Fatalf("the pieces hide: %v", diags)
			}
			if fine != (test.pieces > 0) || fine && len(pieces) < test.pieces {
				t.Fatalf("%d pieces, fine %v, want %d", len(pieces), fine, test.pieces)
			}
			if !fine {
				return
			}
			requireSame(t, places(pieces...), places(file.Body.(*hclsyntax.Body)))
		})
	}
}
