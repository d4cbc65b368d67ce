package graph

import (
	"fmt"
	"strings"
)

// dotShapes spells the shapes in Graphviz's language.
var dotShapes = map[Shape]string{
	Box:   `shape=box`,
	Round: `shape=box, style=rounded`,
	Final: `shape=box, style=rounded, peripheries=2`,
	Start: `shape=point, width=0.15`,
	Lock:  `shape=hexagon`,
}

// DOT spells the graph in Graphviz's language.
func (g *Graph) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n", dotLabel([]string{g.Name}, ""))
	g.dotNodes(&b, "  ", -1)
	for f, frame := range g.Frames {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", f, dotLabel([]string{frame.Title}, ""))
		g.dotNodes(&b, "    ", f)
		b.WriteString("  }\n")
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  n%d -> n%d", e.From, e.To)
		if len(e.Lines) > 0 {
			fmt.Fprintf(&b, " [label=%s]", dotLabel(e.Lines, `\n`))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *Graph) dotNodes(b *strings.Builder, indent string, frame int) {
	for i, n := range g.Nodes {
		if n.Frame != frame {
			continue
		}
		label := dotLabel([]string{n.Title}, "")
		if len(n.Lines) > 0 {
			label = dotLabel(append([]string{n.Title, ""}, n.Lines...), `\l`)
		}
		fmt.Fprintf(b, "%sn%d [%s, label=%s];\n", indent, i, dotShapes[n.Shape], label)
	}
}

// dotLabel is a quoted label of lines, each closed with end: \l sets a line to the
// left, \n in the middle.
func dotLabel(lines []string, end string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, line := range lines {
		b.WriteString(dotEscapes.Replace(line) + end)
	}
	b.WriteByte('"')
	return b.String()
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ", "\x00", " ")
