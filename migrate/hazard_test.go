package migrate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// hazards are the texts of a plan's hazards of one kind, with what they need.
func hazards(p *migrate.Plan, kind migrate.HazardKind) string {
	var list []string
	for _, h := range p.Hazards {
		if h.Kind == kind {
			list = append(list, h.Text+" ("+h.Allow+")")
		}
	}
	return strings.Join(list, "\n")
}

// demand checks that a text has all of the parts.
func demand(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// TestDropsSayWhatElseGoes drops a column and a table under objects that pawl
// does not manage: PostgreSQL drops them too.
func TestDropsSayWhatElseGoes(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people(), table("rooms", column("n", base("int4")))), threePeople)
	exec(t, conn, `
CREATE UNIQUE INDEX by_hand ON app.people (name, email);
CREATE INDEX stays ON app.people (age);
ALTER TABLE app.people ADD CONSTRAINT hand_made CHECK (name <> email);
ALTER TABLE app.rooms ADD CONSTRAINT one_n UNIQUE (n)`)
	after := people()
	after.Columns = slices.Delete(after.Columns, 2, 3)
	p := program(schema(after))
	made := plan(t, conn, p)
	demand(t, hazards(made, migrate.HazardDrop), "the index by_hand UNIQUE (name, email)", "the constraint hand_made CHECK", "the constraint one_n UNIQUE (n)")
	if len(made.Unmanaged) != 1 || made.Unmanaged[0].Name != "stays" {
		t.Errorf("left alone: %v, want only the index that stays", made.Unmanaged)
	}
	apply(t, conn, p, "drop=table.people.column.email", "drop=table.rooms")
	if got := query[int](t, conn, "SELECT count(*) FROM pg_class WHERE relname IN ('by_hand', 'one_n', 'stays')"); got != 1 {
		t.Errorf("%d of the unmanaged indexes stand, want 1", got)
	}
}

// TestAMovedTableIsSaidToBeEmpty renames a table in the specification.
func TestAMovedTableIsSaidToBeEmpty(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people()), threePeople)
	moved := people()
	moved.Name, moved.PrimaryKey.Name = "persons", "persons_pkey"
	demand(t, hazards(plan(t, conn, program(schema(moved))), migrate.HazardDrop), "looks like a move to app.persons, which will be empty")
}

// TestLossyTypesNeedAnAllowance gives columns types that cannot hold what the
// old ones held, and one that can.
func TestLossyTypesNeedAnAllowance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to ir.Type
		value    string
		says     string // empty: nothing is lost
		becomes  string
	}{
		{base("numeric", 12, 4), base("numeric", 12, 2), "1.2345", "rounded to 2 digits after the point", "1.23"},
		{base("numeric", 12, 4), base("numeric", 14, 5), "1.2345", "", "1.23450"},
		{base("timestamptz"), base("date"), "2024-01-02 23:30+00", "the time of day is cut off", "2024-01-02"},
		{base("float8"), base("int8"), "1.7", "rounded to whole numbers", "2"},
		{base("varchar", 20), base("varchar", 3), "abcdef", "cut off after 3 characters", "abc"},
		{base("text"), base("varchar", 3), "abcdef", "cut off after 3 characters", "abc"},
		{base("timestamptz", 6), base("timestamptz", 0), "2024-01-02 03:04:05.6+00", "rounded to 0 digits of a second", "2024-01-02 03:04:06+00"},
		{base("int4"), base("int8"), "5", "", "5"},
	} {
		t.Run(c.from.SQL()+" to "+c.to.SQL(), func(t *testing.T) {
			t.Parallel()
			conn := from(t, schema(table("t", column("x", c.from))), "INSERT INTO app.t (x) VALUES ('"+c.value+"')")
			p := program(schema(table("t", column("x", c.to))))
			made := plan(t, conn, p)
			allow := []string{"rewrite=table.t.column.x"}
			if c.says == "" {
				if text := hazards(made, migrate.HazardLossy); text != "" {
					t.Errorf("nothing is lost, and the plan says: %s", text)
				}
			} else {
				demand(t, hazards(made, migrate.HazardLossy), c.says, "lossy=table.t.column.x")
				var refused *migrate.RefusedError
				if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{Allow: allow}); !errors.As(err, &refused) {
					t.Errorf("want a refusal, got %v", err)
				}
				allow = append(allow, "lossy=table.t.column.x")
			}
			apply(t, conn, p, allow...)
			exec(t, conn, "SET TimeZone = 'UTC'")
			if got := query[string](t, conn, "SELECT x::text FROM app.t"); got != c.becomes {
				t.Errorf("the value is %s, want %s", got, c.becomes)
			}
		})
	}
}

// TestWeakerRulesAreShown narrows rules, and renames one, which is not weaker.
func TestWeakerRulesAreShown(t *testing.T) {
	t.Parallel()
	unique := func(name, where string, columns ...string) func(*ir.Table) {
		return func(t *ir.Table) {
			i := ir.Index{Name: name, Unique: true, Method: "btree", Where: where}
			for _, c := range columns {
				i.Parts = append(i.Parts, ir.IndexPart{Column: c})
			}
			t.Indexes = []ir.Index{i}
		}
	}
	overlap := func(where string) func(*ir.Table) {
		return func(t *ir.Table) {
			t.Excludes = []ir.Exclude{{Name: "people_x", Method: "gist", Where: where, Elements: []ir.ExcludeElement{{Expr: "int4range(age, age + 1)", Operator: "&&"}}}}
		}
	}
	for name, c := range map[string]struct {
		before, after func(*ir.Table)
		says          string
	}{
		"a predicate for a constraint": {
			func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_u", Columns: []string{"email"}}} },
			unique("people_u", "age > 1", "email"), "held for all rows, and from then on only for those with",
		},
		"another predicate":    {unique("people_u", "age > 1", "email"), unique("people_u", "age > 2", "email"), "may get weaker"},
		"no predicate":         {unique("people_u", "age > 1", "email"), unique("people_u", "", "email"), ""},
		"another column":       {unique("people_u", "", "email"), unique("people_u", "", "email", "age"), "rows that are alike in (email) are accepted"},
		"a predicate on a gap": {overlap(""), overlap("age > 2"), "held for all rows"},
		"a new name":           {unique("people_u", "age > 1", "email"), unique("people_v", "(age > 1)", "email"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := people(), people()
			c.before(&before)
			c.after(&after)
			conn := from(t, schema(before), threePeople)
			made := apply(t, conn, program(schema(after)))
			text := hazards(made, migrate.HazardWeaker)
			demand(t, text, c.says)
			if c.says == "" && text != "" {
				t.Errorf("nothing gets weaker, and the plan says: %s", text)
			}
		})
	}
}

// TestAnEnumUnderAForeignKeyLosesValues replaces an enum that both sides of a
// foreign key have.
func TestAnEnumUnderAForeignKeyLosesValues(t *testing.T) {
	t.Parallel()
	kind := ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}
	make := func(label string, values ...string) ir.Schema {
		parent := ir.Table{Schema: "app", Name: "kinds", Columns: []ir.Column{column("kind", kind)}, PrimaryKey: &ir.PrimaryKey{Name: "kinds_pkey", Columns: []string{"kind"}}}
		child := table("things", column("kind", kind))
		child.ForeignKeys = []ir.ForeignKey{{Name: label, Columns: []string{"kind"}, RefSchema: "app", RefTable: "kinds", RefColumns: []string{"kind"}, OnDelete: ir.NoAction}}
		s := schema(parent, child)
		s.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: values}}
		return s
	}
	for _, label := range []string{"things_kind", "things_sort"} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			conn := from(t, make("things_kind", "a", "b", "c"), "INSERT INTO app.kinds VALUES ('a'), ('b'); INSERT INTO app.things (kind) VALUES ('a'); ANALYZE app.kinds, app.things")
			made := apply(t, conn, program(make(label, "a", "b")), "drop=enum.kind")
			demand(t, hazards(made, migrate.HazardDrop), "app.kinds (about 2 rows, 1 MB)", "app.things (about 1 rows, 1 MB)")
			if _, err := conn.Exec(context.Background(), "DELETE FROM app.kinds WHERE kind = 'a'"); err == nil {
				t.Error("the foreign key does not hold")
			}
			titles := strings.Join(titles(made), "\n")
			demand(t, titles, "with the same lock on app.kinds")
		})
	}
}

// TestWhatABuildLeftGoesFirst leaves an invalid index under the spare name of a
// build that failed.
func TestWhatABuildLeftGoesFirst(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people()), threePeople)
	after := people()
	after.Uniques = []ir.Unique{{Name: "people_name", Columns: []string{"name"}}}
	p := program(schema(after))
	var spare string
	for _, s := range plan(t, conn, p).Steps {
		for _, word := range strings.Fields(s.Title) {
			if strings.HasPrefix(word, "pawl_new_") {
				spare = word
			}
		}
	}
	exec(t, conn, "CREATE UNIQUE INDEX "+spare+" ON app.people (name)")
	exec(t, conn, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app."+spare+"'::regclass")
	exec(t, conn, "INSERT INTO pawl.object SELECT (jsonb_populate_record(o, jsonb_build_object('kind', 'index', 'object_name', '"+spare+
		"', 'table_name', 'people', 'schema_name', 'app'))).* FROM pawl.object o WHERE o.kind = 'table'")
	made := apply(t, conn, p)
	got := titles(made)
	if len(got) < 3 || !strings.HasPrefix(got[0], "* drop invalid index "+spare) || !strings.Contains(strings.Join(got[1:], "\n"), spare+" on app.people concurrently") {
		t.Errorf("the steps are:\n%s", strings.Join(got, "\n"))
	}
}
