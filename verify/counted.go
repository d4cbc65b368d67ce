package verify

import (
	"context"
	"errors"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// rowState is a state of a table's state machine.
type rowState struct{ column, name string }

// statesIn are the states of a table whose column a rule's condition reads.
func (x *index) statesIn(t ir.TableRef, where string) []rowState {
	var list []rowState
	if where == "" {
		return nil
	}
	for _, i := range x.program.Invariants {
		s, ok := i.(*ir.Transitions)
		if !ok || s.Base.Table != t || !slices.Contains(columnsOf(where), s.Column) {
			continue
		}
		for _, name := range s.States {
			list = append(list, rowState{s.Column, name})
		}
	}
	return list
}

// besideState puts a row in a state beside an insert of the same values. Where the
// condition counts it, the insert is kept out; else it comes in.
func besideState(ctx context.Context, set *fixture.Set, t ir.TableRef, state rowState, where string, values map[string]*string, vary []string, sc *scene) (*scene, error) {
	is := ir.Ident(state.column) + " = " + ir.Literal(state.name)
	delete(values, state.column)
	sc.winners = &winners{0, 0}
	_, err := set.Add(ctx, t, fixture.Want{Where: all(where, is), Values: values, Vary: vary})
	if errors.As(err, new(*fixture.NotFoundError)) {
		sc.winners = &winners{1, 1}
		sc.open = true // the row is in nobody's way
		_, err = set.Add(ctx, t, fixture.Want{Where: all(not(where), is), Values: values, Vary: vary})
	}
	if err != nil {
		return nil, err
	}
	sc.fixture = script(set, t)
	return sc, nil
}
