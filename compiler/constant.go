package compiler

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// timeTypes are the types whose input strings may name the moment at which they
// are read.
var timeTypes = []string{"date", "time", "timetz", "timestamp", "timestamptz"}

// momentWords are those names.
var momentWords = []string{"now", "today", "tomorrow", "yesterday"}

// holdsTime reports whether values of a type have times in them: a time, a
// list of times, or a range of them.
func holdsTime(t ir.Type) bool {
	if t.Kind == ir.ArrayType {
		return holdsTime(*t.Elem)
	}
	name := t.Base().Name
	if slices.Contains(timeTypes, name) {
		return true
	}
	switch strings.Replace(name, "multirange", "range", 1) {
	case "tsrange", "tstzrange", "daterange":
		return true
	}
	return false
}

// momentIn finds the word of an input string that stands for the moment at
// which the string is read: 'now', 'today 12:00', '[now,)'. PostgreSQL reads
// signs as blanks, so that 'now()' is 'now'.
func momentIn(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		if slices.Contains(momentWords, word) {
			return word
		}
	}
	return ""
}

// frozenTime reports a text that becomes one moment when PostgreSQL reads it,
// and stays that moment.
func (c *compilation) frozenTime(d diag.Diagnostic, text, word, what string) {
	d.Code = diag.FrozenTime
	d.Detail = quote(text) + " is a text that PostgreSQL turns into a moment when it reads this " + what + ", and not when it is evaluated."
	d.Label = "read once"
	d.Consequence = "A default keeps the moment of the apply, and a prepared statement that of its first call on a connection: every later row would " +
		"get, or be compared with, a time that is long over."
	d.Help = "write " + momentCall[word]
	if what == "default" {
		d.Help = "write sql(" + quote(momentCall[word]) + ")"
	}
	c.report(d)
}

// momentCall is what each word is meant to be.
var momentCall = map[string]string{
	"now": "now()", "today": "current_date", "tomorrow": "current_date + 1", "yesterday": "current_date - 1",
}

// frozenIn reports casts of such texts, 'now'::timestamptz, where the result is
// kept. In a predicate they are refused for changing with time.
func (c *compilation) frozenIn(e *expression, what string) bool {
	found := false
	for _, cause := range e.Causes() {
		typ, isCast := strings.CutPrefix(cause.What, "cast to ")
		if !isCast || cause.Volatility != pgsql.Stable || !slices.Contains(timeTypes, typ) {
			continue
		}
		found = true
		text := e.source.Text[cause.Offset : cause.Offset+cause.Length]
		word := momentIn(e.source.Text)
		if own := momentIn(text); own != "" {
			word = own
		} else {
			text = word // the cause is the cast beside it
		}
		c.frozenTime(diag.Diagnostic{Subject: c.within(e.source, cause.Offset, cause.Length)}, text, word, what)
	}
	return found
}

// bareText is the value of an expression that is one string literal.
func bareText(e *pgsql.Expr) (string, bool) {
	sql := e.SQL()
	if len(sql) < 2 || sql[0] != '\'' || sql[len(sql)-1] != '\'' {
		return "", false
	}
	text := strings.ReplaceAll(sql[1:len(sql)-1], "''", "\x00")
	if strings.Contains(text, "'") {
		return "", false
	}
	return strings.ReplaceAll(text, "\x00", "'"), true
}

// frozenLiteral reports an expression that is nothing but such a text.
func (c *compilation) frozenLiteral(col *column, e *expression, what string) bool {
	text, ok := bareText(e.Expr)
	if !ok || !holdsTime(col.typ) || momentIn(text) == "" {
		return false
	}
	c.frozenTime(diag.Diagnostic{Subject: e.source.Range}, text, momentIn(text), what)
	return true
}

// textDefault checks a text default as far as that can be told without a
// server. Of what it does not know it says nothing.
func (c *compilation) textDefault(col *column, d *dsl.Default) bool {
	if word := momentIn(d.Text); word != "" && holdsTime(col.typ) {
		c.frozenTime(diag.Diagnostic{Subject: d.Range}, d.Text, word, "default")
		return false
	}
	why := impossible(col.typ, d.Text)
	if why == "" {
		return true
	}
	shown := *d
	shown.Text = quote(d.Text)
	c.wrongDefault(col, &shown, why)
	return false
}

// impossible tells why a text can be no value of a type, or "".
func impossible(t ir.Type, text string) string {
	bare := strings.TrimSpace(text)
	if t.Kind == ir.ArrayType {
		if !strings.HasPrefix(bare, "{") && !strings.HasPrefix(bare, "[") {
			return "a list is written in braces: {}"
		}
		return ""
	}
	base := t.Base()
	switch f := familyOf(base); {
	case base.Kind == ir.OtherType:
	case f.integer:
		return impossibleInteger(base.Name, bare)
	case f.numeric && base.Name != "money":
		return impossibleNumber(bare)
	case base.Name == "bool" && !isBoolean(bare):
		return "neither true nor false"
	case base.Name == "uuid" && !isUUID(bare):
		return "no uuid"
	case (base.Name == "json" || base.Name == "jsonb") && !json.Valid([]byte(text)):
		return "no JSON"
	case base.Name == "varchar" || base.Name == "bpchar":
		if len(t.Mods) > 0 && utf8.RuneCountInString(strings.TrimRight(text, " ")) > t.Mods[0] {
			return "longer than " + plural(t.Mods[0], "character")
		}
	case base.Name == "date" || base.Name == "timestamp" || base.Name == "timestamptz":
		return impossibleDate(bare)
	}
	return ""
}

// isBoolean follows PostgreSQL: any beginning of the words counts.
func isBoolean(text string) bool {
	low := strings.ToLower(text)
	if low == "" {
		return false
	}
	for _, word := range []string{"true", "false", "yes", "no"} {
		if strings.HasPrefix(word, low) {
			return true
		}
	}
	return slices.Contains([]string{"on", "off", "of", "1", "0"}, low)
}

// impossibleInteger knows decimal numbers. PostgreSQL 16 also reads 0x1F and
// 1_000, which are left to it.
func impossibleInteger(typ, text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	limit, limited := integerLimits[typ]
	digits := strings.TrimLeft(text, "+-")
	switch {
	case err == nil && limited && (n > limit || n < -limit-1):
		return "the number does not fit"
	case err == nil:
		return ""
	case digits == "" || !unicode.IsDigit(rune(digits[0])):
		return "no whole number"
	case strings.Trim(digits, "0123456789") == "":
		return "the number does not fit"
	case strings.ContainsAny(digits, "_xXoObB"):
		return ""
	}
	return "no whole number"
}

func impossibleNumber(text string) string {
	low := strings.ToLower(text)
	_, err := strconv.ParseFloat(text, 64)
	special := strings.Contains(low, "nan") || strings.Contains(low, "inf")
	if err == nil || special || isRangeError(err) || text != "" && strings.ContainsAny(low, "_xob") && strings.ContainsAny(low, "0123456789") {
		return ""
	}
	return "no number"
}

func isRangeError(err error) bool {
	var number *strconv.NumError
	return errors.As(err, &number) && errors.Is(number.Err, strconv.ErrRange)
}

// isUUID reports whether a text has the digits of a uuid, wherever hyphens and
// braces stand.
func isUUID(text string) bool {
	n := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune("0123456789abcdefABCDEF", r):
			n++
		case !strings.ContainsRune("-{}", r):
			return false
		}
	}
	return n == 32
}

// impossibleDate knows ISO dates and texts without any digit. Of the many other
// forms the server knows more.
func impossibleDate(text string) string {
	if !strings.ContainsAny(text, "0123456789") {
		if slices.Contains([]string{"epoch", "infinity", "-infinity", "+infinity"}, strings.ToLower(text)) {
			return ""
		}
		return "no date"
	}
	const iso = "2006-01-02"
	if len(text) < len(iso) || len(text) > len(iso) && text[len(iso)] != ' ' && text[len(iso)] != 'T' {
		return ""
	}
	day := text[:len(iso)]
	if day[4] != '-' || day[7] != '-' || strings.Trim(day, "0123456789-") != "" {
		return ""
	}
	if _, err := time.Parse(iso, day); err != nil {
		return "no day of the calendar"
	}
	return ""
}
