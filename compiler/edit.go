package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// edits compiles the edit blocks of a table.
func (c *compilation) edits(t *table) {
	for _, decl := range t.decl.Edits {
		columns, ok := c.lookupAll(t, decl.Columns)
		for i, col := range columns {
			if !ok {
				break
			}
			ok = !c.fixed(t, col, decl.Columns[i], "edit") && !c.governed(col, nil, decl.Columns[i].Range, "edit")
		}
		if ok && len(columns) > 0 && len(t.key) > 0 {
			c.lowerEdit(t, decl, columns)
		}
	}
}

// lowerEdit records the invariant and adds its operation.
func (c *compilation) lowerEdit(t *table, decl *dsl.Edit, columns []*column) {
	addr := inside(t.address, "edit", decl.Block)
	list := columnList(columns)
	lock, why := t.readLock(list)
	reasons := []ir.Reason{{
		Choice: "lock, decide, write in one transaction",
		Why: "Go decides on values that it has read. Without the lock two callers decide on the same old row and the second write undoes the first; with " +
			"it the second one reads what the first one wrote.",
	}, why}
	inv := &ir.Edit{Columns: list, Lock: lock, Base: ir.Facts{
		Address: addr, Kind: "edit", Table: t.ref,
		Promise:   "Nobody changes a row of " + t.ref.Name + " between the moment its " + and(list) + " " + areRead(list) + " and the moment " + theyAre(list) + " written.",
		Mechanism: "SELECT … " + string(lock) + ", then UPDATE of " + and(list) + ", in one transaction",
		Reasons:   reasons,
		Pos:       pos(decl.Header),
	}}
	t.invariants = append(t.invariants, inv)
	op := ir.Operation{
		Address: addr, Name: nameOf(decl.Name, decl.Rename), Kind: ir.EditOp,
		Doc: "reads one row of " + t.ref.Name + " with a lock, lets the given function change " + and(list) + ", and writes " + them(list) +
			", in one transaction: another edit of the row waits, so no decision rests on an old value. A change to another column is an error, and nothing is written then. " +
			"When the function returns an error nothing is written. A row that is locked too long is busy, a missing row is not found.",
		Key: t.keyFields(), Args: fields(columns), Columns: list,
		Lock:    lock,
		Reasons: append(reasons, lockFirstReason),
		Pos:     pos(decl.Header),
	}
	c.runs(&op, decl.Transaction, decl.Wait)
	wait := ""
	if op.NoWait {
		wait = " NOWAIT"
	}
	if decl.Rows.V == "many" {
		t.editMany(&op, columns, wait)
		t.addOperation(op, write{updates: list, facts: &inv.Base})
		return
	}
	p := newParameters(t.keyFields())
	w := newParameters(t.keyFields(), fields(columns))
	sets := make([]string, len(columns))
	for i, col := range columns {
		sets[i] = ir.Ident(col.name) + " = " + w.ref(col.name)
	}
	op.Statements = []ir.Statement{
		{
			Role: ir.LockStatement,
			SQL:  comment(addr) + "SELECT " + t.rowList() + "\nFROM " + t.ref.SQL() + "\nWHERE " + t.keyEquals(p) + "\n" + string(lock) + wait,
			Args: p.fields, Results: t.rowFields(), Rows: ir.ReturnsOne,
		},
		{
			Role: ir.WriteStatement,
			SQL: comment(addr) + "UPDATE " + t.ref.SQL() + "\nSET " + strings.Join(sets, ", ") + t.raiseVersion() + "\nWHERE " + t.keyEquals(w) +
				"\nRETURNING " + t.rowList(),
			Args: w.fields, Results: t.rowFields(), Rows: ir.ReturnsOne,
		},
	}
	t.addOperation(op, write{updates: list, facts: &inv.Base})
}

func areRead(list []string) string {
	if len(list) == 1 {
		return "is read"
	}
	return "are read"
}

func theyAre(list []string) string {
	if len(list) == 1 {
		return "it is"
	}
	return "they are"
}

func them(list []string) string {
	if len(list) == 1 {
		return "it"
	}
	return "them"
}
