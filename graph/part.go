package graph

import "math"

// part is a piece of the graph that is drawn by itself: a frame, or boxes that
// arrows connect.
type part struct {
	title  string // of the frame; empty for none
	nodes  []int
	labels [][]string // of the arrows, in lines that are short enough
	place
	size
	sheet *sheet
}

// Distances, in pixels.
const (
	margin  = 16.0 // around the picture, and inside a frame
	partGap = 32.0
)

// parts are the frames, and what is connected outside of them.
func (g *Graph) parts() []*part {
	group := g.groups()
	var list []*part
	at := map[int]*part{}
	index := make([]int, len(g.Nodes)) // of a node in its part
	for i, n := range g.Nodes {
		p := at[group[i]]
		if p == nil {
			p = &part{}
			if n.Frame >= 0 {
				p.title = g.Frames[n.Frame].Title
			}
			at[group[i]] = p
			list = append(list, p)
		}
		index[i] = len(p.nodes)
		p.nodes = append(p.nodes, i)
	}
	links := map[*part][]link{}
	for _, e := range g.Edges {
		p := at[group[e.From]]
		lines := wrapped(e.Lines)
		p.labels = append(p.labels, lines)
		links[p] = append(links[p], link{index[e.From], index[e.To], labelSize(lines)})
	}
	for _, p := range list {
		p.arrange(g, links[p])
	}
	return list
}

// groups numbers the parts: nodes of one frame have one number, and nodes outside
// of frames that arrows connect.
func (g *Graph) groups() []int {
	group := make([]int, len(g.Nodes))
	for i := range group {
		group[i] = i
	}
	root := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	first := map[int]int{}
	for i, n := range g.Nodes {
		if n.Frame < 0 {
			continue
		}
		if f, known := first[n.Frame]; known {
			group[root(i)] = root(f)
		} else {
			first[n.Frame] = i
		}
	}
	for _, e := range g.Edges {
		group[root(e.From)] = root(e.To)
	}
	for i := range group {
		group[i] = root(i)
	}
	return group
}

// arrange lays the part out and measures it.
func (p *part) arrange(g *Graph, links []link) {
	boxes := make([]size, len(p.nodes))
	for i, n := range p.nodes {
		boxes[i] = g.Nodes[n].size()
	}
	p.sheet = arrange(boxes, links)
	p.size = p.sheet.extent()
	if p.title != "" {
		p.w = max(p.w, textWidth(p.title)) + 2*margin
		p.h += 2*margin + lineHeight
	}
}

// inside is where the sheet of a part begins.
func (p *part) inside() place {
	if p.title == "" {
		return p.place
	}
	return place{p.x + margin, p.y + margin + lineHeight}
}

// pack places the parts in rows, about as wide in all as they are high.
func pack(parts []*part) size {
	area, width := 0.0, 0.0
	for _, p := range parts {
		area += (p.w + partGap) * (p.h + partGap)
		width = max(width, p.w)
	}
	width = max(width, math.Sqrt(area)*1.3)
	whole := size{2 * margin, 2 * margin}
	x, y, row := margin, margin, 0.0
	for _, p := range parts {
		if x > margin && x+p.w > width+margin {
			x, y, row = margin, y+row+partGap, 0
		}
		p.place = place{x, y}
		x += p.w + partGap
		row = max(row, p.h)
		whole = size{max(whole.w, p.x+p.w+margin), max(whole.h, p.y+p.h+margin)}
	}
	return whole
}
