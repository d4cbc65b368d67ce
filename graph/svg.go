package graph

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Measures of text, in pixels. The font is one of equal widths, so that a text can
// be measured without it.
const (
	charWidth  = 7.3
	lineHeight = 16.0
	padding    = 8.0
	longest    = 44 // characters in a line of a label
)

const svgStyle = `
  text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1b1f24; white-space: pre; }
  .title { font-weight: bold; }
  .label { fill: #57606a; }
  .back { fill: #ffffff; }
  .box { fill: #ffffff; stroke: #57606a; }
  .lock { fill: #fff8e6; stroke: #9a6700; }
  .state { fill: #eef6ff; stroke: #0969da; }
  .frame { fill: #f6f8fa; stroke: #d0d7de; }
  .frame-label { fill: #f6f8fa; }
  .rule { stroke: #d0d7de; }
  .dot { fill: #1b1f24; }
  .arrow { fill: none; stroke: #57606a; }
  .head { fill: #57606a; }
`

// SVG draws the graph. The picture needs nothing beside it: no script, no font.
func (g *Graph) SVG() string {
	parts := g.parts()
	whole := pack(parts)
	d := &drawing{}
	d.line(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img">`, whole.w, whole.h, whole.w, whole.h)
	d.line("<title>%s</title>", escapeXML(g.Name))
	d.line("<style>%s</style>", svgStyle)
	d.line(`<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>`)
	d.line(`<rect class="back" width="100%%" height="100%%"/>`)
	for _, p := range parts {
		d.part(g, p)
	}
	d.line("</svg>")
	return d.String()
}

// drawing is an SVG in the making.
type drawing struct{ strings.Builder }

func (d *drawing) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) text(x, y float64, class, text string) {
	d.line(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y+lineHeight*0.75, escapeXML(text))
}

func (d *drawing) part(g *Graph, p *part) {
	back := "back"
	if p.title != "" {
		back = "frame-label"
		d.line(`<rect class="frame" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`, p.x, p.y, p.w, p.h)
		d.text(p.x+margin, p.y+margin/2, "title", p.title)
	}
	at := p.inside()
	d.line(`<g transform="translate(%.1f,%.1f)">`, at.x, at.y)
	heights := spread(p.sheet)
	for i, r := range p.sheet.routes {
		if r.loop {
			d.loop(p.sheet, r, heights.leave[i], heights.reach[i])
		} else {
			d.arrow(p.sheet, r, heights.leave[i], heights.reach[i])
		}
	}
	for i, r := range p.sheet.routes {
		if r.label >= 0 {
			d.label(&p.sheet.cells[r.label], back, p.labels[i])
		}
	}
	for i, n := range p.nodes {
		d.node(&g.Nodes[n], &p.sheet.cells[i])
	}
	d.line("</g>")
}

// arrow draws a line through the cells of a route, from one height at its left box
// to another at its right one. It bends between columns alone: within one it might
// run behind a wider box.
func (d *drawing) arrow(s *sheet, r route, leave, reach float64) {
	first, last := r.chain[0], r.chain[len(r.chain)-1]
	y := leave
	x := s.spans[s.cells[first].column].right
	path := fmt.Sprintf("M%.1f,%.1f H%.1f", s.cells[first].x+s.cells[first].w, y, x)
	for _, c := range r.chain[1:] {
		cell := &s.cells[c]
		column, next := s.spans[cell.column], cell.middle()
		if c == last {
			next = reach
		}
		half := (x + column.left) / 2
		path += fmt.Sprintf(" C%.1f,%.1f %.1f,%.1f %.1f,%.1f", half, y, half, next, column.left, next)
		x, y = column.right, next
		if c == last {
			x = cell.x
		}
		path += fmt.Sprintf(" H%.1f", x)
	}
	head := `marker-end="url(#head)"`
	if r.turned {
		head = `marker-start="url(#head)"`
	}
	d.line(`<path class="arrow" d="%s" %s/>`, path, head)
}

// loop draws an arrow to its label and back.
func (d *drawing) loop(s *sheet, r route, leave, reach float64) {
	box, label := &s.cells[r.chain[0]], &s.cells[r.chain[1]]
	right, left := s.spans[box.column].right, s.spans[label.column].left
	half, y := (right+left)/2, label.middle()
	d.line(`<path class="arrow" d="M%.1f,%.1f H%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f H%.1f"/>`,
		box.x+box.w, leave, right, half, leave, left, (leave+y)/2, left, y, label.x)
	d.line(`<path class="arrow" d="M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f H%.1f" marker-end="url(#head)"/>`,
		left, y, left, (reach+y)/2, half, reach, right, reach, box.x+box.w)
}

// label writes lines on a ground that hides the arrow below.
func (d *drawing) label(c *cell, back string, lines []string) {
	d.line(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, back, c.x, c.y, c.w, c.h)
	for i, line := range lines {
		d.text(c.x+padding/2, c.y+float64(i)*lineHeight, "label", line)
	}
}

func (d *drawing) node(n *Node, c *cell) {
	rect := func(class string, inset, radius float64) {
		d.line(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.0f"/>`,
			class, c.x+inset, c.y+inset, c.w-2*inset, c.h-2*inset, radius)
	}
	switch n.Shape {
	case Start:
		d.line(`<circle class="dot" cx="%.1f" cy="%.1f" r="%.1f"/>`, c.x+c.w/2, c.middle(), c.w/2)
		return
	case Round:
		rect("state", 0, 10)
	case Final:
		rect("state", 0, 10)
		rect("state", 3, 8)
	case Lock:
		rect("lock", 0, 0)
	case Box:
		rect("box", 0, 3)
	}
	d.text(c.x+padding, c.y+padding/2, "title", n.Title)
	if len(n.Lines) > 0 {
		y := c.y + padding + lineHeight
		d.line(`<line class="rule" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, c.x, y, c.x+c.w, y)
	}
	for i, line := range n.Lines {
		d.text(c.x+padding, c.y+padding*1.25+float64(i+1)*lineHeight, "", line)
	}
}

// size is how large a node is drawn.
func (n *Node) size() size {
	if n.Shape == Start {
		return size{12, 12}
	}
	width := textWidth(n.Title)
	for _, line := range n.Lines {
		width = max(width, textWidth(line))
	}
	s := size{width + 2*padding, lineHeight + padding}
	if len(n.Lines) > 0 {
		s.h += float64(len(n.Lines))*lineHeight + padding
	}
	return s
}

// labelSize is how large the label of an arrow is drawn.
func labelSize(lines []string) size {
	if len(lines) == 0 {
		return size{}
	}
	width := 0.0
	for _, line := range lines {
		width = max(width, textWidth(line))
	}
	return size{width + padding, float64(len(lines)) * lineHeight}
}

// wrapped breaks long lines between words.
func wrapped(lines []string) []string {
	var out []string
	for _, line := range lines {
		now := ""
		for _, word := range strings.Fields(line) {
			if now != "" && utf8.RuneCountInString(now)+1+utf8.RuneCountInString(word) > longest {
				out = append(out, now)
				now = " "
			}
			if now != "" && now != " " {
				now += " "
			}
			now += word
		}
		out = append(out, now)
	}
	return out
}

// textWidth is about how wide a text is: letters beyond Latin, Greek and Cyrillic
// may take two places.
func textWidth(text string) float64 {
	width := 0.0
	for _, r := range text {
		width += charWidth
		if r > 0x10ff {
			width += charWidth
		}
	}
	return width
}

// escapeXML is a text as XML has it; signs that XML has not become a question mark.
func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
