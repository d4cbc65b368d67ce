package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// fkActions are what the database does with rows whose parent goes.
var fkActions = []string{"no action", "restrict", "cascade", "set null", "set default"}

var foreignKeySchema = blockSchema{
	Type: "foreign_key", Label: "the name of the foreign key", Object: true, Doc: "a reference to a row of another table",
	Attrs: []attrSchema{
		{Name: "columns", Kind: namesKind, Required: true, Doc: "the columns that hold the key"},
		{Name: "references", Kind: referenceKind, Required: true, Doc: "table.NAME, or a key of it"},
		{Name: "on_delete", Kind: choiceKind, Choices: fkActions, Doc: "what happens to the row when its parent is deleted"},
		{Name: "on_update", Kind: choiceKind, Choices: fkActions, Doc: "what happens to the row when the parent's key changes"},
		renameAttr,
	},
}

func decodeForeignKeys(parent *body) []*ForeignKey {
	var keys []*ForeignKey
	for _, b := range parent.each(&foreignKeySchema) {
		keys = append(keys, &ForeignKey{
			Block:      b.block,
			Rename:     b.identifier("name"),
			Columns:    b.names("columns"),
			List:       b.rangeOf("columns"),
			References: b.reference("references"),
			OnDelete:   b.choice("on_delete"),
			OnUpdate:   b.choice("on_update"),
		})
	}
	return keys
}

// reference reads a table or a key of one. The zero Reference stands for one
// that is missing or was refused.
func (b *body) reference(attribute string) Reference {
	expr, s := b.attr(attribute)
	if expr == nil {
		return Reference{Range: b.header}
	}
	v, ok := b.p.value(primaryKeyOf(expr), s)
	if !ok {
		return Reference{Range: expr.Range()}
	}
	if v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute(referenceMember) {
		b.p.report(diag.Diagnostic{
			Code:    diag.WrongType,
			Detail:  "A foreign key references a table or a key of one, and this is " + describe(v) + ".",
			Subject: expr.Range(),
			Help:    "write table.NAME for its primary key, or table.NAME.no_duplicates.LABEL",
		})
		return Reference{Range: expr.Range()}
	}
	r := *v.GetAttr(referenceMember).EncapsulatedValue().(*Reference)
	r.Range = expr.Range()
	return r
}

// primaryKeyOf reads table.NAME, or data.table.NAME, as its .primary_key, which is what it
// means here: the types of all columns need not be known for it.
func primaryKeyOf(expr hclsyntax.Expression) hclsyntax.Expression {
	t, ok := expr.(*hclsyntax.ScopeTraversalExpr)
	if !ok {
		return expr
	}
	n := len(t.Traversal)
	if table := n == 2 && t.Traversal.RootName() == "table"; !table && (n != 3 || t.Traversal.RootName() != dataType) {
		return expr
	}
	step := hcl.TraverseAttr{Name: "primary_key", SrcRange: t.SrcRange}
	return &hclsyntax.ScopeTraversalExpr{Traversal: append(t.Traversal[:n:n], step), SrcRange: t.SrcRange}
}
