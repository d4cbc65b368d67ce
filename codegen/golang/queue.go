package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitQueueTypes writes the types of a queue: what is put in, what a worker
// holds, and the queue itself.
func (r *repository) emitQueueTypes() {
	w, n := r.w, r.names
	table := ir.Qualified(r.ir.Schema, r.ir.Table)
	w.P()
	w.Doc(sentence(fmt.Sprintf("%s is what %s of %s holds. ", n.args, article(r.item()), r.ir.Address), r.ir.Comment, ""))
	r.emitStruct(n.args, r.ir.Queue.Payload)
	w.P()
	if r.ir.Queue.Outbox {
		w.Doc(fmt.Sprintf("%s is an event that a relay holds, until its lease ends. Its ID stays the same however often it is published: consumers tell by it what they have seen.", n.claim))
	} else {
		w.Doc(fmt.Sprintf("%s is a task that a worker holds, until its lease ends.", n.claim))
	}
	w.P("type ", n.claim, " struct {")
	w.P(r.pawl("Claim"))
	w.P()
	claimed := stored(r.ir.Queue.Payload)
	r.emitFields(claimed)
	w.P("}")
	r.emitDest(n.claim, "dest are the scan targets of a claim, the declared columns first.", claimed, claimFields...)
	w.P()
	if r.ir.Queue.Outbox {
		w.Doc(fmt.Sprintf("%s is the outbox in %s: events that are written with what they tell of, and published after its commit, those of one aggregate in the order of commit.",
			n.typ, table))
	} else {
		w.Doc(fmt.Sprintf("%s is the queue in %s: every task is held by at most one worker at a time, for at most %s.",
			n.typ, table, shortDuration(r.ir.Queue.Lease)))
	}
	w.P("type ", n.typ, " struct{ session *", r.pawl("Session"), " }")
}

// claimFields are the fields of pawl.Claim that a claim returns, in order.
var claimFields = []string{"Claim.ID", "Claim.Fence", "Claim.Attempt", "Claim.LeaseUntil"}

// stored are fields as they are read back: what could be left out has a value.
func stored(fields []ir.Field) []ir.Field {
	list := slices.Clone(fields)
	for i := range list {
		list[i].Optional = false
	}
	return list
}

// emitQueueMethod writes the method of a queue's operation.
func (r *repository) emitQueueMethod(o *ir.Operation) {
	switch o.Kind {
	case ir.EnqueueOp:
		r.emitEnqueue(o)
	case ir.EnqueueManyOp:
		r.emitEnqueueMany(o)
	case ir.ClaimOp:
		r.open(o, ", limit int", "([]"+r.names.claim+", error)")
		r.w.P("return ", r.names.queue, ".Take(ctx, ", r.receiver, ".session, limit)")
		r.w.P("}")
	case ir.CompleteOp:
		r.emitComplete(o)
	case ir.ReleaseOp:
		r.open(o, ", "+r.item()+" "+r.names.claim, "error")
		r.w.P("return ", r.names.queue, ".Release(ctx, ", r.receiver, ".session, ", r.item(), ".Claim)")
		r.w.P("}")
	case ir.FailOp:
		r.open(o, ", "+r.item()+" "+r.names.claim+", cause error", "error")
		r.w.P("return ", r.names.queue, ".Fail(ctx, ", r.receiver, ".session, ", r.item(), ".Claim, cause)")
		r.w.P("}")
	case ir.HeartbeatOp:
		r.emitHeartbeat(o)
	case ir.ReapOp:
		r.open(o, ", limit int", "(int64, error)")
		r.w.P("return ", r.call(o, "Reap"), ", limit)")
		r.w.P("}")
	default:
		r.problems = append(r.problems, unknownOperation(o))
	}
}

// item is what a queue or an outbox holds.
func (r *repository) item() string {
	if r.ir.Queue != nil && r.ir.Queue.Outbox {
		return "event"
	}
	return "task"
}

// article puts a or an before a noun.
func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// emitEnqueue writes the method that puts a task into the queue.
func (r *repository) emitEnqueue(o *ir.Operation) {
	task := r.item()
	r.open(o, ", "+task+" "+r.names.args, "(id int64, err error)")
	values := []string{}
	for _, f := range o.Statement(ir.MainStatement).Args {
		values = append(values, r.argument(f, task+"."+r.names.fields[f.Name]))
	}
	open := "return " + r.call(o, "QueryOne") + ", func(id *int64) []any { return []any{id} }"
	if len(values) > 0 {
		open += ","
	}
	r.emitList(open, values, ")")
	r.w.P("}")
}

// emitEnqueueMany writes the method that puts many tasks into the queue.
func (r *repository) emitEnqueueMany(o *ir.Operation) {
	item := r.item()
	r.open(o, ", "+item+"s []"+r.names.args, "(ids []int64, err error)")
	r.w.P("return ", r.call(o, "EnqueueMany"), ", ", item, "s, func(", item, " *", r.names.args, ") []any {")
	values := make([]string, len(o.Each))
	for i, f := range o.Each {
		values[i] = r.argument(f, item+"."+r.names.fields[f.Name])
	}
	r.emitList("return []any{", values, "}")
	r.w.P("})")
	r.w.P("}")
}

// emitComplete writes the method that ends any number of claims.
func (r *repository) emitComplete(o *ir.Operation) {
	w := r.w
	items := r.item() + "s"
	r.open(o, ", "+items+" ..."+r.names.claim, "error")
	w.P("claims := make([]", r.pawl("Claim"), ", len(", items, "))")
	w.P("for i := range ", items, " {")
	w.P("claims[i] = ", items, "[i].Claim")
	w.P("}")
	w.P("return ", r.names.queue, ".Complete(ctx, ", r.receiver, ".session, claims...)")
	w.P("}")
}

// emitHeartbeat writes the method that renews leases, and moves them in the
// tasks themselves.
func (r *repository) emitHeartbeat(o *ir.Operation) {
	w := r.w
	items := r.item() + "s"
	r.open(o, ", "+items+" ...*"+r.names.claim, "(lost []int64, err error)")
	w.P("claims := make([]*", r.pawl("Claim"), ", len(", items, "))")
	w.P("for i := range ", items, " {")
	w.P("claims[i] = &", items, "[i].Claim")
	w.P("}")
	w.P("return ", r.names.queue, ".Heartbeat(ctx, ", r.receiver, ".session, claims)")
	w.P("}")
}

// emitWork writes the worker loop.
func (r *repository) emitWork() {
	w := r.w
	w.P()
	w.Doc(fmt.Sprintf("Work claims tasks and runs handler on each until ctx ends, and returns ctx's error once every handler has returned. "+
		"A handler that returns nil completes its task; one that returns an error or panics fails it, and the task comes back later, "+
		"%d times in all. The handler's context ends when the lease does. Delivery is at least once: for an effect in this database, "+
		"complete the task in the transaction of the effect.", r.ir.Queue.Attempts))
	w.P("func (", r.receiver, " ", r.names.typ, ") Work(ctx ", ident{"context", "Context"}, ", options ", r.pawl("WorkOptions"),
		", handler func(ctx ", ident{"context", "Context"}, ", task ", r.names.claim, ") error) error {")
	r.emitHeartbeatDefault()
	w.P("return ", r.names.queue, ".Work(ctx, ", r.receiver, ".session, options, handler)")
	w.P("}")
}

// emitRelay writes the loop that publishes events.
func (r *repository) emitRelay() {
	w, context := r.w, ident{"context", "Context"}
	w.P()
	w.Doc("Relay claims events and hands them to publish in batches until ctx ends, and returns ctx's error once the last batch is settled. Several relays may run, in one " +
		"process or in many. A batch holds one event of an aggregate at most, and the next one of it comes when publish has returned.")
	w.P("//")
	w.Doc("publish returns nil when all events are out: the broker has acknowledged them. A [*pawl.UnpublishedError] names those that are not; after any other error, or a panic, " +
		"none counts as published. They come again, " + r.again() + ". publish's context ends when the lease does. Delivery is at least once: an event whose relay dies between the " +
		"broker's acknowledgement and the database's comes again with the same ID.")
	w.P("func (", r.receiver, " ", r.names.typ, ") Relay(ctx ", context, ", options ", r.pawl("RelayOptions"),
		", publish func(ctx ", context, ", events []", r.names.claim, ") error) error {")
	r.emitHeartbeatDefault()
	w.P("return ", r.names.queue, ".Relay(ctx, ", r.receiver, ".session, options, publish)")
	w.P("}")
}

// again says when an event that was not published comes back, and how often.
func (r *repository) again() string {
	q := r.ir.Queue
	text := "after a pause of up to " + shortDuration(q.BackoffMax) + " and ahead of all others of their aggregate"
	if q.Attempts > 0 {
		text += fmt.Sprintf(", %d times in all", q.Attempts)
	}
	return text
}

// emitHeartbeatDefault writes how often leases are renewed where the caller does
// not say.
func (r *repository) emitHeartbeatDefault() {
	if r.ir.Queue.Heartbeat > 0 {
		r.w.P("if options.Heartbeat == 0 {")
		r.w.P("options.Heartbeat = ", duration(r.w, r.ir.Queue.Heartbeat))
		r.w.P("}")
	}
}

// queueFields are the runtime's names of a queue's operations.
var queueFields = []struct {
	kind  ir.OperationKind
	field string
}{
	{ir.ClaimOp, "ClaimOp"},
	{ir.CompleteOp, "CompleteOp"},
	{ir.FailOp, "FailOp"},
	{ir.HeartbeatOp, "HeartbeatOp"},
	{ir.ReleaseOp, "ReleaseOp"},
}

// inQueueDescriptor reports whether an operation is a part of the queue's descriptor.
func inQueueDescriptor(o *ir.Operation) bool {
	for _, f := range queueFields {
		if f.kind == o.Kind {
			return true
		}
	}
	return false
}

// emitQueueDescriptor writes what the runtime has to know of the queue.
func (r *repository) emitQueueDescriptor() {
	w, n := r.w, r.names
	w.P()
	w.P("var ", n.queue, " = ", r.pawl("Queue"), "[", n.claim, "]{")
	w.P("Name: ", strconv.Quote(r.ir.Address), ",")
	w.P("Lease: ", duration(w, r.ir.Queue.Lease), ",")
	w.P("Dest: (*", n.claim, ").dest,")
	w.P("Claim: func(task *", n.claim, ") *", r.pawl("Claim"), " { return &task.Claim },")
	if r.ir.Queue.Group != nil {
		w.P("Grouped: true,")
	}
	for _, f := range queueFields {
		for i := range r.ir.Operations {
			if o := &r.ir.Operations[i]; o.Kind == f.kind {
				w.P(f.field, ": ", r.pawl("Operation"), "{")
				r.emitOperationFields(o, ir.MainStatement)
				w.P("},")
			}
		}
	}
	w.P("}")
}
