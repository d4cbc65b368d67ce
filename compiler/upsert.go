package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// upsert is an upsert block after its checks.
type upsert struct {
	decl        *dsl.Upsert
	table       *table
	address     string
	key         *unique
	notDistinct bool // NULL counts as a value in the key
	mode        string
	update      []*column // that may be overwritten, the version aside
	version     *column   // nil unless versioned
	batch       string
}

// upserts compiles the upsert blocks of a table.
func (c *compilation) upserts(t *table) {
	for _, decl := range t.decl.Upserts {
		before := len(c.diags)
		u := &upsert{
			decl: decl, table: t, address: inside(t.address, "upsert", decl.Block), key: c.upsertKey(t, decl),
			mode: decl.Mode.V, batch: defaultBatch,
		}
		set(&u.batch, decl.Batch)
		c.upsertColumns(u)
		c.ignoredUpsert(t, decl)
		c.burntIdentity(t, decl)
		if u.key == nil || c.diags[before:].HasErrors() || len(t.repository.Insert) == 0 {
			continue
		}
		u.notDistinct = u.key.decl != nil && u.key.decl.Nulls.V == "not_distinct"
		c.givenKey(u)
		if !c.diags[before:].HasErrors() {
			c.lowerUpsert(u)
		}
	}
}

// upsertKey finds the key and refuses one that ON CONFLICT cannot name. It is nil
// for one that cannot be used.
func (c *compilation) upsertKey(t *table, decl *dsl.Upsert) *unique {
	if decl.Key == nil {
		return nil
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
		return t.primaryUnique()
	}
	i := slices.IndexFunc(t.decl.NoDuplicates, func(d *dsl.NoDuplicates) bool { return d.LocalID() == name })
	switch {
	case i < 0:
		var names []string
		for _, d := range t.decl.NoDuplicates {
			names = append(names, d.LocalID())
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
	default:
		found := slices.IndexFunc(t.uniques, func(u *unique) bool { return u.decl == t.decl.NoDuplicates[i] && u.facts != nil })
		if found >= 0 { // else it has been reported
			return t.uniques[found]
		}
	}
	return nil
}

// primaryUnique is the primary key as what keeps rows apart; nil when the table
// has none.
func (t *table) primaryUnique() *unique {
	if t.schema.PrimaryKey == nil {
		return nil
	}
	u := &unique{name: t.schema.PrimaryKey.Name, plain: true, columns: columnList(t.key), exprs: make([]*expression, len(t.key))}
	for _, col := range t.key {
		u.parts = append(u.parts, ir.IndexPart{Column: col.name})
	}
	u.object = ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: u.name}
	return u
}

// givenKey refuses a key that callers cannot give.
func (c *compilation) givenKey(u *upsert) {
	for _, name := range u.key.columns {
		col := u.table.byName[name]
		if !c.writtenByHand(col, u.decl.Key.Range, "upsert") || col.schema.Identity == ir.NoIdentity {
			continue
		}
		c.report(diag.Diagnostic{
			Code:        diag.UpsertKey,
			Detail:      "The database gives " + quote(name) + " its value, and it stands in the key of this upsert.",
			Subject:     u.decl.Key.Range,
			Label:       quote(name) + " is an identity column",
			Related:     []diag.Related{{Range: col.decl.Header, Text: "identity"}},
			Consequence: "Each call would take a new number and insert a new row: nothing would ever conflict, and the same message twice would be stored twice.",
			Help:        "key = no_duplicates.NAME, over what callers know: an external id, a name, a day",
		})
	}
}

// upsertColumns checks what the mode needs and what may be overwritten.
func (c *compilation) upsertColumns(u *upsert) {
	t, decl := u.table, u.decl
	columns, ok := c.lookupAll(t, decl.Update)
	for i, col := range columns {
		if !ok || c.fixed(t, col, decl.Update[i], "upsert") || c.governed(col, nil, decl.Update[i].Range, "upsert") || c.fixedByKey(u, col, decl.Update[i]) {
			break
		}
	}
	u.update = columns
	if decl.Version != nil {
		u.version = c.lookup(t, *decl.Version)
		c.versionColumn(u)
	}
	c.upsertMode(decl)
}

// fixedByKey refuses to overwrite what the conflict was found by: it is the same
// in both rows.
func (c *compilation) fixedByKey(u *upsert, col *column, at dsl.Name) bool {
	d := diag.Diagnostic{Code: diag.FixedColumn, Subject: at.Range}
	switch {
	case u.key != nil && slices.ContainsFunc(u.key.parts, func(p ir.IndexPart) bool { return p.Column == col.name }):
		d.Detail = "The column " + quote(col.name) + " stands in the key of this upsert."
		d.Label = "part of the key"
		d.Consequence = "The row that is overwritten was found by it: it has that value already."
	case col.schema.Identity != ir.NoIdentity:
		d.Detail = "The column " + quote(col.name) + " is an identity column."
		d.Label = "identity"
		d.Consequence = "Each overwrite would give the row another number, and callers who hold the old one would find a stranger."
	case u.decl.Version != nil && u.decl.Version.Text == col.name:
		d.Detail = "The column " + quote(col.name) + " is the version, which a versioned upsert writes by itself."
		d.Label = "written already"
		d.Consequence = "PostgreSQL refuses to assign one column twice (42601)."
	default:
		return false
	}
	d.Help = "leave it out of update"
	c.report(d)
	return true
}

// versionColumn refuses a version that does not order the messages of a row.
func (c *compilation) versionColumn(u *upsert) {
	col := u.version
	if col == nil || !col.known || c.fixed(u.table, col, *u.decl.Version, "upsert") || c.governed(col, nil, u.decl.Version.Range, "upsert") {
		return
	}
	d := diag.Diagnostic{
		Code: diag.UpsertMode, Subject: u.decl.Version.Range,
		Related: []diag.Related{{Range: col.decl.Header, Text: col.typ.SQL()}},
		Help:    "a bigint that the sender counts up, and null = true left out",
	}
	switch {
	case u.key != nil && slices.Contains(u.key.columns, col.name):
		d.Detail = "The version " + quote(col.name) + " stands in the key of this upsert."
		d.Label = "part of the key"
		d.Consequence = "Each version would be a row of its own, and none would ever be compared."
		d.Help = "leave " + quote(col.name) + " out of the key"
	case col.null:
		d.Detail = "The version " + quote(col.name) + " may be NULL."
		d.Label = "may be NULL"
		d.Consequence = "NULL is neither older nor newer than anything: a row with it would never change again."
	case familyOf(col.typ).noOrder:
		d.Detail = "The version " + quote(col.name) + " has the type " + col.typ.SQL() + ", which has no order."
		d.Label = "no order"
		d.Consequence = "PostgreSQL could not tell which of two versions is the older one (42883)."
	case col.schema.Identity != ir.NoIdentity:
		d.Detail = "The version " + quote(col.name) + " is an identity column."
		d.Label = "identity"
		d.Consequence = "The database would give each message a higher number in the order of arrival: the one that comes late would win."
	default:
		return
	}
	c.report(d)
}

// upsertMode compares the mode with what else the block says.
func (c *compilation) upsertMode(decl *dsl.Upsert) {
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
	case decl.Mode.V == "reject" && decl.Batch.Set:
		d.Detail = `The mode "reject" has no batch form, and "batch" says which of two equal keys wins.`
		d.Consequence = "Of two equal keys the second one is told to the caller as a duplicate, whoever sent it."
		d.Help = "leave batch out"
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
