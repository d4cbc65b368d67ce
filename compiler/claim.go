package compiler

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// What the statements of a queue take and give.
var (
	taskID     = ir.Field{Name: "id", Type: ir.Type{Name: "int8"}}
	taskFence  = ir.Field{Name: "fence", Type: ir.Type{Name: "int8"}}
	taskIDs    = ir.Field{Name: "ids", Type: ir.Type{Kind: ir.ArrayType, Elem: &ir.Type{Name: "int8"}}}
	taskFences = ir.Field{Name: "fences", Type: ir.Type{Kind: ir.ArrayType, Elem: &ir.Type{Name: "int8"}}}
	claimLimit = ir.Field{Name: "limit", Type: ir.Type{Name: "int4"}}
	claimLease = ir.Field{Name: "lease", Type: ir.Type{Name: "int8"}} // microseconds
)

// addQueueOperations adds what a queue can do.
func (q *queue) addQueueOperations() {
	q.addEnqueue()
	if q.isOutbox() {
		q.addEnqueueMany()
	}
	q.addClaim()
	q.addComplete()
	q.addFail()
	q.addHeartbeat()
	q.addRelease()
	if q.config.Retain > 0 {
		q.addReap()
	}
}

func (q *queue) add(op ir.Operation, w write) {
	w.facts = q.facts
	q.addOperation(op, w)
}

func (q *queue) addEnqueue() {
	op := q.taskOperation("enqueue", ir.EnqueueOp, ir.NoLock,
		"puts a {task} into the {queue} {label} and returns its id. Inside a transaction the {task} is there when the transaction commits, and never when it rolls back.")
	if q.isOutbox() {
		op = q.eventOperation()
	}
	sql, p := insertSQL(q.ref, q.repository.Insert, func(name string) string { return q.byName[name].schema.Default })
	if q.group != nil {
		sql = q.groupedEnqueueSQL(p)
		op.Lock = ir.ForNoKeyUpdate
		op.Reasons = append(op.Reasons, q.reasons(q.group.rowReason())...)
		op.Doc += " Whoever adds to the same " + and(columnList(q.group.by)) + " waits until that transaction ends, or fails with ErrBusy when lock_timeout runs out."
	}
	op.Args = q.repository.Insert
	op.Statements = []ir.Statement{{
		Role: ir.MainStatement, SQL: comment(op.Address) + sql + "\nRETURNING id",
		Args: p.fields, Results: []ir.Field{taskID}, Rows: ir.ReturnsOne,
	}}
	q.add(op, write{inserts: true})
}

// addClaim adds the claim. "due" first moves scheduled tasks whose time has
// come; then the claim takes leases that ran out, and ready tasks for what is
// left of the limit. The rows to take are locked in MATERIALIZED arms: in an
// IN (SELECT … LIMIT …) the planner may run the sub-select again for each row,
// and more rows than the limit come out. They are joined as an array, so that
// the UPDATE reads them by primary key whatever the planner thinks of a limit
// that it does not know.
//
// Leases that ran out too often do not come back: the same statement marks
// them dead, and they do not count towards the limit.
func (q *queue) addClaim() {
	op := q.taskOperation("claim", ir.ClaimOp, ir.ForUpdate,
		"takes up to limit {task}s of the {queue} {label} for this {worker}, the oldest first: {task}s whose lease ran out, then ready ones. Each comes with a fence, which "+
			"completing, failing and renewing check. A {task} is taken by one {worker} at a time"+q.endDoc("; after {attempts} attempts it is dead and stays in the table")+
			". No {task} is an empty answer, not an error.")
	if q.group != nil {
		op.Doc += q.say(" Of the {task}s with the same ") + and(columnList(q.group.by)) + " one is held at a time, in the order in which their transactions committed."
		q.groupedClaim(&op)
		q.add(op, write{})
		return
	}
	op.Args = []ir.Field{claimLimit, claimLease}
	due := newParameters([]ir.Field{claimLimit})
	main := newParameters(op.Args)
	table, attempts := q.ref.SQL(), strconv.Itoa(q.config.Attempts)
	op.Statements = []ir.Statement{
		{
			Role: ir.DueStatement,
			SQL: comment(op.Address) + "WITH due AS MATERIALIZED (\n" +
				"  SELECT id FROM " + table + "\n" +
				"  WHERE state = 'scheduled' AND run_at <= statement_timestamp()\n" +
				"  ORDER BY run_at, id LIMIT " + due.ref("limit") + " FOR UPDATE SKIP LOCKED\n" +
				")\n" +
				"UPDATE " + table + " SET state = 'ready'\n" +
				"WHERE id = ANY (ARRAY(SELECT id FROM due))",
			Args: due.fields, Rows: ir.ReturnsNone,
		},
		{
			Role: ir.MainStatement,
			SQL: comment(op.Address) + "WITH expired AS MATERIALIZED (\n" +
				"  SELECT id, attempt FROM " + table + "\n" +
				"  WHERE state = 'running' AND lease_until < statement_timestamp()\n" +
				"  ORDER BY lease_until, id LIMIT " + main.ref("limit") + " FOR UPDATE SKIP LOCKED\n" +
				"), buried AS (\n" +
				"  UPDATE " + table + " SET state = 'dead', lease_until = NULL, last_error = COALESCE(last_error, 'the lease ran out')\n" +
				"  WHERE id = ANY (ARRAY(SELECT id FROM expired WHERE attempt >= " + attempts + "))\n" +
				"), again AS MATERIALIZED (\n" +
				"  SELECT id FROM expired WHERE attempt < " + attempts + "\n" +
				"), ready AS MATERIALIZED (\n" +
				"  SELECT id FROM " + table + "\n" +
				"  WHERE state = 'ready'\n" +
				"  ORDER BY id LIMIT " + main.ref("limit") + " - (SELECT count(*) FROM again) FOR UPDATE SKIP LOCKED\n" +
				"), claimed AS (\n" +
				"  UPDATE " + table + " AS t\n" +
				"  SET state = 'running', attempt = t.attempt + 1, fence = t.fence + 1,\n" +
				"    lease_until = clock_timestamp() + " + main.ref("lease") + " * interval '1 microsecond'\n" +
				"  WHERE t.id = ANY (ARRAY(SELECT id FROM again UNION ALL SELECT id FROM ready))\n" +
				"  RETURNING " + q.payloadOf("t") + "t.id, t.fence, t.attempt, t.lease_until\n" +
				")\n" +
				"SELECT " + q.payloadResults() + "id, fence, attempt, lease_until FROM claimed ORDER BY id",
			Args: main.fields, Results: q.claimResults(), Rows: ir.ReturnsMany,
		},
	}
	q.add(op, write{})
}

// claimResults are what a claim returns of a task.
func (q *queue) claimResults() []ir.Field {
	return slices.Concat(fields(q.payload), []ir.Field{
		taskID, taskFence, q.byName["attempt"].field(), {Name: "lease_until", Type: ir.Type{Name: "timestamptz"}},
	})
}

// payloadOf spells the payload of a row, with a comma behind it.
func (q *queue) payloadOf(alias string) string {
	list := ""
	for _, col := range q.payload {
		list += alias + "." + ir.Ident(col.name) + ", "
	}
	return list
}

func quoteAll(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = ir.Ident(name)
	}
	return list
}

// unlessLast spells what a failed attempt leads to when there are more, and what it
// does when it was the last.
func (q *queue) unlessLast(row, again, end string) string {
	if q.config.Attempts == 0 {
		return again
	}
	return "CASE WHEN " + row + "attempt < " + strconv.Itoa(q.config.Attempts) + " THEN " + again + " ELSE " + end + " END"
}

// endDoc is a text about the last attempt, for a queue that has one.
func (q *queue) endDoc(text string) string {
	if q.config.Attempts == 0 {
		return ""
	}
	return strings.ReplaceAll(text, "{attempts}", plainInt(q.config.Attempts))
}

func (q *queue) completeDoc() string {
	does := "deletes {task}s of the {queue} {label} that are done. "
	if q.config.Retain > 0 {
		does = "marks {task}s of the {queue} {label} as done, which are kept for " + length(q.config.Retain) + ". "
	}
	return does + "A {task} whose claim was lost meanwhile is left alone, and the answer says that it was lost; inside a transaction the caller can then roll back " +
		"what the {task} did."
}

// heldSQL locks the tasks that are still held under the given fences, in the
// order of their ids.
func (q *queue) heldSQL(p *parameters) string {
	keys := ""
	if q.group != nil {
		keys = ", " + q.group.keys("t")
	}
	return "WITH held AS MATERIALIZED (\n" +
		"  SELECT t.id" + keys + " FROM " + q.ref.SQL() + " AS t\n" +
		"  JOIN unnest(" + p.ref("ids") + ", " + p.ref("fences") + ") AS c (id, fence) ON t.id = c.id AND t.fence = c.fence\n" +
		"  WHERE t.state = 'running'\n" +
		"  ORDER BY t.id FOR UPDATE OF t\n" +
		")\n"
}

// orderReason is why batches lock in the order of ids.
var orderReason = ir.Reason{
	Choice: "rows locked in the order of their ids",
	Why:    "two batches with the same rows in another order would each hold what the other one waits for (40P01).",
}

// fenceReason is why a late result has no effect.
var fenceReason = ir.Reason{
	Choice: "fence in the WHERE",
	Why:    "a claim that was lost matches no row: what a {worker} reports after its lease ran out cannot touch the {task} of another {worker}.",
}

func (q *queue) addComplete() {
	op := q.taskOperation("complete", ir.CompleteOp, ir.ForUpdate,
		q.completeDoc())
	p := newParameters([]ir.Field{taskIDs, taskFences})
	op.Args = p.fields
	op.Reasons = append(op.Reasons, q.reasons(fenceReason, orderReason)...)
	done := "DELETE FROM " + q.ref.SQL()
	if q.config.Retain > 0 {
		done = "UPDATE " + q.ref.SQL() + "\nSET state = 'done', lease_until = NULL, " + doneColumn + " = clock_timestamp()"
	}
	done += "\nWHERE id = ANY (ARRAY(SELECT id FROM held))\nRETURNING id"
	sql := q.heldSQL(p) + done
	if q.group != nil {
		sql = strings.TrimSuffix(q.heldSQL(p), "\n") + ", done AS (\n  " + strings.ReplaceAll(done, "\n", "\n  ") + ", " + q.group.keys("") + "\n)" + q.groupedEnd("done", "h.run_at")
	}
	q.end(op, ir.Statement{
		Role: ir.MainStatement, SQL: comment(op.Address) + sql, Args: p.fields, Results: []ir.Field{taskID}, Rows: ir.ReturnsMany,
	}, q.lockGroupsOf)
}

// addFail adds what happens to a task whose work failed.
func (q *queue) addFail() {
	op := q.taskOperation("fail", ir.FailOp, ir.RowWriteLock,
		"gives a failed {task} of the {queue} {label} back, to be tried again after a pause that doubles with each attempt from "+q.config.BackoffBase.String()+" to "+
			q.config.BackoffMax.String()+"; the pause is a random part of that, so that {task}s that failed together do not come back together."+
			q.endDoc(" After {attempts} attempts the {task} is dead and stays in the table with its last error.")+" A claim that was lost meanwhile changes nothing.")
	p := newParameters([]ir.Field{
		taskID, taskFence,
		{Name: "error", Type: ir.Type{Name: "text"}},
		{Name: "jitter", Type: ir.Type{Name: "float8"}}, // from 0 to 1
	})
	op.Args = p.fields
	op.Reasons = append(op.Reasons, q.reasons(fenceReason, ir.Reason{
		Choice: "the pause is capped before it can overflow",
		Why:    "an exponent that grows with every attempt becomes a date far in the past at some point, and the {task} would be tried without any pause.",
	})...)
	pause := "least(" + seconds(q.config.BackoffMax) + ", " + seconds(q.config.BackoffBase) + " * 2 ^ least(attempt - 1, " +
		strconv.Itoa(doublings(q.config.BackoffBase, q.config.BackoffMax)) + "))::double precision"
	sql := "UPDATE " + q.ref.SQL() + "\nSET state = " + q.unlessLast("", "'scheduled'", "'dead'") + ",\n" +
		"  run_at = " + q.unlessLast("", "clock_timestamp() + make_interval(secs => "+pause+" * "+p.ref("jitter")+")", "run_at") + ",\n" +
		"  lease_until = NULL, last_error = " + p.ref("error") + "\n" +
		"WHERE id = " + p.ref("id") + " AND fence = " + p.ref("fence") + " AND state = 'running'\nRETURNING id"
	if q.group != nil {
		sql = q.groupedChange(sql, q.group.dueAgain())
	}
	q.end(op, ir.Statement{
		Role: ir.MainStatement, SQL: comment(op.Address) + sql, Args: p.fields, Results: []ir.Field{taskID}, Rows: ir.ReturnsOne,
	}, q.lockGroupOf)
}

// end adds an operation that ends a claim. In a queue with groups a statement of
// its own locks the group first.
func (q *queue) end(op ir.Operation, main ir.Statement, lock func(*ir.Operation) ir.Statement) {
	op.Statements = []ir.Statement{main}
	if q.group != nil {
		op.Lock = ir.ForUpdate
		op.Reasons = append(op.Reasons, q.reasons(groupLockReason)...)
		op.Statements = []ir.Statement{lock(&op), main}
	}
	q.add(op, write{})
}

func (q *queue) addHeartbeat() {
	op := q.taskOperation("heartbeat", ir.HeartbeatOp, ir.ForUpdate,
		"renews the leases of {task}s of the {queue} {label} that a {worker} still works on. A {task} that is not in the answer was lost: its work has to stop.")
	p := newParameters([]ir.Field{taskIDs, taskFences, claimLease})
	op.Args = p.fields
	op.Reasons = append(op.Reasons, q.reasons(fenceReason, orderReason)...)
	op.Statements = []ir.Statement{{
		Role: ir.MainStatement,
		SQL: comment(op.Address) + q.heldSQL(p) + "UPDATE " + q.ref.SQL() +
			"\nSET lease_until = clock_timestamp() + " + p.ref("lease") + " * interval '1 microsecond'" +
			"\nWHERE id = ANY (ARRAY(SELECT id FROM held))\nRETURNING id",
		Args: p.fields, Results: []ir.Field{taskID}, Rows: ir.ReturnsMany,
	}}
	q.add(op, write{})
}

func (q *queue) addRelease() {
	op := q.taskOperation("release", ir.ReleaseOp, ir.RowWriteLock,
		"hands a {task} of the {queue} {label} back that was not worked on, without burning an attempt: a {worker} that stops does this. A claim that was lost meanwhile changes nothing.")
	p := newParameters([]ir.Field{taskID, taskFence})
	op.Args = p.fields
	op.Reasons = append(op.Reasons, q.reasons(fenceReason, ir.Reason{
		Choice: "the fence stays",
		Why:    "the next claim raises it again; lowered like the attempt, it would be that of a claim that is gone.",
	})...)
	sql := "UPDATE " + q.ref.SQL() + "\nSET state = 'ready', attempt = greatest(attempt - 1, 0), lease_until = NULL\n" +
		"WHERE id = " + p.ref("id") + " AND fence = " + p.ref("fence") + " AND state = 'running'\nRETURNING id"
	if q.group != nil {
		sql = q.groupedChange(sql, "least(d.run_at, h.run_at)")
	}
	q.end(op, ir.Statement{
		Role: ir.MainStatement, SQL: comment(op.Address) + sql, Args: p.fields, Results: []ir.Field{taskID}, Rows: ir.ReturnsOne,
	}, q.lockGroupOf)
}

// addReap adds the removal of tasks that are done and no longer kept. It passes over
// those that another reaper is at.
func (q *queue) addReap() {
	op := q.taskOperation("reap", ir.ReapOp, ir.ForUpdate,
		"removes up to limit {task}s of the {queue} {label} that were done more than "+length(q.config.Retain)+" ago.")
	p := newParameters([]ir.Field{claimLimit})
	op.Args = p.fields
	op.Statements = []ir.Statement{{
		Role: ir.MainStatement,
		SQL: comment(op.Address) + "WITH old AS MATERIALIZED (\n" +
			"  SELECT id FROM " + q.ref.SQL() + "\n" +
			"  WHERE state = 'done' AND " + doneColumn + " <= statement_timestamp() - interval '" + seconds(q.config.Retain) + " seconds'\n" +
			"  ORDER BY " + doneColumn + ", id LIMIT " + p.ref("limit") + " FOR UPDATE SKIP LOCKED\n" +
			")\nDELETE FROM " + q.ref.SQL() + "\nWHERE id = ANY (ARRAY(SELECT id FROM old))",
		Args: p.fields, Rows: ir.ReturnsNone,
	}}
	q.add(op, write{})
}
