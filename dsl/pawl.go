package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var pawlSchema = blockSchema{
	Type: "pawl", Once: true, NoAllow: true, Doc: "the project itself",
	Attrs: []attrSchema{
		{Name: "project", Kind: stringKind, Required: true, Doc: "the owner's name of everything the project creates"},
		{Name: "required_version", Kind: stringKind, Doc: "which versions of pawl may read the project"},
		{Name: "postgres", Kind: intKind, Min: 14, Max: 18, Doc: "the lowest server major that the output must work on"},
		{Name: "schema", Kind: stringKind, Doc: "the default schema; public when absent"},
		{Name: "app_role", Kind: stringKind, Doc: "the role that the generated code runs as: it gets exactly the grants that it needs"},
		{Name: "advisory_class", Kind: intKind, Min: 0, Max: 16383, Doc: "the first half of the singletons' lock keys"},
	},
}

func (p *project) decodePawl(block *hclsyntax.Block) {
	b := p.open(block, &pawlSchema)
	p.spec.Pawl = &Pawl{
		Block:           b.block,
		Project:         b.identifier("project"),
		RequiredVersion: b.text("required_version"),
		Postgres:        b.integer("postgres"),
		Schema:          b.identifier("schema"),
		AppRole:         b.identifier("app_role"),
		AdvisoryClass:   b.integer("advisory_class"),
	}
	p.checkVersion(p.spec.Pawl.RequiredVersion)
}
