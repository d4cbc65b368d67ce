package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// governedColumn finds the column and refuses one that cannot hold a state.
func (c *compilation) governedColumn(t *table, s *stateColumn) bool {
	col := c.lookup(t, s.decl.Column)
	if col == nil {
		return false
	}
	at := s.decl.Column.Range
	if other := col.governs; other != nil {
		c.report(diag.Diagnostic{
			Code:        diag.GovernedTwice,
			Detail:      "The column " + quote(col.name) + " is governed by transitions " + quote(other.label) + " already.",
			Subject:     at,
			Label:       "governed twice",
			Related:     []diag.Related{{Range: other.decl.Column.Range, Text: "here first"}},
			Consequence: "Each block would refuse the moves of the other one.",
			Help:        "put all moves into one block",
		})
		return false
	}
	if col.null {
		c.forceNotNull(col, at, diag.Diagnostic{
			Code:        diag.StateNullable,
			Detail:      "The state column " + quote(col.name) + " says null = true.",
			Label:       "may be NULL",
			Consequence: "A row in state NULL is in no state: no move leaves it, and no move leads there.",
			Help:        "leave null = true out, and name the missing state",
		})
		return false
	}
	if !col.known || !c.writtenByHand(col, at, "transitions") {
		return false
	}
	if name := col.typ.Base().Name; col.typ.Kind != ir.EnumType && name != "text" && name != "varchar" {
		c.report(diag.Diagnostic{
			Code:        diag.StateType,
			Detail:      "The state column " + quote(col.name) + " has the type " + col.typ.SQL() + ".",
			Subject:     at,
			Label:       col.typ.SQL(),
			Related:     []diag.Related{{Range: col.decl.Type.Range, Text: "its type"}},
			Consequence: "States are names; pawl compares them as text or as values of an enum.",
			Help:        "type = enum." + col.name + ", with the states as its values, or type = text",
		})
		return false
	}
	s.column, col.governs = col, s
	return true
}

// stateNames reads the lists of states. Those of an enum are its values; those
// of a text column are all that the block names.
func (c *compilation) stateNames(s *stateColumn) bool {
	if s.column.typ.Kind == ir.EnumType {
		s.states = c.enumValuesOf(s.column.typ)
	} else {
		s.states = namedStates(s.decl)
	}
	ok := true
	known := func(list []dsl.Name) []string {
		var names []string
		for _, n := range list {
			if n == (dsl.Name{}) { // reported by dsl; "" is a state
				ok = false
				continue
			}
			if c.knownState(s, n) {
				names = append(names, n.Text)
			} else {
				ok = false
			}
		}
		return names
	}
	s.initial, s.final = known(s.decl.Initial), known(s.decl.Final)
	for _, decl := range s.decl.Moves {
		m := &move{decl: decl, address: under(s.address, decl.Name.Text), from: known(decl.From), to: decl.To.Text}
		if to := known([]dsl.Name{decl.To}); len(to) == 1 && len(m.from) > 0 {
			s.moves = append(s.moves, m)
		} else {
			ok = false
		}
	}
	return ok && len(s.initial) > 0
}

// namedStates lists the states that a block names where they are reached: as
// an initial state or as the end of a move.
func namedStates(decl *dsl.Transitions) []string {
	var list []string
	for _, n := range decl.Initial {
		list = append(list, n.Text)
	}
	for _, m := range decl.Moves {
		if m.To != (dsl.Name{}) {
			list = append(list, m.To.Text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *compilation) knownState(s *stateColumn, n dsl.Name) bool {
	if slices.Contains(s.states, n.Text) {
		return true
	}
	d := diag.Diagnostic{
		Code:        diag.UnknownState,
		Detail:      "The column " + quote(s.column.name) + " has no state " + quote(n.Text) + ".",
		Subject:     n.Range,
		Label:       "no such state",
		Consequence: "No row is ever in it: what starts there never runs.",
		Help:        didYouMean(n.Text, s.states, "add a move that leads there, or put it into initial"),
	}
	if s.column.typ.Kind == ir.EnumType {
		d.Consequence = "The statement would fail with 22P02 on every call."
	} else {
		d.Detail = "No row can come into the state " + quote(n.Text) + ": it is not initial, and no move leads there."
	}
	c.report(d)
	return false
}

// stateGraph refuses states that nothing reaches, dead ends that are not
// final, and moves out of final states.
func (c *compilation) stateGraph(s *stateColumn) {
	left := map[string]*move{}
	for _, m := range s.moves {
		for _, from := range m.from {
			if left[from] == nil {
				left[from] = m
			}
		}
	}
	for i, n := range s.decl.Final {
		if m := left[n.Text]; m != nil && i < len(s.final) {
			c.report(diag.Diagnostic{
				Code:        diag.FinalState,
				Detail:      "The state " + quote(n.Text) + " is final, and move " + quote(m.decl.Name.Text) + " leaves it.",
				Subject:     n.Range,
				Label:       "final",
				Related:     []diag.Related{{Range: m.decl.Header, Text: "leaves it"}},
				Consequence: "Readers of the file take a final state for the end; a row would come back from it.",
				Help:        "take " + quote(n.Text) + " out of final, or out of the move's from",
			})
		}
	}
	reached := s.reached()
	for _, state := range s.states {
		switch {
		case !reached[state]:
			c.finding(s.decl.Allow, s.unreachable(state))
		case left[state] == nil && !slices.Contains(s.final, state):
			c.finding(s.decl.Allow, s.stuck(state))
		}
	}
}

// reached are the states that a row can come into, from the initial ones on.
func (s *stateColumn) reached() map[string]bool {
	reached := map[string]bool{}
	queue := slices.Clone(s.initial)
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		if reached[state] {
			continue
		}
		reached[state] = true
		for _, m := range s.moves {
			if slices.Contains(m.from, state) {
				queue = append(queue, m.to)
			}
		}
	}
	return reached
}

func (s *stateColumn) unreachable(state string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:        diag.UnreachableState,
		Detail:      "Nothing leads to the state " + quote(state) + " of " + quote(s.column.name) + ".",
		Subject:     s.decl.Header,
		Label:       quote(state) + " is not reached",
		Consequence: "No row can ever be in it; most often a move or an initial state was forgotten, and code that waits for it waits for ever.",
		Help:        "add a move to " + quote(state) + ", put it into initial, or " + allowHint(diag.UnreachableState, "rows of the old system only"),
	}
}

func (s *stateColumn) stuck(state string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:        diag.StuckState,
		Detail:      "No move leaves the state " + quote(state) + " of " + quote(s.column.name) + ", and it is not final.",
		Subject:     s.decl.Header,
		Label:       quote(state) + " is a dead end",
		Consequence: "A row that comes there stays for ever; most often the move out of it was forgotten.",
		Help:        "add a move from " + quote(state) + ", or say that it is meant: final = [" + strings.Join(quoted(append(slices.Clone(s.final), state)), ", ") + "]",
	}
}

// initialDefault refuses a default that no insert may use.
func (c *compilation) initialDefault(s *stateColumn) {
	d := s.column.decl.Default
	if d == nil || d.Kind != "string" || slices.Contains(s.initial, d.Text) || s.column.schema.Default == "" {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.InitialDefault,
		Detail:      "The default of " + quote(s.column.name) + " is " + quote(d.Text) + ", which is not initial.",
		Subject:     d.Range,
		Label:       "not initial",
		Related:     []diag.Related{{Range: s.decl.Header, Text: "initial = [" + strings.Join(quoted(s.initial), ", ") + "]"}},
		Consequence: "Every insert that leaves the column out would be refused with PW001.",
		Help:        "default = " + quote(s.initial[0]),
	})
}
