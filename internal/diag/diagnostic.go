package diag

import (
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2"
)

// Severity tells whether a finding stops the command.
type Severity int

const (
	// Error means that nothing is generated or applied. It is the zero value,
	// so that a diagnostic whose severity was forgotten is not overlooked.
	Error Severity = iota
	// Warning is told and does not stop the command.
	Warning
)

// String returns "error" or "warning", the word that messages and JSON use.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one mistake in the user's files.
type Diagnostic struct {
	Severity Severity
	Code     Code
	// Detail names the values of this case, as one or more full sentences.
	// It may be empty when Label says it all.
	Detail string
	// Subject is the smallest range that is wrong. The zero Range means that
	// the mistake has no place, such as a missing file.
	Subject hcl.Range
	// Label stands beside the caret: a few words that name the values.
	Label string
	// Related are the other places that take part.
	Related []Related
	// Consequence tells what would go wrong at run time if this were accepted.
	Consequence string
	// Help tells what to write instead; text that can be pasted.
	Help string
	// Fix does what Help says. It is nil where that needs a decision.
	Fix *Fix
}

// Related is another place that takes part in a mistake, such as the first of
// two declarations with one name.
type Related struct {
	Range hcl.Range
	// Text tells the part that the place plays, in a few words.
	Text string
}

// List collects diagnostics. The zero value is an empty list.
type List []Diagnostic

// Add appends diagnostics to the list.
func (l *List) Add(ds ...Diagnostic) { *l = append(*l, ds...) }

// Extend appends all diagnostics of another list.
func (l *List) Extend(other List) { *l = append(*l, other...) }

// HasErrors reports whether the list holds a diagnostic of severity Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort brings the list into its stable order (file, line, column, code, detail,
// label) and drops repetitions: diagnostics that agree in severity, code, place,
// detail and label are said once. Diagnostics without a place come first.
func (l *List) Sort() {
	slices.SortStableFunc(*l, compare)
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Subject.Filename, b.Subject.Filename),
		cmp.Compare(a.Subject.Start.Line, b.Subject.Start.Line),
		cmp.Compare(a.Subject.Start.Column, b.Subject.Start.Column),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Subject.End.Line, b.Subject.End.Line),
		cmp.Compare(a.Subject.End.Column, b.Subject.End.Column),
		cmp.Compare(a.Detail, b.Detail),
		cmp.Compare(a.Label, b.Label),
	)
}
