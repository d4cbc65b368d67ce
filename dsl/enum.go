package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var enumSchema = blockSchema{
	Type: "enum", Label: "the name of the enum", Object: true, Doc: "a type with a fixed list of values",
	Attrs: []attrSchema{
		{Name: "values", Kind: statesKind, Required: true, Doc: "the values, in the order they sort in"},
		schemaAttr, renameAttr, commentAttr,
	},
}

func (p *project) decodeEnum(block *hclsyntax.Block) {
	b := p.open(block, &enumSchema)
	e := &Enum{
		Block:   b.block,
		Schema:  b.identifier("schema"),
		Rename:  b.identifier("name"),
		Values:  b.states("values"),
		Comment: b.text("comment"),
	}
	for _, v := range e.Values {
		if v.Text != "" { // an empty value is one, unlike an empty name
			p.checkIdentifier(v, "the value")
		}
	}
	p.spec.Enums = append(p.spec.Enums, e)
}
