package diag

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

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

// lines is a source with the places where its lines start, so that the lines of
// thousands of mistakes are found in it without reading it as often.
type lines struct {
	src    []byte
	starts []int
}

func linesOf(src []byte) *lines {
	l := &lines{src: src, starts: []int{0}}
	for i, b := range src {
		if b == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// quote cuts the lines of a range out of its source. It fails when the range
// does not lie in the source, as after an edit of the file.
func (l *lines) quote(r hcl.Range) (quotation, bool) {
	first, ok := l.line(r.Start.Line)
	if !ok {
		return quotation{}, false
	}
	q := quotation{first: quotedLine{number: r.Start.Line, text: first}}
	q.first.start = l.offset(first, r.Start)
	lastLine := max(r.End.Line, r.Start.Line)
	// A range that ends before the first column of a line covers none of it:
	// HCL's ranges of whole lines include the newline.
	if lastLine > r.Start.Line && r.End.Column <= 1 {
		lastLine--
	}
	if lastLine == r.Start.Line {
		q.first.end = len(first)
		if r.End.Line <= r.Start.Line {
			q.first.end = max(q.first.start, l.offset(first, r.End))
		}
		q.last = q.first
		return q, true
	}
	last, ok := l.line(lastLine)
	if !ok {
		return quotation{}, false
	}
	q.first.end = len(first)
	q.last = quotedLine{number: lastLine, text: last, start: len(last) - len(strings.TrimLeft(last, " \t"))}
	q.last.end = len(last)
	if lastLine == r.End.Line {
		q.last.end = l.offset(last, r.End)
	}
	q.last.start = min(q.last.start, q.last.end)
	q.skipped = lastLine - r.Start.Line - 1
	return q, true
}

// line returns a line, counted from 1, without its line ending.
func (l *lines) line(number int) (string, bool) {
	if number < 1 || number > len(l.starts) {
		return "", false
	}
	text := l.src[l.starts[number-1]:]
	if number < len(l.starts) {
		text = text[:l.starts[number]-l.starts[number-1]-1]
	}
	return strings.TrimSuffix(string(text), "\r"), true
}

// offset is the byte offset of a position in its line. Columns count grapheme
// clusters, so the byte is the exact one; the column stands in when the byte does
// not lie in this line.
func (l *lines) offset(line string, pos hcl.Pos) int {
	if pos.Line >= 1 && pos.Line <= len(l.starts) {
		start, end := l.starts[pos.Line-1], len(l.src)
		if pos.Line < len(l.starts) {
			end = l.starts[pos.Line] - 1
		}
		if pos.Byte >= start && pos.Byte <= end {
			return min(pos.Byte-start, len(line))
		}
	}
	offset := 0
	for column := 1; column < pos.Column && offset < len(line); column++ {
		offset += len(nextCluster(line[offset:]))
	}
	return offset
}

// widest is how many bytes of a line are quoted. A line that a program wrote can
// have megabytes.
const widest = 400

// clip leaves out what is far from the underlined span of a long line.
func (l quotedLine) clip() quotedLine {
	if len(l.text) <= widest {
		return l
	}
	from, to := max(0, l.start-widest/4), min(len(l.text), max(0, l.start-widest/4)+widest)
	for from > 0 && !utf8.RuneStart(l.text[from]) {
		from--
	}
	for to < len(l.text) && !utf8.RuneStart(l.text[to]) {
		to--
	}
	before, after := "", ""
	if from > 0 {
		before = "…"
	}
	if to < len(l.text) {
		after = "…"
	}
	l.start, l.end = l.start-from+len(before), max(min(l.end, to), l.start)-from+len(before)
	l.text = before + l.text[from:to] + after
	return l
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
	l = l.clip()
	p.line("   " + p.paint(blue, fmt.Sprintf("%*d |", gutter, l.number)) + " " + expand(l.text))
	indent := columns(l.text[:l.start], 0)
	carets := max(1, columns(l.text[l.start:l.end], indent)-indent)
	mark := strings.Repeat("^", carets)
	if label != "" {
		mark += " " + label
	}
	p.line("   " + p.paint(blue, fmt.Sprintf("%*s |", gutter, "")) + " " + strings.Repeat(" ", indent) + p.paint(style, mark))
}
