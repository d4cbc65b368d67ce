package diag

import (
	"encoding/json"
	"io"

	"github.com/hashicorp/hcl/v2"
)

// FormatVersion is the version of the JSON document. It grows when a field
// changes its meaning or goes away; new fields do not count.
const FormatVersion = 1

// JSON renders one document a call, on several lines, with the same fields as
// Text. Arrays are never null, texts that are absent are empty, and a place that
// is absent is null.
type JSON struct{}

type jsonDocument struct {
	FormatVersion int              `json:"format_version"`
	Diagnostics   []jsonDiagnostic `json:"diagnostics"`
	InternalError *jsonBug         `json:"internal_error"`
	Database      *jsonOutage      `json:"database_unreachable"`
}

type jsonDiagnostic struct {
	Severity    string        `json:"severity"`
	Code        Code          `json:"code"`
	Summary     string        `json:"summary"`
	Detail      string        `json:"detail"`
	Range       *jsonRange    `json:"range"`
	Label       string        `json:"label"`
	Related     []jsonRelated `json:"related"`
	Consequence string        `json:"consequence"`
	Help        string        `json:"help"`
	Fix         *jsonFix      `json:"fix"`
}

// jsonFix is an edit that certainly does what the help says.
type jsonFix struct {
	Range *jsonRange `json:"range"`
	Text  string     `json:"text"`
}

type jsonRelated struct {
	Range *jsonRange `json:"range"`
	Text  string     `json:"text"`
}

type jsonRange struct {
	File  string  `json:"file"`
	Start jsonPos `json:"start"`
	End   jsonPos `json:"end"`
}

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

type jsonBug struct {
	Message string `json:"message"`
	Version string `json:"version"`
	Stack   string `json:"stack"`
	Report  string `json:"report"`
}

type jsonOutage struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
	Help   string `json:"help"`
}

// List implements Renderer.
func (JSON) List(w io.Writer, list List) error {
	doc := newDocument()
	for _, d := range list {
		out := jsonDiagnostic{
			Severity: d.Severity.String(), Code: d.Code, Summary: d.Code.Summary(), Detail: d.Detail,
			Range: rangeJSON(d.Subject), Label: d.Label, Related: []jsonRelated{}, Consequence: d.Consequence, Help: d.Help,
		}
		for _, r := range d.Related {
			out.Related = append(out.Related, jsonRelated{Range: rangeJSON(r.Range), Text: r.Text})
		}
		if d.Fix != nil {
			out.Fix = &jsonFix{Range: rangeJSON(d.Fix.Range), Text: d.Fix.Text}
		}
		doc.Diagnostics = append(doc.Diagnostics, out)
	}
	return doc.write(w)
}

// Bug implements Renderer.
func (JSON) Bug(w io.Writer, bug Bug) error {
	doc := newDocument()
	doc.InternalError = &jsonBug{Message: bug.Message, Version: bug.Version, Stack: bug.Stack, Report: IssuesURL}
	return doc.write(w)
}

// Outage implements Renderer.
func (JSON) Outage(w io.Writer, outage Outage) error {
	doc := newDocument()
	doc.Database = &jsonOutage{Target: outage.Target, Reason: outage.Reason, Help: outage.Help}
	return doc.write(w)
}

func newDocument() jsonDocument {
	return jsonDocument{FormatVersion: FormatVersion, Diagnostics: []jsonDiagnostic{}}
}

func (doc jsonDocument) write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

func rangeJSON(r hcl.Range) *jsonRange {
	if r.Filename == "" {
		return nil
	}
	return &jsonRange{File: r.Filename, Start: jsonPos(r.Start), End: jsonPos(r.End)}
}
