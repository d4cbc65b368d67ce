package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// declareData reads the tables that the project reads and does not own. They
// take no name: several blocks, of modules for instance, may describe one table.
// The names of the project's own tables are known by now.
func (c *compilation) declareData() {
	for _, decl := range byLabel(c.spec.Data, func(t *dsl.Table) string { return t.ID() }) {
		if decl.Name.Text == "" || c.dataByName[decl.ID()] != nil {
			continue
		}
		t := newTable(decl.Name.Text, decl.Scope+address("data.table", decl.Name.Text)+roundOf(decl.Block), ir.TableRef{
			Schema: c.schemaOf(decl.Schema),
			Name:   nameOf(decl.Name, decl.Rename),
		}, decl.Header)
		t.decl, t.theirs = decl, true
		c.data = append(c.data, t)
		c.dataByName[decl.ID()] = t
		c.notOurs(t)
	}
}

// notOurs refuses to read as someone else's what the project makes itself.
func (c *compilation) notOurs(t *table) {
	own, taken := c.names[space{kind: relationSpace, schema: t.ref.Schema, name: t.ref.Name}]
	if !taken {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.DuplicateName,
		Detail:      "Data table " + quote(t.label) + " and " + own.what + " are both " + quote(t.ref.Name) + " in the database.",
		Subject:     t.decl.Header,
		Label:       "the project makes it itself",
		Related:     []diag.Related{{Range: own.at, Text: own.what}},
		Consequence: "A table is either made and changed by apply, or read and left alone.",
		Help:        "remove this block and refer to the project's own, or write the schema that the other one is in",
	})
}

// dataColumns compiles the columns and keys of a table that is read.
func (c *compilation) dataColumns(t *table) {
	for _, decl := range t.decl.Columns {
		col := c.column(decl, under(t.address, "column", decl.Name.Text))
		if col == nil || t.byName[col.name] != nil {
			continue
		}
		t.columns = append(t.columns, col)
		t.byName[col.name] = col
	}
	if decl := t.decl.PrimaryKey; decl != nil {
		if key, ok := c.primaryColumns(t, decl); ok {
			t.key = key
			t.schema.PrimaryKey = &ir.PrimaryKey{
				Name: t.ref.Name + "_pkey", Columns: columnList(key),
				Origin: ir.Origin{Address: under(t.address, "primary_key"), Pos: pos(decl.Header)},
			}
		}
	}
	for _, decl := range t.decl.NoDuplicates {
		c.dataKey(t, decl)
	}
}

// dataKey compiles a key beside the primary one.
func (c *compilation) dataKey(t *table, decl *dsl.NoDuplicates) {
	u := &unique{decl: decl, name: derivedName(t.ref.Name, decl.Name.Text, decl.Rename), plain: true}
	for _, part := range decl.Columns {
		col := c.lookup(t, *part.Column)
		if col == nil || c.keyType(col, part.Range, "no_duplicates") {
			return
		}
		u.columns = append(u.columns, col.name)
	}
	if len(u.columns) == 0 {
		return
	}
	t.uniques = append(t.uniques, u)
	t.schema.Uniques = append(t.schema.Uniques, ir.Unique{
		Name: u.name, Columns: slices.Clone(u.columns),
		Origin: ir.Origin{Address: inside(t.address, "no_duplicates", decl.Block), Pos: pos(decl.Header)},
	})
}

// assembleData puts the tables that are read into the program.
func (c *compilation) assembleData() {
	for _, t := range c.data {
		for _, col := range t.columns {
			col.schema.Type, col.schema.Null = col.typ, col.null
			t.schema.Columns = append(t.schema.Columns, col.schema)
		}
		sortByName(t.schema.Uniques, func(u ir.Unique) string { return u.Name })
		c.program.Data = append(c.program.Data, t.schema)
	}
}
