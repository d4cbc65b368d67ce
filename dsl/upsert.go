package dsl

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var upsertSchema = blockSchema{
	Type: "upsert", Repeats: true, Label: "the name of the operation", Doc: "insert, or converge with the row that has the key",
	Attrs: []attrSchema{
		{Name: "key", Kind: ownKeyKind, Required: true, Doc: "primary_key, or no_duplicates.NAME of this table"},
		{Name: "mode", Kind: choiceKind, Required: true, Choices: []string{"reject", "ignore", "converge", "versioned"}, Doc: "what happens when the row is there"},
		{Name: "version", Kind: nameKind, Doc: "the column by which an older row never wins"},
		{Name: "update", Kind: namesKind, Doc: "the columns that may be overwritten"},
		{Name: "batch", Kind: choiceKind, Choices: []string{"last", "first", "error"}, Doc: "which of two equal keys in one batch wins"},
		operationNameAttr, transactionAttr,
	},
}

func decodeUpserts(parent *body) []*Upsert {
	var upserts []*Upsert
	for _, b := range parent.each(&upsertSchema) {
		u := &Upsert{
			Block:       b.block,
			Rename:      b.goName("name"),
			Mode:        b.choice("mode"),
			Update:      b.names("update"),
			Batch:       b.choice("batch"),
			Transaction: b.operation("transaction"),
			Key:         b.ownKey("key"),
		}
		if n := b.name("version"); n.Text != "" {
			u.Version = &n
		}
		upserts = append(upserts, u)
	}
	return upserts
}

// ownKey reads primary_key or no_duplicates.NAME: a key of the own table. The
// empty name stands for the primary key. It is nil for one that was refused.
func (b *body) ownKey(attribute string) *Name {
	expr, _ := b.attr(attribute)
	if expr == nil {
		return nil
	}
	if word, ok := singleWord(expr); ok && word == "primary_key" {
		return &Name{Range: expr.Range()}
	}
	if n, ok := b.keyLabel(expr); ok {
		return n
	}
	b.p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  quote(attribute) + " names a key of this table.",
		Subject: expr.Range(),
		Help:    "write " + attribute + " = primary_key, or " + attribute + " = no_duplicates.NAME",
	})
	return nil
}

// keyLabel reads no_duplicates.NAME, and behind it the key of one that for_each
// repeats: ["external"], or [each.key]. The name is then the LocalID.
func (b *body) keyLabel(expr hclsyntax.Expression) (*Name, bool) {
	var key *string
	if index, ok := expr.(*hclsyntax.IndexExpr); ok {
		v, ok := b.p.value(index.Key, nil)
		if !ok {
			return nil, true // reported
		}
		if v.Type() != cty.String || v.IsNull() {
			return nil, false
		}
		text := v.AsString()
		key, expr = &text, index.Collection
	}
	t, ok := expr.(*hclsyntax.ScopeTraversalExpr)
	if !ok || t.Traversal.RootName() != "no_duplicates" || len(t.Traversal) < 2 || len(t.Traversal) > 3 {
		return nil, false
	}
	label, ok := stepName(t.Traversal[1])
	if !ok {
		return nil, false
	}
	if len(t.Traversal) == 3 {
		text, ok := stepName(t.Traversal[2])
		if !ok || key != nil {
			return nil, false
		}
		key = &text
	}
	named := Block{Name: Name{Text: label}, Key: key}
	return &Name{Text: named.LocalID(), Range: stepRange(t.Traversal[1])}, true
}
