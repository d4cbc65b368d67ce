package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// freeze is what a table keeps from changing: some columns, or whole rows.
type freeze struct {
	label, address string
	name           string // of its first trigger, and what a violation is reported as
	columns        []string
	doc            string
}

// appendOnly reports whether rows are only added. A queue's table, which no
// table block declares, never is.
func (t *table) appendOnly() bool { return t.decl != nil && t.decl.AppendOnly.V }

// frozen compiles append_only, or the immutable columns. In a table whose rows
// never change its columns do not either, so that one of the two is enough.
func (c *compilation) frozen(t *table) {
	if t.appendOnly() {
		c.frozenStates(t)
		c.lowerAppendOnly(t)
		return
	}
	var columns []*column
	for _, col := range t.columns {
		if col.decl.Immutable.V {
			columns = append(columns, col)
		}
	}
	if len(columns) > 0 {
		c.frozenStates(t)
		c.lowerImmutable(t, columns)
	}
}

// lowerImmutable adds the triggers that refuse a change of the columns.
//
// Two of them ask the same. The AFTER trigger sees what is stored, after every
// BEFORE trigger had its hand in the row. PostgreSQL does not fire it for an
// UPDATE that moves the row to another partition, which is a DELETE and an
// INSERT to it; the BEFORE trigger sees that one.
func (c *compilation) lowerImmutable(t *table, columns []*column) {
	names := columnList(columns)
	f := freeze{
		label: "immutable", address: under(t.address, "immutable"), name: t.ref.Name + "_immutable", columns: names,
		doc: and(names) + " of " + t.ref.Name + " would change",
	}
	changes := make([]string, len(columns))
	for i, col := range columns {
		changes[i] = changed(col)
	}
	when := strings.Join(changes, " OR ")
	message := and(names) + " of " + t.ref.Name + " never " + change(names)
	inv := &ir.Immutable{Columns: names, Base: ir.Facts{
		Address: f.address, Kind: "immutable", Table: t.ref,
		Promise: "Once a row of " + t.ref.Name + " is stored, its " + and(names) + " never " + change(names) + ".",
		Mechanism: "for every client triggers " + f.name + " and " + f.name + "_before, which compare the old row with the new one, and " +
			f.name + "_truncate",
		Reasons: []ir.Reason{{
			Choice: "triggers",
			Why: "a privilege on columns binds one role, and no client that has another one. The rule is the triggers' WHEN, which the catalog prints " +
				"back, so a changed rule shows in a plan. A row that is written with the same values passes.",
		}, {
			Choice: "AFTER and BEFORE",
			Why: "AFTER sees what another BEFORE trigger has made of the row; BEFORE sees an UPDATE that moves the row to another partition, which is a " +
				"DELETE and an INSERT to the AFTER trigger.",
		}, {
			Choice: "what it costs",
			Why:    "two comparisons of the row in memory for each row that is updated, no query and no lock: nobody waits for anybody because of it.",
		}, truncateReason},
		Pos: pos(columns[0].decl.Immutable.Range),
	}}
	update := []ir.TriggerEvent{ir.OnUpdate}
	inv.Base.Objects = c.lowerFreeze(t, f, columns[0].decl.Immutable.Range, "immutable = true", []ir.Trigger{
		{Name: f.name, Events: update, When: when, Args: []string{frozen, f.name, message}},
		{Name: f.name + "_before", Before: true, Events: update, When: when, Args: []string{frozen, f.name, message}},
	})
	t.invariants = append(t.invariants, inv)
}

// change is the verb for some names.
func change(names []string) string {
	if len(names) == 1 {
		return "changes"
	}
	return "change"
}

// changed spells that a column has another value than before. Types without an
// equality of their own, and those that pawl does not know, are compared by their
// text: "=" of citext, or of polygon, is true for values that differ.
func changed(col *column) string {
	name := ir.Ident(col.name)
	if col.typ.Kind == ir.OtherType || familyOf(col.typ).noOrder {
		return "OLD." + name + "::text IS DISTINCT FROM NEW." + name + "::text"
	}
	return "OLD." + name + " IS DISTINCT FROM NEW." + name
}

// lowerAppendOnly adds the triggers that refuse every UPDATE, DELETE and
// TRUNCATE. They are per row: a statement that meets no row does no harm, and a
// partition has them too.
func (c *compilation) lowerAppendOnly(t *table) {
	f := freeze{
		label: "append_only", address: under(t.address, "append_only"), name: t.ref.Name + "_append_only",
		doc: "a row of " + t.ref.Name + " would be changed or deleted",
	}
	at := t.decl.AppendOnly.Range
	inv := &ir.AppendOnly{Base: ir.Facts{
		Address: f.address, Kind: "append_only", Table: t.ref,
		Promise:   "Rows of " + t.ref.Name + " are added, and never changed or deleted.",
		Mechanism: "for every client BEFORE triggers " + f.name + " and " + f.name + "_truncate, which refuse UPDATE, DELETE and TRUNCATE",
		Reasons: []ir.Reason{{
			Choice: "triggers",
			Why:    "a missing privilege binds one role, and no client that has another one. No method that changes or deletes a row is generated.",
		}, {
			Choice: "BEFORE ROW",
			Why: "a statement that meets no row does no harm and passes; each partition has the trigger too; and INSERT … ON CONFLICT DO UPDATE is refused " +
				"where it would update.",
		}, {
			Choice: "what it costs",
			Why:    "nothing for rows that come in, which no trigger looks at: nobody waits for anybody because of it.",
		}, truncateReason},
		Pos: pos(at),
	}}
	inv.Base.Objects = c.lowerFreeze(t, f, at, "append_only", []ir.Trigger{{
		Name: f.name, Before: true, Events: []ir.TriggerEvent{ir.OnUpdate, ir.OnDelete},
		Args: []string{frozen, f.name, "rows of " + t.ref.Name + " are never changed or deleted"},
	}})
	t.invariants = append(t.invariants, inv)
}

// truncateReason is why TRUNCATE has a trigger of its own.
var truncateReason = ir.Reason{
	Choice: "BEFORE TRUNCATE",
	Why:    "TRUNCATE fires no trigger for rows: without one of its own it would take them all, past every rule.",
}

// refusesTruncate is the trigger that refuses TRUNCATE in the name of a rule.
func refusesTruncate(t *table, code, name string) ir.Trigger {
	return ir.Trigger{
		Name: name + "_truncate", Before: true, PerStatement: true, Events: []ir.TriggerEvent{ir.OnTruncate},
		Args: []string{code, name, t.ref.Name + " is not truncated: its rules look at rows"},
	}
}

// lowerFreeze puts the triggers of a freeze on the table, and one against
// TRUNCATE.
func (c *compilation) lowerFreeze(t *table, f freeze, at hcl.Range, what string, triggers []ir.Trigger) []ir.ObjectID {
	t.freezes = append(t.freezes, f)
	triggers = append(triggers, refusesTruncate(t, frozen, f.name))
	return c.refusing(t, ir.Origin{Address: f.address, Pos: pos(at)}, at, "a trigger of "+what+" of "+quote(t.label), triggers)
}

// refusing puts triggers on the table that do nothing but raise.
func (c *compilation) refusing(t *table, origin ir.Origin, at hcl.Range, what string, triggers []ir.Trigger) []ir.ObjectID {
	return c.refusingOn(&t.schema, origin, at, what, triggers)
}

// refusingOn is refusing for a table that no block declares.
func (c *compilation) refusingOn(t *ir.Table, origin ir.Origin, at hcl.Range, what string, triggers []ir.Trigger) []ir.ObjectID {
	c.refusals[t.Schema] = true
	objects := []ir.ObjectID{{Kind: ir.FunctionObject, Schema: t.Schema, Name: refusalFunction}}
	for _, trigger := range triggers {
		if !c.claimName(space{triggerSpace, t.Schema, t.Name, trigger.Name}, what, at) {
			continue
		}
		trigger.FuncSchema, trigger.FuncName, trigger.Origin = t.Schema, refusalFunction, origin
		t.Triggers = append(t.Triggers, trigger)
		objects = append(objects, ir.ObjectID{Kind: ir.TriggerObject, Schema: t.Schema, Table: t.Name, Name: trigger.Name})
	}
	return objects
}

// kept is the attribute that keeps a column from changing, and what it says;
// false when it may change.
func (t *table) kept(col *column) (at hcl.Range, says string, is bool) {
	switch {
	case t.appendOnly():
		return t.decl.AppendOnly.Range, "append_only = true", true
	case col != nil && col.decl != nil && col.decl.Immutable.V:
		return col.decl.Immutable.Range, "immutable = true", true
	}
	for _, s := range t.sequences {
		if col == s.column || slices.Contains(s.per, col) {
			return s.decl.Header, "sequence " + quote(s.label), true
		}
	}
	return hcl.Range{}, "", false
}

// keeps reports whether a column never changes.
func (t *table) keeps(col *column) bool {
	_, _, is := t.kept(col)
	return is
}

// gapless reports whether a sequence of the table keeps all of its rows.
func (t *table) gapless() bool {
	return slices.ContainsFunc(t.sequences, func(s *sequence) bool { return s.gapless })
}

// writesFrozen reports an operation that writes a column which never changes.
func (c *compilation) writesFrozen(t *table, col *column, at hcl.Range, what string) bool {
	kept, says, is := t.kept(col)
	if !is {
		return false
	}
	d := diag.Diagnostic{
		Code:        diag.ImmutableColumn,
		Detail:      "This " + what + " writes the column " + quote(col.name) + ", which never changes.",
		Subject:     at,
		Label:       "never changes",
		Related:     []diag.Related{{Range: kept, Text: says}},
		Consequence: "A trigger refuses the UPDATE for every client (PW002): the " + what + " would fail on every call.",
		Help:        "leave it out of this " + what + ", or leave immutable = true out",
	}
	if t.appendOnly() {
		d.Detail = "This " + what + " changes rows of " + quote(t.label) + ", which are never changed."
		d.Help = "leave the " + what + " out and insert a row that says what happened, or leave append_only = true out"
	}
	c.report(d)
	return true
}

// frozenStates reports state machines over columns that never change.
func (c *compilation) frozenStates(t *table) {
	for _, s := range t.states {
		if _, _, is := t.kept(s.column); is {
			c.writesFrozen(t, s.column, s.decl.Header, "transitions block")
		}
	}
}

// frozenReferences reports foreign keys whose actions write what never changes.
func (c *compilation) frozenReferences(t *table) {
	for _, r := range t.parents {
		c.frozenAction(t, r, r.decl.OnDelete, r.schema.OnDelete, "DELETE")
		c.frozenAction(t, r, r.decl.OnUpdate, r.schema.OnUpdate, "UPDATE")
	}
}

func (c *compilation) frozenAction(t *table, r *reference, v dsl.Value[string], a ir.Action, event string) {
	if a == ir.NoAction || a == ir.Restrict || a == ir.Cascade && event == "DELETE" && !t.appendOnly() && !t.gapless() {
		return
	}
	i := slices.IndexFunc(r.columns, func(name string) bool {
		_, _, is := t.kept(t.byName[name])
		return is
	})
	if i < 0 {
		return
	}
	at, says, _ := t.kept(t.byName[r.columns[i]])
	c.report(diag.Diagnostic{
		Code:        diag.ImmutableColumn,
		Detail:      "ON " + event + " " + string(a) + " would write rows of " + quote(t.label) + " that never change.",
		Subject:     v.Range,
		Label:       "writes what never changes",
		Related:     []diag.Related{{Range: at, Text: says}},
		Consequence: "A trigger refuses it (PW002): every " + event + " of a parent that has children would fail.",
		Help:        `write "restrict", which says so before it starts, or leave ` + says + " out",
	})
}
