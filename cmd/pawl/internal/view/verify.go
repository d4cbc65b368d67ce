package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/report"
)

// Verified is what verify found, and how much of it a person wants to see. Its
// JSON form is package report's.
type Verified struct {
	Report *verify.Report
	// Mutants also shows the schedules that killed the mutants.
	Mutants bool
}

// Verified shows the table and the counterexamples.
func (h *human) Verified(v Verified) {
	options := h.reportOptions()
	options.Mutants = v.Mutants
	h.out.keep(report.Text(h.out.w, v.Report, options))
}

// Replayed shows the timeline of one schedule.
func (h *human) Replayed(c *verify.Counterexample) {
	h.out.keep(report.Timeline(h.out.w, c, h.reportOptions()))
}

// Diagrams prints them, an empty line between two.
func (h *human) Diagrams(diagrams []string) {
	h.out.text("", strings.Join(diagrams, "\n"))
}

func (h *human) reportOptions() report.TextOptions {
	return report.TextOptions{Width: h.width, Verbose: h.verbose, Paint: h.out.paintStyle}
}

// paintStyle gives the styles of package report this page's colours.
func (p *page) paintStyle(style report.Style, text string) string {
	switch style {
	case report.Strong:
		return p.paint(bold, text)
	case report.Faint:
		return p.paint(dim, text)
	case report.Good:
		return p.paint(green, text)
	case report.Warning:
		return p.paint(yellow, text)
	case report.Bad:
		return p.paint(red, text)
	case report.Normal:
	}
	return text
}

// Verified keeps it for the document.
func (j *jsonView) Verified(v Verified) { j.doc.Verified = report.NewDocument(v.Report) }

// Replayed keeps it for the document.
func (j *jsonView) Replayed(c *verify.Counterexample) {
	d := report.NewCounterexampleDocument(c)
	j.doc.Replayed = &d
}

// Diagrams keeps them for the document.
func (j *jsonView) Diagrams(diagrams []string) {
	list := List[string](diagrams)
	j.doc.Diagrams = &list
}

// Verified shows the report in a group of the log, and what is wrong beside the
// lines of the declarations.
func (g *gitHub) Verified(v Verified) {
	g.out.line("::group::pawl verify")
	g.human.Verified(v)
	g.out.line("::endgroup::")
	for i := range v.Report.Subjects {
		s := &v.Report.Subjects[i]
		for j := range s.Checks {
			g.check(s, &s.Checks[j])
		}
	}
	g.command("notice", "", "pawl verify", report.Conclusion(v.Report))
}

func (g *gitHub) check(s *verify.Subject, c *verify.Check) {
	switch c.Verdict {
	case verify.Violated:
		rule := s.Promise
		for _, example := range c.Counterexamples {
			if example.Run != nil && len(example.Run.Violations) > 0 {
				rule = example.Run.Violations[0].Rule + "\n" + report.Again(&example)
				break
			}
		}
		g.at("error", s.Pos, s.Address+" does not hold", c.Name+": "+rule)
	case verify.Inconclusive, verify.Untried:
		g.at("warning", s.Pos, s.Address+" is unclear", c.Name+": "+c.Detail)
	case verify.Holds, verify.Killed, verify.Survived, verify.Excused:
	}
	for _, m := range c.Mutants {
		switch m.Verdict {
		case verify.Survived:
			g.at("error", s.Pos, "a check of "+s.Address+" has no teeth", c.Name+": it held "+m.Name)
		case verify.Inconclusive:
			g.at("warning", s.Pos, s.Address+" is unclear", c.Name+", "+m.Name+": "+m.Reason)
		case verify.Holds, verify.Violated, verify.Killed, verify.Excused, verify.Untried:
		}
	}
}

// at writes a workflow command about a place of the spec.
func (g *gitHub) at(level string, pos ir.Pos, title, text string) {
	properties := "title=" + escapeProperty(title)
	if pos.IsValid() {
		properties = fmt.Sprintf("file=%s,line=%d,col=%d,%s", escapeProperty(pos.File), pos.Line, cmp.Or(pos.Column, 1), properties)
	}
	_, err := fmt.Fprintf(g.out.w, "::%s %s::%s\n", level, properties, escapeData(text))
	g.out.keep(err)
}
