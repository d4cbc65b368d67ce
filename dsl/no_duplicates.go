package dsl

var noDuplicatesSchema = blockSchema{
	Type: "no_duplicates", Label: "the name of the key", Object: true, Doc: "no two rows share these values",
	Attrs: []attrSchema{
		{Name: "columns", Kind: keysKind, Required: true, Doc: "the columns and expressions that differ"},
		{Name: "where", Kind: sqlKind, Doc: "which rows it is about"},
		{Name: "nulls", Kind: choiceKind, Choices: []string{"distinct", "not_distinct"}, Doc: "whether two NULLs are two values"},
		{Name: "deferrable", Kind: boolKind, Doc: "checked at commit when the transaction asks for it"},
		renameAttr, sinceAttr,
	},
}

func decodeNoDuplicates(parent *body) []*NoDuplicates {
	var keys []*NoDuplicates
	for _, b := range parent.each(&noDuplicatesSchema) {
		keys = append(keys, &NoDuplicates{
			Block:      b.block,
			Rename:     b.identifier("name"),
			Columns:    b.keys("columns"),
			List:       b.rangeOf("columns"),
			Where:      b.sql("where"),
			Since:      b.sql("since"),
			Nulls:      b.choice("nulls"),
			Deferrable: b.flag("deferrable"),
		})
	}
	return keys
}
