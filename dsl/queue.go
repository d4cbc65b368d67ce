package dsl

import (
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

var queueSchema = blockSchema{
	Type: "queue", Label: "the name of the queue", Object: true, Doc: "work in a table, done once by one of many workers",
	Attrs: []attrSchema{
		{Name: "lease", Kind: durationKind, Required: true, Shortest: time.Second, Doc: "how long a worker may hold a task"},
		{Name: "heartbeat", Kind: durationKind, Shortest: 100 * time.Millisecond, Doc: "how often a worker renews its lease"},
		{Name: "attempts", Kind: intKind, Min: 1, Max: 1_000_000, Doc: "how often a task is tried"},
		schemaAttr, renameAttr, commentAttr,
		{Name: "priority", Kind: boolKind, Later: "use a queue for each priority", Doc: "urgent tasks first"},
		{Name: "schedule", Kind: boolKind, Later: "enqueue when the time has come", Doc: "tasks for later"},
		{Name: "dead_letter", Kind: boolKind, Later: "tasks out of attempts stay in the table with state 'dead'", Doc: "a table for failed tasks"},
		{Name: "retain", Kind: durationKind, Shortest: time.Second, Doc: "how long completed tasks are kept"},
		{Name: "notify", Kind: boolKind, Later: "workers poll", Doc: "wakes workers at once"},
	},
	Blocks: []*blockSchema{
		&queueColumnSchema, &backoffSchema, &groupSchema, &goTableSchema,
		{Type: "limit", Later: "run as many workers as may run at once"},
		{Type: "unique", Later: "enqueue together with a row of a table with no_duplicates"},
	},
}

// queueColumnSchema is a column that the payload is made of.
var queueColumnSchema = func() blockSchema {
	s := columnSchema
	s.Required = false
	s.Attrs = []attrSchema{
		typeAttr, columnSchema.Attrs[1], columnSchema.Attrs[2], columnSchema.Attrs[3], commentAttr, collationAttr, columnNameAttr,
		{Name: "identity", Kind: stringKind, Later: "every queue numbers its tasks in the column id", Doc: "the server numbers the rows"},
		{Name: "generated", Kind: sqlKind, Later: "compute it where the task is enqueued", Doc: "the server computes it"},
		{Name: "immutable", Kind: boolKind, Later: "leave it out: nothing changes the payload of a task", Doc: "it never changes"},
	}
	return s
}()

var backoffSchema = blockSchema{
	Type: "backoff", Once: true, Doc: "how long a failed task waits",
	Attrs: []attrSchema{
		{Name: "base", Kind: durationKind, Doc: "the wait after the first failure"},
		{Name: "max", Kind: durationKind, Doc: "the longest wait"},
		{Name: "jitter", Kind: choiceKind, Choices: []string{"full"}, Doc: "how the wait is spread"},
	},
}

// groupSchema keeps the order of tasks that share some columns.
var groupSchema = blockSchema{
	Type: "group", Once: true, Doc: "tasks of one group run one at a time, in the order of commit",
	Attrs: []attrSchema{
		{Name: "by", Kind: namesKind, Required: true, Doc: "the columns that make a group"},
		{Name: "head", Kind: choiceKind, Choices: []string{"block", "skip"}, Doc: "whether a failed task holds its group up while it waits"},
	},
}

func (p *project) decodeQueue(block *hclsyntax.Block) {
	b := p.open(block, &queueSchema)
	q := &Queue{
		Block:     b.block,
		Schema:    b.identifier("schema"),
		Rename:    b.identifier("name"),
		Comment:   b.text("comment"),
		Lease:     b.duration("lease"),
		Heartbeat: b.duration("heartbeat"),
		Attempts:  b.integer("attempts"),
		Retain:    b.duration("retain"),
		Columns:   b.payload(),
		Backoff:   b.backoff(),
	}
	if group := b.one(&groupSchema); group != nil {
		q.Group = &Group{Block: group.block, By: group.names("by"), Head: group.choice("head")}
	}
	q.GoName, q.GoRow = b.goNames("row")
	p.spec.Queues = append(p.spec.Queues, q)
}

// payload reads the columns of tasks and events.
func (b *body) payload() []*Column {
	var list []*Column
	for _, c := range b.each(&queueColumnSchema) {
		list = append(list, c.column())
	}
	return b.p.distinctColumns(list)
}

// backoff reads the backoff block, if there is one.
func (b *body) backoff() *Backoff {
	back := b.one(&backoffSchema)
	if back == nil {
		return nil
	}
	return &Backoff{Block: back.block, Base: back.duration("base"), Max: back.duration("max"), Jitter: back.choice("jitter")}
}
