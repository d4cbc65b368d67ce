package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// lowerUpsert records the invariant and adds its operations.
func (c *compilation) lowerUpsert(u *upsert) {
	t := u.table
	inv := &ir.Upsert{
		Key: u.key.parts, Where: conditionSQL(u.key.where), NotNulls: u.notDistinct,
		Mode: u.mode, Update: columnList(u.update), Batch: u.batch,
		Base: ir.Facts{
			Address: u.address, Kind: "upsert", Table: t.ref,
			Promise: u.promise(), Mechanism: u.mechanism(), Reasons: u.reasons(),
			Objects:   []ir.ObjectID{u.key.object},
			Violators: duplicatesViolators(t, u.key, u.notDistinct),
			Pos:       pos(u.decl.Header),
		},
	}
	if u.version != nil {
		inv.Version = u.version.name
	}
	t.invariants = append(t.invariants, inv)
	op := ir.Operation{
		Address: u.address, Name: nameOf(u.decl.Name, u.decl.Rename), Kind: ir.UpsertOp,
		Args: t.repository.Insert, Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted, Transaction: c.transactionOf(u.decl.Transaction),
		Reasons: append(inv.Base.Reasons, u.costs()...),
		Pos:     inv.Base.Pos,
	}
	w := write{inserts: true, updates: columnList(u.update), facts: &inv.Base}
	if u.mode == "reject" {
		u.addReject(op, w)
		return
	}
	w.arbiter = u.key.name
	op.Doc, op.Statements = u.doc(), []ir.Statement{u.mainStatement(), u.explainStatement()}
	t.addOperation(op, w)
	u.addMany(op, w)
}

// addReject adds the plain insert.
func (u *upsert) addReject(op ir.Operation, w write) {
	t := u.table
	sql, p := insertSQL(t.ref, t.repository.Insert, func(name string) string { return t.byName[name].schema.Default })
	op.Kind, op.Lock = ir.InsertOp, ir.NoLock
	op.Doc = "inserts one row into " + t.ref.Name + " and returns it as it is stored. A row whose " + keyWords(u.key.parts) +
		" is taken is not stored, and the error says so: the row that is there stays as it is."
	op.Statements = []ir.Statement{{
		Role: ir.MainStatement, SQL: comment(u.address) + sql + "\nRETURNING " + t.rowList(),
		Args: p.fields, Results: t.rowFields(), Rows: ir.ReturnsOne,
	}}
	t.addOperation(op, w)
}

func (u *upsert) promise() string {
	key, name := keyWords(u.key.parts), u.table.ref.Name
	if u.key.where != nil {
		name += " where " + u.key.where.SQL()
	}
	one := "Concurrent calls with one " + key + " leave one row of " + name
	switch u.mode {
	case "reject":
		return one + ", the first one's, and tell every other caller that it is taken."
	case "ignore":
		return one + ", the first one's, and every caller gets it."
	case "versioned":
		return one + ", the one with the highest " + u.version.name + ", in whatever order they come."
	}
	return one + ", with the values of " + and(columnList(u.update)) + " of the call that came last, and a call that changes nothing writes nothing."
}

func (u *upsert) mechanism() string {
	if u.mode == "reject" {
		return "INSERT; " + u.key.name + " refuses the second"
	}
	sql := "INSERT … " + u.arbiter()
	switch u.mode {
	case "ignore":
		return sql + " DO NOTHING, then SELECT"
	case "versioned":
		return sql + " DO UPDATE … WHERE " + haveAlias + "." + ir.Ident(u.version.name) + " < " + newAlias + "." + ir.Ident(u.version.name)
	}
	return sql + " DO UPDATE … WHERE a column of update IS DISTINCT"
}

func (u *upsert) reasons() []ir.Reason {
	if u.mode == "reject" {
		return []ir.Reason{{
			Choice: "plain INSERT",
			Why: "the key decides: two writers of one value wait for each other in " + u.key.name + ", and the second one gets 23505. Inside a transaction of " +
				"the caller's that error ends the transaction; mode = \"ignore\" leaves it usable.",
		}}
	}
	reasons := []ir.Reason{{
		Choice: u.arbiter(),
		Why: "one statement that inserts or finds the row: looking first and then inserting lets two writers both find nothing. The arbiter is " + u.key.name +
			", named by its parts" + u.literally() + ". An error of another unique key stays an error.",
	}}
	switch u.mode {
	case "ignore":
		reasons = append(reasons, ir.Reason{
			Choice: "a second SELECT",
			Why: "DO NOTHING returns no row for a conflict, and in the same statement the row could not be seen: it may have been committed after the " +
				"snapshot. When it has gone by then, the insert is tried again.",
		})
	case "versioned":
		reasons = append(reasons, ir.Reason{
			Choice: "the version is compared in DO UPDATE",
			Why: "messages arrive in any order. The comparison is made on the newest row, under its lock: one that is read before would let an older message " +
				"in. No row back means stale, or the same message again, and a second SELECT tells which.",
		})
	default:
		reasons = append(reasons, ir.Reason{
			Choice: "IS DISTINCT FROM in DO UPDATE",
			Why:    "an overwrite with the same values would write a new row version, WAL and index entries, and fire triggers, for nothing.",
		})
	}
	reasons = append(reasons, ir.Reason{Choice: "what it costs", Why: u.cost()})
	return append(reasons, u.restlessReason()...)
}

// cost says who waits for whom.
func (u *upsert) cost() string {
	wait := "calls with one " + keyWords(u.key.parts) + " wait for each other until the transaction ends, those with others do not"
	if u.mode == "ignore" {
		return wait + ". Where the row is there already, nobody waits."
	}
	return wait + ": the row is locked also when nothing is written."
}

func (u *upsert) restlessReason() []ir.Reason {
	var names []string
	for _, col := range u.update {
		if u.mode == "converge" && u.restless(col) {
			names = append(names, col.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []ir.Reason{{
		Choice: and(names) + " alone is no reason to write when left out",
		Why:    "the default is another one at each call, so that nothing would ever be unchanged. It is written along with what does differ.",
	}}
}

func (u *upsert) literally() string {
	if u.key.where == nil {
		return ""
	}
	return " and its predicate as literal text: with a parameter in it the plan that PostgreSQL keeps from the sixth execution on no longer matches the index (42P10)"
}

// costs are what an upsert takes beyond its write.
func (u *upsert) costs() []ir.Reason {
	t := u.table
	var list []ir.Reason
	if u.mode == "converge" || u.mode == "versioned" {
		list = append(list, t.updateLock(columnList(u.update)), ir.Reason{
			Choice: "the row is locked even when nothing is written",
			Why:    "DO UPDATE locks the row before it looks at its WHERE. Writers of one key wait for each other until the transaction ends.",
		})
	}
	for _, col := range t.columns {
		if col.schema.Identity != ir.NoIdentity {
			list = append(list, ir.Reason{
				Choice: "a conflict uses up a number of " + col.name,
				Why:    "INSERT calls the sequence before it looks for the key: numbers have gaps.",
			})
		}
	}
	if u.mode == "reject" {
		return append(list, constraintReason)
	}
	return append(list, ir.Reason{
		Choice: "whole rows",
		Why:    "NOT NULL and CHECK are asked of the proposed row before the conflict is: a call gives every column, also for a row that is there.",
	}, ir.Reason{
		Choice: readCommitted,
		Why:    "ON CONFLICT sees the newest row whatever the snapshot; a higher level answers 40001 where this one waits and goes on.",
	}, ir.Reason{
		Choice: "in a serializable transaction the key is read first",
		Why:    "in the same round trip: PostgreSQL does not track rows that were seen through ON CONFLICT alone.",
	})
}

// doc says what the method does.
func (u *upsert) doc() string {
	var b strings.Builder
	t, key := u.table, keyWords(u.key.parts)
	b.WriteString("inserts one row into " + t.ref.Name + ", unless one with its " + key)
	if u.key.where != nil {
		b.WriteString(" where " + u.key.where.SQL())
	}
	b.WriteString(" is there, and returns the row that is there afterwards. ")
	switch u.mode {
	case "ignore":
		b.WriteString("A row that is there stays as it is, whatever else is in the new one: the outcome is then unchanged. ")
	case "versioned":
		b.WriteString("A row that is there is given the new " + and(append(columnList(u.update), u.version.name)) + " if its " + u.version.name +
			" is lower. Otherwise nothing is written: the outcome is unchanged for the same message again, and stale for an older one. ")
	default:
		b.WriteString("A row that is there is given the new " + and(columnList(u.update)) + ", and nothing is written when they are the same: the outcome is then unchanged. ")
	}
	if u.outside() != "" {
		b.WriteString("A row that the key does not cover is bad input: each call would insert it once more. ")
	}
	b.WriteString("Other columns of a row that is there are never touched.")
	return b.String()
}
