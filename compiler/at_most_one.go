package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// single is an at_most_one block after its checks: a partial unique index over
// the group, and what the generated method changes to pick the one row.
type single struct {
	decl    *dsl.Cardinality
	label   string
	address string
	key     *unique
	per     []*column
	set     *choice // nil when no method can pick the row
	unset   string  // why not, in a sentence
	rule    *ir.AtMostOne
}

// choice is the part of a predicate that one assignment makes true, and another
// one false.
type choice struct {
	column  *column
	on, off string      // SQL
	rest    *pgsql.Expr // what else has to hold of the row; nil for nothing
}

// atMostOnes compiles the at_most_one blocks of a table.
func (c *compilation) atMostOnes(t *table) {
	for _, decl := range t.decl.Cardinals {
		if decl.Kind == "at_least_one" {
			continue
		}
		s := &single{decl: decl, label: labelOf(decl.Block, decl.Rename), address: inside(t.address, decl.Kind, decl.Block)}
		if c.singleKey(t, s) {
			c.lowerSingle(t, s)
		}
	}
}

// singleKey reads the group and which rows of it are meant.
func (c *compilation) singleKey(t *table, s *single) bool {
	decl := s.decl
	per, ok := c.lookupAll(t, decl.Per)
	where, readable := c.covered(t, decl.Block, decl.Where, decl.Since)
	if !ok || !readable || len(per) == 0 {
		return false
	}
	s.per = per
	// Rows without a group are of none: NULL differs from NULL.
	s.key = &unique{where: where, decl: &dsl.NoDuplicates{
		Block: decl.Block, Rename: decl.Rename, List: decl.List, Where: decl.Where, Nulls: dsl.Value[string]{V: "distinct", Set: true, Range: decl.List},
	}}
	s.key.name = derivedName(t.ref.Name, decl.Name.Text, decl.Rename)
	for i, col := range per {
		if c.keyType(col, decl.Per[i].Range, decl.Kind) {
			return false
		}
		s.key.decl.Columns = append(s.key.decl.Columns, dsl.KeyPart{Column: &decl.Per[i], Range: decl.Per[i].Range})
		s.key.parts, s.key.exprs = append(s.key.parts, ir.IndexPart{Column: col.name}), append(s.key.exprs, nil)
		s.key.columns = append(s.key.columns, col.name)
	}
	if c.flagInGroup(t, s) {
		return false
	}
	c.ignoresLive(t, decl.Block, decl.Where, where, decl.Kind)
	return true
}

// flagInGroup refuses a group that is split by what picks the row: each of its
// values would be a group of its own.
func (c *compilation) flagInGroup(t *table, s *single) bool {
	for i, col := range s.per {
		if s.key.where == nil || !mentions(s.key.where.Expr, []string{col.name}) || guaranteesNotNull(s.key.where, col.name) {
			continue
		}
		c.report(diag.Diagnostic{
			Code:        diag.GroupColumn,
			Detail:      "The column " + quote(col.name) + " makes the group of " + s.decl.Kind + " " + quote(s.label) + " and picks rows of it.",
			Subject:     s.decl.Per[i].Range,
			Label:       "stands in where too",
			Consequence: "Rows that differ in it are in different groups, so that there may be one for each of its values.",
			Help:        "leave it out of per, or out of where",
		})
		return true
	}
	return false
}

// lowerSingle puts the index on the table and records what was decided.
func (c *compilation) lowerSingle(t *table, s *single) {
	u, decl := s.key, s.decl
	origin := ir.Origin{Address: s.address, Pos: pos(decl.Header)}
	if !c.claimConstraint(t, u.name, decl.Kind+" "+quote(s.label), decl.Header, true) {
		return
	}
	t.schema.Indexes = append(t.schema.Indexes, ir.Index{
		Name: u.name, Unique: true, Method: defaultMethod, Parts: u.parts, Where: conditionSQL(u.where), Origin: origin,
	})
	u.object = ir.ObjectID{Kind: ir.IndexObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: u.name}
	if u.where == nil {
		t.indexed = append(t.indexed, u.columns)
	}
	s.choose(t)
	s.rule = &ir.AtMostOne{Per: u.columns, Where: conditionSQL(u.where), Base: ir.Facts{
		Address: s.address, Kind: decl.Kind, Table: t.ref,
		Promise:   s.promise(t),
		Mechanism: duplicatesMechanism(u, false),
		Reasons:   s.reasons(t),
		Objects:   []ir.ObjectID{u.object},
		Violators: duplicatesViolators(t, u, false),
		Pos:       pos(decl.Header),
	}}
	if s.set != nil {
		s.rule.Column, s.rule.On = s.set.column.name, s.set.on
		if s.set.rest != nil {
			s.rule.Rest = s.set.rest.SQL()
		}
	}
	u.facts = &s.rule.Base
	t.uniques = append(t.uniques, u)
	t.singles = append(t.singles, s)
	t.invariants = append(t.invariants, s.rule)
}

func (s *single) promise(t *table) string {
	rows := "row of " + t.ref.Name
	if s.key.where != nil {
		rows += " where " + s.key.where.SQL()
	}
	return "There is at most one " + rows + " with one " + and(s.key.columns) + "." + s.key.where.coverage()
}

func (s *single) reasons(t *table) []ir.Reason {
	reasons := []ir.Reason{{
		Choice: "partial unique index",
		Why: "clearing the old row and setting the new one is a race for every client that does not wait for the others: two of them clear one row and set " +
			"two. The index decides whoever writes; a second row is refused (23505). It covers the rows that are meant and no others.",
	}}
	if s.key.where == nil {
		reasons[0].Choice = "unique index"
	}
	if s.decl.Kind == "exactly_one" {
		reasons = append(reasons, ir.Reason{
			Choice: "the upper half",
			Why:    "this is what keeps a second row out. That there is one at all is kept by " + under(s.address, "at_least_one") + ", which pawl explain shows too.",
		})
	}
	if s.unset != "" {
		reasons = append(reasons, ir.Reason{Choice: "no method that picks the row", Why: s.unset})
	}
	reasons = append(reasons, ir.Reason{
		Choice: "what it costs",
		Why: "an entry in the index for a row that is meant, and nothing for others. Who makes a second row of one " + and(s.key.columns) +
			" the one that is meant waits until the transaction of the first ends; nobody else waits for anything.",
	})
	return append(reasons, whereReason(t, s.decl.Where, s.key.where)...)
}

// choose finds what a method can assign to pick the row: a boolean column of the
// predicate, or a column that it compares with a literal.
func (s *single) choose(t *table) {
	if s.key.where == nil {
		s.unset = "every row of a group is meant, so that there is nothing to pick by."
		return
	}
	parts := s.key.where.Conjuncts()
	var found []choice
	for i, part := range parts {
		if s.key.where.since != nil && implies(s.key.where.since, part) {
			continue // picking a row does not make it new
		}
		ch, ok, why := s.choiceOf(t, part)
		if why != "" {
			s.unset = why
		}
		if !ok {
			continue
		}
		if rest := slices.Delete(slices.Clone(parts), i, i+1); len(rest) > 0 {
			ch.rest = pgsql.And(rest...)
		}
		found = append(found, ch)
	}
	if flags := slices.DeleteFunc(slices.Clone(found), func(ch choice) bool { return ch.on != "true" }); len(flags) > 0 {
		found = flags // is_default rather than status = 'active'
	}
	switch {
	case len(t.key) == 0:
		s.unset = "the table has no primary key to name a row by."
	case len(found) == 1:
		s.set, s.unset = &found[0], ""
	case len(found) > 1:
		s.unset = "its condition asks for more than one column that could be set."
	case s.unset == "":
		s.unset = "its condition is none that one assignment makes true and another one false: a boolean column, or column = 'literal'."
	}
}

// choiceOf reads one part of a predicate. why says what keeps a part of the right
// form from being assigned.
func (s *single) choiceOf(t *table, part *pgsql.Expr) (ch choice, ok bool, why string) {
	columns := columnsOf(part)
	if len(columns) != 1 || t.byName[columns[0]] == nil || !t.byName[columns[0]].known {
		return choice{}, false, ""
	}
	col := t.byName[columns[0]]
	name := ir.Ident(col.name)
	ch.column = col
	switch labels := part.Labels(); {
	case col.typ.Base().Name == "bool" && pgsql.Same(part, built(name)):
		ch.on, ch.off = "true", "false"
	case len(labels) == 1 && pgsql.Same(part, built(name+" = "+ir.Literal(labels[0].Text))):
		ch.on = ir.Literal(labels[0].Text)
		if ch.off = otherThan(col, labels[0].Text); ch.off == "" {
			return choice{}, false, "the row that is picked no longer would need a value for " + col.name + ": it may not be NULL, and its default is none that says so."
		}
	default:
		return choice{}, false, ""
	}
	switch _, _, kept := t.kept(col); {
	case col.governs != nil:
		return choice{}, false, col.name + " changes by the moves of transitions " + col.governs.label + " alone."
	case kept:
		return choice{}, false, col.name + " never changes."
	case col.formula != nil:
		return choice{}, false, col.name + " is computed by the server."
	case slices.Contains(t.key, col), slices.Contains(s.per, col), col.schema.Identity != ir.NoIdentity:
		return choice{}, false, ""
	}
	return ch, true, ""
}

// otherThan is what a column is given that no longer has a value: its constant
// default, else NULL. It is empty when neither is possible.
func otherThan(col *column, label string) string {
	if d := col.decl.Default; d != nil {
		if d.Kind == "string" && d.Text != label {
			return col.schema.Default
		}
		return ""
	}
	if col.null {
		return "NULL"
	}
	return ""
}
