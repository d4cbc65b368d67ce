package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// upsert: two messages about one key, which differ or are the same, and a row that
// goes while it is looked for; batches; and another key that is taken.
func (m *model) upsert(i *ir.Upsert) {
	u := upserting{m.index, i, nil, i.Base.Table}
	for _, o := range m.made(&i.Base) {
		if o.Kind == ir.UpsertOp {
			u.op = o
		}
	}
	if u.op == nil {
		return // a plain insert, which its key's own checks are about
	}
	tables, name := []ir.TableRef{u.t}, u.op.Name
	without := mutantWithout(m.index, i.Base.Objects, "unique")
	m.add(name+"-"+name, "two clients "+name+" one key with different values", tables, func(ctx context.Context, s *site) (*scene, error) {
		set, one, two, err := u.messages(ctx, s)
		if err != nil {
			return nil, err
		}
		sc := u.scene(set, calling(u.op, argsOf(u.op, one)), calling(u.op, argsOf(u.op, two)))
		sc.winners = &winners{1, 2}
		if i.Mode == "ignore" {
			sc.winners.most = 1
		}
		sc.judge = func(j *judgement) []explore.Violation {
			return append(u.oneInserted(j), u.newestStands(j, one, two)...)
		}
		return sc, nil
	}, slices.Concat(without, u.withoutVersion(), u.withoutSets())...)
	m.add(name+"-same", "two clients "+name+" one key with the same values", tables, func(ctx context.Context, s *site) (*scene, error) {
		set, one, _, err := u.messages(ctx, s)
		if err != nil {
			return nil, err
		}
		sc := u.scene(set, calling(u.op, argsOf(u.op, one)), calling(u.op, argsOf(u.op, one)))
		sc.winners, sc.judge = &winners{1, 1}, u.oneInserted
		return sc, nil
	}, slices.Concat(without, u.withoutCondition())...)
	m.add(name+"-delete", "a raw DELETE takes the row that a client will "+name, tables, func(ctx context.Context, s *site) (*scene, error) {
		set := s.maker.Set(s.conn)
		row, err := set.Add(ctx, u.t, fixture.Want{Where: u.covered()})
		if err != nil {
			return nil, err
		}
		remove := raw("raw DELETE", "", u.deleteSQL(u.t, u.identify(u.t, row.Values)))
		sc := u.scene(set, calling(u.op, argsOf(u.op, row.Values)), remove)
		sc.judge = u.answered
		return sc, nil
	}, withoutRowCount(u.op), u.withoutLoop())
	m.upsertBatches(u)
	m.upsertOtherKeys(u)
}

// upserting is one upsert and its operation.
type upserting struct {
	*index
	rule *ir.Upsert
	op   *ir.Operation
	t    ir.TableRef
}

// keyColumns are those that the arbiter's parts name.
func (u upserting) keyColumns() []string {
	return duplicate{u.index, &ir.NoDuplicates{Parts: u.rule.Key}, u.t}.columns()
}

// covered is the condition under which a row is one that the key covers, with
// values where two messages have to differ.
func (u upserting) covered() string {
	conditions := []string{orTrue(u.initial(u.t)), orTrue(u.rule.Where)}
	for _, p := range u.rule.Key {
		conditions = append(conditions, partSQL(p)+" IS NOT NULL")
	}
	for _, name := range u.rule.Written() {
		conditions = append(conditions, ir.Ident(name)+" IS NOT NULL")
	}
	return all(conditions...)
}

// messages are two rows with one key that differ in what is overwritten.
func (u upserting) messages(ctx context.Context, s *site) (set *fixture.Set, one, two map[string]*string, err error) {
	set = s.maker.Set(s.conn)
	first, err := set.Propose(ctx, u.t, fixture.Want{Where: u.covered()})
	if err != nil {
		return nil, nil, nil, err
	}
	key := u.keyColumns()
	vary := slices.DeleteFunc(u.rule.Written(), func(name string) bool {
		t := u.column(u.t, name).Type
		return slices.Contains(key, name) || t.Kind == ir.EnumType || t.Base().Name == "bool"
	})
	second, err := set.Propose(ctx, u.t, fixture.Want{
		Where: u.covered(), Values: pick(first.Values, key), Vary: append(vary, u.otherUniques(u.t, key)...),
	})
	return set, first.Values, second.Values, err
}

func (u upserting) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{fixture: script(set, u.t), actors: actors, violators: violators(&u.rule.Base)}
}

// oneInserted demands that of all calls with one key one was told that it
// inserted the row.
func (u upserting) oneInserted(j *judgement) []explore.Violation {
	n := j.count(func(d deed) bool { return d.op == u.op && d.outcome.About == string(ir.VerdictInserted) })
	if n == 1 || len(undeclared(j.run)) > 0 {
		return nil
	}
	return []explore.Violation{{Rule: fmt.Sprintf("%d of the clients were told that they inserted the row, and one did", n)}}
}

// newestStands demands that no version was overwritten by an older one.
func (u upserting) newestStands(j *judgement, messages ...map[string]*string) []explore.Violation {
	if u.rule.Version == "" {
		return nil
	}
	typ := u.column(u.t, u.rule.Version).Type
	given := make([]string, len(messages))
	for i, m := range messages {
		given[i] = literal(m[u.rule.Version], typ)
	}
	return j.bad(rule{
		"an older version stands although a newer one was sent",
		"SELECT * FROM " + u.t.SQL() + " WHERE " + ir.Ident(u.rule.Version) + " < greatest(" + strings.Join(given, ", ") + ")",
	})
}

// answered demands that a call which is told that its row is there gets it.
func (u upserting) answered(j *judgement) []explore.Violation {
	n := j.count(func(d deed) bool { return d.op == u.op && d.code == "" && len(d.outcome.Rows) != 1 })
	if n == 0 {
		return nil
	}
	return []explore.Violation{{Rule: "a client was told that the row is there, and got none"}}
}

// withoutVersion lets every message overwrite the row.
func (u upserting) withoutVersion() []mutant {
	if u.rule.Version == "" {
		return nil
	}
	return u.withoutCondition()
}

// withoutCondition overwrites whatever is there.
func (u upserting) withoutCondition() []mutant {
	if u.rule.Mode == "ignore" {
		return nil
	}
	return rewriting(u.op, ir.MainStatement, (*pgsql.Statement).WithoutConjuncts, func(n int, e pgsql.Edit) (string, string, []string) {
		if !strings.Contains(e.Removed, "excluded.") {
			return "", "", nil // which rows are taken, not which are overwritten
		}
		return fmt.Sprintf("without-condition-%d", n), "without the condition " + e.Removed, nil
	})
}

// withoutSets leave out a column that was to be overwritten. Two messages are the
// same in what has few values, and nothing would show there.
func (u upserting) withoutSets() []mutant {
	key := u.keyColumns()
	return rewriting(u.op, ir.MainStatement, (*pgsql.Statement).WithoutAssignments, func(n int, e pgsql.Edit) (string, string, []string) {
		for _, name := range e.Columns {
			t := u.column(u.t, name).Type
			if slices.Contains(key, name) || t.Kind == ir.EnumType || t.Base().Name == "bool" {
				return "", "", nil
			}
		}
		return fmt.Sprintf("without-set-%d", n), "without " + e.Removed, nil
	})
}

// withoutLoop takes a row that has gone for one that is there.
func (u upserting) withoutLoop() mutant {
	return mutant{
		id: "without-loop", name: "without trying again when the row has gone", without: client.Without{Again: true},
		diff: []string{" /* " + u.op.Address + " */", "-if the row has gone, insert again", "+take it for unchanged"},
	}
}

// upserted is what an upsert may do to a row: insert the one that was given, or
// give the one that has its key the columns that are declared, and a version only
// upwards.
func (x *index) upserted(d deed) string {
	u, ok := x.upsertOf(d.op)
	if !ok {
		return "false"
	}
	written := []string{"c.op = 'UPDATE'", x.unchangedBut(d.table, u.Written())}
	for _, name := range u.Written() {
		if v := d.args[name]; v != nil {
			written = append(written, same("n."+ir.Ident(name), literal(v, x.column(d.table, name).Type)))
		}
	}
	for _, p := range u.Key {
		if v := d.args[p.Column]; v != nil {
			written = append(written, same("o."+ir.Ident(p.Column), literal(v, x.column(d.table, p.Column).Type)))
		}
	}
	if u.Version != "" {
		written = append(written, "o."+ir.Ident(u.Version)+" < n."+ir.Ident(u.Version))
	}
	return strings.Join([]string{"(" + all("c.op = 'INSERT'", x.given(d)) + ")", "(" + all(written...) + ")"}, " OR ")
}

// upsertOf is the declaration that made an upsert's operation.
func (x *index) upsertOf(op *ir.Operation) (*ir.Upsert, bool) {
	for _, i := range x.program.Invariants {
		if u, ok := i.(*ir.Upsert); ok && slices.Contains(u.Base.Operations, op.Address) {
			return u, true
		}
	}
	return nil, false
}
