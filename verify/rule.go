package verify

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/fixture"
)

// rule: two clients whose writes each leave the rule true, and both of them do not:
// through its operations, and raw at every isolation level; writes of one client that
// break it; and a TRUNCATE.
func (m *model) rule(i *ir.SetRule) {
	r := ruledRows{index: m.index, rule: i, t: i.Base.Table}
	triggers := mutantWithout(m.index, i.Base.Objects, "trigger")
	ops := m.made(&i.Base)
	for a, first := range ops {
		for _, second := range ops[a:] {
			r.operations(m, first, second, triggers)
		}
	}
	r.meetings(m, triggers)
	r.breaking(m, triggers)
	r.weak(m, triggers)
	r.groups(m, triggers)
}

func (r ruledRows) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{fixture: script(set, r.tables()...), actors: actors, violators: violators(&r.rule.Base)}
}

// operations has two callers come near to break the rule.
func (r ruledRows) operations(m *model, a, b *ir.Operation, triggers []mutant) {
	c := m.add(a.Name+"-"+b.Name, a.Name+" and "+b.Name+" each leave the rule true, and both do not", r.tables(), func(ctx context.Context, s *site) (*scene, error) {
		var first, second map[string]*string
		set, _, err := r.search(ctx, s, 2, func(set *fixture.Set, rows []fixture.Row) (bool, error) {
			one, args, err := r.called(ctx, set, a, rows[0])
			if err != nil {
				return false, err
			}
			two, more, err := r.called(ctx, set, b, rows[1])
			if err != nil {
				return false, err
			}
			first, second = args, more
			return r.meets(ctx, s, set, one, two)
		})
		if err != nil {
			return nil, err
		}
		sc := r.scene(set, calling(a, first), calling(b, second))
		sc.winners, sc.calls = &winners{1, 1}, []map[string]*string{first, second}
		return sc, nil
	}, r.deferredAway(triggers), r.weakened(a, b, triggers), mutant{
		id: "without-retry", name: "without retry", without: client.Without{Retry: true},
		diff: []string{" transaction " + a.Transaction, "-retry on 40001", "+give the error to the caller"},
	})
	c.whole, c.breaks = true, true
}

// deferredAway takes all triggers away that ask at COMMIT.
func (r ruledRows) deferredAway(triggers []mutant) mutant {
	return r.without("deferred", "without the triggers that ask at COMMIT", triggers, func(g ir.Trigger) bool { return g.Deferred })
}

// without takes some triggers of the rule away at once.
func (r ruledRows) without(id, name string, triggers []mutant, which func(ir.Trigger) bool) mutant {
	all := mutant{id: "without-" + id, name: name}
	for _, t := range triggers {
		if create, ok := t.restore[0].(ir.CreateTrigger); ok && which(create.Trigger) {
			all.drop, all.restore, all.diff = append(all.drop, t.drop...), append(all.restore, t.restore...), append(all.diff, t.diff...)
		}
	}
	return all
}

// levelOf reports a trigger that refuses a weaker level.
func levelOf(g ir.Trigger) bool { return len(g.Args) > 0 && !g.PerStatement }

// weakened has both callers at REPEATABLE READ, where nothing refuses that.
func (r ruledRows) weakened(a, b *ir.Operation, triggers []mutant) mutant {
	m := r.without("serializable", "at REPEATABLE READ, without the triggers that refuse it", triggers, levelOf)
	m.diff = append([]string{"-BEGIN ISOLATION LEVEL SERIALIZABLE", "+BEGIN ISOLATION LEVEL REPEATABLE READ"}, m.diff...)
	m.actors = map[int]func(context.Context, session, *variant) (any, error){}
	for place, op := range []*ir.Operation{a, b} {
		weak := *op
		weak.Isolation = ir.RepeatableRead
		m.actors[place] = func(ctx context.Context, conn session, v *variant) (any, error) {
			return v.do(ctx, conn, client.Call{Operation: &weak, Args: v.scene.calls[place]})
		}
	}
	return m
}

// deletes is the raw DELETE of a row.
func (r ruledRows) deletes(row fixture.Row) statement {
	return statement{sql: r.deleteSQL(r.t, r.identify(r.t, row.Values))}
}

// meetings has two raw clients meet, one of whom is serializable. What a weaker one
// writes is refused.
func (r ruledRows) meetings(m *model, triggers []mutant) {
	for _, first := range levels {
		mutants := []mutant{r.without("level", "without the triggers that refuse a weaker level", triggers, levelOf)}
		if first == ir.Serializable {
			mutants = []mutant{r.deferredAway(triggers)}
		}
		c := m.add("raw-"+word(first), "two raw writes each leave the rule true, in "+string(first)+" and in serializable", r.tables(),
			func(ctx context.Context, s *site) (*scene, error) {
				var pair [2]statement
				set, _, err := r.search(ctx, s, 2, func(set *fixture.Set, rows []fixture.Row) (bool, error) {
					pairs, err := r.couples(ctx, s, set, rows)
					if err != nil {
						return false, err
					}
					for _, pair = range pairs {
						if met, err := r.meets(ctx, s, set, pair[0], pair[1]); err != nil || met {
							return met, err
						}
					}
					return false, nil
				})
				if err != nil {
					return nil, err
				}
				sc := r.scene(set, eager("raw write", first, pair[0].sql), eager("raw write", ir.Serializable, pair[1].sql))
				sc.winners = &winners{1, 1}
				return sc, nil
			}, mutants...)
		c.whole, c.breaks = true, true
	}
}

// couples are raw writes of two clients: of one kind, to two rows of a group.
func (r ruledRows) couples(ctx context.Context, s *site, set *fixture.Set, rows []fixture.Row) ([][2]statement, error) {
	list := [][2]statement{{r.deletes(rows[0]), r.deletes(rows[1])}}
	one, err := r.changes(ctx, s, set, rows)
	if err != nil {
		return nil, err
	}
	two, err := r.changes(ctx, s, set, rows[1:])
	if err != nil {
		return nil, err
	}
	for i := range min(len(one), len(two)) {
		list = append(list, [2]statement{one[i], two[i]})
	}
	come, err := r.comes(ctx, s, set, rows)
	if err != nil {
		return nil, err
	}
	also, err := r.comes(ctx, s, set, rows)
	for i := range min(len(come), len(also)) {
		list = append(list, [2]statement{come[i], also[i]})
	}
	return list, err
}

// broken finds a write that breaks the rule by itself.
func (r ruledRows) broken(ctx context.Context, s *site, write func(*fixture.Set, []fixture.Row) ([]statement, error)) (*fixture.Set, statement, error) {
	var breaks statement
	set, _, err := r.search(ctx, s, 1, func(set *fixture.Set, rows []fixture.Row) (bool, error) {
		if kept, err := r.holds(ctx, s, set); err != nil || !kept {
			return false, err
		}
		list, err := write(set, rows)
		if err != nil {
			return false, err
		}
		// The list may have brought further rows.
		if kept, err := r.holds(ctx, s, set); err != nil || !kept {
			return false, err
		}
		for _, w := range list {
			kept, touched, err := r.tried(ctx, s, set, w)
			if err != nil {
				return false, err
			}
			if touched && !kept {
				breaks = w
				return true, nil
			}
		}
		return false, nil
	})
	return set, breaks, err
}

// tried is holds of one write, with whether it got through at all.
func (r ruledRows) tried(ctx context.Context, s *site, set *fixture.Set, w statement) (kept, touched bool, err error) {
	kept, err = r.holds(ctx, s, set, w)
	if err != nil || kept {
		return kept, kept, err
	}
	tx, err := s.conn.Begin(ctx)
	if err != nil {
		return false, false, err
	}
	defer func() { err = errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return false, false, err
	}
	tag, refused := tx.Exec(ctx, w.sql, simple)
	return false, refused == nil && tag.RowsAffected() > 0, nil
}

// alone adds a check of one write that breaks the rule, by two clients. Where none
// does, writes of that kind are in nobody's way.
func (r ruledRows) alone(m *model, label, name string, mutants []mutant, write func(context.Context, *site, *fixture.Set, []fixture.Row) ([]statement, error)) {
	c := m.add(label, name, r.tables(), func(ctx context.Context, s *site) (*scene, error) {
		var fine statement
		set, w, err := r.broken(ctx, s, func(set *fixture.Set, rows []fixture.Row) ([]statement, error) {
			list, err := write(ctx, s, set, rows)
			if len(list) > 0 {
				fine = list[0]
			}
			return list, err
		})
		open := errors.As(err, new(*fixture.NotFoundError))
		if open {
			w = fine
			set, _, err = r.search(ctx, s, 1, func(set *fixture.Set, _ []fixture.Row) (bool, error) { return r.holds(ctx, s, set) })
		}
		if err != nil {
			return nil, err
		}
		sc := r.scene(set, raw(name, ir.Serializable, w.sql), raw(name, ir.Serializable, w.sql))
		sc.winners, sc.open = &winners{0, 0}, open
		if open {
			sc.winners = nil
		}
		return sc, nil
	}, mutants...)
	c.whole, c.breaks = true, true
}

// breaking has single writes break the rule: a row that comes, goes, changes, or
// moves to another group.
func (r ruledRows) breaking(m *model, triggers []mutant) {
	deferred := func(suffix string) []mutant {
		return []mutant{r.without(suffix, "without the trigger "+r.name()+"_"+suffix, triggers, func(g ir.Trigger) bool {
			return g.Deferred && g.Name == r.name()+"_"+suffix
		})}
	}
	r.alone(m, "raw-delete", "a raw DELETE that could break the rule", deferred("delete"), func(_ context.Context, _ *site, _ *fixture.Set, rows []fixture.Row) ([]statement, error) {
		return []statement{r.deletes(rows[0])}, nil
	})
	r.alone(m, "raw-update", "a raw UPDATE that could break the rule", deferred("update"), r.changes)
	r.alone(m, "raw-insert", "a raw INSERT that could break the rule", deferred("insert"), r.comes)
	if len(r.args()) > 0 && r.rule.Parent == (ir.TableRef{}) { // else a new group has to come with its row of the parent
		r.alone(m, "raw-move", "a raw UPDATE that brings a row to a group whose rule it could break", deferred("moved"), r.moves)
	}
	c := m.add("raw-truncate", "a raw TRUNCATE takes all rows", r.tables(), func(ctx context.Context, s *site) (*scene, error) {
		set, _, err := r.search(ctx, s, 1, func(set *fixture.Set, _ []fixture.Row) (bool, error) { return r.holds(ctx, s, set) })
		if err != nil {
			return nil, err
		}
		truncate := "TRUNCATE " + r.t.SQL() + " CASCADE"
		sc := r.scene(set, raw("raw TRUNCATE", ir.Serializable, truncate), raw("raw TRUNCATE", ir.RepeatableRead, truncate))
		sc.violators = append(sc.violators, noRowLeft(r.t))
		return sc, nil
	}, only(triggers, ir.OnTruncate)...)
	c.whole, c.breaks = true, true
}

// name is what the triggers of the rule are named after.
func (r ruledRows) name() string {
	for _, rep := range r.repositories[r.t].Reported {
		if rep.Address == r.rule.Base.Address {
			return rep.Name
		}
	}
	return ""
}

// changes are UPDATEs of the first row to what another row could be.
func (r ruledRows) changes(ctx context.Context, _ *site, set *fixture.Set, rows []fixture.Row) ([]statement, error) {
	var list []statement
	for _, where := range r.conditions() {
		other, err := set.Propose(ctx, r.t, fixture.Want{Values: pick(rows[0].Values, r.args()), Where: where, Vary: r.otherUniques(r.t, r.args())})
		if errors.As(err, new(*fixture.NotFoundError)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if values := pick(other.Values, r.columns()); len(values) > 0 {
			list = append(list, statement{sql: r.updateSQL(r.t, r.identify(r.t, rows[0].Values), values)})
		}
	}
	return list, nil
}

// comes are INSERTs of a further row, of the group and of another one.
func (r ruledRows) comes(ctx context.Context, _ *site, set *fixture.Set, rows []fixture.Row) ([]statement, error) {
	var list []statement
	for _, where := range r.conditions() {
		wants := []fixture.Want{{Values: pick(rows[0].Values, r.args()), Where: where, Vary: r.otherUniques(r.t, r.args())}}
		if r.rule.Parent == (ir.TableRef{}) { // else a group that is new has to come with its row of the parent
			wants = append(wants, fixture.Want{Where: all(where, r.grouped()), Vary: append(r.otherUniques(r.t, r.args()), r.args()...)})
		}
		for _, want := range wants {
			row, err := set.Propose(ctx, r.t, want)
			if errors.As(err, new(*fixture.NotFoundError)) {
				continue
			}
			if err != nil {
				return nil, err
			}
			list = append(list, statement{sql: r.insertSQL(r.t, row.Values)})
		}
	}
	return list, nil
}

// moves are UPDATEs that bring one of two more rows to a group that has none.
func (r ruledRows) moves(ctx context.Context, _ *site, set *fixture.Set, rows []fixture.Row) ([]statement, error) {
	var list []statement
	for _, where := range r.conditions() {
		one, err := set.Add(ctx, r.t, fixture.Want{Values: pick(rows[0].Values, r.args()), Where: where, Vary: r.otherUniques(r.t, r.args())})
		if errors.As(err, new(*fixture.NotFoundError)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		other, err := set.Propose(ctx, r.t, fixture.Want{Where: r.grouped(), Vary: append(r.otherUniques(r.t, r.args()), r.args()...)})
		if errors.As(err, new(*fixture.NotFoundError)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, statement{sql: r.updateSQL(r.t, r.identify(r.t, one.Values), pick(other.Values, r.args()))})
	}
	return list, nil
}

// weak has one raw client write what is fine, at weaker levels: it is refused all the
// same.
func (r ruledRows) weak(m *model, triggers []mutant) {
	way := func(label, name string, event ir.TriggerEvent, write func(context.Context, *site, *fixture.Set, []fixture.Row) ([]statement, error)) {
		mutants := []mutant{r.without("level-"+label, "without the trigger that refuses a weaker level", triggers, func(g ir.Trigger) bool {
			return levelOf(g) && slices.Equal(g.Events, []ir.TriggerEvent{event})
		})}
		c := m.add("weak-"+label, name, r.tables(), func(ctx context.Context, s *site) (*scene, error) {
			var fine statement
			set, _, err := r.search(ctx, s, 2, func(set *fixture.Set, rows []fixture.Row) (bool, error) {
				list, err := write(ctx, s, set, rows)
				if err != nil {
					return false, err
				}
				for _, w := range list {
					if kept, err := r.holds(ctx, s, set, w); err != nil || kept {
						fine = w
						return kept, err
					}
				}
				return false, nil
			})
			if err != nil {
				return nil, err
			}
			sc := r.scene(set, raw(name, "", fine.sql), raw(name, ir.RepeatableRead, fine.sql))
			sc.winners = &winners{0, 0}
			return sc, nil
		}, mutants...)
		c.whole, c.breaks = true, true
	}
	way("delete", "a raw DELETE below SERIALIZABLE", ir.OnDelete, func(_ context.Context, _ *site, _ *fixture.Set, rows []fixture.Row) ([]statement, error) {
		return []statement{r.deletes(rows[0])}, nil
	})
	way("insert", "a raw INSERT below SERIALIZABLE", ir.OnInsert, r.comes)
	way("update", "a raw UPDATE below SERIALIZABLE", ir.OnUpdate, r.differs)
}

// differs are those UPDATEs that change something.
func (r ruledRows) differs(ctx context.Context, s *site, set *fixture.Set, rows []fixture.Row) ([]statement, error) {
	list, err := r.changes(ctx, s, set, rows)
	var changed []statement
	for _, w := range list {
		if !strings.Contains(w.sql, " SET "+r.pairs(r.t, pick(rows[0].Values, r.columns()))+" WHERE ") {
			changed = append(changed, w)
		}
	}
	return changed, err
}

// groups has a group begin without what the rule asks for.
func (r ruledRows) groups(m *model, triggers []mutant) {
	if r.rule.Parent == (ir.TableRef{}) {
		return
	}
	name := r.name() + "_parent"
	c := m.add("raw-parent", "a raw INSERT brings a group, for which the rule may not hold", r.tables(), func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		row, err := set.Propose(ctx, r.rule.Parent, fixture.Want{})
		if err != nil {
			return nil, err
		}
		insert := statement{sql: r.insertSQL(r.rule.Parent, row.Values)}
		kept, err := r.holds(ctx, s, set, insert)
		if err != nil {
			return nil, err
		}
		sc := r.scene(set, raw("raw INSERT", "", insert.sql), raw("raw INSERT", ir.RepeatableRead, insert.sql))
		if sc.open = kept; !kept {
			sc.winners = &winners{0, 0}
		}
		return sc, nil
	}, r.without("parent", "without the trigger "+name, triggers, func(g ir.Trigger) bool { return g.Name == name }))
	c.whole, c.breaks = true, true
}
