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

// transitions: every two moves that leave one state, on one row; moves beside
// clients that know nothing of them; and ways that nobody declared.
func (m *model) transitions(i *ir.Transitions) {
	s := states{m.index, i, i.Base.Table}
	tables := []ir.TableRef{s.t}
	triggers := mutantWithout(m.index, i.Base.Objects, "trigger")
	for a := range i.Moves {
		for b := a; b < len(i.Moves); b++ {
			from := common(i.Moves[a].From, i.Moves[b].From)
			one, two := s.operation(i.Moves[a].Name), s.operation(i.Moves[b].Name)
			if from == "" || one == nil || two == nil {
				continue
			}
			m.add(one.Name+"-"+two.Name, "two clients "+one.Name+" and "+two.Name+" one row", tables,
				func(ctx context.Context, st *site) (*scene, error) {
					return s.race(ctx, st, from, []*ir.Operation{one, two}, func(row moving) []actor {
						return []actor{calling(one, s.args(one, row, 0)), calling(two, s.args(two, row, 1))}
					})
				}, s.raceMutants(i.Moves[a], i.Moves[b], one, two, triggers)...)
		}
	}
	for a := range i.Moves {
		if op := s.operation(i.Moves[a].Name); op != nil {
			m.moveBesideOthers(s, i.Moves[a], op, triggers)
			m.guarded(s, i.Moves[a], op, triggers)
			if many := m.manyOf(&i.Base, op); many != nil {
				m.together(manyRows{m.index, many, s.t, &i.Base, func(ctx context.Context, st *site) (*fixture.Set, [2]fixture.Row, map[string]*string, bool, error) {
					return s.two(ctx, st, i.Moves[a], op)
				}})
			}
		}
	}
	if i.Database {
		m.undeclaredWays(s, triggers)
	}
}

// states is one state machine.
type states struct {
	*index
	rule *ir.Transitions
	t    ir.TableRef
}

func (s states) operation(move string) *ir.Operation {
	for _, op := range s.made(&s.rule.Base) {
		if op.Kind == ir.MoveOp && op.Name == move {
			return op
		}
	}
	return nil
}

// common is a state that both moves leave.
func common(a, b []string) string {
	for _, state := range a {
		if slices.Contains(b, state) {
			return state
		}
	}
	return ""
}

// raceMutants are the mutants of a race of two moves: the guards of whichever may
// not follow the other. Where each may follow the other, nobody is refused.
func (s states) raceMutants(a, b ir.Move, one, two *ir.Operation, triggers []mutant) []mutant {
	switch {
	case !slices.Contains(a.From, b.To):
		return s.guards(one, triggers)
	case !slices.Contains(b.From, a.To):
		return s.guards(two, triggers)
	}
	return nil
}

// guards are the mutants of a move in a race for its state. The trigger asks the
// same where there is one, so it goes with each of them.
func (s states) guards(op *ir.Operation, triggers []mutant) []mutant {
	list := s.conditions(op, triggers, []string{s.rule.Column})
	return append(list, withoutRowCount(op))
}

// move is the declaration of an operation.
func (s states) move(op *ir.Operation) ir.Move {
	_, move, _ := s.moveOf(op)
	return move
}

func triggerOf(m mutant, event ir.TriggerEvent) bool {
	for _, c := range m.drop {
		if d, ok := c.(ir.DropTrigger); ok && slices.Contains(d.Trigger.Events, event) {
			return true
		}
	}
	return false
}

// args are a move's arguments: the row's key, and for what it sets the values of
// a proposed row. Two clients get different ones where the type has several.
func (s states) args(op *ir.Operation, row moving, client int) map[string]*string {
	args := argsOf(op, row.Values)
	for _, f := range op.Args {
		args[f.Name] = s.argument(op, f, row, client)
	}
	return args
}

func (s states) argument(op *ir.Operation, f ir.Field, row moving, client int) *string {
	for _, a := range s.move(op).Set {
		if a.Expr == "@"+f.Name && s.column(s.t, a.Column).Type.SQL() == f.Type.SQL() {
			if v := row.sets[client][a.Column]; v != nil {
				return v
			}
		}
	}
	return sampleOf(f.Type, client)
}

// moving is a row that clients move, with what each of two writes beside the
// state.
type moving struct {
	fixture.Row
	sets [2]map[string]*string
}

// race is a row in a state, which each of some moves may leave, and clients on
// it.
func (s states) race(ctx context.Context, st *site, from string, ops []*ir.Operation, clients func(moving) []actor) (*scene, error) {
	set := st.maker.Set(st.conn)
	where := []string{ir.Ident(s.rule.Column) + " = " + ir.Literal(from), orTrue(s.rule.Since)}
	for _, op := range ops {
		allowed, err := s.allowed(op)
		if err != nil {
			return nil, err
		}
		where = append(where, allowed...)
	}
	row, err := set.Add(ctx, s.t, fixture.Want{Where: all(where...)})
	if err != nil {
		return nil, err
	}
	m := moving{Row: row}
	if err := s.propose(ctx, set, &m); err != nil {
		return nil, err
	}
	sc := &scene{
		fixture: script(set, s.t), row: row.Values, actors: clients(m), violators: violators(&s.rule.Base),
		effects: []rule{{"a change went a way that is not declared", s.declaredWays()}},
		judge:   s.settled,
		winners: &winners{1, 2},
	}
	sc.holdingRow(s.t, s.index)
	return sc, nil
}

// two are two rows that a move may be made with, and its arguments.
func (s states) two(ctx context.Context, st *site, move ir.Move, op *ir.Operation) (set *fixture.Set, rows [2]fixture.Row, args map[string]*string, once bool, err error) {
	where, err := s.allowed(op)
	if err != nil {
		return nil, rows, nil, false, err
	}
	where = append(where, ir.Ident(s.rule.Column)+" = "+ir.Literal(move.From[0]))
	set = st.maker.Set(st.conn)
	for i := range rows {
		if rows[i], err = set.Add(ctx, s.t, fixture.Want{Where: all(where...), Vary: s.key(s.t)}); err != nil {
			return nil, rows, nil, false, err
		}
	}
	m := moving{Row: rows[0]}
	err = s.propose(ctx, set, &m)
	return set, rows, s.args(op, m, 0), !slices.Contains(move.From, move.To), err
}

// propose finds values for arguments that moves write into columns with foreign
// keys: rows of the parents that are there.
func (s states) propose(ctx context.Context, set *fixture.Set, row *moving) error {
	var columns []string
	for _, move := range s.rule.Moves {
		for _, a := range move.Set {
			if strings.HasPrefix(a.Expr, "@") && !slices.Contains(columns, a.Column) {
				columns = append(columns, a.Column)
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	present := make([]string, len(columns))
	for i, c := range columns {
		present[i] = ir.Ident(c) + " IS NOT NULL"
	}
	for client := range 2 {
		like, err := set.Propose(ctx, s.t, fixture.Want{Where: all(present...), Vary: columns})
		if err != nil {
			return err
		}
		row.sets[client] = pick(like.Values, columns)
	}
	return nil
}

// declaredWays is what every recorded change must be: no move, or a declared one.
func (s states) declaredWays() string {
	column := ir.Ident(s.rule.Column)
	ways := []string{"c.op <> 'UPDATE'", "o." + column + " = n." + column}
	for _, move := range s.rule.Moves {
		way := []string{"o." + in(column, move.From), "n." + column + " = " + ir.Literal(move.To)}
		if move.Guard != "" && !strings.Contains(move.Guard, "@") {
			if guard, err := qualified(move.Guard, "o", nil, nil); err == nil {
				way = append(way, guard)
			}
		}
		ways = append(ways, all(way...))
	}
	if initial := s.rule.Initial; len(initial) > 0 {
		ways[0] = "c.op = 'DELETE' OR c.op = 'INSERT' AND n." + in(column, initial)
	}
	return "(" + strings.Join(ways, ") OR (") + ")"
}

// settled asks what the caller of a move may believe that was repeated.
func (s states) settled(j *judgement) []explore.Violation {
	again := j.count(func(d deed) bool {
		return d.op != nil && d.op.Kind == ir.MoveOp && d.outcome.Answer == client.Repeated
	})
	if again == 0 || s.rule.Repeat != "reject" {
		return nil
	}
	return []explore.Violation{{Rule: "a repeated move was answered as done, and repeat is \"reject\""}}
}

// moveBesideOthers runs a move beside clients that know nothing of it.
func (m *model) moveBesideOthers(s states, move ir.Move, op *ir.Operation, triggers []mutant) {
	tables := []ir.TableRef{s.t}
	beside := func(label, name string, other func(row moving) actor, mutants ...mutant) {
		m.add(op.Name+"-"+label, name, tables, func(ctx context.Context, st *site) (*scene, error) {
			sc, err := s.race(ctx, st, move.From[0], []*ir.Operation{op}, func(row moving) []actor {
				return []actor{calling(op, s.args(op, row, 0)), other(row)}
			})
			if err == nil && label == "truncate" {
				sc.winners = nil // TRUNCATE does not say how many rows it took
			}
			return sc, err
		}, mutants...)
	}
	guards := s.raceMutants(move, move, op, op, triggers)
	for _, level := range levels {
		beside(word(level), "one of two "+op.Name+" runs in "+string(level), func(row moving) actor {
			return callingIn(level, op, s.args(op, row, 0))
		}, guards...)
	}
	beside("delete", "a raw DELETE takes the row that a client will "+op.Name, func(row moving) actor {
		return raw("raw DELETE", "", s.deleteSQL(s.t, s.identify(s.t, row.Values)))
	}, withoutRowCount(op))
	beside("truncate", "a raw TRUNCATE takes the row that a client will "+op.Name, func(moving) actor {
		return raw("raw TRUNCATE", "", "TRUNCATE "+s.t.SQL()+" CASCADE")
	}, withoutRowCount(op))
}

// undeclaredWays are clients that write a state which no move leads to from
// where the row is.
func (m *model) undeclaredWays(s states, triggers []mutant) {
	tables := []ir.TableRef{s.t}
	for _, from := range s.rule.States {
		for _, to := range s.undeclared(from) {
			m.add("raw-"+from+"-"+to, "a raw UPDATE goes from "+from+" to "+to, tables,
				func(ctx context.Context, st *site) (*scene, error) {
					sc, err := s.race(ctx, st, from, nil, func(row moving) []actor {
						update := s.updateSQL(s.t, s.identify(s.t, row.Values), map[string]*string{s.rule.Column: &to})
						return []actor{raw("raw UPDATE", "", update), raw("raw UPDATE", ir.RepeatableRead, update)}
					})
					if err == nil {
						sc.winners = &winners{0, 0}
					}
					return sc, err
				}, s.triggerMutants(triggers, ir.OnUpdate)...)
		}
	}
	if len(s.rule.Initial) == 0 || s.repositories[s.t] == nil {
		return
	}
	for _, start := range s.rule.States {
		if slices.Contains(s.rule.Initial, start) {
			continue
		}
		m.add("raw-start-"+start, "a raw INSERT starts in "+start, tables, func(ctx context.Context, st *site) (*scene, error) {
			set := st.maker.Set(st.conn)
			row, err := set.Propose(ctx, s.t, fixture.Want{Values: map[string]*string{s.rule.Column: &start}, Where: s.rule.Since})
			if err != nil {
				return nil, err
			}
			return &scene{
				fixture: script(set, s.t), violators: violators(&s.rule.Base), winners: &winners{0, 0},
				effects: []rule{{"a row started in a state that is not initial", s.declaredWays()}},
				actors:  []actor{raw("raw INSERT", "", s.insertSQL(s.t, row.Values)), s.loading(s.t, row.Values)},
			}, nil
		}, s.triggerMutants(triggers, ir.OnInsert)...)
	}
}

// triggerMutants drop the triggers of an event. A check of the table may refuse
// the same row.
func (s states) triggerMutants(triggers []mutant, event ir.TriggerEvent) []mutant {
	list := only(triggers, event)
	for i := range list {
		every := list[i]
		for _, c := range s.tables[s.t].Checks {
			every = every.and(s.withoutConstraint(s.tables[s.t], c))
		}
		if every.id != list[i].id {
			list[i].backup = &every
		}
	}
	return list
}

// undeclared are the states that no move leads to from another: all of them, or
// the first where there are too many to try.
func (s states) undeclared(from string) []string {
	const many = 6
	var list []string
	for _, to := range s.rule.States {
		declared := slices.ContainsFunc(s.rule.Moves, func(m ir.Move) bool { return m.To == to && slices.Contains(m.From, from) })
		if to != from && !declared {
			list = append(list, to)
		}
	}
	if len(s.rule.States) > many {
		return list[:min(1, len(list))]
	}
	return list
}

func only(triggers []mutant, event ir.TriggerEvent) []mutant {
	var list []mutant
	for _, t := range triggers {
		if triggerOf(t, event) {
			list = append(list, t)
		}
	}
	return list
}
