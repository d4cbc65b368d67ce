package golang

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pawldb/pawl/compiler/ir"
)

// sentence joins a beginning with what follows it, or with other when that is
// empty, and ends with a full stop.
func sentence(beginning, rest, other string) string {
	rest = strings.TrimSpace(rest)
	if rest == "" {
		rest = other
	}
	text := strings.TrimSuffix(strings.TrimSpace(beginning+rest), ":")
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// shortDuration spells a duration as a specification would, in days from two on and
// without the zeros that Go appends: 14d, 5m.
func shortDuration(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 2*day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// printable takes out of a text what cannot stand in Go source: control
// characters, a byte order mark, and what is no UTF-8.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\ufeff':
			return -1
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// oneLine brings text onto one line.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// lowerSentence makes the first letter of a sentence small, so that it can go on
// after a name; a word in capitals, an abbreviation, stays as it is.
func lowerSentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// operationDoc is the comment of a generated method: what it promises, which
// lock it takes and why, what it fails with, and its SQL.
func operationDoc(method string, o *ir.Operation) string {
	doc := strings.TrimSpace(o.Doc)
	if doc == "" {
		doc = "runs " + o.Address
	}
	return sentence(method+" ", lowerSentence(doc), "")
}

// lockDoc says which lock an operation takes on purpose, and why.
func lockDoc(o *ir.Operation) string {
	switch o.Lock {
	case ir.ForNoKeyUpdate, ir.ForUpdate, ir.ForKeyShare:
	default:
		return ""
	}
	text := "It locks " + string(o.Lock)
	for _, reason := range o.Reasons {
		if reason.Choice == string(o.Lock) {
			return sentence(text+": ", lowerSentence(reason.Why), "")
		}
	}
	return text + "."
}

// sqlDoc shows a statement as code in a doc comment, without the address that it
// opens with.
func sqlDoc(sql string) string {
	if rest, ok := strings.CutPrefix(sql, "/*"); ok {
		if _, after, found := strings.Cut(rest, "*/"); found {
			sql = after
		}
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(sql), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		for i, part := range wrap(line, 100) {
			if i > 0 {
				indent += "  "
			}
			lines = append(lines, "\t"+indent+part)
			if i > 0 {
				indent = indent[:len(indent)-2]
			}
		}
	}
	return strings.Join(lines, "\n")
}
