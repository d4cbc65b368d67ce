package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// updatable are the columns that an update may name: those of no key that finds
// the row, that the server does not number and that no other block governs.
func (t *table) updatable() []*column {
	var list []*column
	for _, col := range t.columns {
		switch {
		case t.keyed(col), col == t.version, col.counts != nil, col.places != nil, t.keeps(col), t.stateDecl(col.name):
		case col.schema.Identity != ir.NoIdentity, col.decl.Generated != nil:
		default:
			list = append(list, col)
		}
	}
	return list
}

// stateDecl reports a column of a transitions block.
func (t *table) stateDecl(name string) bool {
	for _, s := range t.decl.Transitions {
		if s.Column.Text == name {
			return true
		}
	}
	return false
}

// addUpdate adds the update of named columns.
func (t *table) addUpdate() {
	columns := t.updatable()
	if len(columns) == 0 {
		return
	}
	addr := under(t.address, "update")
	op := ir.Operation{
		Address: addr, Name: "update", Kind: ir.UpdateOp,
		Key: t.keyFields(), Columns: columnList(columns),
		Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Pos: t.repository.Pos,
	}
	var given []ir.Field
	if t.version != nil {
		given = append(given, t.version.field())
	}
	flags := make([]string, len(columns))
	for i, col := range columns {
		flags[i] = t.flagName(col.name)
		value := col.field()
		value.Null, value.Optional = true, true // nothing, where it does not change
		given = append(given, ir.Field{Name: flags[i], Type: ir.Type{Name: "bool"}}, value)
	}
	op.Args = given
	p := newParameters(op.Key, given)
	sets := make([]string, len(columns))
	for i, col := range columns {
		name := ir.Ident(col.name)
		sets[i] = name + " = CASE WHEN " + p.ref(flags[i]) + " THEN " + p.ref(col.name) + " ELSE " + name + " END"
	}
	where := t.keyEquals(p)
	if t.version != nil {
		where += "\n  AND " + ir.Ident(t.version.name) + " = " + p.ref(t.version.name)
	}
	op.Statements = []ir.Statement{{
		Role: ir.MainStatement,
		SQL: comment(addr) + "UPDATE " + t.ref.SQL() + "\nSET " + strings.Join(sets, ",\n  ") + t.raiseVersion() + "\nWHERE " + where +
			"\nRETURNING " + t.rowList(),
		Args: p.fields, Results: t.rowFields(), Rows: ir.ReturnsOne,
	}}
	t.describeUpdate(&op, columns)
	w := write{updates: op.Columns}
	if t.version != nil {
		w.facts = t.guardUpdate(&op)
	}
	t.addOperation(op, w)
}

// flagName is the argument that says whether a column changes.
func (t *table) flagName(column string) string {
	name := "set_" + column
	for t.byName[name] != nil {
		name += "_"
	}
	return name
}

func (t *table) describeUpdate(op *ir.Operation, columns []*column) {
	op.Doc = "sets the named columns in the row of " + t.ref.Name + " with the given " + and(columnList(t.key)) +
		" and leaves the others as they are, in one UPDATE. "
	if t.version != nil {
		op.Doc += "The caller says which " + t.version.name + " it has read: when another write came in between, nothing is written and the error is stale. "
	} else {
		op.Doc += "It does not look at the values before: of two updates of one column the later one stays. What depends on the old value is an edit. "
	}
	op.Doc += "An update that names no column is bad input, a missing row is not found."
	op.Reasons = []ir.Reason{{
		Choice: "one statement for every set of columns",
		Why: "a statement for each set would be " + plainInt(len(columns)) + " columns' worth of texts, plans and lines in pg_stat_statements, made up at run time. " +
			"ELSE keeps the value of the newest row, also after a wait; a column that keeps its value costs no index entry and no stronger lock.",
	}, t.updateLock(op.Columns), constraintReason}
}

// guardUpdate makes the invariant of a version, and the statement that says why an
// update touched no row.
func (t *table) guardUpdate(op *ir.Operation) *ir.Facts {
	version := t.version.name
	reason := ir.Reason{
		Choice: "WHERE " + ir.Ident(version) + " = the one that was read",
		Why: "READ COMMITTED looks at the newest row again after a wait: of two callers that have read one version, one writes and the other is told. Every " +
			"generated write of the table raises it, so that none goes unseen.",
	}
	op.Reasons = append([]ir.Reason{reason}, op.Reasons...)
	value := argument(version)
	op.Statements = append(op.Statements, t.explainStatement(op.Address, []ir.Field{t.version.field()}, []arm{{
		verdict: ir.VerdictStale, subject: func(p *parameters) string { return p.column(version) + "::text" }, uses: []*pgsql.Expr{value},
		when: func(p *parameters) string { return p.column(version) + " <> " + p.sql(value) },
	}}))
	inv := &ir.Version{Column: version, Base: ir.Facts{
		Address: under(t.address, "version"), Kind: "version", Table: t.ref,
		Promise:   "No update of a row of " + t.ref.Name + " undoes a write that its caller has not read.",
		Mechanism: "UPDATE … WHERE " + ir.Ident(version) + " = the caller's, SET " + ir.Ident(version) + " = " + ir.Ident(version) + " + 1",
		Reasons:   []ir.Reason{reason},
		Pos:       pos(t.decl.Version.Range),
	}}
	t.invariants = append(t.invariants, inv)
	return &inv.Base
}
