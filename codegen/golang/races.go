package golang

import (
	"embed"
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
// and its imports: files of their own, so that they read as Go. Those of a table end
// in _race_test.go, so that no table's can have the name of one of these.
//
//go:embed race_database.go.txt race_judge.go.txt race_rows.go.txt
var harness embed.FS

// harnessFiles are the files of the harness by subject: the database that races run
// on, the judge of how they come out, and the rows that they are about.
var harnessFiles = []string{"race_database", "race_judge", "race_rows"}

// harnessText is a file of the harness with its placeholders.
func harnessText(subject string) string {
	text, err := harness.ReadFile(subject + ".go.txt")
	if err != nil {
		panic("golang: the harness has no " + subject)
	}
	return string(text)
}

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
	var own []string
	for _, subject := range harnessFiles {
		names, err := declaredNames(harnessText(subject))
		if err != nil {
			e.problems = append(e.problems, internalProblem(subject+" of the race tests", err))
			return
		}
		own = append(own, names...)
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
	fill := strings.NewReplacer("STOREPACKAGE", t.program.Go.Package, "STOREPATH", t.store, "PAWLPATH", t.runtime, "EXPLOREPATH", t.explorer())
	for _, subject := range harnessFiles {
		text := sortedImports(fill.Replace(harnessText(subject)), t.store, t.runtime, t.explorer())
		t.files = append(t.files, File{Path: path.Join(t.program.Go.Dir, subject+"_test.go"), Content: []byte(text)})
	}
}

// sortedImports puts the lines of the three packages whose paths are the user's,
// those that a file has, into the order that gofmt wants: by path.
func sortedImports(text string, store, runtime, explorer string) string {
	type line struct{ name, path string }
	var lines []line
	spell := func() string {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString("\t" + l.name + " " + strconv.Quote(l.path) + "\n")
		}
		return b.String()
	}
	for _, l := range []line{{"store", store}, {"pawl", runtime}, {"explore", explorer}} {
		if strings.Contains(text, "\t"+l.name+" "+strconv.Quote(l.path)+"\n") {
			lines = append(lines, l)
		}
	}
	unsorted := spell()
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.path, b.path) })
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

// emitSingletonRaces writes two holders of each singleton. A leader waits for a
// lease by the clock, which no order of statements decides: pawl verify explores
// its statements.
func (t *raceTests) emitSingletonRaces() {
	var runs []string
	var sources []ir.Pos
	for i := range t.program.Singletons {
		if s := &t.program.Singletons[i]; s.Leader == nil {
			runs, sources = append(runs, t.names.singletons[i].typ), append(sources, s.Pos)
		}
	}
	if len(runs) == 0 {
		return
	}
	list := t.scope.fresh("raceSingletons")
	t.lists = append(t.lists, list)
	w := t.file(sources...)
	w.P()
	w.Doc(list + " are the races of singletons: two processes run the work.")
	w.P("func ", list, "() []race {")
	w.P("return []race{")
	for _, typ := range runs {
		t.emitSingletonRace(w, typ)
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
