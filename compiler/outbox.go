package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// doneColumn says when a task was done, where those are kept.
const doneColumn = "done_at"

// outboxQueue is the queue that an outbox is made of: its tasks are the events, and
// its groups the aggregates.
func outboxQueue(o *dsl.Outbox) *dsl.Queue {
	return &dsl.Queue{
		Block: o.Block, Schema: o.Schema, Rename: o.Rename, Comment: o.Comment, Columns: o.Columns,
		Lease: o.Lease, Heartbeat: o.Heartbeat, Attempts: o.Attempts, Backoff: o.Backoff, Retain: o.Retain,
		Group: &dsl.Group{Block: o.Block, By: o.Aggregate}, GoName: o.GoName, GoRow: o.GoRow,
	}
}

func (q *queue) isOutbox() bool { return q.words == eventWords }

// eventOperation is what adds one event.
func (q *queue) eventOperation() ir.Operation {
	op := q.taskOperation("add", ir.EnqueueOp, ir.NoLock,
		"writes an event into the outbox {label} and returns its id. The event is published when the caller's transaction has committed, and never when it rolls back; "+
			"events of one aggregate leave in the order of commit.")
	op.NeedsTransaction = true
	op.Reasons = append(op.Reasons, addedInside)
	return op
}

// addedInside is why events are written in a transaction of the caller's.
var addedInside = ir.Reason{
	Choice: "only inside a transaction",
	Why: "an event tells of something that was written. Added by itself it would be published though that failed, or be missing though that was done: the caller's " +
		"transaction makes one of both.",
}

// addEnqueueMany adds the operation that adds many tasks. The groups are taken in a
// statement of its own, in the order of their keys, before the first task gets its id.
func (q *queue) addEnqueueMany() {
	op := q.taskOperation("add_many", ir.EnqueueManyOp, ir.ForNoKeyUpdate,
		"writes events into the outbox {label}, in their order and all or none, and returns their ids. It takes their aggregates in the order of the keys, whatever "+
			"order the events have: two batches never wait for each other in a circle.")
	op.Address, op.NeedsTransaction = under(q.address, "add", "many"), true
	op.Reasons = append(op.Reasons, addedInside)
	op.Reasons = append(op.Reasons, q.reasons(q.group.rowReason(), ir.Reason{
		Choice: "ORDER BY " + ir.Idents(columnList(q.group.by)),
		Why: "the groups are locked in the order of their keys, whatever order was given. Two batches for the same groups in another order would each hold what the " +
			"other one waits for (40P01).",
	})...)
	op.Each = q.repository.Insert
	op.Args = textArrays(op.Each)
	group, main := newParameters(q.groupArrays()), newParameters(op.Args)
	op.Statements = []ir.Statement{
		{Role: ir.GroupStatement, SQL: comment(op.Address) + q.takeGroups(group), Args: group.fields, Rows: ir.ReturnsNone},
		{
			Role: ir.MainStatement, SQL: comment(op.Address) + q.insertMany(main), Args: main.fields,
			Results: []ir.Field{taskID}, Rows: ir.ReturnsMany,
		},
	}
	q.add(op, write{inserts: true})
}

// groupArrays are the arguments of a batch that name the groups.
func (q *queue) groupArrays() []ir.Field {
	var list []ir.Field
	for _, f := range q.repository.Insert {
		if slices.Contains(q.group.by, q.byName[f.Name]) {
			list = append(list, f)
		}
	}
	return textArrays(list)
}

// takeGroups writes the row of each group of a batch, in the order of the keys.
func (q *queue) takeGroups(p *parameters) string {
	g := q.group
	names := identsOf(p.fields)
	arrays, keys := make([]string, len(p.fields)), make([]string, len(g.by))
	for i, f := range p.fields {
		arrays[i] = p.ref(f.Name)
	}
	for i, col := range g.by {
		keys[i] = q.sentValue(col.name)
		if col.schema.Collation != "" {
			keys[i] += " COLLATE " + ir.Ident(col.schema.Collation)
		}
	}
	return "INSERT INTO " + g.ref.SQL() + " AS g (" + g.keys("") + ", run_at)\n" +
		"SELECT DISTINCT " + strings.Join(keys, ", ") + ", statement_timestamp()\n" +
		"FROM unnest(" + strings.Join(arrays, ", ") + ") AS " + sentAlias + " (" + strings.Join(names, ", ") + ")\n" +
		"ORDER BY " + strings.Join(keys, ", ") + "\n" +
		"ON CONFLICT (" + g.keys("") + ") DO UPDATE SET run_at = " + g.sooner()
}

// insertMany writes the tasks of a batch in their order, which that of their ids is.
func (q *queue) insertMany(p *parameters) string {
	list := q.repository.Insert
	names := identsOf(list)
	arrays, values := make([]string, len(list)), make([]string, len(list))
	for i, f := range list {
		arrays[i], values[i] = p.ref(f.Name), q.sentValue(f.Name)
	}
	n := ir.Ident(q.free("n"))
	return "WITH added AS (\n  INSERT INTO " + q.ref.SQL() + " (" + strings.Join(names, ", ") + ")\n  SELECT " + strings.Join(values, ", ") + "\n  FROM unnest(" +
		strings.Join(arrays, ", ") + ") WITH ORDINALITY AS " + sentAlias + " (" + strings.Join(append(names, n), ", ") + ")\n  ORDER BY " + sentAlias + "." + n +
		"\n  RETURNING id\n)\nSELECT id FROM added ORDER BY id"
}

// sentValue spells the value of a column that was sent as text, or its default.
func (q *queue) sentValue(column string) string {
	f := q.byName[column]
	value := sentAlias + "." + ir.Ident(column) + "::" + storedType(f.typ).SQL()
	if f.schema.Default != "" {
		return "COALESCE(" + value + ", " + f.schema.Default + ")"
	}
	return value
}
