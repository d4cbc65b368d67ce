package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// minNotDistinct is the first server major with NULLS NOT DISTINCT.
const minNotDistinct = 15

// noDuplicates compiles the no_duplicates blocks of a table.
func (c *compilation) noDuplicates(t *table) {
	for _, decl := range t.decl.NoDuplicates {
		u, ok := c.duplicateKey(t, decl)
		if !ok || !c.checkDuplicates(t, u) {
			continue
		}
		t.uniques = append(t.uniques, u)
		c.lowerDuplicates(t, u)
	}
}

// duplicateKey reads the key and the predicate.
func (c *compilation) duplicateKey(t *table, decl *dsl.NoDuplicates) (*unique, bool) {
	u := &unique{decl: decl, name: derivedName(t.ref.Name, decl.Name.Text, decl.Rename), plain: true}
	ok := len(decl.Columns) > 0
	for _, part := range decl.Columns {
		p, e, good := c.keyPart(t, part, "no_duplicates", true)
		ok = ok && good
		if !good {
			continue
		}
		u.parts, u.exprs = append(u.parts, p), append(u.exprs, e)
		u.plain = u.plain && e == nil && p == ir.IndexPart{Column: p.Column}
		for _, name := range partColumns(p, e) {
			if !slices.Contains(u.columns, name) {
				u.columns = append(u.columns, name)
			}
		}
	}
	var read bool
	u.where, read = c.covered(t, decl.Block, decl.Where, decl.Since)
	u.plain = u.plain && u.where == nil
	return u, ok && read && c.distinctParts(decl, u)
}

// distinctParts refuses a part that stands twice in a key.
func (c *compilation) distinctParts(decl *dsl.NoDuplicates, u *unique) bool {
	seen := map[string]hcl.Range{}
	for i, p := range u.parts {
		at := decl.Columns[i].Range
		if before, again := seen[p.Column+"\x00"+p.Expr]; again {
			c.report(diag.Diagnostic{
				Code:        diag.DuplicateName,
				Detail:      quote(p.Column+p.Expr) + " stands twice in no_duplicates " + quote(decl.Name.Text) + ".",
				Subject:     at,
				Label:       "second time",
				Related:     []diag.Related{{Range: before, Text: "first time"}},
				Consequence: "The second one tells no row from another; most often a part of the key was forgotten.",
				Help:        "remove one",
			})
			return false
		}
		seen[p.Column+"\x00"+p.Expr] = at
	}
	return true
}

// checkDuplicates refuses keys that would promise less than they seem to.
func (c *compilation) checkDuplicates(t *table, u *unique) bool {
	before := len(c.diags)
	if !c.softDeleteInKey(t, u) { // which tells what NULL does there
		c.nullsOfKey(t, u)
	}
	c.liveInKey(t, u)
	c.deferrableKey(u)
	c.redundantKey(t, u)
	c.ignoresLive(t, u.decl.Block, u.decl.Where, u.where, "no_duplicates")
	return !c.diags[before:].HasErrors()
}

// nullsOfKey demands that a key over a nullable column says what NULL means.
func (c *compilation) nullsOfKey(t *table, u *unique) {
	nulls := u.decl.Nulls
	if nulls.Set && nulls.V == "not_distinct" && c.program.Postgres < minNotDistinct {
		c.report(diag.Diagnostic{
			Code:        diag.NullsVersion,
			Detail:      "NULLS NOT DISTINCT came with PostgreSQL 15, and the output has to work on 14.",
			Subject:     nulls.Range,
			Label:       "not on 14",
			Consequence: "CREATE INDEX would fail there.",
			Help: "postgres = 15 in the pawl block, or a key that turns NULL into a value: columns = [sql(\"coalesce(" +
				u.columns[0] + ", …)\")]",
		})
		return
	}
	if nulls.Set {
		return
	}
	name := u.nullFrom(t)
	if name == "" {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.NullableKey,
		Detail:      "The column " + quote(name) + " of this key may be NULL, and the block does not say what that means.",
		Subject:     u.decl.List,
		Label:       quote(name) + " may be NULL",
		Related:     []diag.Related{{Range: t.byName[name].decl.Null.Range, Text: "null = true"}},
		Consequence: "To a unique index NULL equals nothing, not even NULL: two writers both put in a row with NULL there, and both succeed.",
		Help:        `nulls = "distinct"   # any number of rows may have NULL; "not_distinct": one`,
	})
}

// nullFrom names a column whose NULL makes a part of the key NULL, or "".
func (u *unique) nullFrom(t *table) string {
	nullable := func(name string) bool { return t.byName[name].null && !guaranteesNotNull(u.where, name) }
	for i, p := range u.parts {
		switch {
		case u.exprs[i] != nil:
			if name := u.exprs[i].NullFrom(nullable); name != "" {
				return name
			}
		case nullable(p.Column):
			return p.Column
		}
	}
	return ""
}

// liveInKey refuses a key that holds the column that says whether a row counts.
func (c *compilation) liveInKey(t *table, u *unique) {
	if t.alive == nil {
		return
	}
	for i, p := range u.parts {
		for _, name := range partColumns(p, u.exprs[i]) {
			if !mentions(t.alive.Expr, []string{name}) {
				continue
			}
			c.report(diag.Diagnostic{
				Code:    diag.LiveColumnInKey,
				Detail:  "The column " + quote(name) + " says which rows are live, and stands in the key.",
				Subject: u.decl.Columns[i].Range,
				Label:   "part of live",
				Related: []diag.Related{{Range: t.decl.Live.Range, Text: "live = " + quote(t.alive.SQL())}},
				Consequence: "Live rows are told from each other by it: where it is NULL for all of them, NULL equals nothing, and two live rows with the " +
					"same values both succeed.",
				Help: "leave " + quote(name) + " out of `columns`: the key covers live rows alone already (WHERE " + t.alive.SQL() + ")",
			})
			return
		}
	}
}

// deferrableKey refuses to defer what is an index, which cannot be deferred.
func (c *compilation) deferrableKey(u *unique) {
	d := u.decl.Deferrable
	if !d.V || u.plain {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.DeferrableKey,
		Detail:      "A no_duplicates with a predicate or an expression cannot be deferrable.",
		Subject:     d.Range,
		Label:       "a unique index is checked at once",
		Consequence: "Only a unique constraint can wait for the end of the transaction, and PostgreSQL makes none with a WHERE or an expression.",
		Help:        "leave deferrable out, or make the key plain columns without where",
	})
}

// redundantKey warns about a key that another one contains.
func (c *compilation) redundantKey(t *table, u *unique) {
	if u.where == nil && u.plain && sameColumns(u.columns, columnList(t.key)) {
		c.finding(u.decl.Allow, redundantTo(u, "the primary key", t.decl.PrimaryKey.Header))
		return
	}
	for _, other := range t.uniques {
		if slices.Equal(u.parts, other.parts) && conditionSQL(u.where) == conditionSQL(other.where) {
			c.finding(u.decl.Allow, redundantTo(u, "no_duplicates "+quote(other.decl.Name.Text), other.decl.Header))
			return
		}
	}
}

func redundantTo(u *unique, what string, at hcl.Range) diag.Diagnostic {
	return diag.Diagnostic{
		Severity:    diag.Warning,
		Code:        diag.RedundantKey,
		Detail:      "no_duplicates " + quote(u.decl.Name.Text) + " says the same as " + what + ".",
		Subject:     u.decl.Header,
		Label:       "promised already",
		Related:     []diag.Related{{Range: at, Text: what}},
		Consequence: "Each write keeps two indexes of the same values, and which of the two an error names is a matter of luck.",
		Help:        "remove this block",
	}
}

// lowerDuplicates puts the constraint or index on the table and records what was
// decided.
func (c *compilation) lowerDuplicates(t *table, u *unique) {
	decl := u.decl
	addr := inside(t.address, "no_duplicates", decl.Block)
	origin := ir.Origin{Address: addr, Pos: pos(decl.Header)}
	notDistinct := decl.Nulls.Set && decl.Nulls.V == "not_distinct"
	if !c.claimConstraint(t, u.name, "no_duplicates "+quote(decl.Name.Text), decl.Header, true) {
		return
	}
	kind := ir.IndexObject
	if u.plain {
		kind = ir.ConstraintObject
		t.schema.Uniques = append(t.schema.Uniques, ir.Unique{
			Name: u.name, Columns: u.columns, NullsNotDistinct: notDistinct, Deferrable: decl.Deferrable.V, Origin: origin,
		})
	} else {
		t.schema.Indexes = append(t.schema.Indexes, ir.Index{
			Name: u.name, Unique: true, NullsNotDistinct: notDistinct, Method: defaultMethod,
			Parts: u.parts, Where: conditionSQL(u.where), Origin: origin,
		})
	}
	u.object = ir.ObjectID{Kind: kind, Schema: t.ref.Schema, Table: t.ref.Name, Name: u.name}
	if u.where == nil {
		t.indexed = append(t.indexed, leadingColumns(u.parts))
	}
	inv := &ir.NoDuplicates{Parts: u.parts, Where: conditionSQL(u.where), NotNulls: notDistinct, Base: ir.Facts{
		Address:   addr,
		Kind:      "no_duplicates",
		Table:     t.ref,
		Promise:   duplicatesPromise(t, u, notDistinct),
		Mechanism: duplicatesMechanism(u, notDistinct),
		Reasons:   duplicatesReasons(t, u),
		Objects:   []ir.ObjectID{u.object},
		Violators: duplicatesViolators(t, u, notDistinct),
		Pos:       pos(decl.Header),
	}}
	u.facts = &inv.Base
	t.invariants = append(t.invariants, inv)
}

func duplicatesPromise(t *table, u *unique, notDistinct bool) string {
	s := "No two rows of " + t.ref.Name
	if u.where != nil {
		s += " where " + u.where.SQL()
	}
	s += " have the same " + keyWords(u.parts)
	switch {
	case notDistinct:
		s += ", NULL counted as a value"
	case u.nullFrom(t) != "":
		s += ", rows with NULL there aside"
	}
	return s + "." + u.where.coverage()
}

func duplicatesMechanism(u *unique, notDistinct bool) string {
	s := "UNIQUE "
	if !u.plain {
		s = "UNIQUE INDEX "
	}
	if notDistinct {
		s += "NULLS NOT DISTINCT "
	}
	s += "(" + keySQL(u.parts) + ")"
	if u.where != nil {
		s += " WHERE " + u.where.SQL()
	}
	if u.decl.Deferrable.V {
		s += " DEFERRABLE"
	}
	return s
}

func duplicatesReasons(t *table, u *unique) []ir.Reason {
	var reasons []ir.Reason
	switch {
	case u.plain:
		reasons = append(reasons, ir.Reason{
			Choice: "unique constraint",
			Why: "the key is plain columns over all rows. A constraint can be the target of a foreign key, and the server names it in its " +
				"errors. Two writers of one value wait for each other inside the index; the second one gets 23505.",
		})
	case u.where != nil:
		reasons = append(reasons, ir.Reason{
			Choice: "unique index",
			Why: "the key covers a part of the rows, and PostgreSQL has no unique constraint with a WHERE. The index decides in the same way, " +
				"and its name stands in the error.",
		})
	default:
		reasons = append(reasons, ir.Reason{
			Choice: "unique index",
			Why:    "the key holds " + keyWords(u.parts) + ", and PostgreSQL has no unique constraint over expressions or with an order of its own.",
		})
	}
	reasons = append(reasons, whereReason(t, u.decl.Where, u.where)...)
	return append(reasons, arbiterReason(u))
}

// arbiterReason records how ON CONFLICT has to name this key.
func arbiterReason(u *unique) ir.Reason {
	if u.decl.Deferrable.V {
		return ir.Reason{
			Choice: "no arbiter",
			Why:    "PostgreSQL takes no deferrable constraint for ON CONFLICT or for a foreign key (55000).",
		}
	}
	target := "(" + keySQL(u.parts) + ")"
	if u.where != nil {
		target += " WHERE " + u.where.SQL()
	}
	return ir.Reason{
		Choice: "arbiter ON CONFLICT " + target,
		Why: "an upsert names the key by its parts and repeats its predicate as literal text: with a parameter in it, the plan that PostgreSQL " +
			"keeps from the sixth execution on no longer matches the index (42P10).",
	}
}

// duplicatesViolators finds the values that several rows share.
func duplicatesViolators(t *table, u *unique, notDistinct bool) string {
	var conditions []string
	if u.where != nil {
		conditions = append(conditions, "("+u.where.SQL()+")")
	}
	for i, p := range u.parts {
		if !notDistinct && slices.ContainsFunc(partColumns(p, u.exprs[i]), func(name string) bool { return t.byName[name].null }) {
			conditions = append(conditions, "("+partSQL(p)+") IS NOT NULL")
		}
	}
	sql := "SELECT " + keySQL(u.parts) + ", count(*) AS rows FROM " + t.ref.SQL()
	if len(conditions) > 0 {
		sql += " WHERE " + strings.Join(conditions, " AND ")
	}
	return sql + " GROUP BY " + ordinals(len(u.parts)) + " HAVING count(*) > 1"
}
