package dsl

// parentAttr names the table whose rows are the groups of a lower bound.
var parentAttr = attrSchema{Name: "parent", Kind: referenceKind, Required: true, Doc: "the table whose rows are the groups: table.NAME"}

var (
	atMostOneSchema = blockSchema{
		Type: "at_most_one", Label: "the name of the rule", Object: true, Doc: "at most one row of a group is of a kind: one default, one active",
		Attrs: []attrSchema{
			{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group"},
			{Name: "where", Kind: sqlKind, Doc: "which rows are of the kind: a boolean column, or column = 'literal', can be set by the generated method"},
			renameAttr, sinceAttr,
		},
	}
	atLeastOneSchema = blockSchema{
		Type: "at_least_one", Label: "the name of the rule", Object: true, Doc: "at least one row of a group is of a kind: one owner of a team",
		Attrs: []attrSchema{
			{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group: a foreign key to the parent"},
			{Name: "where", Kind: sqlKind, Doc: "which rows are of the kind"},
			parentAttr, renameAttr, laterSinceAttr,
		},
	}
	exactlyOneSchema = blockSchema{
		Type: "exactly_one", Label: "the name of the rule", Object: true, Doc: "exactly one row of a group is of a kind: at_most_one and at_least_one",
		Attrs: []attrSchema{
			{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group: a foreign key to the parent"},
			{Name: "where", Kind: sqlKind, Doc: "which rows are of the kind: a boolean column, or column = 'literal', can be set by the generated method"},
			parentAttr, renameAttr, laterSinceAttr,
		},
	}
)

func decodeCardinalities(parent *body) []*Cardinality {
	var rules []*Cardinality
	for _, s := range []*blockSchema{&atMostOneSchema, &atLeastOneSchema, &exactlyOneSchema} {
		for _, b := range parent.each(s) {
			rule := &Cardinality{
				Block: b.block, Kind: s.Type,
				Rename: b.identifier("name"),
				Per:    b.names("per"),
				List:   b.rangeOf("per"),
				Where:  b.sql("where"),
			}
			if s == &atMostOneSchema {
				rule.Since = b.sql("since")
			} else {
				rule.Parent = b.reference("parent")
			}
			rules = append(rules, rule)
		}
	}
	return rules
}
