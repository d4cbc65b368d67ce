package compiler

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// live reads the predicate that names the rows that count.
func (c *compilation) live(t *table) {
	if len(t.decl.LiveStates) > 0 {
		c.liveStates(t)
	}
	t.alive = c.predicate(t, t.decl.Live, "live")
}

// liveStates makes a predicate of a list of states, over the column of the one
// transitions block.
func (c *compilation) liveStates(t *table) {
	states := t.decl.LiveStates
	at := hcl.RangeBetween(states[0].Range, states[len(states)-1].Range)
	if n := len(t.decl.Transitions); n != 1 {
		c.report(diag.Diagnostic{
			Code:        diag.LiveStates,
			Detail:      "The table " + quote(t.label) + " has " + plainInt(n) + " transitions blocks, and live lists states.",
			Subject:     at,
			Label:       "states of which column?",
			Consequence: "Nothing says which column holds them.",
			Help:        "write the condition: live = \"status IN ('…')\"",
		})
		return
	}
	column := t.decl.Transitions[0].Column.Text
	if column == "" {
		return // reported by dsl
	}
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.Text
	}
	own := *t.decl
	own.Live = &dsl.SQL{Text: inList(ir.Ident(column), names), Range: at}
	t.decl = &own
}

// predicate reads the condition of a partial index or constraint.
func (c *compilation) predicate(t *table, src *dsl.SQL, what string) *expression {
	return c.parse(src, what, row{table: t, condition: true})
}

// where is the predicate of an invariant: its own, else the table's live. It is
// false when the invariant's own cannot be read.
func (c *compilation) where(t *table, own *dsl.SQL) (*expression, bool) {
	if own == nil {
		return t.alive, t.alive != nil || t.decl.Live == nil
	}
	e := c.predicate(t, own, "predicate")
	if e != nil && pgsql.Same(e.Expr, built("true")) {
		return nil, true
	}
	return e, e != nil
}

// whereReason tells where a predicate comes from, and what since leaves out of it.
func whereReason(t *table, own *dsl.SQL, where *expression) []ir.Reason {
	var reasons []ir.Reason
	if where != nil && own == nil && t.alive != nil {
		reasons = append(reasons, ir.Reason{
			Choice: "WHERE " + t.alive.SQL(),
			Why:    "inherited from live of " + t.address + ": rows that are not live do not count.",
		})
	}
	if where != nil && where.since != nil {
		reasons = append(reasons, sinceReason(where.since))
	}
	return reasons
}

// ignoresLive reports a predicate that also covers rows that are not live.
func (c *compilation) ignoresLive(t *table, decl dsl.Block, own *dsl.SQL, where *expression, what string) {
	if own == nil || t.alive == nil {
		return
	}
	if where != nil && implies(where.Expr, t.alive.Expr) {
		return
	}
	c.finding(decl.Allow, diag.Diagnostic{
		Code:        diag.IgnoresLive,
		Detail:      "This " + what + " also covers rows of " + quote(t.label) + " that are not live.",
		Subject:     own.Range,
		Label:       "does not say " + t.alive.SQL(),
		Related:     []diag.Related{{Range: t.decl.Live.Range, Text: "the rows that count"}},
		Consequence: "A row that was taken away keeps its values: putting in a new one with the same values fails, although nobody sees the old one.",
		Help: "leave `where` out to inherit live, or add AND " + t.alive.SQL() + ", or say that it is meant: " +
			allowHint(diag.IgnoresLive, "a name is never given again"),
	})
}

// conditionSQL is the SQL of a predicate, empty for none.
func conditionSQL(e *expression) string {
	if e == nil {
		return ""
	}
	return e.SQL()
}

// andWhere appends a predicate to a condition.
func andWhere(condition string, where *pgsql.Expr) string {
	if where == nil {
		return condition
	}
	return condition + " AND (" + where.SQL() + ")"
}

// exprOf is the parsed form of an expression that may be missing.
func exprOf(e *expression) *pgsql.Expr {
	if e == nil {
		return nil
	}
	return e.Expr
}

// guaranteesNotNull reports whether a predicate leaves out the rows where a
// column is NULL.
func guaranteesNotNull(where *expression, column string) bool {
	if where == nil {
		return false
	}
	want := built(ir.Ident(column) + " IS NOT NULL")
	return slices.ContainsFunc(where.Conjuncts(), func(part *pgsql.Expr) bool { return pgsql.Same(part, want) })
}
