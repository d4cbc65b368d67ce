package golang

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// harness is what all race tests share, as Go with placeholders for the package
// and its imports. It is a file of its own so that it reads as Go.
//
//go:embed race_harness.go.txt
var harness string

// Names at package level of the race tests that the harness expects.
const (
	raceAllFunc  = "raceAll"
	raceSchemaID = "raceSchema"
)

// raceTests writes the race tests: a package beside the generated one, which
// drives it from outside as a user does.
type raceTests struct {
	*emitter
	store string // import path of the generated package
	scope *scope // of the test package
	rows  []raceNames
	// lists are the functions that return races, in the order of the files.
	lists []string
}

// raceNames are the names of a repository in the race tests. Users write the first
// ones, so they follow from the Go name of the table alone: each begins in a way
// that no name of the harness and no other kind of name does.
type raceNames struct {
	make    string // raceRowOfBookings, a variable: makes up row n; empty when rows cannot be made
	row     string // raceInsertedBooking, a function: row n, inserted
	enqueue string // raceEnqueuedTasks, a function: the id of task n, in the queue
	list    string // racesOfBookings, a function: the races of the repository
}

// emitRaces writes *_race_test.go.
func (e *emitter) emitRaces(o GenerateOptions) {
	t := &raceTests{emitter: e, store: o.ImportPath, rows: make([]raceNames, len(e.program.Repositories))}
	own, err := declaredNames(harness)
	if err != nil {
		e.problems = append(e.problems, internalProblem("the harness of race tests", err))
		return
	}
	t.scope = newScope("the race tests", &e.problems, append(own, raceAllFunc, raceSchemaID)...)
	for i := range e.program.Repositories {
		t.resolveRows(i)
	}
	for i := range e.program.Repositories {
		t.emitRepositoryRaces(i)
	}
	t.emitSingletonRaces()
	t.emitSchema(o.Schema)
	t.emitHarness()
}

// declaredNames are the names at package level of a Go text.
func declaredNames(text string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "harness.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names, nil
}

// emitHarness fills in the placeholders.
func (t *raceTests) emitHarness() {
	text := strings.NewReplacer(
		"STOREPACKAGE", t.program.Go.Package, "STOREPATH", t.store, "PAWLPATH", t.runtime, "EXPLOREPATH", t.explorer(),
	).Replace(harness)
	text = sortedImports(text, t.store, t.runtime, t.explorer())
	t.files = append(t.files, File{Path: path.Join(t.program.Go.Dir, "store_race_test.go"), Content: []byte(text)})
}

// sortedImports puts the lines of the three packages whose paths are the user's
// into the order that gofmt wants: by path.
func sortedImports(text string, store, runtime, explorer string) string {
	lines := []struct{ name, path string }{{"store", store}, {"pawl", runtime}, {"explore", explorer}}
	spell := func() string {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString("\t" + l.name + " " + strconv.Quote(l.path) + "\n")
		}
		return b.String()
	}
	unsorted := spell()
	slices.SortFunc(lines, func(a, b struct{ name, path string }) int { return strings.Compare(a.path, b.path) })
	return strings.Replace(text, unsorted, spell(), 1)
}

// ownRuntime is where pawl's own module has the runtime; the explorer stands
// elsewhere in it.
const (
	ownRuntime  = "github.com/pawldb/pawl/pawl"
	ownExplorer = "github.com/pawldb/pawl/verify/explore"
)

// explorer is the import path of the explorer: below the runtime, wherever a
// project keeps that.
func (e *emitter) explorer() string {
	if e.runtime == ownRuntime {
		return ownExplorer
	}
	return path.Join(e.runtime, "explore")
}

// file starts a file of the tests.
func (t *raceTests) file(sources ...ir.Pos) *writer {
	w := t.emitter.file(sources...)
	w.pkg, w.taken = t.program.Go.Package+"_test", t.scope.names()
	w.known = map[string]string{t.store: "store", t.runtime: "pawl", pgxPath: "pgx", pgtypePath: "pgtype"}
	return w
}

// in is an identifier of the generated package.
func (t *raceTests) in(name string) ident { return ident{t.store, name} }

// emitSchema writes the DDL that the test's database is made with, and the list
// of all races.
func (t *raceTests) emitSchema(schema string) {
	w := t.file(t.program.Go.Pos)
	w.P()
	w.Doc(raceAllFunc + " are the races of all tables, queues and singletons.")
	w.P("func ", raceAllFunc, "() []race {")
	w.P("var all []race")
	for _, list := range t.lists {
		w.P("all = append(all, ", list, "()...)")
	}
	w.P("return all")
	w.P("}")
	w.P()
	w.Doc(raceSchemaID + " is the schema of the specification. The database of the races is made with it.")
	// A raw text is one that can be read; it holds no backquote.
	w.P("var ", raceSchemaID, " = `", strings.ReplaceAll(schema, "`", "`+\"`\"+`"), "`")
	t.finish("schema_race_test.go", w)
}

// emitSingletonRaces writes two holders of each singleton.
func (t *raceTests) emitSingletonRaces() {
	if len(t.program.Singletons) == 0 {
		return
	}
	list := t.scope.fresh("raceSingletons")
	t.lists = append(t.lists, list)
	sources := make([]ir.Pos, len(t.program.Singletons))
	for i := range t.program.Singletons {
		sources[i] = t.program.Singletons[i].Pos
	}
	w := t.file(sources...)
	w.P()
	w.Doc(list + " are the races of singletons: two processes run the work.")
	w.P("func ", list, "() []race {")
	w.P("return []race{")
	for i := range t.program.Singletons {
		t.emitSingletonRace(w, t.names.singletons[i].typ)
	}
	w.P("}")
	w.P("}")
	t.finish("singletons_race_test.go", w)
}

func (t *raceTests) emitSingletonRace(w *writer, typ string) {
	context := w.S(ident{"context", "Context"})
	w.P("{")
	w.P(fmt.Sprintf("name: %q,", typ+": two runs"))
	w.P("setup: func(*raceSetup) []racer {")
	w.P("var inside ", ident{"sync/atomic", "Int32"})
	w.P("run := func(ctx ", context, ", db *", t.in("Store"), ") (any, error) {")
	w.P("return nil, db.", typ, ".Run(ctx, func(ctx ", context, ", tx *", t.in("Store"), ") error {")
	w.P("defer inside.Add(-1)")
	w.P("if inside.Add(1) > 1 {")
	w.P("return ", ident{"errors", "New"}, `("both hold the singleton")`)
	w.P("}")
	w.P(`_, err := tx.DB().Exec(ctx, "SELECT 1")`)
	w.P("return err")
	w.P("})")
	w.P("}")
	w.P(`return []racer{{name: "first", call: run}, {name: "second", call: run}}`)
	w.P("},")
	w.P("equal: true, ownTransactions: true,")
	w.P("},")
}
