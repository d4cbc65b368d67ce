package dsl

var indexSchema = blockSchema{
	Type: "index", Label: "the name of the index", Object: true, Doc: "an index that makes reads fast",
	Attrs: []attrSchema{
		{Name: "columns", Kind: keysKind, Required: true, Doc: "the key list"},
		{
			Name: "method", Kind: choiceKind, Choices: []string{"btree", "hash", "gin", "gist", "spgist", "brin"},
			Doc: "the access method; btree when absent",
		},
		{Name: "where", Kind: sqlKind, Doc: "which rows are in the index"},
		{Name: "include", Kind: namesKind, Empty: true, Doc: "columns that are stored in it and not searched by"},
		{Name: "with", Kind: anyKind, Later: "set storage parameters by hand", Doc: "storage parameters"},
		renameAttr,
	},
}

func decodeIndexes(parent *body) []*Index {
	var indexes []*Index
	for _, b := range parent.each(&indexSchema) {
		indexes = append(indexes, &Index{
			Block:   b.block,
			Rename:  b.identifier("name"),
			Columns: b.keys("columns"),
			Method:  b.choice("method"),
			Where:   b.sql("where"),
			Include: b.names("include"),
		})
	}
	return indexes
}
