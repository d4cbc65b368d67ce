package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// atLeastOne: two clients who each take away one of the last two rows of a group,
// at every isolation level; rows that begin to count no longer; a new group
// without rows; and a TRUNCATE. A group that is deleted with its rows goes.
func (m *model) atLeastOne(i *ir.AtLeastOne) {
	l := leastRows{m.index, i, i.Base.Table}
	tables := []ir.TableRef{l.t, i.Parent}
	triggers := l.besides(mutantWithout(m.index, i.Base.Objects, "trigger"))
	remove := func(row fixture.Row) string { return l.deleteSQL(l.t, l.identify(l.t, row.Values)) }
	last := func(label, name string, mutants []mutant, first, second func(s *site, set *fixture.Set, row fixture.Row) (actor, error)) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := l.group(ctx, s, 2)
			if err != nil {
				return nil, err
			}
			one, err := first(s, set, rows[0])
			if err != nil {
				return nil, err
			}
			two, err := second(s, set, rows[1])
			if err != nil {
				return nil, err
			}
			sc := l.scene(set, one, two)
			sc.winners = &winners{1, 1}
			return sc, nil
		}, mutants...).whole = true
	}
	deleting := func(level ir.Isolation) func(*site, *fixture.Set, fixture.Row) (actor, error) {
		return func(_ *site, _ *fixture.Set, row fixture.Row) (actor, error) {
			return eager("raw DELETE", level, remove(row)), nil
		}
	}
	if m.single(i) {
		l.lastOne(m, tables, triggers)
		return
	}
	last("delete-delete", "two raw DELETEs take the last two rows, and are looked at when they commit", only(triggers, ir.OnDelete),
		func(_ *site, _ *fixture.Set, row fixture.Row) (actor, error) {
			return raw("raw DELETE", ir.ReadCommitted, remove(row)), nil
		},
		func(_ *site, _ *fixture.Set, row fixture.Row) (actor, error) {
			return raw("raw DELETE", "", remove(row)), nil
		})
	for n, first := range levels {
		for _, second := range levels[n:] {
			instead := []mutant{l.insteadOf("count-instead", "with a look alone instead of an UPDATE of the parent", "")}
			if first != ir.ReadCommitted && second != ir.Serializable {
				instead = append(instead, l.insteadOf("lock-instead", "with a lock instead of an UPDATE of the parent", "FOR NO KEY UPDATE"))
			}
			mutants := append(only(triggers, ir.OnDelete), l.besides(instead)...)
			if second == ir.Serializable && first == ir.Serializable {
				mutants = only(triggers, ir.OnDelete) // SERIALIZABLE itself finds the two that looked
			}
			last("delete-"+word(first)+"-"+word(second), "two raw DELETEs take the last two rows, in "+string(first)+" and in "+string(second), mutants,
				deleting(first), deleting(second))
		}
	}
	last("update-delete", "a raw UPDATE makes a row leave its group beside a raw DELETE of the other", only(triggers, ir.OnUpdate),
		func(s *site, set *fixture.Set, row fixture.Row) (actor, error) {
			update, err := l.leave(s, set, row)
			return eager("raw UPDATE", ir.ReadCommitted, update), err
		}, deleting(ir.ReadCommitted))
	l.alone(m, tables, triggers)
	l.gone(m, tables)
}

// single reports whether an exactly_one allows one row a group: the last two are
// never there.
func (x *index) single(i *ir.AtLeastOne) bool { return i.Base.Kind == "exactly_one" }

// lastOne has the one row of a group taken away, and made to leave it.
func (l leastRows) lastOne(m *model, tables []ir.TableRef, triggers []mutant) {
	way := func(label, name string, mutants []mutant, statement func(s *site, set *fixture.Set, row fixture.Row) (string, error)) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := l.group(ctx, s, 1)
			if err != nil {
				return nil, err
			}
			sql, err := statement(s, set, rows[0])
			if err != nil {
				return nil, err
			}
			sc := l.scene(set, raw(name, "", sql), raw(name, ir.RepeatableRead, sql))
			sc.winners = &winners{0, 0}
			return sc, nil
		}, mutants...)
	}
	way("delete", "raw DELETE of the one row", only(triggers, ir.OnDelete), func(_ *site, _ *fixture.Set, row fixture.Row) (string, error) {
		return l.deleteSQL(l.t, l.identify(l.t, row.Values)), nil
	})
	way("update", "raw UPDATE of the one row", only(triggers, ir.OnUpdate), l.leave)
	l.alone(m, tables, triggers)
	l.gone(m, tables)
}

// eager is a raw client that has deferred rules looked at with each statement, so
// that its COMMIT comes apart from what is seen.
func eager(name string, level ir.Isolation, sql string) actor {
	name += " in " + string(level) + ", looked at at once"
	return actor{name: name, class: name + sql, run: func(ctx context.Context, conn session, _ *variant) (any, error) {
		var done deeds
		code, err := inTransaction(ctx, conn, level, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
				return err
			}
			list, err := rawAnswer(tx.Exec(ctx, sql))
			done = list
			if err == nil && list[0].code != "" {
				return errRollback
			}
			return err
		})
		if code != "" {
			return deeds{{code: code}}, nil
		}
		return done, err
	}}
}

// alone has a group that comes without a row, and all rows taken away at once.
func (l leastRows) alone(m *model, tables []ir.TableRef, triggers []mutant) {
	i := l.rule
	m.add("raw-parent", "a raw INSERT brings a group without a row", tables, func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		row, err := set.Propose(ctx, i.Parent, fixture.Want{})
		if err != nil {
			return nil, err
		}
		insert := l.insertSQL(i.Parent, row.Values)
		sc := l.scene(set, raw("raw INSERT", "", insert), raw("raw INSERT", ir.RepeatableRead, insert))
		sc.winners = &winners{0, 0}
		return sc, nil
	}, only(triggers, ir.OnInsert)...)
	m.add("raw-truncate", "a raw TRUNCATE takes all rows", tables, func(ctx context.Context, s *site) (*scene, error) {
		set, _, err := l.group(ctx, s, 1)
		if err != nil {
			return nil, err
		}
		truncate := "TRUNCATE " + l.t.SQL() + " CASCADE"
		return l.scene(set, raw("raw TRUNCATE", "", truncate), raw("raw TRUNCATE", ir.RepeatableRead, truncate)), nil
	}, only(triggers, ir.OnTruncate)...)
}

// leastRows are the rows of one lower bound.
type leastRows struct {
	*index
	rule *ir.AtLeastOne
	t    ir.TableRef
}

// group is a row of the parent with n rows that count.
func (l leastRows) group(ctx context.Context, s *site, n int) (*fixture.Set, []fixture.Row, error) {
	set := s.maker.Set(s.conn)
	above, err := set.Add(ctx, l.rule.Parent, fixture.Want{})
	if err != nil {
		return nil, nil, err
	}
	rows := make([]fixture.Row, n)
	for i := range rows {
		if rows[i], err = set.Add(ctx, l.t, fixture.Want{Values: l.link(above), Where: orTrue(l.rule.Where), Vary: l.otherUniques(l.t, l.rule.Per)}); err != nil {
			return nil, nil, err
		}
	}
	return set, rows, nil
}

// link gives the values by which a row belongs to a row of the parent.
func (l leastRows) link(above fixture.Row) map[string]*string {
	values := map[string]*string{}
	for i, name := range l.rule.Per {
		values[name] = above.Values[l.rule.Key[i]]
	}
	return values
}

// leave is an UPDATE by which a row leaves its group: it counts no longer, or goes
// to a new one.
func (l leastRows) leave(s *site, set *fixture.Set, row fixture.Row) (string, error) {
	ctx := context.Background()
	if l.rule.Where != "" {
		other, err := set.Propose(ctx, l.t, fixture.Want{Values: pick(row.Values, l.rule.Per), Where: not(l.rule.Where), Vary: l.otherUniques(l.t, nil)})
		if err != nil {
			return "", err
		}
		return l.updateSQL(l.t, l.identify(l.t, row.Values), pick(other.Values, columnsOf(l.rule.Where))), nil
	}
	above, err := set.Add(ctx, l.rule.Parent, fixture.Want{Vary: l.rule.Key})
	if err != nil {
		return "", err
	}
	there := l.link(above)
	if _, err := set.Add(ctx, l.t, fixture.Want{Values: there, Vary: l.otherUniques(l.t, l.rule.Per)}); err != nil {
		return "", err
	}
	return l.updateSQL(l.t, l.identify(l.t, row.Values), there), nil
}

func (l leastRows) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{fixture: script(set, l.t, l.rule.Parent), actors: actors, violators: violators(&l.rule.Base)}
}

// gone has two groups that clients delete, with the rows that foreign keys take
// along: nothing is in their way.
func (l leastRows) gone(m *model, tables []ir.TableRef) {
	for _, k := range l.tables[l.t].ForeignKeys {
		if k.OnDelete != ir.Cascade || !slices.Equal(k.Columns, l.rule.Per) {
			continue
		}
		m.add("delete-parent", "two raw DELETEs take groups away with their rows", tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := l.group(ctx, s, 1)
			if err != nil {
				return nil, err
			}
			above, err := set.Add(ctx, l.rule.Parent, fixture.Want{Vary: l.rule.Key})
			if err != nil {
				return nil, err
			}
			if _, err := set.Add(ctx, l.t, fixture.Want{Values: l.link(above), Where: orTrue(l.rule.Where), Vary: l.otherUniques(l.t, l.rule.Per)}); err != nil {
				return nil, err
			}
			first := map[string]*string{}
			for i, name := range l.rule.Key {
				first[name] = rows[0].Values[l.rule.Per[i]]
			}
			sc := l.scene(set, raw("raw DELETE", "", l.deleteSQL(l.rule.Parent, first)), raw("raw DELETE", "", l.deleteSQL(l.rule.Parent, pick(above.Values, l.rule.Key))))
			sc.winners, sc.open = &winners{2, 2}, true
			return sc, nil
		}, l.gonesToo())
		return
	}
}

// besides excuses mutants by other lower bounds over the same rows or groups: their
// triggers refuse a group without rows as well, and update the same parent.
func (l leastRows) besides(mutants []mutant) []mutant {
	var others []mutant
	for _, i := range l.program.Invariants {
		if o, ok := i.(*ir.AtLeastOne); ok && o != l.rule && (o.Base.Table == l.t || o.Parent == l.rule.Parent) {
			others = append(others, mutantWithout(l.index, o.Base.Objects, "trigger")...)
		}
	}
	if len(others) == 0 {
		return mutants
	}
	list := slices.Clone(mutants)
	for n := range list {
		free := alsoWithout(list[n], others)
		free.id, free.name = list[n].id+"+bounds", list[n].name+" and without the triggers of other lower bounds"
		list[n].backup = &free
	}
	return list
}

// left is the function for a row that left its group.
func (l leastRows) left() ir.Function {
	i := slices.IndexFunc(l.program.Schema.Functions, func(f ir.Function) bool {
		return strings.HasSuffix(f.Name, "_left") && slices.ContainsFunc(l.rule.Base.Objects, func(id ir.ObjectID) bool {
			return id.Kind == ir.FunctionObject && id.Schema == f.Schema && id.Name == f.Name
		})
	})
	return l.program.Schema.Functions[i]
}

// replaced is a mutant with another body of that function.
func (l leastRows) replaced(m mutant, body string) mutant {
	right := l.left()
	broken := right
	broken.Body = body
	m.drop = []ir.Change{ir.ReplaceFunction{Function: broken, Exists: true}}
	m.restore = []ir.Change{ir.ReplaceFunction{Function: right, Exists: true}}
	return m
}

// insteadOf looks without an UPDATE of the parent, behind a lock or none.
func (l leastRows) insteadOf(id, name, lock string) mutant {
	body := l.left().Body
	from, to := strings.Index(body, "  UPDATE "), strings.Index(body, "  IF NOT EXISTS")
	instead := ""
	if lock != "" {
		instead = "  PERFORM 1 FROM " + l.rule.Parent.SQL() + " " + lock + ";\n"
	}
	return l.replaced(mutant{id: id, name: name, diff: []string{"-" + strings.TrimSpace(body[from:to]), "+" + strings.TrimSpace(instead)}}, body[:from]+instead+body[to:])
}

// gonesToo asks for rows of groups that are gone.
func (l leastRows) gonesToo() mutant {
	body := l.left().Body
	from := strings.Index(body, "  IF NOT EXISTS")
	to := from + strings.Index(body[from:], "  END IF;\n") + len("  END IF;\n")
	return l.replaced(mutant{id: "gone-too", name: "with groups that are gone asked for rows", strict: true, diff: []string{"-" + strings.TrimSpace(body[from:to])}}, body[:from]+body[to:])
}

// needed reports whether a lower bound keeps rows in groups by some columns: they
// cannot be moved away one by one.
func (x *index) needed(t ir.TableRef, columns []string) bool {
	return slices.ContainsFunc(x.program.Invariants, func(i ir.Invariant) bool {
		l, ok := i.(*ir.AtLeastOne)
		return ok && l.Base.Table == t && slices.ContainsFunc(columns, func(name string) bool { return slices.Contains(l.Per, name) })
	})
}

// needsMembers reports whether a lower bound refuses a row that comes in alone.
func (x *index) needsMembers(t ir.TableRef) bool {
	return slices.ContainsFunc(x.program.Invariants, func(i ir.Invariant) bool {
		l, ok := i.(*ir.AtLeastOne)
		return ok && l.Parent == t
	})
}
