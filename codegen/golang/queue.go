package golang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitQueueTypes writes the types of a queue: what is put in, what a worker
// holds, and the queue itself.
func (r *repository) emitQueueTypes() {
	w, n := r.w, r.names
	table := ir.Qualified(r.ir.Schema, r.ir.Table)
	w.P()
	w.Doc(sentence(fmt.Sprintf("%s is what a task of %s holds. ", n.args, r.ir.Address), r.ir.Comment, ""))
	r.emitStruct(n.args, r.ir.Queue.Payload)
	w.P()
	w.Doc(fmt.Sprintf("%s is a task that a worker holds, until its lease ends.", n.claim))
	w.P("type ", n.claim, " struct {")
	w.P(r.pawl("Claim"))
	w.P()
	claimed := stored(r.ir.Queue.Payload)
	r.emitFields(claimed)
	w.P("}")
	r.emitDest(n.claim, "dest are the scan targets of a claim, the declared columns first.", claimed, claimFields...)
	w.P()
	w.Doc(fmt.Sprintf("%s is the queue in %s: every task is held by at most one worker at a time, for at most %s.",
		n.typ, table, shortDuration(r.ir.Queue.Lease)))
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
	case ir.ClaimOp:
		r.open(o, ", limit int", "([]"+r.names.claim+", error)")
		r.w.P("return ", r.names.queue, ".Take(ctx, ", r.receiver, ".session, limit)")
		r.w.P("}")
	case ir.CompleteOp:
		r.emitComplete(o)
	case ir.ReleaseOp:
		r.open(o, ", task "+r.names.claim, "error")
		r.w.P("return ", r.names.queue, ".Release(ctx, ", r.receiver, ".session, task.Claim)")
		r.w.P("}")
	case ir.FailOp:
		r.open(o, ", task "+r.names.claim+", cause error", "error")
		r.w.P("return ", r.names.queue, ".Fail(ctx, ", r.receiver, ".session, task.Claim, cause)")
		r.w.P("}")
	case ir.HeartbeatOp:
		r.emitHeartbeat(o)
	default:
		r.problems = append(r.problems, unknownOperation(o))
	}
}

// emitEnqueue writes the method that puts a task into the queue.
func (r *repository) emitEnqueue(o *ir.Operation) {
	const task = "task"
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

// emitComplete writes the method that ends any number of claims.
func (r *repository) emitComplete(o *ir.Operation) {
	w := r.w
	r.open(o, ", tasks ..."+r.names.claim, "error")
	w.P("claims := make([]", r.pawl("Claim"), ", len(tasks))")
	w.P("for i := range tasks {")
	w.P("claims[i] = tasks[i].Claim")
	w.P("}")
	w.P("return ", r.names.queue, ".Complete(ctx, ", r.receiver, ".session, claims...)")
	w.P("}")
}

// emitHeartbeat writes the method that renews leases, and moves them in the
// tasks themselves.
func (r *repository) emitHeartbeat(o *ir.Operation) {
	w := r.w
	r.open(o, ", tasks ...*"+r.names.claim, "(lost []int64, err error)")
	w.P("claims := make([]*", r.pawl("Claim"), ", len(tasks))")
	w.P("for i := range tasks {")
	w.P("claims[i] = &tasks[i].Claim")
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
	if r.ir.Queue.Heartbeat > 0 {
		w.P("if options.Heartbeat == 0 {")
		w.P("options.Heartbeat = ", duration(w, r.ir.Queue.Heartbeat))
		w.P("}")
	}
	w.P("return ", r.names.queue, ".Work(ctx, ", r.receiver, ".session, options, handler)")
	w.P("}")
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
