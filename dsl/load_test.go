package dsl

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
)

const pawlFile = "pawl { project = \"test\" }\n"

// files makes a file system of names and texts.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{"pawl.hcl": {Data: []byte(pawlFile)}}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

// load loads a project of one file and fails when something is said about it.
func load(t *testing.T, src string) *Spec {
	t.Helper()
	spec, list := Load(files("main.hcl", src), Options{})
	requireNone(t, spec, list)
	return spec
}

// refused loads a project of one file and returns what is said about it.
func refused(t *testing.T, src string, o Options) diag.List {
	t.Helper()
	_, list := Load(files("main.hcl", src), o)
	if !list.HasErrors() {
		t.Fatalf("not refused:\n%s", src)
	}
	return list
}

// requireOne fails unless exactly one error with a code and a text was found.
func requireOne(t *testing.T, list diag.List, code diag.Code, text string) {
	t.Helper()
	if len(list) != 1 || list[0].Code != code || !strings.Contains(list[0].Detail+"\n"+list[0].Help, text) {
		t.Errorf("want one %s with %q, got %+v", code, text, list)
	}
}

func TestFilesAreOneModule(t *testing.T) {
	table := "table \"a\" {\n  column \"s\" { type = enum.e }\n  column \"m\" { type = local.money }\n}\n"
	enum := "enum \"e\" { values = [\"x\"] }\nlocals { money = numeric(12, 2) }\n"
	first, list := Load(files("1.hcl", table, "2.hcl", enum), Options{})
	requireNone(t, first, list)
	second, list := Load(files("1.hcl", enum, "2.hcl", table), Options{})
	requireNone(t, second, list)
	if diff := cmp.Diff(first, second, cmpopts.IgnoreTypes(hcl.Range{}), cmpopts.IgnoreFields(Spec{}, "Sources")); diff != "" {
		t.Errorf("the order of the files matters:\n%s", diff)
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	broken := "{{{"
	spec, list := Load(files(
		"README.md", broken, ".hidden.hcl", broken, "modules/log/main.hcl", broken, "folder.hcl/x.hcl", broken,
	), Options{})
	requireNone(t, spec, list)
	if len(spec.Sources) != 1 {
		t.Errorf("read %d files, want 1", len(spec.Sources))
	}
}

func TestDirIsPutBeforeNames(t *testing.T) {
	for dir, want := range map[string]string{"": "main.hcl", ".": "main.hcl", "examples/seats": "examples/seats/main.hcl", "/p/": "/p/main.hcl"} {
		spec, list := Load(files("main.hcl", "colour = 1\n"), Options{Dir: dir})
		if len(list) != 1 || list[0].Subject.Filename != want {
			t.Errorf("Dir %q: got %+v, want the file %s", dir, list, want)
		}
		if _, ok := spec.Sources[want]; !ok || spec.Dir != dir {
			t.Errorf("Dir %q: sources have no %s", dir, want)
		}
	}
}

func TestEmptyDirectory(t *testing.T) {
	_, list := Load(fstest.MapFS{}, Options{Dir: "project"})
	requireOne(t, list, diag.MissingBlock, `"project" holds no *.hcl file`)
}

// deniedFS is a directory whose files may not be read.
type deniedFS struct{ fstest.MapFS }

func (f deniedFS) ReadFile(name string) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("permission denied by the kernel")}
}

// deniedDir is a directory that may not be listed.
type deniedDir struct{}

func (deniedDir) Open(string) (fs.File, error) {
	return nil, errors.New("permission denied by the kernel")
}

func TestUnreadable(t *testing.T) {
	_, list := Load(deniedFS{files()}, Options{Dir: "p"})
	requireOne(t, list, diag.UnreadableFile, `The file "p/pawl.hcl" cannot be read.`)
	_, list = Load(deniedDir{}, Options{Dir: "p"})
	requireOne(t, list, diag.UnreadableFile, `The directory "p" cannot be read.`)
	for _, d := range list {
		if strings.Contains(d.Detail+d.Help, "kernel") {
			t.Error("a Go error reached the user")
		}
	}
}

// TestBrokenFileLeavesNoEchoes: what the other files name may stand in it.
func TestBrokenFileLeavesNoEchoes(t *testing.T) {
	_, list := Load(fstest.MapFS{
		"a.hcl": {Data: []byte("table \"t\" {\n  column \"a\" { type = enum.e }\n  comment = var.v\n  live = local.l\n  wibble = 1\n}\n")},
		"b.hcl": {Data: []byte("pawl {\n")},
	}, Options{Vars: map[string]string{"v": "x"}})
	if len(list) != 2 || list[0].Code != diag.UnknownAttribute || list[1].Code != diag.Syntax {
		t.Errorf("want the unknown attribute and the syntax error, got %+v", list)
	}
}

func TestSpecHoldsWhatCouldBeDecoded(t *testing.T) {
	spec, list := Load(files("main.hcl", "table \"t\" {\n  column \"a\" { type = bigit }\n  column \"b\" { type = text }\n}\n"), Options{})
	if len(list) != 1 || len(spec.Tables) != 1 || len(spec.Tables[0].Columns) != 2 || spec.Tables[0].Columns[1].Type.Name != "text" {
		t.Errorf("got %+v and %+v", list, spec.Tables)
	}
}

func TestDiagnosticsAreSorted(t *testing.T) {
	_, list := Load(files("a.hcl", "x = 1\ny = 1\n", "b.hcl", "z = 1\n"), Options{})
	var places []string
	for _, d := range list {
		places = append(places, d.Subject.Filename+" "+string('0'+rune(d.Subject.Start.Line)))
	}
	if diff := cmp.Diff([]string{"a.hcl 1", "a.hcl 2", "b.hcl 1"}, places); diff != "" {
		t.Error(diff)
	}
}
