package verify

import (
	"context"
	"slices"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// demands are the conditions of a move beyond its states.
func demands(move ir.Move) []string {
	var list []string
	if move.Guard != "" {
		list = append(list, move.Guard)
	}
	for _, c := range move.Checks {
		list = append(list, c.Expr)
	}
	return list
}

// allowed are the conditions under which a move may be made, whatever the state,
// with the arguments that its clients give.
func (s states) allowed(op *ir.Operation) ([]string, error) {
	move, args := s.move(op), s.args(op, moving{}, 0)
	var conditions []string
	for _, expr := range demands(move) {
		filled, err := qualified(expr, "", args, fieldTypes(op))
		if err != nil {
			return nil, err
		}
		if expr != move.Guard {
			filled = "(" + filled + ") IS NOT FALSE"
		}
		conditions = append(conditions, filled)
	}
	return conditions, nil
}

// asked is the type in which a judge computes: of a domain what it is made of. A
// value that the domain refuses is for the judge to see, and no error.
func asked(t ir.Type) ir.Type {
	if t.Kind == ir.DomainType && t.Elem != nil {
		return *t.Elem
	}
	return t
}

// fieldTypes are the types of an operation's arguments, as a judge computes.
func fieldTypes(op *ir.Operation) map[string]ir.Type {
	types := map[string]ir.Type{}
	for _, f := range slices.Concat(op.Key, op.Args) {
		types[f.Name] = asked(f.Type)
	}
	return types
}

// guarded has a client make a condition of a move false while another moves.
func (m *model) guarded(s states, move ir.Move, op *ir.Operation, triggers []mutant) {
	for i, expr := range demands(move) {
		columns := slices.DeleteFunc(s.sources(s.t, columnsOf(expr)...), func(c string) bool { return c == s.rule.Column || slices.Contains(s.key(s.t), c) })
		if len(columns) == 0 {
			continue
		}
		c := m.add(op.Name+"-condition-"+strconv.Itoa(i+1), "a raw UPDATE makes "+expr+" false beside a "+op.Name, []ir.TableRef{s.t},
			func(ctx context.Context, st *site) (*scene, error) {
				return s.conditionLost(ctx, st, move, op, expr, columns)
			}, s.conditions(op, triggers, columns)...)
		c.breaks = true
	}
}

func (s states) conditionLost(ctx context.Context, st *site, move ir.Move, op *ir.Operation, expr string, columns []string) (*scene, error) {
	from := ir.Ident(s.rule.Column) + " = " + ir.Literal(move.From[0])
	conditions, err := s.allowed(op)
	if err != nil {
		return nil, err
	}
	if expr, err = qualified(expr, "", s.args(op, moving{}, 0), fieldTypes(op)); err != nil {
		return nil, err
	}
	set := st.maker.Set(st.conn)
	row, err := set.Add(ctx, s.t, fixture.Want{Where: all(append(conditions, from)...)})
	if err != nil {
		return nil, err
	}
	other, err := set.Propose(ctx, s.t, fixture.Want{Where: all(from, "("+expr+") IS FALSE")})
	if err != nil {
		return nil, err
	}
	update := s.updateSQL(s.t, s.identify(s.t, row.Values), pick(other.Values, columns))
	return &scene{
		fixture:   script(set, s.t),
		actors:    []actor{calling(op, s.args(op, moving{Row: row}, 0)), raw("raw UPDATE", "", update)},
		violators: violators(&s.rule.Base), judge: s.settled,
	}, nil
}

// conditions are the mutants of a move's conditions that read some of the
// columns: left out, and asked in a sub-select.
func (s states) conditions(op *ir.Operation, triggers []mutant, columns []string) []mutant {
	key := s.key(s.t)
	whole := allOf(slices.Concat(only(triggers, ir.OnUpdate), s.checkMutants(op)))
	backup, ok := withoutAnyGuard(op, ir.MainStatement, key)
	for _, w := range whole {
		backup = backup.and(w)
	}
	var list []mutant
	for _, g := range slices.Concat(withoutGuards(op, ir.MainStatement, key), guardsAskedApart(op, ir.MainStatement, key)) {
		if g.err != nil {
			list = append(list, g)
			continue
		}
		if !slices.ContainsFunc(g.columns, func(c string) bool { return slices.Contains(columns, c) }) {
			continue
		}
		for _, w := range whole {
			g = g.and(w)
		}
		if ok {
			g.backup = &backup
		}
		list = append(list, g)
	}
	return list
}

// checkMutants drop the check constraints that a move's conditions repeat.
func (s states) checkMutants(op *ir.Operation) []mutant {
	var list []mutant
	for _, d := range s.move(op).Checks {
		list = append(list, s.withoutCheck(s.t, d.Constraint)...)
	}
	return list
}
