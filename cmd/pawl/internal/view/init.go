package view

import "strings"

// Initialized is the project that init wrote.
type Initialized struct {
	Project string       `json:"project"`
	Dir     string       `json:"dir"`
	Files   List[string] `json:"files"`
}

// Initialized reports the files, and what to do next.
func (h *human) Initialized(i Initialized) {
	for _, file := range i.Files {
		h.err.line("wrote    %s", file)
	}
	in := ""
	if i.Dir != "." {
		in = " -C " + shellWord(i.Dir)
	}
	h.err.blank()
	h.err.line("next:  pawl validate%s", in)
	h.err.line("       pawl generate%s", in)
	h.err.line("       pawl apply --dev --yes%s", in)
}

// shellWord quotes a word for a shell when it needs to be.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r > 127 || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+:@%", r)
	}
	if strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
