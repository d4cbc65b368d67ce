package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

// shown is what a view wrote.
type shown struct{ Out, Err string }

func show(t *testing.T, make func(Streams) View, s Streams, say func(View)) shown {
	t.Helper()
	var out, err bytes.Buffer
	s.Out, s.Err = &out, &err
	v := make(s)
	say(v)
	if err := v.Close(0); err != nil {
		t.Fatal(err)
	}
	return shown{out.String(), err.String()}
}

var somePlan = Plan{
	Database: "app@db:5432/shop",
	Changes: []Change{
		{Action: Add, Address: "table.rooms", Text: "create table app.rooms"},
		{Action: Add, Address: "table.bookings.no_overlap.one_per_room", Text: "add constraint bookings_one_per_room"},
		{Action: Remove, Address: "table.bookings.no_overlap.one_per_room", Text: "drop constraint bookings_old"},
		{Action: Alter, Address: "table.bookings.column.note", Text: "change column note: text → varchar(40)"},
		{Action: Replace, Address: "table.bookings.index.by_note", Text: "build index bookings_by_note anew"},
		{Action: Remove, Address: "table.gone", Text: "drop table app.gone"},
		{Action: Add, Address: "table.rooms", Text: "create index rooms_by_name"},
	},
	Steps: []Step{
		{
			Number: 1, Title: "create table app.rooms", SQL: []string{"CREATE TABLE app.rooms (\n  id bigint\n)"},
			Address: "table.rooms", Source: "shop.hcl:3", Why: "table.rooms asks for it", Transaction: 1,
		},
		{
			Number: 2, Title: "build index app.rooms_by_name", SQL: []string{"CREATE INDEX CONCURRENTLY rooms_by_name ON app.rooms (name)"},
			Table: "app.rooms", Lock: "SHARE UPDATE EXCLUSIVE", Blocks: "nothing", Scans: true, Rows: 1000, Bytes: 81920,
		},
		{
			Number: 3, Title: "change app.rooms.price", Table: "app.rooms", Lock: "ACCESS EXCLUSIVE", Blocks: "reads and writes",
			Rewrites: true, Rows: -1, Bytes: 100, Transaction: 2,
		},
	},
	Hazards: []Hazard{
		{Kind: "drop", Address: "table.gone", Text: "3 rows are lost", Allow: "drop=table.gone"},
		{Kind: "long-lock", Address: "table.bookings", Text: "writes wait while the constraint is built", Help: "do it at night", Allow: "long-lock", Allowed: true},
		{Kind: "weaker", Address: "table.rooms", Text: "a guarantee ends"},
	},
	Violations: []Violation{{Address: "table.rooms.check.floor", Text: "2 rows have a floor below 0", Count: 2, Samples: []string{`{"id":1}`, `{"id":2}`}}},
	Unmanaged:  []string{"table app.legacy"},
}

func TestHumanPlan(t *testing.T) {
	got := show(t, NewHuman, Streams{}, func(v View) { v.Planned(somePlan) })
	want := `+ table.rooms
    + create table app.rooms
    + create index rooms_by_name
~ table.bookings.no_overlap.one_per_room
    + add constraint bookings_one_per_room
    - drop constraint bookings_old
~ table.bookings.column.note
    ~ change column note: text → varchar(40)
~! table.bookings.index.by_note
    ~! build index bookings_by_note anew
- table.gone
    - drop table app.gone

Steps
   1. create table app.rooms
      no lock on a table; shop.hcl:3
   2. build index app.rooms_by_name
      SHARE UPDATE EXCLUSIVE on app.rooms, blocks nothing; reads about 1000 rows, 80.0 kB; outside of a transaction
   3. change app.rooms.price
      ACCESS EXCLUSIVE on app.rooms, blocks reads and writes; rewrites an unknown number of rows, 100 B

Hazards
  ! table.gone: 3 rows are lost
    needs --allow drop=table.gone
  ! table.bookings: writes wait while the constraint is built; do it at night
    allowed by --allow long-lock
  ! table.rooms: a guarantee ends

Rows that break new rules: apply would fail
  ! table.rooms.check.floor: 2 rows have a floor below 0
      {"id":1}
      {"id":2}

Not managed by pawl, left alone
  table app.legacy

Plan: 3 to add, 2 to change, 2 to drop; 3 steps.
`
	if diff := cmp.Diff(shown{Out: want}, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerbosePlanShowsTheSQL(t *testing.T) {
	got := show(t, NewHuman, Streams{Verbose: true}, func(v View) { v.Planned(somePlan) })
	for _, want := range []string{"table.rooms asks for it", "      CREATE TABLE app.rooms (\n        id bigint\n      );\n"} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("%q is missing in:\n%s", want, got.Out)
		}
	}
}

func TestEmptyPlan(t *testing.T) {
	got := show(t, NewHuman, Streams{}, func(v View) { v.Planned(Plan{}) })
	if diff := cmp.Diff(shown{Out: "No changes: the database is as the spec says.\n"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestColourChangesNoText(t *testing.T) {
	plain := show(t, NewHuman, Streams{}, func(v View) { v.Planned(somePlan) })
	coloured := show(t, NewHuman, Streams{OutColor: true}, func(v View) { v.Planned(somePlan) })
	if !strings.Contains(coloured.Out, green+"+"+reset) {
		t.Errorf("no colour in:\n%q", coloured.Out)
	}
	for _, style := range []string{bold, dim, red, green, yellow, reset} {
		coloured.Out = strings.ReplaceAll(coloured.Out, style, "")
	}
	if diff := cmp.Diff(plain, coloured); diff != "" {
		t.Error(diff)
	}
}

func TestGitHub(t *testing.T) {
	finding := diag.List{{Code: diag.UnknownColumn, Subject: hcl.Range{
		Filename: "a.hcl", Start: hcl.Pos{Line: 2, Column: 3, Byte: 9}, End: hcl.Pos{Line: 2, Column: 5, Byte: 11},
	}, Label: "no such column"}}
	got := show(t, NewGitHub, Streams{OutColor: true, ErrColor: true}, func(v View) {
		v.Diagnostics(finding, diag.Files{})
		v.Failure(Failure{Text: "100% wrong", Help: "do this"})
		v.Generated(Generated{Check: true, Missing: []string{"a,b.go"}, Stale: []string{"c.go"}})
		v.Planned(Plan{Hazards: []Hazard{{Address: "table.t", Text: "slow"}}})
	})
	for _, want := range []string{
		"::error file=a.hcl,line=2,endLine=2,col=3,endColumn=5,title=unknown-column::",
		"::error title=pawl::100%25 wrong%0Ahelp: do this\n",
		"::error file=a%2Cb.go,title=pawl generate::this file is missing: run pawl generate\n",
		"::error file=c.go,title=pawl generate::nothing generates this file any more: run pawl generate\n",
		"::group::pawl plan\n", "::endgroup::\n",
		"::warning title=hazard::table.t: slow\n",
		"::notice title=pawl plan::No changes",
	} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("%q is missing in:\n%s", want, got.Out)
		}
	}
	if strings.Contains(got.Out+got.Err, "\x1b[") {
		t.Errorf("colours in a log that GitHub parses:\n%q", got)
	}
}

func TestJSONIsOneDocumentWithoutNullArrays(t *testing.T) {
	for name, say := range map[string]func(View){
		"nothing":  func(View) {},
		"plan":     func(v View) { v.Planned(Plan{Steps: []Step{{}}}) },
		"generate": func(v View) { v.Generated(Generated{}) },
		"explain":  func(v View) { v.Explained(Explanation{Methods: []Method{{}}}) },
		"apply":    func(v View) { v.Applied(Applied{}) },
		"findings": func(v View) { v.Diagnostics(diag.List{{Code: diag.Syntax}}, nil) },
		"bug":      func(v View) { v.Bug(diag.Bug{Message: "m", Stack: "s"}) },
		"outage":   func(v View) { v.Outage(diag.Outage{Target: "db"}) },
		"verify": func(v View) {
			v.Verified(Verified{Report: &verify.Report{Subjects: []verify.Subject{{Checks: []verify.Check{{Mutants: []verify.Mutant{{}}}}}}}})
		},
		"replay": func(v View) {
			v.Replayed(&verify.Counterexample{Run: &explore.Run{Steps: []explore.Step{{}}, Violations: []explore.Violation{{}}}})
		},
		"diagrams":  func(v View) { v.Diagrams(nil) },
		"step done": func(v View) { v.StepDone(StepDone{Number: 1}) },
	} {
		t.Run(name, func(t *testing.T) {
			got := show(t, NewJSON, Streams{}, say)
			var doc map[string]any
			decoder := json.NewDecoder(strings.NewReader(got.Out))
			if err := decoder.Decode(&doc); err != nil || decoder.More() || got.Err != "" {
				t.Fatalf("not one document on stdout alone: %v\n%+v", err, got)
			}
			if doc["format_version"] != float64(FormatVersion) {
				t.Errorf("format_version is %v", doc["format_version"])
			}
			for _, array := range []string{
				"diagnostics", "changes", "steps", "hazards", "unmanaged", "violations", "samples", "sql", "changed", "missing", "stale", "reasons", "ddl",
				"methods", "invariants", "errors", "statements", "done", "related", "subjects", "checks", "clients", "counterexamples", "mutants", "diff",
				"ends", "args", "ahead", "waits_for", "columns", "rows", "diagrams", "outcomes",
			} {
				if strings.Contains(got.Out, `"`+array+`": null`) {
					t.Errorf("the array %s is null in:\n%s", array, got.Out)
				}
			}
		})
	}
}

func TestJSONKeepsEveryFinding(t *testing.T) {
	got := show(t, NewJSON, Streams{}, func(v View) {
		v.Diagnostics(diag.List{{Code: diag.Syntax}}, nil)
		v.Diagnostics(diag.List{{Code: diag.UnknownColumn}}, nil)
	})
	for _, code := range []diag.Code{diag.Syntax, diag.UnknownColumn} {
		if !strings.Contains(got.Out, string(code)) {
			t.Errorf("%s is missing in:\n%s", code, got.Out)
		}
	}
}

// A closed pipe must not pass for success.
func TestCloseReportsErrorsOfWriting(t *testing.T) {
	for name, make := range map[string]func(Streams) View{"human": NewHuman, "json": NewJSON, "github": NewGitHub} {
		v := make(Streams{Out: broken{}, Err: broken{}})
		v.Version(Version{Version: "1"})
		if err := v.Close(0); !errors.Is(err, errBroken) {
			t.Errorf("%s: Close = %v", name, err)
		}
	}
}

type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// A plan beside another artefact leaves stdout to that.
func TestPlanAside(t *testing.T) {
	plan := somePlan
	plan.Aside = true
	got := show(t, NewHuman, Streams{}, func(v View) {
		v.Planned(plan)
		v.Serving("postgres://there")
	})
	if got.Out != "postgres://there\n" || !strings.Contains(got.Err, plan.Summary()) {
		t.Errorf("stdout: %q\nstderr: %q", got.Out, got.Err)
	}
}
