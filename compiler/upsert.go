package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// upserts checks the upsert blocks of a table. This version makes no operation
// of them.
func (c *compilation) upserts(t *table) {
	for _, decl := range t.decl.Upserts {
		c.upsertKey(t, decl)
		c.upsertColumns(t, decl)
		c.ignoredUpsert(t, decl)
		c.burntIdentity(t, decl)
		c.pending(under(t.address, "upsert", decl.Name.Text), decl.Header)
	}
}

// upsertKey finds the key and refuses one that ON CONFLICT cannot name.
func (c *compilation) upsertKey(t *table, decl *dsl.Upsert) {
	if decl.Key == nil {
		return
	}
	name := decl.Key.Text
	if name == "" {
		if t.decl.PrimaryKey == nil {
			c.report(diag.Diagnostic{
				Code:        diag.UpsertKey,
				Detail:      "The table " + quote(t.label) + " has no primary key.",
				Subject:     decl.Key.Range,
				Label:       "no such key",
				Consequence: "Nothing tells two rows apart: two writers would both insert.",
				Help:        "primary_key { columns = [id] }",
			})
		}
		return
	}
	i := slices.IndexFunc(t.decl.NoDuplicates, func(d *dsl.NoDuplicates) bool { return d.Name.Text == name })
	switch {
	case i < 0:
		var names []string
		for _, d := range t.decl.NoDuplicates {
			names = append(names, d.Name.Text)
		}
		c.report(diag.Diagnostic{
			Code:        diag.UpsertKey,
			Detail:      "The table " + quote(t.label) + " has no no_duplicates " + quote(name) + ".",
			Subject:     decl.Key.Range,
			Label:       "no such key",
			Consequence: "Without a unique key two writers both find no row and both insert; PostgreSQL refuses ON CONFLICT (42P10).",
			Help:        didYouMean(name, names, "declare it: no_duplicates "+quote(name)+" { columns = [COLUMN] }"),
		})
	case t.decl.NoDuplicates[i].Deferrable.V:
		c.report(diag.Diagnostic{
			Code:        diag.UpsertKey,
			Detail:      "The key " + quote(name) + " is deferrable.",
			Subject:     decl.Key.Range,
			Label:       "deferrable",
			Related:     []diag.Related{{Range: t.decl.NoDuplicates[i].Deferrable.Range, Text: "here"}},
			Consequence: "Whether a row is there is known at commit alone; PostgreSQL takes no deferrable constraint for ON CONFLICT (55000).",
			Help:        "leave deferrable out of no_duplicates " + quote(name),
		})
	}
}

// upsertColumns checks what the mode needs and what may be overwritten.
func (c *compilation) upsertColumns(t *table, decl *dsl.Upsert) {
	columns, ok := c.lookupAll(t, decl.Update)
	for i, col := range columns {
		if !ok || c.fixed(t, col, decl.Update[i], "upsert") || c.governed(col, nil, decl.Update[i].Range, "upsert") {
			break
		}
	}
	if decl.Version != nil {
		c.lookup(t, *decl.Version)
	}
	overwrites := decl.Mode.V == "converge" || decl.Mode.V == "versioned"
	d := diag.Diagnostic{Code: diag.UpsertMode, Subject: decl.Mode.Range}
	switch {
	case !decl.Mode.Set:
		return
	case overwrites && len(decl.Update) == 0:
		d.Detail = "The mode " + quote(decl.Mode.V) + " overwrites columns, and `update` names none."
		d.Consequence = "What is overwritten is never implied: a column that is added later would be lost without a word."
		d.Help = "update = [COLUMN]"
	case !overwrites && len(decl.Update) > 0:
		d.Detail = "The mode " + quote(decl.Mode.V) + " leaves the row that is there as it is, and `update` names columns."
		d.Consequence = "They would never be written."
		d.Help = `mode = "converge", or leave update out`
	case decl.Mode.V == "versioned" && decl.Version == nil:
		d.Detail = `The mode "versioned" compares a version, and no column is named.`
		d.Consequence = "An older message that comes late would overwrite a newer one."
		d.Help = "version = COLUMN"
	case decl.Mode.V != "versioned" && decl.Version != nil:
		d.Detail = "The mode " + quote(decl.Mode.V) + " compares no version, and a column is named."
		d.Consequence = "An older message that comes late would overwrite a newer one, although the block names a version."
		d.Help = `mode = "versioned"`
	default:
		return
	}
	c.report(d)
}

// ignoredUpsert points out that a duplicate is lost without a word.
func (c *compilation) ignoredUpsert(t *table, decl *dsl.Upsert) {
	if decl.Mode.V != "ignore" {
		return
	}
	c.finding(decl.Allow, diag.Diagnostic{
		Severity:    diag.Warning,
		Code:        diag.SilentLoss,
		Detail:      "upsert " + quote(decl.Name.Text) + " drops a row of " + quote(t.label) + " whose key is taken, whatever else is in it.",
		Subject:     decl.Mode.Range,
		Label:       "nothing is counted or told",
		Consequence: "Two rows that differ and share a key by mistake look like one that came twice: one is lost, and nobody notices.",
		Help:        `mode = "reject", or count what is dropped in the caller and say so: ` + allowHint(diag.SilentLoss, "the caller counts them"),
	})
}

// burntIdentity points out a small identity that conflicts use up.
func (c *compilation) burntIdentity(t *table, decl *dsl.Upsert) {
	for _, col := range t.columns {
		if col.schema.Identity == ir.NoIdentity || col.typ.Name != "int4" && col.typ.Name != "int2" {
			continue
		}
		c.finding(decl.Allow, diag.Diagnostic{
			Severity: diag.Warning,
			Code:     diag.IdentityBurn,
			Detail:   "upsert " + quote(decl.Name.Text) + " takes a number from " + quote(col.name) + " also when the row is there already.",
			Subject:  decl.Header,
			Label:    "each conflict uses up a number",
			Related:  []diag.Related{{Range: col.decl.Type.Range, Text: col.typ.SQL() + ": " + plainInt(int(integerLimits[col.typ.Name])) + " numbers"}},
			Consequence: "INSERT … ON CONFLICT calls the sequence before it looks for the key. A busy upsert of few rows runs the column out (2200H), and " +
				"then every insert into the table fails.",
			Help: "type = bigint in column " + quote(col.name) + ", or " + allowHint(diag.IdentityBurn, "it runs once a day"),
		})
	}
}
