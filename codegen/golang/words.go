package golang

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// initialisms are written in capitals where they stand as a whole word: id is
// ID, idea stays Idea. By lower-case word.
var initialisms = capitals(`ACL API APIs ASCII CPU CSS DNS EOF GUID HTML HTTP HTTPS ID IDs IP IPs JSON QPS RAM RPC SLA SMTP
	SQL SSH TCP TLS TTL UDP UI UID UUID UUIDs URI URIs URL URLs UTF8 VM XML XMPP XSRF XSS`)

func capitals(words string) map[string]string {
	m := map[string]string{}
	for _, word := range strings.Fields(words) {
		m[strings.ToLower(word)] = word
	}
	return m
}

// splitWords cuts a PostgreSQL identifier into the words that a Go name is made
// of: at whatever is no letter or digit, and before a capital that follows a
// small letter. Combining marks cannot stand in a Go name and are dropped.
func splitWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	var last rune
	for _, r := range name {
		switch {
		case unicode.IsMark(r):
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		last = r
	}
	flush()
	return words
}

// title spells one word inside a Go name.
func title(word string) string {
	if initial, ok := initialisms[strings.ToLower(word)]; ok {
		return initial
	}
	runes := []rune(word)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// joinWords writes words as one name. Digits that meet keep an underscore
// between them: a_1_2 and a_12 are two columns.
func joinWords(words []string) string {
	var b strings.Builder
	digit := false
	for _, word := range words {
		runes := []rune(word)
		if digit && unicode.IsDigit(runes[0]) {
			b.WriteByte('_')
		}
		b.WriteString(word)
		digit = unicode.IsDigit(runes[len(runes)-1])
	}
	return b.String()
}

// camel is a PostgreSQL identifier as part of a Go name: room_id is RoomID. It
// is not a name by itself: it may begin with a digit.
func camel(name string) string {
	words := splitWords(name)
	if len(words) == 0 {
		return spellRunes(name)
	}
	for i, word := range words {
		words[i] = title(word)
	}
	return joinWords(words)
}

// exported is a PostgreSQL identifier as an exported Go name. A name that has no
// capital to begin with, a digit or a letter of a script without case, gets an X
// in front.
func exported(name string) string {
	text := camel(name)
	if token.IsIdentifier(text) && token.IsExported(text) {
		return text
	}
	return "X" + text
}

// lowerCamel is a PostgreSQL identifier as an unexported Go name: room_id is
// roomID. It can be a keyword; see locals.
func lowerCamel(name string) string {
	words := splitWords(name)
	for i, word := range words {
		if i == 0 {
			words[i] = lowerFirst(word)
		} else {
			words[i] = title(word)
		}
	}
	text := joinWords(words)
	if text == "" || !unicode.IsLetter([]rune(text)[0]) {
		text = "x" + camel(name)
	}
	return text
}

// lowerFirst makes a word or a Go name unexported: ID is id, URLPath is urlPath,
// Bookings is bookings.
func lowerFirst(word string) string {
	if lower := strings.ToLower(word); initialisms[lower] == word {
		return lower
	}
	runes := []rune(word)
	for i, r := range runes {
		if !unicode.IsUpper(r) {
			break
		}
		// The last capital of a run begins the next word, unless the run is all there
		// is.
		if i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// runeNames spells the symbols that enum labels like to be made of.
var runeNames = map[rune]string{
	'+': "Plus", '-': "Minus", '*': "Star", '/': "Slash", '%': "Percent", '=': "Equals", '<': "Less", '>': "Greater",
	'!': "Bang", '?': "Question", '&': "And", '|': "Or", '^': "Caret", '~': "Tilde", '#': "Hash", '@': "At", '$': "Dollar",
	'.': "Dot", ',': "Comma", ':': "Colon", ';': "Semicolon", '\'': "Quote", '"': "DoubleQuote", '`': "Backtick",
	'\\': "Backslash", '(': "LeftParen", ')': "RightParen", '[': "LeftBracket", ']': "RightBracket", '{': "LeftBrace",
	'}': "RightBrace", ' ': "Space", '\t': "Tab", '\n': "Newline", '\r': "Return",
}

// spellRunes writes a text so that no letter, sign or case is lost where names
// would otherwise be the same: letters and digits as they are, signs by name.
func spellRunes(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(spellRune(r))
		}
	}
	return b.String()
}

// spellRune is the name of a rune, in letters and digits of ASCII.
func spellRune(r rune) string {
	if name, ok := runeNames[r]; ok {
		return name
	}
	return "U" + strconv.FormatInt(int64(r), 16)
}

// packageIdent reports whether text can be the name of a package.
func packageIdent(text string) bool {
	return token.IsIdentifier(text) && text != "_" && text != "main" && !reservedWord(text)
}

// reservedWord reports whether a name means something in Go by itself: a keyword
// cannot be used, and a predeclared name that is redefined misleads the reader.
func reservedWord(name string) bool {
	return token.IsKeyword(name) || predeclaredTypes[name] || predeclared[name]
}

var predeclaredTypes = set(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16
	int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr`)

var predeclared = set(`true false iota nil append cap clear close complex copy delete imag len make max min new
	panic print println real recover`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(words) {
		m[word] = true
	}
	return m
}
