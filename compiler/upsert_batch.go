package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// batch is the form of an upsert for many rows: one statement over arrays.
type batch struct {
	*upsert
	address string
	n, wins string // columns of the sent rows: their position, and whether they are written
	given   string // whether a row was sent with a restless column; its name goes behind
}

// addMany adds the operation for many rows.
func (u *upsert) addMany(op ir.Operation, w write) {
	b := &batch{upsert: u, address: under(u.address, "many"), n: u.free("n"), wins: u.free("wins"), given: "given "}
	op.Address, op.Name, op.Kind = b.address, op.Name+"_many", ir.UpsertManyOp
	op.Doc = b.doc()
	op.Args = b.arrays()
	op.Reasons = append([]ir.Reason{{
		Choice: "one statement, rows in the order of their keys",
		Why: "two batches with the same keys in another order would each hold what the other one waits for (40P01). Sorted, the second one waits for the " +
			"first. ON CONFLICT DO UPDATE cannot meet a key twice in one statement (21000), so one row a key is written: " + b.winner() + ".",
	}}, op.Reasons...)
	op.Statements = []ir.Statement{b.mainStatement(), b.explainStatement()}
	t := u.table
	t.addOperation(op, w)
}

// arrays are the arguments: a list of values for each column.
func (b *batch) arrays() []ir.Field { return textArrays(b.table.repository.Insert) }

// winner says which of two rows with one key is written.
func (b *batch) winner() string {
	switch {
	case b.batch() == "error":
		return "a batch with a key twice is refused whole"
	case b.version != nil:
		return "that with the highest " + b.version.name + ", and of those the " + b.batch() + " one"
	}
	return "the " + b.batch() + " one"
}

func (b *batch) batch() string { return b.upsert.batch }

func (b *batch) doc() string {
	s := b.upsert.doc()
	s = "does for many rows what " + b.decl.Name.Text + " does for one, in one statement and all or none: each " + strings.TrimPrefix(s, "inserts one row into ")
	return s + " The result has an element for each given row, in their order. Of rows with one key one is written: " + b.winner() +
		". The others get the row that is there, and are unchanged or stale."
}

// sent spells the given rows: the values as their columns will hold them, the
// position, and whether the row is the one that is written of those with its key.
func (b *batch) sent(p *parameters) string {
	list := b.table.repository.Insert
	names, arrays, values := make([]string, len(list)), make([]string, len(list)), make([]string, len(list))
	for i, f := range list {
		names[i], arrays[i] = ir.Ident(f.Name), p.ref(f.Name)
		values[i] = b.orDefault(f, sentAlias+"."+names[i]+"::"+storedType(f.Type).SQL()) + " AS " + names[i]
		if col := b.table.byName[f.Name]; f.Optional && b.restlessUpdate(col) {
			values[i] += ", " + sentAlias + "." + names[i] + " IS NOT NULL AS " + ir.Ident(b.given+f.Name)
		}
	}
	n := ir.Ident(b.n)
	order := n + " DESC"
	if b.batch() != "last" {
		order = n
	}
	if b.version != nil {
		order = sentAlias + "." + ir.Ident(b.version.name) + " DESC, " + order
	}
	return "WITH " + sentAlias + " AS MATERIALIZED (\n  SELECT " + sentAlias + ".*, row_number() OVER (PARTITION BY " + b.keyOver(sentAlias) + " ORDER BY " + order + ") = 1 AS " +
		ir.Ident(b.wins) + "\n  FROM (\n    SELECT " + strings.Join(values, ", ") + ", " + sentAlias + "." + n + "\n    FROM unnest(" + strings.Join(arrays, ", ") +
		") WITH ORDINALITY AS " + sentAlias + " (" + strings.Join(names, ", ") + ", " + n + ")\n  ) AS " + sentAlias + "\n)"
}

func (u *upsert) restlessUpdate(col *column) bool {
	for _, c := range u.update {
		if c == col {
			return u.mode == "converge" && u.restless(col)
		}
	}
	return false
}

// refused spells that a row keeps its whole batch from being written; empty when
// none can.
func (b *batch) refused() string {
	var conditions []string
	if outside := b.outside(); outside != "" {
		conditions = append(conditions, outside)
	}
	if b.batch() == "error" {
		conditions = append(conditions, "NOT "+sentAlias+"."+ir.Ident(b.wins))
	}
	return strings.Join(conditions, " OR ")
}

func (b *batch) results() []ir.Field {
	return append(b.table.rowFields(), b.outcomeField(), ir.Field{Name: b.n, Type: ir.Type{Name: "int8"}})
}

// mainStatement writes the rows that win, in the order of their keys, and answers
// for every row whose key was written.
func (b *batch) mainStatement() ir.Statement {
	t := b.table
	p := newParameters(b.arrays())
	columns := columnNames(t.repository.Insert)
	fresh, name := ir.Ident(b.free("fresh")), sentAlias+"."
	where := name + ir.Ident(b.wins)
	if refused := b.refused(); refused != "" {
		where += " AND NOT EXISTS (SELECT FROM " + sentAlias + " WHERE " + refused + ")"
	}
	written := "INSERT INTO " + t.ref.SQL() + " AS " + haveAlias + " (" + ir.Idents(columns) + ")\n  SELECT " + ir.Idents(columns) + "\n  FROM " + sentAlias +
		"\n  WHERE " + where + "\n  ORDER BY " + b.keyOver(sentAlias) + "\n  " + b.arbiter() + strings.ReplaceAll(b.action(b.givenIn), "\n", "\n  ") +
		"\n  RETURNING " + t.storedRow(haveAlias) + ", " + b.freshSQL() + " AS " + fresh
	outcome := "CASE" + b.loserArms("written") + when("written."+fresh, ir.VerdictInserted) + "\n    ELSE " + ir.Literal(string(ir.VerdictUpdated)) + "\n  END"
	return ir.Statement{
		Role: ir.MainStatement,
		SQL: comment(b.address) + b.sent(p) + ", written AS (\n  " + written + "\n)\nSELECT " + t.qualifiedRow("written") + ",\n  " + outcome + " AS " +
			ir.Ident(b.outcomeField().Name) + ", " + name + ir.Ident(b.n) + "\nFROM written\n  JOIN " + sentAlias + " ON " + b.sameKey("written", sentAlias),
		Args: p.fields, Results: b.results(), Rows: ir.ReturnsMany,
	}
}

func columnNames(list []ir.Field) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return names
}

// freshSQL spells that a returned row was inserted; see wrote.
func (u *upsert) freshSQL() string {
	if u.mode == "ignore" {
		return "true"
	}
	return haveAlias + ".xmax = 0"
}

// loserArms tell what became of a row that another one of the batch was written
// instead of.
func (b *batch) loserArms(have string) string {
	wins := sentAlias + "." + ir.Ident(b.wins)
	if b.version == nil {
		return when("NOT "+wins, ir.VerdictUnchanged)
	}
	return when("NOT "+wins+" AND "+b.repeated(have), ir.VerdictUnchanged) + when("NOT "+wins, ir.VerdictStale)
}

// givenIn spells that a restless column was sent with the row that is proposed.
// The proposed row does not tell, so the sent rows are asked by its key: hashed,
// unless NULL is a value in it.
func (b *batch) givenIn(col *column) string {
	given := sentAlias + "." + ir.Ident(b.wins) + " AND " + sentAlias + "." + ir.Ident(b.given+col.name) + ")"
	for i := range b.key.parts {
		if b.nullable(i) {
			return "EXISTS (SELECT FROM " + sentAlias + " WHERE " + b.sameKey(sentAlias, newAlias) + " AND " + given
		}
	}
	return "(" + b.keyOver(newAlias) + ") IN (SELECT " + b.keyOver(sentAlias) + " FROM " + sentAlias + " WHERE " + given
}

// explainStatement finds the rows that are there for all given ones.
func (b *batch) explainStatement() ir.Statement {
	t := b.table
	p := newParameters(b.arrays())
	twice := ""
	if b.batch() == "error" {
		twice = when("NOT "+sentAlias+"."+ir.Ident(b.wins), ir.VerdictTwice)
	}
	return ir.Statement{
		Role: ir.ExplainStatement,
		SQL: comment(b.address) + b.sent(p) + "\nSELECT " + t.qualifiedRow(haveAlias) + ",\n  CASE" + b.outsideArm() + twice + b.verdictArms() + "\n  END AS " +
			ir.Ident(b.outcomeField().Name) + ", " + sentAlias + "." + ir.Ident(b.n) + "\nFROM " + sentAlias + "\n  LEFT JOIN " + t.ref.SQL() + " AS " + haveAlias +
			" ON " + b.found(),
		Args: p.fields, Results: b.results(), Rows: ir.ReturnsMany,
	}
}
