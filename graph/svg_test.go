package graph

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestSVGIsXML reads the picture as XML and finds every text of the graph in it.
func TestSVGIsXML(t *testing.T) {
	eachGraph(t, func(t *testing.T, g *Graph) {
		texts := textsIn(t, g.SVG())
		var want []string
		for _, f := range g.Frames {
			want = append(want, f.Title)
		}
		for _, n := range g.Nodes {
			if n.Shape != Start {
				want = append(append(want, n.Title), n.Lines...)
			}
		}
		for _, e := range g.Edges {
			want = append(want, wrapped(e.Lines)...)
		}
		for _, text := range want {
			if texts[text] == 0 {
				t.Errorf("the picture does not say %q", text)
			}
			texts[text]--
		}
	})
}

func textsIn(t *testing.T, svg string) map[string]int {
	t.Helper()
	texts := map[string]int{}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		var text struct {
			Value string `xml:",chardata"`
		}
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			if err := decoder.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			texts[text.Value]++
		}
	}
}

// TestNothingOverlaps: no box or label lies on another, and all lie in the picture.
func TestNothingOverlaps(t *testing.T) {
	eachGraph(t, func(t *testing.T, g *Graph) {
		parts := g.parts()
		whole := pack(parts)
		var boxes []cell
		for _, p := range parts {
			at := p.inside()
			for _, c := range p.sheet.cells {
				c.x, c.y = c.x+at.x, c.y+at.y
				boxes = append(boxes, c)
			}
		}
		for i, a := range boxes {
			if a.x < 0 || a.y < 0 || a.x+a.w > whole.w || a.y+a.h > whole.h {
				t.Errorf("%+v lies outside of %+v", a, whole)
			}
			for _, b := range boxes[:i] {
				if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
					t.Errorf("%+v and %+v overlap", a.place, b.place)
				}
			}
		}
	})
}

// TestLargeGraph: a thousand tables in chains and cycles, and none at all.
func TestLargeGraph(t *testing.T) {
	g := &Graph{Name: "large"}
	for i := range 1000 {
		g.node(Node{Frame: -1, Shape: Box, Title: fmt.Sprintf("t%d", i), Lines: []string{"id bigint"}})
	}
	for i := range 1000 {
		g.edge(i, i/3, "a")
		if i%50 == 0 {
			g.edge(i/3, i, "b") // a cycle
		}
	}
	picture := g.SVG()
	if texts := textsIn(t, picture); texts["t999"] != 1 || texts["a"] != 1000 {
		t.Errorf("found %d and %d", texts["t999"], texts["a"])
	}
	if picture != g.SVG() {
		t.Error("the picture is not the same twice")
	}
	empty := &Graph{Name: "empty"}
	textsIn(t, empty.SVG())
	if _, err := parseDOT(empty.DOT()); err != nil {
		t.Error(err)
	}
}
