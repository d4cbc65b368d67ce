package verify

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// queue: workers that claim the same tasks, tasks that no worker may claim,
// workers whose lease ran out while another one claims, and workers that answer
// once more after they gave their task back.
func (m *model) queue(i *ir.QueueRule) {
	q := tasks{m.index, i, i.Base.Table}
	claim := m.operation(q.t, ir.ClaimOp)
	if claim == nil {
		return
	}
	if i.Group == nil {
		m.claims(q, claim)
		m.unclaimable(q, claim)
	} else {
		m.groups(q, claim)
	}
	for _, kind := range []ir.OperationKind{ir.CompleteOp, ir.FailOp, ir.HeartbeatOp, ir.ReleaseOp} {
		if op := m.operation(q.t, kind); op != nil {
			m.ghost(q, claim, op)
			m.late(q, op)
		}
	}
	if complete := m.operation(q.t, ir.CompleteOp); complete != nil {
		m.add("complete-complete", "a worker completes a task twice at once", q.tables(),
			func(ctx context.Context, s *site) (*scene, error) {
				return q.scene(ctx, s, []map[string]*string{q.held(1)}, func(rows []fixture.Row) []actor {
					return []actor{calling(complete, q.claimOf(complete, rows[0])), calling(complete, q.claimOf(complete, rows[0]))}
				})
			}, withoutRowCount(complete))
	}
	if fail := m.operation(q.t, ir.FailOp); fail != nil {
		m.lastFailure(q, claim, fail)
	}
	if i.Group != nil {
		m.stopAtGroups(q)
	}
}

// claims are workers that claim what is there for them.
func (m *model) claims(q tasks, claim *ir.Operation) {
	tables := q.tables()
	m.add("claim-claim", "two workers claim a ready task and one whose lease ran out", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.ready(1), q.held(2)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 2), q.claiming(claim, 2)}
			}, claimedInAll(2))
			if err == nil {
				sc.neverWait = waitedForClaim
			}
			return sc, err
		}, q.claimMutants(claim)...)
	m.add("claim-share", "two workers claim one task each of two", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.ready(1), q.ready(2)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 1), q.claiming(claim, 1)}
			}, claimedInAll(2))
			if err == nil {
				sc.neverWait = waitedForClaim
			}
			return sc, err
		}, lastOf(q.waits(claim))...)
	m.add("claim-due", "two workers claim a task that has come due", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			return q.scene(ctx, s, []map[string]*string{q.scheduled(1)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 1), q.claiming(claim, 1)}
			}, claimedInAll(1))
		}, q.rowMutants(claim, ir.DueStatement)...)
}

// unclaimable are tasks that no worker may get, beside some that one must.
func (m *model) unclaimable(q tasks, claim *ir.Operation) {
	tables := q.tables()
	m.add("claim-worn", "two workers claim, and the lease of a task ran out at its last attempt", tables,
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.worn(1), q.held(2), q.ready(3)}, func([]fixture.Row) []actor {
				return []actor{q.claiming(claim, 3), q.claiming(claim, 3)}
			}, claimedInAll(2), q.isDead(1))
			if err == nil {
				sc.neverWait = waitedForClaim
			}
			return sc, err
		}, append(q.withoutAttempts(claim), q.assignmentMutants(claim)...)...)
	if enqueue := m.operation(q.t, ir.EnqueueOp); enqueue != nil {
		m.add("claim-enqueue", "a worker claims two of many tasks while another one comes in", tables,
			func(ctx context.Context, s *site) (*scene, error) {
				set := s.maker.Set(s.conn)
				fresh, err := set.Propose(ctx, q.t, fixture.Want{Values: q.ready(9)})
				if err != nil {
					return nil, err
				}
				rows := []map[string]*string{q.dead(1), q.later(2), q.live(3), q.ready(4), q.ready(5), q.held(6)}
				return q.scene(ctx, s, rows, func([]fixture.Row) []actor {
					return []actor{q.claiming(claim, 2), calling(enqueue, argsOf(enqueue, fresh.Values))}
				}, claimedOldest("4", "6"))
			}, q.choiceMutants(claim)...)
	}
}

// ghost is a worker whose lease ran out and who does not know it.
func (m *model) ghost(q tasks, claim, op *ir.Operation) {
	m.add("ghost-"+op.Name, "a worker whose lease ran out will "+op.Name+" what another one claims", q.tables(),
		func(ctx context.Context, s *site) (*scene, error) {
			sc, err := q.scene(ctx, s, []map[string]*string{q.held(1)}, func(rows []fixture.Row) []actor {
				return []actor{q.claiming(claim, 1), calling(op, q.claimOf(op, rows[0]))}
			})
			if err == nil {
				sc.effects = append(sc.effects, rule{"a worker ended or renewed a claim that another one held", "c.client <> 1 OR o.fence = 1"})
				sc.holdingClaim(claim, q.claimArgs(1))
			}
			return sc, err
		}, append(q.withoutCondition(op, "fence"), withoutRowCount(op))...)
}

// late is a worker that hands its task back and answers all the same. The fence is
// still its own, so only the state tells that the claim is over.
func (m *model) late(q tasks, op *ir.Operation) {
	release := m.operation(q.t, ir.ReleaseOp)
	if release == nil {
		return
	}
	most := 1
	if op.Kind == ir.HeartbeatOp {
		most = 2 // a lease may be renewed before the task is handed back
	}
	m.add("late-"+op.Name, "a worker will "+op.Name+" the task that it hands back", q.tables(),
		func(ctx context.Context, s *site) (*scene, error) {
			row := q.held(1)
			row["attempt"] = number(3) // far enough from 0 to show how much it is lowered
			sc, err := q.scene(ctx, s, []map[string]*string{row}, func(rows []fixture.Row) []actor {
				return []actor{calling(release, q.claimOf(release, rows[0])), calling(op, q.claimOf(op, rows[0]))}
			})
			if err == nil {
				sc.winners = &winners{1, most}
			}
			return sc, err
		}, heldOnly(q.withoutCondition(op, "state"))...)
}

// heldOnly keeps the mutants that do not ask whether a task is held. In a queue
// with groups other conditions on the state say which task comes next.
func heldOnly(list []mutant) []mutant {
	return slices.DeleteFunc(list, func(m mutant) bool {
		return m.err == nil && !slices.ContainsFunc(m.diff, func(line string) bool { return strings.Contains(line, "'running'") })
	})
}

// lastFailure is a task that fails at its last attempt while another worker finds
// its lease run out: whoever comes first, it is dead.
func (m *model) lastFailure(q tasks, claim, fail *ir.Operation) {
	if q.rule.Attempts == 0 {
		m.endlessFailure(q, claim, fail)
		return
	}
	m.add("fail-last", "a worker fails a task at its last attempt while another one claims", q.tables(),
		func(ctx context.Context, s *site) (*scene, error) {
			return q.scene(ctx, s, []map[string]*string{q.worn(1)}, func(rows []fixture.Row) []actor {
				return []actor{calling(fail, q.claimOf(fail, rows[0])), q.claiming(claim, 1)}
			}, claimedInAll(0), q.isDead(1))
		}, q.failureMutants(fail)...)
}

// endlessFailure is a task that fails and has no last attempt: it waits, and no claim
// gets it before its time.
func (m *model) endlessFailure(q tasks, claim, fail *ir.Operation) {
	m.add("fail-again", "a worker fails a task while another one claims", q.tables(),
		func(ctx context.Context, s *site) (*scene, error) {
			return q.scene(ctx, s, []map[string]*string{q.live(1)}, func(rows []fixture.Row) []actor {
				return []actor{calling(fail, q.claimOf(fail, rows[0])), q.claiming(claim, 1)}
			}, claimedInAll(0))
		}, withoutError(fail)...)
}

// waitedForClaim is broken when workers do not pass over each other's tasks.
const waitedForClaim = "a worker waited for another one's claim"

// tasks is one queue.
type tasks struct {
	*index
	rule *ir.QueueRule
	t    ir.TableRef
}

func (q tasks) ready(id int) map[string]*string {
	return map[string]*string{"id": number(id), "state": ptr("ready"), "attempt": number(0), "fence": number(0), "lease_until": nil, "run_at": ptr("2001-01-01 00:00:00+00")}
}

// held is a task whose worker had it under fence 1, and whose lease ran out. It
// has one attempt left, so that a claim takes it and does not bury it.
func (q tasks) held(id int) map[string]*string {
	row := q.ready(id)
	row["state"], row["attempt"], row["fence"], row["lease_until"] = ptr("running"), number(q.attempts()-1), number(1), ptr("2001-01-01 00:00:05+00")
	return row
}

// attempts is how many attempts a task has, or had when there is no end of them.
func (q tasks) attempts() int { return cmp.Or(q.rule.Attempts, 12) }

// worn is a task whose lease ran out at its last attempt.
func (q tasks) worn(id int) map[string]*string {
	row := q.held(id)
	row["attempt"] = number(q.attempts())
	return row
}

// live is a task that its worker still works on.
func (q tasks) live(id int) map[string]*string {
	row := q.held(id)
	row["lease_until"] = ptr("2100-01-01 00:00:00+00")
	return row
}

// dead is a task that failed for good.
func (q tasks) dead(id int) map[string]*string {
	row := q.worn(id)
	row["state"], row["lease_until"] = ptr("dead"), nil
	return row
}

func (q tasks) scheduled(id int) map[string]*string {
	row := q.ready(id)
	row["state"] = ptr("scheduled")
	return row
}

// later is a task whose time has not come.
func (q tasks) later(id int) map[string]*string {
	row := q.scheduled(id)
	row["run_at"] = ptr("2100-01-01 00:00:00+00")
	return row
}

func number(n int) *string { return ptr(strconv.Itoa(n)) }

// spareLease is added to the declared lease, so that none runs out while a
// schedule waits for a busy machine, and so that a statement shows that it takes
// the lease that it is given.
const spareLease = 10 * time.Minute

// claimArgs are the arguments of a claim.
func (q tasks) claimArgs(limit int) map[string]*string {
	return map[string]*string{"limit": number(limit), "lease": ptr(strconv.FormatInt((q.rule.Lease + spareLease).Microseconds(), 10))}
}

// longPause multiplies the pause after a failure, which generated code shortens by
// a random part: no task may come back while a schedule runs.
const longPause = "600"

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
		"error": ptr("it failed"), "jitter": ptr(longPause), "lease": q.claimArgs(1)["lease"],
	}
	args := map[string]*string{}
	for _, f := range slices.Concat(op.Key, op.Args) {
		args[f.Name] = every[f.Name]
	}
	return args
}

// scene demands of every change that whoever claims takes what is free, and that
// whoever ends a claim is the one who has it. The judges add what a check demands.
func (q tasks) scene(ctx context.Context, s *site, rows []map[string]*string, clients func([]fixture.Row) []actor, judges ...judge) (*scene, error) {
	set := s.maker.Set(s.conn)
	made, err := q.rows(ctx, set, rows)
	if err != nil {
		return nil, err
	}
	actors := clients(made)
	return &scene{
		fixture: script(set, q.tables()...), actors: actors, violators: violators(&q.rule.Base),
		firstRows: q.rule.Group == nil, bookkeeping: q.bookkeeping(actors),
		judge: func(j *judgement) []explore.Violation {
			found := answeredAsDeclared(j)
			for _, more := range judges {
				found = append(found, more(j)...)
			}
			return found
		},
		// A change that leaves a task running is a claim, or renews a lease and nothing
		// else. Neither rule trusts one column alone to tell them apart.
		effects: []rule{
			{"a worker claimed a task that another one held", "c.op <> 'UPDATE' OR n.state <> 'running' OR " + q.free("o") +
				" OR o.state = 'running' AND (n.fence = o.fence AND n.attempt = o.attempt OR o.lease_until < c.at)"},
			{"a claim did not raise the fence, so the worker before cannot be told from it", "c.op <> 'UPDATE' OR n.state <> 'running' OR n.fence > o.fence" +
				" OR o.state = 'running' AND n.fence = o.fence AND n.attempt = o.attempt"},
		},
	}, nil
}

// rows makes the tasks of a scene. Those of a queue with groups are in one group,
// which has a row unless there is nothing to do in it.
func (q tasks) rows(ctx context.Context, set *fixture.Set, rows []map[string]*string) ([]fixture.Row, error) {
	made := make([]fixture.Row, len(rows))
	for i, values := range rows {
		if q.rule.Group != nil && i > 0 {
			values = maps.Clone(values)
			maps.Copy(values, q.group(made[0].Values))
		}
		var err error
		if made[i], err = set.Add(ctx, q.t, fixture.Want{Values: values}); err != nil {
			return nil, err
		}
	}
	return made, q.groupRow(ctx, set, made)
}

// free says that nobody holds a task, and that a claim may take it.
func (q tasks) free(row string) string {
	if q.rule.Group != nil {
		return row + ".state IN ('ready', 'scheduled')"
	}
	return row + ".state = 'ready'"
}

// bookkeeping is what a claim does beside claiming, and tells nobody of: it makes
// tasks ready that are due, and buries those whose attempts are used up. In a
// queue with groups it also gives those back first whose lease ran out.
func (q tasks) bookkeeping(actors []actor) string {
	var claiming []string
	for i, a := range actors {
		if a.kind == ir.ClaimOp {
			claiming = append(claiming, strconv.Itoa(i))
		}
	}
	condition, ended := "c.old ->> 'state' = 'scheduled'", "= 'dead'"
	if q.rule.Group != nil {
		condition, ended = "false", "IN ('ready', 'dead') AND (c.old ->> 'lease_until')::timestamptz < c.at"
	}
	if len(claiming) > 0 {
		// There may be more clients than actors; they take turns.
		condition += " OR c.old ->> 'state' = 'running' AND c.new ->> 'state' " + ended + " AND c.client % " + strconv.Itoa(len(actors)) +
			" IN (" + strings.Join(claiming, ", ") + ")"
	}
	return condition
}

// judge is what a check demands of a schedule.
type judge = func(j *judgement) []explore.Violation

// answeredAsDeclared demands an answer that a worker of a queue can expect: its
// task, none, or that the claim is lost.
func answeredAsDeclared(j *judgement) []explore.Violation {
	var found []explore.Violation
	for i := range j.run.Ends {
		for _, d := range j.deeds(i) {
			switch answer := d.outcome.Answer; {
			case answer == client.OK || answer == client.NotFound:
			case answer == client.Refused && d.outcome.About == client.Fence:
			default:
				found = append(found, explore.Violation{Rule: "s" + strconv.Itoa(i) + " was answered " + d.String() + ", which no queue says"})
			}
		}
	}
	return found
}

// claimedInAll demands that workers find the tasks that are there for them.
func claimedInAll(want int) judge {
	return func(j *judgement) []explore.Violation {
		if len(undeclared(j.run)) > 0 {
			return nil
		}
		if n := len(claimedIDs(j)); n != want {
			return []explore.Violation{{Rule: strconv.Itoa(want) + " tasks were there to be claimed, and the workers got " + strconv.Itoa(n)}}
		}
		return nil
	}
}

// claimedOldest demands that the workers get certain tasks, in the order of ids.
func claimedOldest(want ...string) judge {
	return func(j *judgement) []explore.Violation {
		if len(undeclared(j.run)) > 0 {
			return nil
		}
		if got := claimedIDs(j); !slices.Equal(got, want) {
			return []explore.Violation{{
				Rule: "the oldest tasks that a worker may claim are " + strings.Join(want, " and ") + ", and claimed were " + cmp.Or(strings.Join(got, " and "), "none"),
			}}
		}
		return nil
	}
}

// claimedIDs are the tasks that workers were given, in the order of their ids.
func claimedIDs(j *judgement) []string {
	var ids []string
	for i := range j.run.Ends {
		for _, d := range j.deeds(i) {
			if d.op == nil || d.op.Kind != ir.ClaimOp {
				continue
			}
			for _, row := range d.outcome.Rows {
				if id := row["id"]; id != nil {
					ids = append(ids, *id)
				}
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// isDead demands that a task is buried in the end, and says why.
func (q tasks) isDead(id int) judge {
	return func(j *judgement) []explore.Violation {
		return j.bad(rule{
			"a task that had all its attempts is not dead, or does not say why",
			"SELECT 1 AS missing WHERE NOT EXISTS (SELECT 1 FROM " + q.t.SQL() + " WHERE id = " + strconv.Itoa(id) + " AND state = 'dead' AND last_error <> '')",
		})
	}
}

// claimMutants are the claim without what keeps workers apart.
func (q tasks) claimMutants(claim *ir.Operation) []mutant {
	return slices.Concat(q.waits(claim), q.rowMutants(claim, ir.MainStatement),
		withValue(claim, "fence", "t.fence", "same-fence", "without raising the fence"))
}

// waits are the claim whose workers wait for each other.
func (q tasks) waits(claim *ir.Operation) []mutant {
	return rewriting(claim, ir.MainStatement, (*pgsql.Statement).WithoutSkipLocked, func(n int, e pgsql.Edit) (string, string, []string) {
		return "without-skip-locked-" + strconv.Itoa(n), "without " + e.Removed + " in arm " + strconv.Itoa(n), nil
	})
}

// withValue is a statement that sets a column to something else.
func withValue(op *ir.Operation, column, value, id, name string) []mutant {
	other := func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithValues(column, value) }
	return rewriting(op, ir.MainStatement, other, func(int, pgsql.Edit) (string, string, []string) {
		return id, name, []string{column + " = " + value}
	})
}

// lastOf is the arm of ready tasks, which comes after that of expired leases.
func lastOf(list []mutant) []mutant { return list[max(len(list)-1, 0):] }

// rowMutants are a statement that picks rows without locking them.
func (q tasks) rowMutants(op *ir.Operation, role ir.Role) []mutant {
	return withoutRowLocks(op, role, func(n int) string { return "without-lock-" + strconv.Itoa(n) })
}

// withoutCondition is a statement that ends a claim without asking about one of
// the columns that say whose it is.
func (q tasks) withoutCondition(op *ir.Operation, column string) []mutant {
	var list []mutant
	for _, m := range q.withoutConditions(op, ir.MainStatement, "without-"+column) {
		if m.err != nil || slices.Contains(m.columns, column) {
			list = append(list, m)
		}
	}
	return list
}

// withoutConditions are a statement without each of its conditions.
func (q tasks) withoutConditions(op *ir.Operation, role ir.Role, id string) []mutant {
	return rewriting(op, role, (*pgsql.Statement).WithoutConjuncts, func(_ int, e pgsql.Edit) (string, string, []string) {
		return id, "without the condition " + e.Removed, nil
	})
}

// about keeps the mutants that took a condition on certain columns away.
func about(list []mutant, columns ...string) []mutant {
	return slices.DeleteFunc(list, func(m mutant) bool { return m.err == nil && !slices.Equal(m.columns, columns) })
}

// withoutAttempts is the claim that takes leases which ran out too often. Its
// other condition on the attempts only says which of them are buried; those that
// are claimed as well it would not reach.
func (q tasks) withoutAttempts(claim *ir.Operation) []mutant {
	return lastOf(about(q.withoutConditions(claim, ir.MainStatement, "without-attempts"), "attempt"))
}

// choiceMutants are the claim that takes tasks which nobody may have, or not the
// oldest.
func (q tasks) choiceMutants(claim *ir.Operation) []mutant {
	list := slices.Concat(
		about(q.withoutConditions(claim, ir.DueStatement, "without-scheduled"), "state"),
		about(q.withoutConditions(claim, ir.DueStatement, "without-due"), "run_at"),
		about(q.withoutConditions(claim, ir.MainStatement, "without-expiry"), "lease_until"),
		lastOf(about(q.withoutConditions(claim, ir.MainStatement, "without-ready"), "state")),
	)
	newest := rewriting(claim, ir.MainStatement, (*pgsql.Statement).ReversedOrder, func(int, pgsql.Edit) (string, string, []string) {
		return "newest-first", "with the newest tasks first", []string{"in the opposite order"}
	})
	return append(list, lastOf(newest)...)
}

// assignmentMutants are a statement without each column that it sets.
func (q tasks) assignmentMutants(op *ir.Operation) []mutant {
	return rewriting(op, ir.MainStatement, (*pgsql.Statement).WithoutAssignments, func(n int, e pgsql.Edit) (string, string, []string) {
		return "without-set-" + strconv.Itoa(n), "without setting " + e.Removed, nil
	})
}

// failureMutants are a failure that does not say why, or is tried again for ever.
func (q tasks) failureMutants(fail *ir.Operation) []mutant {
	return slices.Concat(
		withValue(fail, "state", "'scheduled'", "never-dead", "without an end to the attempts"),
		withoutError(fail),
	)
}

// withoutError are a failure that does not say why.
func withoutError(fail *ir.Operation) []mutant {
	return withValue(fail, "last_error", "last_error", "without-error", "without keeping the error")
}
