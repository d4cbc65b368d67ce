package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

// Removed is a removed block: what was declared under an address is declared no
// more, and is dropped or let go.
type Removed struct {
	Block
	From    *Address // nil when refused
	Destroy Value[bool]
}

var removedSchema = blockSchema{
	Type: "removed", NoAllow: true, Doc: "what becomes of something that is declared no more",
	Attrs: []attrSchema{
		{Name: "from", Kind: addressKind, Required: true, Doc: "the address that it had"},
		{Name: "destroy", Kind: boolKind, Required: true, Doc: "false: it stays in the database and is pawl's no more; true: it is dropped"},
	},
}

func (p *project) decodeRemoved(block *hclsyntax.Block) {
	b := p.open(block, &removedSchema)
	p.spec.Removed = append(p.spec.Removed, &Removed{Block: b.block, From: b.address("from", removable), Destroy: b.flag("destroy")})
}

// removable is addressable for what can be let go: also domains, primary keys and
// singletons, which keep their names, and no value of an enum, which the enum
// holds.
func removable(s *blockSchema, typ string) *blockSchema {
	b := ownBlockOf(s, typ)
	switch {
	case b == nil || b.Later != "" || typ == dataType:
		return nil
	case b.Object, typ == moduleType, typ == singletonSchema.Type, typ == primaryKeySchema.Type:
		return b
	}
	return nil
}
