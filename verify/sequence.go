package verify

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// sequence: clients who insert into one group at every isolation level, one that
// copies rows in, and clients who change a number or take its row away.
func (m *model) sequence(i *ir.Sequence) {
	q := numbers{m.index, i, i.Base.Table}
	insert := m.operation(q.t, ir.InsertOp)
	if insert == nil {
		return
	}
	tables := []ir.TableRef{q.t}
	triggers := mutantWithout(m.index, i.Base.Objects, "trigger")
	giving := only(triggers, ir.OnInsert)
	pair := func(label, name string, least int, mutants []mutant, second func(s *site, row map[string]*string) actor) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := q.arrivals(ctx, s)
			if err != nil {
				return nil, err
			}
			sc := q.scene(set, calling(insert, argsOf(insert, rows[0])), second(s, rows[1]))
			sc.winners = &winners{least, 2}
			return sc, nil
		}, mutants...)
	}
	pair("insert-insert", "two clients insert into one group", 2, append(slices.Clone(giving), q.instead("max-instead", "with max + 1 instead of a count", "")),
		func(_ *site, row map[string]*string) actor { return calling(insert, argsOf(insert, row)) })
	for _, level := range levels[1:] {
		pair("insert-"+word(level), "one of two inserts into a group runs in "+string(level), 1,
			append(slices.Clone(giving), q.instead("lock-instead", "with a lock and max + 1 instead of a count", "LOCK TABLE "+i.Counter.SQL()+" IN SHARE ROW EXCLUSIVE MODE")),
			func(_ *site, row map[string]*string) actor { return callingIn(level, insert, argsOf(insert, row)) })
	}
	pair("insert-copy", "a COPY comes beside an insert", 2, giving, func(s *site, row map[string]*string) actor { return s.loading(q.t, row) })
	kept := func(label, name string, mutants []mutant, statement func(row fixture.Row) string) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, row, err := q.stored(ctx, s)
			if err != nil {
				return nil, err
			}
			sc := q.scene(set, raw(name, "", statement(row)), raw(name, ir.RepeatableRead, statement(row)))
			sc.winners = &winners{0, 0}
			return sc, nil
		}, mutants...)
	}
	f := frozen{m.index, q.t, triggers}
	kept("raw-update", "raw UPDATE of the number", f.eitherOf(only(triggers, ir.OnUpdate)), func(row fixture.Row) string {
		return "UPDATE " + q.t.SQL() + " SET " + ir.Ident(i.Column) + " = 7 WHERE " + q.match(q.t, q.identify(q.t, row.Values))
	})
	if i.Gapless {
		kept("raw-delete", "raw DELETE of a row with a number", only(triggers, ir.OnDelete), func(row fixture.Row) string {
			return q.deleteSQL(q.t, q.identify(q.t, row.Values))
		})
	}
	f.truncated(m)
	q.guards(m)
}

// guards: clients who write the last numbers by hand, beside an insert.
func (q numbers) guards(m *model) {
	counter, last := q.rule.Counter.SQL(), ir.Ident(q.last())
	for _, way := range []struct{ label, name, trigger, sql string }{
		{"raw-last", "a raw UPDATE sets the last number", "_kept", "UPDATE " + counter + " SET " + last + " = " + last + " + 5"},
		{"raw-last-delete", "a raw DELETE takes the last number away", "_kept_delete", "DELETE FROM " + counter},
		{"raw-last-truncate", "a raw TRUNCATE takes the last numbers away", "_truncate", "TRUNCATE " + counter},
	} {
		mutants := slices.DeleteFunc(mutantWithout(q.index, q.rule.Guards, "trigger"), func(t mutant) bool { return !strings.HasSuffix(t.id, way.trigger) })
		m.add(way.label, way.name, []ir.TableRef{q.t, q.rule.Counter}, func(ctx context.Context, s *site) (*scene, error) {
			set, _, err := q.stored(ctx, s)
			if err != nil {
				return nil, err
			}
			sc := q.scene(set, raw(way.name, "", way.sql), raw(way.name, ir.Serializable, way.sql))
			sc.winners = &winners{0, 0}
			return sc, nil
		}, mutants...)
	}
}

// numbers are those of one sequence.
type numbers struct {
	*index
	rule *ir.Sequence
	t    ir.TableRef
}

// given is a row's group and number.
func (q numbers) given(row map[string]*string, n int) map[string]*string {
	values := pick(row, q.rule.Per)
	values[q.rule.Column] = number(n)
	return values
}

// stored is a row with the first number.
func (q numbers) stored(ctx context.Context, s *site) (*fixture.Set, fixture.Row, error) {
	set := s.maker.Set(s.conn)
	row, err := set.Add(ctx, q.t, fixture.Want{Values: map[string]*string{q.rule.Column: number(1)}})
	if err != nil {
		return nil, row, err
	}
	counter := pick(row.Values, q.rule.Per)
	counter[q.last()] = number(1)
	_, err = set.Add(ctx, q.rule.Counter, fixture.Want{Values: counter})
	return set, row, err
}

// last is the column of the last numbers.
func (q numbers) last() string {
	columns := q.tables[q.rule.Counter].Columns
	return columns[len(columns)-1].Name
}

// arrivals are two rows that come into one group, behind the first.
func (q numbers) arrivals(ctx context.Context, s *site) (*fixture.Set, [2]map[string]*string, error) {
	var rows [2]map[string]*string
	set, first, err := q.stored(ctx, s)
	if err != nil {
		return nil, rows, err
	}
	for i := range rows {
		row, err := set.Propose(ctx, q.t, fixture.Want{
			Values: q.given(first.Values, i+2), Where: q.initial(q.t),
			Vary: slices.DeleteFunc(q.uniqueColumns(q.t), func(name string) bool { return name == q.rule.Column || slices.Contains(q.rule.Per, name) }),
		})
		if err != nil {
			return nil, rows, err
		}
		rows[i] = maps.Clone(row.Values)
		delete(rows[i], q.rule.Column)
	}
	return set, rows, nil
}

func (q numbers) scene(set *fixture.Set, actors ...actor) *scene {
	var match []string
	for _, name := range q.rule.Per {
		match = append(match, "c."+ir.Ident(name)+" = r."+ir.Ident(name))
	}
	column, last := ir.Ident(q.rule.Column), ir.Ident(q.last())
	return &scene{
		fixture: script(set, q.t, q.rule.Counter), actors: actors,
		violators: append(violators(&q.rule.Base), rule{
			"a number was given that is not the last one",
			"SELECT r.* FROM " + q.t.SQL() + " AS r WHERE NOT EXISTS (SELECT 1 FROM " + q.rule.Counter.SQL() + " AS c WHERE " + strings.Join(match, " AND ") +
				" AND c." + last + " >= r." + column + ")",
		}),
		effects: []rule{{"a number changed", "c.op <> 'UPDATE' OR " + same("o."+column, "n."+column)}},
	}
}

// instead takes the highest number that is seen, behind a lock or none.
func (q numbers) instead(id, name, lock string) mutant {
	i := slices.IndexFunc(q.program.Schema.Functions, func(f ir.Function) bool {
		return strings.HasSuffix(f.Name, "_number") && slices.ContainsFunc(q.rule.Base.Objects, func(o ir.ObjectID) bool {
			return o.Kind == ir.FunctionObject && o.Schema == f.Schema && o.Name == f.Name
		})
	})
	right := q.program.Schema.Functions[i]
	broken := right
	var match []string
	for _, column := range q.rule.Per {
		match = append(match, "r."+ir.Ident(column)+" = NEW."+ir.Ident(column))
	}
	if lock != "" {
		lock = "  " + lock + ";\n"
	}
	column := ir.Ident(q.rule.Column)
	broken.Body = "BEGIN\n" + lock + "  NEW." + column + " := (SELECT COALESCE(max(r." + column + "), 0) + 1 FROM " + q.t.SQL() + " AS r WHERE " + strings.Join(match, " AND ") +
		");\n  RETURN NEW;\nEND"
	return mutant{
		id: id, name: name,
		drop:    []ir.Change{ir.ReplaceFunction{Function: broken, Exists: true}},
		restore: []ir.Change{ir.ReplaceFunction{Function: right, Exists: true}},
		diff:    []string{"-UPDATE " + q.rule.Counter.SQL() + " SET " + ir.Ident(q.last()) + " = … + 1", "+SELECT max(" + column + ") + 1"},
	}
}
