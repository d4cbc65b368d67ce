// Package graph draws a compiled program: tables with their foreign keys, state
// machines with their guards, and which operation locks what in which order.
//
// [Tables], [States] and [Locks] make a [Graph] of a program: boxes, arrows and
// frames, without places. [Graph.Mermaid] and [Graph.DOT] spell it for programs
// that place things themselves; [Graph.SVG] places them with the layout in
// layout.go, so that a picture needs no other program. The layout is ours because
// the ones to import are either a compiled Graphviz or a JavaScript engine, each
// many times the size of pawl, and because a few hundred lines do for boxes that
// mostly form trees. Equal programs give equal bytes.
package graph

// Graph is boxes and arrows, in an order that depends on the program alone.
type Graph struct {
	Name   string // of the subject: tables
	Frames []Frame
	Nodes  []Node
	Edges  []Edge
}

// Frame is a named group of nodes.
type Frame struct{ Title string }

// Shape is the form of a node.
type Shape string

// The shapes.
const (
	Box   Shape = "box"   // a table, an operation
	Round Shape = "round" // a state
	Final Shape = "final" // a state that may be the last
	Start Shape = "start" // where a row comes into being: a dot without text
	Lock  Shape = "lock"  // something that is locked
)

// Node is a box.
type Node struct {
	Frame int // index in Graph.Frames; -1 for none
	Shape Shape
	Title string
	Lines []string // below the title
}

// Edge is an arrow between two nodes, which may be one and the same.
type Edge struct {
	From, To int      // indexes in Graph.Nodes
	Lines    []string // its label
}

// node adds a node and returns its index.
func (g *Graph) node(n Node) int {
	g.Nodes = append(g.Nodes, n)
	return len(g.Nodes) - 1
}

func (g *Graph) edge(from, to int, lines ...string) {
	g.Edges = append(g.Edges, Edge{From: from, To: to, Lines: lines})
}
