package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

//go:embed page.gohtml
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// HTML writes a report as one page that needs no network: its style and its few
// lines of script are in it. The error is w's.
func HTML(w io.Writer, r *verify.Report) error {
	if err := page.Execute(w, newHTMLPage(r)); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// htmlPage is what the template reads. Everything in it is text; the template
// escapes it.
type htmlPage struct {
	Project, Conclusion, Server string
	Verdict                     htmlVerdict
	Figures                     []htmlFigure
	Subjects                    []htmlSubject
	Broken                      []htmlExample // of the program itself
	Caught                      []htmlExample // of mutants
}

// htmlVerdict is a verdict as a word and the class that colours it.
type htmlVerdict struct{ Word, Class string }

type htmlFigure struct{ Number, Name string }

type htmlSubject struct {
	ID, Address, Kind, Promise, Mechanism, Source string
	Verdict                                       htmlVerdict
	Cells                                         []string
	Checks                                        []htmlCheck
}

type htmlCheck struct {
	ID, Name, Phase, Clients, Detail, Numbers string
	Verdict                                   htmlVerdict
	Mutants                                   []htmlMutant
	Examples                                  []htmlLink
}

type htmlMutant struct {
	Name, Reason, Grade string
	Verdict             htmlVerdict
	Diff                []htmlDiff
	Example             *htmlLink
}

type htmlDiff struct{ Class, Text string }

type htmlLink struct{ ID, Text string }

// htmlExample is a counterexample with its timeline.
type htmlExample struct {
	ID, Check, Title, Promise, Replay, Fixture string
	Verdict                                    htmlVerdict
	Diff                                       []htmlDiff
	Heads                                      []htmlHead
	Rows                                       []htmlRow
	Ends                                       []htmlEnd
	Violations                                 []htmlViolation
	Remarks                                    []string
}

type htmlHead struct{ Session, Name string }

// htmlRow is an entry: one cell is filled, the others are empty.
type htmlRow struct {
	Number string
	Cells  []*htmlCell
}

type htmlCell struct {
	Session, SQL string // Session labels the cell where columns are stacked
	Ahead        []string
	Args         []string
	Notes        []htmlDiff
}

type htmlEnd struct {
	Session, Text string
	Failed        bool
}

type htmlViolation struct {
	Rule    string
	Columns []string
	Rows    [][]string
	More    int
}

// phaseNames say how a check looked.
var phaseNames = map[verify.Phase]string{
	verify.Interleavings: "every interleaving", verify.Stress: "stress, no proof", verify.Crash: "crashes",
}

func newHTMLPage(r *verify.Report) htmlPage {
	n := total(r)
	p := htmlPage{
		Project: r.Project, Conclusion: Conclusion(r), Server: r.Server, Verdict: newHTMLVerdict(Overall(r)),
		Figures: []htmlFigure{
			{fmt.Sprint(len(r.Subjects)), "declarations"},
			{fmt.Sprint(n.checks), "checks"},
			{fmt.Sprint(n.schedules), "schedules"},
			{fmt.Sprint(n.violating), "broken"},
			{fmt.Sprintf("%d / %d", n.killed, n.mutants-n.excused), "mutants killed"},
			{seconds(r.Duration), "time"},
		},
	}
	links := map[*verify.Counterexample]htmlLink{}
	for i, e := range Counterexamples(r) {
		link := htmlLink{ID: fmt.Sprintf("example-%d", i+1), Text: e.Counterexample.ID}
		links[e.Counterexample] = link
		if e.Mutant == nil {
			p.Broken = append(p.Broken, newHTMLExample(e, link.ID))
		} else {
			p.Caught = append(p.Caught, newHTMLExample(e, link.ID))
		}
	}
	for i := range r.Subjects {
		p.Subjects = append(p.Subjects, newHTMLSubject(&r.Subjects[i], fmt.Sprintf("subject-%d", i+1), links))
	}
	return p
}

func newHTMLVerdict(v verify.Verdict) htmlVerdict {
	word, _ := verdictWord(v)
	return htmlVerdict{strings.ToLower(word), string(v)}
}

func newHTMLSubject(s *verify.Subject, id string, links map[*verify.Counterexample]htmlLink) htmlSubject {
	h := htmlSubject{
		ID: id, Address: visible(s.Address), Kind: visible(s.Kind), Promise: visible(s.Promise), Mechanism: visible(s.Mechanism),
		Source: s.Pos.String(), Verdict: newHTMLVerdict(verdictOf(s)), Cells: count(s.Checks).cells(),
	}
	for i := range s.Checks {
		h.Checks = append(h.Checks, newHTMLCheck(&s.Checks[i], links))
	}
	return h
}

func newHTMLCheck(c *verify.Check, links map[*verify.Counterexample]htmlLink) htmlCheck {
	h := htmlCheck{
		ID: visible(c.ID), Name: visible(c.Name), Phase: phaseNames[c.Phase], Clients: visible(strings.Join(c.Clients, ", ")),
		Detail: visible(c.Detail), Verdict: newHTMLVerdict(verdictOfCheck(c)),
	}
	switch {
	case c.Phase != verify.Interleavings:
		h.Numbers = brokenShare(c)
	case c.Violating > 0:
		h.Numbers = brokenShare(c) + ", " + grade(c.Schedules, c.Waiting)
	default:
		h.Numbers = grade(c.Schedules, c.Waiting)
	}
	for i := range c.Counterexamples {
		h.Examples = append(h.Examples, links[&c.Counterexamples[i]])
	}
	for _, m := range c.Mutants {
		mutant := htmlMutant{Name: visible(m.Name), Reason: visible(m.Reason), Verdict: newHTMLVerdict(m.Verdict), Diff: newHTMLDiff(m.Diff)}
		if m.Verdict == verify.Excused && m.Schedules > 0 {
			mutant.Grade = grade(m.Schedules, m.Waiting)
		}
		if link, ok := links[m.Counterexample]; ok {
			mutant.Example = &link
		}
		h.Mutants = append(h.Mutants, mutant)
	}
	return h
}

func newHTMLDiff(lines []string) []htmlDiff {
	return each(lines, func(line string) htmlDiff {
		d := htmlDiff{"same", visible(line)}
		switch {
		case strings.HasPrefix(line, "-"):
			d.Class = "minus"
		case strings.HasPrefix(line, "+"):
			d.Class = "plus"
		}
		return d
	})
}

func newHTMLExample(e Example, id string) htmlExample {
	c := e.Counterexample
	h := htmlExample{
		ID: id, Check: visible(e.Check.ID), Title: e.Check.Name, Replay: Again(c),
		Fixture: visibleLines(c.Fixture), Verdict: newHTMLVerdict(verify.Violated),
	}
	if !e.saysPromise() {
		h.Promise = visible(e.Subject.Promise)
	}
	if e.Mutant != nil {
		h.Title += ", " + e.Mutant.Name
		h.Verdict, h.Diff = newHTMLVerdict(e.Mutant.Verdict), newHTMLDiff(e.Mutant.Diff)
	}
	h.Title = visible(h.Title)
	if c.Run != nil {
		h.addRun(c.Run)
	}
	return h
}

func (h *htmlExample) addRun(run *explore.Run) {
	n := clients(run)
	for i := range n {
		head := htmlHead{Session: session(i)}
		if i < len(run.Clients) {
			head.Name = visible(run.Clients[i])
		}
		h.Heads = append(h.Heads, head)
	}
	for _, e := range timeline(run) {
		row := htmlRow{Cells: make([]*htmlCell, n)}
		if e.number > 0 {
			row.Number = fmt.Sprint(e.number)
		}
		cell := &htmlCell{Session: session(e.client), SQL: e.sql, Ahead: e.ahead, Args: e.args}
		for _, note := range e.notes {
			cell.Notes = append(cell.Notes, htmlDiff{string(note.tone), note.text})
		}
		row.Cells[e.client] = cell
		h.Rows = append(h.Rows, row)
	}
	for i, e := range run.Ends {
		text, isError := end(e)
		h.Ends = append(h.Ends, htmlEnd{session(i), text, isError})
	}
	for len(h.Ends) < n && len(h.Ends) > 0 {
		h.Ends = append(h.Ends, htmlEnd{Session: session(len(h.Ends))})
	}
	for _, v := range run.Violations {
		rows := v.Rows[:min(len(v.Rows), evidenceRows)]
		h.Violations = append(h.Violations, htmlViolation{
			Rule: visible(v.Rule), Columns: each(v.Columns, visible), More: len(v.Rows) - len(rows),
			Rows: each(rows, func(row []string) []string { return each(row, visible) }),
		})
	}
	for label, text := range ordered("stuck", run.Stuck, "the replay differs", run.Deviation) {
		if text != "" {
			h.Remarks = append(h.Remarks, label+": "+visible(text))
		}
	}
}
