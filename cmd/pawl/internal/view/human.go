package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pawldb/pawl/internal/diag"
)

// NewHuman returns the view for people.
func NewHuman(s Streams) View { return newHuman(s) }

func newHuman(s Streams) *human {
	return &human{
		out:     &page{w: s.Out, color: s.OutColor},
		err:     &page{w: s.Err, color: s.ErrColor},
		verbose: s.Verbose,
		width:   s.Width,
	}
}

type human struct {
	out, err *page
	verbose  bool
	width    int // of a terminal; 0 for none
}

// Close has nothing left to write.
func (h *human) Close(int) error { return cmp.Or(h.out.err, h.err.err) }

// Diagnostics shows findings with the lines that they are about.
func (h *human) Diagnostics(list diag.List, sources diag.Sources) {
	if len(list) == 0 {
		return
	}
	h.err.keep(diag.Text{Sources: sources, Color: h.err.color}.List(h.err.w, list))
	h.err.blank()
	h.err.line("%s", countFindings(list))
}

// countFindings is "2 errors, 1 warning".
func countFindings(list diag.List) string {
	count := map[diag.Severity]int{}
	for _, d := range list {
		count[d.Severity]++
	}
	var parts []string
	for _, severity := range []diag.Severity{diag.Error, diag.Warning} {
		if n := count[severity]; n > 0 {
			parts = append(parts, number(n, severity.String()))
		}
	}
	return strings.Join(parts, ", ")
}

// number is "1 table", "3 tables".
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Failure shows an error that is neither a finding nor a bug.
func (h *human) Failure(f Failure) {
	h.err.line("%s %s", h.err.paint(red, "pawl:"), f.Text)
	if f.Help != "" {
		h.err.line("  help: %s", f.Help)
	}
}

// Bug shows a failure of pawl itself.
func (h *human) Bug(b diag.Bug) { h.err.keep(diag.Text{Color: h.err.color}.Bug(h.err.w, b)) }

// Outage shows that the database cannot be reached.
func (h *human) Outage(o diag.Outage) {
	h.err.keep(diag.Text{Color: h.err.color}.Outage(h.err.w, o))
}

// Progress says what is being done.
func (h *human) Progress(line string) { h.err.line("%s", h.err.paint(dim, line)) }

// Version prints the version alone, what it was built with when asked for more.
func (h *human) Version(v Version) {
	h.out.line("pawl %s", v.Version)
	if h.verbose {
		h.out.line("commit %s", cmp.Or(v.Commit, "unknown"))
		h.out.line("%s %s", v.Go, v.Platform)
	}
}

// Fixed says on stderr what was edited.
func (h *human) Fixed(f Fixed) {
	h.err.line("%s:%d: fixed: %s is now %s", f.File, f.Line, f.From, f.To)
}

// Validated says on stderr that all is well: validate has no artefact.
func (h *human) Validated(v Validated) {
	h.err.line("%s: %s, %s, %s, %s, %s: no mistakes found", v.Project, number(v.Tables, "table"), number(v.Queues, "queue"),
		number(v.Singletons, "singleton"), number(v.Invariants, "invariant"), number(v.Operations, "operation"))
}

// CodeExplained prints the documentation of a diagnostic code.
func (h *human) CodeExplained(e diag.Entry) {
	h.out.line("%s: %s", h.out.paint(bold, string(e.Code)), e.Summary)
	for paragraph := range strings.SplitSeq(e.Explain, "\n\n") {
		h.out.blank()
		h.out.wrapped("", paragraph)
	}
	if e.Example != "" {
		h.out.block("Example of the mistake", []string{e.Example})
	}
}

func (p *page) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}
