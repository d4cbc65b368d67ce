package dsl

import (
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

var outboxSchema = blockSchema{
	Type: "outbox", Label: "the name of the outbox", Object: true, Doc: "events that leave in the order of commit, each aggregate by itself",
	Attrs: []attrSchema{
		{Name: "aggregate", Kind: namesKind, Required: true, Doc: "the columns that name what an event is about"},
		{Name: "retain", Kind: durationKind, Shortest: time.Second, Doc: "how long published events are kept"},
		{Name: "lease", Kind: durationKind, Shortest: time.Second, Doc: "how long a relay may hold an event"},
		{Name: "heartbeat", Kind: durationKind, Shortest: 100 * time.Millisecond, Doc: "how often a relay renews its lease"},
		{Name: "attempts", Kind: intKind, Min: 1, Max: 1_000_000, Doc: "how often an event is tried before it is dead; until it is published when absent"},
		schemaAttr, renameAttr, commentAttr,
	},
	Blocks: []*blockSchema{&queueColumnSchema, &backoffSchema, &goTableSchema},
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
	o := &Outbox{
		Block: b.block, Schema: b.identifier("schema"), Rename: b.identifier("name"), Comment: b.text("comment"),
		Aggregate: b.names("aggregate"), Retain: b.duration("retain"),
		Lease: b.duration("lease"), Heartbeat: b.duration("heartbeat"), Attempts: b.integer("attempts"),
		Columns: b.payload(), Backoff: b.backoff(),
	}
	o.GoName, o.GoRow = b.goNames("row")
	p.spec.Outboxes = append(p.spec.Outboxes, o)
}

func (p *project) decodeInbox(block *hclsyntax.Block) {
	b := p.open(block, &inboxSchema)
	p.spec.Inboxes = append(p.spec.Inboxes, &Inbox{
		Block: b.block, Rename: b.identifier("name"), Source: b.text("source"), Retain: b.duration("retain"),
	})
}
