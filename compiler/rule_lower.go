package compiler

import (
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// groupsAlias is the groups in a query that looks for those in which a rule is
// broken.
const groupsAlias = "pawl_group"

// lowerRule puts the triggers on the tables and records what was decided.
func (c *compilation) lowerRule(r *rule) {
	inv := &ir.SetRule{
		Holds: r.query.SQL(), Args: r.args, Key: r.key, Groups: r.groups(),
		Base: ir.Facts{
			Address: r.address, Kind: "rule", Table: r.home().ref,
			Promise:   r.promise(),
			Mechanism: "deferred triggers " + r.name + "_… that ask at COMMIT, writes of " + and(r.tableNames()) + " at SERIALIZABLE alone",
			Reasons:   r.reasons(),
			Violators: r.violators(),
			Pos:       pos(r.decl.Header),
		},
	}
	if r.parent != nil {
		inv.Parent = r.parent.ref
	}
	for _, o := range r.on {
		inv.On = append(inv.On, ir.RuledRows{Table: o.ref, Columns: columnList(o.columns)})
	}
	c.lowerRuleTriggers(r, &inv.Base)
	r.facts = &inv.Base
	for _, o := range r.on {
		o.ruledBy = append(o.ruledBy, o)
	}
	if r.parent != nil {
		r.parent.begins = append(r.parent.begins, r)
	}
	home := r.home()
	home.homeOf = append(home.homeOf, r)
	home.invariants = append(home.invariants, inv)
}

func (r *rule) tableNames() []string {
	names := make([]string, len(r.on))
	for i, o := range r.on {
		names[i] = o.ref.Name
	}
	return names
}

func (r *rule) promise() string {
	of := ""
	switch {
	case r.parent != nil:
		of = " for every row of " + r.parent.ref.Name
	case len(r.args) > 0:
		of = " for every " + and(fieldNames(r.args)) + " that " + or(r.tableNames()) + " names"
	}
	return "At every COMMIT this is true" + of + ": " + r.query.SQL()
}

// holds spells the query as a condition over values of the arguments.
func (r *rule) holds(value func(name string) string) string {
	return "(" + r.query.WithValues(value) + ")"
}

// groups selects the groups that there are.
func (r *rule) groups() string {
	if len(r.args) == 0 {
		return ""
	}
	from := func(ref ir.TableRef, columns []string) string {
		list, given := make([]string, len(columns)), make([]string, len(columns))
		for i, name := range columns {
			list[i] = ir.Ident(name) + " AS " + ir.Ident(r.args[i].Name)
			given[i] = ir.Ident(name) + " IS NOT NULL"
		}
		return "SELECT " + strings.Join(list, ", ") + " FROM " + ref.SQL() + " WHERE " + strings.Join(given, " AND ")
	}
	if r.parent != nil {
		return from(r.parent.ref, r.key)
	}
	parts := make([]string, len(r.on))
	for i, o := range r.on {
		parts[i] = from(o.ref, columnList(o.group))
	}
	if len(parts) == 1 {
		return strings.Replace(parts[0], "SELECT ", "SELECT DISTINCT ", 1)
	}
	return strings.Join(parts, " UNION ")
}

// violators finds the groups in which the rule does not hold.
func (r *rule) violators() string {
	if len(r.args) == 0 {
		return "SELECT false AS holds WHERE " + r.holds(ir.Ident) + " IS NOT TRUE"
	}
	of := func(name string) string { return groupsAlias + "." + ir.Ident(name) }
	names := make([]string, len(r.args))
	for i, f := range r.args {
		names[i] = of(f.Name)
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM (" + r.groups() + ") AS " + groupsAlias + " WHERE " + r.holds(of) + " IS NOT TRUE"
}

// ruleTriggers puts objects of one rule into the schema.
type ruleTriggers struct {
	*compilation
	rule    *rule
	origin  ir.Origin
	what    string
	objects []ir.ObjectID
}

// lowerRuleTriggers adds the functions and triggers.
func (c *compilation) lowerRuleTriggers(r *rule, facts *ir.Facts) {
	w := &ruleTriggers{compilation: c, rule: r, origin: ir.Origin{Address: r.address, Pos: facts.Pos}, what: "a trigger of rule " + quote(r.label)}
	names := fieldNames(r.args)
	left, came := w.function("_left", "OLD", names), ""
	if came = left; len(names) > 0 { // without arguments there is one group, and OLD or NEW does not matter
		came = w.function("_came", "NEW", names)
	}
	began, changed := "", ""
	if r.parent != nil {
		began = w.function("_began", "NEW", r.key)
	}
	for _, o := range r.on {
		if o.groups {
			if changed == "" {
				changed = w.function("_changed", "OLD", r.key)
			}
			w.deferred(o.table, changed, ir.Trigger{Name: r.name + "_update", Events: []ir.TriggerEvent{ir.OnUpdate}, When: o.touched()})
			w.serializable(o, false)
			continue
		}
		w.deferred(o.table, came, ir.Trigger{Name: r.name + "_insert", Events: []ir.TriggerEvent{ir.OnInsert}})
		w.deferred(o.table, left, ir.Trigger{Name: r.name + "_delete", Events: []ir.TriggerEvent{ir.OnDelete}},
			ir.Trigger{Name: r.name + "_update", Events: []ir.TriggerEvent{ir.OnUpdate}, When: o.touched()})
		if len(names) > 0 {
			w.deferred(o.table, came, ir.Trigger{Name: r.name + "_moved", Events: []ir.TriggerEvent{ir.OnUpdate}, When: anyChanged(o.group)})
		}
		w.serializable(o, true)
	}
	if r.parent != nil {
		key := make([]*column, len(r.key))
		for i, name := range r.key {
			key[i] = r.parent.byName[name]
		}
		w.deferred(r.parent, began, ir.Trigger{Name: r.name + "_parent", Events: []ir.TriggerEvent{ir.OnInsert}},
			ir.Trigger{Name: r.name + "_renamed", Events: []ir.TriggerEvent{ir.OnUpdate}, When: anyChanged(key)})
	}
	facts.Objects = w.objects
}

// anyChanged is the condition that one of some columns has another value.
func anyChanged(columns []*column) string {
	list := make([]string, len(columns))
	for i, col := range columns {
		list[i] = changed(col)
	}
	return strings.Join(list, " OR ")
}

// touched is the condition under which an UPDATE can break the rule.
func (o *ruled) touched() string { return anyChanged(o.columns) }

// function adds the function that asks whether the rule holds for the group that a
// record's columns name, and returns its name.
func (w *ruleTriggers) function(suffix, record string, columns []string) string {
	r, schema := w.rule, w.rule.home().ref.Schema
	name := r.name + suffix
	if !w.claimName(space{functionSpace, schema, "", name}, w.what, r.decl.Header) {
		return name
	}
	w.program.Schema.Functions = append(w.program.Schema.Functions, ir.Function{
		Schema: schema, Name: name, Returns: "trigger", Language: "plpgsql", Body: r.body(record, columns),
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"}, Origin: w.origin,
	})
	w.objects = append(w.objects, ir.ObjectID{Kind: ir.FunctionObject, Schema: schema, Name: name})
	return name
}

// body looks at one group. A NULL names no group, and a group whose row is gone needs
// nothing. Whatever the query calls old or new is its own: the arguments are variables.
func (r *rule) body(record string, columns []string) string {
	variable := map[string]string{}
	var declared, null, is, detail []string
	for i, f := range r.args {
		v := "pawl_" + strconv.Itoa(i+1)
		variable[f.Name] = v
		declared = append(declared, "  "+v+" "+cast(f.Type)+" := "+record+"."+ir.Ident(columns[i])+";\n")
		null = append(null, v+" IS NULL")
		detail = append(detail, ir.Literal(f.Name+" = ")+", "+v)
		if r.parent != nil {
			is = append(is, "p."+ir.Ident(r.key[i])+" = "+v)
		}
	}
	var b strings.Builder
	b.WriteString("#variable_conflict use_column\n")
	if len(declared) > 0 {
		b.WriteString("DECLARE\n" + strings.Join(declared, ""))
	}
	b.WriteString("BEGIN\n")
	if len(null) > 0 {
		b.WriteString("  IF " + strings.Join(null, " OR ") + " THEN\n    RETURN NULL;\n  END IF;\n")
	}
	if r.parent != nil {
		b.WriteString("  IF NOT EXISTS (SELECT FROM " + r.parent.ref.SQL() + " AS p WHERE " + strings.Join(is, " AND ") + ") THEN\n    RETURN NULL;\n  END IF;\n")
	}
	home := r.home().ref
	b.WriteString("  IF " + r.holds(func(name string) string { return variable[name] }) + " IS NOT TRUE THEN\n" +
		"    RAISE EXCEPTION USING\n      ERRCODE = " + ir.Literal(brokenRule) + ", SCHEMA = " + ir.Literal(home.Schema) + ", TABLE = " + ir.Literal(home.Name) +
		", CONSTRAINT = " + ir.Literal(r.name) + ",\n      MESSAGE = " + ir.Literal("the rule "+r.name+" would not hold"))
	if len(detail) > 0 {
		b.WriteString(",\n      DETAIL = concat(" + strings.Join(detail, ", ', ', ") + ")")
	}
	b.WriteString(";\n  END IF;\n  RETURN NULL;\nEND")
	return b.String()
}

// deferred adds constraint triggers that ask at COMMIT.
func (w *ruleTriggers) deferred(t *table, function string, triggers ...ir.Trigger) {
	for _, g := range triggers {
		// A constraint trigger is a constraint too.
		if !w.claimName(space{triggerSpace, t.ref.Schema, t.ref.Name, g.Name}, w.what, w.rule.decl.Header) ||
			!w.claimName(space{constraintSpace, t.ref.Schema, t.ref.Name, g.Name}, w.what, w.rule.decl.Header) {
			continue
		}
		g.Deferred, g.FuncSchema, g.FuncName, g.Origin = true, w.rule.home().ref.Schema, function, w.origin
		t.schema.Triggers = append(t.schema.Triggers, g)
		w.objects = append(w.objects, ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: g.Name})
	}
}

// notSerializable is the condition under which PostgreSQL does not track what a
// transaction has read.
const notSerializable = "current_setting('transaction_isolation') <> 'serializable'"

// serializable adds the triggers that refuse a write at a weaker level, and TRUNCATE.
// They are AFTER ROW: another BEFORE trigger may change a column that the statement
// does not name, and a statement that meets no row does no harm.
func (w *ruleTriggers) serializable(o *ruled, rows bool) {
	r := w.rule
	args := []string{weakIsolation, r.name, o.ref.Name + " is written at SERIALIZABLE alone, because of the rule " + r.name}
	triggers := []ir.Trigger{{
		Name: r.name + "_level_update", Events: []ir.TriggerEvent{ir.OnUpdate}, When: "(" + o.touched() + ") AND " + notSerializable, Args: args,
	}}
	if rows {
		triggers = append(triggers,
			ir.Trigger{Name: r.name + "_level_insert", Events: []ir.TriggerEvent{ir.OnInsert}, When: notSerializable, Args: args},
			ir.Trigger{Name: r.name + "_level_delete", Events: []ir.TriggerEvent{ir.OnDelete}, When: notSerializable, Args: args},
			refusesTruncate(o.table, brokenRule, r.name))
	}
	for _, id := range w.refusing(o.table, w.origin, r.decl.Header, w.what, triggers) {
		if id.Kind != ir.FunctionObject || !containsObject(w.objects, id) {
			w.objects = append(w.objects, id)
		}
	}
}

func containsObject(list []ir.ObjectID, id ir.ObjectID) bool {
	for _, have := range list {
		if have == id {
			return true
		}
	}
	return false
}

func (r *rule) reasons() []ir.Reason {
	list := []ir.Reason{
		{
			Choice: "SERIALIZABLE, for every client",
			Why: "two clients who each take away one of the last two rows both see the other's. PostgreSQL tracks what serializable transactions have read, and " +
				"ends one of two that could not have run one after the other (40001). It tracks nothing of a weaker one, which would get past all others: so " +
				"triggers refuse its writes (PW007).",
		},
		{
			Choice: "the level is asked AFTER ROW, by WHEN over OLD and NEW",
			Why: "another BEFORE trigger may change a column that the statement does not name, and a foreign key's action is no statement of the client's. A write " +
				"that leaves the columns of the rule as they are passes at every level.",
		},
		{
			Choice: "the query is asked at COMMIT",
			Why: "rows change one after the other: what counts is what is committed. Asking is reading, too: it is by this that two writers meet. Anything but true, " +
				"NULL and no row included, breaks the rule. The error comes from the COMMIT; SET CONSTRAINTS … IMMEDIATE asks earlier.",
		},
		{
			Choice: "what it costs",
			Why: "a query for each row that is written, and now and then 40001 for two writers of one group, the second of whom is tried again. Without an index on " +
				"the query's path PostgreSQL takes the whole table for read, and every two writers meet.",
		},
		truncateReason,
	}
	if r.parent != nil {
		list = append(list, ir.Reason{
			Choice: "a trigger on " + r.parent.ref.Name + " too",
			Why:    "a new row of it is a group that the rule is about, also without any other row. One that is deleted, with its rows or before them, needs nothing.",
		})
	}
	return list
}
