package verify

import (
	"context"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// immutable: clients that know nothing of the rule change each column, or take
// all rows away at once; and one that writes a row without changing it.
func (m *model) immutable(i *ir.Immutable) {
	f := frozen{m.index, i.Base.Table, mutantWithout(m.index, i.Base.Objects, "trigger")}
	tables := []ir.TableRef{f.t}
	updates := only(f.triggers, ir.OnUpdate)
	for _, name := range i.Columns {
		if m.column(f.t, name).Identity == ir.IdentityAlways {
			continue // PostgreSQL takes no value for it
		}
		m.add("raw-update-"+word(name), "a raw UPDATE changes "+name, tables, func(ctx context.Context, s *site) (*scene, error) {
			return f.changed(ctx, s, name)
		}, f.eitherOf(updates)...)
		m.add("raw-same-"+word(name), "a raw UPDATE writes "+name+" as it is", tables, func(ctx context.Context, s *site) (*scene, error) {
			return f.unchanged(ctx, s, name)
		}, m.alwaysFiring(f.t, updates)...)
	}
	f.truncated(m)
}

// appendOnly: clients that know nothing of the rule change or delete a row, or
// take all of them away; and rows that come in.
func (m *model) appendOnly(i *ir.AppendOnly) {
	f := frozen{m.index, i.Base.Table, mutantWithout(m.index, i.Base.Objects, "trigger")}
	tables := []ir.TableRef{f.t}
	raws := func(label, name string, statement func(row fixture.Row) string, event ir.TriggerEvent) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set := s.maker.Set(s.conn)
			row, err := set.Add(ctx, f.t, fixture.Want{})
			if err != nil {
				return nil, err
			}
			sql := statement(row)
			return &scene{
				fixture: script(set, f.t), actors: []actor{raw(name, "", sql), raw(name, ir.RepeatableRead, sql)}, winners: &winners{0, 0},
				effects: []rule{{"a row was changed or deleted", "c.op = 'INSERT'"}},
			}, nil
		}, only(f.triggers, event)...)
	}
	raws("raw-delete", "raw DELETE", func(row fixture.Row) string { return f.deleteSQL(f.t, f.identify(f.t, row.Values)) }, ir.OnDelete)
	if name := f.writable(); name != "" {
		raws("raw-update", "raw UPDATE", func(row fixture.Row) string {
			return f.updateSQL(f.t, f.identify(f.t, row.Values), pick(row.Values, []string{name}))
		}, ir.OnUpdate)
	}
	f.truncated(m)
	insert := m.operation(f.t, ir.InsertOp)
	if insert == nil {
		return
	}
	m.add("insert-insert", "two clients add rows", tables, func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		one, err := set.Propose(ctx, f.t, fixture.Want{})
		if err != nil {
			return nil, err
		}
		two, err := set.Propose(ctx, f.t, fixture.Want{Vary: append(f.uniqueColumns(f.t), f.key(f.t)...)})
		if err != nil {
			return nil, err
		}
		return &scene{
			fixture: script(set, f.t), open: true, winners: &winners{2, 2},
			actors: []actor{calling(insert, argsOf(insert, one.Values)), calling(insert, argsOf(insert, two.Values))},
		}, nil
	}, tooStrict(f.t))
}

// frozen is a table with something in it that never changes, and a mutant for
// each trigger that sees to it.
type frozen struct {
	*index
	t        ir.TableRef
	triggers []mutant
}

// changed is a row in which clients change a column.
func (f frozen) changed(ctx context.Context, s *site, name string) (*scene, error) {
	set := s.maker.Set(s.conn)
	row, err := set.Add(ctx, f.t, fixture.Want{})
	if err != nil {
		return nil, err
	}
	other, err := set.Propose(ctx, f.t, fixture.Want{Vary: []string{name}})
	if err != nil {
		return nil, err
	}
	update := f.updateSQL(f.t, f.identify(f.t, row.Values), pick(other.Values, []string{name}))
	sc := f.scene(set, name, raw("raw UPDATE", "", update), raw("raw UPDATE", ir.RepeatableRead, update))
	sc.winners = &winners{0, 0}
	return sc, nil
}

// unchanged is a row that clients write as it is.
func (f frozen) unchanged(ctx context.Context, s *site, name string) (*scene, error) {
	set := s.maker.Set(s.conn)
	row, err := set.Add(ctx, f.t, fixture.Want{})
	if err != nil {
		return nil, err
	}
	update := f.updateSQL(f.t, f.identify(f.t, row.Values), pick(row.Values, []string{name}))
	sc := f.scene(set, name, raw("raw UPDATE", "", update), raw("raw UPDATE", "", update))
	sc.winners = &winners{2, 2}
	return sc, nil
}

func (f frozen) scene(set *fixture.Set, name string, actors ...actor) *scene {
	column := ir.Ident(name)
	return &scene{
		fixture: script(set, f.t), actors: actors,
		effects: []rule{{name + " of a stored row changed", "c.op <> 'UPDATE' OR " + same("o."+column, "n."+column)}},
	}
}

// eitherOf are the mutants of triggers that ask the same: each is excused by the
// others. A key that other tables refer to is kept by their foreign keys too.
func (f frozen) eitherOf(triggers []mutant) []mutant {
	list := slices.Clone(triggers)
	every := alsoWithout(triggers[0], triggers[1:])
	for _, child := range f.children(f.t) {
		every = every.and(f.withoutConstraint(f.tables[child.table], child.key))
	}
	every.id, every.name = "without-triggers", "without any of the triggers"
	for i := range list {
		list[i].backup = &every
	}
	return append(list, every)
}

// alwaysFiring are triggers without their condition: they refuse an UPDATE that
// changes nothing.
func (x *index) alwaysFiring(t ir.TableRef, triggers []mutant) []mutant {
	var list []mutant
	for _, m := range triggers {
		create, ok := m.restore[0].(ir.CreateTrigger)
		if !ok {
			continue
		}
		bare := create.Trigger
		bare.When = ""
		list = append(list, mutant{
			id: "always-" + bare.Name, name: "with a trigger " + bare.Name + " that looks at no column",
			drop:    append(slices.Clone(m.drop), ir.CreateTrigger{Table: t, Trigger: bare}),
			restore: append([]ir.Change{ir.DropTrigger{Table: t, Trigger: bare}}, m.restore...),
			diff:    []string{"-  WHEN (" + create.Trigger.When + ")"},
		})
	}
	return list
}

// truncated adds the check of a raw TRUNCATE.
func (f frozen) truncated(m *model) {
	m.add("raw-truncate", "a raw TRUNCATE takes all rows", []ir.TableRef{f.t}, func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		if _, err := set.Add(ctx, f.t, fixture.Want{}); err != nil {
			return nil, err
		}
		truncate := "TRUNCATE " + f.t.SQL() + " CASCADE"
		return &scene{
			fixture: script(set, f.t), actors: []actor{raw("raw TRUNCATE", "", truncate), raw("raw TRUNCATE", ir.RepeatableRead, truncate)},
			violators: []rule{noRowLeft(f.t)},
		}, nil
	}, only(f.triggers, ir.OnTruncate)...)
}

// noRowLeft is broken when a table is empty.
func noRowLeft(t ir.TableRef) rule {
	return rule{"a TRUNCATE took the rows", "SELECT 'no row is left' AS found WHERE NOT EXISTS (SELECT 1 FROM " + t.SQL() + ")"}
}

// writable is a column that an UPDATE can name; empty when there is none.
func (f frozen) writable() string {
	for _, c := range f.tables[f.t].Columns {
		if c.Identity != ir.IdentityAlways {
			return c.Name
		}
	}
	return ""
}

// behindFreezes excuses mutants by what never changes: where a trigger refuses
// the write with which a check would show that another guard is gone, the guard
// must show without that trigger.
func (x *index) behindFreezes(tables []ir.TableRef, mutants []mutant) []mutant {
	freezes := x.freezes(tables)
	if len(freezes) == 0 {
		return mutants
	}
	list := slices.Clone(mutants)
	for i := range list {
		m := &list[i]
		if m.strict || m.graded || m.err != nil {
			continue
		}
		base := *m
		if m.backup != nil {
			base = *m.backup
		}
		base.backup = nil
		if free := alsoWithout(base, freezes); len(free.drop) > len(base.drop) {
			free.id, free.name = base.id+"+freezes", base.name+" and without the triggers of what never changes"
			m.backup = &free
		}
	}
	return list
}

// freezes are mutants for the triggers of everything that never changes in
// tables, or is not truncated, and in those that refer to them: actions and
// TRUNCATE … CASCADE get there.
func (x *index) freezes(tables []ir.TableRef) []mutant {
	reached := slices.Clone(tables)
	for k := 0; k < len(reached); k++ {
		for _, child := range x.children(reached[k]) {
			if !slices.Contains(reached, child.table) {
				reached = append(reached, child.table)
			}
		}
	}
	var list []mutant
	for _, i := range x.program.Invariants {
		f := i.Facts()
		if l, ok := i.(*ir.Limit); ok && slices.Contains(reached, l.Counter) {
			list = append(list, mutantWithout(x, l.Guards, "trigger")...)
		}
		if !slices.Contains(reached, f.Table) {
			continue
		}
		switch i.(type) {
		case *ir.Immutable, *ir.AppendOnly:
			list = append(list, mutantWithout(x, f.Objects, "trigger")...)
		case *ir.Limit:
			list = append(list, only(mutantWithout(x, f.Objects, "trigger"), ir.OnTruncate)...)
		default:
		}
	}
	return list
}

// alsoWithout takes further triggers away, those that are not gone already.
func alsoWithout(m mutant, triggers []mutant) mutant {
	for _, t := range triggers {
		if !slices.ContainsFunc(m.drop, func(c ir.Change) bool { return ir.ChangeObject(c) == ir.ChangeObject(t.drop[0]) }) {
			m = m.and(t)
		}
	}
	return m
}
