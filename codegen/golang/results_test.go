package golang

import (
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// A statement that returns columns in another order than they are scanned is
// our bug, and is found before anything is written.
func TestResultsInAnotherOrder(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*ir.Program)
		want   string
	}{
		{"a row", func(p *ir.Program) {
			results := p.Repositories[1].Operations[0].Statements[0].Results
			p.Repositories[1].Operations[0].Statements[0].Results = []ir.Field{results[1], results[0], results[2]}
		}, `table.counters.adjust.send: its main statement returns ["sent" "name" "remaining"], and ["name" "sent" "remaining"] is scanned`},
		{"an explanation", func(p *ir.Program) {
			p.Repositories[1].Operations[0].Statements[1].Results = p.Repositories[1].Row
		}, `its explain statement returns ["name" "sent" "remaining"]`},
		{"a claim", func(p *ir.Program) {
			p.Repositories[2].Operations[1].Statements[0].Results = p.Repositories[2].Queue.Payload
		}, `queue.tasks.claim: its main statement returns ["kind" "body"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := bookings()
			test.change(p)
			files, problems := Generate(p, nil, GenerateOptions{})
			if len(files) > 0 || len(problems) != 1 {
				t.Fatalf("%d files, problems %v", len(files), problems)
			}
			if !problems[0].Internal || !strings.Contains(problems[0].Text, test.want) {
				t.Errorf("the problem is %q, want %q", problems[0].Text, test.want)
			}
		})
	}
}
