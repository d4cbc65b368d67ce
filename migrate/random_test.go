package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// randomSpan bounds the time that the random test takes.
const randomSpan = 8 * time.Second

// TestAnySchemaLeadsToAnyOther draws two schemas, applies the first, puts a row
// into each table, applies the second, and demands an empty plan after each.
func TestAnySchemaLeadsToAnyOther(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	end := time.Now().Add(randomSpan)
	rapid.Check(t, func(r *rapid.T) {
		if time.Now().After(end) {
			return
		}
		exec(t, conn, "DROP SCHEMA IF EXISTS app, pawl CASCADE")
		a, b := drawSchema(r, "before"), drawSchema(r, "after")
		reach(r, t, a, func() *migrate.Plan { return plan(t, conn, program(a)) }, func(p *migrate.Plan, o migrate.ApplyOptions) error {
			return p.Apply(context.Background(), conn, o)
		})
		for _, table := range a.Tables {
			exec(t, conn, "INSERT INTO "+table.Ref().SQL()+" DEFAULT VALUES")
		}
		made := plan(t, conn, program(b))
		if len(made.Violations) > 0 {
			// The row has a NULL that the second schema does not allow.
			var violations *migrate.ViolationsError
			if err := made.Apply(context.Background(), conn, everything(made)); !errors.As(err, &violations) {
				r.Fatalf("apply says %v, the plan shows violations", err)
			}
			for _, table := range a.Tables {
				exec(t, conn, "TRUNCATE "+table.Ref().SQL()+" CASCADE")
			}
		}
		reach(r, t, b, func() *migrate.Plan { return plan(t, conn, program(b)) }, func(p *migrate.Plan, o migrate.ApplyOptions) error {
			return p.Apply(context.Background(), conn, o)
		})
		exec(t, conn, "UPDATE pawl.object SET catalog_hash = ''")
		if again := plan(t, conn, program(b)); !again.Empty() {
			r.Fatalf("a second plan without memory is not empty:\n%s", outline(again))
		}
	})
}

// reach applies a schema with everything allowed and demands an empty plan.
func reach(r *rapid.T, t *testing.T, s ir.Schema, plan func() *migrate.Plan, apply func(*migrate.Plan, migrate.ApplyOptions) error) {
	t.Helper()
	made := plan()
	if err := apply(made, everything(made)); err != nil {
		r.Fatalf("%v\n%s", err, outline(made))
	}
	if again := plan(); !again.Empty() {
		r.Fatalf("a second plan is not empty:\n%s", outline(again))
	}
}

// everything allows what a plan needs.
func everything(p *migrate.Plan) migrate.ApplyOptions {
	var o migrate.ApplyOptions
	for _, h := range p.Hazards {
		o.Allow = append(o.Allow, h.Allow)
	}
	return o
}

// drawSchema draws up to three tables whose every row of defaults is legal.
func drawSchema(r *rapid.T, label string) ir.Schema {
	values := []string{"a", "b"}
	if rapid.Bool().Draw(r, label+" enum grows") && label == "after" {
		values = []string{"a", "x", "b", "y"}
	}
	s := schema()
	s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: values}}
	s.Functions = []ir.Function{refuse()}
	for _, name := range []string{"t1", "t2", "T 3"} {
		if rapid.Bool().Draw(r, label+" "+name) {
			s.Tables = append(s.Tables, drawTable(r, label, name))
		}
	}
	for i := range s.Tables {
		for j := range s.Tables {
			name := fmt.Sprintf("%s_to_%s", s.Tables[i].Name, s.Tables[j].Name)
			if !rapid.Bool().Draw(r, label+" "+name) {
				continue
			}
			column := "ref" + s.Tables[j].Name
			s.Tables[i].Columns = append(s.Tables[i].Columns, nullable(column, base("int8")))
			action := rapid.SampledFrom([]ir.Action{ir.Cascade, ir.NoAction, ir.SetNull}).Draw(r, label+" action")
			s.Tables[i].ForeignKeys = append(s.Tables[i].ForeignKeys, references(name, column, s.Tables[j].Name, action))
		}
	}
	return s
}

func drawTable(r *rapid.T, label, name string) ir.Table {
	t := table(name)
	some := func(what string) bool { return rapid.Bool().Draw(r, label+" "+name+" "+what) }
	number := rapid.SampledFrom([]ir.Type{base("int4"), base("int8"), base("numeric", 10, 2), base("numeric", 12, 2)}).Draw(r, label+" number")
	text := rapid.SampledFrom([]ir.Type{base("text"), base("varchar", 10), base("varchar", 20)}).Draw(r, label+" text")
	t.Columns = append(t.Columns,
		with(ir.Column{Name: "n", Type: number, Null: some("n null")}, rapid.SampledFrom([]string{"1", "2"}).Draw(r, label+" n default")),
		with(ir.Column{Name: "s", Type: text, Null: some("s null"), Comment: rapid.SampledFrom([]string{"", "why"}).Draw(r, label+" comment")}, "'it''s'"),
		with(column("k", ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}), "'a'"),
		with(column("r", base("int4range")), "'[1,2)'"))
	if some("extra") {
		t.Columns = append(t.Columns, with(ir.Column{Name: "extra", Type: base("timestamptz"), Null: some("extra null")}, "now()"))
	}
	if some("free") {
		t.Columns = append(t.Columns, nullable("free", base("jsonb")))
	}
	if some("check") {
		t.Checks = append(t.Checks, check(name+"_c", rapid.SampledFrom([]string{"n > 0", "n IN (1, 2)", "n BETWEEN 0 AND 9 AND s <> ''"}).Draw(r, label+" check")))
	}
	if some("unique") {
		t.Uniques = append(t.Uniques, ir.Unique{Name: name + "_u", Columns: []string{"s", "n"}[:rapid.IntRange(1, 2).Draw(r, label+" unique")], Deferrable: some("deferrable")})
	}
	if some("index") {
		i := index(name+"_i", rapid.SampledFrom([]string{"", "k IN ('a', 'b')", "n > 1"}).Draw(r, label+" where"),
			rapid.SampledFrom([]ir.IndexPart{{Column: "s"}, {Expr: "lower(s)"}, {Column: "n", Desc: true}}).Draw(r, label+" part"))
		i.Unique = some("index unique")
		t.Indexes = append(t.Indexes, i)
	}
	if some("exclude") {
		t.Excludes = append(t.Excludes, ir.Exclude{
			Name: name + "_x", Method: "gist", Elements: []ir.ExcludeElement{{Column: "r", Operator: "&&"}},
			Where: rapid.SampledFrom([]string{"", "k <> 'b'"}).Draw(r, label+" exclude"),
		})
	}
	if some("trigger") {
		g := guard(rapid.SampledFrom([]string{"", "NEW.n < 0", "NEW.k = 'b' AND NEW.s IN ('p', 'q')"}).Draw(r, label+" when"))
		g.Name = name + "_g"
		if g.When == "" {
			g.Events = []ir.TriggerEvent{ir.OnDelete}
		}
		t.Triggers = append(t.Triggers, g)
	}
	return t
}

// TestAThousandTables plans a large schema: from nothing, from memory, and by
// asking the server for every definition.
func TestAThousandTables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes its time")
	}
	const n = 1000
	var tables []ir.Table
	for i := range n {
		name := fmt.Sprintf("people%04d", i)
		tab := people()
		tab.Name, tab.PrimaryKey.Name = name, name+"_pkey"
		tab.Checks = []ir.Check{check(name+"_c", "age IN (1, 2, 3) AND name <> ''")}
		tab.Indexes = []ir.Index{index(name+"_i", "age > 1", ir.IndexPart{Column: "name"})}
		tab.ForeignKeys = []ir.ForeignKey{references(name+"_fk", "room", fmt.Sprintf("people%04d", (i+1)%n), ir.Cascade)}
		tables = append(tables, tab)
	}
	p := program(schema(tables...))
	conn := connect(t)
	start := time.Now()
	lap := func(what string) {
		t.Logf("%-22s %s", what, time.Since(start).Round(time.Millisecond))
		start = time.Now()
	}
	made := plan(t, conn, p)
	lap("plan from nothing")
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	lap("apply")
	if again := plan(t, conn, p); !again.Empty() || again.Asked != 0 {
		t.Errorf("asked %d:\n%s", again.Asked, outline(again))
	}
	lap("plan from memory")
	exec(t, conn, "UPDATE pawl.object SET catalog_hash = ''")
	start = time.Now()
	if again := plan(t, conn, p); !again.Empty() || again.Asked == 0 {
		t.Errorf("asked %d:\n%s", again.Asked, outline(again))
	}
	lap("plan without memory")
}
