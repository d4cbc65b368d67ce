package dsl

var transitionsSchema = blockSchema{
	Type: "transitions", Label: "the name of the state machine", Object: true, Doc: "a column moves only along declared moves",
	Attrs: []attrSchema{
		{Name: "column", Kind: nameKind, Required: true, Doc: "the column that holds the state"},
		{Name: "initial", Kind: statesKind, Required: true, Doc: "the states that an insert may start in"},
		{Name: "final", Kind: statesKind, Empty: true, Doc: "the states that nothing leaves"},
		{Name: "enforce", Kind: choiceKind, Choices: []string{"database", "code"}, Doc: "for every client, or in generated code alone"},
		{Name: "repeat", Kind: choiceKind, Choices: []string{"noop", "reject"}, Doc: "a move of a row that is already there"},
		{Name: "name", Kind: stringKind, Doc: "what the names of its triggers begin with, instead of the table's name and the label"},
		sinceAttr,
	},
	Blocks: []*blockSchema{&moveSchema},
}

var moveSchema = blockSchema{
	Type: "move", Label: "the name of the move", Required: true, Doc: "a way from states to a state; a method in Go",
	Attrs: []attrSchema{
		{Name: "from", Kind: statesKind, Required: true, Doc: "the states it starts in"},
		{Name: "to", Kind: stateKind, Required: true, Doc: "the state it ends in"},
		{Name: "args", Kind: argsKind, Doc: "arguments, used as @name"},
		{Name: "guard", Kind: sqlKind, Doc: "a condition over this row and the arguments"},
		{Name: "set", Kind: setKind, Doc: "columns that change with the state"},
		operationNameAttr,
		{Name: "wait", Kind: stringKind, Doc: "how long to wait for the row, or nowait"},
		transactionAttr,
	},
}

func decodeTransitions(parent *body) []*Transitions {
	var all []*Transitions
	for _, b := range parent.each(&transitionsSchema) {
		t := &Transitions{
			Block:   b.block,
			Rename:  b.identifier("name"),
			Column:  b.name("column"),
			Initial: b.states("initial"),
			Final:   b.states("final"),
			Enforce: b.choice("enforce"),
			Repeat:  b.choice("repeat"),
			Since:   b.sql("since"),
		}
		for _, m := range b.each(&moveSchema) {
			if b.block.Key != nil {
				m.requireKeyInName()
			}
			t.Moves = append(t.Moves, m.move())
		}
		all = append(all, t)
	}
	return all
}

func (b *body) move() *Move {
	m := &Move{
		Block:  b.block,
		Rename: b.goName("name"),
		From:   b.states("from"),
		Args:   b.args("args"),
		Guard:  b.sql("guard"),
		Set:    b.set("set"),

		Wait:        b.wait("wait"),
		Transaction: b.operation("transaction"),
	}
	if expr, s := b.attr("to"); expr != nil {
		m.To, _ = b.p.state(expr, s)
	}
	return m
}
