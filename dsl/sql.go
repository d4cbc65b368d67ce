package dsl

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// sqlText reads an expression that gives SQL text: a string, or sql("…").
func (p *project) sqlText(expr hclsyntax.Expression, want *attrSchema) (SQL, bool) {
	v, ok := p.value(expr, want)
	if !ok {
		return SQL{}, false
	}
	return p.toSQL(expr, v)
}

func (p *project) toSQL(expr hclsyntax.Expression, v cty.Value) (SQL, bool) {
	if v.Type().Equals(sqlCapsule) && !v.IsNull() {
		text := *v.EncapsulatedValue().(*SQL)
		if text.Range.Empty() {
			text.Range = expr.Range()
		}
		return text, true
	}
	if v.Type() != cty.String || v.IsNull() {
		p.report(p.wrongType(expr, v, "SQL text", `write SQL as a string in quotes`))
		return SQL{}, false
	}
	return SQL{Text: v.AsString(), Range: expr.Range(), Literal: isLiteral(expr)}, true
}

// isLiteral reports whether an expression is one string as it was written:
// offsets in its text then lead back to the source.
func isLiteral(expr hclsyntax.Expression) bool {
	t, ok := expr.(*hclsyntax.TemplateExpr)
	return ok && isConstant(t)
}
