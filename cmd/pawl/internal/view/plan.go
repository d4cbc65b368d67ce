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
	// Unmanaged are the objects that pawl did not create and leaves alone.
	Unmanaged List[string] `json:"unmanaged"`
	// Uncertain are the differences that the plan cannot tell from equal.
	Uncertain List[string] `json:"uncertain"`
}

// Action is what happens to an object.
type Action string

// The actions, as a plan marks them.
const (
	Add    Action = "+"
	Alter  Action = "~"
	Remove Action = "-"
)

// Change is one change of an object.
type Change struct {
	Action  Action `json:"action"`
	Address string `json:"address"`
	Object  string `json:"object"` // constraint bookings_one_per_room
	Detail  string `json:"detail"` // what differs; may be empty
}

// Step is one step of an apply.
type Step struct {
	Number        int          `json:"number"` // from 1
	Title         string       `json:"title"`
	SQL           List[string] `json:"sql"`
	Address       string       `json:"address"`
	Source        string       `json:"source"`
	Why           string       `json:"why"`
	Lock          string       `json:"lock"`
	Blocks        string       `json:"blocks"` // reads and writes, writes, nothing
	Work          string       `json:"work"`   // scans or rewrites, and how much; empty for a change of the catalog alone
	Transactional bool         `json:"transactional"`
}

// Hazard is something about a plan that a person should know before.
type Hazard struct {
	Address string `json:"address"`
	Text    string `json:"text"`
	Allow   string `json:"allow"`   // the flag that lets it happen; empty when none is needed
	Allowed bool   `json:"allowed"` // the flag was given
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
		p.Count(Add), p.Count(Alter), p.Count(Remove), number(len(p.Steps), "step"))
}

// Planned shows a plan: what changes by address, the steps with their locks,
// the hazards, and one line that sums it up.
func (h *human) Planned(plan Plan) {
	p := h.out
	h.changes(plan.Changes)
	h.steps(plan.Steps)
	for i, hazard := range plan.Hazards {
		if i == 0 {
			p.line("Hazards")
		}
		p.item(p.paint(yellow, "!"), hazardText(hazard))
	}
	if len(plan.Hazards) > 0 {
		p.blank()
	}
	p.notes("Not managed by pawl, left alone", plan.Unmanaged)
	p.notes("Uncertain", plan.Uncertain)
	p.line("%s", p.paint(bold, plan.Summary()))
}

func hazardText(h Hazard) string {
	text := h.Address + ": " + h.Text
	switch {
	case h.Allow == "":
		return text
	case h.Allowed:
		return text + " (allowed by " + h.Allow + ")"
	}
	return text + " (needs " + h.Allow + ")"
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
			text := "    " + p.mark(c.Action) + " " + c.Object
			if c.Detail != "" {
				text += ": " + c.Detail
			}
			p.line("%s", text)
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
	case Alter:
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
			p.text("      ", sql)
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
		facts[0] = s.Lock + ", blocks " + s.Blocks
	}
	if s.Work != "" {
		facts = append(facts, s.Work)
	}
	if !s.Transactional {
		facts = append(facts, "outside of a transaction")
	}
	if s.Source != "" {
		facts = append(facts, s.Source)
	}
	return facts
}

// StepDone prints a line of progress.
func (h *human) StepDone(s StepDone) {
	width := len(fmt.Sprint(s.Of))
	h.err.line("[%*d/%d] %s %s", width, s.Number, s.Of, s.Title, h.err.paint(dim, fmt.Sprintf("(%.2f s)", s.Seconds)))
}

// Applied sums up an apply.
func (h *human) Applied(a Applied) {
	if a.Steps == 0 {
		return // the plan has said that there is nothing to do
	}
	h.err.line("%s", h.err.paint(green, fmt.Sprintf("Applied %s to %s in %.2f s.", number(a.Steps, "step"), a.Database, a.Seconds)))
}
