package verify

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// phasedWork brings the steps of phased work into conflict.
func (m *model) phasedWork(o *once) {
	takeover := o.Step(ir.OnceTakeover)
	m.takers(o, "takeover-takeover", "two clients find a key whose lease has run out", payload, 1, withoutConditionOn(takeover, ir.MainStatement, "lease_until"))
	m.takers(o, "takeover-payload", "two clients with another payload find a key whose lease has run out", otherPayload, 0,
		withoutConditionOn(takeover, ir.MainStatement, "payload_hash"))
	m.beginners(o)
	first, last := o.Phases[0].Name, o.Phases[len(o.Phases)-1].Name
	ends := []struct {
		label, point string
		op           *ir.Operation
		once         string // the column that keeps a phase from being ended twice
	}{{"complete", last, o.Step(ir.OnceComplete), "state"}}
	if len(o.Phases) > 1 {
		ends = append(ends, struct {
			label, point string
			op           *ir.Operation
			once         string
		}{"advance", first, o.Step(ir.OnceAdvance + first), "recovery_point"})
	}
	for _, end := range ends {
		m.pausedOwner(o, end.label, end.point, end.op)
		m.phaseTwice(o, end.label, end.point, end.op, end.once)
	}
	m.lateOwner(o)
	m.reaped(o)
}

// inProgress is a key at a phase, with a fence and the end of its lease.
func (o *once) inProgress(point, fence, until string) string {
	columns, values := o.keySQL()
	return o.empty() + "\nINSERT INTO " + o.Table.SQL() + " (" + columns + ", payload_hash, hash_version, state, fence, owner, lease_until, recovery_point) VALUES (" +
		values + ", '" + payload + "', 1, 'in_progress', " + fence + ", 'client 1', " + until + ", " + ir.Literal(point) + ");"
}

// takers take over one key.
func (m *model) takers(o *once, label, name, hash string, winning int, mutants []mutant) {
	c := m.add(label, name, nil, func(context.Context, *site) (*scene, error) {
		taker := calling(o.Step(ir.OnceTakeover), o.arguments(hash, "2"))
		return &scene{
			fixture: o.inProgress(o.Phases[0].Name, "1", "'-infinity'"), winners: &winners{winning, winning}, actors: []actor{taker, taker},
		}, nil
	}, mutants...)
	c.whole = true
}

// beginners begin one key. Who did not insert it finds the row, or comes again.
func (m *model) beginners(o *once) {
	enter := o.Step(ir.OnceEnter)
	c := m.add("enter-enter", "two clients ask for a key that nobody has asked for", nil, func(context.Context, *site) (*scene, error) {
		return &scene{
			fixture: o.empty(), actors: []actor{calling(enter, o.arguments(payload, "1")), calling(enter, o.arguments(payload, "2"))},
			violators: []rule{{"two runs have one key", "SELECT count(*) FROM " + o.Table.SQL() + " HAVING count(*) > 1"}},
		}, nil
	}, m.withoutKey(o)...)
	c.whole = true
}

// withoutKey is the table without its primary key, which the statement then cannot
// name.
func (m *model) withoutKey(o *once) []mutant {
	without := mutantWithout(m.index, []ir.ObjectID{{Kind: ir.ConstraintObject, Schema: o.Table.Schema, Table: o.Table.Name, Name: o.PrimaryKey}}, "unique")
	for i := range without {
		columns, _ := o.keySQL()
		m := replacing("", "", o.Step(ir.OnceEnter), ir.MainStatement, "ON CONFLICT ("+columns+") DO NOTHING", "ON CONFLICT DO NOTHING")
		without[i].statements, without[i].err = m.statements, m.err
		without[i].diff = append(without[i].diff, m.diff...)
	}
	return without
}

// pausedOwner is an owner whose lease is over and that ends its phase, beside the
// run that takes the key. What it did is there before the next run begins, or not
// at all.
func (m *model) pausedOwner(o *once, label, point string, end *ir.Operation) {
	c := m.add("takeover-"+label, "a run whose lease has run out ends a phase while the next one takes the key", nil,
		func(context.Context, *site) (*scene, error) {
			w := &works{}
			return &scene{
				fixture: o.inProgress(point, "1", "'-infinity'"), violators: []rule{doneTwice},
				actors: []actor{o.ending(end, "1", nil), o.succeeding(end, w)}, judge: w.judge,
			}, nil
		}, withoutConditionOn(end, ir.MainStatement, "fence")...)
	c.whole = true
}

// phaseTwice is a phase that is run again because the answer to its COMMIT was
// lost.
func (m *model) phaseTwice(o *once, label, point string, end *ir.Operation, column string) {
	c := m.add(label+"-"+label, "a run ends one phase twice, because an answer was lost", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{
				fixture: o.inProgress(point, "1", "clock_timestamp() + interval '1 hour'"), violators: []rule{doneTwice},
				actors: []actor{o.ending(end, "1", nil), o.ending(end, "1", nil)},
			}, nil
		}, withoutConditionOn(end, ir.MainStatement, column)...)
	c.whole = true
}

// ending is a phase: work, and the key moves on, in one transaction.
func (o *once) ending(end *ir.Operation, fence string, w *works) actor {
	return actor{name: "work under fence " + fence, class: end.Address + fence, kind: ir.OnceOp, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		return o.endPhase(ctx, conn, v, end, fence, w)
	}}
}

func (o *once) endPhase(ctx context.Context, conn session, v *variant, end *ir.Operation, fence string, w *works) (done deeds, err error) {
	_, err = inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
		if w != nil {
			var before int
			if err := tx.QueryRow(ctx, countWork).Scan(&before); err != nil {
				return err
			}
			w.see(before)
		}
		if _, err := tx.Exec(ctx, doWork(fence)); err != nil {
			return err
		}
		done, err = v.do(ctx, tx, client.Call{Operation: end, Args: o.arguments(payload, fence)})
		if err == nil && !took(done[0]) {
			return errRollback
		}
		return err
	})
	return done, err
}

// succeeding takes a key over and works under the new fence.
func (o *once) succeeding(end *ir.Operation, w *works) actor {
	takeover := o.Step(ir.OnceTakeover)
	return actor{name: "take over and work", class: takeover.Address, kind: ir.OnceOp, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		done, err := v.do(ctx, conn, client.Call{Operation: takeover, Args: o.arguments(payload, "2")})
		if err != nil || !took(done[0]) {
			return done, err
		}
		more, err := o.endPhase(ctx, conn, v, end, "2", w)
		return append(done, more...), err
	}}
}

// lateOwner is a run that gives up a key, or renews it, which another run has.
func (m *model) lateOwner(o *once) {
	for _, s := range []struct{ step, broken, sql string }{
		{
			ir.OnceRelease, "a run ended the lease of another one",
			"SELECT fence, lease_until FROM " + o.Table.SQL() + " WHERE fence = 2 AND lease_until <= clock_timestamp()",
		},
		{
			ir.OnceForget, "a run removed the key of another one",
			"SELECT 'no key' AS key WHERE NOT EXISTS (SELECT FROM " + o.Table.SQL() + ")",
		},
		{
			ir.OnceHeartbeat, "a run renewed the lease of another one",
			"SELECT fence, lease_until FROM " + o.Table.SQL() + " WHERE fence = 2 AND lease_until <= clock_timestamp() + interval '40 days'",
		},
	} {
		op := o.Step(s.step)
		c := m.add("late-"+s.step, "a run that has lost its key comes late, beside the one that has it", nil,
			func(context.Context, *site) (*scene, error) {
				return &scene{
					fixture: o.inProgress(o.Phases[0].Name, "2", "clock_timestamp() + interval '50 days'"), violators: []rule{{s.broken, s.sql}}, winners: &winners{0, 0},
					actors: []actor{calling(op, o.arguments(payload, "1")), calling(op, o.arguments(payload, "1"))},
				}, nil
			}, withoutConditionOn(op, ir.MainStatement, "fence")...)
		c.whole = true
	}
}

// reaped is a reaper beside a key that is begun anew after its retention.
func (m *model) reaped(o *once) {
	reap, again := o.Step(ir.OnceReap), o.Step(ir.OnceAgain)
	columns, values := o.keySQL()
	answer, given := o.answered()
	fixture := o.empty() + "\nINSERT INTO " + o.Table.SQL() + " (" + columns + ", payload_hash, hash_version, state, fence, owner, recovery_point, " + answer +
		", expires_at) VALUES (" + values + ", '" + payload + "', 1, 'completed', 1, 'client 1', " + ir.Literal(o.Phases[0].Name) + ", " + given + ", '-infinity');"
	const outside = " AND t.state = 'completed' AND t.expires_at <= statement_timestamp()"
	bare := replacing("without-lock-and-condition", "without the lock and without the condition a second time", reap, ir.MainStatement,
		" FOR UPDATE SKIP LOCKED", "", outside, "")
	c := m.add("again-reap", "a key is begun anew while the reaper looks", nil, func(context.Context, *site) (*scene, error) {
		return &scene{
			fixture: fixture, actors: []actor{callingIn(ir.ReadCommitted, again, o.arguments(payload, "2")), calling(reap, o.arguments(payload, "2"))},
			judge: func(j *judgement) []explore.Violation { return keptAlive(j, o) },
		}, nil
	}, bare)
	c.whole = true
}

// keptAlive demands that a key that was begun anew is there.
func keptAlive(j *judgement, o *once) []explore.Violation {
	begun := slices.ContainsFunc(j.deeds(0), took)
	var rows int
	if err := j.conn.QueryRow(j.ctx, "SELECT count(*) FROM "+o.Table.SQL()+" WHERE state = 'in_progress'").Scan(&rows); err != nil {
		return []explore.Violation{{Rule: "the keys cannot be counted: " + err.Error()}}
	}
	if !begun || rows == 1 {
		return nil
	}
	return []explore.Violation{{Rule: "the reaper removed a key that had been begun anew"}}
}
