package diag

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
)

func fixAt(file string, start, end int, text string) Diagnostic {
	return Diagnostic{Fix: &Fix{Range: hcl.Range{Filename: file, Start: hcl.Pos{Byte: start}, End: hcl.Pos{Byte: end}}, Text: text}}
}

func TestFixes(t *testing.T) {
	list := List{
		fixAt("a", 6, 8, "two"), fixAt("a", 0, 3, "one"),
		{Code: Cycle},
		fixAt("a", 7, 9, "never"), fixAt("b", 0, 0, "x "),
		fixAt("a", 8, 8, "touches"), fixAt("b", 90, 91, "beyond"),
	}
	fixes := list.Fixes()
	for file, test := range map[string]struct{ src, want string }{
		"a": {"uno\t= zw # é", "one\t= two # é"},
		"b": {"y", "x y"},
		"c": {"z", "z"},
	} {
		if got := string(Apply([]byte(test.src), fixes[file])); got != test.want {
			t.Errorf("%s: got %q, want %q", file, got, test.want)
		}
	}
}
