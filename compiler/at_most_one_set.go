package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// setters adds the methods that pick the one row of a group.
func (c *compilation) setters(t *table) {
	for _, s := range t.singles {
		if s.set != nil && len(t.repository.Row) > 0 {
			s.addSet(t)
		}
	}
}

// addSet adds the method that clears the old row and sets the new one.
//
// One UPDATE of both rows checks the index row by row and fails where the new row
// comes first in the table (23505), so there are two. Ahead of them the group's
// lock, in a statement of its own, so that what follows sees what its last holder
// did; and then both rows in key order, so that the row which is to be set cannot
// go once the other is cleared.
func (s *single) addSet(t *table) {
	group := s.groupFields()
	key := slices.DeleteFunc(t.keyFields(), func(f ir.Field) bool { return hasField(group, f.Name) })
	all := slices.Concat(group, key)
	op := ir.Operation{
		Address: under(s.address, "set"), Name: "set_" + s.label, Kind: ir.ArrangeOp, Doc: s.doc(t),
		Key: all, Lock: ir.AdvisoryXact, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Columns: t.withVersion(s.set.column.name), Reasons: s.setReasons(t), Pos: pos(s.decl.Header),
	}
	lock := newParameters(group)
	op.Statements = append(op.Statements, ir.Statement{
		Role: ir.GroupStatement, Rows: ir.ReturnsNone, Args: lock.fields,
		SQL: comment(op.Address) + "SELECT " + t.groupLock(s.label, group, lock),
	})
	sql := func(role ir.Role, text func(p *parameters) string) ir.Statement {
		p := newParameters(all)
		return ir.Statement{Role: role, SQL: comment(op.Address) + text(p), Args: p.fields, Rows: ir.ReturnsNone}
	}
	column := ir.Ident(s.set.column.name)
	main := sql(ir.MainStatement, func(p *parameters) string {
		return "UPDATE " + t.ref.SQL() + "\nSET " + column + " = " + s.set.on + t.raiseVersion() + "\nWHERE " + s.target(t, p, "") + "\nRETURNING " + t.rowList()
	})
	main.Results, main.Rows = t.rowFields(), ir.ReturnsOne
	op.Statements = append(op.Statements,
		sql(ir.LockStatement, func(p *parameters) string {
			return "SELECT 1\nFROM " + t.ref.SQL() + "\nWHERE " + s.inGroup(p, "") + " AND (" + t.keyEquals(p) + " OR (" + s.key.where.SQL() + "))\nORDER BY " +
				ir.Idents(columnList(t.key)) + "\n" + string(ir.ForNoKeyUpdate)
		}),
		sql(ir.ClearStatement, func(p *parameters) string {
			return "UPDATE " + t.ref.SQL() + "\nSET " + column + " = " + s.set.off + t.raiseVersion() + "\nWHERE " + s.inGroup(p, "") + " AND (" + s.key.where.SQL() + ") AND NOT (" +
				t.keyEquals(p) + ")\n  AND EXISTS (SELECT 1 FROM " + t.ref.SQL() + " AS picked WHERE " + s.target(t, p, "picked") + ")"
		}),
		main)
	t.addOperation(op, write{updates: op.Columns, facts: &s.rule.Base})
}

// groupFields are the arguments that name the group.
func (s *single) groupFields() []ir.Field {
	list := fields(s.per)
	for i := range list {
		list[i].Null = false
	}
	return list
}

func hasField(list []ir.Field, name string) bool {
	return slices.ContainsFunc(list, func(f ir.Field) bool { return f.Name == name })
}

// inGroup is the condition that a row belongs to the group.
func (s *single) inGroup(p *parameters, row string) string { return equals(s.per, p, row) }

// target is the condition that a row is the one to be set.
func (s *single) target(t *table, p *parameters, row string) string {
	key := slices.DeleteFunc(slices.Clone(t.key), func(col *column) bool { return slices.Contains(s.per, col) })
	sql := s.inGroup(p, row)
	if len(key) > 0 {
		sql += " AND " + equals(key, p, row)
	}
	if rest := s.set.rest; rest != nil {
		if row != "" {
			rest = rest.Qualify(row)
		}
		sql += " AND (" + rest.SQL() + ")"
	}
	return sql
}

// equals spells that a row has the arguments in some columns.
func equals(columns []*column, p *parameters, row string) string {
	if row != "" {
		row += "."
	}
	parts := make([]string, len(columns))
	for i, col := range columns {
		parts[i] = row + ir.Ident(col.name) + " = " + p.ref(col.name)
	}
	return strings.Join(parts, " AND ")
}

// groupLock spells the lock of a group of rows: the table's oid as class, as
// triggers have it, and a hash of the rule and the group as key. Two groups with
// one hash wait for each other, and that is all.
func (t *table) groupLock(label string, group []ir.Field, p *parameters) string {
	parts := []string{ir.Literal(label) + "::text"}
	for _, f := range group {
		value := p.ref(f.Name)
		if familyOf(f.Type).noHash {
			value += "::text"
		}
		parts = append(parts, value)
	}
	return "pg_advisory_xact_lock((((" + ir.Literal(t.ref.SQL()) + "::regclass::oid::bigint + 2147483648) % 4294967296) - 2147483648)::integer, " +
		"hash_record(ROW(" + strings.Join(parts, ", ") + ")))"
}

func (s *single) doc(t *table) string {
	text := "picks the row of " + t.ref.Name + " with the given " + and(columnList(t.key)) + " as the one where " + s.key.where.SQL() +
		", in its group by " + and(s.key.columns) + ", and returns it. The row that was picked before gets " + s.set.column.name + " = " + s.set.off +
		". Calls for one group wait for each other; the last one stands."
	if s.set.rest != nil {
		text += " A row where " + s.set.rest.SQL() + " does not hold is not found."
	}
	return text + " When the row is not found nothing is changed."
}

// setReasons are those of the method.
func (s *single) setReasons(t *table) []ir.Reason {
	return []ir.Reason{
		{
			Choice: "clear, then set",
			Why: "in one UPDATE of both rows the index is asked after each row: where the new row comes first in the table it fails (23505), in a single " +
				"session. The two statements are one transaction and one round trip.",
		},
		{
			Choice: "an advisory lock for the group",
			Why: "it is taken first, so that of two calls the second one sees what the first one did. Rows locked without it are locked in the order in which " +
				"they happen to be picked, and three calls can deadlock. It needs no right on another table.",
		},
		{
			Choice: string(ir.ForNoKeyUpdate) + " of both rows, in key order",
			Why: "a DELETE of the new row between the two statements would leave the group without any. " + s.set.column.name +
				" stands in no key that a foreign key could rest on, so that inserts of rows that refer to them go on.",
		},
		{
			Choice: "what it costs",
			Why:    "calls for one " + and(s.key.columns) + " wait for each other until the transaction ends, those for others do not.",
		},
		lockFirstReason,
	}
}
