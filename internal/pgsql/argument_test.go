package pgsql

import "testing"

func TestFillArgs(t *testing.T) {
	tests := []struct{ text, x, want string }{
		{"a >= @x", "1", "a >= 1"},
		{"a - @x >= 0", "-1", "a - (-1) >= 0"},
		{"(@x)[1] = a", "'{1}'::int[]", "(('{1}'::int[]))[1] = a"},
		{"@x::text || @y", "b + 1", "(b + 1)::text || @y"},
	}
	for _, tt := range tests {
		got := parse(t, tt.text).FillArgs(map[string]*Expr{"x": parse(t, tt.x)})
		if got.SQL() != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	if args := parse(t, "@x + @y").FillArgs(map[string]*Expr{"x": parse(t, "@z")}).Args(); len(args) != 2 {
		t.Errorf("the arguments are %+v", args)
	}
}
