// Package errorcorpus runs a folder of wrong projects and compares what is said
// about them with what the files themselves expect.
//
// Each file is a project of its own. The wrong line ends in a comment:
//
//	from = ["fre"] # ERROR unknown-state "did you mean .*free"
//
// The word is the code, the regular expression is matched against everything
// the diagnostic says: summary, label, detail, consequence and help. WARNING
// instead of ERROR expects a warning. Several expectations may follow each
// other in one comment, each with its word. Where a comment cannot stand, as in
// a heredoc, ERROR(-2) expects the diagnostic two lines above and ERROR(+1) one
// line below; ERROR(nowhere) expects one without a place.
//
// A missing diagnostic fails the test and so does an extra one. A file that has
// no pawl block gets one in a second file.
package errorcorpus

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/internal/diag"
)

// pawlBlock is the second file of projects that have no pawl block.
const pawlBlock = "pawl {\n  project = \"corpus\"\n}\n"

// Run runs check on every file of dir whose name starts with prefix and ends in
// .hcl, each as a subtest, and compares the result with the comments in it. It
// fails when there is no such file.
func Run(t *testing.T, dir, prefix string, check func(fsys fs.FS) diag.List) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, prefix+"*.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no file %s*.hcl in %s", prefix, dir)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(strings.TrimSuffix(name, ".hcl"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := parseExpectations(string(src))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(want) == 0 {
				t.Fatalf("%s expects nothing", name)
			}
			for _, problem := range compare(want, check(project(name, src)), name) {
				t.Error(problem)
			}
		})
	}
}

// project is the file system of a project that consists of one file.
func project(name string, src []byte) fs.FS {
	fsys := fstest.MapFS{name: {Data: src}}
	if !hasPawlBlock(string(src)) {
		fsys["zz_pawl.hcl"] = &fstest.MapFile{Data: []byte(pawlBlock)}
	}
	return fsys
}

// hasPawlBlock reports whether a line of the text starts a pawl block, or says
// in a comment that the project goes without one.
func hasPawlBlock(src string) bool {
	for line := range strings.Lines(src) {
		if strings.HasPrefix(line, "pawl") || strings.HasPrefix(line, "# no pawl block") {
			return true
		}
	}
	return false
}
