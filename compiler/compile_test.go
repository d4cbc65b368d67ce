package compiler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// pawlBlock stands beside every snippet that has none of its own.
const pawlBlock = "pawl {\n  project = \"test\"\n  schema = \"app\"\n  advisory_class = 77\n}\n"

// load compiles a snippet, which may be wrong.
func load(t testing.TB, hcl string) (*ir.Program, diag.List) {
	t.Helper()
	files := fstest.MapFS{"spec.hcl": {Data: []byte(hcl)}}
	if !strings.Contains(hcl, "pawl {") {
		files["pawl.hcl"] = &fstest.MapFile{Data: []byte(pawlBlock)}
	}
	return loadFiles(files)
}

func loadFiles(files fstest.MapFS) (*ir.Program, diag.List) {
	spec, diags := dsl.Load(files, dsl.Options{})
	p, more := compiler.Compile(spec)
	diags.Extend(more)
	diags.Sort()
	if diags.HasErrors() {
		p = nil
	}
	return p, diags
}

// compile compiles a snippet that has no error. Warnings are left to the tests
// that are about them.
func compile(t testing.TB, hcl string) *ir.Program {
	t.Helper()
	p, diags := load(t, hcl)
	if p == nil {
		t.Fatalf("the snippet does not compile:\n%s", render(t, hcl, diags))
	}
	return p
}

func render(t testing.TB, hcl string, diags diag.List) string {
	t.Helper()
	var b strings.Builder
	if err := (diag.Text{Sources: diag.Files{"spec.hcl": []byte(hcl)}}).List(&b, diags); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// seats is the example of the documentation.
func seats(t testing.TB) *ir.Program {
	t.Helper()
	src, err := os.ReadFile("../examples/seats/seats.hcl")
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, string(src))
}

// operation finds an operation by its address.
func operation(t testing.TB, p *ir.Program, address string) *ir.Operation {
	t.Helper()
	var all []string
	for _, r := range p.Repositories {
		for i := range r.Operations {
			if r.Operations[i].Address == address {
				return &r.Operations[i]
			}
			all = append(all, r.Operations[i].Address)
		}
	}
	for _, s := range p.Singletons {
		for i := range s.Operations {
			if s.Operations[i].Address == address {
				return &s.Operations[i]
			}
		}
	}
	t.Fatalf("no operation %s; there are\n%s", address, strings.Join(all, "\n"))
	return nil
}

// statement is the SQL of an operation's statement, without the comment.
func statement(t testing.TB, p *ir.Program, address string, role ir.Role) string {
	t.Helper()
	op := operation(t, p, address)
	s := op.Statement(role)
	if s == nil {
		t.Fatalf("%s has no %s statement", address, role)
	}
	sql, ok := strings.CutPrefix(s.SQL, "/* "+address+" */ ")
	if !ok {
		t.Fatalf("the SQL of %s does not open with its address: %s", address, s.SQL)
	}
	return sql
}

// invariant finds an invariant by its address.
func invariant[T ir.Invariant](t testing.TB, p *ir.Program, address string) T {
	t.Helper()
	for _, i := range p.Invariants {
		if i.Facts().Address == address {
			found, ok := i.(T)
			if !ok {
				t.Fatalf("%s is a %T", address, i)
			}
			return found
		}
	}
	t.Fatalf("no invariant %s", address)
	panic("unreachable")
}

// wantTable finds a table of the schema.
func wantTable(t testing.TB, p *ir.Program, name string) ir.Table {
	t.Helper()
	for _, x := range p.Schema.Tables {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("no table %s", name)
	return ir.Table{}
}

// has fails unless every text stands in s, in this order.
func has(t testing.TB, s string, texts ...string) {
	t.Helper()
	rest := s
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is missing, or stands too early, in:\n%s", text, s)
		}
		rest = after
	}
}

func TestCompileSeatsIsComplete(t *testing.T) {
	p := seats(t)
	if p.Project != "seats" || p.Postgres != 14 || p.DefaultSchema != "app" || p.AdvisoryClass != 4201 {
		t.Errorf("settings: %s %d %s %d", p.Project, p.Postgres, p.DefaultSchema, p.AdvisoryClass)
	}
	if p.Go == nil || p.Go.Dir != "store" || p.Go.Package != "store" || p.Go.Runtime != "copy" || p.SQL == nil || p.SQL.File != "schema.sql" {
		t.Errorf("outputs: %+v %+v", p.Go, p.SQL)
	}
	var tables []string
	for _, x := range p.Schema.Tables {
		tables = append(tables, x.Name)
	}
	if diff := cmp.Diff([]string{"bookings", "counters", "customers", "pawl_leader", "rooms", "seats", "shifts", "tasks", "teams"}, tables); diff != "" {
		t.Error(diff)
	}
	if len(p.Schema.Namespaces) != 1 || p.Schema.Namespaces[0].Name != "app" || len(p.Schema.Extensions) != 1 || len(p.Schema.Enums) != 2 {
		t.Errorf("namespaces %v, extensions %v, enums %v", p.Schema.Namespaces, p.Schema.Extensions, p.Schema.Enums)
	}
	if len(p.Invariants) != 14 {
		t.Errorf("%d invariants", len(p.Invariants))
	}
}

// Every invariant and operation says what it promises, why, and where it was
// declared.
func TestNothingIsLeftUnexplained(t *testing.T) {
	p := seats(t)
	for _, i := range p.Invariants {
		f := i.Facts()
		if f.Promise == "" || f.Mechanism == "" || f.Kind == "" || len(f.Reasons) == 0 || !f.Pos.IsValid() {
			t.Errorf("%s is incomplete: %+v", f.Address, f)
		}
	}
	each(p, func(_ ir.Repository, op ir.Operation) {
		level := ir.ReadCommitted
		if slices.Contains(op.Errors, "someone_on_call") { // the rule's
			level = ir.Serializable
		}
		if op.Doc == "" || op.Isolation != level || op.Transaction == "" || op.Lock == "" || len(op.Reasons) == 0 || !op.Pos.IsValid() {
			t.Errorf("%s is incomplete: %+v", op.Address, op)
		}
		for _, s := range op.Statements {
			if !strings.HasPrefix(s.SQL, "/* "+op.Address+" */ ") {
				t.Errorf("%s: %s", op.Address, s.SQL)
			}
			if strings.Contains(s.SQL, "*,") || strings.Contains(s.SQL, "SELECT *") || strings.Contains(s.SQL, "RETURNING *") {
				t.Errorf("%s selects a star", op.Address)
			}
		}
	})
}

// each visits all operations.
func each(p *ir.Program, visit func(ir.Repository, ir.Operation)) {
	for _, r := range p.Repositories {
		for _, op := range r.Operations {
			visit(r, op)
		}
	}
	for _, s := range p.Singletons {
		for _, op := range s.Operations {
			visit(ir.Repository{Address: s.Address, Name: s.Name}, op)
		}
	}
}

// Where a block stands makes no difference: not the file, not the order.
func TestOutputDoesNotDependOnFiles(t *testing.T) {
	src, err := os.ReadFile("../examples/seats/seats.hcl")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := loadFiles(fstest.MapFS{"all.hcl": {Data: src}})
	files := fstest.MapFS{}
	for i, block := range topLevel(string(src)) {
		files[fmt.Sprintf("%02d.hcl", 99-i)] = &fstest.MapFile{Data: []byte(block)}
	}
	got, diags := loadFiles(files)
	if got == nil || want == nil {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(withoutPlaces(t, want), withoutPlaces(t, got)); diff != "" {
		t.Error(diff)
	}
}

// topLevel cuts a file at the lines that close a block.
func topLevel(src string) []string {
	var blocks []string
	current := ""
	for line := range strings.Lines(src) {
		current += line
		if strings.HasSuffix(line, "}\n") && !strings.HasPrefix(line, " ") {
			blocks = append(blocks, current)
			current = ""
		}
	}
	return append(blocks, current)
}

// withoutPlaces prints a program without its positions.
func withoutPlaces(t testing.TB, p *ir.Program) string {
	t.Helper()
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		field := strings.TrimSpace(line)
		if strings.HasPrefix(field, `"File":`) || strings.HasPrefix(field, `"Line":`) || strings.HasPrefix(field, `"Column":`) && !strings.HasSuffix(field, `",`) ||
			strings.HasPrefix(field, `"Byte":`) {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// A Spec that could not be decoded whole does not break the compiler.
func TestCompileTakesHalfASpec(t *testing.T) {
	for _, spec := range []*dsl.Spec{
		{},
		{Tables: []*dsl.Table{{}}, Enums: []*dsl.Enum{{}}, Queues: []*dsl.Queue{{}}, Singletons: []*dsl.Singleton{{}}, Transactions: []*dsl.Transaction{{}}},
		{Tables: []*dsl.Table{{
			Block:        dsl.Block{Name: dsl.Name{Text: "t"}},
			Columns:      []*dsl.Column{{}, {Block: dsl.Block{Name: dsl.Name{Text: "a"}}}},
			PrimaryKey:   &dsl.PrimaryKey{},
			ForeignKeys:  []*dsl.ForeignKey{{}},
			Checks:       []*dsl.Check{{}},
			Indexes:      []*dsl.Index{{}},
			NoDuplicates: []*dsl.NoDuplicates{{}},
			NoOverlaps:   []*dsl.NoOverlap{{}},
			Transitions:  []*dsl.Transitions{{Moves: []*dsl.Move{{}}}},
			Adjusts:      []*dsl.Adjust{{}},
			Edits:        []*dsl.Edit{{}},
		}}},
	} {
		compiler.Compile(spec)
	}
}
