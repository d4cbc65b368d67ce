package graph

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// subjects are what can be drawn.
var subjects = map[string]func(*ir.Program) *Graph{"tables": Tables, "states": States, "locks": Locks}

// compile compiles the project that a file stands in.
func compile(t *testing.T, file string) *ir.Program {
	t.Helper()
	spec, list := dsl.Load(os.DirFS(filepath.Dir(file)), dsl.Options{})
	if list.HasErrors() {
		t.Fatalf("%s: %+v", file, list)
	}
	program, list := compiler.Compile(spec)
	if list.HasErrors() {
		t.Fatalf("%s: %+v", file, list)
	}
	return program
}

// eachGraph calls test with every graph of every spec that there is.
func eachGraph(t *testing.T, test func(*testing.T, *Graph)) {
	t.Helper()
	cases, err := filepath.Glob("../testdata/cases/*/spec.hcl")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range append(cases, "../examples/seats/seats.hcl", "testdata/ugly.hcl") {
		program := compile(t, file)
		for name, draw := range subjects {
			t.Run(filepath.Base(filepath.Dir(file))+"/"+name, func(t *testing.T) { test(t, draw(program)) })
		}
	}
}

// TestGolden holds the pictures of the example, to be read and looked at.
func TestGolden(t *testing.T) {
	program := compile(t, "../examples/seats/seats.hcl")
	for name, draw := range subjects {
		g := draw(program)
		for ending, text := range map[string]string{"mmd": g.Mermaid(), "dot": g.DOT(), "svg": g.SVG()} {
			file := filepath.Join("testdata", name+"."+ending)
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		}
	}
}

// TestLocksInOrder looks at operations whose locks follow from what PostgreSQL does.
func TestLocksInOrder(t *testing.T) {
	g := Locks(compile(t, "../examples/seats/seats.hcl"))
	for _, c := range []struct {
		table, operation string
		want             []string
	}{
		{"bookings", "insert", []string{
			"1. advisory: advisory lock of bookings per room_id", "2. FOR KEY SHARE: rows of customers", "3. FOR KEY SHARE: rows of rooms",
		}},
		{"bookings", "confirm", []string{"1. FOR NO KEY UPDATE: rows of bookings", "2. advisory: advisory lock of bookings per room_id"}},
		{"seats", "book", []string{"1. FOR NO KEY UPDATE: rows of seats", "2. FOR KEY SHARE: rows of customers"}},
		{"rooms", "reprice", []string{"FOR NO KEY UPDATE: rows of rooms"}},
		{"rooms", "rename", []string{"FOR UPDATE: rows of rooms"}},
		{"rooms", "delete", []string{"1. FOR UPDATE: rows of rooms", "2. FOR KEY SHARE: rows of bookings"}},
		{"rooms", "get", nil},
		{"tasks", "claim", []string{"FOR UPDATE SKIP LOCKED: rows of tasks"}},
		{"outbox_relay", "run", []string{"advisory: advisory lock (4201, 1)"}},
	} {
		if diff := cmp.Diff(c.want, locksOf(g, c.table, c.operation)); diff != "" {
			t.Errorf("%s.%s (-want +got):\n%s", c.table, c.operation, diff)
		}
	}
}

func locksOf(g *Graph, table, operation string) []string {
	var found []string
	for _, e := range g.Edges {
		from := g.Nodes[e.From]
		for _, line := range from.Lines {
			if from.Title == table && line == operation {
				found = append(found, e.Lines[0]+": "+g.Nodes[e.To].Title)
			}
		}
	}
	return found
}
