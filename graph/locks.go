package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// Locks draws who locks what: an arrow from each operation to what it locks, with
// the number in the order and the mode. Operations of one table that lock the same
// in the same order share a box. Operations without a lock are left out.
//
// It shows the locks that transactions wait for: of rows, and advisory ones. Those
// that PostgreSQL takes by itself are part of it: a foreign key's on the parent
// row, a delete's on the children. Keys that a unique index holds against equal
// ones are not.
func Locks(p *ir.Program) *Graph {
	l := &locks{program: p, graph: &Graph{Name: "locks"}, things: map[string]int{}, sets: map[string][]string{}}
	l.assignments()
	for i := range p.Repositories {
		l.repository(&p.Repositories[i])
	}
	for i := range p.Singletons {
		l.singleton(&p.Singletons[i])
	}
	return l.graph
}

type locks struct {
	program *ir.Program
	graph   *Graph
	things  map[string]int      // nodes of what is locked, by title
	sets    map[string][]string // the columns that an operation sets, by its address
}

// take is one lock that an operation takes.
type take struct{ thing, mode string }

// assignments collects which columns each operation changes.
func (l *locks) assignments() {
	for _, invariant := range l.program.Invariants {
		switch inv := invariant.(type) {
		case *ir.Transitions:
			for _, move := range inv.Moves {
				set := append(columnsOf(move.Set), inv.Column)
				l.sets[inv.Base.Address+"."+move.Name] = set
				l.sets[inv.Base.Address+"."+move.Name+".many"] = set
			}
		case *ir.Adjust:
			for _, operation := range inv.Base.Operations {
				l.sets[operation] = columnsOf(inv.Set)
			}
		case *ir.Upsert:
			for _, operation := range inv.Base.Operations {
				l.sets[operation] = inv.Written()
			}
		default: // sets no column by a text of the spec
		}
	}
}

func columnsOf(set []ir.Assignment) []string {
	columns := make([]string, 0, len(set)+1)
	for _, a := range set {
		columns = append(columns, a.Column)
	}
	return columns
}

// repository adds the operations of a table or queue.
func (l *locks) repository(r *ir.Repository) {
	name := tableName(l.program, r.Schema, r.Table)
	at := map[string]int{} // boxes of this table, by what they lock
	for i := range r.Operations {
		operation := &r.Operations[i]
		takes := l.takes(r, operation)
		if len(takes) == 0 {
			continue
		}
		signature := ""
		for _, t := range takes {
			signature += t.thing + "\x00" + t.mode + "\x00"
		}
		box, known := at[signature]
		if !known {
			box = l.graph.node(Node{Frame: -1, Shape: Box, Title: name})
			at[signature] = box
			l.arrows(box, takes)
		}
		l.graph.Nodes[box].Lines = append(l.graph.Nodes[box].Lines, operation.Name)
	}
}

func (l *locks) singleton(s *ir.Singleton) {
	box := l.graph.node(Node{Frame: -1, Shape: Box, Title: s.Name})
	for _, operation := range s.Operations {
		l.graph.Nodes[box].Lines = append(l.graph.Nodes[box].Lines, operation.Name)
	}
	key := strconv.Itoa(int(l.program.AdvisoryClass)) + ", " + strconv.Itoa(int(s.Key))
	l.arrows(box, []take{{"advisory lock (" + key + ")", "advisory"}})
}

// arrows leads from a box to what it locks.
func (l *locks) arrows(box int, takes []take) {
	for i, t := range takes {
		thing, known := l.things[t.thing]
		if !known {
			thing = l.graph.node(Node{Frame: -1, Shape: Lock, Title: t.thing})
			l.things[t.thing] = thing
		}
		label := t.mode
		if len(takes) > 1 {
			label = strconv.Itoa(i+1) + ". " + label
		}
		l.graph.edge(box, thing, label)
	}
}

// takes are the locks of an operation, in the order in which PostgreSQL takes
// them: the row before its BEFORE triggers run for an UPDATE, those first for an
// INSERT, and what foreign keys lock when the statement ends.
func (l *locks) takes(r *ir.Repository, operation *ir.Operation) []take {
	t := l.table(ir.TableRef{Schema: r.Schema, Name: r.Table})
	rows := "rows of " + tableName(l.program, r.Schema, r.Table)
	if t == nil {
		return nil
	}
	//exhaustive:enforce
	switch operation.Kind {
	case ir.InsertOp, ir.InsertManyOp, ir.EnqueueOp, ir.EnqueueManyOp:
		return slices.Concat(l.triggerTakes(t, ir.OnInsert), l.parentTakes(t, nil))
	case ir.DeleteOp:
		return append([]take{{rows, string(ir.ForUpdate)}}, l.childTakes(t)...)
	case ir.UpdateOp, ir.MoveOp, ir.AdjustOp, ir.MoveManyOp, ir.AdjustManyOp, ir.EditOp, ir.EditManyOp, ir.ArrangeOp:
		set := l.sets[operation.Address]
		if operation.Kind == ir.EditOp || operation.Kind == ir.EditManyOp || operation.Kind == ir.UpdateOp || operation.Kind == ir.ArrangeOp {
			set = operation.Columns
		}
		var takes []take
		if operation.Lock == ir.AdvisoryXact {
			takes = append(takes, take{"group of " + tableName(l.program, r.Schema, r.Table), string(ir.AdvisoryXact)})
		}
		takes = append(takes, take{rows, updateMode(t, set)})
		takes = append(takes, l.triggerTakes(t, ir.OnUpdate)...)
		return append(takes, l.parentTakes(t, set)...)
	case ir.UpsertOp, ir.UpsertManyOp:
		// The BEFORE INSERT triggers run before the key is looked for; then the row that
		// is there is locked, whether it is overwritten or not.
		set := l.sets[operation.Address]
		takes := l.triggerTakes(t, ir.OnInsert)
		if len(set) > 0 {
			takes = append(takes, take{rows, updateMode(t, set)})
		}
		return append(takes, l.parentTakes(t, nil)...)
	case ir.RuleOp:
		return []take{{rows, string(operation.Lock)}}
	case ir.GetOp, ir.ListOp, ir.SingletonOp, ir.SingletonTry, ir.CampaignOp, ir.RenewOp, ir.ResignOp, ir.GuardOp, ir.OnceOp:
		return nil
	case ir.ClaimOp, ir.ReapOp:
		return []take{{rows, string(ir.ForUpdate) + " SKIP LOCKED"}}
	case ir.GetLockedOp, ir.GetManyOp, ir.CompleteOp, ir.FailOp, ir.HeartbeatOp, ir.ReleaseOp:
		if operation.Lock == ir.RowWriteLock {
			return []take{{rows, string(ir.ForNoKeyUpdate)}} // an UPDATE of what is no key
		}
		return []take{{rows, string(operation.Lock)}}
	}
	return nil
}

// updateMode is the row lock of an UPDATE: the strong one when it changes a column
// that a foreign key could rest on.
func updateMode(t *ir.Table, set []string) string {
	overlaps := func(key []string) bool {
		return slices.ContainsFunc(key, func(column string) bool { return slices.Contains(set, column) })
	}
	strong := t.PrimaryKey != nil && overlaps(t.PrimaryKey.Columns)
	for _, u := range t.Uniques {
		strong = strong || overlaps(u.Columns)
	}
	for _, index := range t.Indexes {
		strong = strong || index.Unique && index.Where == "" && overlaps(plainColumns(index))
	}
	if strong {
		return string(ir.ForUpdate)
	}
	return string(ir.ForNoKeyUpdate)
}

// plainColumns are the columns of an index; none when it has an expression, for
// then no foreign key can rest on it.
func plainColumns(index ir.Index) []string {
	var columns []string
	for _, part := range index.Parts {
		if part.Column == "" {
			return nil
		}
		columns = append(columns, part.Column)
	}
	return columns
}

// triggerTakes are the advisory locks that triggers of no_overlap take.
func (l *locks) triggerTakes(t *ir.Table, event ir.TriggerEvent) []take {
	var takes []take
	for _, invariant := range l.program.Invariants {
		overlap, ok := invariant.(*ir.NoOverlap)
		if !ok || !overlap.Prelock || overlap.Base.Table != (ir.TableRef{Schema: t.Schema, Name: t.Name}) {
			continue
		}
		for _, trigger := range t.Triggers {
			if trigger.Origin.Address == overlap.Base.Address && trigger.Before && slices.Contains(trigger.Events, event) {
				takes = append(takes, take{groupName(tableName(l.program, t.Schema, t.Name), overlap), "advisory"})
			}
		}
	}
	return takes
}

// groupName names what the lock of a no_overlap stands for.
func groupName(table string, overlap *ir.NoOverlap) string {
	if len(overlap.Within) == 0 {
		return "advisory lock of " + table
	}
	return "advisory lock of " + table + " per " + strings.Join(overlap.Within, ", ")
}

// parentTakes are the locks on the rows that foreign keys refer to. With columns
// that change, they are those of the keys that have one of them.
func (l *locks) parentTakes(t *ir.Table, changed []string) []take {
	var takes []take
	for _, key := range t.ForeignKeys {
		touched := changed == nil || slices.ContainsFunc(key.Columns, func(c string) bool { return slices.Contains(changed, c) })
		if touched {
			takes = append(takes, take{"rows of " + tableName(l.program, key.RefSchema, key.RefTable), string(ir.ForKeyShare)})
		}
	}
	return takes
}

// childTakes are the locks on rows that refer to one that is deleted.
func (l *locks) childTakes(t *ir.Table) []take {
	var takes []take
	for i := range l.program.Schema.Tables {
		child := &l.program.Schema.Tables[i]
		for _, key := range child.ForeignKeys {
			if key.RefSchema == t.Schema && key.RefTable == t.Name {
				takes = append(takes, take{"rows of " + tableName(l.program, child.Schema, child.Name), deleteMode(child, key)})
			}
		}
	}
	return takes
}

// deleteMode is how the children of a deleted row are locked: deleted with it,
// changed, or looked at so that none comes in between.
func deleteMode(child *ir.Table, key ir.ForeignKey) string {
	switch key.OnDelete {
	case ir.Cascade:
		return string(ir.ForUpdate)
	case ir.SetNull, ir.SetDefault:
		return updateMode(child, key.Columns)
	case ir.NoAction, ir.Restrict:
	}
	return string(ir.ForKeyShare)
}

func (l *locks) table(ref ir.TableRef) *ir.Table {
	for i := range l.program.Schema.Tables {
		if t := &l.program.Schema.Tables[i]; t.Schema == ref.Schema && t.Name == ref.Name {
			return t
		}
	}
	return nil
}
