package view

import (
	"strings"

	"github.com/pawldb/pawl/verify/report"
)

// Verifiable is what verify would run, with the IDs that it takes.
type Verifiable struct {
	Project  string                  `json:"project"`
	Subjects List[VerifiableSubject] `json:"subjects"`
}

// VerifiableSubject is a declaration and its checks.
type VerifiableSubject struct {
	Address string                `json:"address"`
	Checks  List[VerifiableCheck] `json:"checks"`
}

// VerifiableCheck is a check, and the mutants that it must catch.
type VerifiableCheck struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Mutants List[string] `json:"mutants"` // as they stand after the "@" of an ID
}

// Verifiable lists the checks below their addresses; a verbose list has the
// mutants too.
func (h *human) Verifiable(v Verifiable) {
	if len(v.Subjects) == 0 {
		h.out.line("%s", report.NothingToVerify)
		return
	}
	for i, s := range v.Subjects {
		if i > 0 {
			h.out.blank()
		}
		h.out.line("%s", h.out.paint(bold, s.Address))
		for _, c := range s.Checks {
			h.out.line("  %s  %s", c.ID, h.out.paint(dim, c.Name))
			if h.verbose && len(c.Mutants) > 0 {
				h.out.line("    @ %s", strings.Join(c.Mutants, ", "))
			}
		}
	}
}

// Verifiable keeps it for the document.
func (j *jsonView) Verifiable(v Verifiable) { j.doc.Verifiable = &v }
