package pgsql

import "testing"

func TestNeverTrue(t *testing.T) {
	tests := []struct {
		text              string
		never, alwaysNull bool
	}{
		{"a = 1", false, false},
		{"true", false, false},
		{"false", true, false},
		{"NULL", true, true},
		{"NULL::boolean", true, true},
		{"a = NULL", true, true},
		{"NULL < a", true, true},
		{"a <> NULL::text", true, true},
		{"NOT (a = NULL)", true, true},
		{"NOT false", false, false},
		{"NOT true", true, false},
		{"a IS NULL", false, false},
		{"(a = NULL) IS NULL", false, false},
		{"(a = NULL) IS NOT NULL", true, false},
		{"a IS DISTINCT FROM NULL", false, false},
		{"a = 1 AND b = NULL", true, false},
		{"a = 1 OR b = NULL", false, false},
		{"a = NULL OR b = NULL", true, true},
		{"a = NULL OR false", true, true},
		{"a = NULL OR true", false, false},
		{"a = NULL AND false", true, false},
		{"a AND (b OR c) AND (d AND false)", true, false},
		{"a OR b OR false", false, false},
		{"1 = 0", true, false},
		{"1 <> 1", true, false},
		{"1 = 1", false, false},
		{"'a' = 'b'", true, false},
		{"'a' < 'b'", false, false},
		{"1 = 1.0", false, false},
		{"a @> NULL", false, false},
		{"coalesce(NULL, true)", false, false},
	}
	for _, tt := range tests {
		e := parse(t, tt.text)
		if e.NeverTrue() != tt.never || e.AlwaysNull() != tt.alwaysNull {
			t.Errorf("%q: never true %t, always null %t; want %t, %t", tt.text, e.NeverTrue(), e.AlwaysNull(), tt.never, tt.alwaysNull)
		}
	}
}

func TestNeverTrueAfterRewrites(t *testing.T) {
	check := parse(t, "a = b")
	if got := check.Substitute(map[string]*Expr{"b": parse(t, "NULL")}); !got.NeverTrue() {
		t.Errorf("%s can be true", got)
	}
	if got := Not(parse(t, "true")); !got.NeverTrue() {
		t.Errorf("%s can be true", got)
	}
	if got := IsNotFalse(parse(t, "a = NULL")); got.NeverTrue() {
		t.Errorf("%s is never true", got)
	}
}

// The combinations of AND and OR are PostgreSQL's own: a truth table is the
// reference.
func TestLogicAgreesWithTruthTables(t *testing.T) {
	values := []truth{isTrue, isFalse, isNull}
	table := map[[2]truth]truth{
		{isTrue, isTrue}: isTrue, {isTrue, isFalse}: isFalse, {isTrue, isNull}: isNull,
		{isFalse, isTrue}: isFalse, {isFalse, isFalse}: isFalse, {isFalse, isNull}: isFalse,
		{isNull, isTrue}: isNull, {isNull, isFalse}: isFalse, {isNull, isNull}: isNull,
	}
	for a := truth(1); a <= anything; a++ {
		for b := truth(1); b <= anything; b++ {
			var want truth
			for _, x := range values {
				for _, y := range values {
					if a&x != 0 && b&y != 0 {
						want |= table[[2]truth{x, y}]
					}
				}
			}
			if got := and(a, b); got != want {
				t.Errorf("%03b AND %03b is %03b, want %03b", a, b, got, want)
			}
		}
	}
}
