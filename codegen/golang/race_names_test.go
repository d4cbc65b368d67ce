package golang

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/pawldb/pawl/compiler/ir"
)

// storeImporter finds the generated package, and everything else where the go
// command has put it.
type storeImporter struct {
	store *types.Package
	types.Importer
}

func (i storeImporter) Import(importPath string) (*types.Package, error) {
	if i.store != nil && importPath == i.store.Path() {
		return i.store, nil
	}
	return i.Importer.Import(importPath)
}

// compiledPackages reads each package once: that is most of the work.
var compiledPackages = sync.OnceValues(func() (compiled, error) {
	files, err := exports()
	fset := token.NewFileSet()
	return compiled{fset, importer.ForCompiler(fset, "gc", func(importPath string) (io.ReadCloser, error) {
		file, ok := files[importPath]
		if !ok {
			return nil, fmt.Errorf("generated code imports %s", importPath)
		}
		return os.Open(file)
	})}, err
})

// compiled are the packages that generated code imports.
type compiled struct {
	fset     *token.FileSet
	importer types.Importer
}

// typecheckRaces checks the generated package, and then its race tests as the
// package beside it.
func typecheckRaces(files []File) error {
	others, err := compiledPackages()
	if err != nil {
		return err
	}
	var store, races []*ast.File
	for _, f := range files {
		tree, err := parser.ParseFile(others.fset, f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if strings.HasSuffix(f.Path, "_test.go") {
			races = append(races, tree)
		} else {
			store = append(store, tree)
		}
	}
	found := storeImporter{Importer: others.importer}
	config := types.Config{Importer: found}
	if found.store, err = config.Check("example.com/app/store", others.fset, store, nil); err != nil {
		return err
	}
	config.Importer = found
	_, err = config.Check("example.com/app/store_test", others.fset, races, nil)
	return err
}

// The names that users write follow from those of tables: no name of the harness
// begins as they do, so that none of them is ever numbered.
func TestHookNamesAreTheirOwn(t *testing.T) {
	var own []string
	for _, subject := range harnessFiles {
		names, err := declaredNames(harnessText(subject))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s declares %v: %v", subject, names, err)
		}
		own = append(own, names...)
	}
	for _, name := range append(own, raceAllFunc, raceSchemaID) {
		for _, begin := range []string{"raceRowOf", "raceInserted", "raceEnqueued", "racesOf"} {
			if strings.HasPrefix(name, begin) {
				t.Errorf("%s begins as names of tables do", name)
			}
		}
	}
}

// Whatever things are called, the race tests are Go that type-checks against the
// package that they are about.
func TestAnyNamesInRaceTests(t *testing.T) {
	generated := 0
	rapid.Check(t, func(t *rapid.T) {
		p := anyProgram(t)
		p.Go.RaceTests, p.Go.Runtime = true, runtimeImport
		files, problems := Generate(p, fstest.MapFS{}, GenerateOptions{ImportPath: "example.com/app/store", Schema: "SELECT '`'"})
		for _, problem := range problems {
			if problem.Internal {
				t.Fatal(problem.Text)
			}
		}
		if len(problems) > 0 {
			return
		}
		generated++
		if err := typecheckRaces(files); err != nil {
			t.Fatalf("%v\n%s", err, source(files))
		}
		all := source(files)
		for i, repository := range resolve(p).repositories {
			if r := &p.Repositories[i]; r.Queue == nil && !hasKind(r, ir.InsertOp) {
				continue
			}
			if hook := "var raceRowOf" + repository.typ + " = func("; strings.Count(all, hook) != 1 {
				t.Fatalf("the races do not have %q once:\n%s", hook, all)
			}
		}
		seen := map[string]bool{}
		for _, f := range files {
			if base := path.Base(f.Path); seen[base] || strings.HasPrefix(base, "_") {
				t.Fatalf("%s is written twice, or passed over by the go command", f.Path)
			}
			seen[path.Base(f.Path)] = true
		}
	})
	if generated == 0 {
		t.Error("no specification was without collisions: nothing was checked")
	}
}
