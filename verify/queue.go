package verify

import (
	"context"
	"slices"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// queue: workers that claim the same tasks, and workers whose lease ran out while
// another one claims.
func (m *model) queue(i *ir.QueueRule) {
	q := tasks{m.index, i, i.Base.Table}
	claim := m.operation(q.t, ir.ClaimOp)
	if claim == nil {
		return
	}
	tables := []ir.TableRef{q.t}
	claimed := q.claimMutants(claim)
	m.add("claim-claim", "two workers claim a ready task and one whose lease ran out", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.ready(1), q.held(2)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 2), q.claiming(claim, 2)}
			})
			if err == nil {
				sc.neverWait = "a worker waited for another one's claim"
			}
			return sc, err
		}, claimed...)
	m.add("claim-share", "two workers claim one task each of two", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.ready(1), q.ready(2)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 1), q.claiming(claim, 1)}
			})
			if err == nil {
				sc.neverWait = "a worker waited for another one's claim"
				sc.judge = shared
			}
			return sc, err
		}, lastOf(q.waits(claim))...)
	m.add("claim-due", "two workers claim a task that has come due", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			return q.scene(ctx, s, []map[string]*string{q.scheduled(1)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 1), q.claiming(claim, 1)}
			})
		}, q.rowMutants(claim, ir.DueStatement)...)
	for _, kind := range []ir.OperationKind{ir.CompleteOp, ir.FailOp, ir.HeartbeatOp, ir.ReleaseOp} {
		if op := m.operation(q.t, kind); op != nil {
			m.ghost(q, claim, op)
		}
	}
	if complete := m.operation(q.t, ir.CompleteOp); complete != nil {
		m.add("complete-complete", "a worker completes a task twice at once", tables,
			func(ctx context.Context, s *site) (*scene, error) {
				return q.scene(ctx, s, []map[string]*string{q.held(1)}, func(rows []fixture.Row) []actor {
					return []actor{calling(complete, q.claimOf(complete, rows[0])), calling(complete, q.claimOf(complete, rows[0]))}
				})
			}, withoutRowCount(complete))
	}
}

// ghost is a worker whose lease ran out and who does not know it.
func (m *model) ghost(q tasks, claim, op *ir.Operation) {
	m.add("ghost-"+op.Name, "a worker whose lease ran out will "+op.Name+" what another one claims", []ir.TableRef{q.t},
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.held(1)}, func(rows []fixture.Row) []actor {
				return []actor{q.claiming(claim, 1), calling(op, q.claimOf(op, rows[0]))}
			})
			if err == nil {
				sc.effects = append(sc.effects, rule{"a worker ended or renewed a claim that another one held", "c.client <> 1 OR o.fence = 1"})
				sc.holdingClaim(claim, q.claimArgs(1))
			}
			return sc, err
		}, append(q.withoutFence(op), withoutRowCount(op))...)
}

// tasks is one queue.
type tasks struct {
	*index
	rule *ir.QueueRule
	t    ir.TableRef
}

func (q tasks) ready(id int) map[string]*string {
	return map[string]*string{"id": number(id), "state": ptr("ready"), "attempt": number(0), "fence": number(0), "lease_until": nil, "run_at": ptr("2001-01-01 00:00:00+00")}
}

// held is a task whose worker had it under fence 1, and whose lease ran out.
func (q tasks) held(id int) map[string]*string {
	row := q.ready(id)
	row["state"], row["attempt"], row["fence"], row["lease_until"] = ptr("running"), number(1), number(1), ptr("2001-01-01 00:00:05+00")
	return row
}

func (q tasks) scheduled(id int) map[string]*string {
	row := q.ready(id)
	row["state"] = ptr("scheduled")
	return row
}

func number(n int) *string { return ptr(strconv.Itoa(n)) }

func (q tasks) claimArgs(limit int) map[string]*string {
	return map[string]*string{"limit": number(limit), "lease": ptr(strconv.FormatInt(q.rule.Lease.Microseconds(), 10))}
}

// claiming is a worker that asks for some tasks.
func (q tasks) claiming(claim *ir.Operation, limit int) actor {
	a := calling(claim, q.claimArgs(limit))
	a.most = limit
	return a
}

// claimOf are the arguments of an operation on a task that a worker holds.
func (q tasks) claimOf(op *ir.Operation, row fixture.Row) map[string]*string {
	id, fence := *row.Values["id"], *row.Values["fence"]
	every := map[string]*string{
		"id": &id, "fence": &fence, "ids": ptr("{" + id + "}"), "fences": ptr("{" + fence + "}"),
		"error": ptr("it failed"), "jitter": ptr("0.5"), "lease": q.claimArgs(1)["lease"],
	}
	args := map[string]*string{}
	for _, f := range slices.Concat(op.Key, op.Args) {
		args[f.Name] = every[f.Name]
	}
	return args
}

// scene demands of every change that whoever claims takes what is free, and that
// whoever ends a claim is the one who has it.
func (q tasks) scene(ctx context.Context, s *site, rows []map[string]*string, clients func([]fixture.Row) []actor) (*scene, error) {
	set := s.maker.Set(s.conn)
	made := make([]fixture.Row, len(rows))
	for i, values := range rows {
		var err error
		if made[i], err = set.Add(ctx, q.t, fixture.Want{Values: values}); err != nil {
			return nil, err
		}
	}
	return &scene{
		fixture: script(set, q.t), actors: clients(made), violators: violators(&q.rule.Base),
		firstRows: true, bookkeeping: "c.old ->> 'state' = 'scheduled'",
		effects: []rule{
			{"a worker claimed a task that another one held", "c.op <> 'UPDATE' OR n.state <> 'running' OR n.attempt = o.attempt OR o.state = 'ready' OR o.state = 'running' AND o.lease_until < c.at"},
			{"a claim did not raise the fence, so the worker before cannot be told from it", "c.op <> 'UPDATE' OR n.attempt <= o.attempt OR n.fence > o.fence"},
		},
	}, nil
}

// shared demands that two workers find two tasks.
func shared(j *judgement) []explore.Violation {
	n := 0
	for i, end := range j.run.Ends {
		if end.Err != nil {
			return nil
		}
		for _, d := range j.deeds(i) {
			n += len(d.outcome.Rows)
		}
	}
	if n == 2 {
		return nil
	}
	return []explore.Violation{{Rule: "two workers asked for a task each, two were ready, and they got " + strconv.Itoa(n)}}
}

// claimMutants are the claim without what keeps workers apart.
func (q tasks) claimMutants(claim *ir.Operation) []mutant {
	list := slices.Concat(q.waits(claim), q.rowMutants(claim, ir.MainStatement))
	s, tree := statementOf(claim, ir.MainStatement)
	if tree == nil {
		return list
	}
	if edits, err := tree.WithValues("fence", "t.fence"); err == nil {
		for _, x := range edits {
			list = append(list, edited("same-fence", "without raising the fence", claim, s, x, "fence = t.fence"))
		}
	}
	return list
}

// waits are the claim whose workers wait for each other.
func (q tasks) waits(claim *ir.Operation) []mutant {
	s, tree := statementOf(claim, ir.MainStatement)
	if tree == nil {
		return nil
	}
	edits, err := tree.WithoutSkipLocked()
	if err != nil {
		return nil
	}
	var list []mutant
	for n, x := range edits {
		list = append(list, edited("without-skip-locked-"+strconv.Itoa(n+1), "without "+x.Removed+" in arm "+strconv.Itoa(n+1), claim, s, x))
	}
	return list
}

// lastOf is the arm of ready tasks, which comes after that of expired leases.
func lastOf(list []mutant) []mutant { return list[max(len(list)-1, 0):] }

// rowMutants are a statement that picks rows without locking them.
func (q tasks) rowMutants(op *ir.Operation, role ir.Role) []mutant {
	s, tree := statementOf(op, role)
	if tree == nil {
		return nil
	}
	edits, err := tree.WithoutRowLocks()
	if err != nil {
		return nil
	}
	var list []mutant
	for n, x := range edits {
		list = append(list, edited("without-lock-"+strconv.Itoa(n+1), "without "+x.Removed+" in arm "+strconv.Itoa(n+1), op, s, x))
	}
	return list
}

// withoutFence is a statement that ends a claim without asking whose it is.
func (q tasks) withoutFence(op *ir.Operation) []mutant {
	s, tree := statementOf(op, ir.MainStatement)
	if tree == nil {
		return nil
	}
	edits, err := tree.WithoutConjuncts()
	if err != nil {
		return nil
	}
	var list []mutant
	for _, x := range edits {
		if slices.Contains(x.Columns, "fence") {
			list = append(list, edited("without-fence", "without the condition "+x.Removed, op, s, x))
		}
	}
	return list
}
