package golang

import (
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/pawldb/pawl/compiler/ir"
)

// File is a generated file.
type File struct {
	Path    string // slash-separated, relative to the project
	Content []byte
}

// GenerateOptions are what the program does not say.
type GenerateOptions struct {
	// ImportPath is the Go import path of the output directory: the module's path
	// and the directory below it. With runtime = "copy" the output imports
	// <ImportPath>/pawl, and race tests import <ImportPath>; otherwise it is not
	// looked at.
	ImportPath string
	// Schema is the DDL that race tests make their database with, and Explorer holds
	// the Go files of package explore, which stands beside a copied runtime. Both are
	// looked at for race tests alone.
	Schema   string
	Explorer fs.FS
	// Otel holds the Go files of the adapter for OpenTelemetry. It is looked at where
	// a copied runtime is to have it beside it.
	Otel fs.FS
}

// RuntimeCopy is the value of runtime in a generate block that asks for a copy
// of the runtime beside the output; any other is the runtime's import path.
const RuntimeCopy = "copy"

// Generate returns the Go files of p, sorted by path, or the problems that have
// to be solved first; never both. It returns nothing when p generates no Go.
// library holds the Go files of the runtime library; its tests are not copied.
func Generate(p *ir.Program, library fs.FS, o GenerateOptions) ([]File, []Problem) {
	if p.Go == nil {
		return nil, nil
	}
	e := newEmitter(p, o)
	if problems := e.check(); len(problems) > 0 {
		return nil, problems
	}
	collect := e.startFormatting()
	e.emitStore()
	e.emitEnums()
	e.emitErrors()
	e.emitSingletons()
	e.emitRules()
	e.emitIdempotencies()
	e.emitInboxes()
	for i := range p.Repositories {
		e.emitRepository(i)
	}
	if p.Go.RaceTests {
		e.emitRaces(o)
	}
	collect()
	if p.Go.Runtime == RuntimeCopy {
		e.copyFolder(library, "pawl")
		if p.Go.RaceTests {
			e.copyFolder(o.Explorer, "pawl/explore")
		}
		if hasAdapter(p, ir.OtelAdapter) {
			e.copyFolder(o.Otel, "pawl/"+otelFolder)
		}
	}
	if len(e.problems) > 0 {
		return nil, e.problems
	}
	slices.SortFunc(e.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return e.files, nil
}

// Check returns the problems that Generate would refuse p for, without
// generating: names that Go cannot have or that clash, a package or an import
// path that is none.
func Check(p *ir.Program) []Problem {
	if p.Go == nil {
		return nil
	}
	return newEmitter(p, GenerateOptions{}).check()
}

// emitter writes the files of one program.
type emitter struct {
	program *ir.Program
	names   *names
	runtime string           // import path of package pawl
	taken   map[string]bool  // package-level names
	guards  map[string]guard // what operations ask of their row, by address
	// signatures of the methods, by the address of the operation.
	signatures  map[string]string
	drafts      []*draft
	unformatted chan *draft // nil when no files are wanted
	files       []File
	problems    []Problem
}

func newEmitter(p *ir.Program, o GenerateOptions) *emitter {
	e := &emitter{
		program: p, names: resolve(p), guards: guardsOf(p), runtime: p.Go.Runtime, signatures: map[string]string{},
	}
	if e.runtime == RuntimeCopy {
		e.runtime = path.Join(o.ImportPath, "pawl")
	}
	e.taken = e.names.pkg.names()
	return e
}

// check returns what keeps p from being generated.
func (e *emitter) check() []Problem {
	problems := append(e.names.problems, checkResults(e.program)...)
	if p := packageProblem(e.program.Go); p != nil {
		problems = append(problems, *p)
	}
	return problems
}

// packageProblem says why a package or its runtime cannot have the name that the
// generate block gives it; nil when it can.
func packageProblem(g *ir.GoOutput) *Problem {
	if !packageIdent(g.Package) {
		return &Problem{
			Pos: g.Pos, Text: fmt.Sprintf("%q cannot be the name of a Go package", g.Package),
			Help: `use small letters and digits that are no Go keyword, for example package = "store"`,
		}
	}
	if g.Runtime != RuntimeCopy && !importable(g.Runtime) {
		return &Problem{
			Pos: g.Pos, Text: fmt.Sprintf("%q is no Go import path", g.Runtime),
			Help: `write runtime = "copy", or the path that Go imports it from: runtime = "github.com/pawldb/pawl/pawl"`,
		}
	}
	return nil
}

// pawl is an identifier of the runtime.
func (e *emitter) pawl(name string) ident { return ident{e.runtime, name} }

// file starts a file of the generated package.
func (e *emitter) file(sources ...ir.Pos) *writer {
	var files []string
	for _, pos := range sources {
		if pos.File != "" && !slices.Contains(files, path.Base(pos.File)) {
			files = append(files, path.Base(pos.File))
		}
	}
	slices.Sort(files)
	return newWriter(e.program.Go.Package, files, e.taken, map[string]string{
		e.runtime: "pawl", pgxPath: "pgx", pgtypePath: "pgtype",
		otelMetricPath: "metric", e.runtime + "/" + otelFolder: otelFolder,
	})
}

// draft is a file that is written and not yet formatted, and then formatted.
type draft struct {
	name    string
	w       *writer
	content []byte
	failure error
}

// finish adds a file to the output. Where only the names are asked for, nobody
// collects files.
func (e *emitter) finish(name string, w *writer) {
	if e.unformatted == nil {
		return
	}
	d := &draft{name: name, w: w}
	e.drafts = append(e.drafts, d)
	e.unformatted <- d
}

// startFormatting lets all processors format files while further ones are
// written: it is most of the work, and files do not know of each other. The
// result waits for the last and collects them.
func (e *emitter) startFormatting() (collect func()) {
	e.unformatted = make(chan *draft, 64)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for d := range e.unformatted {
				d.content, d.failure = d.w.Bytes()
				d.w = nil
			}
		})
	}
	return func() {
		close(e.unformatted)
		workers.Wait()
		for _, d := range e.drafts {
			if d.failure != nil {
				e.problems = append(e.problems, internalProblem(d.name, fmt.Errorf("what was generated is no Go: %w", d.failure)))
				continue
			}
			e.files = append(e.files, File{Path: path.Join(e.program.Go.Dir, d.name), Content: d.content})
		}
	}
}

// internalProblem is a defect of this generator or of what came before it.
func internalProblem(where string, err error) Problem {
	return Problem{
		Text:     fmt.Sprintf("internal error: %s: %v", where, err),
		Help:     "this is a defect of pawl, not of the specification: please report it with the text above",
		Internal: true,
	}
}

// declaresColumn reports whether f stands for the repository's column of that
// name: an argument may bear a column's name and another type.
func declaresColumn(r *ir.Repository, f ir.Field) bool {
	for _, fields := range [][]ir.Field{r.Row, r.Insert, payload(r)} {
		for _, column := range fields {
			if column.Name == f.Name && column.Type.Base().Equal(f.Type.Base()) {
				return true
			}
		}
	}
	return false
}

// payload are the declared columns of a queue.
func payload(r *ir.Repository) []ir.Field {
	if r.Queue == nil {
		return nil
	}
	return r.Queue.Payload
}

// typeOf is the Go type of a value: the one that a column's go block names, or
// the one that its PostgreSQL type has.
func (e *emitter) typeOf(r *ir.Repository, f ir.Field) goType {
	t, given := e.names.types[columnID{r.Address, f.Name}]
	if !given || !declaresColumn(r, f) {
		t = e.names.chosen.of(f.Type)
		if r.GoColumns[f.Name].ElementsNullable && declaresColumn(r, f) {
			t = withNullElements(t)
		}
	}
	if f.Null || f.Optional {
		t = t.orNull()
	}
	return t
}
