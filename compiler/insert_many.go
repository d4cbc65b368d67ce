package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
)

// addInsertMany adds the insert of many rows by COPY.
func (t *table) addInsertMany() {
	list := t.repository.Insert
	if len(list) == 0 {
		return // COPY has no way to say a row of defaults alone
	}
	columns := make([]string, len(list))
	for i, f := range list {
		columns[i] = f.Name
	}
	addr := under(t.address, "insert_many")
	t.addOperation(ir.Operation{
		Address: addr, Name: "insert_many", Kind: ir.InsertManyOp,
		Doc: "inserts rows into " + t.ref.Name + " by COPY, all or none, and returns how many. What a row leaves out takes the column's default. " +
			"A row that breaks a constraint undoes all of them, and the error names the constraint.",
		Statements: []ir.Statement{{
			Role: ir.MainStatement, SQL: comment(addr) + "COPY " + t.ref.SQL() + " (" + ir.Idents(columns) + ") FROM STDIN", Rows: ir.ReturnsNone,
		}},
		Columns: columns,
		Lock:    ir.NoLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: []ir.Reason{{
			Choice: "COPY",
			Why: "one statement for any number of rows, without the limit of 65535 arguments. INSERT … SELECT FROM unnest of arrays would flatten a column " +
				"that is a list itself.",
		}, {
			Choice: "text format",
			Why: "the binary format needs every type known to the connection, which enums are not, and a description of the table in a round trip of its own; " +
				"text is the same in every exec mode and behind a pooler.",
		}, {
			Choice: "a COPY for each set of columns",
			Why:    "a default holds only where the column is not in COPY's list. Rows that leave out the same columns go together.",
		}, constraintReason},
		Pos: t.repository.Pos,
	}, write{inserts: true})
}
