package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pawldb/pawl/verify"
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

// NothingToVerify is said where a program declares nothing that could be verified.
const NothingToVerify = "There is nothing to verify: the spec declares no invariant and no operation."

// Text writes a report for people: a table of the subjects, then whatever is
// wrong with a timeline each, then one line that sums it up. The error is w's.
func Text(w io.Writer, r *verify.Report, o TextOptions) error {
	t := newText(w, o)
	if total(r).checks == 0 {
		t.conclusion(r)
		return t.err
	}
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

// The columns of the table, with the width of each. Work is time that is summed
// over databases that are used side by side: together more than went by.
var (
	numberHeads = []string{"checks", "schedules", "waited", "broken", "killed", "work"}
	numberSizes = []int{6, 9, 6, 6, 7, 8}
)

const verdictSize = 8

// table is a row for each subject.
func (t *text) table(r *verify.Report) {
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
			continue
		}
		if c.Detail != "" && c.Verdict == verify.Holds {
			// What was not tried; of what is unclear more is said below.
			t.folded(Warning, lead+"    "+visible(c.Detail))
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

// conclusion is the last line.
func (t *text) conclusion(r *verify.Report) {
	verdict := Overall(r)
	_, style := verdictWord(verdict)
	t.folded(style, Conclusion(r))
}

// Conclusion sums a report up in a sentence.
func Conclusion(r *verify.Report) string {
	n := total(r)
	if n.checks == 0 {
		return NothingToVerify
	}
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
