package diag

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// at is the range of the nth occurrence (from 1) of a text in a file.
func at(t *testing.T, src Files, file, text string, nth int) hcl.Range {
	t.Helper()
	content := src[file]
	from := 0
	for i := 1; ; i++ {
		found := bytes.Index(content[from:], []byte(text))
		if found < 0 {
			t.Fatalf("%q does not stand %d times in %s", text, nth, file)
		}
		from += found
		if i == nth {
			break
		}
		from += len(text)
	}
	start := posAt(content, hcl.InitialPos, from)
	return hcl.Range{Filename: file, Start: start, End: posAt(content, start, from+len(text))}
}

func bookings() Files {
	return Files{
		"bookings.hcl": []byte(strings.Repeat("\n", 28) +
			"  no_overlap \"one_per_room\" {\n    within = [room_id]\n    range = during\n    allow_empty = true\n  }\n" +
			"  column \"during\" { type = tstzrange }\n"),
		"wide.hcl": []byte("\tcheck \"é漢字\" { expr = \"größe 👍🏽 > @größe\" }\r\n" +
			"x = \"\x1b[31m\u202eevil\" # \t tab\n" +
			"flag = \"🇩🇪 e\u0301\" + oops\n" +
			"\n"),
	}
}

// cases are the diagnostics that every renderer prints into a golden file.
func cases(t *testing.T) map[string]List {
	src := bookings()
	during := at(t, src, "bookings.hcl", "during", 1)
	block := at(t, src, "bookings.hcl", "no_overlap \"one_per_room\" {\n    within = [room_id]\n    range = during\n    allow_empty = true\n  }", 1)
	end := during
	end.Start = end.End
	return map[string]List{
		"design": {{
			Code: OverlapEmptyRange, Subject: during, Label: `column "during" may hold 'empty'`,
			Consequence: "Two bookings with an empty range both succeed, and both count as booked.",
			Help:        "leave `allow_empty` out; pawl then adds CHECK (NOT isempty(during))",
			Fix:         &Fix{Range: during, Text: "nothing"},
		}},
		"everything": {
			{
				Severity: Warning, Code: NullComparison, Subject: during, Label: "may be null",
				Detail:      "Column \"during\" of table \"bookings\" is nullable.\nSo is \"room_id\".",
				Related:     []Related{{Range: at(t, src, "bookings.hcl", "column \"during\"", 1), Text: "declared here"}, {Range: hcl.Range{Filename: "other.hcl", Start: hcl.Pos{Line: 3, Column: 7}, End: hcl.Pos{Line: 3, Column: 9}}, Text: "and used here"}},
				Consequence: "Any number of rows with NULL are accepted.",
				Help:        "nulls = \"not_distinct\"\n# or\nnulls = \"distinct\"",
			},
			{Code: Syntax, Detail: "The directory holds no file that ends in .hcl."},
			{Code: "no-such-code", Subject: end, Label: "empty range"},
			{Code: UnknownBlock, Subject: block, Label: "the whole block"},
			{Code: UnknownBlock, Subject: at(t, src, "bookings.hcl", "[room_id]\n    range", 1), Label: "two lines"},
			{Code: UnknownBlock, Subject: at(t, src, "bookings.hcl", "{\n    within = [room_id]\n    range", 1), Label: "three lines"},
			{Code: UnknownBlock, Subject: at(t, src, "bookings.hcl", "allow_empty = true\n", 1), Label: "the line with its newline"},
			{Code: MissingAttribute, Subject: hcl.Range{Filename: "gone.hcl", Start: hcl.Pos{Line: 7, Column: 3}, End: hcl.Pos{Line: 7, Column: 9}}, Label: "add `type`", Consequence: "The column has no type."},
			{Code: MissingAttribute, Subject: hcl.Range{Filename: "bookings.hcl", Start: hcl.Pos{Line: 99, Column: 3}, End: hcl.Pos{Line: 99, Column: 9}}, Label: "a line that is not there"},
		},
		"columns": {
			{Code: UnknownColumn, Subject: at(t, src, "wide.hcl", "größe", 1), Label: "after a tab and wide letters"},
			{Code: UnknownArgument, Subject: at(t, src, "wide.hcl", "@größe", 1), Label: "after an emoji with a skin tone"},
			{Code: UnknownColumn, Subject: at(t, src, "wide.hcl", "漢字", 1), Label: "wide"},
			{Code: UnknownColumn, Subject: at(t, src, "wide.hcl", "evil", 1), Label: "after control characters: \x1b[31m"},
			{Code: UnknownColumn, Subject: at(t, src, "wide.hcl", "tab", 1), Label: "after a tab inside"},
			{Code: UnknownColumn, Subject: at(t, src, "wide.hcl", "oops", 1), Label: "after a flag and a combining mark"},
			{Code: UnknownColumn, Subject: hcl.Range{Filename: "wide.hcl", Start: hcl.Pos{Line: 3, Column: 18}, End: hcl.Pos{Line: 3, Column: 22}}, Label: "a range without bytes"},
		},
		"none": {},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestRenderers(t *testing.T) {
	src := bookings()
	renderers := map[string]Renderer{
		"txt": Text{Sources: src}, "color.txt": Text{Sources: src, Color: true}, "json": JSON{}, "github.txt": GitHub{},
	}
	bug := Bug{Message: "compiler: no table for \"bookings\"", Version: "0.1.0", Stack: "goroutine 1 [running]:\n\tmain.main()\n"}
	outage := Outage{
		Target: "postgres://app@db.internal:5432/app", Reason: "connection refused",
		Help: "is the server running? pawl apply --dev starts a private one",
	}
	for kind, r := range renderers {
		for name, list := range cases(t) {
			var b bytes.Buffer
			if err := r.List(&b, list); err != nil {
				t.Fatal(err)
			}
			golden(t, name+"."+kind, b.Bytes())
		}
		var b bytes.Buffer
		if err := r.Bug(&b, bug); err != nil {
			t.Fatal(err)
		}
		golden(t, "bug."+kind, b.Bytes())
		b.Reset()
		if err := r.Outage(&b, outage); err != nil {
			t.Fatal(err)
		}
		golden(t, "outage."+kind, b.Bytes())
	}
}

// The example of the design is met to the letter, but for the column: it is the
// one that the caret stands at.
func TestTextIsAsDesigned(t *testing.T) {
	var b bytes.Buffer
	if err := (Text{Sources: bookings()}).List(&b, cases(t)["design"]); err != nil {
		t.Fatal(err)
	}
	want := `error[overlap-empty-range]: a range that can be empty is never in conflict
  bookings.hcl:31:13
   31 |     range = during
      |             ^^^^^^ column "during" may hold 'empty'
  Two bookings with an empty range both succeed, and both count as booked.
  help: leave ` + "`allow_empty`" + ` out; pawl then adds CHECK (NOT isempty(during))
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestColorChangesNothingElse(t *testing.T) {
	for name, list := range cases(t) {
		var plain, colored bytes.Buffer
		if err := (Text{Sources: bookings()}).List(&plain, list); err != nil {
			t.Fatal(err)
		}
		if err := (Text{Sources: bookings(), Color: true}).List(&colored, list); err != nil {
			t.Fatal(err)
		}
		stripped := colored.String()
		for _, style := range []string{bold, boldRed, boldYellow, boldBlue, blue, cyan, reset} {
			stripped = strings.ReplaceAll(stripped, style, "")
		}
		if stripped != plain.String() {
			t.Errorf("%s: %s", name, cmp.Diff(plain.String(), stripped))
		}
	}
}

func TestTextWithoutSources(t *testing.T) {
	var b bytes.Buffer
	if err := (Text{}).List(&b, cases(t)["design"]); err != nil {
		t.Fatal(err)
	}
	if want := "  bookings.hcl:31:13: column \"during\" may hold 'empty'\n"; !strings.Contains(b.String(), want) {
		t.Errorf("got %q", b.String())
	}
}

// Ranges that do not fit the source must be printed somehow, and never panic.
func TestTextSurvivesWrongRanges(t *testing.T) {
	src := bookings()
	values := []int{-1, 0, 1, 2, 3, 31, 10_000}
	for _, line := range values {
		for _, column := range values {
			for _, offset := range values {
				r := hcl.Range{
					Filename: "wide.hcl", Start: hcl.Pos{Line: line, Column: column, Byte: offset},
					End: hcl.Pos{Line: 2, Column: offset, Byte: column},
				}
				var b bytes.Buffer
				if err := (Text{Sources: src}).List(&b, List{{Code: Syntax, Subject: r, Label: "here"}}); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(b.String(), "here") {
					t.Errorf("%v: the label is missing: %q", r, b.String())
				}
			}
		}
	}
}
