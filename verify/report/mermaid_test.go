package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pawldb/pawl/verify/report"
	"github.com/pawldb/pawl/verify/report/reporttest"
)

// The lines of a Mermaid sequence diagram that are emitted, after Mermaid's
// documentation. A text runs to the end of its line; in it "#" begins an entity
// code and ";" ends one, and <br/> is the only tag.
var (
	mermaidText = `((?:[^#;<>\x00-\x1f\x7f"{}%\x60\\$|&\[\]]|#\d+;|<br/>)+)`
	mermaidLine = regexp.MustCompile(`^(?:sequenceDiagram|    (?:title: ` + mermaidText +
		`|participant (?:s\d+|db) as ` + mermaidText +
		`|(?:s\d+->>db|db-->>s\d+|db--xs\d+): ` + mermaidText +
		`|Note over (?:s\d+|s\d+,db|db): ` + mermaidText + `))$`)
)

func TestMermaid(t *testing.T) {
	booked, gated := reporttest.Booked(), reporttest.Gated()
	for name, text := range map[string]string{"booked": report.Mermaid(&booked), "gated": report.Mermaid(&gated)} {
		golden(t, name+".mmd", text)
		if !strings.HasPrefix(text, "sequenceDiagram\n") {
			t.Errorf("%s does not say what it is: %s", name, text)
		}
		declared := map[string]bool{}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if !mermaidLine.MatchString(line) {
				t.Errorf("%s: no line of a sequence diagram: %q", name, line)
			}
			if id, ok := strings.CutPrefix(line, "    participant "); ok {
				declared[strings.Fields(id)[0]] = true
			}
			for _, id := range regexp.MustCompile(`^    (?:Note over )?(s\d+|db)\b`).FindStringSubmatch(line) {
				if id = strings.TrimSpace(strings.TrimPrefix(id, "    Note over ")); !declared[id] {
					t.Errorf("%s: %s is no participant: %q", name, id, line)
				}
			}
		}
	}
}
