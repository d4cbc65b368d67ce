package dsl

var primaryKeySchema = blockSchema{
	Type: "primary_key", Once: true, Doc: "the columns that name a row",
	Attrs: []attrSchema{
		{Name: "columns", Kind: namesKind, Required: true, Doc: "the columns"},
		renameAttr,
	},
}

func decodePrimaryKey(parent *body) *PrimaryKey {
	b := parent.one(&primaryKeySchema)
	if b == nil {
		return nil
	}
	return &PrimaryKey{
		Block:   b.block,
		Rename:  b.identifier("name"),
		Columns: b.names("columns"),
		List:    b.rangeOf("columns"),
	}
}
