package diag

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// RangeAt leads a place inside the value of a string back to the source. The
// expression is a quoted string or a heredoc without interpolation: expr is its
// range, quotes or heredoc markers included, and src the whole file. offset and
// length count bytes of the value; a length of 0 gives the range of the one
// character at offset.
//
// It returns expr itself and false when the place cannot be told: the string is
// interpolated, or is no string literal, or the offset lies outside it. HCL
// brings values to Unicode's NFC, so behind a decomposed character the place can
// be off by its bytes.
func RangeAt(expr hcl.Range, src []byte, offset, length int) (hcl.Range, bool) {
	units, ok := decodeLiteral(expr, src)
	if !ok || offset < 0 || len(units) == 0 {
		return expr, false
	}
	last := units[len(units)-1]
	total := last.value + len(last.text)
	if offset > total {
		return expr, false
	}
	start, end := last.to, last.to
	if offset < total {
		first := unitAt(units, offset)
		final := unitAt(units, min(max(offset+length, offset+1), total)-1)
		start, end = first.from, final.to
	}
	from := posAt(src, expr.Start, start)
	return hcl.Range{Filename: expr.Filename, Start: from, End: posAt(src, from, end)}, true
}

// unit is one character of a string's value and the source bytes that spell it.
type unit struct {
	text     string // the character
	value    int    // byte offset in the value
	from, to int    // byte range in the file
}

// unitAt finds the character that holds a byte of the value. The offset lies in
// the value.
func unitAt(units []unit, offset int) unit {
	lo, hi := 0, len(units)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if units[mid].value <= offset {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return units[lo]
}

// posAt moves from a known position to a later byte of the same file. HCL's own
// scanner does the counting, so that columns are those of HCL's ranges.
func posAt(src []byte, from hcl.Pos, to int) hcl.Pos {
	if to <= from.Byte {
		return from
	}
	scanner := hcl.NewRangeScannerFragment(src[:to], "", from, func(data []byte, _ bool) (int, []byte, error) {
		return len(data), data, nil
	})
	if !scanner.Scan() {
		return from
	}
	return scanner.Range().End
}

// decodeLiteral spells out the value of a string literal, character by character.
func decodeLiteral(expr hcl.Range, src []byte) ([]unit, bool) {
	if !expr.CanSliceBytes(src) {
		return nil, false
	}
	text := expr.SliceBytes(src)
	d := decoder{src: src}
	switch {
	case len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"':
		ok := d.span(expr.Start.Byte+1, expr.End.Byte-1, true)
		return d.units, ok
	case bytes.HasPrefix(text, []byte("<<")):
		ok := d.heredoc(expr.Start.Byte, expr.End.Byte)
		return d.units, ok
	}
	return nil, false
}

type decoder struct {
	src   []byte
	units []unit
	value int
}

func (d *decoder) emit(text string, from, to int) {
	d.units = append(d.units, unit{text: text, value: d.value, from: from, to: to})
	d.value += len(text)
}

// span decodes the source from one byte to another. Backslashes are escapes in
// quoted strings alone. It fails at an interpolation.
func (d *decoder) span(from, to int, quoted bool) bool {
	for i := from; i < to; {
		rest := d.src[i:to]
		switch {
		case bytes.HasPrefix(rest, []byte("$${")), bytes.HasPrefix(rest, []byte("%%{")):
			d.emit(string(rest[1:3]), i, i+3)
			i += 3
		case bytes.HasPrefix(rest, []byte("${")), bytes.HasPrefix(rest, []byte("%{")):
			return false
		case quoted && rest[0] == '\\':
			text, size := unescape(rest)
			if size == 0 {
				return false
			}
			d.emit(text, i, i+size)
			i += size
		default:
			_, size := utf8.DecodeRune(rest)
			d.emit(string(rest[:size]), i, i+size)
			i += size
		}
	}
	return true
}

// unescape decodes the escape at the start of a text. The size is 0 for an
// escape that HCL does not know.
func unescape(text []byte) (value string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	switch text[1] {
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case '"':
		return `"`, 2
	case '\\':
		return `\`, 2
	case 'u':
		return unescapeRune(text, 4)
	case 'U':
		return unescapeRune(text, 8)
	}
	return "", 0
}

func unescapeRune(text []byte, digits int) (value string, size int) {
	size = 2 + digits
	if len(text) < size {
		return "", 0
	}
	n, err := strconv.ParseUint(string(text[2:size]), 16, 32)
	if err != nil {
		return "", 0
	}
	return string(rune(n)), size
}

// heredoc decodes the lines between the two markers. In the form <<- the
// indentation that all lines share is not part of the value.
func (d *decoder) heredoc(from, to int) bool {
	intro := bytes.IndexByte(d.src[from:to], '\n')
	if intro < 0 {
		return false
	}
	flush := bytes.HasPrefix(d.src[from:to], []byte("<<-"))
	marker := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(string(d.src[from:from+intro]), "<<"), "-"))
	lines := d.lines(from+intro+1, to, marker)
	indent := 0
	if flush {
		indent = sharedIndent(lines)
	}
	at := from + intro + 1
	for _, line := range lines {
		skip := 0
		if flush && !blank(line) {
			skip = indentBytes(line, indent)
		}
		if !d.span(at+skip, at+len(line), false) {
			return false
		}
		at += len(line)
	}
	return true
}

// lines cuts a heredoc into its lines, each with its newline, up to the closing
// marker.
func (d *decoder) lines(from, to int, marker string) []string {
	var lines []string
	for line := range strings.Lines(string(d.src[from:to])) {
		if strings.TrimSpace(line) == marker {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// sharedIndent counts the white space characters that all lines start with.
// Blank lines do not count.
func sharedIndent(lines []string) int {
	shared := -1
	for _, line := range lines {
		if blank(line) {
			continue
		}
		n := 0
		for _, r := range line {
			if !unicode.IsSpace(r) {
				break
			}
			n++
		}
		if shared < 0 || n < shared {
			shared = n
		}
	}
	return max(shared, 0)
}

func blank(line string) bool {
	return strings.HasSuffix(line, "\n") && strings.TrimSpace(line) == ""
}

// indentBytes is the length in bytes of the first n characters.
func indentBytes(line string, n int) int {
	size := 0
	for range n {
		_, one := utf8.DecodeRuneInString(line[size:])
		size += one
	}
	return size
}
