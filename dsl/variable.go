package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var variableSchema = blockSchema{
	Type: "variable", Label: "the name of the variable", NoAllow: true, Doc: "a value from outside",
	Attrs: []attrSchema{
		{Name: "type", Kind: shapeKind, Doc: "what the variable holds; that of the default when absent"},
		{Name: "default", Kind: anyKind, Doc: "the value when none is given"},
		{Name: "description", Kind: stringKind, Doc: "what it is for"},
	},
	Blocks: []*blockSchema{&validationSchema},
}

// decodeVariable decodes a variable block. Its value is evaluated when an
// expression asks for it, and here at the latest.
func (p *project) decodeVariable(block *hclsyntax.Block) {
	b := p.open(block, &variableSchema)
	v := &Variable{Block: b.block, Description: b.text("description")}
	s, ok := p.shapeOf(block)
	v.Type = Value[string]{V: s.String(), Set: ok && s.kind != untyped, Range: b.rangeOf("type")}
	for _, inner := range b.each(&validationSchema) {
		v.Validations = append(v.Validations, inner.validation())
	}
	if p.call == nil {
		p.spec.Variables = append(p.spec.Variables, v)
	}
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

// variable evaluates var.NAME: what is given, else the default. A value that a
// validation refuses is none.
func (p *project) variable(name string, block *hclsyntax.Block, from hcl.Range) (cty.Value, bool) {
	if v, ok := p.checking[name]; ok {
		return v, true
	}
	return p.node("var."+name, from, func() (cty.Value, bool) {
		v, at, ok := p.unchecked(name, block)
		if !ok || !p.validate(name, v, block, at) {
			return cty.NilVal, false
		}
		return v, true
	})
}

// unchecked is the value of a variable before its validations, and where it
// came from.
func (p *project) unchecked(name string, block *hclsyntax.Block) (cty.Value, hcl.Range, bool) {
	s, ok := p.shapeOf(block)
	if !ok {
		return cty.NilVal, hcl.Range{}, false
	}
	if g, given := p.given[name]; given {
		v, ok := g.value(p, name, s, block)
		return v, g.place(block), ok
	}
	attr := block.Body.Attributes["default"]
	if attr == nil && p.call != nil {
		p.call.from.report(diag.Diagnostic{
			Code:    diag.MissingVariable,
			Detail:  "The module " + quote(labelText(p.call.block)) + " needs a value for its variable " + quote(name) + ".",
			Subject: p.call.block.DefRange(),
			Related: []diag.Related{{Range: labelRange(block), Text: "declared without a default"}},
			Help:    "add " + name + " = … to the module block",
		})
		return cty.NilVal, hcl.Range{}, false
	}
	if attr == nil {
		p.report(diag.Diagnostic{
			Code:    diag.MissingVariable,
			Detail:  "The variable " + quote(name) + " has no default and no value.",
			Subject: labelRange(block),
			Help:    "give it one: --var " + name + "=VALUE",
		})
		return cty.NilVal, hcl.Range{}, false
	}
	v, ok := p.value(attr.Expr, attrOf(&variableSchema, "default"))
	if !ok {
		return cty.NilVal, hcl.Range{}, false
	}
	v, wrong := s.take(v)
	if wrong != nil {
		p.report(wrong.diagnostic(attr.Expr.Range(), "make default and type agree"))
		return cty.NilVal, hcl.Range{}, false
	}
	return v, attr.Expr.Range(), true
}
