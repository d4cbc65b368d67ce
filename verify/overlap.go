package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// overlap: two rows of one group whose ranges share a moment, by every way that a
// row can come; ranges that no constraint compares; and the deadlock between
// equal inserts.
func (m *model) overlap(i *ir.NoOverlap) {
	o := overlapping{m.index, i, i.Base.Table}
	insert := m.operation(o.t, ir.InsertOp)
	if insert == nil {
		return
	}
	without := mutantWithout(m.index, i.Base.Objects, "exclude")
	tables := []ir.TableRef{o.t}
	pair := func(label, name string, second func(row map[string]*string) actor) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, one, two, err := o.twins(ctx, s)
			if err != nil {
				return nil, err
			}
			sc := o.scene(set, calling(insert, argsOf(insert, one)), second(two))
			sc.winners = &winners{1, 1}
			return sc, nil
		}, without...)
	}
	pair("insert-insert", "two clients insert overlapping rows", func(row map[string]*string) actor {
		return calling(insert, argsOf(insert, row))
	})
	for _, level := range levels {
		pair("insert-"+word(level), "one of two inserts runs in "+string(level), func(row map[string]*string) actor {
			return callingIn(level, insert, argsOf(insert, row))
		})
	}
	pair("insert-raw", "a raw INSERT comes beside an insert", func(row map[string]*string) actor {
		return raw("raw INSERT", "", o.insertSQL(o.t, row))
	})
	pair("insert-ignore", "a raw INSERT … ON CONFLICT DO NOTHING comes beside an insert", func(row map[string]*string) actor {
		return raw("raw ON CONFLICT", "", o.insertSQL(o.t, row)+" ON CONFLICT DO NOTHING")
	})
	pair("insert-copy", "a COPY comes beside an insert", func(row map[string]*string) actor {
		return o.loading(o.t, row)
	})
	m.add("insert-apart", "two clients insert rows that do not overlap, or are of different groups", tables, func(ctx context.Context, s *site) (*scene, error) {
		return o.apart(ctx, s, insert)
	}, tooStrict(o.t))
	for _, state := range o.statesIn(o.t, i.Where) {
		c := m.add("insert-beside-"+word(state.name), "a client inserts over a row that is "+state.name, tables,
			func(ctx context.Context, s *site) (*scene, error) {
				set, one, _, err := o.twins(ctx, s)
				if err != nil {
					return nil, err
				}
				return besideState(ctx, set, o.t, state, i.Where, pick(one, o.columns()), o.uniqueColumns(o.t), o.scene(set, calling(insert, argsOf(insert, one))))
			}, append(slices.Clone(without), tooStrict(o.t))...)
		c.breaks = true
	}
	m.add("insert-update", "a raw UPDATE moves another row over an insert", tables,
		func(ctx context.Context, s *site) (*scene, error) { return o.moved(ctx, s, insert) }, without...)
	for _, id := range i.Base.Objects {
		if c, ok := m.check(id); ok {
			m.breaking(o.t, c, "raw-"+c.Name, "a raw INSERT and a COPY bring a range that no constraint compares")
		}
	}
	if i.Prelock {
		c := m.add("queue-up", "two clients insert what a third is about to give up", tables,
			func(ctx context.Context, s *site) (*scene, error) { return o.queuedUp(ctx, s, insert) }, mutantWithout(m.index, i.Base.Objects, "trigger")...)
		c.whole = true
	}
}

// overlapping is one rule against overlaps.
type overlapping struct {
	*index
	rule *ir.NoOverlap
	t    ir.TableRef
}

// columns are those that the rule compares.
func (o overlapping) columns() []string { return append(o.times(), o.groups()...) }

// times are the columns that the range is made of, and groups those that say which
// group it is in.
func (o overlapping) times() []string { return o.sources(o.t, columnsOf(o.rule.Range)...) }

func (o overlapping) groups() []string { return o.sources(o.t, o.rule.Within...) }

// counted is the condition under which a row counts.
func (o overlapping) counted() string {
	conditions := []string{"(" + o.rule.Range + ") IS NOT NULL", "NOT isempty(" + o.rule.Range + ")"}
	for _, name := range o.rule.Within {
		conditions = append(conditions, ir.Ident(name)+" IS NOT NULL")
	}
	if o.rule.Where != "" {
		conditions = append(conditions, o.rule.Where)
	}
	return all(conditions...)
}

func (o overlapping) twins(ctx context.Context, s *site) (set *fixture.Set, one, two map[string]*string, err error) {
	set = s.maker.Set(s.conn)
	where := all(o.counted(), orTrue(o.initial(o.t)))
	first, err := set.Propose(ctx, o.t, fixture.Want{Where: where})
	if err != nil {
		return nil, nil, nil, err
	}
	second, err := set.Propose(ctx, o.t, fixture.Want{Where: where, Values: pick(first.Values, o.columns()), Vary: o.uniqueColumns(o.t)})
	return set, first.Values, second.Values, err
}

func (o overlapping) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{fixture: script(set, o.t), actors: actors, violators: violators(&o.rule.Base)}
}

// apart are rows that are in nobody's way: of another group where the rule has
// groups, else of another time.
func (o overlapping) apart(ctx context.Context, s *site, insert *ir.Operation) (*scene, error) {
	set, one, _, err := o.twins(ctx, s)
	if err != nil {
		return nil, err
	}
	where := all(o.counted(), orTrue(o.initial(o.t)), o.elsewhere(one))
	want := fixture.Want{Where: where, Vary: append(o.uniqueColumns(o.t), o.groups()...)}
	if len(o.rule.Within) > 0 {
		want.Values = pick(one, o.times())
	} else {
		want.Vary = append(want.Vary, o.times()...)
	}
	two, err := set.Propose(ctx, o.t, want)
	if err != nil {
		return nil, err
	}
	sc := o.scene(set, calling(insert, argsOf(insert, one)), calling(insert, argsOf(insert, two.Values)))
	sc.winners, sc.open = &winners{2, 2}, true
	return sc, nil
}

// elsewhere is the condition that a row is of another group than one where the
// server computes the group: what it is made of may differ and give the same.
func (o overlapping) elsewhere(one map[string]*string) string {
	var list []string
	for _, name := range o.rule.Within {
		if c := o.column(o.t, name); c.Generated != "" {
			list = append(list, ir.Ident(name)+" IS DISTINCT FROM "+literal(one[name], c.Type))
		}
	}
	if len(list) == 0 {
		return "true"
	}
	return "(" + strings.Join(list, " OR ") + ")"
}

// moved has a second row that a client moves.
func (o overlapping) moved(ctx context.Context, s *site, insert *ir.Operation) (*scene, error) {
	set, one, _, err := o.twins(ctx, s)
	if err != nil {
		return nil, err
	}
	other, err := set.Add(ctx, o.t, fixture.Want{Where: o.counted(), Vary: o.columns()})
	if err != nil {
		return nil, err
	}
	update := o.updateSQL(o.t, o.identify(o.t, other.Values), pick(one, o.columns()))
	sc := o.scene(set, calling(insert, argsOf(insert, one)), raw("raw UPDATE", "", update))
	sc.winners = &winners{1, 1}
	return sc, nil
}

// queuedUp is two inserts that wait for a third to end, which gives up. Without
// a lock in front, both have put their row into the index by then, and wait for
// each other. The two have no key in common, on which they would wait before.
func (o overlapping) queuedUp(ctx context.Context, s *site, insert *ir.Operation) (*scene, error) {
	set, one, two, err := o.twins(ctx, s)
	if err != nil {
		return nil, err
	}
	three, err := set.Propose(ctx, o.t, fixture.Want{Where: all(o.counted(), orTrue(o.initial(o.t))), Values: pick(one, o.columns()), Vary: o.uniqueColumns(o.t)})
	if err != nil {
		return nil, err
	}
	sc := o.scene(set, givingUp(o.insertSQL(o.t, one)), calling(insert, argsOf(insert, two)), calling(insert, argsOf(insert, three.Values)))
	sc.judge, sc.winners = neverAgain, &winners{1, 1}
	return sc, nil
}

// neverAgain demands that no call had to be tried again: equal inserts stand in
// line, and no deadlock ends one of them.
func neverAgain(j *judgement) []explore.Violation {
	if j.count(func(d deed) bool { return d.outcome.Attempts > 1 }) == 0 {
		return nil
	}
	return []explore.Violation{{Rule: "two equal inserts waited for each other until the server ended one, which was then tried again"}}
}

// givingUp is a client that rolls its statement back.
func givingUp(sql string) actor {
	return actor{name: "raw INSERT, then ROLLBACK", class: "rollback" + sql, run: func(ctx context.Context, conn session, _ *variant) (any, error) {
		var done deeds
		_, err := inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
			var err error
			done, err = rawAnswer(tx.Exec(ctx, sql))
			if err != nil {
				return err
			}
			return errRollback
		})
		for i := range done {
			done[i].rows = 0
		}
		return done, err
	}}
}

// check is the check constraint that an object is.
func (x *index) check(id ir.ObjectID) (ir.Check, bool) {
	t := x.tables[ir.TableRef{Schema: id.Schema, Name: id.Table}]
	if t == nil || id.Kind != ir.ConstraintObject {
		return ir.Check{}, false
	}
	i := slices.IndexFunc(t.Checks, func(c ir.Check) bool { return c.Name == id.Name })
	if i < 0 {
		return ir.Check{}, false
	}
	return t.Checks[i], true
}

// initial is the condition that a row may be inserted, as far as the table's
// transitions are concerned; empty when they allow any.
func (x *index) initial(t ir.TableRef) string {
	var conditions []string
	for _, i := range x.program.Invariants {
		s, ok := i.(*ir.Transitions)
		if ok && s.Base.Table == t && len(s.Initial) > 0 {
			conditions = append(conditions, in(ir.Ident(s.Column), s.Initial))
		}
	}
	return strings.Join(conditions, " AND ")
}

// in compares a column with words.
func in(column string, words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = ir.Literal(w)
	}
	return fmt.Sprintf("%s IN (%s)", column, strings.Join(list, ", "))
}
