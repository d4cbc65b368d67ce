package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// keys reads a key list: columns, sql("…"), and what desc() and its kind say of
// them.
func (b *body) keys(attribute string) []KeyPart {
	return readList(b, attribute, b.p.keyPart, func(k KeyPart) Name {
		if k.Column == nil {
			return Name{}
		}
		return *k.Column
	})
}

// keyPart reads one entry of a key list.
func (p *project) keyPart(expr hclsyntax.Expression, s *attrSchema) (KeyPart, bool) {
	call, ok := expr.(*hclsyntax.FunctionCallExpr)
	if !ok {
		return p.plainKeyPart(expr, s)
	}
	set, ok := keyFunctions[call.Name]
	if !ok {
		return p.plainKeyPart(expr, s)
	}
	want := 1
	if call.Name == "opclass" {
		want = 2
	}
	if len(call.Args) != want {
		p.report(wrongKeyCall(call, want))
		return KeyPart{}, false
	}
	part, ok := p.keyPart(call.Args[0], s)
	if !ok {
		return KeyPart{}, false
	}
	set(&part)
	part.Range = call.Range()
	if want == 2 {
		part.OpClass, ok = p.operatorClass(call.Args[1], s)
	}
	return part, ok && p.orderIsClear(part, call)
}

// plainKeyPart reads a column or sql("…").
func (p *project) plainKeyPart(expr hclsyntax.Expression, s *attrSchema) (KeyPart, bool) {
	if word, ok := singleWord(expr); ok {
		return KeyPart{Column: &Name{Text: word, Range: expr.Range()}, Range: expr.Range()}, true
	}
	v, ok := p.value(expr, s)
	if !ok {
		return KeyPart{}, false
	}
	if v.Type().Equals(sqlCapsule) && !v.IsNull() {
		text := *v.EncapsulatedValue().(*SQL)
		if text.Range.Empty() {
			text.Range = expr.Range()
		}
		return KeyPart{Expr: &text, Range: expr.Range()}, true
	}
	n, ok := p.nameOf(expr, v, "a column or sql(\"…\")", "write the column without quotes, or an expression as sql(\"…\")")
	return KeyPart{Column: &n, Range: expr.Range()}, ok
}

func (p *project) operatorClass(expr hclsyntax.Expression, s *attrSchema) (string, bool) {
	v, ok := p.value(expr, s)
	if !ok {
		return "", false
	}
	n, ok := p.nameOf(expr, v, "the name of an operator class", `write it in quotes: opclass(name, "text_pattern_ops")`)
	if ok && !isOperatorClass(n.Text) {
		p.report(diag.Diagnostic{
			Code:        diag.InvalidName,
			Detail:      quote(n.Text) + " is no name of an operator class.",
			Subject:     expr.Range(),
			Consequence: "It goes into CREATE INDEX as it is: another statement could hide in it.",
			Help:        `write a name, with its schema or options where it has them: "text_pattern_ops", "public.gist_trgm_ops(siglen = 32)"`,
		})
		return "", false
	}
	return n.Text, ok
}

// isOperatorClass reports whether a text is one name as SQL writes it, with a
// schema before it and options behind, and nothing that could end the name.
func isOperatorClass(s string) bool {
	name, options, has := strings.Cut(s, "(")
	return isWords(strings.TrimSpace(name), "_$.", true) && (!has || strings.HasSuffix(options, ")") && isWords(strings.TrimSuffix(options, ")"), "_, =-", false))
}

// orderIsClear refuses nulls_first(nulls_last(x)).
func (p *project) orderIsClear(part KeyPart, call *hclsyntax.FunctionCallExpr) bool {
	if !part.NullsFirst || !part.NullsLast {
		return true
	}
	p.report(diag.Diagnostic{
		Code:    diag.FunctionCall,
		Detail:  "NULLs cannot come both first and last.",
		Subject: call.Range(),
		Help:    "keep one of nulls_first and nulls_last",
	})
	return false
}

func wrongKeyCall(call *hclsyntax.FunctionCallExpr, want int) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.FunctionCall,
		Detail:  call.Name + "() takes one column.",
		Subject: call.Range(),
		Help:    "write " + call.Name + "(COLUMN)",
	}
	if want == 2 {
		d.Detail = "opclass() takes a column and the name of an operator class."
		d.Help = `write opclass(COLUMN, "text_pattern_ops")`
	}
	return d
}
