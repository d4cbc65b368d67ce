package golang

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/pawldb/pawl/compiler/ir"
)

// runtimeImport is where the runtime lives in this module.
const runtimeImport = "github.com/pawldb/pawl/pawl"

// exports are the export files of what generated code imports, by import path:
// with them go/types checks a package in milliseconds.
var exports = sync.OnceValues(func() (map[string]string, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}",
		runtimeImport, ownExplorer, pgtypePath, "net/netip", "encoding/json", "testing", "math/big", "crypto/rand", "embed", "go/format")
	out, err := list.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return nil, err
	}
	files := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		if importPath, file, ok := strings.Cut(line, "="); ok {
			files[importPath] = file
		}
	}
	return files, nil
})

// typecheck returns what is wrong with generated files as one package.
func typecheck(files []File) error {
	compiled, err := exports()
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		tree, err := parser.ParseFile(fset, f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, tree)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(importPath string) (io.ReadCloser, error) {
		file, ok := compiled[importPath]
		if !ok {
			return nil, fmt.Errorf("generated code imports %s", importPath)
		}
		return os.Open(file)
	})}
	_, err = config.Check("example.com/app/store", fset, parsed, nil)
	return err
}

// source shows generated files in a failure.
func source(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "== %s\n%s", f.Path, numbered(string(f.Content)))
	}
	return b.String()
}

// hostile are names that a generator may trip over: keywords, predeclared names,
// packages, names of our own and of the runtime, and what Go takes as no name.
var hostile = strings.Fields(`type range func select switch package import map chan interface error any string len nil new make
	ctx q db tx err rows row r s t b in after change limit task tasks cause options handler store Store query New InTx Between BetweenDays since_day pawl pgx
	pgtype context time json fmt uuid net netip session dest Dest check with_tx DB after_commit bind_store bindStore constraints
	enum_texts standard_limits relied_upon id ID Id ids claim fence attempt x_test x_linux x_windows_amd64 project project_columns
	foo foos Foo FOO foo_ _foo 13_pg 100begins 日本 été ß ǅ T E S String Context Time insert get delete list confirm Errors
	get_by_get by_by value2 init main _ __ a_1_2 a_12 a12`)

// anyName draws the name of something in a specification.
func anyName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(hostile),
		rapid.SampledFrom(hostile),
		rapid.StringMatching(`[a-z]{1,6}(_[a-z]{1,6}){0,2}`),
		rapid.StringN(1, 12, 40),
	)
}

// anyNames draws names that differ.
func anyNames(most int) *rapid.Generator[[]string] {
	return rapid.SliceOfNDistinct(anyName(), 1, most, rapid.ID[string])
}

// anyTypes are the types of columns and arguments.
var anyTypes = []ir.Type{
	bigint, text, timestamptz, status, arrayOf(status), arrayOf(bigint),
	{Name: "jsonb"},
	{Name: "numeric"},
	{Name: "tstzrange"},
	{Name: "inet"},
	{Name: "bytea"},
	{Name: "uuid"},
	{Name: "int4"},
	{Name: "float8"},
	{Name: "float4"},
	{Name: "datemultirange"},
	{Name: "point"},
	{Kind: ir.OtherType, Name: "ltree"},
}

func anyFields(t *rapid.T, what string, most int) []ir.Field {
	var fields []ir.Field
	for _, name := range anyNames(most).Draw(t, what) {
		fields = append(fields, ir.Field{
			Name: name, Type: rapid.SampledFrom(anyTypes).Draw(t, what+" type"),
			Null: rapid.Bool().Draw(t, what+" null"), Positive: rapid.Bool().Draw(t, what+" positive"),
		})
	}
	return fields
}

// anyTable draws a table with an operation of each kind.
func anyTable(t *rapid.T, name string) ir.Repository {
	row := anyFields(t, "columns", 6)
	args := anyFields(t, "arguments", 4)
	address := "table." + name
	key := row[:1]
	comment := rapid.String().Draw(t, "comment")
	operation := func(name string, kind ir.OperationKind, arguments []ir.Field) ir.Operation {
		o := ir.Operation{
			Address: address + "." + name + string(kind), Name: name, Kind: kind, Doc: comment, Lock: ir.ForUpdate,
			Statements: []ir.Statement{statement(ir.MainStatement, "/* "+address+" */ SELECT '`'\n"+comment, arguments, row)},
		}
		return o
	}
	edit := operation("edit", ir.EditOp, key)
	edit.Columns = []string{row[len(row)-1].Name}
	edit.Statements = []ir.Statement{statement(ir.LockStatement, "SELECT", args, row), statement(ir.WriteStatement, "UPDATE", args, row)}
	r := ir.Repository{
		Address: address, Name: name, Schema: "app", Table: name, Comment: comment, Row: row, Key: key, Insert: row,
		Operations: []ir.Operation{
			operation("insert", ir.InsertOp, row),
			operation("get_by_"+rapid.SampledFrom(hostile).Draw(t, "label"), ir.GetOp, args),
			operation("get_many", ir.GetManyOp, []ir.Field{field("ids", arrayOf(bigint))}),
			operation("list", ir.ListOp, append(args[:len(args):len(args)], field("limit of page", bigint))),
			operation(anyName().Draw(t, "move"), ir.MoveOp, args),
			operation("adjust", ir.AdjustOp, args),
			operation("delete", ir.DeleteOp, key),
			edit,
		},
	}
	for _, label := range anyNames(3).Draw(t, "constraints") {
		r.Reported = append(r.Reported, ir.Reported{
			Name: name + "_" + label, Label: label, Kind: ir.Duplicate, Schema: "app", Table: name, Doc: comment, Columns: []string{label},
		})
		r.Operations[0].Errors = append(r.Operations[0].Errors, name+"_"+label)
	}
	return r
}

// anyProgram draws a specification with hostile names everywhere.
func anyProgram(t *rapid.T) *ir.Program {
	p := program([]ir.Enum{
		{Schema: "app", Name: "booking_status", Values: rapid.SliceOfNDistinct(rapid.OneOf(rapid.String(), anyName()), 0, 6, rapid.ID[string]).Draw(t, "labels")},
		{Schema: "app", Name: anyName().Draw(t, "enum"), Values: anyNames(4).Draw(t, "labels")},
	})
	if p.Schema.Enums[1].Name == "booking_status" {
		p.Schema.Enums = p.Schema.Enums[:1]
	}
	for _, name := range anyNames(3).Draw(t, "tables") {
		p.Repositories = append(p.Repositories, anyTable(t, name))
	}
	queue := tasksQueue()
	queue.Queue.Payload = anyFields(t, "payload", 4)
	queue.Operations[0].Statements[0].Args = queue.Queue.Payload
	queue.Operations[1].Statements[0].Results = claimed(queue.Queue.Payload)
	p.Repositories = append(p.Repositories, queue)
	return p
}

// Whatever things are called, the output is Go that type-checks, laid out as
// gofmt does and the same each time; or the names are a problem that a user can
// solve.
func TestAnyNames(t *testing.T) {
	generated := 0
	rapid.Check(t, func(t *rapid.T) {
		p := anyProgram(t)
		files, problems := Generate(p, fstest.MapFS{}, GenerateOptions{ImportPath: "example.com/app/store"})
		for _, problem := range problems {
			if problem.Internal || problem.Help == "" {
				t.Fatalf("%s\nhelp: %s", problem.Text, problem.Help)
			}
		}
		if len(problems) > 0 {
			return
		}
		generated++
		if err := typecheck(files); err != nil {
			t.Fatalf("%v\n%s", err, source(files))
		}
		again, _ := Generate(p, fstest.MapFS{}, GenerateOptions{ImportPath: "example.com/app/store"})
		for i, f := range files {
			if formatted, err := format.Source(f.Content); err != nil || string(formatted) != string(f.Content) {
				t.Fatalf("%s is not as gofmt leaves it: %v\n%s", f.Path, err, f.Content)
			}
			if string(again[i].Content) != string(f.Content) {
				t.Fatalf("%s is another on the second run", f.Path)
			}
			if base := path.Base(f.Path); !strings.HasSuffix(base, "_gen.go") || strings.HasPrefix(base, "_") {
				t.Fatalf("the go command would pass over %s", f.Path)
			}
		}
	})
	if generated == 0 {
		t.Error("no specification was without collisions: nothing was checked")
	}
	t.Logf("%d specifications were generated", generated)
}
