package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var validationSchema = blockSchema{
	Type: "validation", NoAllow: true, Doc: "a condition that every value of the variable meets",
	Attrs: []attrSchema{
		{Name: "condition", Kind: anyKind, Required: true, Doc: "true when the value is right, as in var.n > 0"},
		{Name: "error_message", Kind: stringKind, Required: true, Doc: "what to say when it is not"},
	},
}

// validation decodes a validation block. Its condition is evaluated with the
// variable; the message may name the value.
func (b *body) validation() *Validation {
	return &Validation{Block: b.block, Condition: b.rangeOf("condition"), Message: b.rangeOf("error_message")}
}

// validate evaluates the validations of a variable over a value, and reports
// the conditions that are false.
func (p *project) validate(name string, v cty.Value, block *hclsyntax.Block, at hcl.Range) bool {
	fine := true
	for _, b := range block.Body.Blocks {
		if b.Type == validationSchema.Type {
			p.checking[name] = v
			fine = p.condition(name, b, at) && fine
			delete(p.checking, name)
		}
	}
	return fine
}

func (p *project) condition(name string, block *hclsyntax.Block, at hcl.Range) bool {
	condition, message := block.Body.Attributes["condition"], block.Body.Attributes["error_message"]
	if condition == nil || message == nil {
		return false // reported where the block is decoded
	}
	v, ok := p.value(condition.Expr, attrOf(&validationSchema, "condition"))
	if !ok {
		return false
	}
	if v.Type() != cty.Bool || v.IsNull() {
		p.report(p.wrongType(condition.Expr, v, "true or false", "write a comparison, such as var."+name+" > 0"))
		return false
	}
	if v.True() {
		return true
	}
	text, ok := p.value(message.Expr, attrOf(&validationSchema, "error_message"))
	if !ok {
		return false
	}
	detail, ok := p.toText(message.Expr, text, nil)
	if !ok {
		return false
	}
	p.report(diag.Diagnostic{
		Code:    diag.InvalidVariable,
		Detail:  detail,
		Subject: at,
		Label:   "the value of var." + name,
		Related: []diag.Related{{Range: condition.Expr.Range(), Text: "this is false"}},
		Help:    "give " + name + " a value that meets the condition",
	})
	return false
}
