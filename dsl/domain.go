package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var domainSchema = blockSchema{
	Type: "domain", Label: "the name of the domain", Object: true, Doc: "a type with conditions on its values",
	Attrs: []attrSchema{
		typeAttr,
		{Name: "default", Kind: constantKind, Doc: "the default of columns of the type that have none"},
		schemaAttr, renameAttr, commentAttr,
	},
	Blocks: []*blockSchema{&domainCheckSchema},
}

var domainCheckSchema = blockSchema{
	Type: "check", Label: "the name of the check", Object: true, Doc: "a condition that every value of the type meets",
	Attrs: []attrSchema{
		{Name: "expr", Kind: sqlKind, Required: true, Doc: "the condition, over value"},
		renameAttr,
	},
}

func (p *project) decodeDomain(block *hclsyntax.Block) {
	b := p.open(block, &domainSchema)
	d := &Domain{
		Block:   b.block,
		Schema:  b.identifier("schema"),
		Rename:  b.identifier("name"),
		Type:    b.typ("type").Type,
		Default: b.constant("default"),
		Comment: b.text("comment"),
	}
	for _, k := range b.each(&domainCheckSchema) {
		check := &Check{Block: k.block, Rename: k.identifier("name")}
		if expr := k.sql("expr"); expr != nil {
			check.Expr = *expr
		}
		d.Checks = append(d.Checks, check)
	}
	p.spec.Domains = append(p.spec.Domains, d)
}
