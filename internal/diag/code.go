package diag

import (
	"slices"
	"strings"
)

// Code names a class of diagnostics, as in error[unknown-column]. Codes are
// stable: scripts and `allow` blocks refer to them.
type Code string

// Entry documents one Code. `pawl explain CODE` prints it and docs/errors.md is
// generated from it.
type Entry struct {
	Code Code
	// Summary names the class in one line, without any value of the case at
	// hand, in lower case and without a full stop.
	Summary string
	// Explain says in a paragraph or two what goes wrong at run time and what
	// to write instead.
	Explain string
	// Example is one small, wrong file of a project. The block `pawl` is left
	// out: whoever compiles the example puts it in a file beside it.
	// It is empty for codes that no file can cause.
	Example string
}

// tables are the entries of the codes_*.go files.
var tables = [][]Entry{syntaxCodes, languageCodes, sqlCodes, invariantCodes, pitfallCodes, idempotencyCodes, ruleCodes, lifecycleCodes, generateCodes}

// index holds every entry by its code.
var index = func() map[Code]Entry {
	m := make(map[Code]Entry)
	for _, table := range tables {
		for _, e := range table {
			m[e.Code] = e
		}
	}
	return m
}()

// Codes returns every documented code, sorted by name.
func Codes() []Entry {
	all := make([]Entry, 0, len(index))
	for _, e := range index {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return all
}

// Lookup returns the documentation of a code, and whether there is such a code.
func Lookup(code Code) (Entry, bool) {
	e, ok := index[code]
	return e, ok
}

// Summary returns the fixed summary of the code. For a code that stands in no
// table it is the code itself, so that a message is never empty.
func (c Code) Summary() string {
	if e, ok := index[c]; ok {
		return e.Summary
	}
	return string(c)
}
