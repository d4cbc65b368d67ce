package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// mermaidShapes frame the text of a node.
var mermaidShapes = map[Shape][2]string{
	Box:   {`["`, `"]`},
	Round: {`("`, `")`},
	Final: {`(["`, `"])`},
	Start: {`(("`, `"))`},
	Lock:  {`{{"`, `"}}`},
}

// Mermaid spells the graph in Mermaid's language, as a flowchart. Its diagrams of
// states and of entities take no label with an arbitrary sign in it, and guards and
// names have such.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	g.mermaidNodes(&b, "  ", -1)
	for f, frame := range g.Frames {
		fmt.Fprintf(&b, "  subgraph f%d[\"%s\"]\n", f, mermaidText(frame.Title))
		g.mermaidNodes(&b, "    ", f)
		b.WriteString("  end\n")
	}
	for _, e := range g.Edges {
		label := ""
		if len(e.Lines) > 0 {
			label = `|"` + mermaidLines(e.Lines) + `"|`
		}
		fmt.Fprintf(&b, "  n%d -->%s n%d\n", e.From, label, e.To)
	}
	return b.String()
}

func (g *Graph) mermaidNodes(b *strings.Builder, indent string, frame int) {
	for i, n := range g.Nodes {
		if n.Frame != frame {
			continue
		}
		text := mermaidText(n.Title)
		if len(n.Lines) > 0 {
			text = "<b>" + text + "</b><br/>" + mermaidLines(n.Lines)
		}
		if n.Shape == Start {
			text = " " // an empty text is refused
		}
		shape := mermaidShapes[n.Shape]
		fmt.Fprintf(b, "%sn%d%s%s%s\n", indent, i, shape[0], text, shape[1])
	}
}

func mermaidLines(lines []string) string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = mermaidText(line)
	}
	return strings.Join(texts, "<br/>")
}

// mermaidText spells a text so that nothing in it is Mermaid: every sign of ASCII
// that could be is written as an entity. What has no form there becomes a space.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r > 0x7f, r == ' ', '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', strings.ContainsRune("_.,-+/()='", r):
			b.WriteRune(r)
		default:
			b.WriteString("#" + strconv.Itoa(int(r)) + ";")
		}
	}
	return b.String()
}
