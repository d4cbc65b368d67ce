package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// reference is a foreign key after its checks.
type reference struct {
	decl    *dsl.ForeignKey
	child   *table
	parent  *table
	columns []string
	target  []string // the parent's columns
	schema  ir.ForeignKey
	address string
}

// actions are the referential actions by the words of the language.
var actions = map[string]ir.Action{
	"no_action": ir.NoAction, "no action": ir.NoAction, "restrict": ir.Restrict, "cascade": ir.Cascade,
	"set_null": ir.SetNull, "set null": ir.SetNull, "set_default": ir.SetDefault, "set default": ir.SetDefault,
}

// foreignKeys compiles the foreign_key blocks of a table. Every table's keys
// are known by now, so tables can refer to each other in any order.
func (c *compilation) foreignKeys(t *table) {
	for _, decl := range t.decl.ForeignKeys {
		r := c.reference(t, decl)
		if r == nil {
			continue
		}
		name := derivedName(t.ref.Name, decl.Name.Text, decl.Rename)
		if !c.claimConstraint(t, name, "foreign_key "+quote(decl.Name.Text), decl.Header, false) {
			continue
		}
		r.schema = ir.ForeignKey{
			Name: name, Columns: r.columns, RefSchema: r.parent.ref.Schema, RefTable: r.parent.ref.Name, RefColumns: r.target,
			OnDelete: c.action(decl.OnDelete), OnUpdate: c.action(decl.OnUpdate),
			Origin: ir.Origin{Address: r.address, Pos: pos(decl.Header)},
		}
		c.actionOnNull(t, r, decl.OnDelete, r.schema.OnDelete)
		c.actionOnNull(t, r, decl.OnUpdate, r.schema.OnUpdate)
		c.actionOnGenerated(t, r, decl.OnDelete, r.schema.OnDelete, false)
		c.actionOnGenerated(t, r, decl.OnUpdate, r.schema.OnUpdate, true)
		c.referenceIndex(t, r)
		t.schema.ForeignKeys = append(t.schema.ForeignKeys, r.schema)
		t.parents = append(t.parents, r)
		r.parent.children = append(r.parent.children, r)
	}
}

// reference resolves a foreign key and compares the two sides.
func (c *compilation) reference(t *table, decl *dsl.ForeignKey) *reference {
	columns, ok := c.lookupAll(t, decl.Columns)
	parent := c.referred(decl.References)
	if !ok || parent == nil || len(columns) == 0 {
		return nil
	}
	target, ok := c.referenceTarget(parent, decl)
	if !ok || !c.sameWidth(decl, columns, parent, target) {
		return nil
	}
	for i, col := range columns {
		if !c.sameType(decl, i, col, parent, target[i]) {
			return nil
		}
	}
	return &reference{
		decl: decl, child: t, parent: parent, columns: columnList(columns), target: columnList(target),
		address: inside(t.address, "foreign_key", decl.Block),
	}
}

// referred finds the table that a reference names, of the project or of others.
func (c *compilation) referred(r dsl.Reference) *table {
	if r.Data {
		return c.dataByName[r.Table]
	}
	return c.tablesByName[r.Table]
}

// referenceTarget finds the key that is referred to. It is false when there is
// none that a foreign key can rest on.
func (c *compilation) referenceTarget(parent *table, decl *dsl.ForeignKey) ([]*column, bool) {
	ref := decl.References
	d := diag.Diagnostic{
		Code:    diag.ReferenceTarget,
		Subject: ref.Range,
		Related: []diag.Related{{Range: parent.decl.Header, Text: "the table"}},
	}
	if ref.Key == "" {
		if len(parent.key) > 0 {
			return parent.key, true
		}
		if parent.decl.PrimaryKey != nil {
			return nil, false // its own mistake has been reported
		}
		d.Detail = "The table " + quote(parent.label) + " has no primary key to refer to."
		d.Label = "no primary key"
		d.Consequence = "Without a unique key a child could belong to several parents, and PostgreSQL refuses the foreign key (42830)."
		d.Help = "give it one: primary_key { columns = [id] }, or refer to a no_duplicates of it"
		c.report(d)
		return nil, false
	}
	i := slices.IndexFunc(parent.uniques, func(u *unique) bool { return u.decl.LocalID() == ref.Key })
	if i < 0 {
		return nil, false
	}
	u := parent.uniques[i]
	d.Related = []diag.Related{{Range: u.decl.Header, Text: "the key"}}
	switch {
	case u.decl.Deferrable.V:
		d.Code = diag.ReferenceDeferrable
		d.Detail = "The key " + quote(u.decl.Name.Text) + " of " + quote(parent.label) + " is deferrable."
		d.Label = "deferrable"
		d.Consequence = "Within a transaction two parents may share its values until the check; a child could then belong to both. PostgreSQL refuses it (55000)."
		d.Help = "refer to the primary key, or leave deferrable out of no_duplicates " + quote(u.decl.Name.Text)
	case !u.plain:
		d.Detail = "The key " + quote(u.decl.Name.Text) + " of " + quote(parent.label) + " covers a part of the rows, or an expression: " + duplicatesMechanism(u, false) + "."
		d.Label = "not a key of all rows"
		d.Consequence = "A row outside of the predicate could not be told from another one with the same values; PostgreSQL refuses the foreign key (42830)."
		d.Help = "refer to the primary key: references = table." + parent.label
	default:
		cols := make([]*column, len(u.columns))
		for j, name := range u.columns {
			cols[j] = parent.byName[name]
		}
		return cols, true
	}
	c.report(d)
	return nil, false
}

func (c *compilation) sameWidth(decl *dsl.ForeignKey, columns []*column, parent *table, target []*column) bool {
	if len(columns) == len(target) {
		return true
	}
	c.report(diag.Diagnostic{
		Code: diag.ReferenceColumns,
		Detail: "This foreign key has " + plural(len(columns), "column") + " and the key of " + quote(parent.label) + " has " +
			plural(len(target), "column") + " (" + strings.Join(columnList(target), ", ") + ").",
		Subject:     decl.List,
		Label:       plural(len(columns), "column"),
		Related:     []diag.Related{{Range: decl.References.Range, Text: plural(len(target), "column")}},
		Consequence: "A part of a key names no single parent.",
		Help:        "name one column for each of " + and(columnList(target)),
	})
	return false
}

// sameType demands the same type on both sides.
func (c *compilation) sameType(decl *dsl.ForeignKey, i int, col *column, parent *table, target *column) bool {
	if !col.known || !target.known || col.typ.Base().Equal(target.typ.Base()) {
		return true
	}
	c.report(diag.Diagnostic{
		Code: diag.ReferenceType,
		Detail: "The column " + quote(col.name) + " is " + col.typ.SQL() + ", and " + quote(parent.label+"."+target.name) + " is " +
			target.typ.SQL() + ".",
		Subject: decl.Columns[i].Range,
		Label:   col.typ.SQL(),
		Related: []diag.Related{{Range: target.decl.Type.Range, Text: target.typ.SQL()}},
		Consequence: "Where the types have a common equality the values of the wider one cannot all be stored, and the check casts on every " +
			"write; where they have none the foreign key fails (42804).",
		Help: "give " + quote(col.name) + " the type " + target.typ.SQL(),
	})
	return false
}

func (c *compilation) action(v dsl.Value[string]) ir.Action {
	if a, ok := actions[v.V]; ok && v.Set {
		return a
	}
	return ir.NoAction
}

// actionOnNull refuses SET NULL over a column that cannot be NULL.
func (c *compilation) actionOnNull(t *table, r *reference, v dsl.Value[string], a ir.Action) {
	if a != ir.SetNull {
		return
	}
	for _, name := range r.columns {
		if col := t.byName[name]; !col.null {
			c.report(diag.Diagnostic{
				Code:        diag.ReferenceAction,
				Detail:      "The action sets " + quote(name) + " to NULL, and the column is NOT NULL.",
				Subject:     v.Range,
				Label:       "NULL is not allowed there",
				Related:     []diag.Related{{Range: col.decl.Header, Text: "NOT NULL"}},
				Consequence: "Every delete of a parent that has children would fail with 23502.",
				Help:        "null = true in column " + quote(name) + ", or on_delete = \"restrict\"",
			})
			return
		}
	}
}

// actionOnGenerated refuses an action that would write a generated column.
func (c *compilation) actionOnGenerated(t *table, r *reference, v dsl.Value[string], a ir.Action, update bool) {
	writes := a == ir.SetNull || a == ir.SetDefault || update && a == ir.Cascade
	for _, name := range r.columns {
		if col := t.byName[name]; writes && col.decl.Generated != nil {
			c.report(diag.Diagnostic{
				Code:        diag.ReferenceAction,
				Detail:      "The action writes " + quote(name) + ", and the column is generated.",
				Subject:     v.Range,
				Label:       "cannot be written",
				Related:     []diag.Related{{Range: col.decl.Generated.Range, Text: "computed from this"}},
				Consequence: "PostgreSQL refuses the foreign key (42P17).",
				Help:        "leave the action out",
			})
			return
		}
	}
}

// referenceIndex warns about a foreign key that no index of its own side
// serves.
func (c *compilation) referenceIndex(t *table, r *reference) {
	for _, lead := range t.indexed {
		if len(lead) >= len(r.columns) && sameColumns(lead[:len(r.columns)], r.columns) {
			return
		}
	}
	for _, s := range t.spans {
		if s.where == nil && len(s.within) >= len(r.columns) && sameColumns(columnList(s.within[:len(r.columns)]), r.columns) {
			return
		}
	}
	c.finding(r.decl.Allow, diag.Diagnostic{
		Severity: diag.Warning,
		Code:     diag.ForeignKeyIndex,
		Detail:   "No index of " + quote(t.label) + " begins with " + and(quoted(r.columns)) + ".",
		Subject:  r.decl.List,
		Label:    "no index",
		Consequence: "Each delete in " + quote(r.parent.label) + " reads all of " + quote(t.label) + " to see whether a row still refers to it, " +
			"while it holds its locks.",
		Help: "index \"by_" + r.decl.Name.Text + "\" { columns = [" + strings.Join(r.columns, ", ") + "] }, or " +
			allowHint(diag.ForeignKeyIndex, "parents are never deleted"),
	})
}
