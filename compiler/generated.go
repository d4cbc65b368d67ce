package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// generated reads what the server computes columns from. All columns are known
// by then, so that one may stand before those that it is made of.
func (c *compilation) generated(t *table) {
	for _, col := range t.columns {
		if col.decl.Generated == nil {
			continue
		}
		e := c.parse(col.decl.Generated, "generated column", row{table: t})
		if e == nil || !c.generatable(t, col, e) {
			continue
		}
		col.formula = e.Expr
		col.schema.Generated = e.SQL()
	}
}

// generatable refuses a column that the server cannot compute.
func (c *compilation) generatable(t *table, col *column, e *expression) bool {
	d := diag.Diagnostic{Code: diag.GeneratedColumn, Subject: col.decl.Generated.Range}
	other := slices.IndexFunc(columnsOf(e.Expr), func(name string) bool { return t.byName[name].decl.Generated != nil })
	switch {
	case other >= 0:
		name := columnsOf(e.Expr)[other]
		d.Detail = "The generated column " + quote(col.name) + " mentions " + quote(name) + ", which is generated too."
		d.Label = "made of a generated column"
		d.Consequence = "The server computes all of them at once, from the other columns (42P17)."
		d.Help = "write what " + quote(name) + " is made of"
		if name == col.name {
			d.Detail = "The generated column " + quote(col.name) + " mentions itself."
			d.Help = "name the columns that it is made of"
		}
	case col.decl.Default != nil:
		d.Detail = "The column " + quote(col.name) + " is generated and has a default."
		d.Related = []diag.Related{{Range: col.decl.Default.Range, Text: "and a value from here"}}
		d.Consequence, d.Help = "PostgreSQL takes one of them and refuses the table.", "leave the default out"
	case col.schema.Identity != ir.NoIdentity:
		d.Detail = "The column " + quote(col.name) + " is generated and has an identity."
		d.Related = []diag.Related{{Range: col.decl.Identity.Range, Text: "and a value from here"}}
		d.Consequence, d.Help = "PostgreSQL takes one of them and refuses the table.", "leave the identity out"
	case col.decl.Immutable.V:
		d.Detail = "The generated column " + quote(col.name) + " is immutable."
		d.Related = []diag.Related{{Range: col.decl.Immutable.Range, Text: "immutable"}}
		d.Consequence = "It follows the columns that it is made of: a trigger before the write would see no value in it, and refuse every one."
		d.Help = "make " + and(columnsOf(e.Expr)) + " immutable instead"
	default:
		return true
	}
	c.report(d)
	return false
}

// writtenByHand refuses a generated column where a block means to write it.
func (c *compilation) writtenByHand(col *column, at hcl.Range, what string) bool {
	if col.decl.Generated == nil {
		return true
	}
	c.report(diag.Diagnostic{
		Code:        diag.FixedColumn,
		Detail:      "The column " + quote(col.name) + " is generated.",
		Subject:     at,
		Label:       "computed by the server",
		Related:     []diag.Related{{Range: col.decl.Generated.Range, Text: "from this"}},
		Consequence: "PostgreSQL refuses to write it (428C9).",
		Help:        "name what it is made of, or leave it out of this " + what,
	})
	return false
}

// spelledOut puts in place of generated columns what they are made of: where a
// condition is asked before the server has computed them.
func (t *table) spelledOut(e *pgsql.Expr) *pgsql.Expr {
	formulas := map[string]*pgsql.Expr{}
	for _, name := range columnsOf(e) {
		if col := t.byName[name]; col != nil && col.formula != nil {
			formulas[name] = t.computed(col)
		}
	}
	if len(formulas) == 0 {
		return e
	}
	return e.Substitute(formulas)
}

// computed is the value of a generated column as the column will hold it. A
// domain's checks are asked for by themselves, where the answer can name them.
func (t *table) computed(col *column) *pgsql.Expr {
	plain := *col
	if plain.typ.Kind == ir.DomainType {
		plain.typ = *plain.typ.Elem
	}
	return coerced(col.formula, &plain, t, nil)
}

// recomputed are the generated columns that change with some assigned values, as
// if they were assigned too.
func (t *table) recomputed(values map[string]*pgsql.Expr) []assignment {
	var list []assignment
	for _, col := range t.columns {
		if col.formula == nil || !slices.ContainsFunc(columnsOf(col.formula), func(name string) bool { return values[name] != nil }) {
			continue
		}
		e := t.computed(col).Substitute(values)
		list = append(list, assignment{column: col, expr: e, value: e, source: *col.decl.Generated})
	}
	return list
}

// withSources adds to some columns what the generated ones among them are made of.
func (t *table) withSources(columns []string) []string {
	list := columns
	for _, name := range columns {
		if col := t.byName[name]; col != nil && col.formula != nil {
			list = append(slices.Clip(list), columnsOf(col.formula)...)
		}
	}
	return list
}

// withGenerated adds to some columns that change the generated ones that change
// with them.
func (t *table) withGenerated(columns []string) []string {
	list := columns
	for _, col := range t.columns {
		if col.formula != nil && mentions(col.formula, columns) {
			list = append(slices.Clip(list), col.name)
		}
	}
	return list
}

// keyed reports a column of the primary key, or one that a generated column of it
// is made of: a write of either makes the row another one.
func (t *table) keyed(col *column) bool {
	return slices.ContainsFunc(t.withGenerated([]string{col.name}), func(name string) bool { return slices.Contains(t.key, t.byName[name]) })
}

// collation reads the order of a column's texts.
func (c *compilation) collation(col *column) {
	decl := col.decl.Collation
	if !decl.Set {
		return
	}
	if col.known && !collatable(col.typ) {
		c.report(diag.Diagnostic{
			Code:        diag.WrongType,
			Detail:      "The column " + quote(col.name) + " has the type " + col.typ.SQL() + ", whose values have no collation.",
			Subject:     decl.Range,
			Label:       "for texts alone",
			Consequence: "PostgreSQL refuses the table (42804).",
			Help:        "leave the collation out, or type = text",
		})
		return
	}
	col.schema.Collation = decl.V
}

// collatable reports whether values of a type are texts. Of types that pawl does
// not know the server judges.
func collatable(t ir.Type) bool {
	base := t.Base()
	for base.Kind == ir.ArrayType {
		base = base.Elem.Base()
	}
	return base.Kind == ir.OtherType || strings.HasSuffix(base.Name, "char") || base.Name == "text"
}
