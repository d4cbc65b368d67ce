package report

import (
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

// Document is a report as programs read it, the part "verify" of the command's
// JSON. Its fields' names are a promise, and its arrays are never null.
type Document struct {
	Project  string            `json:"project"`
	Server   string            `json:"server"`
	Sessions int               `json:"sessions"`
	Full     bool              `json:"full"`
	Verdict  verify.Verdict    `json:"verdict"` // holds, untried, inconclusive, survived, violated
	Seconds  float64           `json:"seconds"`
	Counts   CountsDocument    `json:"counts"`
	Subjects []SubjectDocument `json:"subjects"`
}

// CountsDocument sums checks up.
type CountsDocument struct {
	Checks    int `json:"checks"`
	Schedules int `json:"schedules"`
	Waiting   int `json:"waiting"`
	Violating int `json:"violating"`
	Mutants   int `json:"mutants"`
	Killed    int `json:"killed"`
	Survived  int `json:"survived"`
	Excused   int `json:"excused"`
}

// SubjectDocument is a declaration and its checks.
type SubjectDocument struct {
	Address   string          `json:"address"`
	Kind      string          `json:"kind"`
	Source    string          `json:"source"` // seats.hcl:31
	Promise   string          `json:"promise"`
	Mechanism string          `json:"mechanism"`
	Verdict   verify.Verdict  `json:"verdict"`
	Counts    CountsDocument  `json:"counts"`
	Checks    []CheckDocument `json:"checks"`
}

// CheckDocument is a check.
type CheckDocument struct {
	ID              string                   `json:"id"`
	Name            string                   `json:"name"`
	Phase           verify.Phase             `json:"phase"`
	Clients         []string                 `json:"clients"`
	Verdict         verify.Verdict           `json:"verdict"`
	Detail          string                   `json:"detail"`
	Schedules       int                      `json:"schedules"`
	Waiting         int                      `json:"waiting"`
	Pruned          int                      `json:"pruned"`
	Violating       int                      `json:"violating"`
	Rounds          int                      `json:"rounds"`
	Rate            float64                  `json:"rate"`
	Outcomes        map[string]int           `json:"outcomes"`
	Seconds         float64                  `json:"seconds"`
	Counterexamples []CounterexampleDocument `json:"counterexamples"`
	Mutants         []MutantDocument         `json:"mutants"`
}

// MutantDocument is a mutant.
type MutantDocument struct {
	ID             string                  `json:"id"`
	Name           string                  `json:"name"`
	Verdict        verify.Verdict          `json:"verdict"`
	Reason         string                  `json:"reason"`
	Diff           []string                `json:"diff"`
	Schedules      int                     `json:"schedules"`
	Waiting        int                     `json:"waiting"`
	Seconds        float64                 `json:"seconds"`
	Counterexample *CounterexampleDocument `json:"counterexample"`
}

// CounterexampleDocument is a schedule that broke a rule.
type CounterexampleDocument struct {
	ID      string `json:"id"` // what --replay takes
	Fixture string `json:"fixture"`
	// Schedule names the clients in the order of their grants: "0.1.0".
	Schedule   string              `json:"schedule"`
	Clients    []string            `json:"clients"`
	Steps      []StepDocument      `json:"steps"`
	Ends       []EndDocument       `json:"ends"`
	Violations []ViolationDocument `json:"violations"`
	Waits      int                 `json:"waits"`
	Deviation  string              `json:"deviation"`
	Stuck      string              `json:"stuck"`
	Seconds    float64             `json:"seconds"`
}

// StepDocument is a step of a schedule.
type StepDocument struct {
	Client     int                 `json:"client"`
	Kind       explore.Kind        `json:"kind"`
	SQL        string              `json:"sql"`
	Args       []string            `json:"args"`
	Ahead      []string            `json:"ahead"` // sent before it without a grant
	State      explore.StepState   `json:"state"`
	WaitsFor   []int               `json:"waits_for"`
	Tag        string              `json:"tag"`
	Columns    []string            `json:"columns"`
	Rows       [][]string          `json:"rows"`
	Error      string              `json:"error"`
	Place      string              `json:"place"`
	Commits    bool                `json:"commits"`
	Violations []ViolationDocument `json:"violations"`
}

// EndDocument is what a client's caller learned.
type EndDocument struct {
	Value string `json:"value"`
	Error string `json:"error"`
}

// ViolationDocument is a rule that was broken, and the rows that show it.
type ViolationDocument struct {
	Rule    string     `json:"rule"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// NewDocument makes the document of a report.
func NewDocument(r *verify.Report) *Document {
	return &Document{
		Project: r.Project, Server: r.Server, Sessions: r.Sessions, Full: r.Full,
		Verdict: Overall(r), Seconds: r.Duration.Seconds(), Counts: total(r).document(),
		Subjects: each(r.Subjects, newSubjectDocument),
	}
}

// NewCounterexampleDocument makes the document of one schedule.
func NewCounterexampleDocument(c *verify.Counterexample) CounterexampleDocument {
	d := CounterexampleDocument{ID: c.ID, Fixture: c.Fixture}
	run := c.Run
	if run == nil {
		run = &explore.Run{}
	}
	d.Schedule, d.Waits, d.Deviation, d.Stuck, d.Seconds = run.ID, run.Waits, run.Deviation, run.Stuck, run.Duration.Seconds()
	d.Clients = never(run.Clients)
	d.Steps = each(run.Steps, newStepDocument)
	d.Violations = each(run.Violations, newViolationDocument)
	d.Ends = each(run.Ends, func(e explore.End) EndDocument {
		text, isError := end(e)
		if isError {
			return EndDocument{Error: e.Err.Error()}
		}
		return EndDocument{Value: text}
	})
	return d
}

func (n tally) document() CountsDocument {
	return CountsDocument{
		Checks: n.checks, Schedules: n.schedules, Waiting: n.waiting, Violating: n.violating,
		Mutants: n.mutants, Killed: n.killed, Survived: n.survived, Excused: n.excused,
	}
}

func newSubjectDocument(s verify.Subject) SubjectDocument {
	return SubjectDocument{
		Address: s.Address, Kind: s.Kind, Source: s.Pos.String(), Promise: s.Promise, Mechanism: s.Mechanism,
		Verdict: verdictOf(&s), Counts: count(s.Checks).document(), Checks: each(s.Checks, newCheckDocument),
	}
}

func newCheckDocument(c verify.Check) CheckDocument {
	d := CheckDocument{
		ID: c.ID, Name: c.Name, Phase: c.Phase, Clients: never(c.Clients), Verdict: c.Verdict, Detail: c.Detail,
		Schedules: c.Schedules, Waiting: c.Waiting, Pruned: c.Pruned, Violating: c.Violating, Rounds: c.Rounds, Rate: c.Rate,
		Outcomes: c.Outcomes, Seconds: c.Duration.Seconds(), Mutants: each(c.Mutants, newMutantDocument),
		Counterexamples: each(c.Counterexamples, func(c verify.Counterexample) CounterexampleDocument {
			return NewCounterexampleDocument(&c)
		}),
	}
	if d.Outcomes == nil {
		d.Outcomes = map[string]int{}
	}
	return d
}

func newMutantDocument(m verify.Mutant) MutantDocument {
	d := MutantDocument{
		ID: m.ID, Name: m.Name, Verdict: m.Verdict, Reason: m.Reason, Diff: never(m.Diff),
		Schedules: m.Schedules, Waiting: m.Waiting, Seconds: m.Duration.Seconds(),
	}
	if m.Counterexample != nil {
		c := NewCounterexampleDocument(m.Counterexample)
		d.Counterexample = &c
	}
	return d
}

func newStepDocument(s explore.Step) StepDocument {
	d := StepDocument{
		Client: s.Client, Kind: s.Kind, SQL: s.SQL, Args: never(s.Args), Ahead: never(s.Ahead), State: s.State, WaitsFor: never(s.WaitsFor),
		Tag: s.Tag, Columns: never(s.Columns), Rows: each(s.Rows, never[string]), Place: s.Place, Commits: s.Commits,
		Violations: each(s.Violations, newViolationDocument),
	}
	if s.Err != nil {
		d.Error = s.Err.Error()
	}
	return d
}

func newViolationDocument(v explore.Violation) ViolationDocument {
	return ViolationDocument{Rule: v.Rule, Columns: never(v.Columns), Rows: each(v.Rows, never[string])}
}

// each converts a list; a nil one becomes an empty one.
func each[A, B any](list []A, convert func(A) B) []B {
	converted := make([]B, len(list))
	for i, a := range list {
		converted[i] = convert(a)
	}
	return converted
}

// never is a list that is never nil.
func never[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
