package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ANSI styles.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// textWidth is where prose is wrapped, so that help and explanations read well
// in any terminal and are the same bytes in all of them.
const textWidth = 100

// page writes lines to one stream and keeps the first error.
type page struct {
	w     io.Writer
	color bool
	err   error
}

func (p *page) paint(style, text string) string {
	if !p.color || text == "" {
		return text
	}
	return style + text + reset
}

func (p *page) line(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if _, err := io.WriteString(p.w, text+"\n"); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *page) blank() { p.line("") }

func (p *page) heading(text string) {
	p.blank()
	p.line("%s", p.paint(bold, text))
}

// section is a heading with a paragraph; nothing when the paragraph is empty.
func (p *page) section(heading, text string) {
	if text == "" {
		return
	}
	p.heading(heading)
	p.wrapped("  ", text)
}

// block is a heading with texts that are shown as they are.
func (p *page) block(heading string, texts []string) {
	for i, text := range texts {
		if i == 0 {
			p.heading(heading)
		}
		p.text("  ", text)
	}
}

func (p *page) list(heading string, lines []string) {
	for i, line := range lines {
		if i == 0 {
			p.heading(heading)
		}
		p.line("  %s", line)
	}
}

func (p *page) reasons(heading string, reasons []Reason) {
	for i, r := range reasons {
		if i == 0 {
			p.heading(heading)
		}
		p.wrapped("  ", r.Choice+": "+r.Why)
	}
}

// text prints a text of several lines as it is, indented.
func (p *page) text(indent, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		p.line("%s%s", indent, strings.TrimRight(line, "\n"))
	}
}

// raw prints a text to the byte.
func (p *page) raw(text string) {
	_, err := io.WriteString(p.w, text)
	p.keep(err)
}

// wrapped prints prose, indented and broken between words.
func (p *page) wrapped(indent, text string) {
	for _, line := range wrap(text, textWidth-len(indent)) {
		p.line("%s%s", indent, line)
	}
}

// item prints prose behind a mark of one column. What follows on lines of its own
// is there to be copied, and stays as it is.
func (p *page) item(mark, text string) {
	prose, verbatim, _ := strings.Cut(text, "\n")
	for i, line := range wrap(prose, textWidth-len("  ! ")) {
		if i > 0 {
			mark = " "
		}
		p.line("  %s %s", mark, line)
	}
	if verbatim != "" {
		p.text("    ", verbatim)
	}
}

// wrap breaks prose between words. A word that is longer than a line has one of
// its own.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
