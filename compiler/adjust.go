package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// adjust is an adjust block after its checks.
type adjust struct {
	decl     *dsl.Adjust
	address  string
	input    input
	set      []assignment
	guard    *expression
	checks   []derived
	positive []string
	demands  []demand
}

// adjusts compiles the adjust blocks of a table.
func (c *compilation) adjusts(t *table) {
	for _, decl := range t.decl.Adjusts {
		a := &adjust{decl: decl, address: inside(t.address, "adjust", decl.Block), input: c.input(t, decl.Args)}
		set, ok := c.assignments(t, &a.input, decl.Set, nil, "adjust")
		a.set = set
		a.guard = c.parse(decl.Guard, "guard", row{table: t, args: a.input.names, changing: pgsql.Stable, condition: true})
		if a.guard != nil {
			a.input.use(t, a.guard.Expr)
		}
		if !ok || a.input.broken || len(a.set) == 0 || decl.Guard != nil && a.guard == nil {
			continue
		}
		c.unused(a.input)
		if !c.positiveArguments(a) || len(t.key) == 0 {
			continue
		}
		a.checks = c.derive(t, a.set, a.input.fields)
		c.nullArithmetic(t, decl.Allow, a.set, a.guard)
		a.demands = demands(a.input, a.positive, a.set)
		c.lowerAdjust(t, a)
	}
}

// positiveArguments marks the arguments that have to be above zero: those of
// the attribute, else the numeric ones that set adds or subtracts.
func (c *compilation) positiveArguments(a *adjust) bool {
	ok := true
	if a.decl.PositiveSet {
		for _, n := range a.decl.Positive {
			ok = c.positiveArgument(a, n) && ok
		}
	} else {
		for _, s := range a.set {
			for _, name := range s.expr.Addends() {
				if !slices.Contains(a.positive, name) && a.numeric(name) {
					a.positive = append(a.positive, name)
				}
			}
		}
	}
	for i, f := range a.input.fields {
		a.input.fields[i].Positive = slices.Contains(a.positive, f.Name)
	}
	return ok
}

func (a *adjust) numeric(name string) bool {
	return slices.ContainsFunc(a.input.fields, func(f ir.Field) bool { return f.Name == name && familyOf(f.Type).numeric })
}

func (c *compilation) positiveArgument(a *adjust, n dsl.Name) bool {
	if n.Text == "" {
		return false
	}
	if a.numeric(n.Text) {
		a.positive = append(a.positive, n.Text)
		return true
	}
	var names []string
	known := false
	for _, f := range a.input.fields {
		known = known || f.Name == n.Text
		if familyOf(f.Type).numeric {
			names = append(names, f.Name)
		}
	}
	d := diag.Diagnostic{
		Code:        diag.PositiveArgument,
		Detail:      "The adjust has no argument " + quote(n.Text) + ".",
		Subject:     n.Range,
		Label:       "no such argument",
		Consequence: "Nothing would be checked, and a caller could pass a negative amount.",
		Help:        didYouMean(n.Text, names, "leave positive out: this adjust has no numeric argument"),
	}
	if known {
		d.Detail, d.Label = "The argument "+quote(n.Text)+" is not a number.", "not a number"
	}
	c.report(d)
	return false
}

// lowerAdjust records the invariant and adds its operation.
func (c *compilation) lowerAdjust(t *table, a *adjust) {
	name := nameOf(a.decl.Name, a.decl.Rename)
	inv := &ir.Adjust{Set: recordSet(a.set), Checks: recordChecks(a.checks), Base: ir.Facts{
		Address: a.address, Kind: "adjust", Table: t.ref,
		Promise:   a.promise(t),
		Mechanism: "one conditional UPDATE",
		Reasons: slices.Concat([]ir.Reason{{
			Choice: "one conditional UPDATE",
			Why: "reading " + and(assigned(a.set)) + " first and writing then loses updates: two callers both start from the old value. The new value is " +
				"computed from the newest row inside the statement.",
		}}, derivedReason(a.checks)),
		Violators: checkViolators(t, a.checks),
		Pos:       pos(a.decl.Header),
	}}
	if a.guard != nil {
		inv.Guard = a.guard.SQL()
	}
	for _, d := range a.checks {
		if id := d.check.object(t); !slices.Contains(inv.Base.Objects, id) {
			inv.Base.Objects = append(inv.Base.Objects, id)
		}
	}
	t.invariants = append(t.invariants, inv)

	p := newParameters(t.keyFields(), a.input.fields)
	conditions := guardConditions(p, nil, a.checks)
	conditions = append(conditions, guardConditions(p, a.guard, nil)...)
	conditions = append(conditions, demandConditions(p, a.demands)...)
	op := ir.Operation{
		Address: a.address, Name: name, Kind: ir.AdjustOp,
		Doc: a.doc(t),
		Statements: []ir.Statement{
			t.updateStatement(a.address, p, a.set, conditions),
			t.explainStatement(a.address, a.input.fields, a.arms()),
		},
		Key: t.keyFields(), Args: a.input.fields,
		Lock:    ir.RowWriteLock,
		Reasons: slices.Concat(inv.Base.Reasons, []ir.Reason{t.updateLock(assigned(a.set)), conditionalReason}, a.positiveReason(), numberReason(a.demands)),
		Pos:     pos(a.decl.Header),
	}
	c.runs(&op, a.decl.Transaction, a.decl.Wait)
	w := write{updates: assigned(a.set), guarded: true, set: a.set, facts: &inv.Base}
	batch := many{table: t, args: a.input.fields, set: a.set, arms: a.arms(), once: true}
	one := op
	t.lockFirst(&one, assigned(a.set))
	t.addOperation(one, w)
	batch.addMany(op, w)
}

func (a *adjust) positiveReason() []ir.Reason {
	if len(a.positive) == 0 {
		return nil
	}
	return []ir.Reason{{
		Choice: and(a.positive) + " above zero",
		Why: "set adds or subtracts " + and(a.positive) + ": with a negative amount the operation would do the opposite of its name, past the guards that " +
			"look at one direction. It is checked in Go and again in the statement.",
	}}
}

// arms are the answers of the explain statement.
func (a *adjust) arms() []arm {
	return append(demandArms(a.demands), guardArms(a.guard, a.checks)...)
}

// checkViolators finds rows that break one of the checks.
func checkViolators(t *table, checks []derived) string {
	var parts []string
	for _, d := range checks {
		if d.check.domain == nil { // what is in a column of a domain has been through its checks
			parts = append(parts, "("+d.check.expr.SQL()+") IS FALSE")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "SELECT " + strings.TrimSuffix(t.keyColumns(), ", ") + " FROM " + t.ref.SQL() + " WHERE " + strings.Join(parts, " OR ")
}

func (a *adjust) promise(t *table) string {
	p := "Concurrent calls change " + and(assigned(a.set)) + " of a row of " + t.ref.Name + " one after the other, none is lost"
	var kept []string
	for _, d := range a.checks {
		kept = append(kept, d.shown.SQL())
	}
	if len(kept) > 0 {
		p += ", and afterwards " + and(kept) + " still " + holds(kept)
	}
	return p + "."
}

func holds(list []string) string {
	if len(list) == 1 {
		return "holds"
	}
	return "hold"
}

// doc says what the method does.
func (a *adjust) doc(t *table) string {
	var b strings.Builder
	parts := make([]string, len(a.set))
	for i, s := range a.set {
		parts[i] = s.column.name + " to " + s.expr.SQL()
	}
	b.WriteString("sets " + and(parts) + " in a row of " + t.ref.Name + ", in one UPDATE that starts from the newest values: no concurrent call is lost. ")
	if len(a.checks) > 0 || a.guard != nil {
		b.WriteString("When ")
		var conditions []string
		for _, d := range a.checks {
			conditions = append(conditions, d.shown.SQL())
		}
		if a.guard != nil {
			conditions = append(conditions, a.guard.SQL())
		}
		b.WriteString(and(conditions) + " would not hold, nothing is written and the guard error names the condition. ")
	}
	b.WriteString(demandDoc(a.demands))
	b.WriteString("A missing row is not found.")
	return b.String()
}
