package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabStop is the distance of tab stops in quoted lines. Tabs are expanded, since
// a terminal's own stops would shift with the gutter.
const tabStop = 4

// columns returns the terminal column reached after printing s from the column
// start, with tabs expanded.
func columns(s string, start int) int {
	col := start
	for s != "" {
		c := nextCluster(s)
		if c == "\t" {
			col += tabStop - col%tabStop
		} else {
			col += clusterWidth(c)
		}
		s = s[len(c):]
	}
	return col
}

// expand makes a source line printable: tabs become blanks up to the next stop
// and control characters a visible mark.
func expand(line string) string {
	var b strings.Builder
	col := 0
	for line != "" {
		c := nextCluster(line)
		if c == "\t" {
			n := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", n))
			col += n
		} else {
			b.WriteString(printable(c))
			col += clusterWidth(c)
		}
		line = line[len(c):]
	}
	return b.String()
}

// printable replaces what a terminal would act on instead of showing it: control
// characters, characters that turn the direction of writing, and broken UTF-8. A
// spec is text from elsewhere and must not be able to rewrite the screen.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if hidden(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x2028, r == 0x2029:
		return true
	}
	return false
}

// nextCluster returns what the reader takes for the first character of s: a rune
// with its combining marks, an emoji joined of several runes, or a flag of two
// regional indicators. It is empty only for an empty s.
func nextCluster(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError || unicode.IsControl(r) {
		return s[:size]
	}
	flag := regional(r)
	for size < len(s) {
		next, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case next == zeroWidthJoiner && size+n < len(s):
			_, joined := utf8.DecodeRuneInString(s[size+n:])
			size += n + joined
		case extends(next):
			size += n
		case flag && regional(next):
			size += n
			flag = false
		default:
			return s[:size]
		}
	}
	return s
}

const (
	zeroWidthJoiner    = '\u200d'
	emojiPresentation  = '\ufe0f'
	firstSkinTone      = 0x1F3FB
	lastSkinTone       = 0x1F3FF
	firstRegional      = 0x1F1E6
	lastRegional       = 0x1F1FF
	tagSpace, tagClose = 0xE0020, 0xE007F
)

func regional(r rune) bool { return r >= firstRegional && r <= lastRegional }

// extends reports whether a rune belongs to the character before it.
func extends(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) ||
		r == zeroWidthJoiner || r >= firstSkinTone && r <= lastSkinTone || r >= tagSpace && r <= tagClose
}

// clusterWidth is the number of terminal cells of one character.
func clusterWidth(cluster string) int {
	width := 0
	for i, r := range cluster {
		switch {
		case r == emojiPresentation || i > 0 && regional(r):
			width = 2
		case i == 0:
			width = runeWidth(r)
		}
	}
	return width
}

func runeWidth(r rune) int {
	switch {
	case hidden(r):
		return 1 // shown as a mark
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
