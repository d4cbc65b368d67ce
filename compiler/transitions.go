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
	since    *expression // nil for all rows
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
	demands []demand
}

// stateColumns reads the transitions blocks of a table: which column, which
// states, which moves. Their operations are compiled later, when all checks of
// the table are known.
func (c *compilation) stateColumns(t *table) {
	for _, decl := range t.decl.Transitions {
		s := &stateColumn{
			decl: decl, label: labelOf(decl.Block, decl.Rename),
			address:  inside(t.address, "transitions", decl.Block),
			name:     derivedName(t.ref.Name, decl.Name.Text, decl.Rename),
			database: defaultEnforce == "database",
			repeat:   defaultRepeat,
		}
		if decl.Enforce.Set {
			s.database = decl.Enforce.V == "database"
		}
		set(&s.repeat, decl.Repeat)
		if c.stateSince(t, s) && c.governedColumn(t, s) && c.stateNames(s) {
			c.stateGraph(s)
			c.initialDefault(s)
			t.states = append(t.states, s)
		}
	}
}

// stateSince reads which rows the triggers cover.
func (c *compilation) stateSince(t *table, s *stateColumn) bool {
	if src := s.decl.Since; src != nil && !s.database {
		c.report(diag.Diagnostic{
			Code:        diag.IdleSince,
			Detail:      "The transitions " + quote(s.label) + " are kept by generated code alone, and since is for its triggers.",
			Subject:     src.Range,
			Label:       "no triggers",
			Related:     []diag.Related{{Range: s.decl.Enforce.Range, Text: "enforce = \"code\""}},
			Consequence: "Nothing would be different: a generated move checks the row that it moves, however old, and nothing else is checked.",
			Help:        "leave since out, or write enforce = \"database\"",
		})
		return false
	}
	var ok bool
	s.since, ok = c.since(t, s.decl.Block, s.decl.Since)
	return ok
}

// covering restricts the WHEN of a trigger to the rows that since covers.
func (s *stateColumn) covering(record, when string) string {
	if s.since == nil {
		return when
	}
	return "(" + s.since.OverRecord(record).SQL() + ") AND " + when
}

// lowerTransitions puts the triggers on the table and records what was decided.
func (c *compilation) lowerTransitions(t *table, s *stateColumn) {
	inv := &ir.Transitions{
		Column: s.column.name, States: slices.Clone(s.states), Initial: s.initial, Final: s.final,
		Database: s.database, Repeat: s.repeat, Since: conditionSQL(s.since),
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
			When: s.covering("NEW", "("+s.in("NEW", s.initial)+") IS NOT TRUE"),
			Args: []string{badMove, s.name, "a row of " + t.ref.Name + " starts in " + or(s.initial)},
		},
		{
			Name: s.name + "_update", Events: []ir.TriggerEvent{ir.OnUpdate},
			When: s.covering("OLD", s.rule()),
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
		moves = append(moves, or(m.from)+" to "+visible(m.to))
	}
	if !s.database {
		return "Generated moves change " + s.column.name + " of a row of " + t.ref.Name + " from " + and(moves) + " only; inserts and other clients are not checked."
	}
	return "A row of " + t.ref.Name + " starts with " + s.column.name + " " + or(s.initial) + " and changes it from " + and(moves) + " only." + s.coverage()
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
	reasons = append(reasons, ir.Reason{
		Choice: "AFTER ROW triggers",
		Why: "they hold for psql and for other programs too. The rule is their WHEN, which the catalog prints back, so a changed rule shows in a plan. " +
			"BEFORE would refuse an INSERT … ON CONFLICT DO UPDATE whose insert never happens.",
	})
	if s.since != nil {
		reasons = append(reasons, sinceReason(s.since.Expr))
	}
	return reasons
}

// coverage is the sentence of the promise that tells which rows the triggers pass
// over; empty for none.
func (s *stateColumn) coverage() string {
	if s.since == nil {
		return ""
	}
	return " Rows for which " + s.since.SQL() + " does not hold are older than the rule: a generated move checks them too, and the triggers do not."
}

// violators finds rows in a state that the block does not know. An enum column
// holds no other.
func (s *stateColumn) violators(t *table) string {
	if s.column.typ.Kind == ir.EnumType {
		return ""
	}
	return "SELECT " + t.keyColumns() + ir.Ident(s.column.name) + " FROM " + t.ref.SQL() +
		" WHERE " + andWhere("("+inList(ir.Ident(s.column.name), s.states)+") IS NOT TRUE", exprOf(s.since))
}

// keyColumns is the key as the beginning of a select list.
func (t *table) keyColumns() string {
	if len(t.key) == 0 {
		return "ctid, "
	}
	return ir.Idents(columnList(t.key)) + ", "
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
	r := ir.Move{Name: nameOf(m.decl.Name, m.decl.Rename), From: m.from, To: m.to, Set: recordSet(m.set), Checks: recordChecks(m.checks)}
	if m.guard != nil {
		r.Guard = m.guard.SQL()
	}
	return r
}
