package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const mark = "// " + generatedMark + "\n"

// folder makes a folder with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents reads a folder back.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func texts(files map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range files {
		out[name] = []byte(text)
	}
	return out
}

func TestOutputIsComparedAndWritten(t *testing.T) {
	dir := folder(t, map[string]string{
		"store/same_gen.go":      mark + "same",
		"store/old_gen.go":       mark + "old",
		"store/gone_gen.go":      mark + "gone",
		"store/hand.go":          "package store",
		"store/pawl/runtime.go":  mark + "runtime",
		"store/sub/other_gen.go": mark + "of another project",
		"store/notes.txt":        mark + "no Go",
	})
	o := output{root: dir, owned: []string{"store", "store/pawl"}, files: texts(map[string]string{
		"store/same_gen.go": mark + "same",
		"store/old_gen.go":  mark + "new",
		"store/more_gen.go": mark + "more",
		"schema.sql":        "-- " + generatedMark + "\nschema",
	})}
	d, err := o.compare()
	if err != nil {
		t.Fatal(err)
	}
	want := difference{
		changed: []string{"store/old_gen.go"}, missing: []string{"schema.sql", "store/more_gen.go"},
		stale: []string{"store/gone_gen.go", "store/pawl/runtime.go"}, unchanged: 1,
	}
	if diff := cmp.Diff(want, d, cmp.AllowUnexported(difference{})); diff != "" {
		t.Error(diff)
	}
	if err := o.write(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	wantFiles := map[string]string{
		"store/same_gen.go": mark + "same", "store/old_gen.go": mark + "new", "store/more_gen.go": mark + "more",
		"schema.sql": "-- " + generatedMark + "\nschema", "store/hand.go": "package store",
		"store/sub/other_gen.go": mark + "of another project", "store/notes.txt": mark + "no Go",
	}
	if diff := cmp.Diff(wantFiles, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "store", "pawl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the emptied folder is still there: %v", err)
	}
}

func TestUnchangedFilesAreNotTouched(t *testing.T) {
	dir := folder(t, map[string]string{"store/a_gen.go": mark})
	long := time.Now().Add(-time.Hour)
	file := filepath.Join(dir, "store", "a_gen.go")
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	o := output{root: dir, owned: []string{"store"}, files: texts(map[string]string{"store/a_gen.go": mark})}
	d, err := o.compare()
	if err == nil {
		err = o.write(t.Context(), d)
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if time.Since(info.ModTime()) < 30*time.Minute {
		t.Error("a file whose bytes were right was written again")
	}
}

// An interruption or a full disk may come at any moment before the renames.
func TestInterruptedWriteLeavesTheOldOutputWhole(t *testing.T) {
	old := map[string]string{"store/a_gen.go": mark + "old a", "store/b_gen.go": mark + "old b", "store/stale_gen.go": mark}
	for _, test := range []struct {
		name  string
		files map[string]string
		ctx   func() context.Context
	}{
		{"interrupted", map[string]string{"store/a_gen.go": mark + "new a", "store/b_gen.go": mark + "new b"}, func() context.Context {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx
		}},
		// The last file cannot be staged: its folder is a file.
		{"unwritable", map[string]string{"store/a_gen.go": mark + "new a", "store/b_gen.go/c_gen.go": mark}, context.Background},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, old)
			o := output{root: dir, files: texts(test.files)}
			var names []string
			for name := range test.files {
				names = append(names, name)
			}
			if err := o.write(test.ctx(), difference{changed: names, stale: []string{"store/stale_gen.go"}}); err == nil {
				t.Fatal("write reports no error")
			}
			if diff := cmp.Diff(old, contents(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKilledRunIsSweptUp(t *testing.T) {
	dir := folder(t, map[string]string{"store/.pawl-1.tmp": "old", "store/.pawl-2.tmp": "young"})
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "store", ".pawl-1.tmp"), long, long); err != nil {
		t.Fatal(err)
	}
	o := output{root: dir, files: texts(map[string]string{"store/a_gen.go": mark})}
	if err := o.write(t.Context(), difference{missing: []string{"store/a_gen.go"}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"store/a_gen.go": mark, "store/.pawl-2.tmp": "young"}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// Runs beside each other that want the same leave it whole, and none of them fails.
func TestTwoRunsAtOnce(t *testing.T) {
	want := map[string]string{}
	for i := range 30 {
		want[fmt.Sprintf("store/f%d_gen.go", i)] = mark + strings.Repeat("line\n", 1000*i)
	}
	old := map[string]string{"store/f1_gen.go": mark + "old", "store/pawl/stale.go": mark}
	dir := folder(t, old)
	o := output{root: dir, owned: []string{"store", "store/pawl"}, files: texts(want)}
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			d, err := o.compare()
			if err == nil {
				err = o.write(t.Context(), d)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestForeignFileIsFound(t *testing.T) {
	dir := folder(t, map[string]string{"schema.sql": "CREATE TABLE precious ();"})
	o := output{root: dir, files: texts(map[string]string{"schema.sql": "-- " + generatedMark})}
	d, err := o.compare()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"schema.sql"}, d.foreign); diff != "" {
		t.Error(diff)
	}
}

func TestImportPath(t *testing.T) {
	dir := folder(t, map[string]string{
		"go.mod":       "module example.com/shop // the module\n\ngo 1.26\n",
		"inner/go.mod": "module \"example.com/inner\"\n",
		"empty/go.mod": "go 1.26\n",
	})
	for _, test := range []struct{ dir, want string }{
		{"", "example.com/shop"},
		{"internal/store", "example.com/shop/internal/store"},
		{"inner/store", "example.com/inner/store"},
	} {
		got, err := importPath(filepath.Join(dir, filepath.FromSlash(test.dir)))
		if err != nil || got != test.want {
			t.Errorf("importPath(%q) = %q, %v; want %q", test.dir, got, err, test.want)
		}
	}
	if _, err := importPath(filepath.Join(dir, "empty", "store")); err == nil || !strings.Contains(err.Error(), "names no module") {
		t.Errorf("a go.mod without a module gives %v", err)
	}
	if _, err := importPath("/"); err == nil || !strings.Contains(err.Error(), "no go.mod") {
		t.Errorf("no go.mod at all gives %v", err)
	}
}
