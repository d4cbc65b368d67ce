package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

// findings shows every counterexample.
func (t *text) findings(r *verify.Report) {
	for _, e := range Counterexamples(r) {
		if e.Mutant != nil && (!t.o.Mutants || e.Mutant.Verdict == verify.Survived) {
			continue
		}
		t.heading(e.title())
		if !e.saysPromise() {
			t.folded(Normal, "  "+visible(e.Subject.Promise))
		}
		if e.Mutant != nil {
			t.diff(e.Mutant.Diff)
		}
		t.counterexample(e.Counterexample)
	}
	for _, s := range r.Subjects {
		for _, c := range s.Checks {
			if c.Verdict == verify.Violated && len(c.Counterexamples) == 0 {
				t.heading("BROKEN  " + visible(c.ID))
				t.folded(Normal, fmt.Sprintf("  %s: %s", visible(c.Name), brokenShare(&c)))
				if c.Detail != "" {
					t.folded(Normal, "  "+visible(c.Detail))
				}
			}
		}
	}
}

// brokenShare says how often a check without a timeline broke its rule.
func brokenShare(c *verify.Check) string {
	switch c.Phase {
	case verify.Stress:
		return fmt.Sprintf("%.1f %% of %s broke the rule", 100*c.Rate, number(c.Rounds, "round"))
	case verify.Crash:
		return fmt.Sprintf("%d of %s broke the rule", c.Violating, number(c.Rounds, "fault"))
	case verify.Interleavings:
	}
	return fmt.Sprintf("%d of %s broke the rule", c.Violating, number(c.Schedules, "schedule"))
}

// saysPromise reports whether the promise stands among the rules that were
// broken, so that it need not be said twice.
func (e Example) saysPromise() bool {
	promise := strings.TrimSuffix(e.Subject.Promise, ".")
	return e.Counterexample.Run != nil && slices.ContainsFunc(e.Counterexample.Run.Violations, func(v explore.Violation) bool {
		return promise != "" && strings.Contains(strings.ToLower(v.Rule), strings.ToLower(promise))
	})
}

func (e Example) title() string {
	if e.Mutant != nil {
		return fmt.Sprintf("killed  %s, %s", visible(e.Check.ID), visible(e.Mutant.Name))
	}
	return fmt.Sprintf("BROKEN  %s: %s", visible(e.Check.ID), visible(e.Check.Name))
}

func (t *text) diff(lines []string) {
	for _, line := range lines {
		style := Faint
		switch {
		case strings.HasPrefix(line, "-"):
			style = Bad
		case strings.HasPrefix(line, "+"):
			style = Good
		}
		for _, part := range fold("    "+visible(line), t.o.Width) {
			t.line(style, part)
		}
	}
}

// counterexample is a timeline with what it broke below.
func (t *text) counterexample(c *verify.Counterexample) {
	run := c.Run
	if run == nil {
		return
	}
	t.line(Normal, "")
	t.grid(run)
	t.line(Normal, "")
	for _, v := range run.Violations {
		for _, part := range fold("  broken: "+visible(v.Rule), t.o.Width) {
			t.line(Bad, part)
		}
		t.evidence(v)
	}
	for label, text := range ordered("stuck", run.Stuck, "the replay differs", run.Deviation) {
		if text != "" {
			t.folded(Warning, "  "+label+": "+visible(text))
		}
	}
	// Not folded: it is there to be copied.
	t.line(Faint, "  again: "+Again(c))
}

// Again is the command that shows a counterexample once more. A replay that
// differed from its ID, which was too short perhaps, has the ID of what it ran.
func Again(c *verify.Counterexample) string {
	id := c.ID
	i := strings.LastIndex(id, ":")
	if i >= 0 && c.Run != nil && c.Run.Deviation != "" && c.Run.ID != "" {
		id = id[:i+1] + c.Run.ID
	}
	for _, phase := range []verify.Phase{verify.Stress, verify.Crash} {
		// A round has no order of grants that could be repeated: all are run.
		if check, ok := strings.CutSuffix(id[:max(i, 0)], "/"+string(phase)); ok {
			return "pawl verify " + shellWord(visible(check)) + " --" + string(phase)
		}
	}
	return "pawl verify --replay " + shellWord(visible(id))
}

// ordered iterates over pairs in the order given.
func ordered(pairs ...string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if !yield(pairs[i], pairs[i+1]) {
				return
			}
		}
	}
}

// shellWord quotes a word for a shell where it has to be.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._-/:@%+=,", r)
	}
	if word != "" && strings.TrimLeftFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// evidenceRows is how many rows of evidence are shown.
const evidenceRows = 10

// evidence shows the rows that break a rule.
func (t *text) evidence(v explore.Violation) {
	if len(v.Rows) == 0 {
		return
	}
	const widest = 40
	cells := [][]string{v.Columns}
	cells = append(cells, v.Rows[:min(len(v.Rows), evidenceRows)]...)
	var sizes []int
	for _, line := range cells {
		for i, cell := range line {
			if i == len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[i] = max(sizes[i], columns(visible(cell)))
		}
	}
	room := t.o.Width - len("  ")
	for _, size := range sizes {
		room -= len("  ") + size
	}
	if room < 0 {
		for i := range sizes {
			sizes[i] = min(sizes[i], widest)
		}
	}
	for i, line := range cells {
		parts := make([]string, len(line))
		for j, cell := range line {
			parts[j] = pad(cut(visible(cell), sizes[j]), sizes[j])
		}
		style := Normal
		if i == 0 {
			style = Faint
		}
		t.line(style, cut("    "+strings.Join(parts, "  "), t.o.Width))
	}
	if rest := len(v.Rows) - evidenceRows; rest > 0 {
		t.line(Faint, "    ... "+number(rest, "more row"))
	}
}

// survivors are the mutants that show that a check has no teeth.
func (t *text) survivors(r *verify.Report) {
	t.eachMutant(r, func(c *verify.Check, m *verify.Mutant) {
		if m.Verdict != verify.Survived {
			return
		}
		t.heading(fmt.Sprintf("NO TEETH  %s, %s", visible(c.ID), visible(m.Name)))
		t.diff(m.Diff)
		t.folded(Normal, fmt.Sprintf("  The check held in all %s although its guard was gone: either the guard is not needed, or the check does not look where it matters.",
			number(m.Schedules, "schedule")))
		if m.Counterexample != nil {
			t.counterexample(m.Counterexample)
		}
	})
}

func (t *text) unclear(r *verify.Report) {
	first := true
	say := func(id, detail string) {
		if first {
			t.heading("Unclear or untried: neither a pass nor a violation")
			first = false
		}
		t.folded(Normal, strings.TrimSuffix(fmt.Sprintf("  %s: %s", visible(id), visible(detail)), ": "))
	}
	for i := range r.Subjects {
		for _, c := range r.Subjects[i].Checks {
			if c.Verdict == verify.Inconclusive || c.Verdict == verify.Untried {
				say(c.ID, c.Detail)
			}
			for _, m := range c.Mutants {
				if m.Verdict == verify.Inconclusive {
					say(c.ID+"@"+m.ID, m.Reason)
				}
			}
		}
	}
}

// excuses are the mutants that may survive, each with its reason.
func (t *text) excuses(r *verify.Report) {
	first := true
	t.eachMutant(r, func(c *verify.Check, m *verify.Mutant) {
		if m.Verdict != verify.Excused {
			return
		}
		if first {
			t.heading("Mutants that may survive")
			first = false
		}
		t.folded(Normal, fmt.Sprintf("  %s, %s: %s", visible(c.ID), visible(m.Name), visible(m.Reason)))
	})
}

// concurrency grades what a lock costs, where a mutant shows what another would.
func (t *text) concurrency(r *verify.Report) {
	first := true
	var last *verify.Check
	t.eachMutant(r, func(c *verify.Check, m *verify.Mutant) {
		if !m.Graded {
			return
		}
		if first {
			t.heading("Concurrency: what the weaker lock buys")
			first = false
		}
		if c != last {
			t.folded(Normal, fmt.Sprintf("  %s: %s", visible(c.ID), grade(c.Schedules, c.Waiting)))
			last = c
		}
		t.folded(Faint, fmt.Sprintf("    %s: %s", visible(m.Name), grade(m.Schedules, m.Waiting)))
	})
}

// grade is the concurrency of a check in words.
func grade(schedules, waiting int) string {
	return fmt.Sprintf("admits %d of %s without waiting", schedules-waiting, number(schedules, "schedule"))
}

func (t *text) eachMutant(r *verify.Report, visit func(*verify.Check, *verify.Mutant)) {
	for i := range r.Subjects {
		for j := range r.Subjects[i].Checks {
			c := &r.Subjects[i].Checks[j]
			for k := range c.Mutants {
				visit(c, &c.Mutants[k])
			}
		}
	}
}
