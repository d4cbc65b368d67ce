package verify

import (
	"context"
	"maps"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// atMostOne: what is asked of any unique key; and, where a method picks the row,
// two clients who pick different ones, one beside a client that knows nothing of
// the method, and one whose row goes meanwhile.
func (m *model) atMostOne(i *ir.AtMostOne) {
	rule := &ir.NoDuplicates{Base: i.Base, Where: i.Where}
	for _, name := range i.Per {
		rule.Parts = append(rule.Parts, ir.IndexPart{Column: name})
	}
	m.duplicates(rule)
	var op *ir.Operation
	for _, o := range m.made(&i.Base) {
		if o.Kind == ir.ArrangeOp {
			op = o
		}
	}
	if op == nil {
		return
	}
	p := picking{duplicate{m.index, rule, i.Base.Table}, i, op}
	tables := []ir.TableRef{p.t}
	without := mutantWithout(m.index, i.Base.Objects, "unique")
	add := func(label, name string, picked bool, build func(set *fixture.Set, rows []fixture.Row) *scene, mutants ...mutant) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := p.group(ctx, s, picked)
			if err != nil {
				return nil, err
			}
			return build(set, rows), nil
		}, mutants...)
	}
	add("set-set-first", "two clients pick different rows of a group where none is picked", false, func(set *fixture.Set, rows []fixture.Row) *scene {
		sc := p.scene(set, p.pick(rows[0]), p.pick(rows[1]))
		sc.winners = &winners{2, 2}
		return sc
	}, p.leavingOut(ir.GroupStatement), p.leavingOut(ir.ClearStatement))
	add("set-set", "two clients pick different rows of a group", true, func(set *fixture.Set, rows []fixture.Row) *scene {
		sc := p.scene(set, p.pick(rows[0]), p.pick(rows[1]))
		sc.winners = &winners{2, 2}
		return sc
	}, p.leavingOut(ir.ClearStatement))
	add("set-raw", "a raw UPDATE picks another row of the group", false, func(set *fixture.Set, rows []fixture.Row) *scene {
		return p.scene(set, p.pick(rows[0]), raw("raw UPDATE", "", "UPDATE "+p.t.SQL()+" SET "+ir.Ident(i.Column)+" = "+i.On+
			" WHERE "+p.match(p.t, p.identify(p.t, rows[1].Values))))
	}, without...)
	add("set-delete", "a raw DELETE takes the row that a client picks", true, func(set *fixture.Set, rows []fixture.Row) *scene {
		sc := p.scene(set, p.pick(rows[0]), raw("raw DELETE", "", p.deleteSQL(p.t, p.identify(p.t, rows[0].Values))))
		sc.judge = p.keptOld
		return sc
	}, p.withoutRowsLocked())
}

// withoutRowsLocked is the method that does not hold its row. Where a lower bound
// asks at COMMIT whether a row is picked, it refuses what comes of that.
func (p picking) withoutRowsLocked() mutant {
	m := p.leavingOut(ir.LockStatement)
	for _, i := range p.program.Invariants {
		if l, ok := i.(*ir.AtLeastOne); ok && l.Base.Table == p.t && p.needed(p.t, p.single.Per) {
			free := alsoWithout(m, mutantWithout(p.index, l.Base.Objects, "trigger"))
			m.backup = &free
		}
	}
	return m
}

// picking is one rule with a method that picks the row of a group.
type picking struct {
	duplicate
	single *ir.AtMostOne
	op     *ir.Operation
}

// group is a group of three rows: two that are not picked, and a third that is,
// or is not.
func (p picking) group(ctx context.Context, s *site, picked bool) (*fixture.Set, []fixture.Row, error) {
	set := s.maker.Set(s.conn)
	var rows []fixture.Row
	var link map[string]*string
	for n := range 3 {
		want := fixture.Want{Values: maps.Clone(link), Where: all(p.filled(), not(p.rule.Where)), Vary: p.otherUniques(p.t, p.columns())}
		if n == 2 && picked {
			want.Where = p.counted()
		}
		row, err := set.Add(ctx, p.t, want)
		if err != nil {
			return nil, nil, err
		}
		link = pick(row.Values, p.columns())
		rows = append(rows, row)
	}
	return set, rows, nil
}

// filled is the condition that a row belongs to a group, and may be picked.
func (p picking) filled() string {
	var conditions []string
	for _, name := range p.single.Per {
		conditions = append(conditions, ir.Ident(name)+" IS NOT NULL")
	}
	if p.single.Rest != "" {
		conditions = append(conditions, p.single.Rest)
	}
	return all(conditions...)
}

// pick is a client that calls the method for a row.
func (p picking) pick(row fixture.Row) actor { return calling(p.op, argsOf(p.op, row.Values)) }

// leavingOut is the method without one of its statements.
func (p picking) leavingOut(role ir.Role) mutant {
	s := p.op.Statement(role)
	return mutant{
		id: "without-" + string(role), name: "without the statement that has the role " + string(role), without: client.Without{},
		statements: []replacement{{p.op.Address, role, ""}}, diff: []string{"-" + s.SQL},
	}
}

// keptOld demands that a client which is told that its row is not there has
// changed nothing: the row that was picked before still is.
func (p picking) keptOld(j *judgement) []explore.Violation {
	missed := j.count(func(d deed) bool { return d.op == p.op && d.outcome.Answer == client.NotFound })
	if missed == 0 {
		return nil
	}
	return j.bad(rule{
		"a client was told that its row is not there, and the row that was picked before is picked no longer",
		"SELECT 'none is picked' AS found WHERE NOT EXISTS (SELECT 1 FROM " + p.t.SQL() + " WHERE " + p.counted() + ")",
	})
}
