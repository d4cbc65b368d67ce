package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/report"
	"github.com/pawldb/pawl/verify/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// reports are the samples, by the name of their golden files.
var reports = map[string]*verify.Report{
	"empty":     {Project: "empty", Server: "15.18", Sessions: 2},
	"holding":   reporttest.Holding(),
	"mixed":     reporttest.Mixed(),
	"unclear":   reporttest.Unclear(),
	"toothless": reporttest.Toothless(),
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
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

func textOf(t *testing.T, r *verify.Report, o report.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	for name, r := range reports {
		golden(t, name+".80.txt", textOf(t, r, report.TextOptions{Width: 80, Mutants: true}))
	}
	golden(t, "mixed.log.txt", textOf(t, reporttest.Mixed(), report.TextOptions{Verbose: true}))
}

func TestVerdicts(t *testing.T) {
	for name, want := range map[string]verify.Verdict{
		"empty": verify.Untried, "holding": verify.Holds, "mixed": verify.Violated,
		"unclear": verify.Inconclusive, "toothless": verify.Survived,
	} {
		if got := report.Overall(reports[name]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// No line is wider than the terminal, whatever alphabet it is in, and nothing
// in it controls the terminal.
func TestTextKeepsItsWidth(t *testing.T) {
	for _, width := range []int{72, 80, 100, 200} {
		for name, r := range reports {
			text := textOf(t, r, report.TextOptions{Width: width, Mutants: true, Verbose: true})
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if n := report.Columns(line); n > width && !strings.Contains(line, "a_name_that_is_much") && !strings.Contains(line, "--replay") {
					t.Errorf("%s at %d: %d columns: %s", name, width, n, line)
				}
				if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }) {
					t.Errorf("%s: a line holds a control character: %q", name, line)
				}
			}
		}
	}
}

// Colours change no text, and every style is closed where it was opened.
func TestPaintChangesNoText(t *testing.T) {
	plain := textOf(t, reporttest.Mixed(), report.TextOptions{Width: 80})
	painted := textOf(t, reporttest.Mixed(), report.TextOptions{Width: 80, Paint: func(s report.Style, text string) string {
		return "\x01" + text + "\x02"
	}})
	if !strings.Contains(painted, "\x01BROKEN") {
		t.Errorf("the verdict has no style:\n%q", painted)
	}
	stripped := strings.NewReplacer("\x01", "", "\x02", "").Replace(painted)
	if diff := cmp.Diff(plain, stripped); diff != "" {
		t.Error(diff)
	}
}

func TestTimeline(t *testing.T) {
	var b bytes.Buffer
	c := reporttest.Booked()
	if err := report.Timeline(&b, &c, report.TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "timeline.80.txt", b.String())
}
