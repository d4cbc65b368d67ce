package diag

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"abc", 3},
		{"é", 1},
		{"e\u0301", 1},
		{"漢字", 4},
		{"한글", 4},
		{"ｆｕｌｌ", 8},
		{"👍", 2},
		{"👍🏽", 2},
		{"👩‍👩‍👧", 2},
		{"🇩🇪🇫🇷", 4},
		{"❤\ufe0f", 2},
		{"❤", 1},
		{"a\u200bb", 2},
		{"\t", 4},
		{"a\tb", 5},
		{"abcd\tb", 9},
		{"漢\tb", 5},
		{"\x1b\x00", 2},
		{"\xff\xfe", 2},
		{"\u202ea", 2},
		{"नि", 1},
	}
	for _, tt := range tests {
		if got := columns(tt.text, 0); got != tt.want {
			t.Errorf("%q takes %d columns, want %d", tt.text, got, tt.want)
		}
	}
	if got := columns("\t", 3) - 3; got != 1 {
		t.Errorf("a tab at column 3 takes %d columns, want 1", got)
	}
}

func TestExpandTakesTheColumnsItCounts(t *testing.T) {
	for _, text := range []string{"a\tb\t漢\té", "\x1b[31mred", "\xff\t\u202ex", "👩‍👩‍👧\t|", "\r\v\f"} {
		out := expand(text)
		if columns(out, 0) != columns(text, 0) {
			t.Errorf("%q is printed in %d columns and counted as %d", text, columns(out, 0), columns(text, 0))
		}
		if strings.ContainsAny(out, "\t\x1b\u202e\r\v\f") {
			t.Errorf("%q is not harmless: %q", text, out)
		}
	}
}
