package dsl

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

var limitSchema = blockSchema{
	Type: "limit", Label: "the name of the limit", Object: true, Doc: "at most so many rows a group, or a sum of at most so much",
	Attrs: []attrSchema{
		{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group: a foreign key, or any others"},
		{Name: "max", Kind: anyKind, Required: true, Doc: "a number, or a column of the parent row: table.NAME.column.NAME"},
		{Name: "sum", Kind: nameKind, Doc: "the column that is added up, instead of counting rows"},
		{Name: "where", Kind: sqlKind, Doc: "which rows count"},
		{Name: "name", Kind: stringKind, Doc: "what the objects are named after, instead of the label"},
		sinceAttr,
	},
}

func decodeLimits(parent *body) []*Limit {
	var limits []*Limit
	for _, b := range parent.each(&limitSchema) {
		l := &Limit{
			Block:  b.block,
			Rename: b.identifier("name"),
			Per:    b.names("per"),
			List:   b.rangeOf("per"),
			Where:  b.sql("where"),
			Since:  b.sql("since"),
			Max:    b.maximum("max"),
		}
		if expr, _ := b.attr("sum"); expr != nil {
			sum := b.name("sum")
			l.Sum = &sum
		}
		limits = append(limits, l)
	}
	return limits
}

// maximum reads a number, or a column of another table.
func (b *body) maximum(attribute string) Maximum {
	expr, s := b.attr(attribute)
	if expr == nil {
		return Maximum{Range: b.header}
	}
	m := Maximum{Range: expr.Range()}
	v, ok := b.p.value(expr, s)
	if !ok {
		return m
	}
	if text, kind, ok := b.p.constantText(v); ok && kind == "number" {
		m.Number = text
		return m
	}
	if !v.IsNull() && v.Type().IsObjectType() && v.Type().HasAttribute("name") && v.Type().HasAttribute("type") && !v.Type().HasAttribute(referenceMember) {
		m.Column = v.GetAttr("name").AsString()
		if t, ok := expr.(*hclsyntax.ScopeTraversalExpr); ok && t.Traversal.RootName() == "table" && len(t.Traversal) > 1 {
			m.Table, _ = stepName(t.Traversal[1])
		}
		return m
	}
	b.p.report(diag.Diagnostic{
		Code:    diag.WrongType,
		Detail:  "The max of a limit is a number or a column of the parent row, and this is " + describe(v) + ".",
		Subject: expr.Range(),
		Help:    "write max = 100, or max = table.NAME.column.NAME",
	})
	return m
}
