package view

import "strings"

// Formatted is what fmt rewrote, or with --check or --diff would have to.
type Formatted struct {
	Check     bool         `json:"check"`
	Differ    bool         `json:"diff"`
	Changed   List[string] `json:"changed"`
	Unchanged int          `json:"unchanged"`
	Diffs     List[string] `json:"diffs"` // unified, one a changed file; with --diff
	// Text is the result for stdin, which no file takes.
	Text *string `json:"text"`
}

// Formatted prints the text, the differences or the files that differ: each is
// an artefact. The files that were rewritten are a report.
func (h *human) Formatted(f Formatted) {
	switch {
	case f.Text != nil:
		h.out.raw(*f.Text)
		return
	case f.Differ:
		h.out.raw(strings.Join(f.Diffs, ""))
	case f.Check:
		for _, file := range f.Changed {
			h.out.line("%s", file)
		}
	default:
		for _, file := range f.Changed {
			h.err.line("rewrote  %s", file)
		}
	}
	switch {
	case f.Check && len(f.Changed) > 0:
		h.err.line("%s not formatted: run pawl fmt", number(len(f.Changed), "file"))
	case len(f.Changed) == 0 && f.Unchanged > 0:
		h.err.line("%s formatted already", number(f.Unchanged, "file"))
	}
}

// Formatted annotates each file that --check found to differ.
func (g *gitHub) Formatted(f Formatted) {
	if !f.Check {
		g.human.Formatted(f)
		return
	}
	for _, file := range f.Changed {
		g.command("error", file, "pawl fmt", "this file is not formatted: run pawl fmt")
	}
}
