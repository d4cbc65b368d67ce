package pgsql

import (
	"strings"
	"testing"
)

// parse is for tests whose text is right.
func parse(t testing.TB, text string) *Expr {
	t.Helper()
	e, err := ParseExpr(text, Options{})
	if err != nil {
		t.Fatalf("%q: %s: %v", text, err.Kind, err)
	}
	return e
}

func TestParseExprPrints(t *testing.T) {
	tests := []struct{ text, want string }{
		{"stock >= 0", "stock >= 0"},
		{"  stock\n\t>=   0 ", "stock >= 0"},
		{"stock -- how many\n >= /* zero */ 0 -- end", "stock >= 0"},
		{"a/**/b IS NULL", ""},
		{"- /* x */ -a", "- -a"},
		{"(a AND b) IS NULL", "(a AND b) IS NULL"},
		{"(NOT a) IS NULL", "(NOT a) IS NULL"},
		{"(a AT TIME ZONE 'x')::date", "(a AT TIME ZONE 'x')::date"},
		{"N'abc' || E'\\n' || $x$ -- @y $x$", "N'abc' || E'\\n' || $x$ -- @y $x$"},
		{"'a'\n'b'", "'a'\n'b'"},
		{"date'2020-01-01' < day", "date'2020-01-01' < day"},
		{"(SELECT 1)", "(SELECT 1)"},
		{"(SELECT 1) = 1", "(SELECT 1) = 1"},
		{"ARRAY(SELECT 1)", "ARRAY(SELECT 1)"},
		{"EXISTS (SELECT 1)", "EXISTS (SELECT 1)"},
		{"((SELECT 1) UNION (SELECT 2))", "((SELECT 1) UNION (SELECT 2))"},
		{"(a, b) = (1, 2)", "(a, b) = (1, 2)"},
		{"f(a, b)[1]", ""},
		{"tags[1:2]", "tags[1:2]"},
		{"a OPERATOR(pg_catalog.+) b", "a OPERATOR(pg_catalog.+) b"},
		{"';'", "';'"},
		{"\"a;b\" = 1", "\"a;b\" = 1"},
	}
	for _, tt := range tests {
		e, err := ParseExpr(tt.text, Options{})
		switch {
		case tt.want == "" && err == nil:
			t.Errorf("%q: no error, got %q", tt.text, e)
		case tt.want == "":
		case err != nil:
			t.Errorf("%q: %s: %v", tt.text, err.Kind, err)
		case e.SQL() != tt.want:
			t.Errorf("%q:\n got %q\nwant %q", tt.text, e.SQL(), tt.want)
		}
	}
}

func TestParseExprErrors(t *testing.T) {
	tests := []struct {
		text   string
		kind   Kind
		at     string // the text that the error points at
		offset int
	}{
		{"", Empty, "", 0},
		{" -- nothing", Empty, " -- nothing", 0},
		{"/* */", Empty, "/* */", 0},
		{"stock >=", Syntax, "", 8},
		{"stock >= -- zero", Syntax, "", 16},
		{"stock = = 1", Syntax, "=", 8},
		{"é = = 1", Syntax, "=", 5},
		{"'é' 'b'", Syntax, "'b'", 5},
		{"a b", Syntax, "b", 2},
		{"a AS b", Syntax, "AS", 2},
		{"a) , (b", Syntax, ")", 1},
		{"1) UNION SELECT (2", Syntax, ")", 1},
		{"1) FROM pg_shadow WHERE (true", Syntax, ")", 1},
		{"(1", Syntax, "(", 0},
		{"(1]", Syntax, "]", 2},
		{"a[1", Syntax, "[", 1},
		{"1)", Syntax, ")", 1},
		{"'abc", Syntax, "'abc", 0},
		{"1 = \"abc", Syntax, "\"abc", 4},
		{"1 /* x", Syntax, "/* x", 2},
		{"é /* /* */", Syntax, "/* /* */", 3},
		{"$$x", Syntax, "$$x", 0},
		{"\"\" = 1", Syntax, "\"\" = 1", 0},
		{"a \\ b", Syntax, "\\", 2},
		{"a\x00b", Syntax, "\x00", 1},
		{"1--\x00); DROP TABLE x", Syntax, "\x00", 3},
		{"'\xff'", Syntax, "'\xff'", 0},
		{"interval @x", Syntax, "@x", 9},
		{"price@x", Syntax, "@x", 5},
		{"a COLLATE @x", Syntax, "@x", 10},
		{"f(@x => 1)", Syntax, "@x", 2},
		{"@x(1)", Syntax, "@x", 0},
		{"@x.*", Syntax, "@x", 0},
		{"@x.y", Syntax, "@x", 0},
		{"@x'41'", Syntax, "@x'41'", 0},
		{"@e'41'", Syntax, "@e'41'", 0},
		{"@n'41'", Syntax, "@n", 0},
		{"numeric @x", Syntax, "@x", 8},
		{"EXTRACT(@x FROM a)", Syntax, "@x", 8},
		{"1; DROP TABLE x", Several, ";", 1},
		{"1;", Several, ";", 1},
		{";", Several, ";", 0},
		{"a, b", Several, ",", 1},
		{"(a), (b)", Several, ",", 3},
		{"SELECT 1", NotExpression, "SELECT", 0},
		{"values (1)", NotExpression, "values", 0},
		{"TABLE seats", NotExpression, "TABLE", 0},
		{"WITH x AS (SELECT 1) SELECT * FROM x", NotExpression, "WITH", 0},
		{"(SELECT 1) UNION (SELECT 2)", NotExpression, "(", 0},
		{"UPDATE x SET a = 1", NotExpression, "UPDATE", 0},
		{" drop table x", NotExpression, "drop", 1},
		{"DEFAULT", NotExpression, "DEFAULT", 0},
		{"a || U&'\\0041'", Syntax, "U&", 5},
		{"U&\"x\" = 1", Syntax, "U&", 0},
		{"1 + DEFAULT", NotExpression, "DEFAULT", 4},
		{"$1", Parameter, "$1", 0},
		{"a = $12", Parameter, "$12", 4},
		{"(WITH d AS (DELETE FROM x RETURNING 1) SELECT 1 FROM d)", Writes, "x", 24},
		{"(WITH d AS (INSERT INTO x VALUES (1) RETURNING 1) SELECT 1 FROM d)", Writes, "x", 24},
		{"(WITH d AS (UPDATE x SET a = 1 RETURNING 1) SELECT 1 FROM d)", Writes, "x", 19},
		{"1 + (SELECT 1 INTO x)", Writes, "x", 19},
		{"(SELECT 1 FROM x FOR UPDATE)", Writes, "(", 0},
		{"a>=@q", ArgumentOperator, ">=@q", 1},
		{"a -@q", ArgumentOperator, "-@q", 2},
		{"a != @q OR a<>@q", ArgumentOperator, "<>@q", 12},
		{"a*@select", ArgumentOperator, "*@select", 1},
		{"a =@_x", ArgumentOperator, "=@_x", 2},
		{"a =@é", ArgumentOperator, "=@é", 2},
	}
	for _, tt := range tests {
		e, err := ParseExpr(tt.text, Options{What: "guard"})
		if err == nil {
			t.Errorf("%q: no error, got %q", tt.text, e)
			continue
		}
		end := err.Offset + err.Length
		if end > len(tt.text) {
			t.Errorf("%q: error at %d+%d is outside", tt.text, err.Offset, err.Length)
			continue
		}
		if at := tt.text[err.Offset:end]; err.Kind != tt.kind || at != tt.at || err.Offset != tt.offset {
			t.Errorf("%q: %s at %d %q (%s), want %s at %d %q", tt.text, err.Kind, err.Offset, at, err, tt.kind, tt.offset, tt.at)
		}
		for _, leak := range []string{"at or near", "pg_query", "%!", "scan.l"} {
			if strings.Contains(err.Error()+err.Help, leak) {
				t.Errorf("%q: message %q holds %q", tt.text, err, leak)
			}
		}
	}
}

func TestSyntaxErrorsSpeakOfTheirText(t *testing.T) {
	_, err := ParseExpr("stock >=", Options{What: "guard"})
	if want := "the guard ends too early"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	_, err = ParseExpr("a>=@q", Options{})
	if want := "put a space before @: >= @q"; err == nil || err.Help != want {
		t.Errorf("got %+v, want help %q", err, want)
	}
}

func TestColumns(t *testing.T) {
	e := parse(t, `Status <> 'é' AND app.Seats."Label" = "Ümlaut" AND (addr).city = tags[n] AND value > 0 AND `+
		`id IN (SELECT other FROM t)`)
	want := []struct {
		name, qualifier, text string
		nested                bool
	}{
		{"status", "", "Status", false},
		{"Label", "app.seats", `app.Seats."Label"`, false},
		{"Ümlaut", "", `"Ümlaut"`, false},
		{"addr", "", "addr", false},
		{"tags", "", "tags", false},
		{"n", "", "n", false},
		{"value", "", "value", false},
		{"id", "", "id", false},
		{"other", "", "other", true},
	}
	text := e.SQL() // the text has no comments and single blanks: offsets agree
	got := e.Columns()
	if len(got) != len(want) {
		t.Fatalf("got %d columns, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		c := got[i]
		if c.Name != w.name || c.Qualifier != w.qualifier || text[c.Offset:c.Offset+c.Length] != w.text || c.Nested != w.nested {
			t.Errorf("column %d is %+v, want %+v", i, c, w)
		}
	}
}

func TestColumnsAcrossComments(t *testing.T) {
	text := "/* é */ t /* x */ . -- y\n c = 1"
	c := parse(t, text).Columns()
	if len(c) != 1 || c[0].Name != "c" || c[0].Qualifier != "t" {
		t.Fatalf("got %+v", c)
	}
	if got := text[c[0].Offset : c[0].Offset+c[0].Length]; got != "t /* x */ . -- y\n c" {
		t.Errorf("the reference is %q", got)
	}
}

func TestArgs(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"stock - @qty", []string{"qty"}},
		{"@a + @b + @a", []string{"a", "b", "a"}},
		{"(@a)::int", []string{"a"}},
		{"f(@a,@b)", []string{"a", "b"}},
		{"@_x1$ = @select", []string{"_x1$", "select"}},
		{"@Größe > 1", []string{"Größe"}},
		{"a @> @b", []string{"b"}},
		{"a <@ @b", []string{"b"}},
		{"a <@b", nil},
		{"a @@b", nil},
		{"@-@ path > 1", nil},
		{"@-@path > 1", nil},
		{"a ^@b", nil},
		{"@ x", nil},
		{"@-5", nil},
		{`@"x"`, nil},
		{"'@x' || \"@y\" || $$@z$$ || E'@w'", nil},
		{"1 -- @x", nil},
		{"1 /* @x */", nil},
		{"x -/* c */@y", []string{"y"}},
	}
	for _, tt := range tests {
		e, err := ParseExpr(tt.text, Options{})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		var got []string
		for _, a := range e.Args() {
			got = append(got, a.Name)
			if s := tt.text[a.Offset : a.Offset+a.Length]; s != "@"+a.Name {
				t.Errorf("%q: @%s stands at %q", tt.text, a.Name, s)
			}
		}
		if strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%q: got %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestWithParams(t *testing.T) {
	types := map[string]string{"n": "numeric(12,2)", "ids": "bigint[]"}
	numbers := map[string]int{"n": 2, "ids": 10, "bare": 3}
	bind := func(name string) (int, string) { return numbers[name], types[name] }
	tests := []struct{ text, want string }{
		{"stock-(@n)", "stock-($2::numeric(12,2))"},
		{"@n + @n", "$2::numeric(12,2) + $2::numeric(12,2)"},
		{"id = ANY(@ids)", "id = ANY($10::bigint[])"},
		{"@ids[1] > @bare", "($10::bigint[])[1] > $3"},
		{"@bare::int", "$3::int"},
		{"(@bare).x", "($3).x"},
		{"x -/**/@n", "x - $2::numeric(12,2)"},
		{"NOT(@bare)and @bare", "NOT($3)and $3"},
	}
	for _, tt := range tests {
		if got := parse(t, tt.text).WithParams(bind); got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func TestDeepTextsDoNotCrash(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000),
		"1" + strings.Repeat("+1", 20_000),
		strings.Repeat("NOT ", 20_000) + "a",
		strings.Repeat("-", 20_000) + "1",
		strings.Repeat("(", 20_000),
		strings.Repeat("f(", 5_000) + "1" + strings.Repeat(")", 5_000),
		strings.Repeat("(SELECT ", 2_000) + "1" + strings.Repeat(")", 2_000),
		"a" + strings.Repeat(".a", 5_000),
		"@" + strings.Repeat("x", 5_000),
	} {
		// Most are errors and some are not; none may end the process.
		if e, err := ParseExpr(text, Options{}); (e == nil) == (err == nil) {
			t.Errorf("%.20q: both or none of result and error", text)
		}
	}
}

func TestCacheGivesTheSameExpression(t *testing.T) {
	first, second := parse(t, "cached = 1"), parse(t, "cached = 1")
	if first != second {
		t.Error("the text was parsed twice")
	}
	var c cache
	for i := range cacheLimit + 1 {
		c.put(strings.Repeat("x", i%7)+string(rune(i)), nil)
	}
	if len(c.m) > cacheLimit {
		t.Errorf("the cache grew to %d", len(c.m))
	}
}

func BenchmarkParseExpr(b *testing.B) {
	for i := range b.N {
		text := "stock - @qty >= " + string(rune('0'+i%10)) + " AND status <> 'x'"
		parsed = cache{}
		if _, err := ParseExpr(text, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
