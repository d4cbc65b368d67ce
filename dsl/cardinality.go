package dsl

var atMostOneSchema = blockSchema{
	Type: "at_most_one", Label: "the name of the rule", Object: true, Doc: "at most one row of a group is of a kind: one default, one active",
	Attrs: []attrSchema{
		{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group"},
		{Name: "where", Kind: sqlKind, Doc: "which rows are of the kind: a boolean column, or column = 'literal', can be set by the generated method"},
		renameAttr, sinceAttr,
	},
}

func decodeCardinalities(parent *body) []*Cardinality {
	var rules []*Cardinality
	for _, s := range []*blockSchema{&atMostOneSchema} {
		for _, b := range parent.each(s) {
			rules = append(rules, &Cardinality{
				Block: b.block, Kind: s.Type,
				Rename: b.identifier("name"),
				Per:    b.names("per"),
				List:   b.rangeOf("per"),
				Where:  b.sql("where"),
			})
		}
	}
	return rules
}
