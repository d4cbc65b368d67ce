package view

import (
	"slices"
	"strings"
)

// Generated is what generate wrote, or with --check would have to.
type Generated struct {
	Check     bool         `json:"check"`
	Changed   List[string] `json:"changed"`   // written because their bytes differ
	Missing   List[string] `json:"missing"`   // written because they were not there
	Stale     List[string] `json:"stale"`     // removed because nothing makes them now
	Foreign   List[string] `json:"foreign"`   // in the way: without pawl's mark, so that generate overwrites none
	Unchanged int          `json:"unchanged"` // files that are as they should be
}

// Clean reports whether the output was as it should be.
func (g Generated) Clean() bool {
	return len(g.Changed)+len(g.Missing)+len(g.Stale)+len(g.Foreign) == 0
}

// listed is how many files of a kind a report names; --verbose names all.
const listed = 50

// Generated lists the files that differ, one a line. They are the artefact of
// --check, and a report otherwise.
func (h *human) Generated(g Generated) {
	p := h.err
	if g.Check {
		p = h.out
	}
	for _, group := range []struct {
		files           []string
		checked, action string
	}{
		{g.Missing, "missing", "wrote"},
		{g.Changed, "changed", "rewrote"},
		{g.Stale, "stale", "removed"},
		{g.Foreign, "foreign", ""}, // generate fails before it reports one
	} {
		word := group.action
		if g.Check {
			word = group.checked
		}
		shown := group.files
		if !g.Check && !h.verbose && len(shown) > listed {
			// The copied runtime, a folder further down, is what nobody looks for.
			shown = slices.SortedStableFunc(slices.Values(shown), func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })[:listed]
		}
		for _, file := range shown {
			p.line("%-8s %s", word, file)
		}
		if rest := len(group.files) - len(shown); rest > 0 {
			p.line("%-8s %s more", word, number(rest, "file"))
		}
	}
	switch {
	case g.Clean():
		h.err.line("%s up to date", number(g.Unchanged, "file"))
	case len(g.Foreign) > 0:
		h.err.line("pawl did not write %s, and generate would not overwrite it: move it away", strings.Join(g.Foreign, ", "))
	case g.Check:
		h.err.line("the output is not what the spec generates: run pawl generate")
	}
}
