package dsl

var checkSchema = blockSchema{
	Type: "check", Label: "the name of the check", Object: true, Doc: "a condition that every row meets",
	Attrs: []attrSchema{
		{Name: "expr", Kind: sqlKind, Required: true, Doc: "the condition, over this row's columns"},
		renameAttr, sinceAttr,
	},
}

func decodeChecks(parent *body) []*Check {
	var checks []*Check
	for _, b := range parent.each(&checkSchema) {
		c := &Check{Block: b.block, Rename: b.identifier("name"), Since: b.sql("since")}
		if expr := b.sql("expr"); expr != nil {
			c.Expr = *expr
		}
		checks = append(checks, c)
	}
	return checks
}
