package verify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/fixture"
)

// repository: what every table has. Its foreign keys against a parent that is
// deleted, its checks and its key against clients that know nothing of pawl, and
// transactions that lock its rows in different orders.
func (m *model) repository(r *ir.Repository) {
	t := ir.TableRef{Schema: r.Schema, Name: r.Table}
	if r.Queue != nil || m.tables[t] == nil {
		return
	}
	m.subjects = append(m.subjects, &subject{report: Subject{
		Address: r.Address, Kind: "table", Pos: r.Pos,
		Promise:   "References lead to rows, checks hold, keys name one row, and transactions that lock rows do not fail because of each other.",
		Mechanism: "foreign keys, checks, the primary key; rows locked in key order, deadlocks retried",
	}})
	for _, k := range m.tables[t].ForeignKeys {
		m.reference(t, k)
	}
	m.checksOf(t)
	m.ownKey(t)
	m.lockOrder(t)
}

// reference: a row comes in while its parent goes.
func (m *model) reference(t ir.TableRef, k ir.ForeignKey) {
	parent := ir.TableRef{Schema: k.RefSchema, Name: k.RefTable}
	insert := m.operation(t, ir.InsertOp)
	if insert == nil || m.tables[parent] == nil || parent == t {
		return
	}
	build := func(second func(x *index, row fixture.Row) actor) func(context.Context, *site) (*scene, error) {
		return func(ctx context.Context, s *site) (*scene, error) {
			set := s.maker.Set(s.conn)
			above, err := set.Add(ctx, parent, fixture.Want{})
			if err != nil {
				return nil, err
			}
			link := map[string]*string{}
			for i, c := range k.Columns {
				link[c] = above.Values[k.RefColumns[i]]
			}
			below, err := set.Propose(ctx, t, fixture.Want{Values: link, Where: m.initial(t)})
			if err != nil {
				return nil, err
			}
			return &scene{
				fixture: script(set, t), actors: []actor{calling(insert, argsOf(insert, below.Values)), second(s.index, above)},
				violators: []rule{{"a row refers to a parent that is not there", orphans(t, k)}},
			}, nil
		}
	}
	without := m.withoutReference(t, k)
	if remove := m.operation(parent, ir.DeleteOp); remove != nil {
		m.add("insert-"+k.Name+"-delete", "a row comes in while the row of "+parent.Name+" it refers to is deleted", []ir.TableRef{t, parent},
			build(func(_ *index, row fixture.Row) actor { return calling(remove, argsOf(remove, row.Values)) }), without)
	}
	m.add("insert-"+k.Name+"-raw-delete", "a row comes in while a raw DELETE in repeatable read takes the row of "+parent.Name+" it refers to", []ir.TableRef{t, parent},
		build(func(x *index, row fixture.Row) actor {
			return raw("raw DELETE", ir.RepeatableRead, x.deleteSQL(parent, x.identify(parent, row.Values)))
		}), without)
}

// withoutReference drops a foreign key. Another one to the same table may keep
// the same rows.
func (m *model) withoutReference(t ir.TableRef, k ir.ForeignKey) mutant {
	without := m.withoutConstraint(m.tables[t], k)
	every := without
	for _, other := range m.tables[t].ForeignKeys {
		if other.Name != k.Name && other.RefSchema == k.RefSchema && other.RefTable == k.RefTable {
			every = every.and(m.withoutConstraint(m.tables[t], other))
		}
	}
	if every.id != without.id {
		without.backup = &every
	}
	return without
}

// orphans selects rows whose parent is missing.
func orphans(t ir.TableRef, k ir.ForeignKey) string {
	var match, present []string
	for i, c := range k.Columns {
		match = append(match, "p."+ir.Ident(k.RefColumns[i])+" = c."+ir.Ident(c))
		present = append(present, "c."+ir.Ident(c)+" IS NOT NULL")
	}
	return "SELECT c.* FROM " + t.SQL() + " AS c WHERE " + strings.Join(present, " AND ") +
		" AND NOT EXISTS (SELECT 1 FROM " + ir.Qualified(k.RefSchema, k.RefTable) + " AS p WHERE " + strings.Join(match, " AND ") + ")"
}

// checksOf: each check against a raw INSERT of a row that breaks it.
func (m *model) checksOf(t ir.TableRef) {
	for _, c := range m.tables[t].Checks {
		if m.repositories[t] != nil && !ownedByRule(m.program, t, c.Name) {
			m.breaking(t, c, "raw-"+c.Name, "a raw INSERT and a COPY bring a row that breaks the check "+c.Name)
		}
	}
}

// breaking brings a row that breaks a check. No server takes such a row while the
// check is there, so it is made up without it; and where others refuse the same,
// without those.
func (m *model) breaking(t ir.TableRef, c ir.Check, label, name string) {
	table := m.tables[t]
	without := m.withoutConstraint(table, c)
	every := without
	for _, other := range table.Checks {
		if other.Name != c.Name {
			every = every.and(m.withoutConstraint(table, other))
		}
	}
	alone := every
	for _, g := range table.Triggers {
		if !g.Before {
			every = every.and(withoutTrigger(table, g))
		}
	}
	every.id, every.name = "without-checks-and-triggers", "without any check and trigger"
	without.backup = &every
	check := m.add(label, name, []ir.TableRef{t}, func(ctx context.Context, s *site) (*scene, error) {
		broken := "(" + c.Expr + ") IS FALSE"
		set := s.maker.Set(s.conn)
		row, err := s.proposeWithout(ctx, set, t, &without, all(broken, orTrue(m.initial(t))))
		for _, fallback := range []string{orTrue(m.initial(t)), "true"} {
			if errors.As(err, new(*fixture.NotFoundError)) {
				row, err = s.proposeWithout(ctx, set, t, &alone, all(broken, fallback))
			}
		}
		if err != nil {
			return nil, err
		}
		return &scene{
			fixture: script(set, t),
			actors: []actor{
				raw("raw INSERT", ir.Serializable, s.insertSQL(t, row.Values)),
				s.loading(t, row.Values),
			},
			violators: []rule{{"a row breaks the check " + c.Name + ": " + c.Expr, "SELECT * FROM " + t.SQL() + " WHERE " + broken}},
		}, nil
	}, without)
	check.breaks = true
}

// loading is a COPY of a row.
func (x *index) loading(t ir.TableRef, row map[string]*string) actor {
	return copying(t, x.insertColumns(t, row), row)
}

// proposeWithout makes up a row while objects are gone.
func (s *site) proposeWithout(ctx context.Context, set *fixture.Set, t ir.TableRef, m *mutant, where string) (fixture.Row, error) {
	if err := s.change(ctx, m.drop); err != nil {
		return fixture.Row{}, err
	}
	row, err := set.Propose(ctx, t, fixture.Want{Where: where})
	return row, cmp.Or(s.change(context.WithoutCancel(ctx), m.restore), err)
}

func orTrue(condition string) string { return cmp.Or(condition, "true") }

// ownedByRule reports a check that a no_overlap or a limit has asked for, and
// looks at itself. No insert can break that of a limit, whose column it does not
// name.
func ownedByRule(p *ir.Program, t ir.TableRef, name string) bool {
	for _, i := range p.Invariants {
		switch i.(type) {
		case *ir.NoOverlap, *ir.Limit:
		default:
			continue
		}
		for _, id := range i.Facts().Objects {
			if id.Kind == ir.ConstraintObject && id.Schema == t.Schema && id.Table == t.Name && id.Name == name {
				return true
			}
		}
	}
	return false
}

// ownKey: two rows with one key that their clients choose.
func (m *model) ownKey(t ir.TableRef) {
	pk, insert := m.tables[t].PrimaryKey, m.operation(t, ir.InsertOp)
	if pk == nil || insert == nil || len(m.children(t)) > 0 {
		return
	}
	for _, c := range pk.Columns {
		if !slices.ContainsFunc(insert.Args, func(f ir.Field) bool { return f.Name == c && !f.Optional }) {
			return
		}
	}
	key := ir.Idents(pk.Columns)
	m.add("insert-insert-key", "two clients insert one key", []ir.TableRef{t}, func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		one, err := set.Propose(ctx, t, fixture.Want{Where: m.initial(t)})
		if err != nil {
			return nil, err
		}
		two, err := set.Propose(ctx, t, fixture.Want{Where: m.initial(t), Values: pick(one.Values, pk.Columns), Vary: m.otherUniques(t, pk.Columns)})
		if err != nil {
			return nil, err
		}
		return &scene{
			fixture: script(set, t), actors: []actor{calling(insert, argsOf(insert, one.Values)), calling(insert, argsOf(insert, two.Values))},
			violators: []rule{{"two rows have one key", "SELECT " + key + ", count(*) AS rows FROM " + t.SQL() + " GROUP BY " + key + " HAVING count(*) > 1"}},
		}, nil
	}, m.withoutConstraint(m.tables[t], *pk))
}

// otherUniques are the columns by which other rules tell rows apart.
func (x *index) otherUniques(t ir.TableRef, own []string) []string {
	return slices.DeleteFunc(x.uniqueColumns(t), func(name string) bool { return slices.Contains(own, name) })
}

// lockOrder: transactions that lock two rows. Taken one by one in opposite order
// they deadlock, and are retried; taken by one call they stand in line.
func (m *model) lockOrder(t ir.TableRef) {
	single, many := m.operation(t, ir.GetLockedOp), m.operation(t, ir.GetManyOp)
	if single != nil {
		retry := mutant{
			id: "without-retry", name: "without retry", without: client.Without{Retry: true},
			diff: []string{" transaction " + single.Transaction, "-retry on 40001, 40P01", "+give the error to the caller"},
		}
		c := m.add("lock-opposite", "two transactions lock two rows one by one, in opposite order", []ir.TableRef{t},
			func(ctx context.Context, s *site) (*scene, error) {
				set, rows, err := s.two(ctx, t)
				if err != nil {
					return nil, err
				}
				one, two := argsOf(single, rows[0].Values), argsOf(single, rows[1].Values)
				inside := &occupancy{}
				return &scene{
					fixture: script(set, t), judge: inside.judge("two transactions had the same rows locked at the same time"),
					actors: []actor{s.locking(single, inside, one, two), s.locking(single, inside, two, one)},
				}, nil
			}, append(withoutRowLocks(single, ir.MainStatement, withoutLock), retry)...)
		c.whole = true
	}
	if many != nil && len(many.Key) == 1 {
		m.lockTogether(t, many)
	}
}

// two are two rows of a table, in key order.
func (s *site) two(ctx context.Context, t ir.TableRef) (*fixture.Set, [2]fixture.Row, error) {
	set := s.maker.Set(s.conn)
	var rows [2]fixture.Row
	for i := range rows {
		var err error
		if rows[i], err = set.Add(ctx, t, fixture.Want{Vary: s.key(t)}); err != nil {
			return nil, rows, err
		}
	}
	return set, rows, nil
}

// lockTogether has two calls that lock the same two rows while a third client
// holds one of them, so that both wait half-way if they ever do.
func (m *model) lockTogether(t ir.TableRef, many *ir.Operation) {
	key := many.Key[0].Name
	args := func(a, b fixture.Row) map[string]*string {
		return map[string]*string{key: ptr(array(*a.Values[key], *b.Values[key]))}
	}
	c := m.add("lock-many", "two transactions lock two rows by one call each, named in opposite order, while a third holds one", []ir.TableRef{t},
		func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := s.two(ctx, t)
			if err != nil {
				return nil, err
			}
			inside := &occupancy{}
			hold := holding("SELECT 1 FROM " + t.SQL() + " WHERE " + s.match(t, s.keyOf(t, rows[0].Values)) + " FOR UPDATE")
			first := s.locking(many, inside, args(rows[0], rows[1]))
			second := s.locking(many, inside, args(rows[1], rows[0]))
			second.class = ""
			return &scene{
				fixture: script(set, t), judge: inside.judge("two transactions had the same rows locked at the same time"),
				actors: []actor{hold, first, second},
			}, nil
		}, append(withoutRowLocks(many, ir.MainStatement, withoutLock), m.reversed(many)...)...)
	c.whole = true
}

// reversed is the statement of one of two clients with its order turned round,
// and without retry, which would hide what happens then.
func (m *model) reversed(many *ir.Operation) []mutant { return m.reversedRole(many, ir.MainStatement) }

func (m *model) reversedRole(many *ir.Operation, role ir.Role) []mutant {
	list := rewriting(many, role, (*pgsql.Statement).ReversedOrder, func(_ int, e pgsql.Edit) (string, string, []string) {
		return "reversed-order", "with the rows locked in reverse order by one of the clients, without retry", []string{e.Removed + " DESC"}
	})
	for i := range list {
		list[i].rewrites, list[i].statements = map[int][]replacement{2: list[i].statements}, nil
		list[i].without.Retry = true
	}
	return list
}

// array spells two values as one array.
func array(values ...string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// holding is a client that keeps a row locked for a while.
func holding(sql string) actor {
	return actor{name: "raw SELECT FOR UPDATE", class: "hold" + sql, run: func(ctx context.Context, conn session, _ *variant) (any, error) {
		_, err := inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		})
		return deeds{}, err
	}}
}

// locking is a transaction that makes a locking call for each of several
// arguments, and is retried as its limits say.
func (s *site) locking(op *ir.Operation, inside *occupancy, calls ...map[string]*string) actor {
	limits := s.transaction(op.Transaction)
	class := op.Address
	for _, args := range calls {
		class += spell(args)
	}
	return actor{name: op.Name, class: class, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		return v.retried(limits, func() error {
			_, err := inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
				for _, args := range calls {
					if _, err := v.do(ctx, tx, client.Call{Operation: op, Args: args}); err != nil {
						return err
					}
				}
				return inside.stay(func() error {
					_, err := tx.Exec(ctx, "/* with the rows locked */ SELECT 1")
					return err
				})
			})
			return err
		})
	}}
}

// retried runs a transaction again when the server asks for it, as often as its
// limits say.
func (v *variant) retried(limits ir.Transaction, attempt func() error) (deeds, error) {
	for n := 1; ; n++ {
		err := attempt()
		var answer *pgconn.PgError
		if err == nil || v.without.Retry || n >= limits.Retry.Attempts ||
			!errors.As(err, &answer) || !slices.Contains(limits.Retry.On, answer.Code) {
			return deeds{}, err
		}
	}
}
