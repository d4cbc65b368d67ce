package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The grammar of the flowcharts that we write, a line a production. A text is
// letters, signs that Mermaid gives no meaning inside quotes, entities and breaks.
const mermaidGrammarText = `((?:[^\x00-\x7f]|[A-Za-z0-9 _.,+/()='-]|#[0-9]+;|<b>|</b>|<br/>)+)`

var (
	mermaidNode = regexp.MustCompile(`^ +n(\d+)(?:\["` + mermaidGrammarText + `"\]|\("` + mermaidGrammarText + `"\)|\(\["` + mermaidGrammarText +
		`"\]\)|\(\("` + mermaidGrammarText + `"\)\)|\{\{"` + mermaidGrammarText + `"\}\})$`)
	mermaidEdge  = regexp.MustCompile(`^ +n(\d+) -->(?:\|"` + mermaidGrammarText + `"\|)? n(\d+)$`)
	mermaidFrame = regexp.MustCompile(`^ +subgraph f(\d+)\["` + mermaidGrammarText + `"\]$`)
	entity       = regexp.MustCompile(`#(\d+);`)
)

// TestMermaidParses reads the text with that grammar and finds the same graph.
func TestMermaidParses(t *testing.T) {
	eachGraph(t, func(t *testing.T, g *Graph) {
		text := g.Mermaid()
		got, err := parseMermaid(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(plainMermaid(g), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// mermaidFile is what a text says, a line a thing.
type mermaidFile struct{ Nodes, Edges map[string]string }

func plainMermaid(g *Graph) mermaidFile {
	m := mermaidFile{map[string]string{}, map[string]string{}}
	for i, n := range g.Nodes {
		title := n.Title
		if n.Shape == Start {
			title = " "
		}
		frame := ""
		if n.Frame >= 0 {
			frame = g.Frames[n.Frame].Title
		}
		m.Nodes[strconv.Itoa(i)] = frame + ": " + strings.Join(append([]string{title}, n.Lines...), "\n")
	}
	for i, e := range g.Edges {
		m.Edges[strconv.Itoa(i)] = fmt.Sprintf("%d %d %s", e.From, e.To, strings.Join(e.Lines, "\n"))
	}
	return m
}

func parseMermaid(text string) (mermaidFile, error) {
	m := mermaidFile{map[string]string{}, map[string]string{}}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "flowchart LR" {
		return m, fmt.Errorf("no flowchart: %s", lines[0])
	}
	frame, open := "", false
	for _, line := range lines[1:] {
		node, edge, subgraph := mermaidNode.FindStringSubmatch(line), mermaidEdge.FindStringSubmatch(line), mermaidFrame.FindStringSubmatch(line)
		switch {
		case node != nil:
			m.Nodes[node[1]] = frame + ": " + mermaidReads(strings.Join(node[2:], ""))
		case edge != nil:
			m.Edges[strconv.Itoa(len(m.Edges))] = edge[1] + " " + edge[3] + " " + mermaidReads(edge[2])
		case subgraph != nil && !open:
			frame, open = mermaidReads(subgraph[2]), true
		case strings.TrimSpace(line) == "end" && open:
			frame, open = "", false
		default:
			return m, fmt.Errorf("no production takes %q", line)
		}
	}
	if open {
		return m, fmt.Errorf("a subgraph is not closed")
	}
	return m, nil
}

// mermaidReads is a text as Mermaid shows it.
func mermaidReads(text string) string {
	text = strings.NewReplacer("<b>", "", "</b>", "", "<br/>", "\n").Replace(text)
	return entity.ReplaceAllStringFunc(text, func(e string) string {
		n, err := strconv.Atoi(strings.Trim(e, "#;"))
		if err != nil {
			return "?"
		}
		return string(rune(n))
	})
}
