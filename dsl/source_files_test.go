package dsl

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestSourceFiles(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, err := SourceFiles(fstest.MapFS{
		"main.hcl":           file("module \"a\" { source = \"./m/a\" }\nmodule \"gone\" { source = \"./m/gone\" }\nmodule \"v\" { source = var.x }\nmodule \"o\" { source = \"../other\" }\nmodule \"n\" { source = null }\n"),
		"broken.hcl":         file("module \"z\" { source = \"./m/z\" }\n{{{"),
		".hidden.hcl":        file(""),
		"README.md":          file(""),
		"m/a/a.hcl":          file("module \"b\" { source = \"../b\" }\n"),
		"m/b/b.hcl":          file("module \"a\" { source = \"../a\" }\nmodule \"root\" { source = \"../..\" }\n"),
		"m/z/z.hcl":          file(""),
		"elsewhere/more.hcl": file(""),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"broken.hcl", "m/a/a.hcl", "m/b/b.hcl", "main.hcl"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := SourceFiles(deniedDir{}); err == nil {
		t.Error("a folder that cannot be read gives no error")
	}
}
