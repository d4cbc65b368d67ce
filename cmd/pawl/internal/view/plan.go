package view

import (
	"fmt"
	"strings"
)

// Plan is what apply would do.
type Plan struct {
	Database string       `json:"database"` // user, host and name, no password
	Changes  List[Change] `json:"changes"`
	Steps    List[Step]   `json:"steps"`
	Hazards  List[Hazard] `json:"hazards"`
	// Violations are new rules that rows break already: apply would fail.
	Violations List[Violation] `json:"violations"`
	// Unmanaged are the objects that pawl did not create and leaves alone.
	Unmanaged List[string] `json:"unmanaged"`

	// Aside says that the command's artefact is something else: people read the plan
	// on stderr then.
	Aside bool `json:"-"`
}

// Action is what happens to an object.
type Action string

// The actions, as a plan marks them.
const (
	Add     Action = "+"
	Alter   Action = "~"
	Replace Action = "~!" // made anew
	Remove  Action = "-"
	Release Action = "#" // it stays in the database, and is pawl's no more
)

// Change is one change of an object.
type Change struct {
	Action  Action `json:"action"`
	Address string `json:"address"`
	Source  string `json:"source"` // bookings.hcl:31
	Object  string `json:"object"` // constraint app.bookings.bookings_one_per_room
	Text    string `json:"text"`   // add constraint bookings_one_per_room
}

// Step is one step of an apply.
type Step struct {
	Number   int          `json:"number"` // from 1
	Title    string       `json:"title"`
	SQL      List[string] `json:"sql"`
	Address  string       `json:"address"`
	Source   string       `json:"source"`
	Why      string       `json:"why"`
	Table    string       `json:"table"` // what is locked, scanned or rewritten
	Lock     string       `json:"lock"`  // as PostgreSQL's manual spells it; empty for none
	Blocks   string       `json:"blocks"`
	Scans    bool         `json:"scans"`
	Rewrites bool         `json:"rewrites"`
	Rows     int64        `json:"rows"`  // of the table, an estimate; negative when unknown
	Bytes    int64        `json:"bytes"` // of the table, an estimate
	// Transaction is the same number for steps that commit together; 0 for a step
	// that cannot run inside a transaction.
	Transaction int    `json:"transaction"`
	Retry       string `json:"retry"`
	Undo        string `json:"undo"`
}

// Hazard is something about a plan that a person should know before.
type Hazard struct {
	Kind    string `json:"kind"`
	Address string `json:"address"`
	Source  string `json:"source"`
	Text    string `json:"text"`
	Help    string `json:"help"`
	Rows    int64  `json:"rows"`    // rows that it is about; negative when unknown
	Allow   string `json:"allow"`   // what --allow has to be given; empty when nothing has to be
	Allowed bool   `json:"allowed"` // it was given
}

// Violation is a new rule that rows of the database break already.
type Violation struct {
	Address string       `json:"address"`
	Source  string       `json:"source"`
	Text    string       `json:"text"`
	Count   int64        `json:"count"`
	Samples List[string] `json:"samples"` // a few of the rows
}

// StepDone is a step that apply has finished.
type StepDone struct {
	Number  int     `json:"number"`
	Of      int     `json:"of"`
	Title   string  `json:"title"`
	Address string  `json:"address"`
	Seconds float64 `json:"seconds"`
}

// Applied is how an apply ended.
type Applied struct {
	Database string  `json:"database"`
	Steps    int     `json:"steps"`
	Seconds  float64 `json:"seconds"`
}

// Count is the number of changes with an action.
func (p Plan) Count(action Action) int {
	n := 0
	for _, c := range p.Changes {
		if c.Action == action {
			n++
		}
	}
	return n
}

// Empty reports whether there is nothing to apply.
func (p Plan) Empty() bool { return len(p.Changes) == 0 && len(p.Steps) == 0 }

// Summary is the last line of a plan.
func (p Plan) Summary() string {
	if p.Empty() {
		return "No changes: the database is as the spec says."
	}
	return fmt.Sprintf("Plan: %d to add, %d to change, %d to drop; %s.",
		p.Count(Add), p.Count(Alter)+p.Count(Replace), p.Count(Remove), number(len(p.Steps), "step"))
}

// Planned shows a plan: what changes by address, the steps with their locks,
// the hazards, and one line that sums it up.
func (h *human) Planned(plan Plan) {
	if plan.Aside {
		aside := *h
		aside.out = h.err
		h = &aside
	}
	p := h.out
	h.changes(plan.Changes)
	h.steps(plan.Steps)
	for i, hazard := range plan.Hazards {
		if i == 0 {
			p.line("Hazards")
		}
		p.item(p.paint(yellow, "!"), hazard.text())
		if permission := hazard.permission(); permission != "" {
			p.line("    %s", permission)
		}
	}
	if len(plan.Hazards) > 0 {
		p.blank()
	}
	h.violations(plan.Violations)
	p.notes("Not managed by pawl, left alone", plan.Unmanaged)
	p.line("%s", p.paint(bold, plan.Summary()))
}

// violations shows what stands in the way of an apply, with a few rows to look at.
func (h *human) violations(list []Violation) {
	p := h.out
	for i, v := range list {
		if i == 0 {
			p.line("Rows that break new rules: apply would fail")
		}
		p.item(p.paint(red, "!"), v.Address+": "+v.Text)
		for _, row := range v.Samples {
			p.line("      %s", row)
		}
	}
	if len(list) > 0 {
		p.blank()
	}
}

// text is a hazard in words.
func (h Hazard) text() string {
	text := h.Address + ": " + h.Text
	if h.Help != "" {
		text += "; " + h.Help
	}
	return text
}

// permission says what a hazard needs, on a line of its own: it gets copied.
func (h Hazard) permission() string {
	switch {
	case h.Allow == "":
		return ""
	case h.Allowed:
		return "allowed by --allow " + h.Allow
	}
	return "needs --allow " + h.Allow
}

func (p *page) notes(heading string, lines []string) {
	for i, line := range lines {
		if i == 0 {
			p.line("%s", heading)
		}
		p.line("  %s", line)
	}
	if len(lines) > 0 {
		p.blank()
	}
}

// changes lists the changes under their addresses, in the plan's order.
func (h *human) changes(changes []Change) {
	p := h.out
	for _, group := range groupByAddress(changes) {
		mark := group[0].Action
		for _, c := range group {
			if c.Action != mark {
				mark = Alter
			}
		}
		p.line("%s %s", p.mark(mark), p.paint(bold, group[0].Address))
		for _, c := range group {
			p.line("    %s %s", p.mark(c.Action), c.Text)
		}
	}
	if len(changes) > 0 {
		p.blank()
	}
}

// groupByAddress brings the changes of one address together, in the order of
// their first.
func groupByAddress(changes []Change) [][]Change {
	var groups [][]Change
	place := map[string]int{}
	for _, c := range changes {
		i, known := place[c.Address]
		if !known {
			i = len(groups)
			place[c.Address] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

func (p *page) mark(a Action) string {
	switch a {
	case Add:
		return p.paint(green, string(a))
	case Remove:
		return p.paint(red, string(a))
	case Alter, Replace, Release:
	}
	return p.paint(yellow, string(a))
}

func (h *human) steps(steps []Step) {
	p := h.out
	for i, s := range steps {
		if i == 0 {
			p.line("Steps")
		}
		p.line("  %2d. %s", s.Number, s.Title)
		p.line("      %s", p.paint(dim, strings.Join(s.facts(), "; ")))
		if !h.verbose {
			continue
		}
		p.wrapped("      ", s.Why)
		for _, sql := range s.SQL {
			p.text("      ", sql+";")
		}
	}
	if len(steps) > 0 {
		p.blank()
	}
}

// facts are what an operator asks about a step.
func (s Step) facts() []string {
	facts := []string{"no lock on a table"}
	if s.Lock != "" {
		facts[0] = s.Lock + " on " + s.Table + ", blocks " + s.Blocks
	}
	switch {
	case s.Rewrites:
		facts = append(facts, "rewrites "+s.size())
	case s.Scans:
		facts = append(facts, "reads "+s.size())
	}
	if s.Transaction == 0 {
		facts = append(facts, "outside of a transaction")
	}
	if s.Source != "" {
		facts = append(facts, s.Source)
	}
	return facts
}

// size is how much a step has to read or write.
func (s Step) size() string {
	rows := "an unknown number of rows"
	if s.Rows >= 0 {
		rows = "about " + number(int(s.Rows), "row")
	}
	return rows + ", " + bytesText(s.Bytes)
}

// bytesText is a size in the largest unit that leaves a number above one.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// StepDone prints a line of progress.
func (h *human) StepDone(s StepDone) {
	width := len(fmt.Sprint(s.Of))
	h.err.line("[%*d/%d] %s %s", width, s.Number, s.Of, s.Title, h.err.paint(dim, fmt.Sprintf("(%.2f s)", s.Seconds)))
}

// Serving prints the URL, which is the artefact, and how it ends.
func (h *human) Serving(url string) {
	h.out.line("%s", url)
	h.err.line("The private PostgreSQL stays up until Ctrl-C. Its URL is a DATABASE_URL for psql and for your program.")
}

// Applied sums up an apply.
func (h *human) Applied(a Applied) {
	if a.Steps == 0 {
		return // the plan has said that there is nothing to do
	}
	h.err.line("%s", h.err.paint(green, fmt.Sprintf("Applied %s to %s in %.2f s.", number(a.Steps, "step"), a.Database, a.Seconds)))
}
