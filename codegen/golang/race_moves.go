package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// movePairs runs every two moves that leave one state against each other, and
// each with itself.
func (r *raceRepository) movePairs(rule *ir.Transitions) []pair {
	var pairs []pair
	for _, state := range rule.States {
		path, ok := pathTo(rule, state)
		if !ok {
			continue
		}
		var leaving []ir.Move
		for _, move := range rule.Moves {
			if slices.Contains(move.From, state) && move.To != state {
				leaving = append(leaving, move)
			}
		}
		for i, one := range leaving {
			for _, other := range leaving[i:] {
				if p, ok := r.movePair(rule, state, path, one, other); ok {
					pairs = append(pairs, p)
				}
			}
		}
	}
	return pairs
}

// pathTo are the moves from the first initial state to another, fewest first.
func pathTo(rule *ir.Transitions, state string) ([]ir.Move, bool) {
	if len(rule.Initial) == 0 {
		return nil, false
	}
	paths := map[string][]ir.Move{rule.Initial[0]: nil}
	for queue := []string{rule.Initial[0]}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		if from == state {
			return paths[from], true
		}
		for _, move := range rule.Moves {
			if _, known := paths[move.To]; !known && slices.Contains(move.From, from) {
				paths[move.To] = append(slices.Clone(paths[from]), move)
				queue = append(queue, move.To)
			}
		}
	}
	return nil, false
}

func (r *raceRepository) movePair(rule *ir.Transitions, state string, path []ir.Move, one, other ir.Move) (pair, bool) {
	p := pair{
		name:    fmt.Sprintf("%s and %s of a row that is %s", one.Name, other.Name, state),
		prepare: []string{r.rowLine("row", 1)}, calls: make([]raceCall, 2), gated: true,
		exclusive: one.Name == other.Name && rule.Repeat == "reject" && !slices.Contains(one.From, one.To),
	}
	for i, move := range path {
		o := r.moveOperation(rule, move)
		if o == nil {
			return p, false
		}
		arguments, lines := r.arguments(o, "row", fmt.Sprintf("step%d", i+1), 1)
		call := strings.Replace(strings.Replace(r.method(o, arguments...), "db.", "s.db.", 1), "(ctx", "(s.ctx", 1)
		p.prepare = append(append(p.prepare, lines...), r.w.S("raceMust[", r.in(r.names.row), "](s, ", strconv.Quote(move.Name), ")(", call, ")"))
	}
	for i, move := range []ir.Move{one, other} {
		o := r.moveOperation(rule, move)
		if o == nil {
			return p, false
		}
		arguments, lines := r.arguments(o, "row", []string{"one", "other"}[i], i+1)
		p.prepare = append(p.prepare, lines...)
		p.calls[i] = raceCall{
			name: move.Name, results: "_, err", call: r.method(o, arguments...),
			errors: r.announced(o, "ErrState", "ErrGuard", "ErrNotFound"),
		}
	}
	return p, true
}

func (r *raceRepository) moveOperation(rule *ir.Transitions, move ir.Move) *ir.Operation {
	for i := range r.ir.Operations {
		if o := &r.ir.Operations[i]; o.Kind == ir.MoveOp && o.Name == move.Name && slices.Contains(rule.Base.Operations, o.Address) {
			return o
		}
	}
	return nil
}
