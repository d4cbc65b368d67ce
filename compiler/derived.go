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
}

// derive replaces the assigned columns in every CHECK that mentions one.
func (c *compilation) derive(t *table, set []assignment) []derived {
	values := map[string]*pgsql.Expr{}
	for _, a := range set {
		values[a.column.name] = a.value
	}
	var list []derived
	for _, k := range t.checks {
		if !slices.ContainsFunc(k.columns, func(name string) bool { return values[name] != nil }) {
			continue
		}
		list = append(list, derived{check: k, expr: k.expr.Substitute(values)})
		for _, a := range set {
			c.volatileInCheck(k, a)
		}
	}
	return list
}

// volatileInCheck refuses a value that differs at each evaluation where a CHECK
// has to be decided on it before it is stored.
func (c *compilation) volatileInCheck(k *check, a assignment) {
	if !slices.Contains(k.columns, a.column.name) {
		return
	}
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
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.check.name
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
