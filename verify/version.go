package verify

import (
	"context"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// version: two clients that have read one version of a row update it, and one of
// them does beside other writes of generated code and a raw DELETE.
func (m *model) version(i *ir.Version) {
	op := m.operation(i.Base.Table, ir.UpdateOp)
	if op == nil {
		return
	}
	v := versioned{editing{index: m.index, op: op, t: i.Base.Table}, i}
	guards := append(withoutGuards(op, ir.MainStatement, m.key(v.t)), guardsAskedApart(op, ir.MainStatement, m.key(v.t))...)
	second := func(row, other fixture.Row) actor { return calling(op, v.args(row, other)) }
	m.versioned(v, "update-update", "two clients update one version of a row", &winners{1, 1}, second, append(guards, withoutRowCount(op))...)
	for _, level := range levels {
		m.versioned(v, "update-"+word(level), "one of two updates runs in "+string(level), &winners{1, 1}, func(row, other fixture.Row) actor {
			return callingIn(level, op, v.args(row, other))
		}, guards...)
	}
	m.versioned(v, "update-delete", "a raw DELETE takes the row that a client updates", &winners{1, 2}, func(row, _ fixture.Row) actor {
		return raw("raw DELETE", "", v.deleteSQL(v.t, v.identify(v.t, row.Values)))
	}, v.withoutChildren(withoutRowCount(op)))
}

// versioned is the update of a table with a version.
type versioned struct {
	editing
	rule *ir.Version
}

// args name every column of the update, with the values of another row.
func (v versioned) args(row, to fixture.Row) map[string]*string {
	args := pick(row.Values, v.key(v.t))
	args[v.rule.Column] = row.Values[v.rule.Column]
	pairs := v.op.Args[1:]
	for i, column := range v.op.Columns {
		args[pairs[2*i].Name], args[column] = ptr("true"), to.Values[column]
	}
	return args
}

func (m *model) versioned(v versioned, label, name string, won *winners, second func(row, other fixture.Row) actor, mutants ...mutant) {
	m.add(label, name, []ir.TableRef{v.t}, func(ctx context.Context, s *site) (*scene, error) {
		set, row, first, other, err := v.rows(ctx, s)
		if err != nil {
			return nil, err
		}
		return &scene{
			fixture: script(set, v.t), actors: []actor{calling(v.op, v.args(row, first)), second(row, other)}, winners: won,
		}, nil
	}, mutants...)
}
