package diag

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// quotation is the part of a source that a range covers: its first line and,
// when the range ends on another line, its last.
type quotation struct {
	first, last quotedLine
	// skipped is the number of lines between first and last.
	skipped int
}

// quotedLine is one source line with the span to underline.
type quotedLine struct {
	number     int
	text       string
	start, end int // byte offsets in text
}

// quote cuts the lines of a range out of its source. It fails when the range
// does not lie in the source, as after an edit of the file.
func quote(src []byte, r hcl.Range) (quotation, bool) {
	first, ok := sourceLine(src, r.Start.Line)
	if !ok {
		return quotation{}, false
	}
	q := quotation{first: quotedLine{number: r.Start.Line, text: first}}
	q.first.start = offsetInLine(src, first, r.Start)
	lastLine := max(r.End.Line, r.Start.Line)
	// A range that ends before the first column of a line covers none of it:
	// HCL's ranges of whole lines include the newline.
	if lastLine > r.Start.Line && r.End.Column <= 1 {
		lastLine--
	}
	if lastLine == r.Start.Line {
		q.first.end = len(first)
		if r.End.Line <= r.Start.Line {
			q.first.end = max(q.first.start, offsetInLine(src, first, r.End))
		}
		q.last = q.first
		return q, true
	}
	last, ok := sourceLine(src, lastLine)
	if !ok {
		return quotation{}, false
	}
	q.first.end = len(first)
	q.last = quotedLine{number: lastLine, text: last, start: len(last) - len(strings.TrimLeft(last, " \t"))}
	q.last.end = len(last)
	if lastLine == r.End.Line {
		q.last.end = offsetInLine(src, last, r.End)
	}
	q.last.start = min(q.last.start, q.last.end)
	q.skipped = lastLine - r.Start.Line - 1
	return q, true
}

// sourceLine returns a line, counted from 1, without its line ending.
func sourceLine(src []byte, number int) (string, bool) {
	if number < 1 {
		return "", false
	}
	for i := 1; i < number; i++ {
		nl := bytes.IndexByte(src, '\n')
		if nl < 0 {
			return "", false
		}
		src = src[nl+1:]
	}
	if nl := bytes.IndexByte(src, '\n'); nl >= 0 {
		src = src[:nl]
	}
	return strings.TrimSuffix(string(src), "\r"), true
}

// offsetInLine is the byte offset of a position in its line. Columns count
// grapheme clusters, so the byte is the exact one; the column stands in when the
// byte does not lie in this line.
func offsetInLine(src []byte, line string, pos hcl.Pos) int {
	if pos.Byte >= 0 && pos.Byte <= len(src) {
		start := bytes.LastIndexByte(src[:pos.Byte], '\n') + 1
		if bytes.HasPrefix(src[start:], []byte(line)) && bytes.Count(src[:start], []byte{'\n'}) == pos.Line-1 {
			return min(pos.Byte-start, len(line))
		}
	}
	offset := 0
	for column := 1; column < pos.Column && offset < len(line); column++ {
		offset += len(nextCluster(line[offset:]))
	}
	return offset
}

func (q quotation) print(p *page, label, style string) {
	gutter := len(strconv.Itoa(q.last.number))
	if q.last.number == q.first.number {
		q.first.print(p, gutter, label, style)
		return
	}
	q.first.print(p, gutter, "", style)
	switch {
	case q.skipped == 1:
		p.line(fmt.Sprintf("   %*s %s ... 1 line", gutter, "", p.paint(blue, "|")))
	case q.skipped > 1:
		p.line(fmt.Sprintf("   %*s %s ... %d lines", gutter, "", p.paint(blue, "|"), q.skipped))
	}
	q.last.print(p, gutter, label, style)
}

func (l quotedLine) print(p *page, gutter int, label, style string) {
	p.line("   " + p.paint(blue, fmt.Sprintf("%*d |", gutter, l.number)) + " " + expand(l.text))
	indent := columns(l.text[:l.start], 0)
	carets := max(1, columns(l.text[l.start:l.end], indent)-indent)
	mark := strings.Repeat("^", carets)
	if label != "" {
		mark += " " + label
	}
	p.line("   " + p.paint(blue, fmt.Sprintf("%*s |", gutter, "")) + " " + strings.Repeat(" ", indent) + p.paint(style, mark))
}
