package compiler

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
)

// byHand is the condition under which the row of an AFTER trigger was written by
// somebody else than the trigger that counts: outside of any trigger, or with the
// rights of a role that does not own the table. A trigger that a client puts on a
// table of its own runs with the client's rights; to grant the right to make
// triggers on to others is what GRANT ALL leaves to the owner.
func byHand(record string) string {
	return "pg_trigger_depth() = 0 OR NOT has_table_privilege(" + record + ".tableoid, 'TRIGGER WITH GRANT OPTION')"
}

// guardCounters refuses every write of a table of counters that is not the
// counting trigger's: whoever could set a counter could pass the rule.
func (c *compilation) guardCounters(counters *ir.Table, what, rule string, origin ir.Origin, at hcl.Range) []ir.ObjectID {
	message := "rows of " + counters.Name + " are kept by the triggers of " + rule
	triggers := []ir.Trigger{
		{Name: counters.Name + "_kept", Events: []ir.TriggerEvent{ir.OnInsert, ir.OnUpdate}, When: byHand("NEW"), Args: []string{frozen, counters.Name, message}},
		{Name: counters.Name + "_kept_delete", Events: []ir.TriggerEvent{ir.OnDelete}, When: byHand("OLD"), Args: []string{frozen, counters.Name, message}},
		{Name: counters.Name + "_truncate", Before: true, PerStatement: true, Events: []ir.TriggerEvent{ir.OnTruncate}, Args: []string{frozen, counters.Name, message}},
	}
	return c.refusingOn(counters, origin, at, what, triggers)
}

// guardParent keeps the counter on the parent's rows what the rows of the group
// say: nobody sets it, and a parent begins without rows and keeps its key for as
// long as rows count under it.
func (c *compilation) guardParent(t *table, l *limit, origin ir.Origin) []ir.ObjectID {
	parent, used := l.parent.ref.Name, ir.Ident(l.used)
	what := "a trigger of limit " + quote(l.label)
	renamed := make([]string, len(l.key))
	for i, name := range l.key {
		renamed[i] = "OLD." + ir.Ident(name) + " IS DISTINCT FROM NEW." + ir.Ident(name)
	}
	kept := l.used + " of " + parent + " is kept by the triggers of limit " + l.label
	guards := c.refusing(l.parent, origin, l.decl.Header, what, []ir.Trigger{
		{Name: l.check + "_given", Events: []ir.TriggerEvent{ir.OnInsert}, When: "NEW." + used + " <> 0", Args: []string{frozen, l.check, kept}},
		{
			Name: l.check + "_kept", Events: []ir.TriggerEvent{ir.OnUpdate},
			When: "OLD." + used + " IS DISTINCT FROM NEW." + used + " AND (" + byHand("NEW") + ")", Args: []string{frozen, l.check, kept},
		},
		{
			Name: l.check + "_key", Events: []ir.TriggerEvent{ir.OnUpdate},
			When: "OLD." + used + " <> 0 AND (" + strings.Join(renamed, " OR ") + ")",
			Args: []string{frozen, l.check, and(l.key) + " of " + parent + " " + stays(l.key) + " while rows of " + t.ref.Name + " count under it"},
		},
	})
	name := l.check + "_again"
	if !c.claimName(space{functionSpace, l.parent.ref.Schema, "", name}, what, l.decl.Header) ||
		!c.claimName(space{triggerSpace, l.parent.ref.Schema, parent, name}, what, l.decl.Header) {
		return guards
	}
	c.program.Schema.Functions = append(c.program.Schema.Functions, ir.Function{
		Schema: l.parent.ref.Schema, Name: name, Returns: "trigger", Language: "plpgsql", Body: l.againBody(),
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"}, Origin: origin,
	})
	l.parent.schema.Triggers = append(l.parent.schema.Triggers, ir.Trigger{
		Name: name, Events: []ir.TriggerEvent{ir.OnDelete}, FuncSchema: l.parent.ref.Schema, FuncName: name, Origin: origin,
	})
	return append(guards,
		ir.ObjectID{Kind: ir.FunctionObject, Schema: l.parent.ref.Schema, Name: name},
		ir.ObjectID{Kind: ir.TriggerObject, Schema: l.parent.ref.Schema, Table: parent, Name: name})
}

// stays is the verb for some names.
func stays(names []string) string {
	if len(names) == 1 {
		return "stays"
	}
	return "stay"
}

// againBody is the function that refuses a parent which the statement that deletes
// it puts back, by an INSERT or by another row's UPDATE: its rows, which the
// foreign key would leave in place, would have a counter that does not know them.
func (l *limit) againBody() string {
	match := make([]string, len(l.key))
	for i, name := range l.key {
		match[i] = "p." + ir.Ident(name) + " = OLD." + ir.Ident(name)
	}
	return "BEGIN\n  IF EXISTS (SELECT FROM " + l.parent.ref.SQL() + " AS p WHERE " + strings.Join(match, " AND ") + ") THEN\n" +
		"    RAISE EXCEPTION USING\n      ERRCODE = " + ir.Literal(frozen) + ", SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = " + ir.Literal(l.check) +
		",\n      MESSAGE = " + ir.Literal("one statement deletes a row of "+l.parent.ref.Name+" and puts it back: "+l.used+" would not know its rows") +
		",\n      HINT = 'update the row, or delete and insert it in two statements';\n  END IF;\n  RETURN NULL;\nEND"
}

// limitReferences reports foreign keys whose actions would take the rows of a
// parent along when its key changes: the counter stands on the parent, so that its
// key stays while rows count.
func (c *compilation) limitReferences(t *table) {
	for _, l := range t.counted {
		if l.parent == nil {
			continue
		}
		for _, r := range t.parents {
			a := r.schema.OnUpdate
			if r.parent != l.parent || !sameNames(r.columns, columnList(l.per)) || a == ir.NoAction || a == ir.Restrict {
				continue
			}
			c.report(diag.Diagnostic{
				Code:        diag.GroupColumn,
				Detail:      "ON UPDATE " + string(a) + " writes " + and(r.columns) + ", which " + makes(r.columns) + " the groups of limit " + quote(l.label) + ".",
				Subject:     r.decl.OnUpdate.Range,
				Label:       "takes the rows of a group elsewhere",
				Related:     []diag.Related{{Range: l.decl.List, Text: "makes the groups"}},
				Consequence: "The counter stands on the row of " + quote(r.parent.label) + " and goes along with its key: the rows that follow would be counted twice. A trigger refuses a new key while rows count (PW002).",
				Help:        `write "restrict", or leave on_update out: a key that changes is better no key`,
			})
		}
	}
}

// makes is the verb for some names.
func makes(names []string) string {
	if len(names) == 1 {
		return "makes"
	}
	return "make"
}

// lowerFinite adds the check that keeps what has no number out of a sum: once NaN
// or an infinity is in it, nothing that is taken away brings it back.
func (c *compilation) lowerFinite(t *table, l *limit, origin ir.Origin) []ir.ObjectID {
	if l.sum == nil || l.sum.typ.Base().Name != "numeric" {
		return nil
	}
	name := t.ref.Name + "_" + l.stem + "_finite"
	if !c.claimConstraint(t, name, "the check of the sum of limit "+quote(l.label), l.decl.Header, false) {
		return nil
	}
	origin.Why = "NaN and infinity have no sum that can be taken away from again"
	t.addCheck(&check{
		name: name, label: l.label + "_finite", expr: built(ir.Ident(l.sum.name) + " NOT IN ('NaN', 'Infinity', '-Infinity')"), address: l.address,
		doc: l.sum.name + " is no finite number",
	}, origin)
	return []ir.ObjectID{{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: name}}
}
