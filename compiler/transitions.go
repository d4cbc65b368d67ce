package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// stateColumn is a transitions block after its checks.
type stateColumn struct {
	decl     *dsl.Transitions
	label    string
	address  string
	name     string // what its violation is reported as
	column   *column
	states   []string
	initial  []string
	final    []string
	database bool // enforced for every client
	repeat   string
	moves    []*move
	facts    *ir.Facts
}

// move is a move block after its checks.
type move struct {
	decl    *dsl.Move
	address string
	from    []string
	to      string
	input   input
	guard   *expression
	set     []assignment // the state's column among them
	checks  []derived
}

// stateColumns reads the transitions blocks of a table: which column, which
// states, which moves. Their operations are compiled later, when all checks of
// the table are known.
func (c *compilation) stateColumns(t *table) {
	for _, decl := range t.decl.Transitions {
		s := &stateColumn{
			decl: decl, label: decl.Name.Text,
			address:  under(t.address, "transitions", decl.Name.Text),
			name:     t.ref.Name + "_" + decl.Name.Text,
			database: defaultEnforce == "database",
			repeat:   defaultRepeat,
		}
		if decl.Enforce.Set {
			s.database = decl.Enforce.V == "database"
		}
		set(&s.repeat, decl.Repeat)
		if c.governedColumn(t, s) && c.stateNames(s) {
			c.stateGraph(s)
			c.initialDefault(s)
			t.states = append(t.states, s)
		}
	}
}

// governedColumn finds the column and refuses one that cannot hold a state.
func (c *compilation) governedColumn(t *table, s *stateColumn) bool {
	col := c.lookup(t, s.decl.Column, "column")
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
	if !col.known {
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
			if n.Text == "" {
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
		list = append(list, m.To.Text)
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
		Help:        didYouMean(n.Text, s.states),
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

// badMove is the SQLSTATE that our triggers raise for a move that is not
// declared.
const badMove = "PW001"

// refusalFunction is the one function of a schema that raises for triggers.
const refusalFunction = "pawl_refuse"

// lowerTransitions puts the triggers on the table and records what was decided.
func (c *compilation) lowerTransitions(t *table, s *stateColumn) {
	inv := &ir.Transitions{
		Column: s.column.name, States: slices.Clone(s.states), Initial: s.initial, Final: s.final,
		Database: s.database, Repeat: s.repeat,
		Base: ir.Facts{
			Address: s.address, Kind: "transitions", Table: t.ref,
			Promise:   s.promise(t),
			Mechanism: s.mechanism(),
			Reasons:   s.reasons(),
			Violators: s.violators(t),
			Pos:       pos(s.decl.Header),
		},
	}
	for _, m := range s.moves {
		inv.Moves = append(inv.Moves, m.recorded())
	}
	if s.database {
		inv.Base.Objects = c.lowerStateTriggers(t, s)
	}
	s.facts = &inv.Base
	t.repository.Transitions = append(t.repository.Transitions, s.column.name)
	t.invariants = append(t.invariants, inv)
}

// lowerStateTriggers adds the two triggers whose WHEN holds the rule.
func (c *compilation) lowerStateTriggers(t *table, s *stateColumn) []ir.ObjectID {
	origin := ir.Origin{Address: s.address, Pos: pos(s.decl.Header)}
	c.refusals[t.ref.Schema] = true
	objects := []ir.ObjectID{{Kind: ir.FunctionObject, Schema: t.ref.Schema, Name: refusalFunction}}
	for _, trigger := range []ir.Trigger{
		{
			Name: s.name + "_insert", Events: []ir.TriggerEvent{ir.OnInsert},
			When: "(" + s.in("NEW", s.initial) + ") IS NOT TRUE",
			Args: []string{badMove, s.name, "a row of " + t.ref.Name + " starts in " + or(s.initial)},
		},
		{
			Name: s.name + "_update", Events: []ir.TriggerEvent{ir.OnUpdate},
			When: s.rule(),
			Args: []string{badMove, s.name, s.column.name + " of " + t.ref.Name + " changes along its declared moves only"},
		},
	} {
		if !c.claimName(space{triggerSpace, t.ref.Schema, t.ref.Name, trigger.Name}, "a trigger of transitions "+quote(s.label), s.decl.Header) {
			continue
		}
		trigger.FuncSchema, trigger.FuncName, trigger.Origin = t.ref.Schema, refusalFunction, origin
		t.schema.Triggers = append(t.schema.Triggers, trigger)
		objects = append(objects, ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: trigger.Name})
	}
	return objects
}

// in spells that a record's state is one of a list.
func (s *stateColumn) in(record string, states []string) string {
	name := record + "." + ir.Ident(s.column.name)
	return inList(name, states)
}

// inList spells name = 'a', or name IN ('a', 'b').
func inList(name string, states []string) string {
	if len(states) == 1 {
		return name + " = " + ir.Literal(states[0])
	}
	literals := make([]string, len(states))
	for i, state := range states {
		literals[i] = ir.Literal(state)
	}
	return name + " IN (" + strings.Join(literals, ", ") + ")"
}

// rule is the WHEN of the UPDATE trigger: it holds for a change that no move
// explains. A guard without arguments is checked over the row as it was; one
// with arguments is for generated code, since the trigger does not know them.
func (s *stateColumn) rule() string {
	name := ir.Ident(s.column.name)
	arms := []string{"OLD." + name + " = NEW." + name}
	for _, m := range s.moves {
		arm := s.in("OLD", m.from) + " AND " + s.in("NEW", []string{m.to})
		if m.guard != nil && len(m.guard.Args()) == 0 {
			arm += " AND (" + m.guard.OverRecord("OLD").SQL() + ")"
		}
		arms = append(arms, "("+arm+")")
	}
	return "(" + strings.Join(arms, " OR ") + ") IS NOT TRUE"
}

func (s *stateColumn) promise(t *table) string {
	var moves []string
	for _, m := range s.moves {
		moves = append(moves, or(m.from)+" to "+m.to)
	}
	if !s.database {
		return "Generated moves change " + s.column.name + " of a row of " + t.ref.Name + " from " + and(moves) + " only; inserts and other clients are not checked."
	}
	return "A row of " + t.ref.Name + " starts with " + s.column.name + " " + or(s.initial) + " and changes it from " + and(moves) + " only."
}

func (s *stateColumn) mechanism() string {
	if !s.database {
		return "conditional UPDATE"
	}
	return "conditional UPDATE; for every client AFTER ROW triggers " + s.name + "_insert and " + s.name + "_update"
}

func (s *stateColumn) reasons() []ir.Reason {
	reasons := []ir.Reason{{
		Choice: "conditional UPDATE",
		Why: "reading " + s.column.name + " first and writing then is a race: two callers both read the old state and both move on. The state stands in the " +
			"UPDATE's WHERE instead, so the second caller touches no row and learns why.",
	}}
	if !s.database {
		return append(reasons, ir.Reason{
			Choice: "enforce = code",
			Why:    "no trigger: an insert may start in any state, and a client that writes " + s.column.name + " without a move can do what it likes.",
		})
	}
	return append(reasons, ir.Reason{
		Choice: "AFTER ROW triggers",
		Why: "they hold for psql and for other programs too. The rule is their WHEN, which the catalog prints back, so a changed rule shows in a plan. " +
			"BEFORE would refuse an INSERT … ON CONFLICT DO UPDATE whose insert never happens.",
	})
}

// violators finds rows in a state that the block does not know. An enum column
// holds no other.
func (s *stateColumn) violators(t *table) string {
	if s.column.typ.Kind == ir.EnumType {
		return ""
	}
	return "SELECT " + t.keyColumns() + ir.Ident(s.column.name) + " FROM " + t.ref.SQL() +
		" WHERE (" + inList(ir.Ident(s.column.name), s.states) + ") IS NOT TRUE"
}

// keyColumns is the key as the beginning of a select list.
func (t *table) keyColumns() string {
	if len(t.key) == 0 {
		return "ctid, "
	}
	return ir.Idents(columnList(t.key)) + ", "
}

// refusal is the function that the triggers of a schema call to refuse a
// write. It names the constraint and the table in the error, so that generated
// code and people can tell which rule it was.
func refusal(schema string, origin ir.Origin) ir.Function {
	return ir.Function{
		Schema: schema, Name: refusalFunction, Returns: "trigger", Language: "plpgsql",
		Body: "BEGIN\n" +
			"  RAISE EXCEPTION USING\n" +
			"    ERRCODE = TG_ARGV[0], CONSTRAINT = TG_ARGV[1], MESSAGE = TG_ARGV[2],\n" +
			"    SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;\n" +
			"END",
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"},
		Origin: origin,
	}
}

// governed reports an assignment to a column that only moves may change.
func (c *compilation) governed(col *column, own *stateColumn, at hcl.Range, what string) bool {
	s := col.governs
	if s == nil || s == own {
		return false
	}
	c.report(diag.Diagnostic{
		Code:        diag.GovernedColumn,
		Detail:      "Only the moves of transitions " + quote(s.label) + " change the column " + quote(col.name) + ".",
		Subject:     at,
		Label:       "a state column",
		Related:     []diag.Related{{Range: s.decl.Header, Text: "its moves"}},
		Consequence: "This " + what + " would write a state without looking at the one before: it could undo a move that another client made in between.",
		Help:        "call a move, or add one to transitions " + quote(s.label),
	})
	return true
}

// recorded is the move as the invariant keeps it.
func (m *move) recorded() ir.Move {
	r := ir.Move{Name: m.decl.Name.Text, From: m.from, To: m.to, Set: recordSet(m.set), Checks: recordChecks(m.checks)}
	if m.guard != nil {
		r.Guard = m.guard.SQL()
	}
	return r
}
