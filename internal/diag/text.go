package diag

import (
	"fmt"
	"io"
	"strings"
)

// Text renders for people, in the manner of rustc: summary, place, source line
// with carets, related places, detail, consequence and help.
type Text struct {
	// Sources gives the lines to quote. When it is nil, or does not know a
	// file, the place is named without a quotation.
	Sources Sources
	// Color adds ANSI colours. The text is the same without them.
	Color bool
}

// List implements Renderer. Diagnostics are separated by an empty line.
func (t Text) List(w io.Writer, list List) error {
	p := page{color: t.Color}
	for i, d := range list {
		if i > 0 {
			p.line("")
		}
		t.diagnostic(&p, d)
	}
	return p.writeTo(w)
}

// Bug implements Renderer.
func (t Text) Bug(w io.Writer, bug Bug) error {
	p := page{color: t.Color}
	p.line(p.paint(boldRed, "internal error: ") + p.paint(bold, printable(bug.Message)))
	p.line("  This is a bug in pawl; your files are not to blame.")
	p.line("  " + p.paint(cyan, "please report: ") + IssuesURL + " (with this text, pawl " + printable(bug.Version) + ")")
	p.block("  ", bug.Stack)
	return p.writeTo(w)
}

// Outage implements Renderer.
func (t Text) Outage(w io.Writer, outage Outage) error {
	p := page{color: t.Color}
	p.line(p.paint(boldRed, "database unreachable: ") + p.paint(bold, printable(outage.Target)))
	p.block("  ", outage.Reason)
	p.help(outage.Help)
	return p.writeTo(w)
}

func (t Text) diagnostic(p *page, d Diagnostic) {
	style := boldRed
	if d.Severity == Warning {
		style = boldYellow
	}
	title := d.Severity.String()
	if d.Code != "" {
		title += "[" + string(d.Code) + "]"
	}
	p.line(p.paint(style, title) + p.paint(bold, ": "+d.Code.Summary()))
	t.place(p, Related{Range: d.Subject, Text: d.Label}, style)
	for _, r := range d.Related {
		t.place(p, r, boldBlue)
	}
	p.block("  ", d.Detail)
	p.block("  ", d.Consequence)
	p.help(d.Help)
}

// place prints where something stands and quotes it.
func (t Text) place(p *page, r Related, style string) {
	label := printable(r.Text)
	if r.Range.Filename == "" {
		p.block("  ", label)
		return
	}
	at := fmt.Sprintf("%s:%d:%d", printable(r.Range.Filename), r.Range.Start.Line, r.Range.Start.Column)
	quote, ok := t.quote(p, r)
	if !ok {
		if label != "" {
			label = ": " + label
		}
		p.line("  " + p.paint(blue, at) + label)
		return
	}
	p.line("  " + p.paint(blue, at))
	quote.print(p, label, style)
}

func (t Text) quote(p *page, r Related) (quotation, bool) {
	if t.Sources == nil {
		return quotation{}, false
	}
	l := p.sources[r.Range.Filename]
	if l == nil {
		src, ok := t.Sources.Source(r.Range.Filename)
		if !ok {
			return quotation{}, false
		}
		l = linesOf(src)
		if p.sources == nil {
			p.sources = make(map[string]*lines)
		}
		p.sources[r.Range.Filename] = l
	}
	return l.quote(r.Range)
}

// ANSI styles of the parts of a message.
const (
	bold       = "\x1b[1m"
	boldRed    = "\x1b[1;31m"
	boldYellow = "\x1b[1;33m"
	boldBlue   = "\x1b[1;34m"
	blue       = "\x1b[34m"
	cyan       = "\x1b[36m"
	reset      = "\x1b[0m"
)

// page is the text under construction. It is written in one go, so that messages
// of several goroutines do not interleave.
type page struct {
	b       strings.Builder
	color   bool
	sources map[string]*lines // that were quoted, by file
}

func (p *page) paint(style, text string) string {
	if !p.color || text == "" {
		return text
	}
	return style + text + reset
}

func (p *page) line(text string) {
	p.b.WriteString(strings.TrimRight(text, " "))
	p.b.WriteByte('\n')
}

// block prints a text of one or more lines, indented. An empty text prints
// nothing.
func (p *page) block(indent, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		p.line(indent + printable(strings.TrimRight(line, "\r\n")))
	}
}

// help prints text that can be pasted: one line beside the word, several below.
func (p *page) help(text string) {
	text = strings.TrimRight(text, "\n")
	switch {
	case text == "":
	case strings.Contains(text, "\n"):
		p.line("  " + p.paint(cyan, "help:"))
		p.block("    ", text)
	default:
		p.line("  " + p.paint(cyan, "help:") + " " + printable(text))
	}
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}
