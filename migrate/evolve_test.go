package migrate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// people is a table with two rows' worth of columns to change.
func people() ir.Table {
	return table("people", column("name", base("text")), nullable("email", base("text")), column("age", base("int4")), nullable("room", base("int8")))
}

const threePeople = `
INSERT INTO app.people (name, email, age, room) VALUES ('a', 'a@x', 1, NULL), ('b', 'b@x', 2, NULL), ('c', 'c@x', 3, NULL)`

// from applies a schema and puts rows in.
func from(t *testing.T, s ir.Schema, data string) *pgx.Conn {
	t.Helper()
	conn := connect(t)
	apply(t, conn, program(s))
	exec(t, conn, data)
	return conn
}

// titles are the steps of a plan with their transactions and locks.
func titles(p *migrate.Plan) []string {
	var list []string
	last := 0
	for _, s := range p.Steps {
		mark := "+ "
		if s.Transaction != last || s.Transaction == 0 {
			mark = "- "
		}
		last = s.Transaction
		if s.Transaction == 0 {
			mark = "* "
		}
		text := mark + s.Title
		if s.Lock != "" {
			text += " | " + s.Lock
		}
		list = append(list, text)
	}
	return list
}

// TestTablesInUseAreSpared changes a table that has rows and checks the steps:
// "-" opens a transaction, "+" is in the one before, "*" is in none.
func TestTablesInUseAreSpared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(*ir.Table)
		after  func(*ir.Table)
		want   []string
	}{
		{
			"unique constraint",
			func(t *ir.Table) {},
			func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email"}}} },
			[]string{
				"- look for rows that break app.people.people_email",
				"* build unique index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- add unique constraint people_email on app.people from its index | ACCESS EXCLUSIVE",
			},
		},
		{
			"changed unique constraint",
			func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email"}}} },
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email", "name"}, Deferrable: true}}
			},
			[]string{
				"- look for rows that break app.people.people_email",
				"* build unique index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- drop unique constraint people_email on app.people | ACCESS EXCLUSIVE",
				"+ add unique constraint people_email on app.people from its index | ACCESS EXCLUSIVE",
			},
		},
		{
			"unique constraint that becomes a partial index",
			func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email"}}} },
			func(t *ir.Table) {
				i := index("people_email", "age > 1", ir.IndexPart{Column: "email"})
				i.Unique = true
				t.Indexes = []ir.Index{i}
			},
			[]string{
				"- look for rows that break app.people.people_email",
				"* build unique index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- drop unique constraint people_email on app.people | ACCESS EXCLUSIVE",
				"+ name NEW people_email | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"index",
			func(t *ir.Table) {},
			func(t *ir.Table) { t.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "age"})} },
			[]string{"* build index people_i on app.people concurrently | SHARE UPDATE EXCLUSIVE"},
		},
		{
			"changed index",
			func(t *ir.Table) { t.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "age"})} },
			func(t *ir.Table) { t.Indexes = []ir.Index{index("people_i", "age > 1", ir.IndexPart{Column: "age"})} },
			[]string{
				"* build index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- drop index people_i on app.people | ACCESS EXCLUSIVE",
				"+ name NEW people_i | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"dropped index",
			func(t *ir.Table) { t.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "age"})} },
			func(t *ir.Table) {},
			[]string{"* drop index people_i on app.people concurrently | SHARE UPDATE EXCLUSIVE"},
		},
		{
			"check",
			func(t *ir.Table) {},
			func(t *ir.Table) { t.Checks = []ir.Check{check("people_age", "age > 0")} },
			[]string{
				"- add check people_age on app.people, for new rows | ACCESS EXCLUSIVE",
				"- prove check people_age on app.people | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"changed check (21)",
			func(t *ir.Table) { t.Checks = []ir.Check{check("people_age", "age > 0")} },
			func(t *ir.Table) { t.Checks = []ir.Check{check("people_age", "age > 0 AND age < 200")} },
			[]string{
				"- add check people_age on app.people, for new rows, as NEW | ACCESS EXCLUSIVE",
				"- prove that all rows pass it | SHARE UPDATE EXCLUSIVE",
				"- drop check people_age on app.people | ACCESS EXCLUSIVE",
				"+ name NEW people_age | ACCESS EXCLUSIVE",
			},
		},
		{
			"renamed check (2)",
			func(t *ir.Table) { t.Checks = []ir.Check{check("people_age", "age > 0")} },
			func(t *ir.Table) { t.Checks = []ir.Check{check("people_positive", "age > 0")} },
			[]string{
				"- rename check on app.people: people_age → people_positive | ACCESS EXCLUSIVE",
			},
		},
		{
			"foreign key",
			func(t *ir.Table) {},
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "people", ir.Cascade)}
			},
			[]string{
				"- add foreign key people_room on app.people, for new rows | SHARE ROW EXCLUSIVE",
				"- prove foreign key people_room on app.people | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"changed foreign key",
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "people", ir.Cascade)}
			},
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "people", ir.SetNull)}
			},
			[]string{
				"- add foreign key people_room on app.people, for new rows, as NEW | SHARE ROW EXCLUSIVE",
				"- prove that all rows pass it | SHARE UPDATE EXCLUSIVE",
				"- drop foreign key people_room on app.people | ACCESS EXCLUSIVE",
				"+ name NEW people_room | ACCESS EXCLUSIVE",
			},
		},
		{
			"key under a foreign key (36)",
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email"}}}
				t.ForeignKeys = []ir.ForeignKey{{Name: "people_boss", Columns: []string{"name"}, RefSchema: "app", RefTable: "people", RefColumns: []string{"email"}, OnDelete: ir.NoAction}}
				t.Columns[1].Null, t.Columns[1].Default = true, "NULL"
			},
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_mail", Columns: []string{"email"}}}
				t.ForeignKeys = []ir.ForeignKey{{Name: "people_boss", Columns: []string{"name"}, RefSchema: "app", RefTable: "people", RefColumns: []string{"email"}, OnDelete: ir.NoAction}}
				t.Columns[1].Null, t.Columns[1].Default = true, "NULL"
			},
			[]string{
				"- rename unique constraint on app.people: people_email → people_mail | ACCESS EXCLUSIVE",
			},
		},
		{
			"changed key under a foreign key (36)",
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email", "age"}}}
				t.ForeignKeys = []ir.ForeignKey{boss("people_boss")}
				t.Columns[1].Null = true
			},
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"age", "email"}}}
				t.ForeignKeys = []ir.ForeignKey{boss("people_boss")}
				t.Columns[1].Null = true
			},
			[]string{
				"- look for rows that break app.people.people_email",
				"* build unique index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- drop foreign key people_boss on app.people | ACCESS EXCLUSIVE",
				"+ drop unique constraint people_email on app.people | ACCESS EXCLUSIVE",
				"+ add unique constraint people_email on app.people from its index | ACCESS EXCLUSIVE",
				"+ add foreign key people_boss on app.people, for new rows | SHARE ROW EXCLUSIVE",
				"- prove foreign key people_boss on app.people | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"key that ends for another under a renamed foreign key (36)",
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email", "age"}}}
				t.ForeignKeys = []ir.ForeignKey{boss("people_boss")}
				t.Columns[1].Null = true
			},
			func(t *ir.Table) {
				t.Uniques = []ir.Unique{{Name: "people_mail", Columns: []string{"age", "email"}}}
				t.ForeignKeys = []ir.ForeignKey{boss("people_chief")}
				t.Columns[1].Null = true
			},
			[]string{
				"- look for rows that break app.people.people_mail",
				"* build unique index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- add unique constraint people_mail on app.people from its index | ACCESS EXCLUSIVE",
				"- drop foreign key people_boss on app.people | ACCESS EXCLUSIVE",
				"+ drop unique constraint people_email on app.people | ACCESS EXCLUSIVE",
				"+ add foreign key people_chief on app.people, for new rows | SHARE ROW EXCLUSIVE",
				"- prove foreign key people_chief on app.people | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"renamed foreign key and index",
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "people", ir.Cascade)}
				t.Indexes = []ir.Index{index("people_i", "age > 1", ir.IndexPart{Column: "age"})}
			},
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_place", "room", "people", ir.Cascade)}
				t.Indexes = []ir.Index{index("people_j", "(age > 1)", ir.IndexPart{Column: "age"})}
			},
			[]string{
				"- rename index on app.people: people_i → people_j | SHARE UPDATE EXCLUSIVE",
				"- rename foreign key on app.people: people_room → people_place | ACCESS EXCLUSIVE",
			},
		},
		{
			"renamed and changed foreign key",
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "people", ir.Cascade)}
			},
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_place", "room", "people", ir.SetNull)}
			},
			[]string{
				"- add foreign key people_place on app.people, for new rows | SHARE ROW EXCLUSIVE",
				"- prove foreign key people_place on app.people | SHARE UPDATE EXCLUSIVE",
				"- drop foreign key people_room on app.people | ACCESS EXCLUSIVE",
			},
		},
		{
			"new type of one column beside other changes",
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("code", base("varchar", 5)), "'x'"))
				t.Indexes = []ir.Index{index("people_i", "age > 1", ir.IndexPart{Column: "age"})}
				t.Checks = []ir.Check{check("people_age", "age > 0"), check("people_code", "code <> ''")}
				t.Triggers = []ir.Trigger{guard("NEW.age < 0")}
			},
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("code", base("varchar", 9)), "'x'"))
				t.Columns[2].Comment = "Where to write."
				t.Indexes = []ir.Index{index("people_i", "age > 2", ir.IndexPart{Column: "age"})}
				t.Checks = []ir.Check{check("people_age", "age > -1"), check("people_code", "code <> '?'")}
				t.Triggers = []ir.Trigger{guard("NEW.age < 0")}
			},
			[]string{
				"- drop check people_code on app.people | ACCESS EXCLUSIVE",
				"+ alter column app.people.code: type character varying(5) → character varying(9) | ACCESS EXCLUSIVE",
				"+ add check people_code on app.people | ACCESS EXCLUSIVE",
				"- alter column app.people.email: comment | ACCESS EXCLUSIVE",
				"- add check people_age on app.people, for new rows, as NEW | ACCESS EXCLUSIVE",
				"- prove that all rows pass it | SHARE UPDATE EXCLUSIVE",
				"- drop check people_age on app.people | ACCESS EXCLUSIVE",
				"+ name NEW people_age | ACCESS EXCLUSIVE",
				"* build index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- drop index people_i on app.people | ACCESS EXCLUSIVE",
				"+ name NEW people_i | SHARE UPDATE EXCLUSIVE",
			},
		},
		{
			"primary key on other columns",
			func(t *ir.Table) {},
			func(t *ir.Table) { t.PrimaryKey = &ir.PrimaryKey{Name: "people_key", Columns: []string{"name", "id"}} },
			[]string{
				"- look for rows that break app.people.people_key",
				"* build unique index NEW on app.people concurrently | SHARE UPDATE EXCLUSIVE",
				"- drop primary key people_pkey on app.people | ACCESS EXCLUSIVE",
				"+ add primary key people_key on app.people from its index | ACCESS EXCLUSIVE",
			},
		},
		{
			"exclusion constraint (15, 20)",
			func(t *ir.Table) {},
			func(t *ir.Table) {
				t.Excludes = []ir.Exclude{{Name: "people_x", Method: "gist", Elements: []ir.ExcludeElement{{Expr: "int4range(age, age + 1)", Operator: "&&"}}}}
			},
			[]string{
				"- look for rows that break app.people.people_x",
				"- add exclusion constraint people_x on app.people | ACCESS EXCLUSIVE",
			},
		},
		{
			"changed exclusion constraint",
			func(t *ir.Table) {
				t.Excludes = []ir.Exclude{{Name: "people_x", Method: "gist", Elements: []ir.ExcludeElement{{Expr: "int4range(age, age + 1)", Operator: "&&"}}}}
			},
			func(t *ir.Table) {
				t.Excludes = []ir.Exclude{{Name: "people_x", Method: "gist", Where: "age > 1", Elements: []ir.ExcludeElement{{Expr: "int4range(age, age + 1)", Operator: "&&"}}}}
			},
			[]string{
				"- look for rows that break app.people.people_x",
				"- drop exclusion constraint people_x on app.people | ACCESS EXCLUSIVE",
				"+ add exclusion constraint people_x on app.people | ACCESS EXCLUSIVE",
			},
		},
		{
			"NOT NULL",
			func(t *ir.Table) {},
			func(t *ir.Table) { t.Columns[2].Null, t.Columns[2].Default = false, "'?'" },
			[]string{
				"- alter column app.people.email: default none → '?' | ACCESS EXCLUSIVE",
				"- refuse NULL in new rows of app.people.email | ACCESS EXCLUSIVE",
				"- prove that no row has NULL in app.people.email | SHARE UPDATE EXCLUSIVE",
				"- set NOT NULL for app.people.email | ACCESS EXCLUSIVE",
			},
		},
		{
			"NULL, comment and default",
			func(t *ir.Table) { t.Columns[2].Comment = "old" },
			func(t *ir.Table) {
				t.Columns[1].Null = true
				t.Columns[2].Comment = ""
				t.Columns[3].Default, t.Comment = "7", "Those who come."
			},
			[]string{
				"- comment on table app.people | SHARE UPDATE EXCLUSIVE",
				"- alter column app.people.name: NULL allowed | ACCESS EXCLUSIVE",
				"- alter column app.people.email: comment | ACCESS EXCLUSIVE",
				"- alter column app.people.age: default none → 7 | ACCESS EXCLUSIVE",
			},
		},
		{
			"wider types in place",
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("code", base("varchar", 5)), "'x'"), with(column("sum", base("numeric", 18, 6)), "0"))
			},
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("code", base("text")), "'x'"), with(column("sum", base("numeric", 20, 6)), "0"))
			},
			[]string{
				"- alter column app.people.code: type character varying(5) → text, default 'x'::character varying → 'x' | ACCESS EXCLUSIVE",
				"- alter column app.people.sum: type numeric(18,6) → numeric(20, 6) | ACCESS EXCLUSIVE",
			},
		},
		{
			"columns with defaults that rewrite nothing",
			func(t *ir.Table) {},
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("at", base("timestamptz")), "now()"), with(column("n", base("int4")), "3"), nullable("free", base("jsonb")))
			},
			[]string{
				"- add column app.people.at timestamp with time zone | ACCESS EXCLUSIVE",
				"- add column app.people.n integer | ACCESS EXCLUSIVE",
				"- add column app.people.free jsonb | ACCESS EXCLUSIVE",
			},
		},
		{
			"trigger whose condition changes",
			func(t *ir.Table) { t.Triggers = []ir.Trigger{guard("NEW.age < 0")} },
			func(t *ir.Table) { t.Triggers = []ir.Trigger{guard("NEW.age < -1")} },
			[]string{"- replace trigger people_guard on app.people | SHARE ROW EXCLUSIVE"},
		},
		{
			"trigger under a column that gets a wider type",
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("code", base("varchar", 5)), "'x'"))
				t.Triggers = []ir.Trigger{guard("NEW.code = ''")}
			},
			func(t *ir.Table) {
				t.Columns = append(t.Columns, with(column("code", base("varchar", 9)), "'x'"))
				t.Triggers = []ir.Trigger{guard("NEW.code = ''")}
			},
			[]string{
				"- drop trigger people_guard on app.people | ACCESS EXCLUSIVE",
				"+ alter column app.people.code: type character varying(5) → character varying(9) | ACCESS EXCLUSIVE",
				"+ create trigger people_guard on app.people | ACCESS EXCLUSIVE",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before, after := people(), people()
			c.before(&before)
			c.after(&after)
			wrap := func(tab ir.Table) ir.Schema {
				s := schema(tab)
				s.Functions = []ir.Function{refuse()}
				return s
			}
			data := threePeople
			if strings.Contains(c.name, "(36)") {
				data = `INSERT INTO app.people (name, email, age) VALUES ('a', 'a', 1)`
			}
			conn := from(t, wrap(before), data)
			made := apply(t, conn, program(wrap(after)))
			got := titles(made)
			for i := range got {
				for _, word := range strings.Fields(got[i]) {
					if strings.HasPrefix(word, "pawl_new_") {
						got[i] = strings.ReplaceAll(got[i], word, "NEW")
					}
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("steps (-want +got):\n%s\n%s", d, outline(made))
			}
		})
	}
}

// boss refers to the people by two columns.
func boss(name string) ir.ForeignKey {
	return ir.ForeignKey{
		Name: name, Columns: []string{"name", "age"}, RefSchema: "app", RefTable: "people", RefColumns: []string{"email", "age"}, OnDelete: ir.NoAction,
	}
}

func guard(when string) ir.Trigger {
	return ir.Trigger{
		Name: "people_guard", Events: []ir.TriggerEvent{ir.OnUpdate, ir.OnInsert}, When: when,
		FuncSchema: "app", FuncName: "pawl_refuse", Args: []string{"PW001", "people_guard", "no"},
	}
}

// TestNewEnumValuesCanBeUsedAtOnce adds values and defaults, checks and
// indexes that use them, in one apply (42).
func TestNewEnumValuesCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	kind := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}
	make := func(values []string, def, expr string) ir.Schema {
		tab := table("t", with(column("kind", kind), def))
		tab.Checks = []ir.Check{check("t_kind", expr)}
		tab.Indexes = []ir.Index{index("t_i", expr, ir.IndexPart{Column: "kind"})}
		s := schema(tab)
		s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: values}}
		return s
	}
	conn := from(t, make([]string{"b", "d"}, "'b'", "kind <> 'd'"), "INSERT INTO app.t DEFAULT VALUES")
	apply(t, conn, program(make([]string{"a", "b", "c", "d", "e", "f"}, "'c'", "kind <> 'f'")))
	got := query[[]string](t, conn, "SELECT enum_range(NULL::app.kind)::text[]")
	if want := []string{"a", "b", "c", "d", "e", "f"}; !slices.Equal(got, want) {
		t.Errorf("values are %q, want %q", got, want)
	}
	if got := query[string](t, conn, "INSERT INTO app.t DEFAULT VALUES RETURNING kind::text"); got != "c" {
		t.Errorf("the default is %q, want c", got)
	}
}

// TestAnEnumLosesValues takes values away and changes their order, under a
// default, a check, an index, an exclusion constraint and a trigger.
func TestAnEnumLosesValues(t *testing.T) {
	t.Parallel()
	kind := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}
	make := func(values []string, def, expr string) ir.Schema {
		tab := table("t", with(column("kind", kind), def), nullable("kinds", ir.Type{Kind: ir.ArrayType, Elem: &kind}), with(column("r", base("int4range")), "'[1,2)'"))
		tab.Checks = []ir.Check{check("t_kind", expr), check("t_other", "lower(r) > 0")}
		tab.Indexes = []ir.Index{index("t_i", expr, ir.IndexPart{Column: "kind"}), index("t_plain", "", ir.IndexPart{Column: "kind"})}
		tab.Excludes = []ir.Exclude{{Name: "t_x", Method: "gist", Where: expr, Elements: []ir.ExcludeElement{{Column: "r", Operator: "&&"}}}}
		g := guard("(NEW." + expr + ") IS NOT TRUE")
		g.Name, g.When = "t_g", "NEW.kind = "+def+" AND isempty(NEW.r)"
		tab.Triggers = []ir.Trigger{g}
		s := schema(tab)
		s.Functions = []ir.Function{refuse()}
		s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: values}}
		return s
	}
	before := make([]string{"a", "b", "c"}, "'a'", "kind <> 'c'")
	before.Tables[0].Checks = append(before.Tables[0].Checks, check("t_gone", "lower(r) > -5"))
	conn := from(t, before, "INSERT INTO app.t (kinds) VALUES ('{a,c}')")
	p := program(make([]string{"c", "b"}, "'b'", "kind = 'b' OR kind = 'c'"))
	made := plan(t, conn, p)
	var violations *migrate.ViolationsError
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{Allow: []string{"drop=enum.kind"}}); !errors.As(err, &violations) || len(violations.Violations) != 2 {
		t.Fatalf("apply says %v\n%s", err, outline(made))
	}
	exec(t, conn, "ALTER TABLE app.t DISABLE TRIGGER ALL; UPDATE app.t SET kind = 'b', kinds = '{b,c}'; ALTER TABLE app.t ENABLE TRIGGER ALL")
	var refused *migrate.RefusedError
	if err := plan(t, conn, p).Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.As(err, &refused) {
		t.Errorf("apply says %v, want a refusal", err)
	}
	apply(t, conn, p, "drop=enum.kind")
	if got := query[string](t, conn, "INSERT INTO app.t (r) VALUES ('[5,6)') RETURNING kind::text"); got != "b" {
		t.Errorf("the default is %q, want b", got)
	}
	if got := query[[]string](t, conn, "SELECT enum_range(NULL::app.kind)::text[]"); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("values are %q", got)
	}
}

// TestIdentityGoesOnAfterWhatIsThere turns a plain key into an identity column
// and back (43).
func TestIdentityGoesOnAfterWhatIsThere(t *testing.T) {
	t.Parallel()
	plain := table("t", column("x", base("int4")))
	plain.Columns[0].Identity, plain.Columns[0].Default = ir.NoIdentity, "7"
	conn := from(t, schema(plain), "INSERT INTO app.t (id, x) VALUES (7, 1), (12, 1)")
	apply(t, conn, program(schema(table("t", column("x", base("int4"))))))
	if got := query[int](t, conn, "INSERT INTO app.t (x) VALUES (1) RETURNING id"); got != 13 {
		t.Errorf("the next key is %d, want 13", got)
	}
	byDefault := table("t", column("x", base("int4")))
	byDefault.Columns[0].Identity = ir.IdentityByDefault
	apply(t, conn, program(schema(byDefault)))
	apply(t, conn, program(schema(plain)))
}

// TestDropsNeedAnAllowance drops a column, an enum and a table, and says what is
// lost (39).
func TestDropsNeedAnAllowance(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	with := people()
	with.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email"}}}
	with.Indexes = []ir.Index{index("people_i", "email > ''", ir.IndexPart{Column: "email"})}
	with.Checks = []ir.Check{check("people_c", "email > ''")}
	rooms := table("rooms", nullable("person", base("int8")))
	rooms.ForeignKeys = []ir.ForeignKey{references("rooms_person", "person", "people", ir.Cascade)}
	with.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "rooms", ir.Cascade)}
	s := schema(with, rooms)
	s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: []string{"a"}}}
	conn := from(t, s, threePeople)
	exec(t, conn, "INSERT INTO app.rooms DEFAULT VALUES")

	without := people()
	without.Columns = slices.Delete(without.Columns, 2, 3)
	p := program(schema(without))
	made := plan(t, conn, p)
	var needs []string
	for _, h := range made.Hazards {
		if h.Allow != "" {
			needs = append(needs, h.Allow+" "+h.Text)
		}
	}
	want := []string{
		"drop=table.people.column.email the column app.people.email is lost, with 3 values",
		"drop=table.rooms the table app.rooms is lost, with 1 row",
		"drop=enum.kind the type app.kind is lost, with its 1 values",
	}
	if d := cmp.Diff(want, needs); d != "" {
		t.Errorf("hazards (-want +got):\n%s", d)
	}
	allow := []string{"drop=table.people.column.email", "drop=table.rooms", "drop=enum.kind"}
	for i := range allow {
		err := made.Apply(ctx, conn, migrate.ApplyOptions{Allow: slices.Concat(allow[:i], allow[i+1:])})
		var refused *migrate.RefusedError
		if !errors.As(err, &refused) || len(refused.Hazards) != 1 || refused.Hazards[0].Allow != allow[i] {
			t.Errorf("without %s: %v", allow[i], err)
		}
	}
	if n := query[int](t, conn, "SELECT count(email) FROM app.people"); n != 3 {
		t.Fatalf("a refused apply changed something: %d emails", n)
	}
	apply(t, conn, p, allow...)
}

// TestWhatCannotBeDoneIsRefused covers changes that no allowance helps with.
func TestWhatCannotBeDoneIsRefused(t *testing.T) {
	t.Parallel()
	kind := ir.Enum{Schema: "app", Name: "kind", Values: []string{"a", "b"}}
	before := schema(people())
	before.Enums = []ir.Enum{kind}
	conn := from(t, before, threePeople)
	for name, change := range map[string]func(*ir.Schema){
		"app.people has rows": func(s *ir.Schema) {
			s.Tables[0].Columns = append(s.Tables[0].Columns, column("new", base("text")))
		},
	} {
		after := schema(people())
		after.Enums = []ir.Enum{kind}
		change(&after)
		made := plan(t, conn, program(after))
		err := made.Apply(context.Background(), conn, migrate.ApplyOptions{Allow: []string{"rewrite=table.people.column.new"}})
		var refused *migrate.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "test.hcl:") {
			t.Errorf("want a refusal about %q, got %v\n%s", name, err, outline(made))
		}
	}
	exec(t, conn, "TRUNCATE app.people")
	after := schema(people())
	after.Enums = []ir.Enum{kind}
	after.Tables[0].Columns = append(after.Tables[0].Columns, column("new", base("text")))
	apply(t, conn, program(after))
}

// TestRewritesNeedAnAllowance covers changes that write the table anew.
func TestRewritesNeedAnAllowance(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people()), threePeople)
	after := people()
	after.Columns[3].Type = base("int8")
	after.Columns = append(after.Columns, with(column("token", base("uuid")), "gen_random_uuid()"))
	p := program(schema(after))
	made := plan(t, conn, p)
	allow := []string{"rewrite=table.people.column.age", "rewrite=table.people.column.token"}
	for _, a := range allow {
		if !slices.ContainsFunc(made.Hazards, func(h migrate.Hazard) bool { return h.Allow == a && h.Kind == migrate.HazardRewrite }) {
			t.Errorf("no hazard needs %s:\n%s", a, outline(made))
		}
	}
	var refused *migrate.RefusedError
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.As(err, &refused) {
		t.Errorf("want a refusal, got %v", err)
	}
	apply(t, conn, p, allow...)
	if n := query[int](t, conn, "SELECT count(DISTINCT token) FROM app.people"); n != 3 {
		t.Errorf("%d tokens, want 3", n)
	}
}

// TestTextBecomesAnEnum changes a column to a type that this plan makes, under a
// default, a check, an index and a trigger that all mention it.
func TestTextBecomesAnEnum(t *testing.T) {
	t.Parallel()
	make := func(typ ir.Type) ir.Schema {
		tab := table("t", with(column("s", typ), "'new'"))
		tab.Checks = []ir.Check{check("t_s", "s IN ('new', 'ack')")}
		tab.Indexes = []ir.Index{index("t_i", "s <> 'ack'", ir.IndexPart{Column: "s"})}
		g := guard("NEW.s = 'ack'")
		g.Name = "t_guard"
		tab.Triggers = []ir.Trigger{g}
		s := schema(tab)
		s.Functions = []ir.Function{refuse()}
		if typ.Kind == ir.EnumType {
			s.Enums = []ir.Enum{{Schema: "app", Name: "state", Values: []string{"new", "ack"}}}
		}
		return s
	}
	conn := from(t, make(base("text")), "INSERT INTO app.t DEFAULT VALUES")
	apply(t, conn, program(make(ir.Type{Kind: ir.EnumType, Schema: "app", Name: "state"})), "rewrite=table.t.column.s")
	if got := query[string](t, conn, "SELECT pg_typeof(s)::text FROM app.t"); got != "app.state" {
		t.Errorf("the column has type %s", got)
	}
	apply(t, conn, program(make(base("text"))), "rewrite=table.t.column.s", "drop=enum.state")
}
