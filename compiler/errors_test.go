package compiler_test

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/errorcorpus"
)

// The wrong projects of the corpus get exactly the diagnostics that they name.
func TestErrorCorpus(t *testing.T) {
	errorcorpus.Run(t, "../testdata/errors", "inv-", func(fsys fs.FS) diag.List { return check(t, fsys) })
}

func check(t *testing.T, fsys fs.FS) diag.List {
	spec, diags := dsl.Load(fsys, dsl.Options{})
	_, more := compiler.Compile(spec)
	for _, d := range more {
		complete(t, d)
	}
	diags.Extend(more)
	diags.Sort()
	return diags
}

// complete reports what a diagnostic of the compiler leaves out. The race or
// the failure at run time is the reason for refusing anything, so it is said.
func complete(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	if d.Detail == "" || d.Consequence == "" || d.Help == "" || d.Subject.Filename == "" {
		t.Errorf("detail, consequence, help or place is missing: %+v", d)
	}
	if _, ok := diag.Lookup(d.Code); !ok {
		t.Errorf("the code %s is not documented", d.Code)
	}
}

// Each documented example is wrong in the way that it documents, and says what
// goes wrong and what to write instead.
func TestExamplesOfCodes(t *testing.T) {
	for _, entry := range diag.Codes() {
		if entry.Example == "" {
			continue
		}
		t.Run(string(entry.Code), func(t *testing.T) {
			spec, loading := dsl.Load(fstest.MapFS{
				"example.hcl": {Data: []byte(entry.Example)},
				"pawl.hcl":    {Data: []byte("pawl { project = \"example\" }\n")},
			}, dsl.Options{})
			_, compiling := compiler.Compile(spec)
			for _, d := range compiling {
				complete(t, d)
			}
			if !slices.ContainsFunc(slices.Concat(loading, compiling), func(d diag.Diagnostic) bool { return d.Code == entry.Code }) {
				t.Errorf("the example gives no such diagnostic, but\n%s%s\nof\n%s",
					render(t, entry.Example, loading), render(t, entry.Example, compiling), entry.Example)
			}
		})
	}
}
