package view

// Graph is a picture of the spec.
type Graph struct {
	Subject string `json:"subject"` // tables, states, locks
	Form    string `json:"form"`    // mermaid, dot, svg
	Nodes   int    `json:"nodes"`
	Edges   int    `json:"edges"`
	Text    string `json:"text"`
	File    string `json:"file"` // where it was written; empty for none
}

// Graphed prints the picture, or says where it is.
func (h *human) Graphed(g Graph) {
	if g.File != "" {
		h.err.line("wrote    %s", g.File)
		return
	}
	h.out.raw(g.Text)
}
