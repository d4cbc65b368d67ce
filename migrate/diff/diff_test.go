package diff_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate/diff"
)

// list is a list of changes as "Kind name", in order.
func list(changes []ir.Change) []string {
	var names []string
	for _, c := range changes {
		names = append(names, fmt.Sprintf("%T %s", c, ir.ChangeObject(c).SQL())[len("ir."):])
	}
	return names
}

// key is a print: definitions of these tests print as their text.
func key(name string, columns ...string) *ir.PrimaryKey {
	return &ir.PrimaryKey{Name: name, Columns: columns, Printed: fmt.Sprint("PRIMARY KEY ", columns)}
}

func column(name, typ string) ir.Column {
	return ir.Column{Name: name, Type: ir.Type{Name: typ}, Printed: ir.ColumnPrint{Type: typ}}
}

func check(name, expr string) ir.Check { return ir.Check{Name: name, Expr: expr, Printed: expr} }

func index(name, where string) ir.Index { return ir.Index{Name: name, Where: where, Printed: where} }

func trigger(name, when string) ir.Trigger { return ir.Trigger{Name: name, When: when, Printed: when} }

// foreign prints with its name, so that another name is another definition.
func foreign(name, table string, columns ...string) ir.ForeignKey {
	return ir.ForeignKey{Name: name, Columns: columns, RefSchema: "s", RefTable: table, RefColumns: []string{"id"}, Printed: name + table}
}

func table(name string) ir.Table {
	return ir.Table{Schema: "s", Name: name, Columns: []ir.Column{column("id", "int8")}, PrimaryKey: key(name+"_pkey", "id")}
}

func TestDiff(t *testing.T) {
	withUnique := func(u ir.Unique) ir.Table {
		x := table("a")
		x.Uniques = []ir.Unique{u}
		return x
	}
	for _, c := range []struct {
		name       string
		have, want []ir.Table
		enums      [2][]ir.Enum
		changes    []string
	}{
		{name: "nothing", have: []ir.Table{table("a")}, want: []ir.Table{table("a")}},
		{
			name: "order of tables and objects means nothing",
			have: []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("x", "1"), check("y", "2")}}, table("b")},
			want: []ir.Table{table("b"), {Schema: "s", Name: "a", Checks: []ir.Check{check("y", "2"), check("x", "1")}}},
		},
		{
			name: "new tables in a cycle",
			want: func() []ir.Table {
				a, b := table("a"), table("b")
				a.ForeignKeys, b.ForeignKeys = []ir.ForeignKey{foreign("a_b", "b", "id")}, []ir.ForeignKey{foreign("b_a", "a", "id")}
				a.Indexes, a.Triggers = []ir.Index{index("i", "")}, []ir.Trigger{trigger("g", "")}
				return []ir.Table{a, b}
			}(),
			changes: []string{
				"CreateTable s.a", "CreateIndex s.a.i", "CreateTrigger s.a.g", "CreateTable s.b",
				"AddConstraint s.a.a_b", "AddConstraint s.b.b_a",
			},
		},
		{
			name: "tables in a cycle go",
			have: func() []ir.Table {
				a, b := table("a"), table("b")
				a.ForeignKeys, b.ForeignKeys = []ir.ForeignKey{foreign("a_b", "b", "id")}, []ir.ForeignKey{foreign("b_a", "a", "id"), foreign("b_b", "b", "id")}
				return []ir.Table{a, b}
			}(),
			changes: []string{"DropConstraint s.a.a_b", "DropConstraint s.b.b_a", "DropTable s.a", "DropTable s.b"},
		},
		{
			name: "a changed object is dropped and made next to each other",
			have: []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("c", "1")}, Indexes: []ir.Index{index("i", "1")}, Triggers: []ir.Trigger{trigger("g", "1")}}},
			want: []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("c", "2")}, Indexes: []ir.Index{index("i", "2")}, Triggers: []ir.Trigger{trigger("g", "2")}}},
			changes: []string{
				"DropConstraint s.a.c", "AddConstraint s.a.c", "DropIndex s.a.i", "CreateIndex s.a.i", "DropTrigger s.a.g", "CreateTrigger s.a.g",
			},
		},
		{
			name:    "the new name stands before the old one goes",
			have:    []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("old", "1")}, Columns: []ir.Column{column("gone", "text")}}},
			want:    []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("new", "2")}, Columns: []ir.Column{column("more", "text")}}},
			changes: []string{"AddColumn s.a.more", "AddConstraint s.a.new", "DropConstraint s.a.old", "DropColumn s.a.gone"},
		},
		{
			name:    "a table has one primary key",
			have:    []ir.Table{{Schema: "s", Name: "a", PrimaryKey: key("old", "id")}},
			want:    []ir.Table{{Schema: "s", Name: "a", PrimaryKey: key("new", "id")}},
			changes: []string{"DropConstraint s.a.old", "AddConstraint s.a.new"},
		},
		{
			name:    "a constraint becomes an index of its name",
			have:    []ir.Table{withUnique(ir.Unique{Name: "u", Columns: []string{"x"}, Printed: "UNIQUE (x)"})},
			want:    []ir.Table{func() ir.Table { x := table("a"); x.Indexes = []ir.Index{index("u", "UNIQUE (x)")}; return x }()},
			changes: []string{"DropConstraint s.a.u", "CreateIndex s.a.u"},
		},
		{
			name: "a check and an index may share a name",
			have: []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("x", "1")}, Indexes: []ir.Index{index("x", "1")}}},
			want: []ir.Table{{Schema: "s", Name: "a", Checks: []ir.Check{check("x", "1")}, Indexes: []ir.Index{index("x", "1")}}},
		},
		{
			name: "invalid, unproven and disabled",
			have: []ir.Table{{
				Schema: "s", Name: "a", Checks: []ir.Check{{Name: "c", Printed: "1", Invalid: true}},
				ForeignKeys: []ir.ForeignKey{{Name: "f", Printed: "fb", Invalid: true}},
				Indexes:     []ir.Index{{Name: "i", Printed: "1", Invalid: true}}, Triggers: []ir.Trigger{{Name: "g", Printed: "1", Disabled: true}},
			}},
			want: []ir.Table{{
				Schema: "s", Name: "a", Checks: []ir.Check{{Name: "c", Printed: "1"}}, ForeignKeys: []ir.ForeignKey{{Name: "f", Printed: "fb"}},
				Indexes: []ir.Index{{Name: "i", Printed: "1"}}, Triggers: []ir.Trigger{{Name: "g", Printed: "1"}},
			}},
			changes: []string{
				"ValidateConstraint s.a.c", "DropIndex s.a.i", "CreateIndex s.a.i", "ValidateConstraint s.a.f", "EnableTrigger s.a.g",
			},
		},
		{
			name: "a name is all that changes",
			have: []ir.Table{
				{
					Schema: "s", Name: "a", PrimaryKey: key("old", "x"), Checks: []ir.Check{check("c", "1"), check("twin", "2")},
					Indexes: []ir.Index{index("twin", "3"), index("i", "4")}, Columns: []ir.Column{column("c", "text")},
				},
				{Schema: "s", Name: "b", ForeignKeys: []ir.ForeignKey{foreign("f", "a", "x")}},
			},
			want: []ir.Table{
				{
					Schema: "s", Name: "a", PrimaryKey: key("new", "x"), Checks: []ir.Check{check("d", "1"), check("twin", "2")},
					Indexes: []ir.Index{index("other", "3"), index("j", "4")}, Columns: []ir.Column{column("c", "int4")},
				},
				{Schema: "s", Name: "b", ForeignKeys: []ir.ForeignKey{{Name: "g", Columns: []string{"x"}, RefSchema: "s", RefTable: "a", RefColumns: []string{"id"}, Printed: "fa"}}},
			},
			changes: []string{
				"AlterColumn s.a.c", "DropConstraint s.a.old", "AddConstraint s.a.new", "DropConstraint s.a.c", "AddConstraint s.a.d",
				"DropIndex s.a.twin", "CreateIndex s.a.other", "DropIndex s.a.i", "CreateIndex s.a.j",
				"DropConstraint s.b.f", "AddConstraint s.b.g",
			},
		},
		{
			name: "the foreign keys on a key leave and come back around its end",
			have: []ir.Table{table("a"), {Schema: "s", Name: "b", ForeignKeys: []ir.ForeignKey{foreign("b_a", "a", "x")}}},
			want: []ir.Table{
				{Schema: "s", Name: "a", Columns: []ir.Column{column("id", "int8")}, PrimaryKey: &ir.PrimaryKey{Name: "other", Columns: []string{"id"}, Printed: "changed"}},
				{Schema: "s", Name: "b", ForeignKeys: []ir.ForeignKey{foreign("b_a", "a", "x")}},
			},
			changes: []string{"DropConstraint s.b.b_a", "DropConstraint s.a.a_pkey", "AddConstraint s.a.other", "AddConstraint s.b.b_a"},
		},
		{
			name:    "a foreign key goes when another has taken its place",
			have:    []ir.Table{table("a"), {Schema: "s", Name: "b", ForeignKeys: []ir.ForeignKey{foreign("old", "a", "x"), foreign("gone", "a", "y")}}},
			want:    []ir.Table{table("a"), {Schema: "s", Name: "b", ForeignKeys: []ir.ForeignKey{foreign("new", "a", "x")}}},
			changes: []string{"DropConstraint s.b.gone", "AddConstraint s.b.new", "DropConstraint s.b.old"},
		},
		{
			name:    "what a build that was cut off left goes first",
			have:    []ir.Table{{Schema: "s", Name: "a", Indexes: []ir.Index{{Name: "rest", Printed: "1", Invalid: true}}}},
			want:    []ir.Table{{Schema: "s", Name: "a", Indexes: []ir.Index{index("i", "1")}}},
			changes: []string{"DropIndex s.a.rest", "CreateIndex s.a.i"},
		},
		{
			name: "a new type takes what cannot be carried over away and back",
			have: []ir.Table{{
				Schema: "s", Name: "a", Columns: []ir.Column{column("c", "text")}, Triggers: []ir.Trigger{trigger("g", "1"), trigger("any", "")},
				Checks: []ir.Check{check("same", "1"), check("other", "1"), check("gone", "3")},
			}},
			want: []ir.Table{{
				Schema: "s", Name: "a", Columns: []ir.Column{column("c", "int4")}, Triggers: []ir.Trigger{trigger("g", "1"), trigger("any", "")},
				Checks: []ir.Check{check("same", "1"), check("other", "2"), check("new", "1")},
			}},
			changes: []string{
				"DropTrigger s.a.g", "DropConstraint s.a.other", "DropConstraint s.a.gone", "AlterColumn s.a.c",
				"CreateTrigger s.a.g", "AddConstraint s.a.other", "AddConstraint s.a.new",
			},
		},
		{
			name: "new values of an enum", enums: [2][]ir.Enum{
				{{Schema: "s", Name: "e", Values: []string{"b", "d"}}}, {{Schema: "s", Name: "e", Values: []string{"a", "b", "c", "d"}}},
			},
			changes: []string{"AddEnumValue s.e", "AddEnumValue s.e"},
		},
		{
			name: "an enum loses its order", enums: [2][]ir.Enum{
				{{Schema: "s", Name: "e", Values: []string{"a", "b"}}, {Schema: "s", Name: "gone"}}, {{Schema: "s", Name: "e", Values: []string{"b", "a"}}, {Schema: "s", Name: "new"}},
			},
			changes: []string{"DropEnum s.e", "CreateEnum s.e", "CreateEnum s.new", "DropEnum s.gone"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			have := &ir.Schema{Tables: c.have, Enums: c.enums[0]}
			want := &ir.Schema{Tables: c.want, Enums: c.enums[1]}
			if d := cmp.Diff(c.changes, list(diff.Diff(have, want, nil))); d != "" {
				t.Errorf("changes (-want +got):\n%s", d)
			}
			if again := diff.Diff(want, want, nil); len(again) != 0 {
				t.Errorf("a schema differs from itself: %v", list(again))
			}
		})
	}
}

// TestFromNothingIsCreation ties the two ways to make a schema to each other:
// schema.sql prints one, and a first apply runs the other.
func TestFromNothingIsCreation(t *testing.T) {
	a, b := table("a"), table("b")
	a.ForeignKeys, b.ForeignKeys = []ir.ForeignKey{foreign("a_b", "b", "id")}, []ir.ForeignKey{foreign("b_a", "a", "id")}
	a.Indexes, a.Triggers = []ir.Index{index("i", "")}, []ir.Trigger{trigger("g", "")}
	want := &ir.Schema{
		Namespaces: []ir.Namespace{{Name: "public"}, {Name: "s"}}, Extensions: []ir.Extension{{Name: "btree_gist"}},
		Enums: []ir.Enum{{Schema: "s", Name: "e"}}, Functions: []ir.Function{{Schema: "s", Name: "f"}}, Tables: []ir.Table{a, b},
	}
	have := &ir.Schema{Namespaces: []ir.Namespace{{Name: "public"}}}
	if d := cmp.Diff(list(want.Creation()), list(diff.Diff(have, want, nil))); d != "" {
		t.Errorf("changes (-creation +diff):\n%s", d)
	}
}

// TestANewTypeDisturbsOnlyWhatMentionsTheColumn gives a column another type on a
// table where something else changes too.
func TestANewTypeDisturbsOnlyWhatMentionsTheColumn(t *testing.T) {
	side := func(typ, expr, def string) *ir.Schema {
		n := column("n", "int8")
		n.Default, n.Printed.Default = def, def
		return &ir.Schema{Tables: []ir.Table{{
			Schema: "s", Name: "a", Columns: []ir.Column{n, column("c", typ)},
			Checks:   []ir.Check{check("of_c", "c"+expr), check("of_n", "n"+expr)},
			Indexes:  []ir.Index{index("i", "n"+expr)},
			Triggers: []ir.Trigger{trigger("g_c", "c"), trigger("g_n", "n")},
		}}}
	}
	on := func(kind ir.ObjectKind, name string) ir.ObjectID {
		return ir.ObjectID{Kind: kind, Schema: "s", Table: "a", Name: name}
	}
	c, n := []ir.ObjectID{on(ir.ColumnObject, "c")}, []ir.ObjectID{on(ir.ColumnObject, "n")}
	uses := diff.Uses{
		on(ir.ConstraintObject, "of_c"): c, on(ir.ConstraintObject, "of_n"): n, on(ir.IndexObject, "i"): n,
		on(ir.TriggerObject, "g_c"): c, on(ir.TriggerObject, "g_n"): n,
	}
	want := []string{
		"DropTrigger s.a.g_c", "DropConstraint s.a.of_c", "AlterColumn s.a.c", "CreateTrigger s.a.g_c", "AddConstraint s.a.of_c",
		"AlterColumn s.a.n", "DropConstraint s.a.of_n", "AddConstraint s.a.of_n", "DropIndex s.a.i", "CreateIndex s.a.i",
	}
	if d := cmp.Diff(want, list(diff.Diff(side("text", "1", ""), side("int4", "2", "7"), uses))); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
}
