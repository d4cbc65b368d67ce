package compiler

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// table is a declared table and what has been found out about it.
type table struct {
	decl     *dsl.Table
	label    string
	shadowed bool // another table has its name
	address  string
	ref      ir.TableRef

	columns  []*column
	byName   map[string]*column
	key      []*column // of the primary key; empty when there is none
	alive    *expression
	checks   []*check
	uniques  []*unique
	spans    []*span
	states   []*stateColumn
	parents  []*reference // its foreign keys
	children []*reference // foreign keys of others that refer to it
	indexed  [][]string   // leading columns of everything that has an index
	listed   []listed     // its indexes, for the reads in their order

	schema     ir.Table
	repository ir.Repository
	invariants []ir.Invariant
	writes     []write
}

// column is a column of a table.
type column struct {
	decl    *dsl.Column
	name    string
	typ     ir.Type
	known   bool // the type could be read
	null    bool
	schema  ir.Column
	governs *stateColumn // the transitions that alone may change it
}

// field is the column as a value.
func (col *column) field() ir.Field {
	return ir.Field{Name: col.name, Type: col.typ, Null: col.null}
}

// unique is what keeps rows apart: a no_duplicates after its checks.
type unique struct {
	decl    *dsl.NoDuplicates
	name    string
	parts   []ir.IndexPart
	exprs   []*expression // beside parts; nil for a plain column
	where   *expression
	columns []string // that the parts mention
	plain   bool     // columns alone, no predicate: a constraint
	object  ir.ObjectID
	facts   *ir.Facts
}

// declareTables takes the tables' names, so that everything else can refer to
// them in any order.
func (c *compilation) declareTables() {
	for _, decl := range byLabel(c.spec.Tables, func(t *dsl.Table) string { return t.Name.Text }) {
		if decl.Name.Text == "" || c.tablesByName[decl.Name.Text] != nil {
			continue
		}
		t := newTable(decl.Name.Text, address("table", decl.Name.Text), ir.TableRef{
			Schema: c.schemaOf(decl.Schema),
			Name:   nameOf(decl.Name, decl.Rename),
		}, decl.Header)
		t.decl = decl
		t.schema.Comment, t.repository.Comment = decl.Comment.V, decl.Comment.V
		t.repository.GoName, t.repository.GoRow = decl.GoName.V, decl.GoRow.V
		c.tables = append(c.tables, t)
		c.tablesByName[t.label] = t
		t.shadowed = !c.claimRelation(t.ref, t.ref.Name, "table "+quote(t.label), decl.Header)
	}
}

func newTable(label, addr string, ref ir.TableRef, at hcl.Range) *table {
	return &table{
		label:   label,
		address: addr,
		ref:     ref,
		byName:  map[string]*column{},
		schema: ir.Table{
			Schema: ref.Schema, Name: ref.Name,
			Origin: ir.Origin{Address: addr, Pos: pos(at)},
		},
		repository: ir.Repository{
			Address: addr, Name: label, Schema: ref.Schema, Table: ref.Name,
			GoColumns: map[string]ir.GoColumn{}, Pos: pos(at),
		},
	}
}

// operates reports whether the table declares operations on single rows.
func (t *table) operates() bool {
	d := t.decl
	return len(d.Transitions)+len(d.Adjusts)+len(d.Edits) > 0
}

// columnNames lists the columns, for suggestions.
func (t *table) columnNames() []string {
	names := make([]string, len(t.columns))
	for i, col := range t.columns {
		names[i] = col.name
	}
	return names
}

// lookup finds a column that a list of a block names. It reports one that does
// not exist; what stands for the name of the list: `primary_key`.
func (c *compilation) lookup(t *table, name dsl.Name, what string) *column {
	if name.Text == "" {
		return nil
	}
	if col := t.byName[name.Text]; col != nil {
		return col
	}
	c.report(diag.Diagnostic{
		Code:        diag.UnknownColumn,
		Detail:      "The table " + quote(t.label) + " has no column " + quote(name.Text) + ".",
		Subject:     name.Range,
		Label:       "no such column",
		Consequence: "PostgreSQL would refuse the statement.",
		Help:        didYouMean(name.Text, t.columnNames()),
	})
	return nil
}

// lookupAll finds the columns of a list. It is false when one of them is
// missing or named twice; that has been reported.
func (c *compilation) lookupAll(t *table, list []dsl.Name, what string) ([]*column, bool) {
	found := make([]*column, 0, len(list))
	ok := true
	for _, name := range list {
		col := c.lookup(t, name, what)
		if col == nil || slices.Contains(found, col) { // dsl reports names that stand twice
			ok = false
			continue
		}
		found = append(found, col)
	}
	return found, ok
}

// primaryKey reads the primary_key block.
func (c *compilation) primaryKey(t *table) {
	decl := t.decl.PrimaryKey
	if decl == nil {
		c.missingKey(t)
		return
	}
	key, ok := c.lookupAll(t, decl.Columns, "primary_key")
	if !ok || len(key) == 0 {
		return
	}
	for i, col := range key {
		if col.null && col.decl.Null.Set {
			c.report(diag.Diagnostic{
				Code:        diag.NullablePrimaryKey,
				Detail:      "The column " + quote(col.name) + " stands in the primary key and says null = true.",
				Subject:     decl.Columns[i].Range,
				Label:       "may be NULL",
				Related:     []diag.Related{{Range: col.decl.Null.Range, Text: "null = true"}},
				Consequence: "PostgreSQL makes the columns of a primary key NOT NULL: the column would not be what the file says.",
				Help:        "leave null = true out of column " + quote(col.name),
			})
			return
		}
		if c.keyType(col, decl.Columns[i].Range, "primary_key") {
			return
		}
	}
	name := t.ref.Name + "_pkey"
	if decl.Rename.Set {
		name = decl.Rename.V
	}
	c.claimConstraint(t, name, "the primary key of table "+quote(t.label), decl.Header, true)
	t.key = key
	t.indexed = append(t.indexed, columnList(key))
	t.schema.PrimaryKey = &ir.PrimaryKey{
		Name: name, Columns: columnList(key),
		Origin: ir.Origin{Address: under(t.address, "primary_key"), Pos: pos(decl.Header)},
	}
}

// keyType reports a column whose type has no order, which no key can hold.
func (c *compilation) keyType(col *column, at hcl.Range, what string) bool {
	if !col.known || !familyOf(col.typ).noOrder {
		return false
	}
	c.report(diag.Diagnostic{
		Code:        diag.KeyType,
		Detail:      "The column " + quote(col.name) + " has the type " + col.typ.SQL() + ", which a " + what + " cannot hold.",
		Subject:     at,
		Label:       col.typ.SQL() + " has no order",
		Consequence: "PostgreSQL compares the values of a key with a btree, and this type has no operators for one: the statement would fail.",
		Help:        "use a column of another type, or an expression: sql(\"" + col.name + "::text\")",
	})
	return true
}

// missingKey reports a table whose operations cannot name a row.
func (c *compilation) missingKey(t *table) {
	if !t.operates() {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.PrimaryKeyMissing,
		Detail:      "The table " + quote(t.label) + " has operations and no primary key.",
		Subject:     t.decl.Header,
		Label:       "no primary_key",
		Consequence: "A move, an adjust or an edit is about one row. Without a key its UPDATE could hit several, and nothing would tell.",
		Help:        "primary_key { columns = [id] }",
	})
}
