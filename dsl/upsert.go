package dsl

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

var upsertSchema = blockSchema{
	Type: "upsert", Label: "the name of the operation", Doc: "insert, or converge with the row that has the key",
	Attrs: []attrSchema{
		{Name: "key", Kind: ownKeyKind, Required: true, Doc: "primary_key, or no_duplicates.NAME of this table"},
		{Name: "mode", Kind: choiceKind, Required: true, Choices: []string{"reject", "ignore", "converge", "versioned"}, Doc: "what happens when the row is there"},
		{Name: "version", Kind: nameKind, Doc: "the column by which an older row never wins"},
		{Name: "update", Kind: namesKind, Doc: "the columns that may be overwritten"},
		{Name: "batch", Kind: choiceKind, Choices: []string{"last", "first", "error"}, Doc: "which of two equal keys in one batch wins"},
		transactionAttr,
	},
}

func decodeUpserts(parent *body) []*Upsert {
	var upserts []*Upsert
	for _, b := range parent.each(&upsertSchema) {
		u := &Upsert{
			Block:       b.block,
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
	if t, ok := expr.(*hclsyntax.ScopeTraversalExpr); ok && len(t.Traversal) == 2 && t.Traversal.RootName() == "no_duplicates" {
		if name, ok := stepName(t.Traversal[1]); ok {
			return &Name{Text: name, Range: stepRange(t.Traversal[1])}
		}
	}
	b.p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  quote(attribute) + " names a key of this table.",
		Subject: expr.Range(),
		Help:    "write " + attribute + " = primary_key, or " + attribute + " = no_duplicates.NAME",
	})
	return nil
}
