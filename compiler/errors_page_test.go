package compiler_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

var update = flag.Bool("update", false, "rewrite docs/errors.md")

const errorsPage = "../docs/errors.md"

const errorsHead = `# Diagnostics

Every code that stands in brackets behind ` + "`error` or `warning`" + `, with an example of the mistake and what pawl says of it.
` + "`pawl explain CODE`" + ` prints the same. [The language](language.md#silencing-a-check) tells which findings can be silenced.

This page is generated from the codes and their examples, each of which is compiled:
` + "`go test ./compiler -run TestErrorsPage -update`" + `.
`

// TestErrorsPage holds docs/errors.md to the codes, and to what is said of
// their examples today.
func TestErrorsPage(t *testing.T) {
	want := errorsHead
	for _, entry := range diag.Codes() {
		want += documented(t, entry)
	}
	if *update {
		if err := os.WriteFile(errorsPage, []byte(want), 0o644); err != nil { //nolint:gosec // a page of the documentation
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(errorsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not what the codes say (run with -update): want - got +\n%s", errorsPage, diff)
	}
}

// documented is the section of one code.
func documented(t *testing.T, entry diag.Entry) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n## " + string(entry.Code) + "\n\n**" + entry.Summary + "**\n\n" + entry.Explain + "\n")
	if entry.Example == "" {
		return b.String()
	}
	b.WriteString("\n```hcl\n" + strings.TrimRight(entry.Example, "\n") + "\n```\n\n```text\n" + saidOf(t, entry) + "```\n")
	return b.String()
}

// saidOf renders what is said of the example, of other findings nothing.
func saidOf(t *testing.T, entry diag.Entry) string {
	t.Helper()
	files := fstest.MapFS{
		"example.hcl": {Data: []byte(entry.Example)},
		"pawl.hcl":    {Data: []byte("pawl { project = \"example\" }\n")},
	}
	spec, list := dsl.Load(files, dsl.Options{})
	_, more := compiler.Compile(spec)
	list.Extend(more)
	list.Sort()
	list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Code != entry.Code })
	var b strings.Builder
	if err := (diag.Text{Sources: diag.Files(spec.Sources)}).List(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
