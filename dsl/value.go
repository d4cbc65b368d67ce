package dsl

import (
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// read evaluates an attribute and hands its value to convert. An attribute that
// was left out gives the zero value with the block's header as its place.
func read[T any](b *body, name string, convert func(hclsyntax.Expression, cty.Value, *attrSchema) (T, bool)) Value[T] {
	expr, s := b.attr(name)
	if expr == nil {
		return Value[T]{Range: b.header}
	}
	out := Value[T]{Range: expr.Range()}
	if v, ok := b.p.value(expr, s); ok && !leftOut(v, s) {
		out.V, out.Set = convert(expr, v, s)
	}
	return out
}

// leftOut reports whether a value says that its attribute counts as left out:
// null does, as in Terraform, so that `var.x ? "…" : null` can.
func leftOut(v cty.Value, s *attrSchema) bool { return v.IsNull() && !s.Required }

// text reads a string.
func (b *body) text(name string) Value[string] { return read(b, name, b.p.toText) }

// identifier reads a string that becomes a name in the database.
func (b *body) identifier(name string) Value[string] {
	v := b.text(name)
	if v.Set {
		b.p.checkIdentifier(Name{Text: v.V, Range: v.Range}, "the name")
	}
	return v
}

// goName reads a name that stands in Go alone.
func (b *body) goName(name string) Value[string] {
	v := b.text(name)
	if v.Set && v.V == "" {
		b.p.report(emptyName(v.Range, "the name"))
	}
	return v
}

// choice reads one of the words that the schema lists.
func (b *body) choice(name string) Value[string] { return read(b, name, b.p.toChoice) }

// choices reads a list of words that the schema lists, each once.
func (b *body) choices(name string) []Name {
	return readList(b, name, func(expr hclsyntax.Expression, s *attrSchema) (Name, bool) {
		word, ok := b.p.state(expr, s)
		if ok {
			_, ok = b.p.toChoice(expr, cty.StringVal(word.Text), s)
		}
		return word, ok
	}, func(n Name) Name { return n })
}

// word reads a keyword without quotes.
func (b *body) word(name string) Value[string] {
	expr, s := b.attr(name)
	if expr == nil {
		return Value[string]{Range: b.header}
	}
	word, ok := singleWord(expr)
	out := Value[string]{V: word, Range: expr.Range(), Set: ok && slices.Contains(s.Choices, word)}
	if !out.Set {
		b.p.report(diag.Diagnostic{
			Code:    diag.InvalidChoice,
			Detail:  "The " + name + " of " + an(b.schema.Type) + " is one of " + list(s.Choices) + ", without quotes.",
			Subject: expr.Range(),
			Help:    didYouMean(word, s.Choices, ""),
		})
	}
	return out
}

// flag reads true or false.
func (b *body) flag(name string) Value[bool] { return read(b, name, b.p.toBool) }

// integer reads a whole number within the schema's bounds.
func (b *body) integer(name string) Value[int] { return read(b, name, b.p.toInt) }

// duration reads a length of time.
func (b *body) duration(name string) Value[time.Duration] { return read(b, name, b.p.toDuration) }

// sql reads SQL text, or nil when the attribute was left out or refused.
func (b *body) sql(name string) *SQL {
	expr, s := b.attr(name)
	if expr == nil {
		return nil
	}
	v, ok := b.p.value(expr, s)
	if !ok || leftOut(v, s) {
		return nil
	}
	text, ok := b.p.toSQL(expr, v)
	if !ok {
		return nil
	}
	return &text
}

func (p *project) toText(expr hclsyntax.Expression, v cty.Value, _ *attrSchema) (string, bool) {
	if v.Type() != cty.String || v.IsNull() {
		p.report(p.wrongType(expr, v, "a text", "write it in quotes"))
		return "", false
	}
	return v.AsString(), !p.hasNUL(expr, v.AsString())
}

// hasNUL reports a text that the server cannot store.
func (p *project) hasNUL(expr hclsyntax.Expression, text string) bool {
	if !strings.Contains(text, "\x00") {
		return false
	}
	p.report(diag.Diagnostic{
		Code:        diag.WrongType,
		Detail:      "The text has a NUL character, which PostgreSQL has no place for.",
		Subject:     expr.Range(),
		Label:       `\u0000`,
		Consequence: "The server would refuse the statement that the text is in, in the middle of an apply.",
		Help:        "leave the character out",
	})
	return true
}

func (p *project) toBool(expr hclsyntax.Expression, v cty.Value, _ *attrSchema) (bool, bool) {
	if v.Type() != cty.Bool || v.IsNull() {
		p.report(p.wrongType(expr, v, "true or false", "write true or false, without quotes"))
		return false, false
	}
	return v.True(), true
}

func (p *project) toInt(expr hclsyntax.Expression, v cty.Value, s *attrSchema) (int, bool) {
	if v.Type() != cty.Number || v.IsNull() {
		p.report(p.wrongType(expr, v, "a whole number", "write a number without quotes"))
		return 0, false
	}
	n, whole := wholeNumber(v)
	if !whole || n < s.Min || n > s.Max {
		p.report(diag.Diagnostic{
			Code:    diag.OutOfRange,
			Detail:  quote(s.Name) + " is a whole number from " + intText(s.Min) + " to " + intText(s.Max) + ".",
			Subject: expr.Range(),
			Help:    "choose a number in that range",
		})
		return 0, false
	}
	return int(n), true
}

func (p *project) toChoice(expr hclsyntax.Expression, v cty.Value, s *attrSchema) (string, bool) {
	word, ok := p.toText(expr, v, s)
	if !ok || slices.Contains(s.Choices, word) {
		return word, ok
	}
	if slices.Contains(s.LaterOf, word) {
		p.report(notYet(s.Name+" = "+quote(word), expr.Range(), s.Name+" = "+list(quoteAll(s.Choices))))
		return "", false
	}
	d := diag.Diagnostic{
		Code:    diag.InvalidChoice,
		Detail:  quote(word) + " is no value of " + s.Name + ".",
		Subject: expr.Range(),
		Help:    choiceHelp(word, s.Choices),
	}
	if near, ok := diag.Suggest(word, s.Choices); ok && isQuoted(expr) {
		d.Fix = &diag.Fix{Range: expr.Range(), Text: quote(near)}
	}
	p.report(d)
	return "", false
}

// isQuoted reports whether an expression is a text in quotes, with nothing
// inserted, on one line: no heredoc.
func isQuoted(expr hclsyntax.Expression) bool {
	_, template := expr.(*hclsyntax.TemplateExpr)
	at := expr.Range()
	return template && isConstant(expr) && at.Start.Line == at.End.Line
}

// choiceHelp names the close choice, else all.
func choiceHelp(word string, choices []string) string {
	if near, ok := diag.Suggest(word, choices); ok {
		return "did you mean " + quote(near) + "?"
	}
	return "write " + list(quoteAll(choices))
}

func quoteAll(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return quoted
}

func (p *project) toDuration(expr hclsyntax.Expression, v cty.Value, s *attrSchema) (time.Duration, bool) {
	if v.Type() == cty.Number && !v.IsNull() {
		p.report(diag.Diagnostic{
			Code:    diag.InvalidDuration,
			Detail:  quote(s.Name) + " is a length of time, and a number has no unit.",
			Subject: expr.Range(),
			Help:    "write a number with a unit in quotes: \"250ms\", \"5m\", \"72h\", \"7d\"",
		})
		return 0, false
	}
	text, ok := p.toText(expr, v, s)
	if !ok {
		return 0, false
	}
	d, ok := parseDuration(text)
	if !ok {
		p.report(diag.Diagnostic{
			Code:    diag.InvalidDuration,
			Detail:  quote(text) + " is no length of time.",
			Subject: expr.Range(),
			Help:    "write a number with a unit: \"250ms\", \"5m\", \"72h\", \"7d\"",
		})
		return 0, false
	}
	if d == 0 && s.Zero {
		return d, true
	}
	if least := max(s.Shortest, shortest); d < least || d > longest {
		p.report(diag.Diagnostic{
			Code:    diag.OutOfRange,
			Detail:  quote(s.Name) + " is a length of time from " + least.String() + " to " + intText(int64(longest/day)) + " days.",
			Subject: expr.Range(),
			Help:    "choose a length in that range" + unlessRequired(s),
		})
		return 0, false
	}
	if d%shortest != 0 {
		p.report(diag.Diagnostic{
			Code:    diag.InvalidDuration,
			Detail:  quote(text) + " is no whole number of milliseconds, the unit of PostgreSQL's timeouts.",
			Subject: expr.Range(),
			Help:    "write " + quote(d.Round(shortest).String()),
		})
		return 0, false
	}
	return d, true
}

// unlessRequired is the rest of a help for an attribute that may be left out.
func unlessRequired(s *attrSchema) string {
	if s.Required {
		return ""
	}
	return ", or leave the attribute out for its default"
}

const day = 24 * time.Hour

// parseDuration reads a duration as Go writes it, with days as a unit before
// the others: "7d", "1d12h".
func parseDuration(s string) (time.Duration, bool) {
	var days time.Duration
	if head, rest, found := strings.Cut(s, "d"); found {
		for _, r := range head {
			if r < '0' || r > '9' || days > longest {
				return 0, false
			}
			days = days*10 + time.Duration(r-'0')
		}
		if head == "" {
			return 0, false
		}
		if rest == "" {
			return days * day, true
		}
		s = rest
	}
	d, err := time.ParseDuration(s)
	if err != nil || days > 0 && (d < 0 || s[0] == '+') {
		return 0, false
	}
	return days*day + d, true
}

// wrongType reports a value of another kind than the attribute takes.
func (p *project) wrongType(expr hclsyntax.Expression, v cty.Value, want, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:    diag.WrongType,
		Detail:  "This must be " + want + ", and it is " + describe(v) + ".",
		Subject: expr.Range(),
		Help:    help,
	}
}

// describe names the kind of a value for people.
func describe(v cty.Value) string {
	t := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case t == cty.String:
		return "a text"
	case t == cty.Number:
		return "a number"
	case t == cty.Bool:
		return "true or false"
	case t.Equals(typeCapsule):
		return "a type"
	case t.Equals(sqlCapsule):
		return "SQL text"
	case t.Equals(operationCapsule):
		return "a transaction"
	case t.IsObjectType() && t.HasAttribute(referenceMember):
		return "a table or key"
	case t.IsObjectType() || t.IsMapType():
		return "an object"
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return "a list"
	}
	return "something else"
}

// typ reads a type. The zero Type stands for one that was refused.
func (b *body) typ(name string) typeValue {
	expr, s := b.attr(name)
	if expr == nil {
		return typeValue{}
	}
	return b.typeOf(expr, s)
}

// typeOf evaluates an expression that gives a type.
func (b *body) typeOf(expr hclsyntax.Expression, s *attrSchema) typeValue {
	v, ok := b.p.value(expr, s)
	if !ok {
		return typeValue{}
	}
	if !isType(v) {
		d := b.p.wrongType(expr, v, "a type", "write a type, such as bigint, numeric(12, 2), list(text) or enum.NAME")
		if v.Type() == cty.String && !v.IsNull() {
			meant := unquotedType(v.AsString())
			d.Help = "a type stands without quotes: " + meant
			if _, known := baseTypes[meant]; known && isQuoted(expr) {
				d.Fix = &diag.Fix{Range: expr.Range(), Text: meant}
			}
		}
		b.p.report(d)
		return typeValue{}
	}
	t := *v.EncapsulatedValue().(*typeValue)
	t.Range = expr.Range()
	b.warnOfType(t)
	return t
}

// unquotedType is how the type that someone put in quotes is written.
func unquotedType(s string) string {
	word := strings.ToLower(strings.TrimSpace(s))
	switch {
	case strings.HasSuffix(word, "[]"):
		return "list(" + strings.TrimSuffix(word, "[]") + ")"
	case word == "double precision":
		return "double_precision"
	case word == "timestamp with time zone":
		return "timestamptz"
	}
	head, _, _ := strings.Cut(word, "(")
	if _, known := baseTypes[head]; known {
		return word
	}
	return "type(" + quote(s) + ")"
}

// constantText spells a constant as text and names its kind.
func (p *project) constantText(v cty.Value) (text, kind string, ok bool) {
	switch {
	case v.IsNull():
		return "", "null", true
	case v.Type() == cty.String:
		return v.AsString(), "string", true
	case v.Type() == cty.Number:
		return numberText(v), "number", true
	case v.Type() == cty.Bool && v.True():
		return "true", "bool", true
	case v.Type() == cty.Bool:
		return "false", "bool", true
	}
	return "", "", false
}

// rangeOf is an attribute's place, or the block's header.
func (b *body) rangeOf(name string) hcl.Range {
	if expr, _ := b.attr(name); expr != nil {
		return expr.Range()
	}
	return b.header
}
