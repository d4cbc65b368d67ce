package golang

import (
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler/ir"
)

// nameSeeds are names that have broken generators of Go: a table, a column, an
// enum, two labels of it, a constraint, an operation, an argument and a name that
// a go block asks for.
var nameSeeds = [][9]string{
	{"bookings", "id", "status", "held", "confirmed", "one_per_room", "confirm", "price", ""},
	{"type", "type", "type", "range", "func", "select", "switch", "type", ""},
	{"query", "q", "error", "error", "any", "len", "string", "nil", ""},
	{"rows", "ctx", "db", "tx", "err", "row", "in", "ctx", ""},
	{"time", "time", "uuid", "json", "context", "pgx", "fmt", "time", ""},
	{"tags", "name", "sort", "name:asc", "name:desc", "S3:INIT", "get", "limit", ""},
	{"cards", "value", "card", "VISA", "visa", "Value", "insert", "value", ""},
	{"paths", "value", "path", "FOO/BAR", "FOO-BAR", "0", "list", "1", ""},
	{"texts", "value", "quoted", "\"", "\\\n`", "*/", "'; --", "", ""},
	{"words", "value", "word", "SLACK", "GUIDANCE", "IDEA", "IPHONE", "uuid", ""},
	{"foos", "foo", "foo", "Foo", "FOO", "foo_", "_foo", "foo", ""},
	{"project_columns", "columns", "project", "columns", "errors", "project_columns", "project", "columns", ""},
	{"package", "casttime", "column", "casttime_", "castTime", "errors", "package", "casttime_", ""},
	{"13_pg", "100begins", "@fancy", "!!!nobody,...", "parent        id", "%", "2nd", "1", ""},
	{"ScriptID", "BookID", "HTTPServer", "a_1_2", "a_12", "ID", "Id", "id", ""},
	{"x_js", "x_test", "x_linux", "_x", "x_windows_amd64", "_f", "x_test", "x_js", ""},
	{"日本", "été", "ß", "ǅ", "Ωmega", "用户", "größe", "Größe", ""},
	{"bookings", "id", "status", "a", "b", "c", "d", "e", "Store"},
	{"bookings", "id", "status", "a", "b", "c", "d", "e", "booking row"},
	{"store", "Claim", "Store", "New", "InTx", "constraints", "WithTx", "session", "Constraints"},
}

// FuzzNames gives anything a name. The output must be Go that type-checks, or the
// names a problem whose help says what to write.
func FuzzNames(f *testing.F) {
	for _, s := range nameSeeds {
		f.Add(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8])
	}
	f.Fuzz(func(t *testing.T, table, column, enum, label, other, constraint, operation, argument, goName string) {
		for _, name := range []string{table, column, enum, constraint, operation, argument} {
			if name == "" || len(name) > 63 {
				t.Skip("no name that the language takes")
			}
		}
		p := namedProgram(table, column, enum, label, other, constraint, operation, argument, goName)
		files, problems := Generate(p, fstest.MapFS{}, GenerateOptions{ImportPath: "example.com/app/store"})
		for _, problem := range problems {
			if problem.Internal || problem.Help == "" {
				t.Fatalf("%s\nhelp: %s", problem.Text, problem.Help)
			}
		}
		if len(problems) > 0 {
			return
		}
		if err := typecheck(files); err != nil {
			t.Fatalf("%v\n%s", err, source(files))
		}
	})
}

// namedProgram is a table with an enum, a constraint and an operation, and a
// second table beside it that nothing is wrong with.
func namedProgram(table, column, enum, label, other, constraint, operation, argument, goName string) *ir.Program {
	state := ir.Type{Kind: ir.EnumType, Schema: "app", Name: enum}
	e := ir.Enum{Schema: "app", Name: enum, Values: []string{label}}
	if other != label {
		e.Values = append(e.Values, other)
	}
	p := program([]ir.Enum{e})
	row := []ir.Field{field(column, bigint)}
	if column != "state" {
		row = append(row, field("state", state))
	}
	address := "table." + table
	args := row[:1:1]
	if argument != column {
		args = append(args, field(argument, arrayOf(state)))
	}
	named := func(name string, kind ir.OperationKind, args []ir.Field) ir.Operation {
		return ir.Operation{
			Address: address + "." + string(kind) + "." + name, Name: name, Kind: kind, Doc: "Does its part.", Key: row[:1],
			Statements: []ir.Statement{statement(ir.MainStatement, "/* "+label+" */ SELECT "+other, args, row)},
			Errors:     []string{table + "_" + constraint},
		}
	}
	first := ir.Repository{
		Address: address, Name: table, Schema: "app", Table: table, Row: row, Key: row[:1], Insert: row,
		GoColumns:  map[string]ir.GoColumn{column: {Name: goName}},
		Operations: []ir.Operation{named("insert", ir.InsertOp, row), named(operation, ir.MoveOp, args)},
		Reported: []ir.Reported{{
			Name: table + "_" + constraint, Label: constraint, Kind: ir.Duplicate, Code: "23505", Schema: "app", Table: table,
			Columns: []string{column}, Doc: "two rows have one " + column,
		}},
	}
	p.Repositories = []ir.Repository{first}
	if table != "counters" {
		p.Repositories = append(p.Repositories, countersTable())
	}
	return p
}
