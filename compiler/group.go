package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// group says which tasks of a queue run one at a time. Its table has a row for
// each group that has tasks to do: whoever enqueues, claims or ends a task of the
// group writes that row first, so that all of them take turns.
type group struct {
	ref  ir.TableRef
	by   []*column
	skip bool
}

// skipHead is the value of head that lets tasks pass one that waits.
const skipHead = "skip"

// queueGroup reads the group block.
func (c *compilation) queueGroup(q *queue) bool {
	decl := q.decl.Group
	if decl == nil {
		return true
	}
	by, ok := c.lookupAll(q.table, decl.By)
	if !ok || len(by) == 0 {
		return false
	}
	for i, col := range by {
		if c.keyType(col, decl.By[i].Range, "group") || !c.groupColumn(q, col, decl.By[i]) {
			return false
		}
	}
	q.group = &group{ref: ir.TableRef{Schema: q.ref.Schema, Name: q.ref.Name + "_group"}, by: by, skip: decl.Head.V == skipHead}
	q.config.Group = &ir.QueueGroup{Table: q.group.ref, By: columnList(by), Skip: q.group.skip}
	return true
}

// groupColumn refuses a column that cannot tell groups apart.
func (c *compilation) groupColumn(q *queue, col *column, at dsl.Name) bool {
	d := diag.Diagnostic{Code: diag.GroupColumn, Subject: at.Range}
	switch {
	case !slices.Contains(q.payload, col):
		d.Label = q.say("the {queue}'s own")
		d.Detail = "The column " + quote(col.name) + q.say(" is the {queue}'s own, and no group can be made by it.")
		d.Consequence = q.say("It changes while a {task} is worked on: the {task} would leave its group, and another one of that group would start beside it.")
		d.Help = "group by a column of the payload"
	case col.null:
		d.Label = "may be NULL"
		d.Detail = "The column " + quote(col.name) + q.say(" may be NULL, and the {queue} is grouped by it.")
		d.Consequence = capital(q.words.task) + "s without a group would have no order, and no row that says who works on them: they would never be claimed."
		d.Help = "leave out null = true"
	case col.typ.Base().Kind == ir.ArrayType:
		d.Label = "a list"
		d.Detail = "The column " + quote(col.name) + q.say(" is a list, and the {queue} is grouped by it.")
		d.Consequence = q.say("The statements of the {queue} pass groups on as lists of their columns' values, and a list of lists loses where one ends.")
		d.Help = "group by a column with a single value"
	default:
		return true
	}
	c.report(d)
	return false
}

// groupSchema adds the table of groups and the indexes that its statements read.
func (c *compilation) groupSchema(q *queue) []ir.ObjectID {
	g, at, whose := q.group, q.decl.Header, q.words.queue+" "+quote(q.label)
	origin := ir.Origin{Address: q.address, Pos: pos(at), Why: q.say("has a row for each group with {task}s that are not done")}
	bigint, timestamp := ir.Type{Name: "int8"}, ir.Type{Name: "timestamptz"}
	t := ir.Table{
		Schema: g.ref.Schema, Name: g.ref.Name, Origin: origin,
		Comment:    "Groups of " + q.ref.Name + q.say(" that have {task}s to {do}: when the next one is due, or the claim that holds one."),
		PrimaryKey: &ir.PrimaryKey{Name: g.ref.Name + "_pkey", Columns: columnList(g.by), Origin: origin},
	}
	for _, col := range g.by {
		t.Columns = append(t.Columns, ir.Column{Name: col.name, Type: col.typ, Collation: col.schema.Collation, Origin: origin})
	}
	t.Columns = append(t.Columns,
		ir.Column{Name: "run_at", Type: timestamp, Null: true, Origin: origin},
		ir.Column{Name: "fence", Type: bigint, Null: true, Origin: origin})
	c.claimRelation(g.ref, g.ref.Name, "the groups of "+whose, at)
	c.claimRelation(g.ref, t.PrimaryKey.Name, "the primary key of the groups of "+whose, at)
	objects := []ir.ObjectID{
		{Kind: ir.TableObject, Schema: t.Schema, Table: t.Name, Name: t.Name},
		{Kind: ir.ConstraintObject, Schema: t.Schema, Table: t.Name, Name: t.PrimaryKey.Name},
	}
	origin.Why = "a group is due at some time, or a claim holds it"
	held := ir.Check{Name: t.Name + "_held", Expr: "(run_at IS NULL) = (fence IS NOT NULL)", Origin: origin}
	t.Checks = []ir.Check{held}
	objects = append(objects, ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.Schema, Table: t.Name, Name: held.Name})
	for _, ix := range []struct{ label, column, why string }{
		{"due", "run_at", q.say("a claim finds the groups whose next {task} is due")},
		{"fence", "fence", "a claim finds the groups that it has taken"},
	} {
		origin.Why = ix.why
		index := ir.Index{
			Name: t.Name + "_" + ix.label, Method: defaultMethod, Parts: []ir.IndexPart{{Column: ix.column}}, Where: ix.column + " IS NOT NULL", Origin: origin,
		}
		c.claimRelation(g.ref, index.Name, "an index of the groups of "+whose, at)
		t.Indexes = append(t.Indexes, index)
		objects = append(objects, ir.ObjectID{Kind: ir.IndexObject, Schema: t.Schema, Table: t.Name, Name: index.Name})
	}
	c.program.Schema.Tables = append(c.program.Schema.Tables, t)
	return objects
}

// queueIndex is an index of a queue, over the tasks in some states.
type queueIndex struct {
	label, where, why string
	by                []string
}

// groupIndexes are the indexes of a queue whose tasks have an order in groups.
func (q *queue) groupIndexes() []queueIndex {
	by := columnList(q.group.by)
	list := []queueIndex{{"lease", inState(runningState), "a claim finds the leases that ran out", []string{"lease_until", "id"}}}
	if !q.group.skip {
		return append(list, queueIndex{"head", waitingStates, "the next {task} of a group is its oldest", append(slices.Clone(by), "id")})
	}
	return append(
		list,
		queueIndex{"ready", inState(readyState), "the next {task} of a group is its oldest", append(slices.Clone(by), "id")},
		queueIndex{"scheduled", inState(scheduledState), "a {task} that failed comes back when it is due", append(slices.Clone(by), "run_at", "id")},
	)
}

// waitingStates are those of tasks that can be claimed, now or later.
var waitingStates = inList("state", []string{readyState, scheduledState})

func inState(state string) string { return "state = " + ir.Literal(state) }

// groupPromise is what a queue promises of its groups.
func (q *queue) groupPromise() string {
	text := q.say(" {Task}s with one ") + and(columnList(q.group.by)) + q.say(" {run} one at a time, in the order in which their transactions committed; one that failed ")
	switch {
	case q.group.skip:
		return text + "lets the others pass while it waits."
	case q.config.Attempts == 0:
		return text + "holds the others up until it is done."
	}
	return text + "holds the others up until it is done or dead."
}

func (q *queue) groupReasons() []ir.Reason {
	head, why := "block", "while it waits for its next attempt the group waits with it, so that nothing overtakes it."+
		q.endDoc(" After its last attempt it is dead, and the group goes on.")
	if q.group.skip {
		head, why = skipHead, "while it waits for its next attempt the next {task} of the group runs. It comes back when it is due and nothing of its group runs."
	}
	return []ir.Reason{q.group.rowReason(), headReason, groupLockReason, {Choice: "head = " + quote(head), Why: why}}
}

// rowReason is why a group has a row that enqueue writes.
func (g *group) rowReason() ir.Reason {
	return ir.Reason{
		Choice: "a row for each group in " + g.ref.Name,
		Why: "whoever adds a {task} writes it before the {task} gets its id and keeps it until the transaction ends, so that ids of one group are in the order of commit. " +
			"Those who add to one group wait for each other; others do not.",
	}
}

// headReason is why a claim is two statements.
var headReason = ir.Reason{
	Choice: "groups are taken in one statement, their oldest {task}s read in the next",
	Why: "a statement sees the rows as they were when it began, before it had the lock: read there, the oldest {task} may be one that is done already, or " +
		"one that another has overtaken meanwhile.",
}

// groupLockReason is why whoever ends a task locks its group first.
var groupLockReason = ir.Reason{
	Choice: "the group is locked before the {task}",
	Why: "whoever ends a {task} looks for the next one of its group, and removes the group's row when there is none. Without the lock a {task} that comes in at " +
		"that moment would stand there without a row that says so, and nobody would claim it.",
}

// groupViolators finds groups that nobody would claim from, and those with two tasks
// at once.
func (q *queue) groupViolators() string {
	by := ir.Idents(columnList(q.group.by))
	return "SELECT " + by + ", tasks, running, held FROM (SELECT " + by + ", count(*) AS tasks, count(*) FILTER (WHERE state = 'running') AS running FROM " + q.ref.SQL() +
		" WHERE state IN ('ready', 'scheduled', 'running') GROUP BY " + by + ") AS t" +
		" FULL JOIN (SELECT " + by + ", fence IS NOT NULL AS held FROM " + q.group.ref.SQL() + ") AS g USING (" + by + ")" +
		" WHERE tasks IS NULL OR held IS NULL OR running > 1 OR held <> (running = 1)"
}

// groupFill are the statements that add the rows of groups whose tasks came before
// the queue had groups. A group with a task that runs is held until that ends.
func (q *queue) groupFill() []string {
	by := ir.Idents(columnList(q.group.by))
	return []string{
		"INSERT INTO " + q.group.ref.SQL() + " (" + by + ", run_at, fence) SELECT " + by + ", CASE WHEN NOT running THEN now() END, CASE WHEN running THEN 0 END FROM (SELECT " +
			by + ", bool_or(state = 'running') AS running FROM " + q.ref.SQL() + " WHERE state IN ('ready', 'scheduled', 'running') GROUP BY " + by + ") AS t",
	}
}
