package graph

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDOTParses reads the text with a parser of the language's grammar and finds
// the same boxes, frames, arrows and labels in it.
func TestDOTParses(t *testing.T) {
	eachGraph(t, func(t *testing.T, g *Graph) {
		text := g.DOT()
		got, err := parseDOT(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(plainDOT(g), got); diff != "" {
			t.Errorf("(-want +got):\n%s\nof\n%s", diff, text)
		}
	})
}

// dotFile is what a DOT text says.
type dotFile struct {
	Nodes  map[string]string // labels
	Frames map[string]string // titles of the frames of nodes
	Edges  []string
}

// plainDOT is what the text of a graph should say.
func plainDOT(g *Graph) *dotFile {
	d := &dotFile{Nodes: map[string]string{}, Frames: map[string]string{}}
	for i, n := range g.Nodes {
		name := fmt.Sprintf("n%d", i)
		d.Nodes[name] = n.Title
		if len(n.Lines) > 0 {
			d.Nodes[name] = strings.Join(append([]string{n.Title, ""}, n.Lines...), "\n") + "\n"
		}
		if n.Frame >= 0 {
			d.Frames[name] = g.Frames[n.Frame].Title
		}
	}
	for _, e := range g.Edges {
		label := ""
		for _, line := range e.Lines {
			label += line + "\n"
		}
		d.Edges = append(d.Edges, fmt.Sprintf("n%d -> n%d: %s", e.From, e.To, label))
	}
	return d
}

var dotToken = regexp.MustCompile(`^(?:[A-Za-z_][A-Za-z_0-9]*|[0-9]+(?:\.[0-9]+)?|"(?:[^"\\]|\\.)*"|->|[{}\[\];=,])`)

// dotParser is a recursive descent over Graphviz's grammar of digraphs.
type dotParser struct {
	tokens []string
	file   *dotFile
}

func parseDOT(text string) (*dotFile, error) {
	p := &dotParser{file: &dotFile{Nodes: map[string]string{}, Frames: map[string]string{}}}
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		token := dotToken.FindString(rest)
		if token == "" {
			return nil, fmt.Errorf("no token at %.20q", rest)
		}
		p.tokens = append(p.tokens, token)
		rest = rest[len(token):]
	}
	if p.next() != "digraph" {
		return nil, errors.New("no digraph")
	}
	p.next()
	if _, err := p.body(); err != nil {
		return nil, err
	}
	if len(p.tokens) > 0 {
		return nil, errors.New("text behind the graph")
	}
	return p.file, nil
}

func (p *dotParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *dotParser) next() string {
	token := p.peek()
	if token != "" {
		p.tokens = p.tokens[1:]
	}
	return token
}

// body reads { statements } and returns the nodes in it.
func (p *dotParser) body() ([]string, error) {
	if p.next() != "{" {
		return nil, errors.New("no {")
	}
	var nodes []string
	title := ""
	for p.peek() != "}" {
		id := p.next()
		switch {
		case id == "":
			return nil, errors.New("no }")
		case id == "subgraph":
			p.next()
			if _, err := p.body(); err != nil {
				return nil, err
			}
			continue
		case p.peek() == "=":
			p.next()
			if value := p.next(); id == "label" {
				title = unquoteDOT(value)
			}
		case p.peek() == "->":
			p.next()
			to := p.next()
			attributes, err := p.attributes()
			if err != nil {
				return nil, err
			}
			p.file.Edges = append(p.file.Edges, id+" -> "+to+": "+attributes["label"])
		default:
			attributes, err := p.attributes()
			if err != nil {
				return nil, err
			}
			if id != "node" && id != "edge" {
				nodes = append(nodes, id)
				p.file.Nodes[id] = attributes["label"]
			}
		}
		if p.next() != ";" {
			return nil, fmt.Errorf("no ; behind %s", id)
		}
	}
	p.next()
	if title != "" {
		for _, n := range nodes {
			p.file.Frames[n] = title
		}
	}
	return nodes, nil
}

func (p *dotParser) attributes() (map[string]string, error) {
	all := map[string]string{}
	if p.peek() != "[" {
		return all, nil
	}
	p.next()
	for p.peek() != "]" {
		name := p.next()
		if name == "" || p.next() != "=" {
			return nil, errors.New("no attribute")
		}
		maps.Copy(all, map[string]string{name: unquoteDOT(p.next())})
		if p.peek() == "," {
			p.next()
		}
	}
	p.next()
	return all, nil
}

// unquoteDOT reads a string as Graphviz does a label: \l and \n end lines.
func unquoteDOT(token string) string {
	token = strings.TrimSuffix(strings.TrimPrefix(token, `"`), `"`)
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\l`, "\n", `\n`, "\n").Replace(token)
}
