package migrate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

func check(name, expr string) ir.Check { return ir.Check{Name: name, Expr: expr} }

func index(name, where string, parts ...ir.IndexPart) ir.Index {
	return ir.Index{Name: name, Method: "btree", Parts: parts, Where: where}
}

// TestASecondPlanIsEmpty applies definitions whose printed form is not the
// written one; apply demands an empty plan afterwards, with memory and without.
// The numbers are those of public bug reports that the cases are modelled on.
func TestASecondPlanIsEmpty(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]ir.Schema{
		"1 volatile default that concatenates": schema(table("stories",
			with(column("title", base("text")), "'Story-' || gen_random_uuid()"),
			with(column("n", base("int4")), "-1"), with(nullable("nothing", base("text")), "NULL"),
			with(column("yes", base("bool")), "'t'"), with(column("since", base("timestamptz")), "'2020-01-01 00:00:00+02'"),
			with(column("span", base("interval")), "'1 day 02:00'"), with(column("amount", base("numeric", 10, 2)), "0"))),
		"2 checks of two comparisons": with2(table("t", column("a", base("int4"))), check("small", "a > 0 AND a < 1000")),
		"3 lists in checks and predicates": func() ir.Schema {
			t := table("t", column("s", base("varchar", 20)), column("n", base("int4")))
			t.Checks = []ir.Check{
				check("one", "s IN ('new')"), check("two", "s IN ('new', 'ack')"), check("unsorted", "s IN ('z', 'a', 'm')"),
				check("not_in", "s NOT IN ('x', 'y')"), check("numbers", "n IN (3, 1, 2)"), check("between", "n BETWEEN 1 AND 9"),
			}
			t.Indexes = []ir.Index{
				index("one_i", "s IN ('new')", ir.IndexPart{Column: "n"}), index("two_i", "s IN ('new', 'ack')", ir.IndexPart{Column: "n"}),
				index("not_i", "s NOT IN ('new', 'ack')", ir.IndexPart{Column: "n"}),
			}
			g := guard("NEW.s IN ('new', 'ack') AND NEW.n NOT IN (1, 2)")
			g.Name = "t_g"
			t.Triggers = []ir.Trigger{g}
			s := schema(t)
			s.Functions = []ir.Function{refuse()}
			return s
		}(),
		"4 IS NOT DISTINCT FROM": func() ir.Schema {
			t := table("t", nullable("a", base("int4")), nullable("b", base("int4")), nullable("c", base("text")))
			t.Checks = []ir.Check{check("same", "a IS NOT DISTINCT FROM b"), check("like", "c LIKE 'a%' OR c != 'b'")}
			t.Indexes = []ir.Index{index("same_i", "a IS NOT DISTINCT FROM b", ir.IndexPart{Column: "c"})}
			return schema(t)
		}(),
		"6 enum default without a cast": func() ir.Schema {
			kind := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}
			s := schema(table("t", with(column("kind", kind), "'a'"), with(nullable("kinds", ir.Type{Kind: ir.ArrayType, Elem: &kind}), "'{a}'")))
			s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: []string{"a", "b"}}}
			s.Tables[0].Checks = []ir.Check{check("of", "kind IN ('a', 'b') AND kind <> 'b'")}
			return s
		}(),
		"14 one name in two schemas": func() ir.Schema {
			a, b := table("t", column("x", base("int4"))), table("t", with(column("x", base("text")), "'b'"))
			b.Schema = "other"
			a.Uniques = []ir.Unique{{Name: "t_x", Columns: []string{"x"}}}
			b.Uniques = a.Uniques
			a.Indexes = []ir.Index{index("t_i", "x > 0", ir.IndexPart{Column: "x"})}
			b.Indexes = []ir.Index{index("t_i", "x > ''", ir.IndexPart{Column: "x"})}
			a.Comment, b.Comment = "mine", "yours"
			s := schema(a, b)
			s.Namespaces = append(s.Namespaces, ir.Namespace{Name: "other"})
			return s
		}(),
		"23 modifiers of types": schema(table("t", column("a", base("varchar", 5)), column("b", base("numeric", 18, 6)),
			nullable("c", ir.Type{Kind: ir.ArrayType, Elem: &ir.Type{Name: "varchar", Mods: []int{7}}}), column("d", base("timestamptz", 3)),
			column("e", base("bpchar", 2)), column("f", base("bit", 4)), column("g", base("time", 0)))),
		"38 a cycle of foreign keys": func() ir.Schema {
			a, b := table("a", column("b_id", base("int8"))), table("b", column("a_id", base("int8")), nullable("self", base("int8")))
			a.ForeignKeys = []ir.ForeignKey{references("a_b", "b_id", "b", ir.Cascade)}
			b.ForeignKeys = []ir.ForeignKey{references("b_a", "a_id", "a", ir.NoAction), references("b_self", "self", "b", ir.SetNull)}
			return schema(a, b)
		}(),
		"48 odd names": oddNames(),
		"indexes of all forms": func() ir.Schema {
			t := table("t", column("a", base("text")), column("b", base("int4")), column("r", base("int4range")))
			t.Indexes = []ir.Index{
				index("i1", "", ir.IndexPart{Column: "a", OpClass: "text_pattern_ops"}, ir.IndexPart{Column: "b", Desc: true, NullsLast: true}),
				index("i2", "", ir.IndexPart{Expr: "lower(a)"}, ir.IndexPart{Expr: "b + 1", NullsFirst: true}),
				{Name: "i3", Method: "btree", Unique: true, Parts: parts("a"), Include: []string{"b"}, Where: "b > 0"},
				{Name: "i4", Method: "gist", Parts: parts("r")},
				{Name: "i5", Method: "hash", Parts: parts("a")},
			}
			t.Uniques = []ir.Unique{{Name: "u1", Columns: []string{"a", "b"}, Deferrable: true}, {Name: "u2", Columns: []string{"b"}, Deferrable: true, Deferred: true}}
			t.Excludes = []ir.Exclude{{Name: "x1", Method: "gist", Elements: []ir.ExcludeElement{{Expr: "r * r", Operator: "&&"}}, Where: "b IN (1, 2)"}}
			return schema(t)
		}(),
		"a table named like a type and qualified columns": func() ir.Schema {
			kind := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}
			other := table("kind2", with(column("kind", kind), "'a'::app.kind"))
			other.Checks = []ir.Check{check("q", "kind2.id > 0 AND kind2.kind <> 'b'::kind")}
			s := schema(other)
			s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: []string{"a", "b"}}}
			return s
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			apply(t, conn, program(s))
		})
	}
}

func with2(t ir.Table, checks ...ir.Check) ir.Schema {
	t.Checks = checks
	return schema(t)
}

func references(name, column, table string, onDelete ir.Action) ir.ForeignKey {
	return ir.ForeignKey{
		Name: name, Columns: []string{column}, RefSchema: "app", RefTable: table, RefColumns: []string{"id"}, OnDelete: onDelete,
	}
}

// oddNames needs quotes everywhere: key words, capitals, dots, quotes, and names
// as long as PostgreSQL keeps them, also in bytes of more than one.
func oddNames() ir.Schema {
	long := strings.Repeat("ä", 31) + "x"
	quoted := `we"ird.na'me $1 \ --`
	status := ir.Type{Kind: ir.EnumType, Schema: "Order", Name: "Camel Case"}
	t := ir.Table{
		Schema: "Order", Name: quoted, Comment: `it's a \ "test"; --`,
		Columns: []ir.Column{
			column("order", base("int8")), with(column("camelCase", base("text")), "'it''s'"), nullable(quoted, base("int4")),
			with(column(long, status), "'a''b'"), nullable("select", base("tstzrange")),
		},
		PrimaryKey: &ir.PrimaryKey{Name: "Pk.1", Columns: []string{"order"}},
		Uniques:    []ir.Unique{{Name: long, Columns: []string{"camelCase", "order"}}},
		Checks:     []ir.Check{{Name: "check", Expr: `"camelCase" <> 'x"y' AND ` + ir.Ident(quoted) + ` > 0`}},
		Excludes:   []ir.Exclude{{Name: "over lap", Method: "gist", Elements: []ir.ExcludeElement{{Column: "select", Operator: "&&"}}}},
		Indexes:    []ir.Index{{Name: "in.dex", Method: "btree", Unique: true, Parts: []ir.IndexPart{{Column: quoted}, {Expr: `lower("camelCase")`}}, Where: ir.Ident(long) + ` = 'a''b'`}},
		Triggers: []ir.Trigger{{
			Name: "Trig'ger", Before: true, Events: []ir.TriggerEvent{ir.OnUpdate, ir.OnInsert}, FuncSchema: "Order", FuncName: `fn"x`,
			When: `NEW."camelCase" = ') EXECUTE FUNCTION '`, Args: []string{`') EXECUTE FUNCTION "x"(`, `back\slash`, "ünïcode"},
		}},
	}
	child := ir.Table{
		Schema: "Order", Name: "desc", Columns: []ir.Column{column("user", base("int8"))},
		ForeignKeys: []ir.ForeignKey{{Name: `f"k`, Columns: []string{"user"}, RefSchema: "Order", RefTable: quoted, RefColumns: []string{"order"}}},
	}
	fn := refuse()
	fn.Schema, fn.Name = "Order", `fn"x`
	return ir.Schema{
		Namespaces: []ir.Namespace{{Name: "Order"}},
		Enums:      []ir.Enum{{Schema: "Order", Name: "Camel Case", Values: []string{"a'b", `c\d`, `e"f`, ""}[:3]}},
		Functions:  []ir.Function{fn},
		Tables:     []ir.Table{t, child},
	}
}

// TestPrintsOfADumpAreTheSame stands for a database that was dumped and restored
// (18, 8): its text is what the server printed, and printing that again gives
// yet another text.
func TestPrintsOfADumpAreTheSame(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	tab := table("t", column("s", base("varchar", 20)))
	tab.Checks = []ir.Check{check("t_s", "s IN ('new', 'ack')")}
	tab.Indexes = []ir.Index{index("t_i", "s IN ('new', 'ack')", ir.IndexPart{Column: "s"})}
	p := program(schema(tab))
	apply(t, conn, p)
	definition := query[string](t, conn, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 't_s'")
	exec(t, conn, "ALTER TABLE app.t DROP CONSTRAINT t_s; ALTER TABLE app.t ADD CONSTRAINT t_s "+definition)
	if again := query[string](t, conn, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 't_s'"); again == definition {
		t.Fatalf("the print is stable at once, so this test shows nothing: %s", again)
	}
	made := plan(t, conn, p)
	if !made.Empty() || made.Asked == 0 {
		t.Errorf("asked %d, plan:\n%s", made.Asked, outline(made))
	}
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	settled(t, conn, p)
}

// TestSettingsOfTheSessionDoNotMatter plans under settings that change how the
// server prints (10).
func TestSettingsOfTheSessionDoNotMatter(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	s := bookings()
	s.Tables[0].Checks = append(s.Tables[0].Checks,
		check("rooms_when", "created > '2020-01-01 00:00:00+00'::timestamptz AND span < interval '36 hours'"))
	s.Tables[0].Columns = append(s.Tables[0].Columns, column("created", base("timestamptz")), column("span", base("interval")))
	p := program(s)
	apply(t, conn, p)
	for _, setting := range []string{
		"TimeZone = 'Asia/Kathmandu'", "DateStyle = 'German'", "IntervalStyle = 'iso_8601'", "quote_all_identifiers = on",
		"search_path = app, public", "search_path = ''", "standard_conforming_strings = off", "extra_float_digits = 3",
		"default_transaction_read_only = on", "default_transaction_isolation = 'serializable'",
	} {
		exec(t, conn, "SET "+setting)
		made := plan(t, conn, p)
		if !made.Empty() || made.Asked != 0 {
			t.Errorf("SET %s: asked %d, plan:\n%s", setting, made.Asked, outline(made))
		}
		if setting != "default_transaction_read_only = on" {
			forgetful(t, conn, p)
		}
		exec(t, conn, "RESET ALL")
	}
}
