package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// The pages whose examples people copy.
var documentedPages = []string{"../../../../docs/language.md", "../../../../README.md"}

// example is one fenced block of HCL of a page. An example of a mistake is
// fenced with ```hcl error CODE.
type example struct {
	line int // of its first line in the page
	text string
	code diag.Code // of the mistake; empty for an example that is right

	file   string    // a file of the next example, fenced with ```hcl file NAME
	beside []example // such files
}

// TestDocumentedExamples compiles what the pages show: a right example without
// a finding, a wrong one with the code that it is fenced with.
func TestDocumentedExamples(t *testing.T) {
	for _, page := range documentedPages {
		examples := examplesIn(t, readPage(t, page))
		if len(examples) == 0 {
			t.Errorf("%s shows no HCL", page)
		}
		for _, e := range examples {
			t.Run(filepath.Base(page)+":"+strconv.Itoa(e.line), func(t *testing.T) {
				t.Parallel()
				list, text := compileExample(t, e)
				if e.code == "" && len(list) > 0 {
					t.Errorf("the example has mistakes:\n%s", text)
				}
				if e.code != "" && !hasError(list, e.code) {
					t.Errorf("the example has no error %s:\n%s", e.code, text)
				}
			})
		}
	}
}

// TestDocumentedAllowances compares the codes that the page says can be silenced
// with those that the compiler lists when it refuses another one.
func TestDocumentedAllowances(t *testing.T) {
	list, text := compileExample(t, example{text: `enum "e" {
  values = ["a"]
  allow  = { sql-syntax = "no" }
}`})
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == diag.AllowNotPossible })
	if i < 0 {
		t.Fatalf("no error %s:\n%s", diag.AllowNotPossible, text)
	}
	_, silenceable, _ := strings.Cut(list[i].Help, "these can be silenced: ")
	_, documented, _ := strings.Cut(readPage(t, documentedPages[0]), "What can be meant can be silenced: ")
	documented, _, _ = strings.Cut(documented, ".")
	have, want := codesIn(documented), codesIn(silenceable)
	if len(want) == 0 || !slices.Equal(have, want) {
		t.Errorf("the page says that %q can be silenced, and the compiler %q", have, want)
	}
}

// TestDocumentedCodes finds codes that the page names and that do not exist.
func TestDocumentedCodes(t *testing.T) {
	page := readPage(t, documentedPages[0])
	named := regexp.MustCompile("`([a-z]+(?:-[a-z]+)+)`").FindAllStringSubmatch(page, -1)
	if len(named) < 40 {
		t.Errorf("the page names only %d codes", len(named))
	}
	for _, match := range named {
		if _, ok := diag.Lookup(diag.Code(match[1])); !ok && match[1] != "code-like-this" {
			t.Errorf("there is no code %s", match[1])
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// examplesIn finds the fenced blocks of HCL in a page.
func examplesIn(t *testing.T, page string) []example {
	t.Helper()
	var examples []example
	var open *example
	var beside []example
	fenced := false // also in a block of another language
	for i, line := range strings.Split(page, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && fenced:
			switch {
			case open == nil:
			case open.file != "":
				beside = append(beside, *open)
			default:
				open.beside, beside = beside, nil
				examples = append(examples, *open)
			}
			open, fenced = nil, false
		case fence:
			fenced = true
			open = startExample(t, info, i+2)
		case open != nil:
			open.text += line + "\n"
		}
	}
	if fenced {
		t.Error("the last fence is never closed")
	}
	return examples
}

// startExample reads what stands behind a fence; nil when it is not about HCL.
func startExample(t *testing.T, info string, line int) *example {
	t.Helper()
	words := strings.Fields(info)
	if len(words) == 0 || words[0] != "hcl" {
		return nil
	}
	e := &example{line: line}
	switch {
	case len(words) == 1:
	case len(words) == 3 && words[1] == "error":
		e.code = diag.Code(words[2])
	case len(words) == 3 && words[1] == "file":
		e.file = words[2]
	default:
		t.Errorf("line %d: write ```hcl, ```hcl error CODE or ```hcl file NAME", line-1)
	}
	return e
}

// compileExample compiles an example as a project of its own, and renders what
// was found. A fragment gets the pawl block that it lacks.
func compileExample(t *testing.T, e example) (diag.List, string) {
	t.Helper()
	files := fstest.MapFS{"example.hcl": {Data: []byte(e.text)}}
	if !hasBlock(e.text, "pawl") {
		files["pawl.hcl"] = &fstest.MapFile{Data: []byte("pawl { project = \"docs\" }\n")}
	}
	for _, file := range e.beside {
		files[file.file] = &fstest.MapFile{Data: []byte(file.text)}
	}
	spec, list := dsl.Load(files, dsl.Options{})
	if !list.HasErrors() {
		_, more := compiler.Compile(spec)
		list.Extend(more)
	}
	return list, showFindings(t, &project{sources: diag.Files(spec.Sources)}, list)
}

// hasBlock reports whether a text has a block of a type at its top.
func hasBlock(text, typ string) bool {
	file, _ := hclsyntax.ParseConfig([]byte(text), "example.hcl", hcl.InitialPos)
	body, ok := file.Body.(*hclsyntax.Body)
	return ok && slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == typ })
}

func hasError(list diag.List, code diag.Code) bool {
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == code && d.Severity == diag.Error })
}

// codesIn lists the codes that a sentence names, sorted.
func codesIn(sentence string) []string {
	codes := regexp.MustCompile(`[a-z]+(?:-[a-z]+)+`).FindAllString(sentence, -1)
	slices.Sort(codes)
	return codes
}
