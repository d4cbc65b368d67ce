package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// declared is the condition that every recorded change of a call must meet, over
// o (the row before), n (after) and c (the record): that it is the change which
// was declared, and no other column changed.
func (x *index) declared(d deed) string {
	//exhaustive:enforce
	switch d.op.Kind {
	case ir.InsertOp:
		return all("c.op = 'INSERT'", x.given(d))
	case ir.EnqueueOp:
		return all("c.op = 'INSERT'", x.given(d), freshTask)
	case ir.UpdateOp:
		return all("c.op = 'UPDATE'", x.keyIs("o", d), x.updated(d))
	case ir.DeleteOp:
		return all("c.op = 'DELETE'", x.keyIs("o", d))
	case ir.MoveOp:
		if s, move, ok := x.moveOf(d.op); ok {
			return all("c.op = 'UPDATE'", x.keyIs("o", d), x.moved(s, move, d), x.unchangedBut(d.table, assignedIn(move.Set)))
		}
	case ir.AdjustOp:
		if a, ok := x.adjustOf(d.op); ok {
			return all("c.op = 'UPDATE'", x.keyIs("o", d), x.formulas(a.Set, d), x.demanded(a, d), x.unchangedBut(d.table, assignedIn(a.Set)))
		}
	case ir.MoveManyOp, ir.AdjustManyOp, ir.EnqueueManyOp:
		return x.declaredOfEach(d)
	case ir.UpsertOp:
		return x.upserted(d)
	case ir.UpsertManyOp:
		return x.upsertedEach(d)
	case ir.EditManyOp:
		return all("c.op = 'UPDATE'", x.keyAmong(d), x.unchangedBut(d.table, d.op.Columns))
	case ir.EditOp:
		return all("c.op = 'UPDATE'", x.keyIs("o", d), x.unchangedBut(d.table, d.op.Columns))
	case ir.RuleOp: // a statement of the specification's own
		return "true"
	case ir.ArrangeOp:
		return all("c.op = 'UPDATE'", x.unchangedBut(d.table, d.op.Columns))
	case ir.ClaimOp:
		return x.claimed(d)
	case ir.CompleteOp:
		return x.completed(d)
	case ir.ReapOp:
		return x.reaped(d)
	case ir.FailOp:
		return x.failed(d)
	case ir.HeartbeatOp:
		return all("c.op = 'UPDATE'", "o.state = 'running'", x.fenced(d), x.leased(d), "n.lease_until >= o.lease_until", x.unchangedBut(d.table, []string{"lease_until"}))
	case ir.ReleaseOp:
		return all("c.op = 'UPDATE'", "o.state = 'running'", x.fenced(d), "n.state = 'ready'", "n.lease_until IS NULL",
			"n.attempt = greatest(o.attempt - 1, 0)", x.unchangedBut(d.table, []string{"state", "attempt", "lease_until"}))
	case ir.InsertManyOp, ir.GetOp, ir.GetLockedOp, ir.GetManyOp, ir.ListOp, ir.SingletonOp, ir.SingletonTry,
		ir.CampaignOp, ir.RenewOp, ir.ResignOp, ir.GuardOp, ir.OnceOp:
		return "false" // they change nothing, or no client calls them
	}
	return "true"
}

// given compares an inserted row with what its caller gave.
func (x *index) given(d deed) string {
	var conditions []string
	for _, f := range d.op.Args {
		if v := d.args[f.Name]; v != nil {
			conditions = append(conditions, same("n."+ir.Ident(f.Name), literal(v, x.column(d.table, f.Name).Type)))
		}
	}
	return all(conditions...)
}

// keyIs says that a changed row is the one that the call named.
func (x *index) keyIs(row string, d deed) string {
	var conditions []string
	for _, f := range d.op.Key {
		if v := d.args[f.Name]; v != nil && f.Type.Kind != ir.ArrayType {
			conditions = append(conditions, same(row+"."+ir.Ident(f.Name), literal(v, f.Type)))
		}
	}
	return all(conditions...)
}

// moved is what a move makes of a row.
func (x *index) moved(s *ir.Transitions, move ir.Move, d deed) string {
	conditions := []string{"o." + in(ir.Ident(s.Column), move.From), x.formulas(move.Set, d)}
	for _, expr := range demands(move) {
		filled, err := qualified(expr, "o", d.args, fieldTypes(d.op))
		if err != nil {
			return "false"
		}
		conditions = append(conditions, "("+filled+") IS NOT FALSE")
	}
	return all(conditions...)
}

// demanded are the conditions under which an adjust may change a row.
func (x *index) demanded(a *ir.Adjust, d deed) string {
	var conditions []string
	for _, c := range a.Checks {
		filled, err := qualified(c.Expr, "o", d.args, fieldTypes(d.op))
		if err != nil {
			return "false"
		}
		conditions = append(conditions, "("+filled+") IS NOT FALSE")
	}
	return all(conditions...)
}

// formulas compares assigned columns with what their formulas make of the row
// before. One that depends on the time of day cannot be asked again later.
func (x *index) formulas(set []ir.Assignment, d deed) string {
	var conditions []string
	for _, a := range set {
		e, err := parsed(a.Expr)
		if err != nil {
			return "false"
		}
		if e.Volatility() != pgsql.Immutable {
			continue
		}
		filled, err := qualified(a.Expr, "o", d.args, fieldTypes(d.op))
		if err != nil {
			return "false"
		}
		conditions = append(conditions, same("n."+ir.Ident(a.Column), "("+filled+")::"+asked(x.column(d.table, a.Column).Type).SQL()))
	}
	return all(conditions...)
}

// claimed is what a claim may do to a task: take it, make it ready when it is due,
// or bury it when its lease ran out and its attempts are used up.
func (x *index) claimed(d deed) string {
	left, used := "true", "true"
	if q := x.queueOn(d.table); q != nil {
		if q.Group != nil {
			return x.claimedOfGroup(d, q)
		}
		left, used = attemptsOf(q)
	}
	take := all("n.state = 'running'", "n.attempt = o.attempt + 1", "n.fence > o.fence", x.leased(d), x.handedOut(d),
		"o.state = 'ready' OR o.state = 'running' AND o.lease_until < c.at AND "+left,
		x.unchangedBut(d.table, []string{"state", "attempt", "fence", "lease_until"}))
	ready := all("o.state = 'scheduled'", "n.state = 'ready'", "o.run_at <= c.at", x.unchangedBut(d.table, []string{"state"}))
	bury := all("o.state = 'running'", "o.lease_until < c.at", used, "n.state = 'dead'", "n.lease_until IS NULL", "n.last_error <> ''",
		x.unchangedBut(d.table, []string{"state", "lease_until", "last_error"}))
	return all("c.op = 'UPDATE'", take+" OR "+ready+" OR "+bury)
}

// claimedOfGroup is what a claim of a queue with groups may do to a task: take it,
// or give it back first, or bury it, when its lease ran out.
func (x *index) claimedOfGroup(d deed, q *ir.QueueRule) string {
	left, used := attemptsOf(q)
	expired := all("o.state = 'running'", "o.lease_until < c.at", "n.lease_until IS NULL")
	take := all("o.state IN ('ready', 'scheduled')", "o.run_at <= c.at", "n.state = 'running'", "n.attempt = o.attempt + 1", "n.fence > o.fence", x.leased(d),
		x.handedOut(d), x.unchangedBut(d.table, []string{"state", "attempt", "fence", "lease_until"}))
	back := all(expired, left, "n.state = 'ready'", x.unchangedBut(d.table, []string{"state", "lease_until"}))
	bury := all(expired, used, "n.state = 'dead'", "n.last_error <> ''", x.unchangedBut(d.table, []string{"state", "lease_until", "last_error"}))
	return all("c.op = 'UPDATE'", take+" OR "+back+" OR "+bury)
}

// attemptsOf says of a task that it has attempts left, and that it has none.
func attemptsOf(q *ir.QueueRule) (left, used string) {
	if q.Attempts == 0 {
		return "true", "false"
	}
	return "o.attempt < " + strconv.Itoa(q.Attempts), "o.attempt >= " + strconv.Itoa(q.Attempts)
}

// handedOut says that a claimed task is one of those that the worker was given,
// with everything that it was told of it.
func (x *index) handedOut(d deed) string {
	list := []string{"false"}
	for _, row := range d.outcome.Rows {
		var conditions []string
		for _, c := range x.tables[d.table].Columns {
			if v, ok := row[c.Name]; ok {
				conditions = append(conditions, same("n."+ir.Ident(c.Name), literal(v, c.Type)))
			}
		}
		list = append(list, all(conditions...))
	}
	return strings.Join(list, " OR ")
}

// failed is what becomes of a task whose work failed: it is tried again after a
// pause, or is dead after its last attempt; the reason is kept.
func (x *index) failed(d deed) string {
	again := all("n.state = 'scheduled'", "n.run_at > o.run_at")
	dead := all("n.state = 'dead'", "n.run_at = o.run_at")
	ending := "(" + again + ") OR (" + dead + ")"
	if q := x.queueOn(d.table); q != nil {
		left, _ := attemptsOf(q)
		ending = "CASE WHEN " + left + " THEN " + again + " ELSE " + dead + " END"
	}
	return all("c.op = 'UPDATE'", "o.state = 'running'", x.fenced(d), ending, "n.lease_until IS NULL",
		same("n.last_error", literal(d.args["error"], x.column(d.table, "last_error").Type)),
		x.unchangedBut(d.table, []string{"state", "run_at", "lease_until", "last_error"}))
}

// freshTask is how a task begins.
const freshTask = "n.state = 'ready' AND n.attempt = 0 AND n.fence = 0 AND n.lease_until IS NULL AND n.last_error IS NULL"

// completed is what becomes of a task that is done: it is deleted, or kept.
func (x *index) completed(d deed) string {
	if q := x.queueOn(d.table); q != nil && q.Retain > 0 {
		return all("c.op = 'UPDATE'", "o.state = 'running'", x.fenced(d), "n.state = 'done'", "n.lease_until IS NULL", "n.done_at BETWEEN c.at - "+leaseSlack+" AND c.at",
			x.unchangedBut(d.table, []string{"state", "lease_until", "done_at"}))
	}
	return all("c.op = 'DELETE'", "o.state = 'running'", x.fenced(d))
}

// reaped is what a reaper may remove: what was done so long ago that it is no longer
// kept.
func (x *index) reaped(d deed) string {
	q := x.queueOn(d.table)
	if q == nil {
		return "false"
	}
	return all("c.op = 'DELETE'", "o.state = 'done'", "o.done_at <= c.at - interval '"+strconv.FormatFloat(q.Retain.Seconds(), 'f', -1, 64)+" seconds'")
}

// leaseSlack is how long after a lease began its change may be recorded: a
// statement that is stopped inside has looked at the clock before.
const leaseSlack = "interval '5 minutes'"

// leased says that a lease is as long as the call asked for, from about now.
func (x *index) leased(d deed) string {
	lease := d.args["lease"]
	if lease == nil {
		return "n.lease_until > c.at"
	}
	end := "c.at + " + literal(lease, ir.Type{Name: "int8"}) + " * interval '1 microsecond'"
	return "n.lease_until BETWEEN " + end + " - " + leaseSlack + " AND " + end + " + interval '5 seconds'"
}

// queueOn is the rule of the queue that a table is.
func (x *index) queueOn(t ir.TableRef) *ir.QueueRule {
	for _, i := range x.program.Invariants {
		if q, ok := i.(*ir.QueueRule); ok && q.Base.Table == t {
			return q
		}
	}
	return nil
}

// fenced says that whoever ended or renewed a claim is the one who had it.
func (x *index) fenced(d deed) string {
	if d.args["fence"] != nil {
		return all("o.id = "+*d.args["id"], "o.fence = "+*d.args["fence"])
	}
	if d.args["ids"] == nil || d.args["fences"] == nil {
		return "false"
	}
	return "(o.id, o.fence) IN (SELECT * FROM unnest(" + ir.Literal(*d.args["ids"]) + "::bigint[], " + ir.Literal(*d.args["fences"]) + "::bigint[]))"
}

// unchangedBut says that no column changed but some.
func (x *index) unchangedBut(t ir.TableRef, columns []string) string {
	var conditions []string
	version := x.repositories[t].Version
	for _, c := range x.tables[t].Columns {
		if c.Name == version { // every write of generated code raises it
			conditions = append(conditions, "n."+ir.Ident(version)+" = o."+ir.Ident(version)+" + 1")
			continue
		}
		if !slices.Contains(columns, c.Name) && c.Generated == "" { // the server sees to those
			conditions = append(conditions, same("n."+ir.Ident(c.Name), "o."+ir.Ident(c.Name)))
		}
	}
	return all(conditions...)
}

// updated says that an update set the columns that it names, on the version that
// its caller has read.
func (x *index) updated(d deed) string {
	args := d.op.Args[len(d.op.Args)-2*len(d.op.Columns):]
	var conditions, named []string
	for i, column := range d.op.Columns {
		if flag := d.args[args[2*i].Name]; flag != nil && *flag == "true" {
			named = append(named, column)
			conditions = append(conditions, same("n."+ir.Ident(column), literal(d.args[column], x.column(d.table, column).Type)))
		}
	}
	if version := x.repositories[d.table].Version; version != "" {
		conditions = append(conditions, "o."+ir.Ident(version)+" = "+literal(d.args[version], x.column(d.table, version).Type))
	}
	return all(append(conditions, x.unchangedBut(d.table, named))...)
}

// same compares two values. Types without an equality, json for instance, are
// compared as jsonb.
func same(a, b string) string {
	return "to_jsonb(" + a + ") IS NOT DISTINCT FROM to_jsonb(" + b + ")"
}

func assignedIn(set []ir.Assignment) []string {
	names := make([]string, len(set))
	for i, a := range set {
		names[i] = a.Column
	}
	return names
}

// moveOf is the declaration that made a move's operation.
func (x *index) moveOf(op *ir.Operation) (*ir.Transitions, ir.Move, bool) {
	for _, i := range x.program.Invariants {
		s, ok := i.(*ir.Transitions)
		if !ok || !slices.Contains(s.Base.Operations, op.Address) {
			continue
		}
		if k := slices.IndexFunc(s.Moves, func(m ir.Move) bool { return m.Name == op.Name }); k >= 0 {
			return s, s.Moves[k], true
		}
	}
	return nil, ir.Move{}, false
}

// adjustOf is the declaration that made an adjust's operation.
func (x *index) adjustOf(op *ir.Operation) (*ir.Adjust, bool) {
	for _, i := range x.program.Invariants {
		if a, ok := i.(*ir.Adjust); ok && slices.Contains(a.Base.Operations, op.Address) {
			return a, true
		}
	}
	return nil, false
}

// returned says that the row which a call returned is the one that it left.
func (x *index) returned(d deed) string {
	//exhaustive:enforce
	switch d.op.Kind {
	case ir.InsertOp, ir.UpdateOp, ir.MoveOp, ir.AdjustOp, ir.EditOp, ir.UpsertOp:
	case ir.InsertManyOp, ir.UpsertManyOp, ir.MoveManyOp, ir.AdjustManyOp, ir.EditManyOp, ir.DeleteOp, ir.ArrangeOp, ir.RuleOp, ir.EnqueueOp, ir.EnqueueManyOp, ir.ClaimOp, ir.CompleteOp, ir.FailOp, ir.HeartbeatOp, ir.ReleaseOp, ir.ReapOp,
		ir.GetOp, ir.GetLockedOp, ir.GetManyOp, ir.ListOp, ir.SingletonOp, ir.SingletonTry,
		ir.CampaignOp, ir.RenewOp, ir.ResignOp, ir.GuardOp, ir.OnceOp:
		return "true"
	}
	if len(d.outcome.Rows) != 1 {
		return "true"
	}
	var conditions []string
	for _, c := range x.tables[d.table].Columns {
		if v, ok := d.outcome.Rows[0][c.Name]; ok {
			conditions = append(conditions, same("n."+ir.Ident(c.Name), literal(v, c.Type)))
		}
	}
	return all(conditions...)
}
