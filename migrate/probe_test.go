package migrate_test

import (
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
