package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// The transition tables of the triggers that count.
const (
	rowsBefore = "pawl_old"
	rowsAfter  = "pawl_new"
)

// columnsFirst begins a function whose statements name columns of tables alone: one
// that is called like a variable of the function, such as "old", is the column.
const columnsFirst = "#variable_conflict use_column\n"

// lowerCounting adds the triggers that keep the counter, a function for each
// event, since PostgreSQL gives an INSERT no old rows and a DELETE no new ones.
// Functions say what counts; the triggers carry a bound that is a number, so
// that a new one changes no function and nothing has to be counted again.
func (c *compilation) lowerCounting(t *table, l *limit, origin ir.Origin) []ir.ObjectID {
	var objects []ir.ObjectID
	prefix := t.ref.Name + "_" + l.stem
	what := "a trigger of limit " + quote(l.label)
	for _, g := range []ir.Trigger{
		{Name: prefix + "_delete", Events: []ir.TriggerEvent{ir.OnDelete}, OldRows: rowsBefore},
		{Name: prefix + "_insert", Events: []ir.TriggerEvent{ir.OnInsert}, NewRows: rowsAfter},
		{Name: prefix + "_update", Events: []ir.TriggerEvent{ir.OnUpdate}, OldRows: rowsBefore, NewRows: rowsAfter},
	} {
		if !c.claimName(space{functionSpace, t.ref.Schema, "", g.Name}, what, l.decl.Header) ||
			!c.claimName(space{triggerSpace, t.ref.Schema, t.ref.Name, g.Name}, what, l.decl.Header) {
			continue
		}
		c.program.Schema.Functions = append(c.program.Schema.Functions, ir.Function{
			Schema: t.ref.Schema, Name: g.Name, Returns: "trigger", Language: "plpgsql", Body: l.body(g),
			SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"}, Origin: origin,
		})
		g.PerStatement, g.FuncSchema, g.FuncName, g.Origin = true, t.ref.Schema, g.Name, origin
		if l.column == nil {
			g.Args = []string{l.number}
		}
		t.schema.Triggers = append(t.schema.Triggers, g)
		objects = append(objects,
			ir.ObjectID{Kind: ir.FunctionObject, Schema: t.ref.Schema, Name: g.Name},
			ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: g.Name})
	}
	return append(objects, c.refusing(t, origin, l.decl.Header, what, []ir.Trigger{refusesTruncate(t, overLimit, prefix)})...)
}

// body is a function that brings what a statement changed into the counters,
// group by group in key order. The UPDATE has the bound in its WHERE, so that a
// full group is told with its numbers; what the CHECK refuses by itself is told
// with the whole row. A group whose row is gone has no counter. The table's columns
// come before the function's variables, whatever they are called.
func (l *limit) body(g ir.Trigger) string {
	var changes []string
	change := func(sign, rows string) {
		changes = append(changes, "      SELECT "+l.groupList()+", "+sign+l.amount()+" AS n FROM "+rows+" WHERE "+l.counted()+"\n")
	}
	if g.OldRows != "" {
		change("-", g.OldRows)
	}
	if g.NewRows != "" {
		change("", g.NewRows)
	}
	group := groupNames(len(l.per))
	order := strings.Join(group, ", ")
	return columnsFirst + "DECLARE\n  g record;\n  c record;\n  done boolean;\nBEGIN\n" +
		"  FOR g IN\n    SELECT " + order + ", sum(n) AS n FROM (\n" + strings.Join(changes, "      UNION ALL\n") +
		"    ) AS changes\n    GROUP BY " + order + " HAVING sum(n) <> 0 ORDER BY " + order + "\n" +
		"  LOOP\n    LOOP\n" +
		"      " + l.write() + ";\n      EXIT WHEN FOUND;\n" +
		"      SELECT p." + ir.Ident(l.used) + " AS used, " + l.most() + " AS most INTO c FROM " + l.counter.SQL() + " AS p WHERE " + l.ofGroup("p") + ";\n" +
		"      done := NOT FOUND;\n" + l.first() +
		"      EXIT WHEN done;\n" +
		"      IF c.used + g.n > c.most THEN\n        " + l.raise("c.used", "c.most") + "\n      END IF;\n" +
		"    END LOOP;\n  END LOOP;\n  RETURN NULL;\nEND"
}

// write changes the counter of a group, unless that would pass the bound.
func (l *limit) write() string {
	used := ir.Ident(l.used)
	return "UPDATE " + l.counter.SQL() + " AS p SET " + used + " = p." + used + " + g.n\n        WHERE " + l.ofGroup("p") +
		" AND (g.n < 0 OR (p." + used + " + g.n <= " + l.most() + ") IS NOT FALSE)"
}

// first makes the counter of a group that has none, where counters have a table
// of their own. Of two writers who both find none one waits here for the other,
// and then updates.
func (l *limit) first() string {
	if l.parent != nil {
		return ""
	}
	columns := ir.Idents(append(append([]string(nil), l.key...), l.used))
	return "      IF done THEN\n" +
		"        IF g.n > " + l.most() + " THEN\n          " + l.raise("0", l.most()) + "\n        END IF;\n" +
		"        INSERT INTO " + l.counter.SQL() + " (" + columns + ") VALUES (" + groupOf("g.", len(l.per)) + ", g.n) ON CONFLICT (" + ir.Idents(l.key) + ") DO NOTHING;\n" +
		"        EXIT WHEN FOUND;\n        CONTINUE;\n      END IF;\n"
}

// most is the bound inside a function.
func (l *limit) most() string {
	if l.column == nil {
		return "TG_ARGV[0]::numeric"
	}
	return l.bound("p")
}

// raise reports a full group as the counter's CHECK would, with its numbers.
func (l *limit) raise(used, most string) string {
	return "RAISE EXCEPTION USING\n          ERRCODE = '23514', SCHEMA = " + ir.Literal(l.counter.Schema) + ", TABLE = " + ir.Literal(l.counter.Name) +
		", CONSTRAINT = " + ir.Literal(l.check) + ",\n          MESSAGE = " + ir.Literal("limit "+l.label+" is reached") +
		", DETAIL = json_build_object('used', " + used + ", 'max', " + most + ", 'more', g.n)::text;"
}

// groupNames are the names of a group's columns inside a function.
func groupNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "k" + plainInt(i+1)
	}
	return names
}

func groupOf(prefix string, n int) string {
	names := groupNames(n)
	for i := range names {
		names[i] = prefix + names[i]
	}
	return strings.Join(names, ", ")
}

// groupList selects a group's columns under those names.
func (l *limit) groupList() string {
	parts := make([]string, len(l.per))
	for i, col := range l.per {
		parts[i] = ir.Ident(col.name) + " AS k" + plainInt(i+1)
	}
	return strings.Join(parts, ", ")
}

// ofGroup compares a counter's key with the group.
func (l *limit) ofGroup(row string) string {
	parts := make([]string, len(l.key))
	for i, name := range l.key {
		parts[i] = row + "." + ir.Ident(name) + " = g.k" + plainInt(i+1)
	}
	return strings.Join(parts, " AND ")
}

// groups is a query for what each group uses.
func (l *limit) groups(t *table) string {
	return "SELECT " + l.groupList() + ", sum(" + l.amount() + ") AS n FROM " + t.ref.SQL() + " WHERE " + l.counted() + " GROUP BY " +
		strings.Join(groupNames(len(l.per)), ", ")
}

// fill are the statements that bring the counters in line with the rows.
func (l *limit) fill(t *table) []string {
	used := ir.Ident(l.used)
	if l.parent == nil {
		return []string{
			"DELETE FROM " + l.counter.SQL(),
			"INSERT INTO " + l.counter.SQL() + " (" + ir.Idents(append(append([]string(nil), l.key...), l.used)) + ") " + l.groups(t),
		}
	}
	return []string{
		"UPDATE " + l.counter.SQL() + " AS p SET " + used + " = g.n FROM (" + l.groups(t) + ") AS g WHERE " + l.ofGroup("p") + " AND p." + used + " <> g.n",
		"UPDATE " + l.counter.SQL() + " AS p SET " + used + " = 0 WHERE p." + used + " <> 0 AND NOT EXISTS (SELECT 1 FROM (" + l.groups(t) + ") AS g WHERE " + l.ofGroup("p") + ")",
	}
}

// violators finds groups that use more than they may, counted from the rows.
func (l *limit) violators(t *table) string {
	names := make([]string, len(l.per))
	for i, col := range l.per {
		names[i] = "g.k" + plainInt(i+1) + " AS " + ir.Ident(col.name)
	}
	list := strings.Join(names, ", ")
	if l.column == nil {
		return "SELECT " + list + ", g.n AS used FROM (" + l.groups(t) + ") AS g WHERE g.n > " + l.number
	}
	return "SELECT " + list + ", g.n AS used, " + l.bound("p") + " AS most FROM (" + l.groups(t) + ") AS g JOIN " + l.counter.SQL() + " AS p ON " +
		l.ofGroup("p") + " WHERE g.n > " + l.bound("p")
}
