package graph

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// States draws each state machine in a frame: an arrow a move, with what must hold
// for it in brackets.
func States(p *ir.Program) *Graph {
	g := &Graph{Name: "states"}
	for _, invariant := range p.Invariants {
		if t, ok := invariant.(*ir.Transitions); ok {
			g.machine(p, t)
		}
	}
	return g
}

func (g *Graph) machine(p *ir.Program, t *ir.Transitions) {
	frame := len(g.Frames)
	g.Frames = append(g.Frames, Frame{Title: tableName(p, t.Base.Table.Schema, t.Base.Table.Name) + "." + t.Column})
	start := -1
	if len(t.Initial) > 0 {
		start = g.node(Node{Frame: frame, Shape: Start})
	}
	at := map[string]int{}
	for _, state := range t.States {
		shape := Round
		if slices.Contains(t.Final, state) {
			shape = Final
		}
		at[state] = g.node(Node{Frame: frame, Shape: shape, Title: state})
	}
	for _, state := range t.Initial {
		g.edge(start, at[state])
	}
	for _, move := range t.Moves {
		for _, from := range move.From {
			g.edge(at[from], at[move.To], moveLines(move)...)
		}
	}
}

// moveLines are a move's name and its conditions.
func moveLines(move ir.Move) []string {
	lines := []string{move.Name}
	if move.Guard != "" {
		lines = append(lines, "["+move.Guard+"]")
	}
	for _, check := range move.Checks {
		lines = append(lines, "["+check.Expr+"]")
	}
	return lines
}
