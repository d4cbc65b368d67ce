package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// editMany makes an edit of one row that of many: its statements, and what is said
// of it.
func (t *table) editMany(op *ir.Operation, columns []*column, wait string) {
	list := columnList(columns)
	op.Kind, op.Each = ir.EditManyOp, op.Key
	op.Doc = "reads several rows of " + t.ref.Name + " with a lock, lets the given function change " + and(list) + " of each, and writes those that it has changed, in one " +
		"transaction and all or none: another edit of one of the rows waits, so no decision rests on an old value. The rows are locked in the order of their " +
		"keys, so that two calls never wait for each other in a circle; the function gets them, and the result has them, in the order in which their keys were " +
		"given. A key that is given twice is one row in both places. A change to another column is an error, and so is a key without a row: nothing is written then."
	op.Reasons = append([]ir.Reason{{
		Choice: "ORDER BY " + ir.Idents(columnList(t.key)),
		Why: "all rows are locked by one statement, in the order of their keys and whatever order was asked. Locked one by one, two callers with the same " +
			"rows in another order would each hold what the other one waits for (40P01).",
	}}, op.Reasons...)
	op.Args = textArrays(slices.Concat(op.Key, fields(columns)))
	keys := op.Args[:len(op.Key)]
	w := newParameters(op.Args)
	n := ir.Ident(t.free("n"))
	names, arrays, values := identsOf(op.Args), make([]string, len(op.Args)), make([]string, len(op.Args))
	for i, f := range slices.Concat(op.Key, fields(columns)) {
		arrays[i], values[i] = w.ref(f.Name), sentAlias+"."+names[i]+"::"+cast(f.Type)+" AS "+names[i]
	}
	sets := make([]string, len(columns))
	for i, col := range columns {
		sets[i] = ir.Ident(col.name) + " = " + sentAlias + "." + ir.Ident(col.name)
	}
	results := append(t.rowFields(), ir.Field{Name: t.free("n"), Type: ir.Type{Name: "int8"}})
	places := append(t.rowFields(), ir.Field{Name: t.free("n"), Type: ir.Type{Kind: ir.ArrayType, Elem: &ir.Type{Name: "int8"}}})
	op.Statements = []ir.Statement{
		{
			Role: ir.LockStatement,
			SQL: comment(op.Address) + t.sentKeys(newParameters(keys), op.Key, n) + "\nSELECT " + t.qualifiedRow(haveAlias) + ", " + sentAlias + "." + n + "\nFROM " + t.ref.SQL() +
				" AS " + haveAlias + "\n  JOIN " + sentAlias + " ON " + t.sameRow(haveAlias, sentAlias) + "\nORDER BY " + t.keyOf(haveAlias) + "\n" + string(op.Lock) + " OF " + haveAlias + wait,
			Args: keys, Results: places, Rows: ir.ReturnsMany,
		},
		{
			Role: ir.WriteStatement,
			SQL: comment(op.Address) + "UPDATE " + t.ref.SQL() + " AS " + haveAlias + "\nSET " + strings.Join(sets, ", ") + t.raiseVersionOf(&parameters{sent: true}) +
				"\nFROM (\n  SELECT " + strings.Join(values, ", ") + ", " + sentAlias + "." + n + "\n  FROM unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS " +
				sentAlias + " (" + strings.Join(names, ", ") + ", " + n + ")\n) AS " + sentAlias + "\nWHERE " + t.sameRow(haveAlias, sentAlias) +
				"\nRETURNING " + t.qualifiedRow(haveAlias) + ", " + sentAlias + "." + n,
			Args: w.fields, Results: results, Rows: ir.ReturnsMany,
		},
	}
	op.Key, op.Args = nil, op.Args[len(op.Each):]
}

// free is a name that no column of the table has.
func (t *table) free(name string) string {
	for t.byName[name] != nil {
		name += "_"
	}
	return name
}

// sentKeys spells the given keys, each once, with the positions at which it stands.
func (t *table) sentKeys(p *parameters, key []ir.Field, n string) string {
	names, arrays, values := identsOf(key), make([]string, len(key)), make([]string, len(key))
	for i, f := range key {
		arrays[i], values[i] = p.ref(f.Name), sentAlias+"."+names[i]+"::"+cast(f.Type)+" AS "+names[i]
	}
	return "WITH " + sentAlias + " AS MATERIALIZED (\n  SELECT " + strings.Join(values, ", ") + ", array_agg(" + sentAlias + "." + n + " ORDER BY " + sentAlias + "." + n + ") AS " + n +
		"\n  FROM unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS " + sentAlias + " (" + strings.Join(names, ", ") + ", " + n + ")\n  GROUP BY " + ordinals(len(key)) + "\n)"
}
