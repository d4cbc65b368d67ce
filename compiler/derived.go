package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// derived is a CHECK of the table over the values that a write is about to
// store: its weakest precondition.
type derived struct {
	check *check
	expr  *pgsql.Expr
	shown *pgsql.Expr // as it is said: over the columns, before the values are put in
}

// derive replaces the assigned columns in every CHECK that mentions one, and asks
// the domains of what is assigned and given.
func (c *compilation) derive(t *table, set []assignment, args []ir.Field) []derived {
	values := map[string]*pgsql.Expr{}
	for _, a := range set {
		values[a.column.name] = a.value
	}
	var list []derived
	for _, k := range t.checks {
		expr := t.spelledOut(k.expr)
		if !slices.ContainsFunc(columnsOf(expr), func(name string) bool { return values[name] != nil }) {
			continue
		}
		list = append(list, derived{check: k, expr: expr.Substitute(values), shown: k.expr})
		for _, a := range set {
			c.volatileInCheck(t, k, a)
		}
	}
	for _, d := range c.domainDerived(append(slices.Clip(set), t.recomputed(values)...), args) {
		list = append(list, d)
		for _, a := range set {
			c.volatileInDomain(d.check, a)
		}
	}
	return list
}

// volatileInCheck refuses a value that differs at each evaluation where a CHECK
// has to be decided on it before it is stored.
func (c *compilation) volatileInCheck(t *table, k *check, a assignment) {
	if slices.Contains(columnsOf(t.spelledOut(k.expr)), a.column.name) {
		c.volatileIn(k, a)
	}
}

// volatileInDomain does the same for a check of the domain of the column.
func (c *compilation) volatileInDomain(k *check, a assignment) {
	if c.domainOf(a.column.typ) == k.domain {
		c.volatileIn(k, a)
	}
}

func (c *compilation) volatileIn(k *check, a assignment) {
	for _, cause := range a.expr.Causes() {
		if cause.Volatility != pgsql.Volatile {
			continue
		}
		c.report(diag.Diagnostic{
			Code:        diag.VolatileFunction,
			Detail:      "The check " + k.name + " looks at " + quote(a.column.name) + ", which is set to " + cause.What + ".",
			Subject:     c.within(a.source, cause.Offset, cause.Length),
			Label:       "another value each time",
			Consequence: "The guard that follows from the check would be decided on one value, and another one would be stored.",
			Help:        "pass the value as an argument",
		})
	}
}

// derivedReason tells where derived checks come from.
func derivedReason(list []derived) []ir.Reason {
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, d := range list {
		if !slices.Contains(names, d.check.name) { // a domain's stands for each value of it
			names = append(names, d.check.name)
		}
	}
	return []ir.Reason{{
		Choice: "derived guard",
		Why: "the WHERE repeats " + and(names) + " with the new values put in, so a write that would break a CHECK touches no row, names the check, and " +
			"leaves the caller's transaction usable. The rule stands once, in the CHECK.",
	}}
}

func recordChecks(list []derived) []ir.DerivedCheck {
	var out []ir.DerivedCheck
	for _, d := range list {
		out = append(out, ir.DerivedCheck{Constraint: d.check.name, Expr: d.expr.SQL()})
	}
	return out
}
