package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// lists are indexes with the order that their list has to have.
var lists = []struct{ label, columns, orderBy string }{
	{"up", "columns = [n]", "n, id"},
	{"down", "columns = [desc(n)]", "n DESC, id DESC"},
	{"first", "columns = [nulls_first(n)]", "n NULLS FIRST, id"},
	{"last", "columns = [nulls_last(desc(n))]", "n DESC NULLS LAST, id DESC"},
	{"mixed", "columns = [kind, desc(at)]", "kind, at DESC, id DESC"},
	{"mixed_key", "columns = [desc(at), id]", "at DESC, id"},
	{"two", "columns = [n, desc(s)]", "n, s DESC, id DESC"},
	{"three", "columns = [nulls_first(n), desc(s), r]", "n NULLS FIRST, s DESC, r, id"},
	{"four", "columns = [desc(n), s, desc(r), nulls_first(b)]", "n DESC, s, r DESC, b NULLS FIRST, id"},
	{"key_inside", "columns = [n, id, s]", "n, id, s"},
	{"expression", `columns = [sql("lower(s)"), desc(n)]`, "lower(s), n DESC, id DESC"},
	{"both", `columns = [desc(sql("n * 2 + id"))]`, "n * 2 + id DESC, id DESC"},
	{"partial", "columns = [n]\n where = \"n IS NOT NULL AND kind = 'b'\"", "n, id"},
}

func listsSpec() string {
	var b strings.Builder
	b.WriteString(`
enum "kind" { values = ["b", "a", "c"] }
table "rows" {
  column "id" { type = bigint }
  column "kind" { type = enum.kind }
  column "at" { type = timestamptz }
  column "n" {
    type = bigint
    null = true
  }
  column "s" {
    type = text
    null = true
  }
  column "r" {
    type = int4range
    null = true
  }
  column "b" {
    type = boolean
    null = true
  }
  primary_key { columns = [id] }
`)
	for _, l := range lists {
		fmt.Fprintf(&b, "index %q {\n %s\n}\n", l.label, l.columns)
	}
	b.WriteString("}\n")
	return b.String()
}

// Pages of every size return each row once and in the order of the index,
// whatever is NULL, equal or sorted the other way round.
func TestPagesReturnEveryRowOnce(t *testing.T) {
	p := compile(t, listsSpec())
	conn := database(t, p)
	exec(t, conn, `INSERT INTO app.rows (id, kind, at, n, s, r, b)
SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3]::app.kind, timestamptz '2024-01-01' + (i * 7 % 11) * interval '1 hour',
  CASE WHEN i % 4 > 0 THEN i * 5 % 6 END, CASE WHEN i * 3 % 5 > 0 THEN chr(65 + i * 7 % 4) END,
  CASE WHEN i * 5 % 3 > 0 THEN int4range(i % 2, 3) END, CASE WHEN i % 7 > 1 THEN i % 2 = 0 END
FROM generate_series(1, 96) i ORDER BY i * 31 % 97`)
	random := rand.New(rand.NewPCG(1, 2))
	for _, l := range lists {
		list := "table.rows.list_by_" + l.label
		where := "true"
		if l.label == "partial" {
			where = "n IS NOT NULL AND kind = 'b'"
		}
		rows, err := conn.Query(t.Context(), "SELECT id FROM app.rows WHERE "+where+" ORDER BY "+l.orderBy)
		if err != nil {
			t.Fatal(err)
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatal(err)
		}
		op := operation(t, p, list)
		for _, size := range []int64{2 + random.Int64N(3), 7 + random.Int64N(40)} {
			args := make([]any, len(op.Args))
			args[len(args)-1] = size
			var got []int64
			for len(got) <= len(want) {
				page := must(t, conn, p, list, ir.MainStatement, args...)
				got = append(got, ids(page)...)
				if len(page) == 0 {
					break
				}
				for i, column := range op.Columns {
					args[i] = page[len(page)-1][column]
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s in pages of %d: %d rows, want %d\n got %v\nwant %v", l.label, size, len(got), len(want), got, want)
			}
		}
	}
}

// Each arm of a page is a range of the index, also in the plan that a connection
// keeps: a page in the middle of many rows reads about as many as it returns.
func TestPagesReadWhatTheyReturn(t *testing.T) {
	p := compile(t, listsSpec())
	conn := database(t, p)
	exec(t, conn, `INSERT INTO app.rows (id, kind, at, n, s) SELECT i, 'a', timestamptz '2024-01-01' + i * interval '1 s',
  CASE WHEN i % 2500 > 0 THEN i / 8 END, 'x' || i FROM generate_series(1, 20000) i`)
	exec(t, conn, "VACUUM ANALYZE app.rows")
	for list, after := range map[string]string{
		"up": "1250, 10002, 10", "last": "1250, 10002, 10", "mixed": "'a', '2024-01-01 02:30', 9000, 10", "two": "1250, 'x10002', 10002, 10",
		"mixed_key": "'2024-01-01 02:30', 9000, 10",
	} {
		op := operation(t, p, "table.rows.list_by_"+list)
		var types []string
		for _, f := range op.Args {
			types = append(types, f.Type.SQL())
		}
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			exec(t, conn, "SET plan_cache_mode = "+mode)
			plan := explain(t, conn, op.Statement(ir.MainStatement).SQL, strings.Join(types, ", "), after)
			if strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s, %s: the page reads the table:\n%s", list, mode, plan)
			}
			for _, n := range regexp.MustCompile(`(?:rows=|Removed by Filter: )(\d+)`).FindAllStringSubmatch(plan, -1) {
				if len(n[1]) > 2 {
					t.Errorf("%s, %s: a page of 10 rows looks at %s:\n%s", list, mode, n[1], plan)
				}
			}
		}
	}
}
