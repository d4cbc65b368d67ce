package pgsql

import (
	"slices"
	"testing"
)

func TestParseSelect(t *testing.T) {
	text := "WITH w AS (SELECT 1)\nSELECT count(*) >= 1 FROM app.shifts s, w, \"Teams\" -- all\nWHERE s.team_id = @team_id AND on_call"
	q, err := ParseSelect(text, Options{What: "holds"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `WITH w AS (SELECT 1) SELECT count(*) >= 1 FROM app.shifts s, w, "Teams" WHERE s.team_id = @team_id AND on_call`; q.SQL() != want {
		t.Errorf("got %q", q)
	}
	var tables []string
	for _, r := range q.Tables() {
		tables = append(tables, r.Schema+"|"+r.Name+"|"+r.Alias+"|"+text[r.Offset:r.Offset+r.Length])
	}
	if want := []string{"app|shifts|s|app.shifts", `|Teams||"Teams"`}; !slices.Equal(tables, want) {
		t.Errorf("the tables are %q, want %q", tables, want)
	}
	var columns []string
	for _, c := range q.Columns() {
		columns = append(columns, c.Qualifier+"."+c.Name+"|"+text[c.Offset:c.Offset+c.Length])
	}
	if want := []string{"s.team_id|s.team_id", ".on_call|on_call"}; !slices.Equal(columns, want) {
		t.Errorf("the columns are %q, want %q", columns, want)
	}
	if f := q.Functions(); len(f) != 1 || !f[0].Aggregate {
		t.Errorf("the functions are %+v", f)
	}
	want := `SELECT 1 FROM t WHERE id = $1::bigint`
	q, err = ParseSelect("SELECT 1 FROM t WHERE id = @id", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := q.WithParams(func(string) (int, string) { return 1, "bigint" }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseSelectErrors(t *testing.T) {
	tests := []struct {
		text string
		kind Kind
		at   string
	}{
		{"stock >= 0", Syntax, "stock"},
		{"SELECT 1; SELECT 2", Several, ";"},
		{"SELECT 1;", Several, ";"},
		{"DELETE FROM x", NotExpression, "DELETE"},
		{"EXPLAIN SELECT 1", NotExpression, "EXPLAIN"},
		{"VACUUM", NotExpression, "VACUUM"},
		{"SELECT 1 INTO x", Writes, "x"},
		{"SELECT 1 FROM x FOR UPDATE", Writes, "SELECT"},
		{"SELECT 1 FROM (SELECT 1 FROM y FOR SHARE) y", Writes, "SELECT"},
		{"WITH d AS (DELETE FROM y RETURNING 1) SELECT 1 FROM d", Writes, "y"},
		{"SELECT 1 UNION SELECT 2 INTO x", Writes, "x"},
		{"SELECT 1 @x", Syntax, "@x"},
		{"SELECT 1 FROM @x", Syntax, "@x"},
		{"SELECT 1 AS @x", Syntax, "@x"},
		{"SELECT $1", Parameter, "$1"},
		{"SELECT", "", ""},
		{"SELECT 1 FROM", Syntax, ""},
		{"", Empty, ""},
	}
	for _, tt := range tests {
		q, err := ParseSelect(tt.text, Options{What: "holds"})
		switch {
		case tt.kind == "" && err == nil:
		case err == nil:
			t.Errorf("%q: no error, got %q", tt.text, q)
		case err.Kind != tt.kind || tt.text[err.Offset:err.Offset+err.Length] != tt.at:
			t.Errorf("%q: %s at %q: %s, want %s at %q", tt.text, err.Kind, tt.text[err.Offset:err.Offset+err.Length], err, tt.kind, tt.at)
		}
	}
}
