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

// wide holds the characters that take two cells: East Asian Width W and F, and
// the emoji that are shown as pictures by default.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115F, 1}, {0x231A, 0x231B, 1}, {0x2329, 0x232A, 1}, {0x23E9, 0x23EC, 1}, {0x23F0, 0x23F3, 3},
		{0x25FD, 0x25FE, 1}, {0x2614, 0x2615, 1}, {0x2648, 0x2653, 1}, {0x267F, 0x2693, 20}, {0x26A1, 0x26A1, 1},
		{0x26AA, 0x26AB, 1}, {0x26BD, 0x26BE, 1}, {0x26C4, 0x26C5, 1}, {0x26CE, 0x26D4, 6}, {0x26EA, 0x26EA, 1},
		{0x26F2, 0x26F3, 1}, {0x26F5, 0x26FA, 5}, {0x26FD, 0x26FD, 1}, {0x2705, 0x2705, 1}, {0x270A, 0x270B, 1},
		{0x2728, 0x274C, 36}, {0x274E, 0x274E, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1}, {0x2795, 0x2797, 1},
		{0x27B0, 0x27BF, 15}, {0x2B1B, 0x2B1C, 1}, {0x2B50, 0x2B55, 5}, {0x2E80, 0x303E, 1}, {0x3041, 0x33FF, 1},
		{0x3400, 0x4DBF, 1}, {0x4E00, 0xA4CF, 1}, {0xA960, 0xA97F, 1}, {0xAC00, 0xD7A3, 1}, {0xF900, 0xFAFF, 1},
		{0xFE10, 0xFE19, 1}, {0xFE30, 0xFE6F, 1}, {0xFF00, 0xFF60, 1}, {0xFFE0, 0xFFE6, 1},
	},
	R32: []unicode.Range32{
		{0x16FE0, 0x18D08, 1}, {0x1B000, 0x1B2FB, 1}, {0x1F004, 0x1F004, 1}, {0x1F0CF, 0x1F0CF, 1},
		{0x1F18E, 0x1F18E, 1}, {0x1F191, 0x1F19A, 1}, {0x1F200, 0x1F320, 1}, {0x1F32D, 0x1F335, 1},
		{0x1F337, 0x1F37C, 1}, {0x1F37E, 0x1F393, 1}, {0x1F3A0, 0x1F3CA, 1}, {0x1F3CF, 0x1F3D3, 1},
		{0x1F3E0, 0x1F3F0, 1}, {0x1F3F4, 0x1F3F4, 1}, {0x1F3F8, 0x1F43E, 1}, {0x1F440, 0x1F440, 1},
		{0x1F442, 0x1F4FC, 1}, {0x1F4FF, 0x1F53D, 1}, {0x1F54B, 0x1F54E, 1}, {0x1F550, 0x1F567, 1},
		{0x1F57A, 0x1F57A, 1}, {0x1F595, 0x1F596, 1}, {0x1F5A4, 0x1F5A4, 1}, {0x1F5FB, 0x1F64F, 1},
		{0x1F680, 0x1F6C5, 1}, {0x1F6CC, 0x1F6CC, 1}, {0x1F6D0, 0x1F6D2, 1}, {0x1F6D5, 0x1F6D7, 1},
		{0x1F6DC, 0x1F6DF, 1}, {0x1F6EB, 0x1F6EC, 1}, {0x1F6F4, 0x1F6FC, 1}, {0x1F7E0, 0x1F7EB, 1},
		{0x1F90C, 0x1F93A, 1}, {0x1F93C, 0x1F945, 1}, {0x1F947, 0x1F9FF, 1}, {0x1FA70, 0x1FAFF, 1},
		{0x20000, 0x2FFFD, 1}, {0x30000, 0x3FFFD, 1},
	},
}
