package golang

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

// table is a table with the given columns, and a get by the first of them.
func table(line int, name string, columns ...string) ir.Repository {
	row := make([]ir.Field, len(columns))
	for i, column := range columns {
		row[i] = field(column, bigint)
	}
	address := "table." + name
	return ir.Repository{
		Address: address, Name: name, Schema: "app", Table: name, Row: row, Key: row[:1], Insert: row, Pos: at(line),
		Operations: []ir.Operation{
			get(address, "get", row[:1], row),
			{
				Address: address + ".insert", Name: "insert", Kind: ir.InsertOp,
				Statements: []ir.Statement{statement(ir.MainStatement, "INSERT", row, row)},
			},
		},
	}
}

func get(table, name string, key, row []ir.Field) ir.Operation {
	return ir.Operation{
		Address: table + "." + name, Name: name, Kind: ir.GetOp, Key: key,
		Statements: []ir.Statement{statement(ir.MainStatement, "SELECT", key, row)},
	}
}

func with(r ir.Repository, change func(*ir.Repository)) ir.Repository {
	change(&r)
	return r
}

func TestCollisions(t *testing.T) {
	for _, test := range []struct {
		name    string
		program *ir.Program
		want    []string // "line: text" for each problem, a part of it
		help    string   // a part of the first one's
	}{
		{
			"two tables with one singular", program(nil, table(1, "foo", "id"), table(2, "foos", "id")),
			[]string{`2: a row of table "foos" needs the Go name Foo in package store, which belongs to table "foo" (bookings.hcl:1)`},
			`go { row = "FooRecord" }`,
		},
		{
			"our own type", program(nil, table(3, "store", "id")),
			[]string{`3: table "store" needs the Go name Store in package store, which belongs to a name that pawl itself generates`},
			`go { name = "StoreTable" }`,
		},
		{
			"our own method", program(nil, table(3, "check", "id")),
			[]string{`3: table "check" needs the Go name Check in struct Store`},
			`go { name = "CheckTable" }`,
		},
		{
			"a derived name", program(nil, table(1, "projects", "id"), table(2, "project_insert", "id")),
			[]string{`2: table "project_insert" needs the Go name ProjectInsert in package store, which belongs to the insert of table "projects"`},
			"go { name",
		},
		{
			"a table and an enum", program([]ir.Enum{enum("booking", "a")}, table(7, "bookings", "id")),
			[]string{`7: a row of table "bookings" needs the Go name Booking in package store, which belongs to enum "booking"`},
			"go { row",
		},
		{
			"two columns", program(nil, table(4, "t", "casttime", "casttime_")),
			[]string{`4: column "casttime_" needs the Go name Casttime in struct TRow, which belongs to column "casttime"`},
			`go { name = "Casttime2" }`,
		},
		{
			"two spellings of a column", program(nil, table(4, "t", "field_name", "fieldName")),
			[]string{`4: column "fieldName" needs the Go name FieldName`},
			"go { name",
		},
		{
			"two operations", program(nil, with(table(5, "t", "id"), func(r *ir.Repository) {
				move := get("table.t", "get", r.Key, r.Row)
				move.Address, move.Pos = "table.t.edit.get", at(9)
				r.Operations = append(r.Operations, move)
			})),
			[]string{`9: get "get" needs the Go name Get in the methods of T`},
			"rename the operation",
		},
		{
			"a queue's column and the claim's own", program(nil, with(tasksQueue(), func(r *ir.Repository) {
				r.Queue.Payload = []ir.Field{field("fence", bigint)}
				r.Operations[1].Statements[0].Results = claimed(r.Queue.Payload)
			})),
			[]string{`80: column "fence" needs the Go name Fence in struct TaskClaim`},
			"go { name",
		},
		{
			"a singleton and a table", &ir.Program{
				Go: &ir.GoOutput{Package: "store", Runtime: "x.org/pawl"}, Repositories: []ir.Repository{table(1, "relay", "id")},
				Singletons: []ir.Singleton{{Name: "relay", Pos: at(2)}},
			},
			[]string{`2: singleton "relay" needs the Go name Relay in package`},
			"rename the singleton",
		},
		{
			"names that are none", program(nil, with(table(6, "t", "id"), func(r *ir.Repository) {
				r.GoName, r.GoRow = "things", "type"
				r.GoColumns = map[string]ir.GoColumn{"id": {Name: "1", Type: "uuid"}}
			})),
			[]string{`6: table "t": go { name = … }: "things" is no exported Go identifier`, `6: table "t": go { row = … }: "type"`, `6: column "id": go { type = "uuid" } names no Go type`, `6: column "id": go { name = … }: "1"`},
			`"Things"`,
		},
		{
			"a package that is none", &ir.Program{Go: &ir.GoOutput{Package: "type", Runtime: RuntimeCopy, Pos: at(1)}},
			[]string{`1: "type" cannot be the name of a Go package`},
			"package =",
		},
		{
			"a uuid that is none", &ir.Program{Go: &ir.GoOutput{Package: "store", Runtime: "x.org/pawl", UUID: "[]byte", Pos: at(1)}},
			[]string{`1: uuid = "[]byte" names no Go type that holds a uuid`},
			`uuid = "string"`,
		},
		{
			"an enum and an adapter's option", func() *ir.Program {
				p := program([]ir.Enum{{Schema: "app", Name: "with_meter", Values: []string{"a"}, Origin: ir.Origin{Pos: at(2)}}})
				p.Go.Adapters = []ir.Adapter{ir.OtelAdapter}
				return p
			}(),
			[]string{`2: enum "with_meter" needs the Go name WithMeter in package`},
			"rename the enum",
		},
		{
			"a runtime that is none", &ir.Program{Go: &ir.GoOutput{Package: "store", Runtime: "../pawl", Pos: at(1)}},
			[]string{`1: "../pawl" is no Go import path`},
			"runtime =",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			files, problems := Generate(test.program, nil, GenerateOptions{ImportPath: "example.com/store"})
			if len(files) > 0 {
				t.Errorf("there are %d files beside problems", len(files))
			}
			got := make([]string, len(problems))
			for i, p := range problems {
				got[i] = p.Pos.String()[len("bookings.hcl:"):] + ": " + p.Text
				if p.Internal || p.Help == "" {
					t.Errorf("%q is no problem that a user can solve: %+v", p.Text, p)
				}
			}
			if len(got) != len(test.want) {
				t.Fatalf("problems: %q, want %q", got, test.want)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("problem %d: %q, want %q", i, got[i], want)
				}
			}
			if !strings.Contains(problems[0].Help, test.help) {
				t.Errorf("help: %q, want %q in it", problems[0].Help, test.help)
			}
		})
	}
}

// A go block gives every name back that a collision took.
func TestOverrides(t *testing.T) {
	r := with(table(1, "store", "casttime", "casttime_"), func(r *ir.Repository) {
		r.GoName, r.GoRow = "Shops", "Shop"
		r.GoColumns = map[string]ir.GoColumn{"casttime_": {Name: "CastTime2"}}
	})
	n := resolve(program(nil, r))
	if len(n.problems) > 0 {
		t.Fatal(n.problems)
	}
	got := n.repositories[0]
	if got.typ != "Shops" || got.row != "Shop" || got.insert != "ShopInsert" {
		t.Errorf("types are %s, %s, %s", got.typ, got.row, got.insert)
	}
	if diff := cmp.Diff(map[string]string{"casttime": "Casttime", "casttime_": "CastTime2"}, got.fields); diff != "" {
		t.Error(diff)
	}
}

func TestSentinels(t *testing.T) {
	reported := func(name, label string, kind ir.ReportedKind) ir.Reported {
		return ir.Reported{Name: name, Label: label, Kind: kind, Schema: "app", Table: "t"}
	}
	parent, child := table(1, "rooms", "id"), table(2, "bookings", "id")
	child.Reported = []ir.Reported{
		reported("bookings_pkey", "pkey", ir.Duplicate),
		reported("bookings_status", "status", ir.BadMove),
		reported("bookings_status_key", "status", ir.Duplicate),
		reported("bookings_room", "room", ir.Reference),
	}
	inherited := child.Reported[3]
	inherited.Inherited = true
	parent.Reported = []ir.Reported{inherited}
	n := resolve(program(nil, parent, child))
	if len(n.problems) > 0 {
		t.Fatal(n.problems)
	}
	want := map[ConstraintName]string{
		{"app", "t", "bookings_pkey"}:       "ErrBookingsPkey",
		{"app", "t", "bookings_status"}:     "ErrBookingsStatusState",
		{"app", "t", "bookings_status_key"}: "ErrBookingsStatusDuplicate",
		{"app", "t", "bookings_room"}:       "ErrBookingsRoom",
	}
	if diff := cmp.Diff(want, n.sentinels); diff != "" {
		t.Error(diff)
	}
}

// Names that users never write do not get in anybody's way.
func TestUnexportedNamesGiveWay(t *testing.T) {
	one, two := table(1, "foo", "id"), table(2, "foo_bar", "id")
	one.Operations = append(one.Operations, get(one.Address, "bar_get", one.Key, one.Row))
	n := resolve(program(nil, one, two))
	if len(n.problems) > 0 {
		t.Fatal(n.problems)
	}
	a := n.repositories[0].consts[statementID{"table.foo.bar_get", ir.MainStatement}]
	b := n.repositories[1].consts[statementID{"table.foo_bar.get", ir.MainStatement}]
	if a != "fooBarGetSQL" || b != "fooBarGetSQL2" {
		t.Errorf("constants are %s and %s", a, b)
	}
}

func TestFilesOfOurOwnStayOurs(t *testing.T) {
	n := resolve(program(nil, table(1, "errors", "id"), table(2, "Errors2", "id"), table(3, "enums", "id")))
	got := []string{n.repositories[0].file, n.repositories[1].file, n.repositories[2].file}
	if diff := cmp.Diff([]string{"errors2", "errors22", "enums2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLocals(t *testing.T) {
	l := newLocals(map[string]bool{"tasksErrors": true}, "t", "ctx", "time")
	for _, test := range []struct{ declared, want string }{
		{"room_id", "roomID"},
		{"type", "typ"},
		{"range", "rangeValue"},
		{"func", "fn"},
		{"string", "text"},
		{"len", "length"},
		{"error", "failure"},
		{"ctx", "ctxValue"},
		{"time", "timeValue"},
		{"t", "tValue"},
		{"tasks_errors", "tasksErrorsValue"},
		{"q", "q"},
		{"Q", "qValue"},
		{"q_", "qValue2"},
	} {
		if got := l.name(test.declared); got != test.want {
			t.Errorf("the local for %q is %q, want %q", test.declared, got, test.want)
		}
	}
}
