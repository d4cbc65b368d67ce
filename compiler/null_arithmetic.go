package compiler

import (
	"slices"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// nullArithmetic warns about set = { n = "n + @by" } where n may be NULL: the
// result is NULL then, a CHECK over it counts as kept, and the caller hears that
// all went well. A guard or check that leaves such rows out is enough.
func (c *compilation) nullArithmetic(t *table, allow []dsl.Allow, set []assignment, guard *expression) {
	for _, a := range set {
		if !a.column.null || !a.expr.Computes() {
			continue // another column would answer 23502
		}
		name := a.expr.NullFrom(func(name string) bool { return t.byName[name].null && !t.keptFromNull(name, guard) })
		if name == "" {
			continue
		}
		c.finding(allow, diag.Diagnostic{
			Severity: diag.Warning,
			Code:     diag.NullArithmetic,
			Detail:   "The column " + quote(name) + " may be NULL, and then the new value of " + quote(a.column.name) + " is NULL, whatever the rest is.",
			Subject:  a.source.Range,
			Label:    quote(name) + " may be NULL",
			Related:  []diag.Related{{Range: t.byName[name].decl.Null.Range, Text: "null = true"}},
			Consequence: "The row is changed to NULL, or stays NULL, and the caller hears that all went well: the amount is lost. A CHECK takes NULL " +
				"as kept.",
			Help: "write coalesce(" + name + ", 0), or guard = " + quote(name+" IS NOT NULL") + ", or leave null = true out; or say that it is meant: " +
				allowHint(diag.NullArithmetic, "no price stays no price"),
		})
	}
}

// keptFromNull reports whether a write passes over rows where a column is NULL:
// its guard cannot be true for them, or a check keeps them out of the table.
func (t *table) keptFromNull(name string, guard *expression) bool {
	if slices.ContainsFunc(t.checks, func(k *check) bool { return guaranteesNotNull(&expression{Expr: k.expr}, name) }) {
		return true
	}
	if guaranteesNotNull(guard, name) {
		return true
	}
	if guard == nil {
		return false
	}
	only := func(other string) bool { return other == name }
	return slices.ContainsFunc(guard.Conjuncts(), func(part *pgsql.Expr) bool { return part.Compares() && part.NullFrom(only) != "" })
}
