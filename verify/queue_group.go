package verify

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// groups are the conflicts of a queue whose tasks have an order: workers that
// claim from one group, and tasks that come in while the last one of their group
// ends.
func (m *model) groups(q tasks, claim *ir.Operation) {
	m.groupClaims(q, claim)
	enqueue := m.operation(q.t, ir.EnqueueOp)
	if enqueue == nil {
		return
	}
	m.commitOrder(q, claim, enqueue)
	for _, kind := range []ir.OperationKind{ir.CompleteOp, ir.FailOp} {
		if op := m.operation(q.t, kind); op != nil && (kind == ir.CompleteOp || q.rule.Attempts > 0) {
			m.emptied(q, op, enqueue)
		}
	}
}

// stopAtGroups stops the statements of a queue with groups at the table of groups
// alone, which all of them come to: each touches the tasks many times, and more
// stops would multiply the schedules without showing more.
func (m *model) stopAtGroups(q tasks) {
	for _, c := range m.subjects[len(m.subjects)-1].checks {
		c.stops = []ir.TableRef{q.rule.Group.Table}
	}
}

// groupClaims are workers that meet at one group.
func (m *model) groupClaims(q tasks, claim *ir.Operation) {
	for _, s := range []struct {
		label, name string
		rows        []map[string]*string
		judges      []judge
		mutants     []mutant
	}{
		{
			"claim-claim", "two workers claim, and a group has two tasks",
			[]map[string]*string{q.ready(1), q.ready(2)},
			[]judge{claimedOldest("1")},
			slices.Concat(lastOf(q.waitsForGroup(claim)), lastOf(q.rowMutants(claim, ir.GroupStatement)), q.headMutants(claim),
				withValue(claim, "attempt", "t.attempt", "same-attempt", "without counting the attempt")),
		},
		{
			"claim-expired", "two workers claim, and the lease of a group's first task ran out",
			[]map[string]*string{q.held(1), q.ready(2)},
			[]judge{claimedOldest("1")},
			slices.Concat(firstOf(q.waitsForGroup(claim)), withValue(claim, "fence", "t.fence", "same-fence", "without raising the fence")),
		},
		{
			"claim-worn", "two workers claim, and the lease of a group's first task ran out at its last attempt",
			[]map[string]*string{q.worn(1), q.ready(2)},
			[]judge{claimedOldest("2"), q.isDead(1)},
			q.neverDead(claim),
		},
		{
			"claim-last", "two workers claim, and the lease of a group's only task ran out at its last attempt",
			[]map[string]*string{q.worn(1)},
			[]judge{claimedOldest(), q.isDead(1)},
			q.neverDead(claim),
		},
		{
			"claim-dead", "two workers claim, and a group has a dead task before two others",
			[]map[string]*string{q.dead(1), q.ready(2), q.ready(3)},
			[]judge{claimedOldest("2")},
			about(q.withoutConditions(claim, ir.MainStatement, "without-waiting"), "state"),
		},
		{
			"claim-backoff", "two workers claim, and the task of a group waits for its next attempt",
			[]map[string]*string{q.later(1)},
			[]judge{claimedOldest()},
			q.earlyMutants(claim),
		},
		{
			"claim-busy", "two workers claim, and a task of the group runs",
			[]map[string]*string{q.live(1), q.ready(2)},
			[]judge{claimedOldest()},
			about(q.withoutConditions(claim, ir.GroupStatement, "without-expiry"), "lease_until"),
		},
	} {
		if q.rule.Attempts == 0 && slices.Contains([]string{"claim-worn", "claim-last"}, s.label) {
			continue // no attempt is the last
		}
		m.add(s.label, s.name, q.tables(), func(ctx context.Context, st *site) (*scene, error) {
			sc, err := q.scene(ctx, st, s.rows, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 2), q.claiming(claim, 2)}
			}, s.judges...)
			if err == nil {
				sc.neverWait = waitedForClaim
			}
			return sc, err
		}, s.mutants...)
	}
	want := []string{}
	if q.rule.Group.Skip {
		want = []string{"2"}
	}
	m.add("claim-behind", "two workers claim, and a group's first task waits for its next attempt", q.tables(),
		func(ctx context.Context, st *site) (*scene, error) {
			return q.scene(ctx, st, []map[string]*string{q.later(1), q.ready(2)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 2), q.claiming(claim, 2)}
			}, claimedOldest(want...))
		}, q.earlyMutants(claim)...)
}

// commitOrder is two transactions that enqueue for one group, and a worker that
// claims as soon as it can: what it gets is never overtaken by what commits later.
func (m *model) commitOrder(q tasks, claim, enqueue *ir.Operation) {
	m.add("enqueue-enqueue", "a worker claims while two transactions enqueue for one group", q.tables(),
		func(ctx context.Context, s *site) (*scene, error) {
			first, second, err := q.two(ctx, s)
			if err != nil {
				return nil, err
			}
			sc, err := q.scene(ctx, s, nil, func([]fixture.Row) []actor {
				return []actor{
					callingIn(ir.ReadCommitted, enqueue, argsOf(enqueue, first)), callingIn(ir.ReadCommitted, enqueue, argsOf(enqueue, second)), q.claiming(claim, 1),
				}
			}, q.notOvertaken)
			return sc, err
		}, q.enqueueMutants(enqueue)...)
}

// two are the payloads of two tasks of one group.
func (q tasks) two(ctx context.Context, s *site) (first, second map[string]*string, err error) {
	set := s.maker.Set(s.conn)
	row, err := set.Propose(ctx, q.t, fixture.Want{Values: q.ready(1)})
	if err != nil {
		return nil, nil, err
	}
	values := q.ready(2)
	maps.Copy(values, q.group(row.Values))
	other, err := set.Propose(ctx, q.t, fixture.Want{Values: values})
	return row.Values, other.Values, err
}

// notOvertaken demands that no task of a group waits behind one that came later.
func (q tasks) notOvertaken(j *judgement) []explore.Violation {
	return j.bad(rule{
		"a task was given to a worker, and one that has the smaller id came after it",
		"SELECT early.id, late.id AS before FROM " + q.t.SQL() + " AS early JOIN " + q.t.SQL() + " AS late ON " + q.same("early", "late") +
			" WHERE early.state = 'ready' AND late.state = 'running' AND early.id < late.id",
	})
}

// emptied is the last task of a group that ends while another one comes in.
func (m *model) emptied(q tasks, op, enqueue *ir.Operation) {
	m.add(op.Name+"-enqueue", "a worker will "+op.Name+" the only task of a group while another one comes in", q.tables(),
		func(ctx context.Context, s *site) (*scene, error) {
			row := q.worn(1) // so that a failure is its last
			row["lease_until"] = q.live(1)["lease_until"]
			set := s.maker.Set(s.conn)
			made, err := set.Add(ctx, q.t, fixture.Want{Values: row})
			if err != nil {
				return nil, err
			}
			values := q.ready(2)
			maps.Copy(values, q.group(made.Values))
			fresh, err := set.Propose(ctx, q.t, fixture.Want{Values: values})
			if err != nil {
				return nil, err
			}
			maps.Copy(row, q.group(made.Values))
			return q.scene(ctx, s, []map[string]*string{row}, func(rows []fixture.Row) []actor {
				return []actor{calling(op, q.claimOf(op, rows[0])), calling(enqueue, argsOf(enqueue, fresh.Values))}
			})
		}, append(withoutRowLocks(op, ir.GroupStatement, withoutLock), q.enqueueMutants(enqueue)[:1]...)...)
}

// tables are those that the operations of the queue write.
func (q tasks) tables() []ir.TableRef {
	if q.rule.Group == nil {
		return []ir.TableRef{q.t}
	}
	return []ir.TableRef{q.t, q.rule.Group.Table}
}

// group picks the columns of a row that make its group.
func (q tasks) group(row map[string]*string) map[string]*string { return pick(row, q.rule.Group.By) }

// same spells that two tasks are of one group.
func (q tasks) same(a, b string) string {
	list := make([]string, len(q.rule.Group.By))
	for i, column := range q.rule.Group.By {
		list[i] = a + "." + ir.Ident(column) + " = " + b + "." + ir.Ident(column)
	}
	return strings.Join(list, " AND ")
}

// groupRow makes the row of a group with the given tasks.
func (q tasks) groupRow(ctx context.Context, set *fixture.Set, tasks []fixture.Row) error {
	if q.rule.Group == nil || len(tasks) == 0 {
		return nil
	}
	values := q.group(tasks[0].Values)
	values["run_at"], values["fence"] = nil, nil
	for _, task := range tasks {
		state, due := *task.Values["state"], task.Values["run_at"]
		switch {
		case state == "running":
			values["run_at"], values["fence"] = nil, number(41)
			due = nil
		case values["fence"] != nil || state == "dead":
			due = nil
		}
		// Of a group that waits for its first task the others do not tell when it is due.
		if due != nil && (values["run_at"] == nil || q.rule.Group.Skip) {
			values["run_at"] = due
		}
	}
	if values["run_at"] == nil && values["fence"] == nil {
		return nil
	}
	_, err := set.Add(ctx, q.rule.Group.Table, fixture.Want{Values: values})
	return err
}

// waitsForGroup are the claim whose workers wait for each other's groups.
func (q tasks) waitsForGroup(claim *ir.Operation) []mutant {
	return rewriting(claim, ir.GroupStatement, (*pgsql.Statement).WithoutSkipLocked, func(n int, e pgsql.Edit) (string, string, []string) {
		return "without-skip-locked-" + strconv.Itoa(n), "without " + e.Removed + " in arm " + strconv.Itoa(n), nil
	})
}

func firstOf(list []mutant) []mutant { return list[:min(len(list), 1)] }

// neverDead is the claim that gives tasks back whatever their attempts.
func (q tasks) neverDead(claim *ir.Operation) []mutant {
	ready := func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithValues("state", "'ready'") }
	return rewriting(claim, ir.GroupStatement, ready, func(int, pgsql.Edit) (string, string, []string) {
		return "never-dead", "without an end to the attempts", []string{"state = 'ready'"}
	})
}

// earlyMutants are the claim that does not ask whether a task is due. Both of its
// statements do, the second for a group whose row says less than the truth.
func (q tasks) earlyMutants(claim *ir.Operation) []mutant {
	group, head := about(q.withoutConditions(claim, ir.GroupStatement, "without-due"), "run_at"), about(q.withoutConditions(claim, ir.MainStatement, "without-due"), "run_at")
	if len(group) == 0 || len(head) == 0 {
		return nil
	}
	return []mutant{lastOf(group)[0].and(lastOf(head)[0])}
}

// headMutants are the claim that reads the tasks of groups which it has not taken.
func (q tasks) headMutants(claim *ir.Operation) []mutant {
	return about(q.withoutConditions(claim, ir.MainStatement, "without-token"), "fence")
}

// enqueueMutants are one that knows of no groups, and one that takes the id before
// the group.
func (q tasks) enqueueMutants(enqueue *ir.Operation) []mutant {
	s := enqueue.Statement(ir.MainStatement)
	names, values := make([]string, len(s.Args)), make([]string, len(s.Args))
	for i, f := range s.Args {
		names[i], values[i] = ir.Ident(f.Name), "$"+strconv.Itoa(i+1)+"::"+f.Type.SQL()
	}
	address := "/* " + enqueue.Address + " */ "
	insert := "INSERT INTO " + q.t.SQL() + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
	by := ir.Idents(q.rule.Group.By)
	late := "WITH t AS (" + insert + " RETURNING id, " + by + "), g AS (INSERT INTO " + q.rule.Group.Table.SQL() + " AS g (" + by + ", run_at) SELECT " + by +
		", statement_timestamp() FROM t ON CONFLICT (" + by + ") DO UPDATE SET run_at = g.run_at RETURNING 1) SELECT id FROM t"
	return []mutant{
		{
			id: "without-group", name: "without the row of the group",
			statements: []replacement{{enqueue.Address, ir.MainStatement, address + insert + " RETURNING id"}}, diff: []string{"-" + s.SQL, "+" + insert},
		},
		{
			id: "id-before-group", name: "with the id before the row of the group",
			statements: []replacement{{enqueue.Address, ir.MainStatement, address + late}}, diff: []string{"-" + s.SQL, "+" + late},
		},
	}
}
