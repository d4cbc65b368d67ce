package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// pitfalls points out declarations that PostgreSQL takes and that rarely mean
// what they say. Each finding can be allowed where it is meant.
func (c *compilation) pitfalls() {
	for _, t := range c.tables {
		for _, u := range t.uniques {
			c.flagInKey(t, u)
			c.nullGroup(t, u)
			c.caseSensitiveEmail(t, u)
		}
		c.businessKeys(t)
		c.hotKeys(t)
		c.looseStates(t)
	}
	c.looseSinces()
}

// retirementColumns are the usual names of the column that takes a row away
// without deleting it.
var retirementColumns = []string{
	"deleted_at", "deleted_on", "deleted", "removed_at", "archived_at", "discarded_at", "destroyed_at", "trashed_at",
}

// softDeleteInKey refuses a key that holds the column of a soft delete, in a
// table that does not declare it as live: that case has a code of its own.
func (c *compilation) softDeleteInKey(t *table, u *unique) bool {
	for i, p := range u.parts {
		if p.Column == "" || !slices.Contains(retirementColumns, p.Column) || !t.byName[p.Column].null {
			continue
		}
		name := p.Column
		if guaranteesNotNull(u.where, name) || t.alive != nil && mentions(t.alive.Expr, []string{name}) {
			continue
		}
		consequence := "Of rows that are not deleted it is NULL, and to a unique index NULL equals nothing: any number of them may have the same values."
		if u.decl.Nulls.V == "not_distinct" {
			consequence = "Two rows with the same values that are deleted in one transaction get one now() and collide (23505), and so does a second undelete."
		}
		c.finding(u.decl.Allow, diag.Diagnostic{
			Code:        diag.SoftDeleteInKey,
			Detail:      "The column " + quote(name) + " says whether a row is deleted, and stands in the key.",
			Subject:     u.decl.Columns[i].Range,
			Label:       "part of the key",
			Related:     []diag.Related{{Range: t.byName[name].decl.Header, Text: "the soft delete"}},
			Consequence: consequence,
			Help: "live = " + quote(ir.Ident(name)+" IS NULL") + " in table " + quote(t.label) + ", and leave " + quote(name) +
				" out of `columns`: the key then covers live rows alone",
		})
		return true
	}
	return false
}

// flagInKey refuses a boolean in a key, which allows one false beside one true.
func (c *compilation) flagInKey(t *table, u *unique) {
	for i, p := range u.parts {
		if p.Column == "" || u.exprs[i] != nil {
			continue
		}
		col := t.byName[p.Column]
		switch {
		case !col.known || col.typ.Base().Name != "bool" || col.typ.Kind == ir.ArrayType:
			continue
		case u.where != nil && mentions(u.where.Expr, []string{col.name}):
			continue // the predicate picks one of the two
		case col.null && u.decl.Nulls.V == "distinct":
			continue // true or NULL: one true, any number of others
		}
		others := slices.DeleteFunc(slices.Clone(u.columns), func(name string) bool { return name == col.name })
		group := "the table"
		if len(others) > 0 {
			group = "one " + and(others)
		}
		c.finding(u.decl.Allow, diag.Diagnostic{
			Code:    diag.FlagInKey,
			Detail:  "The boolean " + quote(col.name) + " stands in the key.",
			Subject: u.decl.Columns[i].Range,
			Label:   "true once, and false once",
			Consequence: "Of " + group + " one row may have true there, and one row false: the second row that is not " + quote(col.name) +
				" is refused with 23505.",
			Help: "leave " + quote(col.name) + " out of `columns` and choose the rows: where = " + quote(flagWhere(t, u, col.name)),
		})
	}
}

// flagWhere is the predicate that was meant: the key's own and the flag.
func flagWhere(t *table, u *unique, flag string) string {
	where := ir.Ident(flag)
	if own := conditionSQL(u.where); own != "" {
		where = own + " AND " + where
	}
	return where
}

// nullGroup points out a key whose group is a parent that may be missing: rows
// without a parent are compared with nothing.
func (c *compilation) nullGroup(t *table, u *unique) {
	if len(u.parts) < 2 || u.decl.Nulls.V != "distinct" {
		return
	}
	for i, p := range u.parts {
		if p.Column == "" || !t.byName[p.Column].null || guaranteesNotNull(u.where, p.Column) || !t.refersBy(p.Column) || t.coversNull(p.Column) {
			continue
		}
		c.finding(u.decl.Allow, diag.Diagnostic{
			Severity:    diag.Warning,
			Code:        diag.NullGroup,
			Detail:      "The key groups rows by " + quote(p.Column) + ", and rows without one are in no group.",
			Subject:     u.decl.Columns[i].Range,
			Label:       "NULL is no group",
			Related:     []diag.Related{{Range: u.decl.Nulls.Range, Text: "NULL differs from NULL"}},
			Consequence: "A row without a parent is a row of the top: any number of those may have the same values, although below a parent only one may.",
			Help: `nulls = "not_distinct", or a second no_duplicates for the rows of the top with where = ` + quote(ir.Ident(p.Column)+" IS NULL") +
				", or " + allowHint(diag.NullGroup, "rows without a parent may be alike"),
		})
		return
	}
}

// refersBy reports whether a column alone is a foreign key.
func (t *table) refersBy(column string) bool {
	return slices.ContainsFunc(t.decl.ForeignKeys, func(k *dsl.ForeignKey) bool {
		return len(k.Columns) == 1 && k.Columns[0].Text == column
	})
}

// coversNull reports whether some key is about the rows where a column is NULL.
func (t *table) coversNull(column string) bool {
	want := built(ir.Ident(column) + " IS NULL")
	return slices.ContainsFunc(t.uniques, func(u *unique) bool { return u.where != nil && implies(u.where.Expr, want) })
}

// caseSensitiveEmail points out a key over an address as it was typed.
func (c *compilation) caseSensitiveEmail(t *table, u *unique) {
	for i, p := range u.parts {
		if p.Column == "" || !isEmail(p.Column) || !isText(t.byName[p.Column]) || t.foldsCase(p.Column) {
			continue
		}
		folded := "lower(" + ir.Ident(p.Column) + ")"
		c.finding(u.decl.Allow, diag.Diagnostic{
			Severity:    diag.Warning,
			Code:        diag.CaseSensitiveEmail,
			Detail:      "The key takes " + quote(p.Column) + " as it was typed.",
			Subject:     u.decl.Columns[i].Range,
			Label:       "Ann@example.com and ann@example.com differ",
			Consequence: "One person gets two accounts by a capital letter, and whoever looks the address up finds one of them.",
			Help: "put sql(" + quote(folded) + ") in its place, or say that it is stored in lower case: check " + quote(p.Column+"_lower") +
				" { expr = " + quote(ir.Ident(p.Column)+" = "+folded) + " }",
		})
	}
}

func isEmail(column string) bool {
	name := strings.ToLower(column)
	return strings.HasSuffix(name, "email") || strings.HasSuffix(name, "email_address")
}

// isText reports whether a column holds text that is compared letter by letter.
func isText(col *column) bool {
	base := col.typ.Base()
	return col.known && base.Kind == ir.BaseType && (base.Name == "text" || base.Name == "varchar" || base.Name == "bpchar")
}

// foldsCase reports whether a check lets only one spelling of a text in.
func (t *table) foldsCase(column string) bool {
	name := ir.Ident(column)
	for _, k := range t.checks {
		for _, part := range k.expr.Conjuncts() {
			for _, fold := range []string{"lower", "upper"} {
				call := fold + "(" + name + ")"
				if implies(part, built(name+" = "+call)) || implies(part, built(call+" = "+name)) {
					return true
				}
			}
		}
	}
	return false
}

// classifications are what comes before _code and _no where many rows share the
// value.
var classifications = []string{
	"country", "currency", "language", "locale", "postal", "post", "zip", "area", "region", "state", "province", "city", "error",
	"status", "http_status", "exit", "response", "reason", "color", "colour", "phone", "fax", "house", "line", "page", "row", "seq",
	"version", "revision", "discount", "tax", "vat",
}

// businessKeys points out columns that look like a name which is given once and
// that no key holds.
func (c *compilation) businessKeys(t *table) {
	if len(t.uniques) < len(t.decl.NoDuplicates) {
		return // the key that is missing may be the one with the mistake
	}
	named := c.idempotencyKeys()
	for _, col := range t.columns {
		if !looksLikeKey(col) && !slices.Contains(named, col.name) || t.refersBy(col.name) || t.inKey(col.name) {
			continue
		}
		key := ir.Ident(col.name)
		part := col.name
		if isEmail(col.name) {
			part = "sql(" + quote("lower("+key+")") + ")"
		}
		c.finding(col.decl.Allow, diag.Diagnostic{
			Severity:    diag.Warning,
			Code:        diag.BusinessKey,
			Detail:      "The column " + quote(col.name) + " looks like a name that is given once, and no key of " + quote(t.label) + " holds it.",
			Subject:     col.decl.Name.Range,
			Label:       "in no key",
			Consequence: "Two requests at the same moment both look for it, both find nothing, and both put a row in.",
			Help: "no_duplicates " + quote(col.name) + " { columns = [" + part + "] }, or " +
				allowHint(diag.BusinessKey, "several rows may have it"),
		})
	}
}

func looksLikeKey(col *column) bool {
	base := col.typ.Base()
	if !col.known || base.Kind != ir.BaseType || !isText(col) && !familyOf(col.typ).integer {
		return false
	}
	if strings.HasSuffix(col.name, "email") {
		return true
	}
	for _, suffix := range []string{"_no", "_code"} {
		if what, ok := strings.CutSuffix(col.name, suffix); ok && what != "" {
			return !slices.ContainsFunc(classifications, func(word string) bool {
				return what == word || strings.HasSuffix(what, "_"+word)
			})
		}
	}
	return false
}

// inKey reports whether a key mentions a column.
func (t *table) inKey(column string) bool {
	return slices.Contains(t.withSources(columnList(t.key)), column) ||
		slices.ContainsFunc(t.uniques, func(u *unique) bool { return slices.Contains(t.withSources(u.columns), column) })
}
