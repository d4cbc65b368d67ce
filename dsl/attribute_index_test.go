package dsl

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the index of attributes in docs/language.md")

const languagePage = "../docs/language.md"

// The index stands between these lines of the page.
const (
	indexStart = "<!-- The index is generated from the decoder's schema: go test ./dsl -run TestIndexOfAttributes -update -->\n"
	indexEnd   = "<!-- End of the index. -->\n"
)

// TestIndexOfAttributes holds the index of the page to what the decoder takes.
func TestIndexOfAttributes(t *testing.T) {
	src, err := os.ReadFile(languagePage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(src), indexStart)
	got, after, closed := strings.Cut(rest, indexEnd)
	if !opened || !closed {
		t.Fatalf("%s has no index between %q and %q", languagePage, indexStart, indexEnd)
	}
	want := attributeIndex()
	if *update {
		page := before + indexStart + want + indexEnd + after
		if err := os.WriteFile(languagePage, []byte(page), 0o644); err != nil { //nolint:gosec // a page of the documentation
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the index is not what the schema says (run with -update): want - got +\n%s", diff)
	}
}

// indexed is one attribute of one block.
type indexed struct {
	block string
	attr  attrSchema
}

// attributeIndex lists every attribute that works, by name and then by block.
func attributeIndex() string {
	var rows []indexed
	eachSchema(func(path string, s *blockSchema) {
		for _, a := range s.Attrs {
			if a.Later == "" {
				rows = append(rows, indexed{blockPath(path), a})
			}
		}
	})
	for _, a := range commonAttrs {
		if a.Later == "" {
			rows = append(rows, indexed{"every block with checks of its own", a})
		}
	}
	slices.SortStableFunc(rows, func(x, y indexed) int {
		return cmp.Or(cmp.Compare(x.attr.Name, y.attr.Name), cmp.Compare(x.block, y.block))
	})
	var b strings.Builder
	b.WriteString("\n| attribute | in | for example | |\n|---|---|---|---|\n")
	for _, r := range rows {
		required := ""
		if r.attr.Required {
			required = " (required)"
		}
		b.WriteString("| `" + r.attr.Name + "` | " + r.block + required + " | `" + cell(sample(&r.attr)) + "` | " + cell(r.attr.Doc) + " |\n")
	}
	b.WriteString("\n")
	return b.String()
}

// blockPath spells the way to a block: `table` › `transitions` › `move`.
func blockPath(path string) string {
	path = strings.NewReplacer("go:generate", "generate \"go\"", "sql:generate", "generate \"sql\"").Replace(path)
	return "`" + strings.ReplaceAll(path, ".", "` › `") + "`"
}

// cell makes a text stand in one cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
