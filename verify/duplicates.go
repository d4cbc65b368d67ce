package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// duplicates: two rows with the same values, by every way that a row can come.
func (m *model) duplicates(i *ir.NoDuplicates) {
	t := i.Base.Table
	d := duplicate{m.index, i, t}
	without := mutantWithout(m.index, i.Base.Objects, "unique")
	insert := m.operation(t, ir.InsertOp)
	if insert == nil {
		return
	}
	pair := func(label, name string, second func(d duplicate, row map[string]*string) actor) {
		m.add(label, name, []ir.TableRef{t}, func(ctx context.Context, s *site) (*scene, error) {
			set, one, two, err := d.twins(ctx, s)
			if err != nil {
				return nil, err
			}
			sc := d.scene(set, calling(insert, argsOf(insert, one)), second(d, two))
			sc.winners = &winners{1, 1}
			return sc, nil
		}, without...)
	}
	pair("insert-insert", "two clients insert the same values", func(_ duplicate, row map[string]*string) actor {
		return calling(insert, argsOf(insert, row))
	})
	for _, level := range levels {
		pair("insert-"+word(level), "one of two inserts runs in "+string(level), func(_ duplicate, row map[string]*string) actor {
			return callingIn(level, insert, argsOf(insert, row))
		})
	}
	pair("insert-raw", "a raw INSERT comes beside an insert", func(d duplicate, row map[string]*string) actor {
		return raw("raw INSERT", "", d.insertSQL(t, row))
	})
	pair("insert-raw-transaction", "a raw INSERT in a transaction comes beside an insert", func(d duplicate, row map[string]*string) actor {
		return raw("raw INSERT", ir.RepeatableRead, d.insertSQL(t, row))
	})
	pair("insert-ignore", "a raw INSERT … ON CONFLICT DO NOTHING comes beside an insert", func(d duplicate, row map[string]*string) actor {
		return raw("raw ON CONFLICT", "", d.insertSQL(t, row)+" ON CONFLICT DO NOTHING")
	})
	pair("insert-copy", "a COPY comes beside an insert", func(d duplicate, row map[string]*string) actor {
		return d.loading(t, row)
	})
	m.add("insert-apart", "two clients insert different values", []ir.TableRef{t}, func(ctx context.Context, s *site) (*scene, error) {
		return d.apart(ctx, s, insert)
	}, tooStrict(t))
	d.besideStates(m, insert, without)
	d.nulls(m, insert, without)
	if !m.needed(t, d.columns()) {
		d.besideUpdate(m, insert, without)
	}
	if where, columns := d.writable(i.Where); len(columns) > 0 {
		m.add("insert-revive", "a raw UPDATE brings a row under the condition beside an insert", []ir.TableRef{t},
			func(ctx context.Context, s *site) (*scene, error) { return d.revived(ctx, s, insert, where, columns) }, without...)
	}
}

// besideUpdate has a raw UPDATE that makes two rows alike.
func (d duplicate) besideUpdate(m *model, insert *ir.Operation, without []mutant) {
	m.add("insert-update", "a raw UPDATE brings another row to the values of an insert", []ir.TableRef{d.t},
		func(ctx context.Context, s *site) (*scene, error) { return d.updated(ctx, s, insert) }, without...)
}

// duplicate is one rule against duplicates.
type duplicate struct {
	*index
	rule *ir.NoDuplicates
	t    ir.TableRef
}

// columns are those that the rule compares.
func (d duplicate) columns() []string {
	var names []string
	for _, p := range d.rule.Parts {
		if p.Column != "" {
			names = append(names, p.Column)
		} else {
			names = append(names, columnsOf(p.Expr)...)
		}
	}
	return d.sources(d.t, names...)
}

// counted is the condition under which a row counts for the rule.
func (d duplicate) counted() string {
	var conditions []string
	if d.rule.Where != "" {
		conditions = append(conditions, d.rule.Where)
	}
	if !d.rule.NotNulls {
		for _, p := range d.rule.Parts {
			conditions = append(conditions, partSQL(p)+" IS NOT NULL")
		}
	}
	return all(conditions...)
}

func partSQL(p ir.IndexPart) string {
	if p.Column != "" {
		return ir.Ident(p.Column)
	}
	return "(" + p.Expr + ")"
}

// twins are two rows that the rule tells apart by nothing.
func (d duplicate) twins(ctx context.Context, s *site) (set *fixture.Set, one, two map[string]*string, err error) {
	set = s.maker.Set(s.conn)
	where := all(d.counted(), orTrue(d.initial(d.t)))
	first, err := set.Propose(ctx, d.t, fixture.Want{Where: where})
	if err != nil {
		return nil, nil, nil, err
	}
	second, err := set.Propose(ctx, d.t, fixture.Want{
		Where: where, Values: pick(first.Values, d.columns()), Vary: d.otherUniques(d.t, d.columns()),
	})
	return set, first.Values, second.Values, err
}

func (d duplicate) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{fixture: script(set, d.t), actors: actors, violators: violators(&d.rule.Base)}
}

// apart are two rows that have nothing to do with each other: both come in.
func (d duplicate) apart(ctx context.Context, s *site, insert *ir.Operation) (*scene, error) {
	set := s.maker.Set(s.conn)
	where := all(d.counted(), orTrue(d.initial(d.t)))
	one, err := set.Propose(ctx, d.t, fixture.Want{Where: where})
	if err != nil {
		return nil, err
	}
	two, err := set.Propose(ctx, d.t, fixture.Want{Where: where, Vary: d.columns()})
	if err != nil {
		return nil, err
	}
	sc := d.scene(set, calling(insert, argsOf(insert, one.Values)), calling(insert, argsOf(insert, two.Values)))
	sc.winners, sc.open = &winners{2, 2}, true
	return sc, nil
}

// besideStates tries an insert beside a row in each state of the table: those
// under the rule's condition keep it out, the others do not.
func (d duplicate) besideStates(m *model, insert *ir.Operation, without []mutant) {
	for _, state := range d.statesIn(d.t, d.rule.Where) {
		c := m.add("insert-beside-"+word(state.name), "a client inserts the values of a row that is "+state.name, []ir.TableRef{d.t},
			func(ctx context.Context, s *site) (*scene, error) {
				set, one, _, err := d.twins(ctx, s)
				if err != nil {
					return nil, err
				}
				return besideState(ctx, set, d.t, state, d.rule.Where, pick(one, d.columns()), d.otherUniques(d.t, d.columns()),
					d.scene(set, calling(insert, argsOf(insert, one))))
			}, append(slices.Clone(without), tooStrict(d.t))...)
		c.breaks = true
	}
}

// nulls tries rows that have NULL where the rule compares.
func (d duplicate) nulls(m *model, insert *ir.Operation, without []mutant) {
	values := map[string]*string{}
	for _, p := range d.rule.Parts {
		if p.Column != "" && d.column(d.t, p.Column).Null {
			values[p.Column] = nil
		}
	}
	if len(values) == 0 {
		return
	}
	mutants := append(slices.Clone(without), tooStrict(d.t))
	c := m.add("insert-nulls", "two clients insert NULL where the rule compares", []ir.TableRef{d.t}, func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		where := all(orTrue(d.rule.Where), orTrue(d.initial(d.t)))
		one, err := set.Propose(ctx, d.t, fixture.Want{Where: where, Values: values})
		if err != nil {
			return nil, err
		}
		two, err := set.Propose(ctx, d.t, fixture.Want{Where: where, Values: pick(one.Values, d.columns()), Vary: d.otherUniques(d.t, d.columns())})
		if err != nil {
			return nil, err
		}
		sc := d.scene(set, calling(insert, argsOf(insert, one.Values)), calling(insert, argsOf(insert, two.Values)))
		sc.winners, sc.open = &winners{2, 2}, true
		if d.rule.NotNulls {
			sc.winners, sc.open = &winners{1, 1}, false
		}
		return sc, nil
	}, mutants...)
	c.breaks = true
}

// updated has a second row that becomes the same.
func (d duplicate) updated(ctx context.Context, s *site, insert *ir.Operation) (*scene, error) {
	set, one, _, err := d.twins(ctx, s)
	if err != nil {
		return nil, err
	}
	other, err := set.Add(ctx, d.t, fixture.Want{Where: d.counted(), Vary: d.columns()})
	if err != nil {
		return nil, err
	}
	update := d.updateSQL(d.t, d.identify(d.t, other.Values), pick(one, d.columns()))
	sc := d.scene(set, calling(insert, argsOf(insert, one)), raw("raw UPDATE", "", update))
	sc.winners = &winners{1, 1}
	return sc, nil
}

// revived has a second row that is the same and does not count yet.
func (d duplicate) revived(ctx context.Context, s *site, insert *ir.Operation, where string, columns []string) (*scene, error) {
	set, one, _, err := d.twins(ctx, s)
	if err != nil {
		return nil, err
	}
	aside, err := set.Add(ctx, d.t, fixture.Want{Where: where, Values: pick(one, d.columns()), Vary: d.otherUniques(d.t, d.columns())})
	if err != nil {
		return nil, err
	}
	update := d.updateSQL(d.t, d.identify(d.t, aside.Values), pick(one, columns))
	sc := d.scene(set, calling(insert, argsOf(insert, one)), raw("raw UPDATE", "", update))
	sc.winners = &winners{1, 1}
	return sc, nil
}

// writable splits a condition for an UPDATE that brings a row under it: the
// columns that it writes, and the condition on the row before. The server alone
// numbers a column that is always an identity, so that what is asked of it has to
// hold before.
func (d duplicate) writable(where string) (before string, columns []string) {
	if where == "" {
		return "", nil
	}
	e, err := parsed(where)
	if err != nil {
		return "", nil
	}
	fixed := func(name string) bool { return d.column(d.t, name).Identity == ir.IdentityAlways }
	var holds, fails []string
	for _, part := range e.Conjuncts() {
		if names := d.sources(d.t, columnsOf(part.SQL())...); slices.ContainsFunc(names, fixed) {
			holds = append(holds, part.SQL())
		} else {
			fails, columns = append(fails, part.SQL()), append(columns, names...)
		}
	}
	if len(columns) == 0 {
		return "", nil
	}
	return all(append(holds, not(all(fails...)))...), columns
}

// uniqueColumns are the columns in which a table's rows must differ.
func (x *index) uniqueColumns(t ir.TableRef) []string {
	table := x.tables[t]
	var names []string
	if table.PrimaryKey != nil {
		names = append(names, table.PrimaryKey.Columns...)
	}
	for _, u := range table.Uniques {
		names = append(names, u.Columns...)
	}
	for _, i := range table.Indexes {
		if !i.Unique {
			continue
		}
		for _, p := range i.Parts {
			if p.Column != "" {
				names = append(names, p.Column)
			} else {
				names = append(names, columnsOf(p.Expr)...)
			}
		}
	}
	names = x.sources(t, names...)
	slices.Sort(names)
	return slices.Compact(names)
}

// insertColumns are the columns of a row that an insert gives.
func (x *index) insertColumns(t ir.TableRef, row map[string]*string) []string {
	var names []string
	for _, f := range x.repositories[t].Insert {
		if _, ok := row[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	return names
}

// identify picks what tells a row apart: its key, else all of it.
func (x *index) identify(t ir.TableRef, row map[string]*string) map[string]*string {
	if key := x.keyOf(t, row); len(key) > 0 {
		return key
	}
	return row
}

// word makes a label of a few words.
func word[S ~string](s S) string { return strings.ReplaceAll(strings.ToLower(string(s)), " ", "-") }
