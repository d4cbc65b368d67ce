package compiler

import (
	"strconv"
	"strings"

	"github.com/pawldb/pawl/internal/diag"
)

// quote spells a name in a message.
func quote(s string) string { return strconv.Quote(s) }

// and joins words: "a, b and c".
func and(words []string) string { return join(words, " and ") }

// or joins words: "a, b or c".
func or(words []string) string { return join(words, " or ") }

func join(words []string, last string) string {
	if len(words) == 0 {
		return ""
	}
	shown := make([]string, len(words))
	for i, w := range words {
		shown[i] = visible(w)
	}
	words = shown
	end := len(words) - 1
	if end == 0 {
		return words[0]
	}
	return strings.Join(words[:end], ", ") + last + words[end]
}

// visible is a word that a sentence can hold: the empty one, which may be a
// state, stands in quotes.
func visible(word string) string {
	if word == "" {
		return quote(word)
	}
	return word
}

// quoted quotes each word.
func quoted(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = quote(w)
	}
	return list
}

// plural is the number with the word in the right form.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// didYouMean is the help for a name that is not among those that exist: the
// close one, else the ones that there are, else what the caller says.
func didYouMean(name string, choices []string, otherwise string) string {
	if near, ok := diag.Suggest(name, choices); ok {
		return "did you mean " + near + "?"
	}
	const fits = 12
	switch {
	case len(choices) == 0:
		return otherwise
	case len(choices) == 1:
		return "write " + choices[0]
	case len(choices) > fits:
		return "write one of " + strings.Join(choices[:fits], ", ") + " and " + plural(len(choices)-fits, "other")
	}
	return "write one of " + or(choices)
}

// withArticle puts the article before the name of a block.
func withArticle(what string) string {
	if strings.ContainsRune("aeio", rune(what[0])) {
		return "an " + what
	}
	return "a " + what
}

// capital makes the first letter of a sentence large.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// plainInt spells a number.
func plainInt(n int) string { return strconv.Itoa(n) }
