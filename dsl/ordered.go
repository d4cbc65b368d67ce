package dsl

var orderedSchema = blockSchema{
	Type: "ordered", Label: "the name of the order", Object: true, Doc: "positions of the rows of a group, which move: cards in a list",
	Attrs: []attrSchema{
		{Name: "per", Kind: namesKind, Required: true, Doc: "the columns that make a group"},
		{Name: "column", Kind: nameKind, Required: true, Doc: "the column that the position stands in"},
		{Name: "name", Kind: stringKind, Doc: "what the objects are named after, instead of the label"},
	},
}

func decodeOrders(parent *body) []*Ordered {
	var orders []*Ordered
	for _, b := range parent.each(&orderedSchema) {
		orders = append(orders, &Ordered{
			Block:  b.block,
			Rename: b.identifier("name"),
			Per:    b.names("per"),
			List:   b.rangeOf("per"),
			Column: b.name("column"),
		})
	}
	return orders
}
