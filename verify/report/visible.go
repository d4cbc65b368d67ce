package report

import (
	"fmt"
	"strings"
	"unicode"
)

// visible is text that cannot do anything to a terminal or a layout: characters
// that move the cursor, change colours or turn the direction of writing are
// spelled out.
func visible(text string) string { return spellOut(text, false) }

// visibleLines is visible, but line breaks stay.
func visibleLines(text string) string { return spellOut(text, true) }

func spellOut(text string, lines bool) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' && lines, unicode.IsGraphic(r) && r != '\u2028' && r != '\u2029':
			b.WriteRune(r)
		case r == '\t' && lines:
			b.WriteString("  ")
		case r == '\r' && lines:
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// wide are the ranges of characters that take two columns of a terminal: East
// Asian wide and full-width ones, and pictures.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1},
		{0x231a, 0x231b, 1},
		{0x2329, 0x232a, 1},
		{0x23e9, 0x23ec, 1},
		{0x25fd, 0x25fe, 1},
		{0x2614, 0x2615, 1},
		{0x2648, 0x2653, 1},
		{0x26a1, 0x26a1, 1},
		{0x26bd, 0x26be, 1},
		{0x26d4, 0x26d4, 1},
		{0x2705, 0x2705, 1},
		{0x270a, 0x270b, 1},
		{0x2728, 0x2728, 1},
		{0x274c, 0x274c, 1},
		{0x2753, 0x2755, 1},
		{0x2795, 0x2797, 1},
		{0x2b50, 0x2b50, 1},
		{0x2e80, 0x303e, 1},
		{0x3041, 0x33ff, 1},
		{0x3400, 0x4dbf, 1},
		{0x4e00, 0xa4cf, 1},
		{0xa960, 0xa97c, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1},
		{0xfe30, 0xfe6f, 1},
		{0xff00, 0xff60, 1},
		{0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18cff, 1},
		{0x1b000, 0x1b2ff, 1},
		{0x1f004, 0x1f004, 1},
		{0x1f0cf, 0x1f0cf, 1},
		{0x1f18e, 0x1f19a, 1},
		{0x1f200, 0x1f64f, 1},
		{0x1f680, 0x1f6ff, 1},
		{0x1f7e0, 0x1f7eb, 1},
		{0x1f900, 0x1faff, 1},
		{0x20000, 0x3fffd, 1},
	},
}

// columns is how many columns of a terminal a text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// pad fills text up to a width with spaces.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// cut shortens text to a width, with two dots where something is left out.
func cut(text string, width int) string {
	if columns(text) <= width {
		return text
	}
	n := 0
	for i, r := range text {
		if n+runeColumns(r) > width-2 {
			return text[:i] + strings.Repeat(".", max(0, min(2, width)))
		}
		n += runeColumns(r)
	}
	return text
}

// fold breaks a line at spaces so that it fits a width; what goes on is indented
// by two more than it. A word that is longer than the line is broken anywhere.
func fold(line string, width int) []string {
	width = max(width, 8)
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(indent) > width/3 {
		indent = ""
	}
	var lines []string
	current := indent
	empty := true
	flush := func() {
		lines = append(lines, current)
		current, empty = indent+"  ", true
	}
	for _, word := range strings.Fields(line) {
		if !empty && columns(current)+1+columns(word) > width {
			flush()
		}
		if !empty {
			current += " "
		}
		for columns(current)+columns(word) > width {
			head := headOf(word, width-columns(current))
			current += word[:head]
			word = word[head:]
			flush()
		}
		current += word
		empty = empty && word == ""
	}
	if !empty || len(lines) == 0 {
		lines = append(lines, strings.TrimRight(current, " "))
	}
	return lines
}

// headOf is how many bytes of a word fit a width: one character at least.
func headOf(word string, width int) int {
	n := 0
	for i, r := range word {
		if n+runeColumns(r) > width && i > 0 {
			return i
		}
		n += runeColumns(r)
	}
	return len(word)
}
