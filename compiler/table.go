package compiler

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// table is a declared table and what has been found out about it.
type table struct {
	decl     *dsl.Table
	label    string
	shadowed bool // another table has its name
	theirs   bool // a table of others, which nothing is put on
	address  string
	ref      ir.TableRef

	columns   []*column
	byName    map[string]*column
	key       []*column // of the primary key; empty when there is none
	version   *column   // that every write raises; nil when there is none
	alive     *expression
	checks    []*check
	uniques   []*unique
	spans     []*span
	states    []*stateColumn
	freezes   []freeze
	singles   []*single // its at_most_one blocks
	sequences []*sequence
	orders    []*ordered
	leasts    []*least     // its lower bounds
	members   []*least     // lower bounds of other tables whose groups are its rows
	counted   []*limit     // its limit blocks
	bounds    []*limit     // limits of other tables whose counters stand on its rows
	ruledBy   []*ruled     // the rules that its writes can break
	begins    []*rule      // rules whose groups are its rows
	homeOf    []*rule      // rules whose violations are reported of it
	parents   []*reference // its foreign keys
	children  []*reference // foreign keys of others that refer to it
	indexed   [][]string   // leading columns of everything that has an index
	listed    []listed     // its indexes, for the reads in their order

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
	places  *ordered     // the order whose moves alone change it
	numbers *sequence    // the sequence whose trigger alone gives it
	counts  *limit       // the limit whose triggers alone may change it
	formula *pgsql.Expr  // what the server computes it from; nil for any other
}

// field is the column as a value.
func (col *column) field() ir.Field {
	return ir.Field{Name: col.name, Type: col.typ, Null: col.null}
}

// declareTables takes the tables' names, so that everything else can refer to
// them in any order.
func (c *compilation) declareTables() {
	for _, decl := range byLabel(c.spec.Tables, func(t *dsl.Table) string { return t.ID() }) {
		if decl.Name.Text == "" || c.tablesByName[decl.ID()] != nil {
			continue
		}
		t := newTable(decl.Name.Text, declared("table", decl.Block), ir.TableRef{
			Schema: c.schemaOf(decl.Schema),
			Name:   nameOf(decl.Name, decl.Rename),
		}, decl.Header)
		t.decl = decl
		if decl.Scope != "" || decl.Key != nil { // one label stands for several tables
			t.repository.Name = t.ref.Name
		}
		t.schema.Comment, t.repository.Comment = decl.Comment.V, decl.Comment.V
		t.repository.GoName, t.repository.GoRow = decl.GoName.V, decl.GoRow.V
		c.tables = append(c.tables, t)
		c.tablesByName[decl.ID()] = t
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
	return len(d.Transitions)+len(d.Adjusts)+len(d.Edits) > 0 || d.Version != nil
}

// columnNames lists the columns, for suggestions.
func (t *table) columnNames() []string {
	names := make([]string, len(t.columns))
	for i, col := range t.columns {
		names[i] = col.name
	}
	return names
}

// lookup finds a column that a block names, and reports one that does not
// exist.
func (c *compilation) lookup(t *table, name dsl.Name) *column {
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
		Help:        didYouMean(name.Text, t.columnNames(), "declare it: column "+quote(name.Text)+" { type = bigint }"),
	})
	return nil
}

// lookupAll finds the columns of a list. It is false when one of them is
// missing or named twice; that has been reported.
func (c *compilation) lookupAll(t *table, list []dsl.Name) ([]*column, bool) {
	found := make([]*column, 0, len(list))
	ok := true
	for _, name := range list {
		col := c.lookup(t, name)
		if col == nil || slices.Contains(found, col) { // dsl reports names that stand twice
			ok = false
			continue
		}
		found = append(found, col)
	}
	return found, ok
}
