package view

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// saying is what commands say, by the name of its golden files.
var saying = map[string]func(View){
	"version": func(v View) {
		v.Version(Version{Version: "v1.2.3", Commit: "0123abc", Go: "go1.26", Platform: "linux/amd64"})
	},
	"validate": func(v View) {
		v.Validated(Validated{Project: "shop", Tables: 1, Queues: 2, Invariants: 3, Operations: 4})
	},
	"fixed":     func(v View) { v.Fixed(Fixed{File: "a.hcl", Line: 3, From: "colum", To: "column"}) },
	"fmt":       func(v View) { v.Formatted(Formatted{Changed: []string{"a.hcl"}, Unchanged: 2}) },
	"fmt-check": func(v View) { v.Formatted(Formatted{Check: true, Changed: []string{"a.hcl"}, Unchanged: 2}) },
	"fmt-clean": func(v View) { v.Formatted(Formatted{Unchanged: 3}) },
	"fmt-diff": func(v View) {
		v.Formatted(Formatted{Differ: true, Changed: []string{"a.hcl"}, Diffs: []string{"diff a/a.hcl b/a.hcl\n-a=1\n+a = 1\n"}})
	},
	"fmt-text": func(v View) {
		text := "a = \"<%s>\"\n"
		v.Formatted(Formatted{Changed: []string{"<stdin>"}, Text: &text})
	},
	"init": func(v View) {
		v.Initialized(Initialized{Project: "shop", Dir: "my shop", Files: []string{"my shop/pawl.hcl", "my shop/go.mod"}})
	},
	"init-here": func(v View) { v.Initialized(Initialized{Project: "shop", Dir: ".", Files: []string{"pawl.hcl"}}) },
	"graph": func(v View) {
		v.Graphed(Graph{Subject: "tables", Form: "dot", Text: "digraph tables {\n}\n"})
	},
	"findings": func(v View) {
		v.Diagnostics(diag.List{
			{
				Code: diag.UnknownColumn, Label: "no such column", Help: "columns = [name]",
				Subject: hcl.Range{Filename: "a.hcl", Start: hcl.Pos{Line: 1, Column: 1, Byte: 0}, End: hcl.Pos{Line: 1, Column: 6, Byte: 5}},
			},
			{Severity: diag.Warning, Code: diag.DiscouragedType, Detail: "money depends on the server's locale."},
		}, diag.Files{"a.hcl": []byte("table \"t\" {}\n")})
	},
	"failure": func(v View) { v.Failure(Failure{Text: "there is no terminal to ask on", Help: "give --yes"}) },
	"bug":     func(v View) { v.Bug(diag.Bug{Message: "nil map", Version: "v1.2.3", Stack: "goroutine 1\n"}) },
	"outage": func(v View) {
		v.Outage(diag.Outage{Target: "app@db:5432/shop", Reason: "connection refused", Help: "is it running?"})
	},
	"generate": func(v View) {
		v.Generated(Generated{Missing: []string{"a_gen.go"}, Changed: []string{"b_gen.go"}, Stale: []string{"c_gen.go"}, Unchanged: 4})
	},
	"generate-check": func(v View) {
		v.Generated(Generated{Check: true, Changed: []string{"b_gen.go"}})
	},
	"plan": func(v View) { v.Planned(somePlan) },
	"apply": func(v View) {
		v.Planned(Plan{Database: "app@db:5432/shop", Steps: []Step{{Number: 1, Title: "create schema app"}}})
		v.Progress("connecting …")
		v.StepDone(StepDone{Number: 1, Of: 1, Title: "create schema app", Address: "pawl", Seconds: 0.25})
		v.Applied(Applied{Database: "app@db:5432/shop", Steps: 1, Seconds: 0.5})
	},
	"code": func(v View) {
		v.CodeExplained(diag.Entry{Code: "some-code", Summary: "a summary", Explain: "One.\n\nTwo.", Example: "table \"t\" {}\n"})
	},
	"explain":        func(v View) { v.Explained(someExplanation) },
	"verify":         func(v View) { v.Verified(Verified{Report: reporttest.Mixed()}) },
	"verify-holds":   func(v View) { v.Verified(Verified{Report: reporttest.Holding(), Mutants: true}) },
	"verify-replay":  func(v View) { c := reporttest.Booked(); v.Replayed(&c) },
	"verify-nothing": func(v View) { v.Verified(Verified{Report: &verify.Report{Project: "empty", Sessions: 2}}) },
	"verify-list": func(v View) {
		v.Verifiable(Verifiable{Project: "shop", Subjects: []VerifiableSubject{
			{Address: "queue.tasks", Checks: []VerifiableCheck{{ID: "queue.tasks/claim-claim", Name: "two workers claim one task", Mutants: []string{"without-lock"}}}},
			{Address: "table.rooms"},
		}})
	},
	"verify-mermaid": func(v View) {
		v.Diagrams([]string{"sequenceDiagram\n    a->>b: c\n", "sequenceDiagram\n    d->>e: f\n"})
	},
}

var someExplanation = Explanation{
	Address: "table.rooms.no_duplicates.name", Kind: "no_duplicates", Source: "shop.hcl:7",
	Promise: "No two rows of rooms have the same name.", Mechanism: "UNIQUE (name)",
	Reasons: []Reason{{"unique constraint", "the key is plain columns"}},
	DDL:     []string{"ALTER TABLE rooms ADD CONSTRAINT rooms_name UNIQUE (name);"},
	Methods: []Method{{
		Address: "table.rooms.insert", Signature: "(r Rooms) Insert(ctx context.Context, in RoomInsert) (Room, error)",
		Doc: "inserts one row.", Lock: "none", Isolation: "read committed", Transaction: "default",
		Reasons: []Reason{{"unique constraint", "the key is plain columns"}, {"explicit columns", "plans stay valid"}},
		Errors:  []string{"rooms_name"}, Statements: []Statement{{"main", "/* table.rooms.insert */ INSERT INTO rooms (name)\nVALUES ($1::text)"}},
	}},
	Errors:    []Error{{"ErrRoomsName", "duplicate", "23505", "rooms_name", "another row has the same name"}},
	Violators: "SELECT name FROM rooms GROUP BY 1 HAVING count(*) > 1",
}

// TestGolden holds the forms of everything that commands say. The JSON is a
// promise to programs: a change of it is a change of FormatVersion, unless it
// adds a field.
func TestGolden(t *testing.T) {
	made := map[string]bool{}
	for name, say := range saying {
		for form, view := range map[string]func(Streams) View{"txt": NewHuman, "json": NewJSON, "github": NewGitHub} {
			file := filepath.Join("testdata", name+"."+form)
			made[file] = true
			got := show(t, view, Streams{}, say)
			text := got.Out
			if form != "json" {
				text = "-- stdout --\n" + got.Out + "-- stderr --\n" + got.Err
			}
			compareGolden(t, file, text)
		}
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !made[file] {
			t.Errorf("%s belongs to nothing", file)
		}
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
