package pgsql

import (
	"slices"
	"strings"
	"testing"
)

// A name means a column of the innermost FROM clause that has it.
func TestSourceOf(t *testing.T) {
	columns := map[string][]string{"shifts": {"id", "team_id", "on_call"}, "teams": {"id", "name"}}
	for _, tt := range []struct{ text, name, want string }{
		{"SELECT true FROM shifts WHERE id = 1", "id", "shifts"},
		{"SELECT true FROM shifts WHERE EXISTS (SELECT FROM teams WHERE id = 1)", "id", "teams"},
		{"SELECT true FROM shifts WHERE EXISTS (SELECT FROM teams WHERE on_call)", "on_call", "outer shifts"},
		{"SELECT true FROM shifts AS s WHERE EXISTS (SELECT FROM teams AS t WHERE s.id = 1)", "id", "outer s"},
		{"SELECT true FROM shifts AS s WHERE EXISTS (SELECT FROM teams AS s WHERE s.id = 1)", "id", "s"},
		{"SELECT true FROM shifts JOIN teams ON true WHERE id = 1", "id", "shifts,teams"},
		{"SELECT true FROM teams WHERE EXISTS (SELECT FROM (SELECT 1 AS n) x WHERE on_call)", "on_call", ""},
		{"SELECT true FROM shifts WHERE EXISTS (SELECT FROM generate_series(1, 2) AS g (id) WHERE id = 1)", "id", ""},
		{"WITH w AS (SELECT 1 AS id) SELECT true FROM shifts WHERE EXISTS (SELECT FROM w WHERE id = 1)", "id", ""},
		{"SELECT true FROM shifts WHERE EXISTS (SELECT FROM teams AS t (a, b) WHERE on_call)", "on_call", ""},
		{"SELECT true FROM teams WHERE false UNION SELECT on_call FROM shifts", "on_call", "shifts"},
		{"SELECT true FROM teams WHERE nothing", "nothing", ""},
	} {
		q, err := ParseSelect(tt.text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		refs := q.Columns()
		at := slices.IndexFunc(refs, func(r ColumnRef) bool { return r.Name == tt.name })
		source, ok := q.SourceOf(refs[at], func(table TableRef) bool {
			named := refs[at].Qualifier == "" || refs[at].Qualifier == table.Alias
			return named && slices.Contains(columns[table.Name], tt.name)
		})
		var names []string
		for _, table := range source.Tables {
			if names = append(names, table.Name); table.Alias != "" {
				names[len(names)-1] = table.Alias
			}
		}
		got := strings.Join(names, ",")
		if source.Outer {
			got = "outer " + got
		}
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %s means %q, want %q", tt.text, tt.name, got, tt.want)
		}
	}
}
