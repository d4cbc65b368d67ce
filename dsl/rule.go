package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var ruleSchema = blockSchema{
	Type: "rule", Label: "the name of the rule", Object: true, Doc: "a query over several rows, or tables, that is true at every COMMIT",
	Attrs: []attrSchema{
		{Name: "holds", Kind: sqlKind, Required: true, Doc: "one SELECT that gives one boolean; arguments are written @name"},
		{Name: "on", Kind: columnsOfKind, Required: true, Doc: "the tables that the query reads, each with the columns whose writes can break the rule"},
		{Name: "args", Kind: argsKind, Doc: "what the query is asked for: columns that every table of `on` has"},
		{Name: "parent", Kind: referenceKind, Doc: "the table whose rows are the groups: table.NAME"},
		{Name: "enforce", Kind: choiceKind, Choices: []string{"database"}, Doc: "who keeps the rule: the database, for every client"},
		renameAttr,
	},
	Blocks: []*blockSchema{&ruleOperationSchema},
}

var ruleOperationSchema = blockSchema{
	Type: "operation", Label: "the name of the operation", Doc: "a write that can break the rule; a method in Go",
	Attrs: []attrSchema{
		{Name: "run", Kind: sqlKind, Required: true, Doc: "one INSERT, UPDATE or DELETE; arguments are written @name"},
		{Name: "args", Kind: argsKind, Doc: "the arguments besides those of the rule"},
		operationNameAttr, transactionAttr,
	},
}

func (p *project) decodeRule(block *hclsyntax.Block) {
	b := p.open(block, &ruleSchema)
	r := &Rule{
		Block: b.block, Rename: b.identifier("name"),
		Holds: b.sql("holds"), Args: b.args("args"), On: b.columnsOf("on"), Enforce: b.choice("enforce"),
	}
	if expr, _ := b.attr("parent"); expr != nil {
		parent := b.reference("parent")
		r.Parent = &parent
	}
	for _, o := range b.each(&ruleOperationSchema) {
		if b.block.Key != nil {
			o.requireKeyInName()
		}
		r.Operations = append(r.Operations, &RuleOperation{
			Block: o.block, Rename: o.goName("name"), Run: o.sql("run"), Args: o.args("args"), Transaction: o.operation("transaction"),
		})
	}
	p.spec.Rules = append(p.spec.Rules, r)
}

// columnsOf reads columns by their tables: { shifts = [team_id, on_call] }.
func (b *body) columnsOf(attribute string) []TableColumns {
	entries, _ := b.entries(attribute)
	_, s := b.attr(attribute)
	list := make([]TableColumns, 0, len(entries))
	for _, e := range entries {
		list = append(list, TableColumns{
			Table:   e.key,
			Columns: readItems(b, e.value, s, b.p.ownName, func(n Name) Name { return n }),
		})
	}
	return list
}
