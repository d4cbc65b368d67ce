package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitDoc writes the comment of a method: its promise, its lock, its
// SQL, its errors.
func (r *repository) emitDoc(o *ir.Operation) {
	w := r.w
	w.Doc(operationDoc(r.names.methods[o.Address], o))
	for _, text := range []string{r.usageDoc(o), lockDoc(o), waitDoc(o), isolationDoc(o)} {
		if text != "" {
			w.P("//")
			w.Doc(text)
		}
	}
	// gofmt takes code behind a list for a part of the list's last item, so the list
	// comes last.
	for _, role := range []ir.Role{ir.ReadStatement, ir.GroupStatement, ir.LockStatement, ir.ClearStatement, ir.MainStatement, ir.WriteStatement} {
		if s := o.Statement(role); s != nil {
			w.P("//")
			w.Doc(sqlDoc(s.SQL))
		}
	}
	if failures := r.failures(o); len(failures) > 0 {
		w.P("//")
		w.Doc("Errors:")
		for _, f := range failures {
			r.emitBullet(f)
		}
	}
}

// emitBullet writes an item of a list as gofmt lays it out.
func (r *repository) emitBullet(text string) {
	for i, line := range wrap(text, 73) {
		if i == 0 {
			r.w.P("//   - ", line)
		} else {
			r.w.P("//     ", line)
		}
	}
}

// usageDoc says what the signature alone does not.
func (r *repository) usageDoc(o *ir.Operation) string {
	switch o.Kind {
	case ir.MoveManyOp, ir.AdjustManyOp:
		return "To change those rows that can be, leave out the ones that the [*pawl.BatchError] names and call again."
	case ir.EditOp, ir.EditManyOp:
		return "change may set " + and(r.goFields(o.Columns)) + " and nothing else. It runs in the transaction that holds the lock, " +
			"perhaps more than once, and must change nothing but what it is given; an error of it ends the edit and is returned."
	case ir.ClaimOp:
		return fmt.Sprintf("%s whose columns do not fit their Go types is failed by itself: the error is then a [*pawl.UnreadableTasksError], "+
			"and the %ss beside it are claimed and returned all the same.", title(article(r.item())), r.item())
	case ir.ListOp:
		return "after is the last row of the page before, or nil for the first page."
	}
	return ""
}

// goFields are the Go names of columns.
func (r *repository) goFields(columns []string) []string {
	fields := make([]string, len(columns))
	for i, column := range columns {
		fields[i] = r.names.fields[column]
	}
	return fields
}

func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// waitDoc says how long an operation waits for its row where that is its own.
func waitDoc(o *ir.Operation) string {
	switch {
	case o.NoWait:
		return "It does not wait for a row that is locked: pawl.ErrBusy comes at once, inside a transaction too."
	case o.Wait > 0:
		return "It waits for a row that is locked for " + shortDuration(o.Wait) + " at most. Inside a transaction the limit of that holds."
	}
	return ""
}

// isolationDoc names the isolation level where it is not the usual one.
func isolationDoc(o *ir.Operation) string {
	if isolationOr(o.Isolation) == ir.ReadCommitted {
		return ""
	}
	return "It runs at isolation level " + string(o.Isolation) + ". A transaction that is open and weaker is refused with a [*pawl.IsolationError]."
}

// failures are the errors that a caller may want to tell apart, each with its
// meaning.
func (r *repository) failures(o *ir.Operation) []string {
	var list []string
	switch o.Kind {
	case ir.GetOp, ir.GetLockedOp, ir.UpdateOp, ir.DeleteOp, ir.MoveOp, ir.AdjustOp, ir.EditOp, ir.ArrangeOp:
		list = append(list, "[pawl.ErrNotFound]: no row has this key")
	case ir.EditManyOp:
		list = append(list, "[pawl.ErrNotFound]: no row has one of the keys; nothing was written")
	case ir.CompleteOp, ir.FailOp, ir.ReleaseOp:
		list = append(list, "[pawl.ErrClaimLost]: the lease ended and the "+r.item()+" went, or may go, to someone else")
	}
	switch o.Kind {
	case ir.MoveOp:
		list = append(list, "[*pawl.StateError]: the row is in a state that cannot become "+strconv.Quote(o.Wanted))
	case ir.UpdateOp:
		if o.Statement(ir.ExplainStatement) != nil {
			list = append(list, "[pawl.ErrStale]: another write came in between; nothing was written")
		}
		list = append(list, "[pawl.ErrBadInput]: in names no column")
	case ir.MoveManyOp, ir.AdjustManyOp:
		list = append(list, "[*pawl.BatchError]: rows that may not be changed; nothing was written, and it holds for each of them [pawl.ErrNotFound], "+
			refusals(o)+"a [*pawl.GuardError] or [pawl.ErrBadInput]")
	case ir.EditOp, ir.EditManyOp:
		list = append(list, "[*pawl.NotEditableError]: change set another column; nothing was written")
	}
	if o.NeedsTransaction {
		list = append(list, "[pawl.ErrNoTransaction]: it was called outside a transaction")
	}
	if asked := r.guards[o.Address].doc; asked != "" {
		list = append(list, "[*pawl.GuardError]: "+asked)
	}
	if o.Kind == ir.RuleOp {
		list = append(list, ruleFailures()...)
	}
	for _, name := range o.Errors {
		list = append(list, r.violation(o, name)...)
	}
	if o.MayWait() && r.ir.Queue == nil {
		list = append(list, "[pawl.ErrBusy]: a lock was not to be had in time; nothing was changed")
	}
	return list
}

// refusals are those that a batch of moves alone knows.
func refusals(o *ir.Operation) string {
	if o.Kind == ir.MoveManyOp {
		return "a [*pawl.StateError], "
	}
	return ""
}

// violation is the line of a constraint among the errors of an operation's method.
func (r *repository) violation(o *ir.Operation, name string) []string {
	for i := range r.ir.Reported {
		c := &r.ir.Reported[i]
		if sentinel := r.emitter.names.sentinels[NameOf(c)]; c.Name == name && sentinel != "" {
			return []string{"[" + sentinel + "]: " + strings.TrimSuffix(c.Says(o.Kind), ".")}
		}
	}
	return nil
}

// guard is what a move or an adjustment asks of its row beyond the state.
type guard struct {
	doc  string
	expr string // of the guard as written, on one line; empty for none
}

// guardsOf are the guards by the addresses of their operations.
func guardsOf(p *ir.Program) map[string]guard {
	guards := map[string]guard{}
	for _, invariant := range p.Invariants {
		switch i := invariant.(type) {
		case *ir.Transitions:
			for _, move := range i.Moves {
				address := i.Base.Address + "." + move.Name
				guards[address] = guard{guardDoc(move.Guard, move.Checks), oneLine(move.Guard)}
				guards[address+".many"] = guard{expr: oneLine(move.Guard)} // the item on BatchError says it
			}
		case *ir.Adjust:
			guards[i.Base.Address] = guard{guardDoc(i.Guard, i.Checks), oneLine(i.Guard)}
			guards[i.Base.Address+".many"] = guard{expr: oneLine(i.Guard)}
		case *ir.NoDuplicates, *ir.NoOverlap, *ir.Edit, *ir.Upsert, *ir.Immutable, *ir.Version, *ir.AppendOnly, *ir.Limit, *ir.AtMostOne, *ir.AtLeastOne, *ir.Sequence, *ir.Ordered, *ir.SetRule, *ir.QueueRule, *ir.SingletonRule, *ir.LeaderRule,
			*ir.IdempotencyRule, *ir.InboxRule:
		}
	}
	return guards
}

func guardDoc(guard string, checks []ir.DerivedCheck) string {
	var parts []string
	if guard != "" {
		parts = append(parts, "its guard does not hold, "+oneLine(guard))
	}
	if len(checks) > 0 {
		names := make([]string, len(checks))
		for i, c := range checks {
			names[i] = c.Constraint
		}
		parts = append(parts, "the row would break "+strings.Join(names, " or "))
	}
	return strings.Join(parts, "; ")
}
