package dsl

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// entry is one member of an object: { n = bigint }.
type entry struct {
	key   Name
	value hclsyntax.Expression
}

// entries reads an attribute that is an object, keeping the order of the text.
// The keys are names, never variables. It is false when the attribute was left
// out or a part of it was refused.
func (b *body) entries(attribute string) ([]entry, bool) {
	expr, s := b.attr(attribute)
	if expr == nil {
		return nil, false
	}
	object, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return b.p.evaluatedEntries(expr, s)
	}
	var out []entry
	seen := make(map[string]hcl.Range)
	for _, item := range object.Items {
		key, ok := b.p.entryKey(item.KeyExpr, s)
		if ok && b.p.firstOf(seen, key, quote(s.Name)) {
			out = append(out, entry{key, item.ValueExpr})
		}
	}
	return out, len(out) == len(object.Items)
}

// entryKey reads the key of an object's member.
func (p *project) entryKey(expr hclsyntax.Expression, s *attrSchema) (Name, bool) {
	if word := hcl.ExprAsKeyword(expr); word != "" {
		return Name{Text: word, Range: expr.Range()}, true
	}
	if key, ok := expr.(*hclsyntax.ObjectConsKeyExpr); ok {
		expr = key.Wrapped
	}
	v, ok := p.value(expr, s)
	if !ok {
		return Name{}, false
	}
	return p.nameOf(expr, v, "a name", "write "+s.Name+" = "+sample(s))
}

// evaluatedEntries takes an object that an expression gave, by key.
func (p *project) evaluatedEntries(expr hclsyntax.Expression, s *attrSchema) ([]entry, bool) {
	v, ok := p.value(expr, s)
	if !ok {
		return nil, false
	}
	if v.IsNull() || !v.Type().IsObjectType() && !v.Type().IsMapType() {
		p.report(p.wrongType(expr, v, "an object", "write "+s.Name+" = "+sample(s)))
		return nil, false
	}
	members := v.AsValueMap()
	out := make([]entry, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := &evaluated{LiteralValueExpr: hclsyntax.LiteralValueExpr{Val: members[name], SrcRange: expr.Range()}}
		out = append(out, entry{Name{Text: name, Range: expr.Range()}, value})
	}
	return out, true
}

// typeAttr is what an expression of a type is read as.
var typeAttr = attrSchema{Name: "type", Kind: typeKind, Required: true, Doc: "the type"}

// args reads the arguments of an operation: { n = bigint }.
func (b *body) args(attribute string) []Arg {
	entries, _ := b.entries(attribute)
	args := make([]Arg, 0, len(entries))
	for _, e := range entries {
		if !hclsyntax.ValidIdentifier(e.key.Text) {
			b.p.report(diag.Diagnostic{
				Code:    diag.InvalidName,
				Detail:  "The argument " + quote(e.key.Text) + " cannot be written as @name in SQL.",
				Subject: e.key.Range,
				Help:    "use letters, digits and underscores",
			})
			continue
		}
		args = append(args, Arg{Name: e.key, Type: b.typeOf(e.value, &typeAttr).Type})
	}
	return args
}

// setValue is what the values under set are read as.
var setValue = attrSchema{Name: "set", Kind: sqlKind}

// set reads assignments: { sent = "sent + @n" }.
func (b *body) set(attribute string) []Assignment {
	entries, whole := b.entries(attribute)
	out := make([]Assignment, 0, len(entries))
	for _, e := range entries {
		if text, ok := b.p.assigned(e.value); ok {
			out = append(out, Assignment{Column: e.key, Expr: text})
		}
	}
	if whole && len(entries) == 0 {
		b.p.report(diag.Diagnostic{
			Code:    diag.EmptyList,
			Detail:  quote(attribute) + " assigns no column.",
			Subject: b.rangeOf(attribute),
			Help:    "name at least one: " + attribute + " = " + sample(&attrSchema{Kind: setKind}),
		})
	}
	return out
}

// assigned reads the value of an assignment: SQL in quotes.
func (p *project) assigned(expr hclsyntax.Expression) (SQL, bool) {
	if l, ok := expr.(*hclsyntax.LiteralValueExpr); ok {
		text, _, _ := p.constantText(l.Val)
		p.report(p.wrongType(expr, l.Val, "SQL text", "write it in quotes: "+quote(cmp.Or(text, "NULL"))))
		return SQL{}, false
	}
	return p.sqlText(expr, &setValue)
}

// allow reads the checks that are silenced in a block.
func (b *body) allow() []Allow {
	if b.schema.NoAllow {
		return nil
	}
	entries, _ := b.entries("allow")
	var out []Allow
	for _, e := range entries {
		v, ok := b.p.value(e.value, attrOf(b.schema, "allow"))
		if !ok {
			continue
		}
		if v.Type() != cty.String || v.IsNull() || v.AsString() == "" {
			b.p.report(diag.Diagnostic{
				Code:        diag.WrongType,
				Detail:      "A silenced check needs a reason.",
				Subject:     e.value.Range(),
				Consequence: "Whoever reads it later could not tell whether it still holds.",
				Help:        "write " + e.key.Text + ` = "why this is right here"`,
			})
			continue
		}
		if _, known := diag.Lookup(diag.Code(e.key.Text)); !known {
			b.p.report(unknownCode(e.key))
			continue
		}
		out = append(out, Allow{Code: e.key, Reason: v.AsString()})
	}
	return out
}

// unknownCode reports an allow for a check that does not exist.
func unknownCode(key Name) diag.Diagnostic {
	var codes []string
	for _, e := range diag.Codes() {
		codes = append(codes, string(e.Code))
	}
	return diag.Diagnostic{
		Severity: diag.Warning,
		Code:     diag.UnknownCode,
		Detail:   "There is no check with the code " + quote(key.Text) + ".",
		Subject:  key.Range,
		Help:     didYouMean(key.Text, codes, "copy the code from the message: error[CODE] or warning[CODE]"),
	}
}
