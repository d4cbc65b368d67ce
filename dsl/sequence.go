package dsl

var sequenceSchema = blockSchema{
	Type: "sequence", Label: "the name of the sequence", Object: true, Doc: "numbers 1, 2, 3 … in each group: invoice numbers",
	Attrs: []attrSchema{
		{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group"},
		{Name: "column", Kind: nameKind, Required: true, Doc: "the column that the number stands in"},
		{Name: "gapless", Kind: boolKind, Doc: "no number is missing: a row that has one is never deleted"},
		{Name: "name", Kind: stringKind, Doc: "what the objects are named after, instead of the label"},
	},
}

func decodeSequences(parent *body) []*Sequence {
	var sequences []*Sequence
	for _, b := range parent.each(&sequenceSchema) {
		sequences = append(sequences, &Sequence{
			Block:   b.block,
			Rename:  b.identifier("name"),
			Per:     b.names("per"),
			List:    b.rangeOf("per"),
			Column:  b.name("column"),
			Gapless: b.flag("gapless"),
		})
	}
	return sequences
}
