package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// ordered: two clients who move rows of one group, or swap them; two who insert
// at the end; and two who know nothing of it and take one position.
func (m *model) ordered(i *ir.Ordered) {
	var moveTo, swap *ir.Operation
	for _, o := range m.made(&i.Base) {
		switch {
		case o.Kind == ir.ArrangeOp && strings.HasSuffix(o.Address, ".move_to"):
			moveTo = o
		case o.Kind == ir.ArrangeOp:
			swap = o
		}
	}
	insert := m.operation(i.Base.Table, ir.InsertOp)
	if moveTo == nil || swap == nil || insert == nil {
		return
	}
	q := positions{m.index, i, i.Base.Table}
	tables := []ir.TableRef{q.t}
	add := func(label, name string, least int, build func(s *site, set *fixture.Set, rows []fixture.Row) ([]actor, error), mutants ...mutant) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := q.group(ctx, s)
			if err != nil {
				return nil, err
			}
			actors, err := build(s, set, rows)
			if err != nil {
				return nil, err
			}
			sc := &scene{fixture: script(set, q.t, i.Groups), actors: actors, violators: violators(&i.Base)}
			sc.winners = &winners{least, 2}
			if label != "raw-raw" {
				sc.judge = unasked
			}
			return sc, nil
		}, mutants...)
	}
	move := func(row fixture.Row, to int) actor {
		args := argsOf(moveTo, row.Values)
		args[moveTo.Args[0].Name] = number(to)
		return calling(moveTo, args)
	}
	add("move-move", "two clients move rows of one group", 2, func(_ *site, _ *fixture.Set, rows []fixture.Row) ([]actor, error) {
		return []actor{move(rows[0], 2), move(rows[1], 3)}, nil
	}, q.ungrouped(moveTo), q.atOnce())
	add("move-swap", "a client moves a row that another one swaps", 2, func(_ *site, _ *fixture.Set, rows []fixture.Row) ([]actor, error) {
		args := argsOf(swap, rows[1].Values)
		for k, f := range swap.Args {
			args[f.Name] = rows[2].Values[swap.Key[k].Name]
		}
		return []actor{move(rows[0], 2), calling(swap, args)}, nil
	}, q.atOnce())
	end := func(s *site, set *fixture.Set, rows []fixture.Row, n int) (fixture.Row, error) {
		values := pick(rows[0].Values, i.Per)
		values[i.Column] = number(n)
		row, err := set.Propose(context.Background(), q.t, fixture.Want{Values: values, Where: q.initial(q.t), Vary: q.others()})
		delete(row.Values, i.Column)
		return row, err
	}
	for _, level := range levels {
		least, instead := 1, q.placed("lock-instead", "with a lock and max + 1 instead of an UPDATE of the group's row", "LOCK TABLE "+i.Groups.SQL()+" IN SHARE ROW EXCLUSIVE MODE")
		if level == ir.ReadCommitted {
			least, instead = 2, q.placed("max-instead", "with max + 1 instead of an UPDATE of the group's row", "")
		}
		add("insert-"+word(level), "two clients insert at the end, one of them in "+string(level), least, func(s *site, set *fixture.Set, rows []fixture.Row) ([]actor, error) {
			one, err := end(s, set, rows, 4)
			if err != nil {
				return nil, err
			}
			two, err := end(s, set, rows, 5)
			return []actor{calling(insert, argsOf(insert, one.Values)), callingIn(level, insert, argsOf(insert, two.Values))}, err
		}, append(only(mutantWithout(m.index, i.Base.Objects, "trigger"), ir.OnInsert), instead)...)
	}
	take := func(row fixture.Row) actor {
		return raw("raw UPDATE", "", q.updateSQL(q.t, q.identify(q.t, row.Values), map[string]*string{i.Column: number(9)}))
	}
	add("raw-raw", "two raw UPDATEs give two rows one position", 1, func(_ *site, _ *fixture.Set, rows []fixture.Row) ([]actor, error) {
		return []actor{take(rows[0]), take(rows[1])}, nil
	}, mutantWithout(m.index, i.Base.Objects, "unique")...)
}

// unasked demands that no client which gave no position was told that it is taken.
func unasked(j *judgement) []explore.Violation {
	if j.count(func(d deed) bool { return d.op != nil && d.outcome.Answer == client.Violation }) == 0 {
		return nil
	}
	return []explore.Violation{{Rule: "a client that gave no position was told that it is taken"}}
}

// positions are those of one order.
type positions struct {
	*index
	rule *ir.Ordered
	t    ir.TableRef
}

// others are the columns in which rows of one group must differ besides.
func (q positions) others() []string {
	return slices.DeleteFunc(q.uniqueColumns(q.t), func(name string) bool { return name == q.rule.Column || slices.Contains(q.rule.Per, name) })
}

// group is a group of three rows, in order.
func (q positions) group(ctx context.Context, s *site) (*fixture.Set, []fixture.Row, error) {
	set := s.maker.Set(s.conn)
	var rows []fixture.Row
	for n := range 3 {
		values := map[string]*string{}
		if n > 0 {
			values = pick(rows[0].Values, q.rule.Per)
		}
		values[q.rule.Column] = number(n + 1)
		row, err := set.Add(ctx, q.t, fixture.Want{Values: values, Vary: q.others()})
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
	values := pick(rows[0].Values, q.rule.Per)
	columns := q.tables[q.rule.Groups].Columns
	values[columns[len(columns)-1].Name] = number(1)
	_, err := set.Add(ctx, q.rule.Groups, fixture.Want{Values: values})
	return set, rows, err
}

// ungrouped is a move that does not take its group first.
func (q positions) ungrouped(op *ir.Operation) mutant {
	return mutant{
		id: "without-group", name: "without taking the group first", statements: []replacement{{op.Address, ir.GroupStatement, ""}},
		diff: []string{"-" + op.Statement(ir.GroupStatement).SQL},
	}
}

// atOnce checks the key row by row.
func (q positions) atOnce() mutant {
	for _, u := range q.tables[q.t].Uniques {
		for _, id := range q.rule.Base.Objects {
			if id.Kind != ir.ConstraintObject || id.Name != u.Name {
				continue
			}
			strict := u
			strict.Deferrable = false
			return mutant{
				id: "at-once", name: "with a unique constraint that is checked row by row",
				drop:    []ir.Change{ir.DropConstraint{Table: q.t, Constraint: u}, ir.AddConstraint{Table: q.t, Constraint: strict}},
				restore: []ir.Change{ir.DropConstraint{Table: q.t, Constraint: strict}, ir.AddConstraint{Table: q.t, Constraint: u}},
				diff:    []string{"-DEFERRABLE"},
			}
		}
	}
	return mutant{}
}

// placed puts a row at the end that is seen, behind a lock or none.
func (q positions) placed(id, name, lock string) mutant {
	i := slices.IndexFunc(q.program.Schema.Functions, func(f ir.Function) bool {
		return slices.ContainsFunc(q.rule.Base.Objects, func(o ir.ObjectID) bool {
			return o.Kind == ir.FunctionObject && o.Schema == f.Schema && o.Name == f.Name
		})
	})
	right := q.program.Schema.Functions[i]
	broken := right
	from, to := strings.Index(right.Body, "  INSERT INTO"), strings.Index(right.Body, "  NEW.")
	if lock != "" {
		lock = "  " + lock + ";\n"
	}
	broken.Body = right.Body[:from] + lock + right.Body[to:]
	return mutant{
		id: id, name: name,
		drop:    []ir.Change{ir.ReplaceFunction{Function: broken, Exists: true}},
		restore: []ir.Change{ir.ReplaceFunction{Function: right, Exists: true}},
		diff:    []string{"-" + strings.TrimSpace(right.Body[from:to]), "+" + strings.TrimSpace(lock)},
	}
}
