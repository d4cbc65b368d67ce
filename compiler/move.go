package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// moves compiles the moves of every transitions block of a table, and then the
// triggers, whose rule holds their guards.
func (c *compilation) moves(t *table) {
	for _, s := range t.states {
		ok := true
		for _, m := range s.moves {
			ok = c.move(t, s, m) && ok
		}
		if !ok {
			continue
		}
		c.lowerTransitions(t, s)
		for _, m := range s.moves {
			if len(t.key) > 0 {
				op := c.moveOperation(t, s, m)
				w := write{updates: assigned(m.set), guarded: true, set: m.set, from: m.from, state: s.column, facts: s.facts}
				one := op
				t.lockFirst(&one, assigned(m.set))
				t.addOperation(one, w)
				batch := many{table: t, args: m.input.fields, set: m.set, arms: m.arms(s)}
				batch.addMany(op, w)
			}
		}
	}
}

// move reads the rest of a move block: arguments, guard and assignments.
func (c *compilation) move(t *table, s *stateColumn, m *move) bool {
	m.input = c.input(t, m.decl.Args)
	m.guard = c.parse(m.decl.Guard, "guard", row{table: t, args: m.input.names, changing: pgsql.Stable, condition: true})
	if m.guard != nil {
		m.input.use(t, m.guard.Expr)
	}
	set, ok := c.assignments(t, &m.input, m.decl.Set, s, "move")
	if !ok || m.input.broken || m.decl.Guard != nil && m.guard == nil {
		return false
	}
	c.unused(m.input)
	state := built(ir.Literal(m.to))
	m.set = append([]assignment{{column: s.column, expr: state, value: built(quotedLiteral(m.to, s.column.typ))}}, set...)
	m.checks = c.derive(t, m.set, m.input.fields)
	c.nullArithmetic(t, m.decl.Allow, set, m.guard)
	m.demands = demands(m.input, nil, m.set)
	c.argumentGuard(s, m)
	return true
}

// argumentGuard points out a guard that only generated code checks.
func (c *compilation) argumentGuard(s *stateColumn, m *move) {
	if m.guard == nil || !s.database || len(m.guard.Args()) == 0 {
		return
	}
	ref := m.guard.Args()[0]
	c.finding(m.decl.Allow, diag.Diagnostic{
		Severity: diag.Warning,
		Code:     diag.GuardWithArgument,
		Detail:   "The guard of move " + quote(m.decl.Name.Text) + " uses @" + ref.Name + ", which a trigger does not know.",
		Subject:  c.within(m.guard.source, ref.Offset, ref.Length),
		Label:    "an argument",
		Consequence: "Generated code keeps the guard. A client that writes the column by itself is held to the states alone: it can go from " +
			or(m.from) + " to " + visible(m.to) + " whatever the guard says.",
		Help: "put what must hold for every client into a check or into a guard over columns; or say that it is meant: " +
			allowHint(diag.GuardWithArgument, "only generated code makes this move"),
	})
}

func (c *compilation) moveOperation(t *table, s *stateColumn, m *move) ir.Operation {
	name := nameOf(m.decl.Name, m.decl.Rename)
	p := newParameters(t.keyFields(), m.input.fields)
	conditions := []string{inList(ir.Ident(s.column.name), m.from)}
	conditions = append(conditions, guardConditions(p, m.guard, m.checks)...)
	conditions = append(conditions, demandConditions(p, m.demands)...)
	op := ir.Operation{
		Address: m.address, Name: name, Kind: ir.MoveOp,
		Doc: m.doc(t, s),
		Statements: []ir.Statement{
			t.updateStatement(m.address, p, m.set, conditions),
			t.explainStatement(m.address, m.input.fields, m.arms(s)),
		},
		Key: t.keyFields(), Args: m.input.fields,
		Lock: ir.RowWriteLock,
		Reasons: slices.Concat(
			[]ir.Reason{{
				Choice: "one UPDATE",
				Why: "the state, the guard and the checks stand in its WHERE. A caller that waited for another one looks at the newest row again, so of two " +
					"callers one moves the row and the other learns why not.",
			}, t.updateLock(assigned(m.set)), conditionalReason},
			derivedReason(m.checks),
			numberReason(m.demands),
			m.repeatReason(s),
		),
		Wanted: m.to,
		Pos:    pos(m.decl.Header),
	}
	c.runs(&op, m.decl.Transaction, m.decl.Wait)
	return op
}

// repeats are the conditions under which a row is already what the move would
// make of it; false when that cannot be told from the row.
func (m *move) repeats(s *stateColumn) ([]assignment, bool) {
	if s.repeat != "noop" || slices.Contains(m.from, m.to) {
		return nil, false
	}
	var given []assignment
	for _, a := range m.set {
		if len(a.expr.Args()) == 0 {
			continue
		}
		if len(a.expr.Columns()) > 0 {
			return nil, false
		}
		given = append(given, a)
	}
	return given, true
}

// arms are the answers of the explain statement, in the order in which they
// are tried.
func (m *move) arms(s *stateColumn) []arm {
	arms := demandArms(m.demands)
	state := func(p *parameters) string { return p.column(s.column.name) + "::text" }
	if given, can := m.repeats(s); can {
		uses := make([]*pgsql.Expr, len(given))
		for i, a := range given {
			uses[i] = a.value
		}
		arms = append(arms, arm{
			verdict: ir.VerdictRepeat, subject: state, uses: uses,
			when: func(p *parameters) string {
				when := inList(p.column(s.column.name), []string{m.to})
				for _, a := range given {
					when += " AND " + sameValue(a, p)
				}
				return when
			},
		})
	}
	arms = append(arms, arm{
		verdict: ir.VerdictState, subject: state,
		when: func(p *parameters) string { return "NOT (" + inList(p.column(s.column.name), m.from) + ")" },
	})
	return append(arms, guardArms(m.guard, m.checks)...)
}

// sameValue compares a column with what an argument would make of it. A type
// without an equality is compared as text.
func sameValue(a assignment, p *parameters) string {
	left, right := p.column(a.column.name), p.sql(a.value)
	if familyOf(a.column.typ).noOrder {
		left, right = left+"::text", "("+right+")::text"
	}
	return left + " IS NOT DISTINCT FROM " + right
}

func (m *move) repeatReason(s *stateColumn) []ir.Reason {
	if s.repeat != "noop" {
		return []ir.Reason{{
			Choice: "repeat = reject",
			Why:    "a second call for a row that is already " + visible(m.to) + " is an error: somebody else was first.",
		}}
	}
	given, can := m.repeats(s)
	why := "a caller whose answer was lost may call again: the row is already " + visible(m.to)
	switch {
	case !can:
		return []ir.Reason{{
			Choice: "no repeat",
			Why:    "whether a row is the result of the same call cannot be told from it, since the move computes from the values before: a second call is an error.",
		}}
	case len(given) > 0:
		names := assigned(given)
		why += " and holds the same " + and(names) + ", so the answer is the row and no error. With another " + or(names) + " it is an error: somebody else was first"
	default:
		why += ", so the answer is the row and no error"
	}
	return []ir.Reason{{Choice: "repeat = noop", Why: why + "."}}
}

// doc says what the method does.
func (m *move) doc(t *table, s *stateColumn) string {
	var b strings.Builder
	b.WriteString("moves a row of " + t.ref.Name + " from " + s.column.name + " " + or(m.from) + " to " + visible(m.to))
	if rest := assigned(m.set)[1:]; len(rest) > 0 {
		b.WriteString(" and sets " + and(rest))
	}
	if m.guard != nil {
		b.WriteString(", provided that " + m.guard.SQL())
	}
	b.WriteString(", in one conditional UPDATE: of two callers at the same time one moves the row. ")
	given, can := m.repeats(s)
	switch {
	case can && len(given) > 0:
		b.WriteString("Called again with the same " + and(assigned(given)) + " it returns the row and no error. ")
	case can:
		b.WriteString("Called again for a row that is already " + visible(m.to) + " it returns the row and no error. ")
	}
	b.WriteString(demandDoc(m.demands))
	b.WriteString("A row in another state is a state error with the state that was found, a missing row is not found")
	if m.guard != nil || len(m.checks) > 0 {
		b.WriteString(", and a condition that does not hold is a guard error that names it")
	}
	b.WriteString(".")
	return b.String()
}
