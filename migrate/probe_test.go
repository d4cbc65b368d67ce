package migrate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// TestProbesOfColumnsWithTheNamesInThem looks for violators in tables whose
// columns have the names that the probes give to their own parts.
func TestProbesOfColumnsWithTheNamesInThem(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v", "violators", "a", "b", "c", "p", "rows", "pawl_rows", "pawl_row", "pawl_0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := ir.Table{
				Schema: "app", Name: "t", Columns: []ir.Column{column(name, base("int8")), nullable("x", base("int4")), column("s", base("int4range"))},
				PrimaryKey: &ir.PrimaryKey{Name: "t_pkey", Columns: []string{name}},
			}
			conn := from(t, schema(before), "INSERT INTO app.t VALUES (1, 7, '[1,3)'), (2, 7, '[2,4)'), (3, NULL, '[9,10)')")
			after := before
			after.Columns = []ir.Column{before.Columns[0], column("x", base("int4")), before.Columns[2]}
			after.Uniques = []ir.Unique{{Name: "t_u", Columns: []string{"x"}}}
			after.Checks = []ir.Check{check("t_c", "x > 7")}
			after.ForeignKeys = []ir.ForeignKey{{Name: "t_f", Columns: []string{"x"}, RefSchema: "app", RefTable: "t", RefColumns: []string{name}}}
			after.Excludes = []ir.Exclude{{Name: "t_x", Method: "gist", Elements: []ir.ExcludeElement{{Column: "s", Operator: "&&"}}}}
			if made := plan(t, conn, program(schema(after))); len(made.Violations) != 5 {
				t.Errorf("%d of 5 violations were found:\n%s", len(made.Violations), outline(made))
			}
		})
	}
}

// TestOverlapsAreFoundInOnePass compares what the plan says of random ranges, of
// all kinds of bounds, with what comparing each pair says.
func TestOverlapsAreFoundInOnePass(t *testing.T) {
	t.Parallel()
	spans := ir.Table{
		Schema: "app", Name: "spans", Columns: []ir.Column{
			column("id", base("int8")), nullable("g", base("int4")), nullable("r", base("numrange")), column("live", base("bool")),
		},
		PrimaryKey: &ir.PrimaryKey{Name: "spans_pkey", Columns: []string{"id"}},
	}
	conn := connect(t)
	exec(t, conn, "CREATE EXTENSION btree_gist")
	apply(t, conn, program(schema(spans)))
	after := spans
	after.Excludes = []ir.Exclude{{
		Name: "spans_x", Method: "gist", Where: "live",
		Elements: []ir.ExcludeElement{{Column: "g", Operator: "="}, {Column: "r", Operator: "&&"}},
	}}
	p := program(schema(after))
	const later = `
SELECT count(*) FROM app.spans b WHERE b.live AND EXISTS (SELECT FROM app.spans a
  WHERE a.live AND a.g = b.g AND a.r && b.r AND (a.r, a.id) < (b.r, b.id))`
	clean, broken := 0, 0
	for seed := range 40 {
		exec(t, conn, fmt.Sprintf(`
TRUNCATE app.spans; SELECT setseed(%d / 40.0);
INSERT INTO app.spans SELECT n, CASE WHEN random() < 0.9 THEN (random() * 4)::integer END,
  CASE WHEN random() < 0.9 THEN numrange(CASE WHEN random() < 0.95 THEN at END, CASE WHEN random() < 0.95 THEN at + (random() * 2)::integer END,
    (ARRAY['[]', '[)', '(]', '()'])[1 + floor(random() * 4)::integer]) END, random() < 0.8
FROM (SELECT n, (random() * 40)::integer AS at FROM generate_series(1, %d) n) s`, seed, 2+seed/2))
		want := query[int64](t, conn, later)
		made := plan(t, conn, p)
		if want == 0 {
			clean++
			if len(made.Violations) != 0 {
				t.Fatalf("seed %d: nothing overlaps, the plan says:\n%s", seed, outline(made))
			}
			continue
		}
		broken++
		if len(made.Violations) != 1 || made.Violations[0].Count != want {
			t.Fatalf("seed %d: %d rows overlap one before, the plan says:\n%s", seed, want, outline(made))
		}
		for _, sample := range made.Violations[0].Samples {
			if !query[bool](t, conn, `SELECT first_r && second_r AND first_g = second_g AND first_id <> second_id
FROM json_to_record('`+sample+`') s(first_id int8, second_id int8, first_g int4, second_g int4, first_r numrange, second_r numrange)`) {
				t.Errorf("seed %d: no overlap: %s", seed, sample)
			}
		}
	}
	if clean < 3 || broken < 3 {
		t.Errorf("%d clean and %d broken tables prove little", clean, broken)
	}
}

// TestABigTableIsProbedForOverlaps has more rows than can be compared with each
// other in the time that a plan takes.
func TestABigTableIsProbedForOverlaps(t *testing.T) {
	t.Parallel()
	spans := table("spans", column("r", base("int4range")), column("b", base("box")))
	conn := from(t, schema(spans), `
INSERT INTO app.spans (r, b) SELECT int4range(n, n + 1), box(point(n, n), point(n, n + 0.5)) FROM generate_series(1, 60000) n;
INSERT INTO app.spans (r, b) VALUES ('[7,8)', '(7,7),(7,7)')`)
	after := spans
	after.Excludes = []ir.Exclude{
		{Name: "spans_r", Method: "gist", Elements: []ir.ExcludeElement{{Column: "r", Operator: "&&"}}},
		{Name: "spans_b", Method: "gist", Elements: []ir.ExcludeElement{{Column: "b", Operator: "&&"}}},
	}
	made := plan(t, conn, program(schema(after)))
	if len(made.Violations) != 1 || made.Violations[0].Object.Name != "spans_r" || made.Violations[0].Count != 1 {
		t.Errorf("the overlap was not found:\n%s", outline(made))
	}
	if text := outline(made); !strings.Contains(text, "unprobed table.spans.no_overlap.spans_b: not probed") || !strings.Contains(text, "took longer than 5s") {
		t.Errorf("the plan does not say what it did not look for:\n%s", text)
	}
}
