package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// many is the form of a move or an adjust for many rows: one statement that locks
// them in the order of their keys, judges all of them, and writes all or none.
type many struct {
	table *table
	args  []ir.Field // of one row, beside its key
	set   []assignment
	arms  []arm
	// once says that a key may stand in a batch once: two changes of one row by a
	// formula are neither one change nor, for the formula, their sum.
	once bool
}

// addMany adds the operation for many rows beside that for one.
func (m *many) addMany(op ir.Operation, w write) {
	t := m.table
	op.Doc = m.doc(op.Name)
	op.Address, op.Name = under(op.Address, "many"), op.Name+"_many"
	op.Kind = ir.MoveManyOp
	if m.once {
		op.Kind = ir.AdjustManyOp
	}
	op.Key, op.Each = nil, slices.Concat(t.keyFields(), m.args)
	op.Args = textArrays(op.Each)
	lock, why := t.readLock(assigned(m.set))
	op.Lock = lock
	op.Reasons = slices.Concat([]ir.Reason{{
		Choice: "one statement: lock, judge, write",
		Why: "all rows are locked before the first is judged, so that no answer is out of date when the others are written, and a row that may not be " +
			"changed keeps all of them as they are. A caller that is told of no error knows that everything was done.",
	}, {
		Choice: "ORDER BY " + ir.Idents(columnList(t.key)),
		Why: "the locks are taken in the order of the keys, whatever order was given. Two batches with the same rows in another order would each hold what " +
			"the other one waits for (40P01).",
	}, why, m.twiceReason()}, op.Reasons)
	op.Statements = []ir.Statement{m.statement(&op)}
	t.addOperation(op, w)
}

// textArrays are the arguments of a batch: for each field a list of its values as
// text, in which every type travels in every execution mode, lists included.
func textArrays(fields []ir.Field) []ir.Field {
	text := ir.Type{Name: "text"}
	list := make([]ir.Field, len(fields))
	for i, f := range fields {
		list[i] = ir.Field{Name: f.Name, Type: ir.Type{Kind: ir.ArrayType, Elem: &text}}
	}
	return list
}

func (m *many) twiceReason() ir.Reason {
	if m.once {
		return ir.Reason{
			Choice: "a key stands in a batch once",
			Why:    "twice in one batch it could mean a row that was sent again, or two changes of one row. One is a change too few, the other one too many.",
		}
	}
	why := "the second is the same call again, and gets the row that the first one has moved"
	if len(m.args) > 0 {
		why += "; with other arguments it contradicts the first, and nothing is moved"
	}
	return ir.Reason{Choice: "a key that stands there twice counts once", Why: why + "."}
}

func (m *many) doc(one string) string {
	doc := "does for many rows what " + one + " does for one, in one statement and all or none: when one of them may not be changed nothing is written, and " +
		"the error tells why of each that may not. The result has the row for each that was given, in their order. "
	switch {
	case m.once:
		doc += "A key may be given once: of two changes of one row it could not be told whether the second is the first one again."
	case len(m.args) > 0:
		doc += "A key that is given twice counts once; with other arguments the second time it is bad input."
	default:
		doc += "A key that is given twice counts once."
	}
	return doc + " Rows are locked in the order of their keys, whatever order they are given in: two batches never wait for each other in a circle."
}

// free is a name that no column of the table and no argument has.
func (m *many) free(name string) string {
	for m.table.byName[name] != nil || slices.ContainsFunc(m.args, func(f ir.Field) bool { return f.Name == name }) {
		name += "_"
	}
	return name
}

// keyOf spells the key over rows that go by a name.
func (t *table) keyOf(alias string) string {
	names := make([]string, len(t.key))
	for i, col := range t.key {
		names[i] = alias + "." + ir.Ident(col.name)
	}
	return strings.Join(names, ", ")
}

// sameRow spells that two rows have one key.
func (t *table) sameRow(a, b string) string {
	conditions := make([]string, len(t.key))
	for i, col := range t.key {
		conditions[i] = a + "." + ir.Ident(col.name) + " = " + b + "." + ir.Ident(col.name)
	}
	return strings.Join(conditions, " AND ")
}

// statement builds the whole of it. The write looks at what was judged and at
// nothing else: a sub-select would be asked once more for each row that somebody
// else has changed since the statement began.
func (m *many) statement(op *ir.Operation) ir.Statement {
	t := m.table
	p := newParameters(op.Args)
	judged := &parameters{fields: op.Each, sent: true}
	n, fine := ir.Ident(m.free("n")), ir.Ident(m.free("fine"))
	verdict, subject := ir.Ident(m.free("verdict")), ir.Ident(m.free("subject"))
	verdictSQL, subjectSQL := verdictOf(judged, m.allArms())
	sent := sentAlias + "."
	given := sent + strings.Join(append(identsOf(op.Each), n), ", "+sent)
	sql := comment(op.Address) + "WITH " + m.sent(p, op.Each) + ", " + haveAlias + " AS MATERIALIZED (\n  " + strings.ReplaceAll(m.locked(op), "\n", "\n  ") + "\n)" +
		", judged AS MATERIALIZED (\n  SELECT " + given + ", " + sent + verdict + ", " + sent + subject + ",\n    bool_and(" + sent + verdict + " IN (" + ir.Literal(string(ir.VerdictAgain)) + ", " + ir.Literal(string(ir.VerdictRepeat)) +
		")) OVER () AS " + fine + "\n  FROM (\n    SELECT " + given + ",\n      " + strings.ReplaceAll(verdictSQL, "\n", "\n    ") + " AS " + verdict + ",\n      " + strings.ReplaceAll(subjectSQL, "\n", "\n    ") + " AS " + subject +
		"\n    FROM " + sentAlias + "\n      LEFT JOIN " + haveAlias + " ON " + t.sameRow(haveAlias, sentAlias) + "\n  ) AS " + sentAlias + "\n)" +
		", written AS (\n  UPDATE " + t.ref.SQL() + " AS " + haveAlias + "\n  SET " + setSQL(judged, m.set) + t.raiseVersionOf(judged) +
		"\n  FROM judged AS " + sentAlias + "\n  WHERE " + t.sameRow(haveAlias, sentAlias) + " AND " + sent + fine + " AND " + sent + verdict + " = " +
		ir.Literal(string(ir.VerdictAgain)) + "\n  RETURNING " + t.storedRow(haveAlias) + "\n)" +
		"\nSELECT " + t.qualifiedRow("written") + ", " + ir.Literal(string(ir.VerdictDone)) + " AS verdict, '' AS subject, judged." + n + " AS n" +
		"\nFROM written\n  JOIN judged ON " + t.sameRow("written", "judged") +
		"\nUNION ALL\nSELECT " + t.qualifiedRow(haveAlias) + ", judged." + verdict + ", judged." + subject + ", judged." + n +
		"\nFROM judged\n  LEFT JOIN " + haveAlias + " ON " + t.sameRow(haveAlias, "judged") +
		"\nWHERE NOT EXISTS (SELECT FROM written WHERE " + t.sameRow("written", "judged") + ")"
	return ir.Statement{
		Role: ir.MainStatement, SQL: sql, Args: p.fields, Rows: ir.ReturnsMany,
		Results: slices.Concat(t.rowFields(), verdictFields, []ir.Field{{Name: "n", Type: ir.Type{Name: "int8"}}}),
	}
}

func identsOf(fields []ir.Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = ir.Ident(f.Name)
	}
	return list
}

// sent spells the given rows: their values, their positions, and whether one
// contradicts another with its key. Those that do not are the same, so that it does
// not matter by which of them a row is written.
func (m *many) sent(p *parameters, each []ir.Field) string {
	names, arrays, values := identsOf(each), make([]string, len(each)), make([]string, len(each))
	key := make([]string, len(m.table.key))
	var others strings.Builder
	for i, f := range each {
		arrays[i] = p.ref(f.Name)
		value := sentAlias + "." + names[i] + "::" + cast(f.Type)
		values[i] = value + " AS " + names[i]
		if i < len(key) {
			key[i] = value
		} else {
			others.WriteString(", " + sentAlias + "." + names[i]) // as text, in which every type has an equality
		}
	}
	n := ir.Ident(m.free("n"))
	over := "PARTITION BY " + strings.Join(key, ", ")
	values = append(values, sentAlias+"."+n)
	switch {
	case m.once:
		values = append(values, "count(*) OVER ("+over+") > 1 AS "+ir.Ident(m.free("twice")))
	case others.Len() > 0:
		values = append(values, "min("+sentAlias+"."+n+") OVER ("+over+") <> min("+sentAlias+"."+n+") OVER ("+over+others.String()+") AS "+ir.Ident(m.free("twice")))
	}
	return sentAlias + " AS MATERIALIZED (\n  SELECT " + strings.Join(values, ",\n    ") + "\n  FROM unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS " +
		sentAlias + " (" + strings.Join(names, ", ") + ", " + n + ")\n)"
}

// locked spells the rows that are there, locked in the order of their keys. In a
// CTE of its own the order is that of the locks, and the rows are the newest ones.
func (m *many) locked(op *ir.Operation) string {
	t := m.table
	key := t.keyOf(haveAlias)
	found := key
	if len(t.key) > 1 {
		found = "(" + key + ")"
	}
	sql := "SELECT " + t.storedRow(haveAlias) + "\nFROM " + t.ref.SQL() + " AS " + haveAlias + "\nWHERE " + found + " IN (SELECT " + t.keyOf(sentAlias) +
		" FROM " + sentAlias + ")\nORDER BY " + key + "\n" + string(op.Lock) + " OF " + haveAlias
	if op.NoWait {
		sql += " NOWAIT"
	}
	return sql
}

// allArms are those of the operation for one row, after what only a batch has.
func (m *many) allArms() []arm {
	var arms []arm
	if m.once || len(m.args) > 0 {
		arms = append(arms, arm{
			verdict: ir.VerdictTwice, subject: about(""),
			when: func(*parameters) string { return sentAlias + "." + ir.Ident(m.free("twice")) },
		})
	}
	arms = append(arms, arm{
		verdict: ir.VerdictMissing, subject: about(""),
		when: func(p *parameters) string { return p.column(m.table.key[0].name) + " IS NULL" },
	})
	return append(arms, m.arms...)
}
