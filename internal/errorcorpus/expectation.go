package errorcorpus

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/internal/diag"
)

// expectation is one diagnostic that a file asks for.
type expectation struct {
	line     int // 0 for one without a place
	severity diag.Severity
	code     diag.Code
	text     *regexp.Regexp
}

// expectationForm is one expectation in a comment; the regular expression in it
// is a Go string, in quotes or backquotes.
var expectationForm = regexp.MustCompile("(ERROR|WARNING)(?:\\(([^)]*)\\))? ([a-z-]+) (\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")

// parseExpectations reads the comments of a file.
func parseExpectations(src string) ([]expectation, error) {
	var all []expectation
	number := 0
	for line := range strings.Lines(src) {
		number++
		_, comment, found := cutComment(line)
		if !found {
			continue
		}
		matches := expectationForm.FindAllStringSubmatch(comment, -1)
		if len(matches) != strings.Count(comment, "ERROR")+strings.Count(comment, "WARNING") {
			return nil, fmt.Errorf("line %d: not ERROR code \"regexp\": %s", number, strings.TrimSpace(comment))
		}
		for _, m := range matches {
			e, err := makeExpectation(number, m)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// cutComment splits a line before the comment that holds expectations.
func cutComment(line string) (before, comment string, found bool) {
	for _, start := range []string{"# ERROR", "# WARNING"} {
		if i := strings.Index(line, start); i >= 0 {
			return line[:i], line[i:], true
		}
	}
	return line, "", false
}

func makeExpectation(line int, m []string) (expectation, error) {
	e := expectation{line: line, code: diag.Code(m[3])}
	if m[1] == "WARNING" {
		e.severity = diag.Warning
	}
	switch m[2] {
	case "":
	case "nowhere":
		e.line = 0
	default:
		offset, err := strconv.Atoi(m[2])
		if err != nil {
			return e, fmt.Errorf("%q is no number of lines", m[2])
		}
		e.line += offset
	}
	pattern, err := strconv.Unquote(m[4])
	if err != nil {
		return e, fmt.Errorf("%s is no Go string", m[4])
	}
	e.text, err = regexp.Compile("(?s)" + pattern)
	return e, err
}

// matches reports whether a diagnostic is the one that is expected.
func (e expectation) matches(d diag.Diagnostic, file string) bool {
	if d.Subject.Filename != "" && d.Subject.Filename != file {
		return false
	}
	return d.Subject.Start.Line == e.line && d.Severity == e.severity && d.Code == e.code && e.text.MatchString(said(d))
}

// said is everything a diagnostic says.
func said(d diag.Diagnostic) string {
	return strings.Join([]string{d.Code.Summary(), d.Label, d.Detail, d.Consequence, d.Help}, "\n")
}

// compare pairs expectations and diagnostics and describes what is left over.
func compare(want []expectation, got diag.List, file string) []string {
	var problems []string
	for _, d := range got {
		i := slices.IndexFunc(want, func(e expectation) bool { return e.matches(d, file) })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("unexpected at %s:%d:%d: %s[%s]: %s",
				d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column, d.Severity, d.Code, said(d)))
			continue
		}
		want = slices.Delete(slices.Clone(want), i, i+1)
	}
	for _, e := range want {
		problems = append(problems, fmt.Sprintf("missing in line %d: %s[%s] that matches %q", e.line, e.severity, e.code, e.text))
	}
	return problems
}
