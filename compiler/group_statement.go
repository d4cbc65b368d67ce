package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// claimToken is what a claim marks the groups with that it has taken.
var claimToken = ir.Field{Name: "token", Type: ir.Type{Name: "int8"}}

// keys spells the columns of the group.
func (g *group) keys(alias string) string {
	list := quoteAll(columnList(g.by))
	if alias != "" {
		for i := range list {
			list[i] = alias + "." + list[i]
		}
	}
	return strings.Join(list, ", ")
}

// same spells that two rows belong to one group.
func (g *group) same(a, b string) string {
	list := make([]string, len(g.by))
	for i, col := range g.by {
		list[i] = a + "." + ir.Ident(col.name) + " = " + b + "." + ir.Ident(col.name)
	}
	return strings.Join(list, " AND ")
}

// among spells the groups of a list, for a join that reads the table of groups
// by its key: the planner takes an array for short, and would take what a LIMIT
// leaves for a tenth of the table.
func (g *group) among(list string) string {
	arrays := make([]string, len(g.by))
	for i, col := range g.by {
		arrays[i] = "ARRAY(SELECT " + ir.Ident(col.name) + " FROM " + list + ")"
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS p (" + g.keys("") + ")"
}

// head spells a sub-select for the next task of the group of a row: its id, and
// when it is due. Waiting tasks alone are looked at.
func (q *queue) head(row, indent string) string {
	g := q.group
	oldest := func(where string, order ...string) string {
		// Between a group and itself is the group. Written as an equality, the order
		// would be that of the ids alone, and the planner might read the primary key
		// through all tasks of other groups.
		own, other := g.keys("t"), g.keys(row)
		if len(g.by) > 1 {
			own, other = "("+own+")", "("+other+")"
		}
		return "SELECT t.id, t.run_at FROM " + q.ref.SQL() + " AS t\n" + indent +
			"WHERE " + own + " >= " + other + " AND " + own + " <= " + other + " AND t." + where + "\n" + indent +
			"ORDER BY " + g.keys("t") + ", " + strings.Join(order, ", ") + " LIMIT 1"
	}
	if !g.skip {
		return oldest(waitingStates, "t.id")
	}
	return "SELECT t.id, t.run_at FROM (\n" + indent + "(" + oldest(inState(readyState), "t.id") + ")\n" + indent + "UNION ALL\n" + indent +
		"(" + oldest(inState(scheduledState), "t.run_at", "t.id") + ")) AS t\n" + indent +
		"ORDER BY t.run_at > statement_timestamp(), t.id LIMIT 1"
}

// groupedEnqueueSQL puts a task behind the row of its group.
func (q *queue) groupedEnqueueSQL(p *parameters) string {
	g := q.group
	names, values := make([]string, len(q.repository.Insert)), make([]string, len(q.repository.Insert))
	mine := map[string]string{}
	for i, f := range q.repository.Insert {
		names[i], values[i] = ir.Ident(f.Name), p.ref(f.Name)
		if f.Optional {
			values[i] = "COALESCE(" + values[i] + ", " + q.byName[f.Name].schema.Default + ")"
		}
		if slices.Contains(g.by, q.byName[f.Name]) {
			mine[f.Name], values[i] = values[i], "g."+names[i]
		}
	}
	keys := make([]string, len(g.by))
	for i, col := range g.by {
		keys[i] = mine[col.name]
	}
	return "WITH g AS (\n" +
		"  INSERT INTO " + g.ref.SQL() + " AS g (" + g.keys("") + ", run_at)\n" +
		"  VALUES (" + strings.Join(keys, ", ") + ", statement_timestamp())\n" +
		"  ON CONFLICT (" + g.keys("") + ") DO UPDATE SET run_at = " + g.sooner() + "\n" +
		"  RETURNING " + g.keys("g") + "\n)\n" +
		"INSERT INTO " + q.ref.SQL() + " (" + strings.Join(names, ", ") + ")\nSELECT " + strings.Join(values, ", ") + " FROM g"
}

// sooner spells when the next task of a group is due that has got one more. The
// row is written whatever comes out: that is its lock.
func (g *group) sooner() string {
	if g.skip {
		return "CASE WHEN g.run_at IS NOT NULL THEN least(g.run_at, excluded.run_at) END"
	}
	return "g.run_at" // what is behind the oldest task waits with it
}

// groupedClaim is the claim of a queue with groups. The first statement takes
// groups: those whose task has a lease that ran out, which goes back, and those
// whose next task is due. The second one reads and takes these tasks, and lets go
// of groups that have none or none that is due.
func (q *queue) groupedClaim(op *ir.Operation) {
	g := q.group
	op.Args = []ir.Field{claimLimit, claimLease, claimToken}
	take := newParameters([]ir.Field{claimLimit, claimToken})
	main := newParameters(op.Args)
	table := q.ref.SQL()
	op.Statements = []ir.Statement{
		{
			Role: ir.GroupStatement,
			SQL: comment(op.Address) + "WITH expired AS MATERIALIZED (\n" +
				"  SELECT t.id, " + g.keys("g") + "\n" +
				"  FROM " + table + " AS t JOIN " + g.ref.SQL() + " AS g ON " + g.same("g", "t") + "\n" +
				"  WHERE t.state = 'running' AND t.lease_until < statement_timestamp()\n" +
				"  ORDER BY t.lease_until, t.id LIMIT " + take.ref("limit") + " FOR UPDATE OF g, t SKIP LOCKED\n" +
				"), back AS (\n" +
				"  UPDATE " + table + " AS t\n" +
				"  SET state = " + q.unlessLast("t.", "'ready'", "'dead'") + ", lease_until = NULL" + q.lastError() + "\n" +
				"  WHERE t.id = ANY (ARRAY(SELECT id FROM expired))\n" +
				"), due AS MATERIALIZED (\n" +
				"  SELECT " + g.keys("") + " FROM " + g.ref.SQL() + "\n" +
				"  WHERE run_at <= statement_timestamp()\n" +
				"  ORDER BY run_at LIMIT " + take.ref("limit") + " - (SELECT count(*) FROM expired) FOR UPDATE SKIP LOCKED\n" +
				"), taken AS MATERIALIZED (\n" +
				"  SELECT " + g.keys("") + " FROM expired UNION ALL SELECT " + g.keys("") + " FROM due\n" +
				")\n" +
				"UPDATE " + g.ref.SQL() + " AS g SET run_at = NULL, fence = " + take.ref("token") + "\n" +
				"FROM " + g.among("taken") + "\nWHERE " + g.same("g", "p"),
			Args: take.fields, Rows: ir.ReturnsNone,
		},
		{
			Role: ir.MainStatement,
			SQL: comment(op.Address) + "WITH head AS MATERIALIZED (\n" +
				"  SELECT " + g.keys("g") + ", h.id, h.run_at\n" +
				"  FROM " + g.ref.SQL() + " AS g LEFT JOIN LATERAL (\n    " + q.head("g", "    ") + "\n  ) AS h ON true\n" +
				"  WHERE g.fence = " + main.ref("token") + "\n  LIMIT " + main.ref("limit") + "\n" +
				"), empty AS (\n" +
				"  DELETE FROM " + g.ref.SQL() + " AS g USING head AS h WHERE " + g.same("g", "h") + " AND h.id IS NULL\n" +
				"), later AS (\n" +
				"  UPDATE " + g.ref.SQL() + " AS g SET run_at = h.run_at, fence = NULL\n" +
				"  FROM head AS h WHERE " + g.same("g", "h") + " AND h.run_at > statement_timestamp()\n" +
				"), claimed AS (\n" +
				"  UPDATE " + table + " AS t\n" +
				"  SET state = 'running', attempt = t.attempt + 1, fence = t.fence + 1,\n" +
				"    lease_until = clock_timestamp() + " + main.ref("lease") + " * interval '1 microsecond'\n" +
				"  WHERE t.id = ANY (ARRAY(SELECT id FROM head WHERE run_at <= statement_timestamp()))\n" +
				"  RETURNING " + q.payloadOf("t") + "t.id, t.fence, t.attempt, t.lease_until\n" +
				")\n" +
				"SELECT " + q.payloadResults() + "id, fence, attempt, lease_until FROM claimed ORDER BY id",
			Args: main.fields, Results: q.claimResults(), Rows: ir.ReturnsMany,
		},
	}
	op.Reasons = append(op.Reasons, q.reasons(headReason)...)
}

// lastError spells what a task says that is dead because its lease ran out.
func (q *queue) lastError() string {
	if q.config.Attempts == 0 {
		return ""
	}
	return ",\n    last_error = " + q.unlessLast("t.", "t.last_error", "COALESCE(t.last_error, 'the lease ran out')")
}

// lockGroups is the statement that locks the groups of tasks, in the order of
// their keys, before the tasks themselves are touched.
func (q *queue) lockGroups(op *ir.Operation, p *parameters, tasks string) ir.Statement {
	g := q.group
	return ir.Statement{
		Role: ir.GroupStatement,
		SQL: comment(op.Address) + "SELECT g.fence FROM " + tasks + "\n  JOIN " + g.ref.SQL() + " AS g ON " + g.same("g", "t") + "\nWHERE t.state = 'running'\n" +
			"ORDER BY " + g.keys("g") + " FOR UPDATE OF g",
		Args: p.fields, Results: []ir.Field{{Name: "fence", Type: ir.Type{Name: "int8"}, Null: true}}, Rows: ir.ReturnsMany,
	}
}

// lockGroupsOf locks the groups of several held tasks.
func (q *queue) lockGroupsOf(op *ir.Operation) ir.Statement {
	p := newParameters([]ir.Field{taskIDs, taskFences})
	return q.lockGroups(op, p, q.ref.SQL()+" AS t\n  JOIN unnest("+p.ref("ids")+", "+p.ref("fences")+") AS c (id, fence) ON t.id = c.id AND t.fence = c.fence")
}

// lockGroupOf locks the group of one held task.
func (q *queue) lockGroupOf(op *ir.Operation) ir.Statement {
	p := newParameters([]ir.Field{taskID, taskFence})
	return q.lockGroups(op, p, "(SELECT * FROM "+q.ref.SQL()+" WHERE id = "+p.ref("id")+" AND fence = "+p.ref("fence")+") AS t")
}

// groupedEnd is the end of a statement that ended the tasks of the list, which
// has their id, their group, and in run_at when a task that came back is due: it
// lets the groups go on with their next task, or removes those that have none.
func (q *queue) groupedEnd(list, due string) string {
	g := q.group
	return ", next AS MATERIALIZED (\n" +
		"  SELECT " + g.keys("d") + ", " + due + " AS run_at\n" +
		"  FROM " + list + " AS d LEFT JOIN LATERAL (\n    " + q.head("d", "    ") + "\n  ) AS h ON true\n" +
		"), freed AS (\n" +
		"  UPDATE " + g.ref.SQL() + " AS g SET run_at = n.run_at, fence = NULL\n" +
		"  FROM next AS n WHERE " + g.same("g", "n") + " AND n.run_at IS NOT NULL\n" +
		"), emptied AS (\n" +
		"  DELETE FROM " + g.ref.SQL() + " AS g USING next AS n WHERE " + g.same("g", "n") + " AND n.run_at IS NULL\n" +
		")\nSELECT id FROM " + list
}

// groupedChange is a statement that changes one held task, with what becomes of
// its group behind it.
func (q *queue) groupedChange(update, due string) string {
	return "WITH done AS (\n  " + strings.ReplaceAll(update, "\n", "\n  ") + ", state, run_at, " + q.group.keys("") + "\n)" + q.groupedEnd("done", due)
}

// dueAgain spells when a group is due whose task d came back, if it did, and
// whose next other task is h.
func (g *group) dueAgain() string {
	if g.skip {
		return "least(h.run_at, CASE WHEN d.state = 'scheduled' THEN d.run_at END)"
	}
	return "CASE WHEN d.state = 'scheduled' AND (h.id IS NULL OR d.id < h.id) THEN d.run_at ELSE h.run_at END"
}
