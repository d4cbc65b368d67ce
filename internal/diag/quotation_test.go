package diag

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// TestLongLinesAreClipped: a line of megabytes is shown around the mistake.
func TestLongLinesAreClipped(t *testing.T) {
	for name, c := range map[string]struct {
		before, wrong, after string
		want                 string
	}{
		"middle": {strings.Repeat("ä", 5000), "wrong", strings.Repeat("z", 5000), "^^^^^"},
		"start":  {"", "wrong", strings.Repeat("z", 5000), "^^^^^"},
		"end":    {strings.Repeat("z", 5000), "wrong", "", "^^^^^"},
		"all":    {"", strings.Repeat("w", 1<<20), "", strings.Repeat("^", widest)},
	} {
		t.Run(name, func(t *testing.T) {
			line := c.before + c.wrong + c.after
			src := "first\n" + line + "\nlast\n"
			at := hcl.Range{Filename: "a.hcl"}
			at.Start = hcl.Pos{Line: 2, Column: 1 + len([]rune(c.before)), Byte: 6 + len(c.before)}
			at.End = hcl.Pos{Line: 2, Column: at.Start.Column + len(c.wrong), Byte: at.Start.Byte + len(c.wrong)}
			var out strings.Builder
			if err := (Text{Sources: Files{"a.hcl": []byte(src)}}).List(&out, List{{Code: Syntax, Subject: at}}); err != nil {
				t.Fatal(err)
			}
			shown := strings.Split(out.String(), "\n")
			if len(out.String()) > 4*widest || len(shown) < 4 {
				t.Fatalf("printed %d bytes", out.Len())
			}
			marks := strings.TrimLeft(shown[3], " |")
			if marks != c.want {
				t.Errorf("underlined %q", marks)
			}
			column := len([]rune(strings.TrimSuffix(shown[3], marks)))
			if quoted := []rune(shown[2])[column:]; !strings.HasPrefix(string(quoted), c.wrong[:5]) {
				t.Errorf("the carets stand below %.20q", string(quoted))
			}
		})
	}
}
