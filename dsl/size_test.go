package dsl

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/internal/diag"
)

// TestTooLargeProjects: each is refused with one error, and what stands in the
// part that was left out is not called unknown. The bounds are lowered for it.
func TestTooLargeProjects(t *testing.T) {
	const uses = "table \"u\" {\n  column \"a\" { type = enum.gone }\n}\n"
	for text, src := range map[string]string{
		"more than 16 megabytes": uses + "# " + strings.Repeat("x", 10000),
		"more than 20000 blocks": uses + strings.Repeat("enum \"e\" {}\n", 400),
		"at most 2000 others":    uses + "table \"t\" {\n" + strings.Repeat("  column \"a\" { type = bigint }\n", maxInner+1) + "}\n",
	} {
		p := newProject(files("main.hcl", src), Options{})
		switch {
		case strings.Contains(text, "megabytes"):
			p.left.bytes = 10000
		case strings.Contains(text, "blocks"):
			p.left.blocks = 1
		}
		p.load()
		requireOne(t, p.diags, diag.TooLarge, text)
	}
}

// TestIrregularSource: a pipe with the name of a source is not waited for.
func TestIrregularSource(t *testing.T) {
	fsys := files()
	fsys["pipe.hcl"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	_, list := Load(fsys, Options{})
	requireOne(t, list, diag.UnreadableFile, `The file "pipe.hcl" cannot be read.`)
}
