package pgsql

import (
	"slices"
	"testing"
)

func mustParse(t *testing.T, text string) *Expr {
	t.Helper()
	e, err := ParseExpr(text, Options{})
	if err != nil {
		t.Fatalf("%s: %s", text, err.Message)
	}
	return e
}

func TestAddends(t *testing.T) {
	for text, want := range map[string][]string{
		"stock - @a":                            {"a"},
		"@a + stock":                            {"a"},
		"(stock - @a)":                          {"a"},
		"stock - @a + @b - @a":                  {"a", "b"},
		"- @a + stock":                          {"a"},
		"stock * 2 - @a":                        {"a"},
		"stock - @a * 2":                        nil,
		"2 * @a + stock":                        nil,
		"@a":                                    nil,
		"greatest(stock - @a, 0)":               nil,
		"(stock - @a) * 2":                      nil,
		"CASE WHEN on_hand THEN stock - @a END": nil,
		"stock - @a::int":                       nil,
		"stock - length(@a)":                    nil,
	} {
		if got := mustParse(t, text).Addends(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestIsArithmetic(t *testing.T) {
	for text, want := range map[string]bool{
		"stock - @a": true, "(a + 1) * b / 2": true, `"a.b" - 1`: true, "@a": true,
		"stock - 0.5": false, "stock - 1e3": false, "stock::int": false, "CAST(stock AS int)": false, "abs(stock)": false,
		"'1'": false, "NULL": false, "stock ^ 2": false, "a || b": false, "a AND b": false, "a[1]": true,
	} {
		if got := mustParse(t, text).IsArithmetic(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"deleted_at IS NULL", "(deleted_at  is null)", true},
		{"Status = 'a'", "status = 'a'", true},
		{`"Status" = 'a'`, "status = 'a'", false},
		{"status = 'a'", "status = 'A'", false},
		{"status = E'a'", "status = E'A'", false},
		{"a = 1", "a = 2", false},
		{"a = 1", "a <> 1", false},
		{"lower(a) = b", "LOWER(a) = b", true},
	} {
		if got := Same(mustParse(t, c.a), mustParse(t, c.b)); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func TestLabels(t *testing.T) {
	const text = "status <> 'held' AND 'free' = t.kind AND status IN ('a', lower('x'), 'b'::text) AND n = 1 " +
		"AND status IS DISTINCT FROM 'c' AND status LIKE 'd%' AND EXISTS (SELECT FROM x WHERE status = 'z')"
	e := mustParse(t, text)
	var got []string
	for _, l := range e.Labels() {
		got = append(got, l.Column+" "+l.Text+" "+text[l.Offset:l.Offset+l.Length])
	}
	want := []string{"status held 'held'", "kind free 'free'", "status a 'a'", "status b 'b'", "status c 'c'"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if errs := e.Check(Rules{Table: "t", Columns: []string{"status", "kind", "n"}, SubSelects: true}); len(errs) > 0 {
		t.Errorf("%v", errs[0])
	}
}
