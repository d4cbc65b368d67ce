package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/verify"
)

// diagramColumns is where the text of a diagram's arrows is broken.
const diagramColumns = 60

// Mermaid is a counterexample as a Mermaid sequence diagram, which GitHub and
// many wikis draw.
func Mermaid(c *verify.Counterexample) string {
	var d diagram
	d.line("sequenceDiagram")
	d.line("    title: %s", escapeMermaid(visible(c.ID)))
	if c.Run == nil {
		return d.String()
	}
	heads := heads(c.Run)
	for i, head := range heads {
		d.line("    participant %s as %s", session(i), escapeMermaid(head))
	}
	d.line("    participant db as PostgreSQL")
	for _, e := range timeline(c.Run) {
		d.entry(e)
	}
	for i, e := range c.Run.Ends {
		text, _ := end(e)
		d.note(session(i), "end: "+text)
	}
	over := "db"
	if len(heads) > 0 {
		over = session(0) + ",db"
	}
	for _, v := range c.Run.Violations {
		d.note(over, "broken: "+visible(v.Rule))
		for i, row := range v.Rows {
			if i == resultRows {
				d.note(over, fmt.Sprintf("... %d more", len(v.Rows)-i))
				break
			}
			d.note(over, namedValues(v.Columns, row))
		}
	}
	return d.String()
}

type diagram struct{ strings.Builder }

func (d *diagram) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// entry is an arrow to the database for what was sent and one back for what came
// of it; a wait is a note, since nothing comes back.
func (d *diagram) entry(e entry) {
	name := session(e.client)
	if e.sql != "" {
		text := strings.Join(append(slices.Clone(e.ahead), e.sql), "\n")
		if len(e.args) > 0 {
			text += "\n" + strings.Join(e.args, ", ")
		}
		d.line("    %s->>db: %s", name, breakMermaid(text))
	}
	var back []string
	arrow := "-->>"
	for _, n := range e.notes {
		switch n.tone {
		case broken:
			d.flush(name, arrow, &back)
			d.note(name, n.text)
		case waits:
			d.note(name, n.text)
		case failed:
			arrow = "--x"
			back = append(back, strings.TrimPrefix(n.text, "-> "))
		case plain:
			back = append(back, strings.TrimSpace(strings.TrimPrefix(n.text, "-> ")))
		}
	}
	d.flush(name, arrow, &back)
}

func (d *diagram) flush(name, arrow string, back *[]string) {
	if len(*back) > 0 {
		d.line("    db%s%s: %s", arrow, name, breakMermaid(strings.Join(*back, "\n")))
	}
	*back = nil
}

func (d *diagram) note(over, text string) { d.line("    Note over %s: %s", over, breakMermaid(text)) }

// breakMermaid breaks long lines and escapes each.
func breakMermaid(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, part := range fold(line, diagramColumns) {
			lines = append(lines, escapeMermaid(strings.TrimSpace(part)))
		}
	}
	return strings.Join(lines, "<br/>")
}

// escapeMermaid spells the characters that mean something to Mermaid, or to the
// HTML that it makes, as its entity codes.
func escapeMermaid(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("#;<>&\"%{}`\\$[]|", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return " "
	}
	return b.String()
}
