package dsl

import (
	"strconv"
	"strings"

	"github.com/pawldb/pawl/internal/diag"
)

// quote spells a name in a message.
func quote(s string) string { return strconv.Quote(s) }

// list spells choices: "a, b or c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// didYouMean is the help for a name that is not among those that exist: the
// close one, else all of them when they fit in a line, else what the caller
// says.
func didYouMean(name string, choices []string, otherwise string) string {
	if near, ok := diag.Suggest(name, choices); ok {
		return "did you mean " + near + "?"
	}
	const fits = 24
	if len(choices) > 0 && len(choices) <= fits {
		return "write one of " + list(choices)
	}
	return otherwise
}

// an puts the article before a noun.
func an(noun string) string {
	if noun != "" && strings.ContainsRune("aeio", rune(noun[0])) { // "a unique", "a user"
		return "an " + noun
	}
	return "a " + noun
}

// capital makes the first letter of a sentence large.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// example is a block of a type, as help shows it.
func example(s *blockSchema) string {
	if s.Label == "" {
		return s.Type + " { … }"
	}
	return s.Type + ` "NAME" { … }`
}

// sample is a value of an attribute, as help shows it.
func sample(a *attrSchema) string {
	switch a.Kind {
	case choiceKind:
		return quote(a.Choices[0])
	case boolKind:
		return "true"
	case intKind:
		return strconv.FormatInt(max(a.Min, 1), 10)
	case durationKind:
		return `"5m"`
	case typeKind:
		return "bigint"
	case wordKind:
		return a.Choices[0]
	case shapeKind:
		return "string"
	case nameKind, spanKind:
		return "COLUMN"
	case namesKind, keysKind:
		return "[COLUMN]"
	case choicesKind:
		return "[" + quote(a.Choices[0]) + "]"
	case statesKind:
		return `["STATE"]`
	case ownKeyKind:
		return "primary_key"
	case referenceKind:
		return "table.NAME"
	case operationKind:
		return "transaction.NAME"
	case argsKind:
		return "{ NAME = bigint }"
	case columnsOfKind:
		return "{ TABLE = [COLUMN] }"
	case setKind:
		return `{ COLUMN = "…" }`
	case addressKind:
		return "table.NAME"
	case attributesKind:
		return "[comment]"
	case reasonsKind:
		return `{ CODE = "reason" }`
	case stringKind, sqlKind, constantKind, anyKind, stateKind:
	}
	return `"…"`
}
