package verify

import (
	"os"
	"testing"
	"time"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// compiled is a spec as a program.
func compiled(t *testing.T, dir string) *ir.Program {
	t.Helper()
	spec, list := dsl.Load(os.DirFS(dir), dsl.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	p, list := compiler.Compile(spec)
	if list.HasErrors() {
		t.Fatal(list)
	}
	return p
}

// TestSeats verifies the example: everything holds, and every mutant is caught.
func TestSeats(t *testing.T) {
	report, err := Run(t.Context(), compiled(t, "../examples/seats"), Options{URL: pgtest.URL(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Subjects {
		for i := range s.Checks {
			c := &s.Checks[i]
			t.Logf("%-70s %-12s %4d schedules %4d waiting %4d pruned %v %s", c.ID, c.Verdict, c.Schedules, c.Waiting, c.Pruned, c.Duration.Round(time.Millisecond), c.Detail)
			if c.Verdict != Holds {
				t.Errorf("%s: %s %s", c.ID, c.Verdict, c.Detail)
				for _, e := range c.Counterexamples {
					for _, st := range e.Run.Steps {
						t.Logf("  s%d %s %s %s %v", st.Client, st.Kind, st.SQL, st.State, st.Err)
					}
					t.Logf("   %+v %+v", e.Run.Ends, e.Run.Violations)
				}
			}
			for _, m := range c.Mutants {
				t.Logf("    %-60s %-10s %4d %v %s", m.ID, m.Verdict, m.Schedules, m.Duration.Round(time.Millisecond), m.Reason)
				if m.Verdict != Killed {
					t.Errorf("%s: %s %s %s %s", c.ID, m.Name, m.Verdict, m.Reason, m.Diff)
				}
			}
		}
	}
	t.Logf("all in %v", report.Duration)
}
