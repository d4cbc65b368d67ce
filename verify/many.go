package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/fixture"
)

// manyRows is a batch of moves or adjusts, and how two rows for it are made.
type manyRows struct {
	*index
	op   *ir.Operation
	t    ir.TableRef
	base *ir.Facts
	// rows makes two rows that may both be changed, and the arguments beside the
	// key. Once says that the first may be changed once.
	rows func(ctx context.Context, s *site) (set *fixture.Set, rows [2]fixture.Row, args map[string]*string, once bool, err error)
}

// together: two batches with the same rows in another order, and one with a row
// that is not there.
func (m *model) together(b manyRows) {
	one := strings.TrimSuffix(b.op.Name, "_many")
	c := m.add(b.op.Name, "two clients "+one+" the same two rows, named in opposite order, while a third holds one", []ir.TableRef{b.t},
		func(ctx context.Context, s *site) (*scene, error) {
			set, rows, args, once, err := b.rows(ctx, s)
			if err != nil {
				return nil, err
			}
			first := calling(b.op, b.args(args, rows[0].Values, rows[1].Values))
			second := calling(b.op, b.args(args, rows[1].Values, rows[0].Values))
			first.most, second.most, second.class = 2, 2, ""
			sc := &scene{
				fixture: script(set, b.t), violators: violators(b.base),
				actors: []actor{holding("SELECT 1 FROM " + b.t.SQL() + " WHERE " + b.match(b.t, b.keyOf(b.t, rows[0].Values)) + " FOR UPDATE"), first, second},
			}
			sc.winners = &winners{1, 2}
			if once {
				sc.winners.most = 1
			}
			return sc, nil
		}, b.orders(m)...)
	c.whole = true
	m.add(b.op.Name+"-one", "a client "+one+" a row in a batch while another one does it by itself", []ir.TableRef{b.t},
		func(ctx context.Context, s *site) (*scene, error) {
			set, rows, args, once, err := b.rows(ctx, s)
			if err != nil {
				return nil, err
			}
			many := calling(b.op, b.args(args, rows[1].Values, rows[0].Values))
			many.most = 2
			alone := b.operations[strings.TrimSuffix(b.op.Address, ".many")]
			with := pick(rows[0].Values, b.key(b.t))
			for name, v := range args {
				with[name] = v
			}
			sc := &scene{
				fixture: script(set, b.t), violators: violators(b.base),
				actors: []actor{many, calling(alone, with)}, unbounded: !once,
			}
			return sc, nil
		}, bounded(withoutRowLocks(b.op, ir.MainStatement, withoutLock))...)
	m.add(b.op.Name+"-missing", "a client "+one+" two rows, one of which a raw DELETE takes", []ir.TableRef{b.t},
		func(ctx context.Context, s *site) (*scene, error) {
			set, rows, args, _, err := b.rows(ctx, s)
			if err != nil {
				return nil, err
			}
			many := calling(b.op, b.args(args, rows[0].Values, rows[1].Values))
			many.most = 2
			return &scene{
				fixture: script(set, b.t), violators: violators(b.base),
				actors: []actor{many, raw("raw DELETE", "", b.deleteSQL(b.t, b.identify(b.t, rows[1].Values)))},
			}, nil
		}, b.withoutFine()...)
}

// orders are the batch with its order turned round. Who does not wait is in nobody's
// way, so there the lock itself is taken away.
func (b manyRows) orders(m *model) []mutant {
	if b.op.NoWait {
		return bounded(withoutRowLocks(b.op, ir.MainStatement, withoutLock))
	}
	return m.reversed(b.op)
}

// args are the arguments of a batch: arrays of the keys, and of the same further
// arguments for each.
func (b manyRows) args(further map[string]*string, rows ...map[string]*string) map[string]*string {
	key, args := b.key(b.t), map[string]*string{}
	for _, f := range b.op.Each {
		list := make([]*string, len(rows))
		for i, row := range rows {
			list[i] = further[f.Name]
			if slices.Contains(key, f.Name) {
				list[i] = row[f.Name]
			}
		}
		args[f.Name] = ptr(arrayOrNull(list))
	}
	return args
}

// editMany: two edits of the same two rows, named in opposite order, while a third
// client holds one of them.
func (m *model) editMany(e editing) {
	b := manyRows{index: m.index, op: e.op, t: e.t}
	build := func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		var rows, to [2]fixture.Row
		for i := range rows {
			var err error
			if rows[i], err = set.Add(ctx, e.t, fixture.Want{Where: e.filled(), Vary: e.key(e.t)}); err != nil {
				return nil, err
			}
		}
		for i := range to {
			var err error
			if to[i], err = set.Propose(ctx, e.t, fixture.Want{Where: e.filled(), Vary: e.many()}); err != nil {
				return nil, err
			}
		}
		edit := func(to fixture.Row, args map[string]*string) actor {
			return actor{name: e.op.Name, kind: e.op.Kind, most: 2, run: func(ctx context.Context, conn session, v *variant) (any, error) {
				return v.do(ctx, conn, client.Call{Operation: e.op, Args: args, Decide: func(map[string]*string) map[string]*string {
					return pick(to.Values, e.op.Columns)
				}})
			}}
		}
		hold := holding("SELECT 1 FROM " + e.t.SQL() + " WHERE " + e.match(e.t, e.keyOf(e.t, rows[0].Values)) + " FOR UPDATE")
		first := edit(to[0], b.args(nil, rows[0].Values, rows[1].Values))
		second := edit(to[1], b.args(nil, rows[1].Values, rows[0].Values))
		first.class, second.class = "first", "second"
		return e.scene(set, hold, first, second), nil
	}
	name := "two clients " + e.op.Name + " the same two rows, named in opposite order, while a third holds one"
	mutants := append(e.locks(), e.splitTransaction())
	if !e.op.NoWait { // who does not wait is in nobody's way
		mutants = append(mutants, m.reversedRole(e.op, ir.LockStatement)...)
	}
	c := m.add(e.op.Name+"-"+e.op.Name, name, []ir.TableRef{e.t}, build, mutants...)
	c.whole = true
}

// keyAmong says that a changed row is one of those that the call named.
func (x *index) keyAmong(d deed) string {
	list := []string{"false"}
	for _, key := range d.each() {
		var conditions []string
		for _, f := range d.op.Each {
			conditions = append(conditions, same("o."+ir.Ident(f.Name), literal(key[f.Name], f.Type)))
		}
		list = append(list, "("+all(conditions...)+")")
	}
	return strings.Join(list, " OR ")
}

// each are the arguments of a batch, row by row.
func (d deed) each() []map[string]*string { return columnsApart(d.op.Each, d.args) }

// columnsApart takes arrays of values, one a column, apart into rows.
func columnsApart(fields []ir.Field, args map[string]*string) []map[string]*string {
	var rows []map[string]*string
	for _, f := range fields {
		v := args[f.Name]
		if v == nil {
			continue
		}
		for i, value := range elements(*v) {
			if i == len(rows) {
				rows = append(rows, map[string]*string{})
			}
			rows[i][f.Name] = value
		}
	}
	return rows
}

// arrayOrNull spells values as one array.
func arrayOrNull(values []*string) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = "NULL"
		if v != nil {
			list[i] = strings.Trim(array(*v), "{}")
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// withoutFine writes the rows of a batch that may be written, whatever the others
// are.
func (b manyRows) withoutFine() []mutant {
	return rewriting(b.op, ir.MainStatement, (*pgsql.Statement).WithoutConjuncts, func(_ int, e pgsql.Edit) (string, string, []string) {
		if !strings.HasPrefix(e.Removed, "sent.fine") {
			return "", "", nil
		}
		return "without-all", "without asking whether every row of the batch may be written", nil
	})
}

// manyOf is the batch of an invariant's operation; nil when there is none.
func (x *index) manyOf(f *ir.Facts, one *ir.Operation) *ir.Operation {
	for _, o := range x.made(f) {
		if o.Address == one.Address+".many" {
			return o
		}
	}
	return nil
}

// declaredOfEach is what a batch may do: to each of its rows what the operation
// for one may.
func (x *index) declaredOfEach(d deed) string {
	single := x.operations[strings.TrimSuffix(d.op.Address, ".many")]
	if single == nil {
		return "false"
	}
	list := []string{"false"}
	for _, args := range d.each() {
		list = append(list, "("+x.declared(deed{op: single, table: d.table, args: args})+")")
	}
	return strings.Join(list, " OR ")
}

// elements are the values of an array that arrayOrNull has spelled.
func elements(text string) []*string {
	var list []*string
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	for text != "" {
		if rest, null := strings.CutPrefix(text, "NULL"); null {
			list, text = append(list, nil), strings.TrimPrefix(rest, ",")
			continue
		}
		var value strings.Builder
		i := 1
		for ; i < len(text) && text[i] != '"'; i++ {
			if text[i] == '\\' {
				i++
			}
			value.WriteByte(text[i])
		}
		list, text = append(list, ptr(value.String())), strings.TrimPrefix(text[min(i+1, len(text)):], ",")
	}
	return list
}
