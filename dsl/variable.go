package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var variableSchema = blockSchema{
	Type: "variable", Label: "the name of the variable", NoAllow: true, Doc: "a value from the command line",
	Attrs: []attrSchema{
		{
			Name: "type", Kind: wordKind, Choices: []string{"string", "number", "bool"},
			LaterOf: []string{"list", "set", "map", "object", "tuple", "any", "table"}, Doc: "what the variable holds; that of the default when absent",
		},
		{Name: "default", Kind: anyKind, Doc: "the value when --var does not give one"},
		{Name: "description", Kind: stringKind, Doc: "what it is for"},
	},
	Blocks: []*blockSchema{
		{Type: "validation", Later: "check the value where it is used"},
	},
}

// decodeVariable decodes a variable block. Its value is evaluated when an
// expression asks for it, and here at the latest.
func (p *project) decodeVariable(block *hclsyntax.Block) {
	b := p.open(block, &variableSchema)
	v := &Variable{Block: b.block, Type: b.word("type"), Description: b.text("description")}
	p.spec.Variables = append(p.spec.Variables, v)
	if v.Name.Text == "" {
		return
	}
	if !hclsyntax.ValidIdentifier(v.Name.Text) {
		p.report(diag.Diagnostic{
			Code:    diag.InvalidName,
			Detail:  "The variable " + quote(v.Name.Text) + " cannot be written as var.NAME.",
			Subject: v.Name.Range,
			Help:    "use letters, digits and underscores",
		})
	}
	p.variable(v.Name.Text, block, v.Name.Range)
}

// setVariables reports values given for variables that do not exist.
func (p *project) setVariables() {
	for _, name := range slices.Sorted(maps.Keys(p.options.Vars)) {
		if p.declared["variable"][name] != nil || p.incomplete {
			continue
		}
		names := slices.Sorted(maps.Keys(p.declared["variable"]))
		p.report(diag.Diagnostic{
			Code:   diag.UnknownVariable,
			Detail: "--var " + name + "=… sets a variable that the project does not declare.",
			Help:   didYouMean(name, names, "declare it: variable "+quote(name)+" { type = string }"),
		})
	}
}

// variable evaluates var.NAME: what --var says, else the default.
func (p *project) variable(name string, block *hclsyntax.Block, from hcl.Range) (cty.Value, bool) {
	return p.node("var."+name, from, func() (cty.Value, bool) {
		typ, ok := variableType(block)
		if !ok {
			return cty.NilVal, false // reported where the block is decoded
		}
		if text, given := p.options.Vars[name]; given {
			return p.givenValue(name, text, typ, block)
		}
		attr := block.Body.Attributes["default"]
		if attr == nil {
			p.report(diag.Diagnostic{
				Code:    diag.MissingVariable,
				Detail:  "The variable " + quote(name) + " has no default and no value.",
				Subject: labelRange(block),
				Help:    "give it one: --var " + name + "=VALUE",
			})
			return cty.NilVal, false
		}
		return p.defaultValue(attr.Expr, typ)
	})
}

// variableType reads the type of a variable; the empty type is that of the
// default.
func variableType(block *hclsyntax.Block) (string, bool) {
	attr := block.Body.Attributes["type"]
	if attr == nil {
		return "", true
	}
	word, ok := singleWord(attr.Expr)
	return word, ok && slices.Contains(attrOf(&variableSchema, "type").Choices, word)
}

// givenValue converts the text of --var.
func (p *project) givenValue(name, text, typ string, block *hclsyntax.Block) (cty.Value, bool) {
	switch typ {
	case "number":
		if v, err := cty.ParseNumberVal(text); err == nil && digitsOf(text) <= maxDigits {
			return v, true
		}
	case "bool":
		if text == "true" || text == "false" {
			return cty.BoolVal(text == "true"), true
		}
	default:
		return cty.StringVal(text), true
	}
	p.report(diag.Diagnostic{
		Code:    diag.WrongType,
		Detail:  "--var " + name + "=" + text + " must be a " + typ + ".",
		Subject: labelRange(block),
		Help:    "give it as --var " + name + "=" + map[string]string{"number": "5", "bool": "true"}[typ],
	})
	return cty.NilVal, false
}

// defaultValue evaluates a default and compares it with the declared type.
func (p *project) defaultValue(expr hclsyntax.Expression, typ string) (cty.Value, bool) {
	s := attrOf(&variableSchema, "default")
	v, ok := p.value(expr, s)
	if !ok {
		return cty.NilVal, false
	}
	want := map[string]cty.Type{"string": cty.String, "number": cty.Number, "bool": cty.Bool}
	if !v.IsNull() && (v.Type() == want[typ] || typ == "" && v.Type().IsPrimitiveType()) {
		return v, true
	}
	expected := "a " + typ
	if typ == "" {
		expected = "a string, a number or a bool"
	}
	p.report(p.wrongType(expr, v, expected, "make default and type agree"))
	return cty.NilVal, false
}

// word reads a keyword without quotes.
func (b *body) word(name string) Value[string] {
	expr, s := b.attr(name)
	if expr == nil {
		return Value[string]{Range: b.header}
	}
	word, ok := singleWord(expr)
	if call, isCall := expr.(*hclsyntax.FunctionCallExpr); isCall {
		word, ok = call.Name, true
	}
	out := Value[string]{V: word, Range: expr.Range(), Set: ok && slices.Contains(s.Choices, word)}
	switch {
	case out.Set:
	case ok && slices.Contains(s.LaterOf, word):
		b.p.report(notYet(name+" = "+word, expr.Range(), name+" = "+list(s.Choices)))
	default:
		d := diag.Diagnostic{
			Code:    diag.InvalidChoice,
			Detail:  "The " + name + " of a " + b.schema.Type + " is one of " + list(s.Choices) + ", without quotes.",
			Subject: expr.Range(),
			Help:    "write " + name + " = " + s.Choices[0],
		}
		if near, close := diag.Suggest(word, s.Choices); ok && close {
			d.Help = "did you mean " + near + "?"
		} else if _, known := baseTypes[word]; known {
			d.Help = "a type of PostgreSQL is for columns; a variable holds a " + list(s.Choices)
		}
		b.p.report(d)
	}
	return out
}
