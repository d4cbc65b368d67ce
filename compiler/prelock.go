package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// lowerPrelock adds the trigger that takes an advisory lock per group before a
// row is written, and the function behind it.
//
// The class of the lock is the table's oid, wrapped to int4: above 16383 or
// negative, so that it meets no singleton. The key is the group: an integer as
// it is, modulo 2^31, anything else by the hash that its own equality uses
// (hash_record, since PostgreSQL 14). A hash of the group's text would differ
// between sessions with other TimeZone or DateStyle settings and between 1.0
// and 1.00, which are one group; and md5 is missing on servers in FIPS mode.
// A collision costs waiting, never a wrong answer.
func (c *compilation) lowerPrelock(t *table, s *span) []ir.ObjectID {
	name := s.name + "_prelock"
	what := "the prelock of no_overlap " + quote(s.label)
	at := s.decl.Header
	if !c.claimName(space{functionSpace, t.ref.Schema, "", name}, what, at) ||
		!c.claimName(space{triggerSpace, t.ref.Schema, t.ref.Name, name}, what, at) {
		return nil
	}
	origin := ir.Origin{
		Address: s.address, Pos: pos(at),
		Why: "two inserts of one slot at the same moment would wait for each other (40P01)",
	}
	c.program.Schema.Functions = append(c.program.Schema.Functions, ir.Function{
		Schema: t.ref.Schema, Name: name, Returns: "trigger", Language: "plpgsql",
		Body:            prelockBody(t, s),
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"},
		Origin: origin,
	})
	when := ""
	if s.where != nil {
		when = t.spelledOut(s.where.Expr).OverRecord("NEW").SQL()
	}
	t.schema.Triggers = append(t.schema.Triggers, ir.Trigger{
		Name: name, Before: true, Events: []ir.TriggerEvent{ir.OnInsert, ir.OnUpdate}, When: when,
		FuncSchema: t.ref.Schema, FuncName: name, Origin: origin,
	})
	return []ir.ObjectID{
		{Kind: ir.FunctionObject, Schema: t.ref.Schema, Name: name},
		{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: name},
	}
}

func prelockBody(t *table, s *span) string {
	return "BEGIN\n" +
		"  PERFORM pg_advisory_xact_lock(((TG_RELID::bigint + 2147483648) % 4294967296 - 2147483648)::integer, " + t.groupKey(s.within) + ");\n" +
		"  RETURN NEW;\n" +
		"END"
}

// groupKey spells the key of a group's lock. The trigger runs before the server
// computes generated columns.
func (t *table) groupKey(within []*column) string {
	value := func(col *column) string { return t.spelledOut(built(ir.Ident(col.name))).OverRecord("NEW").SQL() }
	switch {
	case len(within) == 0:
		return "0"
	case len(within) == 1 && familyOf(within[0].typ).integer:
		return "(" + value(within[0]) + " % 2147483648)::integer"
	}
	parts := make([]string, len(within))
	for i, col := range within {
		parts[i] = value(col)
		if familyOf(col.typ).noHash {
			parts[i] += "::text"
		}
	}
	return "hash_record(ROW(" + strings.Join(parts, ", ") + "))"
}
