package verify

import (
	"context"
	"slices"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// edit: two clients read a row, decide and write it; one of them beside clients
// that do not lock; and a child row inserted meanwhile, which tells what the
// strength of the lock costs.
func (m *model) edit(i *ir.Edit) {
	var op *ir.Operation
	for _, o := range m.made(&i.Base) {
		switch o.Kind {
		case ir.EditOp:
			op = o
		case ir.EditManyOp:
			m.editMany(editing{m.index, i, o, i.Base.Table})
		}
	}
	if op == nil {
		return
	}
	e := editing{m.index, i, op, i.Base.Table}
	tables := []ir.TableRef{e.t}
	locks := e.locks()
	beside := func(label, name string, least int, second func(old, other fixture.Row) actor, mutants ...mutant) {
		c := m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, row, first, other, err := e.rows(ctx, s)
			if err != nil {
				return nil, err
			}
			sc := e.scene(set, e.decide(row, first), second(row, other))
			sc.winners = &winners{least, 2}
			if op.NoWait || op.Wait > 0 {
				sc.winners.least = 1 // the other may be told that the row is busy
			}
			return sc, nil
		}, mutants...)
		c.breaks = true
	}
	beside(op.Name+"-"+op.Name, "two clients "+op.Name+" one row", 2, e.decide, slices.Concat(locks, e.weaker(), []mutant{e.splitTransaction()})...)
	beside(op.Name+"-raw", "a raw UPDATE comes between reading and writing", 2, func(old, other fixture.Row) actor {
		return raw("raw UPDATE", "", e.updateSQL(e.t, e.identify(e.t, old.Values), pick(other.Values, op.Columns)))
	}, locks...)
	beside(op.Name+"-delete", "a raw DELETE comes between reading and writing", 1, func(old, _ fixture.Row) actor {
		return raw("raw DELETE", "", e.deleteSQL(e.t, e.identify(e.t, old.Values)))
	}, e.withoutChildren(withoutRowCount(op)))
	m.editBesideChild(e)
}

// editing is one edit and its operation.
type editing struct {
	*index
	rule *ir.Edit
	op   *ir.Operation
	t    ir.TableRef
}

// rows are the row to edit and two proposals of what to make of it.
func (e editing) rows(ctx context.Context, s *site) (set *fixture.Set, row, first, second fixture.Row, err error) {
	set = s.maker.Set(s.conn)
	if row, err = set.Add(ctx, e.t, fixture.Want{Where: e.filled()}); err != nil {
		return
	}
	if first, err = set.Propose(ctx, e.t, fixture.Want{Where: e.filled(), Vary: e.many()}); err != nil {
		return
	}
	second, err = set.Propose(ctx, e.t, fixture.Want{Where: e.filled(), Vary: e.many()})
	return
}

// many are the columns to change whose type has many values: two proposals can
// differ in each of them.
func (e editing) many() []string {
	return slices.DeleteFunc(slices.Clone(e.op.Columns), func(name string) bool {
		t := e.column(e.t, name).Type
		return t.Kind == ir.EnumType || t.Base().Name == "bool"
	})
}

// filled asks for values in the columns that change, so that two of them differ.
func (e editing) filled() string {
	conditions := make([]string, len(e.op.Columns))
	for i, c := range e.op.Columns {
		conditions[i] = ir.Ident(c) + " IS NOT NULL"
	}
	return all(conditions...)
}

// decide is a client that makes the columns of a row what a proposal has.
func (e editing) decide(row, to fixture.Row) actor {
	args := argsOf(e.op, row.Values)
	return actor{
		name: e.op.Name, kind: e.op.Kind, class: e.op.Address + spell(args) + spell(pick(to.Values, e.op.Columns)),
		run: func(ctx context.Context, conn session, v *variant) (any, error) {
			return v.do(ctx, conn, client.Call{Operation: e.op, Args: args, Decide: func(map[string]*string) map[string]*string {
				return pick(to.Values, e.op.Columns)
			}})
		},
	}
}

// scene demands that nobody wrote the row between an edit's reading and writing.
func (e editing) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{fixture: script(set, e.t), actors: actors, violators: violators(&e.rule.Base), judge: e.undisturbed}
}

func (e editing) undisturbed(j *judgement) []explore.Violation {
	var found []explore.Violation
	for i := range j.run.Ends {
		for _, d := range j.deeds(i) {
			if d.op != e.op || d.outcome.Answer != client.OK {
				continue
			}
			asRead := e.asRead(d.outcome.Read, e.op.Columns)
			if e.op.Kind == ir.EditManyOp {
				asRead = "false"
				for _, row := range d.outcome.Reads {
					asRead += " OR (" + e.asRead(row, append(e.key(e.t), e.op.Columns...)) + ")"
				}
			}
			found = append(found, j.bad(rule{
				"an edit wrote over what another client had written after it read the row",
				badEffects(e.t, "c.client <> "+strconv.Itoa(i)+" OR c.op <> 'UPDATE' OR "+asRead),
			})...)
		}
	}
	return found
}

// asRead says that the row before a change is the one that was read.
func (e editing) asRead(row map[string]*string, columns []string) string {
	same := make([]string, len(columns))
	for i, c := range columns {
		same[i] = "o." + ir.Ident(c) + " IS NOT DISTINCT FROM " + literal(row[c], e.column(e.t, c).Type)
	}
	return all(same...)
}

// withoutChildren lets a row go although others refer to it: where the fixture
// needs such rows, the foreign keys keep it in place.
func (e editing) withoutChildren(m mutant) mutant {
	free := m
	for _, c := range e.children(e.t) {
		free = free.and(e.withoutConstraint(e.tables[c.table], c.key))
	}
	if free.id != m.id {
		m.backup = &free
	}
	return m
}

// locks are the edit without its lock. At a higher level than read committed the
// level refuses a lost update too: the lock only says so earlier.
func (e editing) locks() []mutant {
	if e.op.Isolation != ir.ReadCommitted {
		return nil
	}
	return withoutRowLocks(e.op, ir.LockStatement, withoutLock)
}

// weaker is the edit with a lock that two can have at once, and without the
// retry that hides what comes of that: where the key changes they wait for each
// other, and where it does not one of them is lost.
func (e editing) weaker() []mutant {
	list := withRowLocks(e.op, ir.LockStatement, "FOR KEY SHARE")
	for i := range list {
		list[i].without.Retry = true
		list[i].name += ", without retry"
	}
	return list
}

// splitTransaction is an edit that lets go of the row before it writes.
func (e editing) splitTransaction() mutant {
	return mutant{
		id: "split-transaction", name: "with reading and writing in two transactions", without: client.Without{Transaction: true},
		diff: []string{" /* " + e.op.Address + " */", " SELECT … FOR …", "+COMMIT; BEGIN", " UPDATE …"},
	}
}

// editBesideChild inserts a row that refers to the one being edited. With FOR NO
// KEY UPDATE nobody waits.
func (m *model) editBesideChild(e editing) {
	if e.op.Lock != ir.ForNoKeyUpdate {
		return
	}
	children := m.children(e.t)
	i := slices.IndexFunc(children, func(c child) bool { return c.table != e.t && m.operation(c.table, ir.InsertOp) != nil })
	if i < 0 {
		return
	}
	c := children[i]
	insert := m.operation(c.table, ir.InsertOp)
	m.add(e.op.Name+"-child", "a row of "+c.table.Name+" that refers to the row comes in while a client will "+e.op.Name, []ir.TableRef{e.t, c.table},
		func(ctx context.Context, s *site) (*scene, error) {
			set, row, first, _, err := e.rows(ctx, s)
			if err != nil {
				return nil, err
			}
			link := map[string]*string{}
			for k, column := range c.key.Columns {
				link[column] = row.Values[c.key.RefColumns[k]]
			}
			below, err := set.Propose(ctx, c.table, fixture.Want{Values: link, Where: s.initial(c.table)})
			if err != nil {
				return nil, err
			}
			sc := e.scene(set, e.decide(row, first), calling(insert, argsOf(insert, below.Values)))
			sc.neverWait = "an insert of a child row waited for an edit that leaves the parent's key alone"
			return sc, nil
		}, e.stronger()...)
}

// stronger is the edit with FOR UPDATE: as safe, and it blocks whoever inserts a
// child row.
func (e editing) stronger() []mutant {
	list := withRowLocks(e.op, ir.LockStatement, "FOR UPDATE")
	for i := range list {
		list[i].graded = true
	}
	return list
}
