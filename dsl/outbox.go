package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var outboxSchema = blockSchema{
	Type: "outbox", Label: "the name of the outbox", Object: true, Doc: "messages that leave in the order of commit, each aggregate by itself",
	Attrs: []attrSchema{
		{Name: "aggregate", Kind: namesKind, Required: true, Doc: "the columns that name what a message is about"},
		{Name: "retain", Kind: durationKind, Doc: "how long sent messages are kept"},
		renameAttr,
	},
	Blocks: []*blockSchema{&queueColumnSchema},
}

var inboxSchema = blockSchema{
	Type: "inbox", Label: "the name of the inbox", Object: true, Doc: "messages from elsewhere, each taken once",
	Attrs: []attrSchema{
		{Name: "source", Kind: stringKind, Required: true, Doc: "who sends; ids are unique for each source"},
		{Name: "retain", Kind: durationKind, Required: true, Doc: "how long an id is remembered"},
		renameAttr,
	},
}

func (p *project) decodeOutbox(block *hclsyntax.Block) {
	b := p.open(block, &outboxSchema)
	o := &Outbox{Block: b.block, Rename: b.identifier("name"), Aggregate: b.names("aggregate"), Retain: b.duration("retain")}
	for _, c := range b.each(&queueColumnSchema) {
		o.Columns = append(o.Columns, c.column())
	}
	o.Columns = p.distinctColumns(o.Columns)
	p.spec.Outboxes = append(p.spec.Outboxes, o)
}

func (p *project) decodeInbox(block *hclsyntax.Block) {
	b := p.open(block, &inboxSchema)
	p.spec.Inboxes = append(p.spec.Inboxes, &Inbox{
		Block: b.block, Rename: b.identifier("name"), Source: b.text("source"), Retain: b.duration("retain"),
	})
}
