package dsl

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

var lifecycleSchema = blockSchema{
	Type: "lifecycle", Once: true, NoAllow: true, Doc: "what no apply does to the object",
	Attrs: []attrSchema{
		{Name: "prevent_destroy", Kind: boolKind, Doc: "a plan that would drop the object is refused"},
		{Name: "ignore_changes", Kind: attributesKind, Doc: "attributes that may differ in the database: comment, default"},
	},
}

// lifecycle reads the lifecycle block of a block, or nil.
func (b *body) lifecycle() *Lifecycle {
	if !b.schema.owns() {
		return nil
	}
	l := b.one(&lifecycleSchema)
	if l == nil {
		return nil
	}
	return &Lifecycle{
		Header: l.header, PreventDestroy: l.flag("prevent_destroy"),
		Ignore: readList(l, "ignore_changes", b.ignored, func(n Name) Name { return n }),
	}
}

// ignored reads the name of an attribute of the block, one that may differ.
func (b *body) ignored(expr hclsyntax.Expression, s *attrSchema) (Name, bool) {
	word, ok := singleWord(expr)
	if !ok {
		b.p.report(diag.Diagnostic{
			Code: diag.WrongType, Detail: quote(s.Name) + " names attributes.", Subject: expr.Range(),
			Help: "write them without quotes: " + s.Name + " = " + sample(s),
		})
		return Name{}, false
	}
	var choices []string
	for _, a := range b.schema.Attrs {
		if a.Ignored {
			choices = append(choices, a.Name)
		}
	}
	if slices.Contains(choices, word) {
		return Name{Text: word, Range: expr.Range()}, true
	}
	d := diag.Diagnostic{
		Code: diag.InvalidChoice, Subject: expr.Range(),
		Detail: capital(an(b.schema.Type)) + " block has no attribute " + quote(word) + ".",
		Help:   choiceHelp(word, choices),
	}
	if attrOf(b.schema, word) != nil {
		d.Detail = quote(word) + " of " + an(b.schema.Type) + " cannot be ignored."
		d.Consequence = "Generated code, or a promise, rests on it: where the database says something else, it would not hold."
	}
	if len(choices) == 0 {
		d.Help = "remove it: nothing of " + an(b.schema.Type) + " may differ"
	}
	b.p.report(d)
	return Name{}, false
}
