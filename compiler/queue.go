package compiler

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// queue is a declared queue or outbox: a table of its own with the columns of the
// payload and those that a claim needs.
type queue struct {
	*table
	decl    *dsl.Queue
	words   queueWords
	payload []*column
	config  ir.Queue
	facts   *ir.Facts
	group   *group // nil when tasks have no order among themselves
}

// The states of a task. A task that is done is deleted, or kept for a while.
const (
	readyState     = "ready"
	scheduledState = "scheduled" // failed, and not yet due again
	runningState   = "running"
	deadState      = "dead" // out of attempts, kept for people
	doneState      = "done" // with retain alone
)

// declareQueues takes the tables of queues and outboxes and reads their columns.
func (c *compilation) declareQueues() {
	for _, decl := range byLabel(c.spec.Queues, func(q *dsl.Queue) string { return q.ID() }) {
		c.declareQueue(decl, taskWords)
	}
	for _, decl := range byLabel(c.spec.Outboxes, func(o *dsl.Outbox) string { return o.ID() }) {
		c.declareQueue(outboxQueue(decl), eventWords)
	}
}

func (c *compilation) declareQueue(decl *dsl.Queue, words queueWords) {
	label := decl.Name.Text
	if label == "" || slices.ContainsFunc(c.queueTables, func(q *queue) bool { return q.words == words && q.decl.ID() == decl.ID() }) {
		return
	}
	q := &queue{decl: decl, words: words, table: newTable(label, declared(words.queue, decl.Block), ir.TableRef{
		Schema: c.schemaOf(decl.Schema), Name: nameOf(decl.Name, decl.Rename),
	}, decl.Header)}
	if decl.Scope != "" || decl.Key != nil { // one label stands for several queues
		q.repository.Name = q.ref.Name
	}
	q.schema.Comment, q.repository.Comment = decl.Comment.V, decl.Comment.V
	q.repository.GoName, q.repository.GoRow = decl.GoName.V, decl.GoRow.V
	q.shadowed = !c.claimRelation(q.ref, q.ref.Name, words.queue+" "+quote(label), decl.Header)
	if c.queueColumns(q) {
		c.queueTables = append(c.queueTables, q)
	}
}

// system are the columns that a queue has beside its payload.
func (q *queue) system() []ir.Column {
	bigint, integer := ir.Type{Name: "int8"}, ir.Type{Name: "int4"}
	text, at := ir.Type{Name: "text"}, ir.Type{Name: "timestamptz"}
	list := []ir.Column{
		{Name: "id", Type: bigint, Identity: ir.IdentityAlways},
		{Name: "state", Type: text, Default: ir.Literal(readyState)},
		{Name: "run_at", Type: at, Default: "now()"},
		{Name: "attempt", Type: integer, Default: "0"},
		{Name: "fence", Type: bigint, Default: "0"},
		{Name: "lease_until", Type: at, Null: true},
		{Name: "last_error", Type: text, Null: true},
		{Name: "created_at", Type: at, Default: "now()"},
	}
	if q.decl.Retain.V > 0 {
		list = append(list, ir.Column{Name: doneColumn, Type: at, Null: true})
	}
	return list
}

// queueColumns reads the payload and puts the queue's own columns around it.
func (c *compilation) queueColumns(q *queue) bool {
	system := q.system()
	ok := true
	for _, decl := range q.decl.Columns {
		if slices.ContainsFunc(system, func(s ir.Column) bool { return s.Name == decl.Name.Text }) {
			c.report(diag.Diagnostic{
				Code:        diag.QueueColumn,
				Detail:      q.say("Every {queue} has a column ") + quote(decl.Name.Text) + " of its own.",
				Subject:     decl.Name.Range,
				Label:       q.say("taken by the {queue}"),
				Consequence: q.say("One column would hold two values: the payload's, and the one that decides who works on the {task}."),
				Help:        "choose another name",
			})
			ok = false
			continue
		}
		col := c.column(decl, under(q.address, "column", decl.Name.Text))
		if col == nil || q.byName[col.name] != nil || !col.known {
			ok = false
			continue
		}
		if decl.Default != nil {
			c.columnDefault(q.table, col)
		}
		c.goColumn(&q.repository, col)
		q.payload = append(q.payload, col)
		q.byName[col.name] = col
	}
	for i, s := range system {
		s.Origin = ir.Origin{Address: q.address, Pos: pos(q.decl.Header), Why: q.say("every {queue} has it")}
		col := &column{name: s.Name, typ: s.Type, known: true, null: s.Null, schema: s}
		q.columns = append(q.columns, col)
		q.byName[s.Name] = col
		if i == 0 {
			q.key = []*column{col}
			q.columns = append(q.columns, q.payload...)
		}
	}
	return ok
}

// queues compiles the queue blocks.
func (c *compilation) queues() {
	for _, q := range c.queueTables {
		c.queueSettings(q)
		if c.queueGroup(q) {
			c.lowerQueue(q)
		}
	}
}

// queueSettings reads lease, attempts and backoff.
func (c *compilation) queueSettings(q *queue) {
	d := q.decl
	q.config = ir.Queue{
		Payload: fields(q.payload), Lease: defaultLease, Attempts: defaultAttempts,
		BackoffBase: defaultBackoffBase, BackoffMax: defaultBackoffMax, Retain: d.Retain.V,
	}
	if q.isOutbox() {
		q.config.Outbox, q.config.Lease, q.config.BackoffMax, q.config.Attempts = true, defaultRelayLease, defaultRelayBackoff, 0
	}
	set(&q.config.Lease, d.Lease)
	set(&q.config.Attempts, d.Attempts)
	if b := d.Backoff; b != nil {
		set(&q.config.BackoffBase, b.Base)
		set(&q.config.BackoffMax, b.Max)
		c.backoffOrder("backoff", b.Base, q.config.BackoffBase, b.Max, q.config.BackoffMax)
	}
	// Three heartbeats fit into a lease, so that one lost round trip loses no
	// task.
	q.config.Heartbeat = (q.config.Lease / 3).Truncate(time.Millisecond)
	set(&q.config.Heartbeat, d.Heartbeat)
	if d.Heartbeat.Set && d.Heartbeat.V*2 > q.config.Lease {
		c.report(diag.Diagnostic{
			Code:    diag.QueueHeartbeat,
			Detail:  "heartbeat = " + d.Heartbeat.V.String() + " is more than half of the lease, " + q.config.Lease.String() + ".",
			Subject: d.Heartbeat.Range,
			Label:   "too rare",
			Consequence: "When one heartbeat is late or lost the lease runs out under a worker that is alive, and a second worker starts the same task " +
				"while the first one still works on it.",
			Help: "heartbeat = " + quote((q.config.Lease / 3).String()) + ", a third of the lease",
		})
	}
}

// lowerQueue puts the table into the schema and adds invariant and operations.
func (c *compilation) lowerQueue(q *queue) {
	q.repository.Queue = &q.config
	q.repository.Row, q.repository.Key = q.rowFields(), q.keyFields()
	for _, col := range q.payload {
		f := col.field()
		f.Optional = col.schema.Default != ""
		q.repository.Insert = append(q.repository.Insert, f)
	}
	q.config.Payload = q.repository.Insert
	objects := c.queueObjects(q)
	rule := &ir.QueueRule{Lease: q.config.Lease, Attempts: q.config.Attempts, Retain: q.config.Retain, Base: ir.Facts{
		Address: q.address, Kind: q.words.queue, Table: q.ref,
		Promise:   q.promise(),
		Mechanism: "FOR UPDATE SKIP LOCKED in two arms, a lease by the database's clock, and a fence that every later statement checks",
		Reasons:   q.reasons(queueReasons(q)...),
		Objects:   objects,
		Violators: "SELECT id, state, lease_until FROM " + q.ref.SQL() + " WHERE (state = 'running') <> (lease_until IS NOT NULL)",
		Pos:       pos(q.decl.Header),
	}}
	if q.group != nil {
		rule.Group, rule.Fill = q.config.Group, q.groupFill()
		rule.Base.Promise += q.groupPromise()
		rule.Base.Mechanism += "; a row for each group in " + q.group.ref.Name + ", which is locked first"
		rule.Base.Violators = q.groupViolators()
	}
	q.facts = &rule.Base
	q.invariants = append(q.invariants, rule)
	q.addQueueOperations()
}

// queueObjects adds key, checks and indexes.
func (c *compilation) queueObjects(q *queue) []ir.ObjectID {
	origin := ir.Origin{Address: q.address, Pos: pos(q.decl.Header), Why: q.say("every {queue} has it")}
	at, whose := q.decl.Header, q.words.queue+" "+quote(q.label)
	pkey := q.ref.Name + "_pkey"
	c.claimConstraint(q.table, pkey, "the primary key of "+whose, at, true)
	q.schema.PrimaryKey = &ir.PrimaryKey{Name: pkey, Columns: []string{"id"}, Origin: origin}
	objects := []ir.ObjectID{{Kind: ir.ConstraintObject, Schema: q.ref.Schema, Table: q.ref.Name, Name: pkey}}
	for _, k := range []struct{ label, sql, doc string }{
		{"state", inList("state", q.states()), q.say("the state is none that the {queue} knows")},
		{"held", "(state = 'running') = (lease_until IS NOT NULL)", q.say("a running {task} has no lease, or another one has")},
	} {
		name := q.ref.Name + "_" + k.label
		c.claimConstraint(q.table, name, "a check of "+whose, at, false)
		q.addCheck(&check{name: name, label: k.label, expr: built(k.sql), address: q.address, doc: k.doc}, origin)
		objects = append(objects, ir.ObjectID{Kind: ir.ConstraintObject, Schema: q.ref.Schema, Table: q.ref.Name, Name: name})
	}
	for _, ix := range q.indexes() {
		name := q.ref.Name + "_" + ix.label
		if !q.shadowed {
			c.claimRelation(q.ref, name, "an index of "+whose, at)
		}
		var parts []ir.IndexPart
		for _, column := range ix.by {
			parts = append(parts, ir.IndexPart{Column: column})
		}
		origin.Why = q.say(ix.why)
		q.schema.Indexes = append(q.schema.Indexes, ir.Index{
			Name: name, Method: defaultMethod, Parts: parts, Where: ix.where, Origin: origin,
		})
		objects = append(objects, ir.ObjectID{Kind: ir.IndexObject, Schema: q.ref.Schema, Table: q.ref.Name, Name: name})
	}
	if q.group != nil {
		objects = append(objects, c.groupSchema(q)...)
	}
	return objects
}

// indexes are those that a claim reads, and the reaper of what is done.
func (q *queue) indexes() []queueIndex {
	var list []queueIndex
	if q.group != nil {
		list = q.groupIndexes()
	} else {
		list = []queueIndex{
			{"ready", inState(readyState), "a claim reads ready {task}s in its order", []string{"id"}},
			{"scheduled", inState(scheduledState), "a claim finds the {task}s that are due", []string{"run_at", "id"}},
			{"lease", inState(runningState), "a claim finds the leases that ran out", []string{"lease_until", "id"}},
		}
	}
	if q.config.Retain > 0 {
		list = append(list, queueIndex{"done", inState(doneState), "the reaper finds the {task}s that are no longer kept", []string{doneColumn, "id"}})
	}
	return list
}

// states are those that a task can be in.
func (q *queue) states() []string {
	list := []string{readyState, scheduledState, runningState, deadState}
	if q.config.Retain > 0 {
		list = append(list, doneState)
	}
	return list
}

func queueReasons(q *queue) []ir.Reason {
	reasons := []ir.Reason{
		{
			Choice: "SKIP LOCKED",
			Why:    "{worker}s that claim at the same moment pass over each other's rows instead of waiting for them, and no two get the same one.",
		},
		{
			Choice: "fence",
			Why: "a number that each claim raises and completion checks. A {worker} whose lease ran out, and whose {task} went to another one, touches no row: " +
				"its result cannot overwrite the other's. The attempt would not do, since handing back lowers it.",
		},
		{
			Choice: "lease of " + q.config.Lease.String() + " by the database's clock",
			Why:    "a {worker} that dies says nothing. Whoever claims next takes {task}s whose lease ran out; no leader is needed, and no two clocks are compared.",
		},
		{
			Choice: "two arms",
			Why:    "one for leases that ran out and one for ready {task}s, each with an index and a limit of its own. One OR over both reads the whole backlog.",
		},
		q.doneReason(),
		{
			Choice: "one index a state",
			Why:    "each holds the rows that its arm looks for and no others, so a large backlog of one kind does not slow the others down.",
		},
	}
	if q.group != nil {
		reasons = append(reasons, q.groupReasons()...)
	}
	return reasons
}

// doneReason is what becomes of a task that is done.
func (q *queue) doneReason() ir.Reason {
	if q.config.Retain > 0 {
		return ir.Reason{
			Choice: "done is kept for " + length(q.config.Retain),
			Why:    "a {task} that is done stays as a record, in an index of its own: neither claim nor completion reads it. The reaper removes it later.",
		}
	}
	return ir.Reason{Choice: "done is deleted", Why: "the table stays as small as the work that is open, whatever was done before."}
}

// promise is what the queue as a whole keeps, but for its order.
func (q *queue) promise() string {
	if q.isOutbox() {
		return "Each event of the outbox " + q.label + " is published if the transaction that wrote it committed, and never otherwise. It is held by at most one live " +
			"claim, and comes back when its relay dies: it can be published twice, under one id."
	}
	return "Each task of the queue " + q.label + " is held by at most one live claim, and it comes back when its worker dies. A task can start twice, " +
		"when a lease ran out; it is completed once."
}

// seconds spells a length of time as SQL.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// doublings is how often a pause can double before it reaches the longest: a
// larger exponent changes nothing, and one without a limit overflows.
func doublings(base, longest time.Duration) int {
	n := 0
	for d := max(base, 1); d < longest && n < 62; d *= 2 {
		n++
	}
	return n
}

// taskOperation is an operation of a queue, complete but for its statements.
func (q *queue) taskOperation(name string, kind ir.OperationKind, lock ir.LockMode, doc string) ir.Operation {
	return ir.Operation{
		Address: under(q.address, name), Name: name, Kind: kind, Doc: strings.ReplaceAll(q.say(doc), "{label}", q.label),
		Lock: lock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: []ir.Reason{{
			Choice: readCommitted,
			Why:    "SKIP LOCKED and the check of the fence look at the newest version of a row; at a higher level they would answer 40001.",
		}},
		Pos: pos(q.decl.Header),
	}
}

// payloadResults spells the payload as a statement returns it, with a comma
// behind it.
func (q *queue) payloadResults() string {
	list := ""
	for _, col := range q.payload {
		list += result(ir.Ident(col.name), col.typ) + ", "
	}
	return list
}
