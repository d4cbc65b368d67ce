package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

// Style is how a stretch of text looks on a terminal.
type Style int

// The styles.
const (
	Normal Style = iota
	Strong
	Faint
	Good
	Warning
	Bad
)

// TextOptions say how text is laid out. The zero value is fit for a log.
type TextOptions struct {
	// Width is how many columns there are; 0 for 110, which a log can show.
	Width int
	// Paint gives a text a style. Nil paints nothing.
	Paint func(Style, string) string
	// Mutants also shows the counterexamples that killed the mutants.
	Mutants bool
	// Verbose also lists every check, and leaves nothing of long statements out.
	Verbose bool
}

// Text writes a report for people: a table of the subjects, then whatever is
// wrong with a timeline each, then one line that sums it up. The error is w's.
func Text(w io.Writer, r *verify.Report, o TextOptions) error {
	t := newText(w, o)
	t.table(r)
	t.findings(r)
	t.survivors(r)
	t.unclear(r)
	t.excuses(r)
	t.concurrency(r)
	t.line(Normal, "")
	t.conclusion(r)
	return t.err
}

// Timeline writes one schedule for people. The error is w's.
func Timeline(w io.Writer, c *verify.Counterexample, o TextOptions) error {
	t := newText(w, o)
	t.line(Strong, visible(c.ID))
	t.counterexample(c)
	return t.err
}

// text writes lines and keeps the first error.
type text struct {
	w   io.Writer
	o   TextOptions
	err error
}

const (
	logWidth = 110
	minWidth = 72 // a terminal that is narrower breaks the lines itself
)

func newText(w io.Writer, o TextOptions) *text {
	if o.Width == 0 {
		o.Width = logWidth
	}
	o.Width = max(o.Width, minWidth)
	if o.Paint == nil {
		o.Paint = func(_ Style, text string) string { return text }
	}
	return &text{w: w, o: o}
}

func (t *text) line(style Style, text string) {
	text = strings.TrimRight(text, " ")
	if text != "" {
		text = t.o.Paint(style, text)
	}
	t.write(text)
}

// write writes a line that is painted already.
func (t *text) write(line string) {
	if _, err := io.WriteString(t.w, line+"\n"); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *text) folded(style Style, line string) {
	for _, part := range fold(line, t.o.Width) {
		t.line(style, part)
	}
}

func (t *text) heading(text string) {
	t.line(Normal, "")
	for _, part := range fold(text, t.o.Width) {
		t.line(Strong, part)
	}
}

// The columns of the table, with the width of each.
var (
	numberHeads = []string{"checks", "schedules", "waited", "broken", "killed", "time"}
	numberSizes = []int{6, 9, 6, 6, 7, 8}
)

const verdictSize = 8

// table is a row for each subject.
func (t *text) table(r *verify.Report) {
	if len(r.Subjects) == 0 {
		t.folded(Normal, "There is nothing to verify: the spec declares no invariant and no operation.")
		return
	}
	numbers := 0
	for _, size := range numberSizes {
		numbers += 2 + size
	}
	room := t.o.Width - verdictSize - 2 - numbers
	address := 0
	for _, s := range r.Subjects {
		if n := columns(visible(s.Address)); n <= room {
			address = max(address, n)
		}
	}
	address = min(max(address, len("invariant")), max(room, 0))
	lead := strings.Repeat(" ", verdictSize+2)
	t.line(Faint, lead+pad(cut("invariant", address), address)+row(numberHeads))
	for i := range r.Subjects {
		s := &r.Subjects[i]
		word, style := verdictWord(verdictOf(s))
		name, n := visible(s.Address), count(s.Checks)
		head := t.o.Paint(style, pad(word, verdictSize)) + "  "
		if columns(name) > address {
			// The numbers go below a name that is too long to stand beside them.
			t.write(head + name)
			t.line(Normal, lead+pad("", address)+row(n.cells()))
		} else {
			t.write(head + pad(name, address) + strings.TrimRight(row(n.cells()), " "))
		}
		t.phases(lead, s)
		if t.o.Verbose {
			t.checks(lead, s)
		}
	}
}

func row(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		fmt.Fprintf(&b, "  %*s", numberSizes[i], cell)
	}
	return b.String()
}

func (n tally) cells() []string {
	return []string{
		fmt.Sprint(n.checks), fmt.Sprint(n.schedules), fmt.Sprint(n.waiting), fmt.Sprint(n.violating),
		fmt.Sprintf("%d/%d", n.killed, n.mutants-n.excused), seconds(n.duration),
	}
}

// seconds is a duration with as many digits as say something.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// phases tells of the checks that explore no schedules.
func (t *text) phases(lead string, s *verify.Subject) {
	for _, c := range s.Checks {
		switch c.Phase {
		case verify.Stress:
			t.folded(Faint, fmt.Sprintf("%s  stress: %s, %.1f %% of them broke the rule: %s",
				lead, number(c.Rounds, "round"), 100*c.Rate, visible(c.Name)))
		case verify.Crash:
			t.folded(Faint, fmt.Sprintf("%s  crash: %s, %d of them broke the rule: %s",
				lead, number(c.Rounds, "fault"), c.Violating, visible(c.Name)))
		case verify.Interleavings:
		}
	}
}

// checks lists the checks of a subject and their mutants.
func (t *text) checks(lead string, s *verify.Subject) {
	for i := range s.Checks {
		c := &s.Checks[i]
		word, style := verdictWord(verdictOfCheck(c))
		t.folded(style, fmt.Sprintf("%s  %s: %s", lead, word, visible(c.ID)))
		if len(c.Clients) > 0 {
			t.folded(Faint, lead+"    "+visible(c.Name)+": "+visible(strings.Join(c.Clients, ", ")))
		}
		for _, m := range c.Mutants {
			t.folded(Faint, fmt.Sprintf("%s    %s %s", lead, m.Verdict, visible(m.Name)))
		}
	}
}

// verdictWord is a verdict as a table says it.
func verdictWord(v verify.Verdict) (string, Style) {
	switch v {
	case verify.Violated:
		return "BROKEN", Bad
	case verify.Survived:
		return "NO TEETH", Bad
	case verify.Inconclusive:
		return "unclear", Warning
	case verify.Untried:
		return "untried", Warning
	case verify.Holds:
		return "holds", Good
	case verify.Killed, verify.Excused:
	}
	return string(v), Normal
}

// findings shows every counterexample.
func (t *text) findings(r *verify.Report) {
	for _, e := range Counterexamples(r) {
		if e.Mutant != nil && (!t.o.Mutants || e.Mutant.Verdict == verify.Survived) {
			continue
		}
		t.heading(e.title())
		t.folded(Normal, "  "+visible(e.Subject.Promise))
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
	t.line(Faint, "  again: pawl verify --replay "+shellWord(visible(c.ID)))
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
			sizes[i] = min(max(sizes[i], columns(visible(cell))), widest)
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
		if m.Verdict != verify.Excused || m.Schedules == 0 || c.Schedules == 0 {
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

// conclusion is the last line.
func (t *text) conclusion(r *verify.Report) {
	verdict := Overall(r)
	_, style := verdictWord(verdict)
	t.folded(style, Conclusion(r))
}

// Conclusion sums a report up in a sentence.
func Conclusion(r *verify.Report) string {
	n := total(r)
	var say string
	switch Overall(r) {
	case verify.Violated:
		say = "Broken: " + number(n.violating, "violation")
		if n.survived > 0 {
			say += ", " + number(n.survived, "mutant") + " survived"
		}
	case verify.Survived:
		say = "No teeth: " + number(n.survived, "mutant") + " survived"
	case verify.Inconclusive:
		say = "Unclear: " + number(n.unclear, "check") + " could not be decided"
	case verify.Untried:
		say = "Holds, but " + number(n.untried, "check") + " could not be tried,"
	case verify.Holds, verify.Killed, verify.Excused:
		say = "Holds"
	}
	say += fmt.Sprintf(" in %s of %s, %d of %s killed", number(n.schedules, "schedule"), number(n.checks, "check"),
		n.killed, number(n.mutants, "mutant"))
	if n.excused > 0 {
		say += fmt.Sprintf(" (%d excused)", n.excused)
	}
	say += fmt.Sprintf("; PostgreSQL %s, %s, %s", visible(r.Server), number(r.Sessions, "session"), seconds(r.Duration))
	if r.Full {
		say += ", no reductions"
	}
	return say + "."
}

// number is "1 table", "3 tables".
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
