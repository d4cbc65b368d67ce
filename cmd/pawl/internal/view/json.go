package view

import (
	"bytes"
	"encoding/json"

	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/verify/report"
)

// FormatVersion is the version of the JSON documents. It grows when a field
// changes its meaning or goes away; new fields do not count.
const FormatVersion = diag.FormatVersion

// NewJSON returns the view for programs: one document on stdout, whatever
// happens, written when the command ends. Arrays in it are never null.
func NewJSON(s Streams) View {
	return &jsonView{out: s, doc: document{FormatVersion: FormatVersion}}
}

type jsonView struct {
	out Streams
	doc document
	err error
}

// document is the whole output. Of the results, the one of the command that ran
// is there.
type document struct {
	FormatVersion int                   `json:"format_version"`
	ExitCode      int                   `json:"exit_code"`
	Diagnostics   List[json.RawMessage] `json:"diagnostics"`
	Error         *Failure              `json:"error"`
	Bug           json.RawMessage       `json:"internal_error"`
	Outage        json.RawMessage       `json:"database_unreachable"`

	Version     *Version     `json:"version,omitempty"`
	Fixed       []Fixed      `json:"fixed,omitempty"`
	Initialized *Initialized `json:"init,omitempty"`
	Validated   *Validated   `json:"validate,omitempty"`
	Formatted   *Formatted   `json:"fmt,omitempty"`
	Explained   *Explanation `json:"explain,omitempty"`
	Code        *codeEntry   `json:"code,omitempty"`
	Graph       *Graph       `json:"graph,omitempty"`
	Generated   *Generated   `json:"generate,omitempty"`
	Plan        *Plan        `json:"plan,omitempty"`
	Applied     *appliedDoc  `json:"apply,omitempty"`

	Verified   *report.Document               `json:"verify,omitempty"`
	Verifiable *Verifiable                    `json:"verifiable,omitempty"`
	Replayed   *report.CounterexampleDocument `json:"replay,omitempty"`
	Diagrams   *List[string]                  `json:"diagrams,omitempty"`
}

type codeEntry struct {
	Code    diag.Code `json:"code"`
	Summary string    `json:"summary"`
	Explain string    `json:"explain"`
	Example string    `json:"example"`
}

type appliedDoc struct {
	Applied
	Done List[StepDone] `json:"done"`
}

// Diagnostics keeps findings for the document.
func (j *jsonView) Diagnostics(list diag.List, _ diag.Sources) {
	j.render(func(w *bytes.Buffer) error { return diag.JSON{}.List(w, list) })
}

// Bug keeps a failure of pawl for the document.
func (j *jsonView) Bug(b diag.Bug) {
	j.render(func(w *bytes.Buffer) error { return diag.JSON{}.Bug(w, b) })
}

// Outage keeps it for the document.
func (j *jsonView) Outage(o diag.Outage) {
	j.render(func(w *bytes.Buffer) error { return diag.JSON{}.Outage(w, o) })
}

// render takes over the parts that package diag spells, so that they are
// spelled in one place.
func (j *jsonView) render(write func(*bytes.Buffer) error) {
	var part document
	var buffer bytes.Buffer
	err := write(&buffer)
	if err == nil {
		err = json.Unmarshal(buffer.Bytes(), &part)
	}
	if err != nil {
		j.err = err
		return
	}
	j.doc.Diagnostics = append(j.doc.Diagnostics, part.Diagnostics...)
	if part.Bug != nil {
		j.doc.Bug = part.Bug
	}
	if part.Outage != nil {
		j.doc.Outage = part.Outage
	}
}

// Failure keeps it for the document.
func (j *jsonView) Failure(f Failure) { j.doc.Error = &f }

// Progress is for people.
func (j *jsonView) Progress(string) {}

// Version keeps it for the document.
func (j *jsonView) Version(v Version) { j.doc.Version = &v }

// Fixed keeps it for the document.
func (j *jsonView) Fixed(f Fixed) { j.doc.Fixed = append(j.doc.Fixed, f) }

// Validated keeps it for the document.
func (j *jsonView) Validated(v Validated) { j.doc.Validated = &v }

// Initialized keeps it for the document.
func (j *jsonView) Initialized(i Initialized) { j.doc.Initialized = &i }

// Graphed keeps it for the document.
func (j *jsonView) Graphed(g Graph) { j.doc.Graph = &g }

// Formatted keeps it for the document.
func (j *jsonView) Formatted(f Formatted) { j.doc.Formatted = &f }

// Explained keeps it for the document.
func (j *jsonView) Explained(e Explanation) { j.doc.Explained = &e }

// CodeExplained keeps it for the document.
func (j *jsonView) CodeExplained(e diag.Entry) {
	j.doc.Code = &codeEntry{Code: e.Code, Summary: e.Summary, Explain: e.Explain, Example: e.Example}
}

// Generated keeps it for the document.
func (j *jsonView) Generated(g Generated) { j.doc.Generated = &g }

// Planned keeps it for the document.
func (j *jsonView) Planned(p Plan) { j.doc.Plan = &p }

// StepDone keeps it for the document: after a failure it tells how far apply
// came.
func (j *jsonView) StepDone(s StepDone) {
	if j.doc.Applied == nil {
		j.doc.Applied = &appliedDoc{}
	}
	j.doc.Applied.Done = append(j.doc.Applied.Done, s)
}

// Applied keeps it for the document.
func (j *jsonView) Applied(a Applied) {
	if j.doc.Applied == nil {
		j.doc.Applied = &appliedDoc{}
	}
	j.doc.Applied.Applied = a
}

// Serving says nothing: a document ends with its command, so a server that
// stays up is for people alone.
func (*jsonView) Serving(string) {}

// Close writes the document.
func (j *jsonView) Close(exitCode int) error {
	if j.err != nil {
		return j.err
	}
	j.doc.ExitCode = exitCode
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(j.doc); err != nil {
		return err
	}
	_, err := j.out.Out.Write(buffer.Bytes())
	return err
}
