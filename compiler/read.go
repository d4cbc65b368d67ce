package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// reads adds what every repository has: insert, reads by key and by index,
// delete.
func (c *compilation) reads(t *table) {
	if slices.ContainsFunc(t.columns, func(col *column) bool { return !col.known }) || len(t.columns) == 0 {
		return
	}
	t.repository.Row, t.repository.Key = t.rowFields(), t.keyFields()
	t.repository.Insert = t.insertFields()
	t.addInsert()
	t.addInsertMany()
	if len(t.key) > 0 {
		t.addGet()
	}
	for _, u := range t.uniques {
		t.addGetBy(u)
	}
	if len(t.key) > 0 {
		t.addGetLocked()
	}
	for _, u := range t.uniques {
		t.addGetByLocked(u)
	}
	if len(t.key) > 0 {
		t.addGetMany()
		t.addLists()
		if !t.appendOnly() && !t.gapless() {
			t.addUpdate()
			t.addDelete()
		}
	}
}

// insertFields are the columns that an insert gives. Identity and generated
// columns take their value from the server, and the version starts where its
// default says; those with a default may be left out.
func (t *table) insertFields() []ir.Field {
	var list []ir.Field
	for _, col := range t.columns {
		if col.schema.Identity != ir.NoIdentity || col.counts != nil || col.numbers != nil || col.places != nil || col == t.version || col.decl.Generated != nil {
			continue
		}
		f := col.field()
		f.Optional = col.schema.Default != ""
		list = append(list, f)
	}
	return list
}

// insertSQL spells an INSERT of some fields without its RETURNING.
func insertSQL(ref ir.TableRef, list []ir.Field, defaults func(name string) string) (string, *parameters) {
	p := newParameters(list)
	if len(list) == 0 {
		return "INSERT INTO " + ref.SQL() + " DEFAULT VALUES", p
	}
	names, values := make([]string, len(list)), make([]string, len(list))
	for i, f := range list {
		names[i], values[i] = ir.Ident(f.Name), p.ref(f.Name)
		if f.Optional {
			// DEFAULT cannot depend on an argument, so the default is repeated here.
			values[i] = "COALESCE(" + values[i] + ", " + defaults(f.Name) + ")"
		}
	}
	return "INSERT INTO " + ref.SQL() + " (" + strings.Join(names, ", ") + ")\nVALUES (" + strings.Join(values, ", ") + ")", p
}

func (t *table) addInsert() {
	addr := under(t.address, "insert")
	sql, p := insertSQL(t.ref, t.repository.Insert, func(name string) string { return t.byName[name].schema.Default })
	t.addOperation(ir.Operation{
		Address: addr, Name: "insert", Kind: ir.InsertOp,
		Doc: "inserts one row into " + t.ref.Name + " and returns it as it is stored, with the values that the database fills in. " +
			"What is left out takes the column's default. A row that breaks a constraint is not stored, and the error names the constraint.",
		Statements: []ir.Statement{{
			Role: ir.MainStatement, SQL: comment(addr) + sql + "\nRETURNING " + t.rowList(),
			Args: p.fields, Results: t.rowFields(), Rows: ir.ReturnsOne,
		}},
		Args: t.repository.Insert,
		Lock: ir.NoLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: []ir.Reason{{
			Choice: "explicit columns",
			Why:    "with * a column that is added later would break the plans that connections keep (0A000).",
		}, constraintReason},
		Pos: t.repository.Pos,
	}, write{inserts: true})
}

// readOperation is a read of one table, complete but for its statement.
func (t *table) readOperation(name string, kind ir.OperationKind, doc string) ir.Operation {
	return ir.Operation{
		Address: under(t.address, name), Name: name, Kind: kind, Doc: doc,
		Lock: ir.NoLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: []ir.Reason{{
			Choice: "no lock",
			Why:    "the row is as of the moment of reading; a decision on it needs a move, an adjust, an edit or a locked read.",
		}},
		Pos: t.repository.Pos,
	}
}

func (t *table) selectRow(addr, condition string, p *parameters, rows ir.Cardinality) ir.Statement {
	return ir.Statement{
		Role:    ir.MainStatement,
		SQL:     comment(addr) + "SELECT " + t.rowList() + "\nFROM " + t.ref.SQL() + "\nWHERE " + condition,
		Args:    p.fields,
		Results: t.rowFields(),
		Rows:    rows,
	}
}

func (t *table) addGet() {
	op := t.readOperation("get", ir.GetOp, "reads the row of "+t.ref.Name+" with the given "+and(columnList(t.key))+
		". A missing row is not found. Nothing is locked: the row may change right after.")
	p := newParameters(t.keyFields())
	op.Key = t.keyFields()
	op.Statements = []ir.Statement{t.selectRow(op.Address, t.keyEquals(p), p, ir.ReturnsOne)}
	t.addOperation(op, write{})
}

// addGetBy adds the read by a no_duplicates key.
func (t *table) addGetBy(u *unique) {
	op := t.readOperation("get_by_"+labelOf(u.decl.Block, u.decl.Rename), ir.GetOp, "reads "+u.rowWords(t)+
		"; "+u.name+" allows one at most. A missing row is not found. Nothing is locked: the row may change right after.")
	op.Key = u.keyArguments(t)
	p := newParameters(op.Key)
	op.Statements = []ir.Statement{t.selectRow(op.Address, u.keyCondition(p), p, ir.ReturnsOne)}
	t.addOperation(op, write{facts: u.facts})
}

// addGetByLocked adds the locked read by a no_duplicates key.
func (t *table) addGetByLocked(u *unique) {
	op := t.readOperation("get_by_"+labelOf(u.decl.Block, u.decl.Rename)+"_for_update", ir.GetLockedOp, "reads "+u.rowWords(t)+
		"; "+u.name+" allows one at most; and locks it until the transaction ends: what is decided on it stays true until then. "+
		"It works inside a transaction only. A missing row is not found; nor is one that left the key while this call waited for it.")
	op.Key, op.Lock, op.Reasons = u.keyArguments(t), ir.ForNoKeyUpdate, []ir.Reason{lockedReason, lockFirstReason}
	op.NeedsTransaction = true
	p := newParameters(op.Key)
	op.Statements = []ir.Statement{t.selectRow(op.Address, u.keyCondition(p)+"\n"+string(ir.ForNoKeyUpdate), p, ir.ReturnsOne)}
	t.addOperation(op, write{facts: u.facts})
}

// rowWords says which row a key finds.
func (u *unique) rowWords(t *table) string {
	words := "the row of " + t.ref.Name + " with the given " + keyWords(u.parts)
	if u.where != nil {
		words += " among those where " + u.where.SQL()
	}
	return words
}

// lockedReason is why a locked read takes the weaker of the two locks.
var lockedReason = ir.Reason{
	Choice: string(ir.ForNoKeyUpdate),
	Why: "writers of the row wait until this transaction ends; inserts of rows that refer to it do not, as they would for FOR UPDATE. " +
		"A transaction that will change a key column uses an edit.",
}

func (t *table) addGetLocked() {
	op := t.readOperation("get_for_update", ir.GetLockedOp, "reads the row of "+t.ref.Name+" with the given "+and(columnList(t.key))+
		" and locks it until the transaction ends: what is decided on it stays true until then. It works inside a transaction only. A missing row is not found.")
	p := newParameters(t.keyFields())
	op.Key, op.Lock, op.Reasons = t.keyFields(), ir.ForNoKeyUpdate, []ir.Reason{lockedReason, lockFirstReason}
	op.NeedsTransaction = true
	op.Statements = []ir.Statement{t.selectRow(op.Address, t.keyEquals(p)+"\n"+string(ir.ForNoKeyUpdate), p, ir.ReturnsOne)}
	t.addOperation(op, write{})
}

// addGetMany adds the locked read of several rows.
func (t *table) addGetMany() {
	key, names := t.key[0], ir.Idents(columnList(t.key))
	op := t.readOperation("get_many_for_update", ir.GetManyOp, "reads the rows of "+t.ref.Name+" with the given values of "+and(columnList(t.key))+
		" and locks them until the transaction ends. They are locked in the order of the key, whatever order was asked, so that two transactions that "+
		"lock the same rows wait for each other and never deadlock. The result is in that order too. It works inside a transaction only. "+
		"Rows that do not exist are left out, and a key that is given twice is one row.")
	op.Lock, op.NeedsTransaction = ir.ForNoKeyUpdate, true
	op.Reasons = []ir.Reason{{
		Choice: "ORDER BY " + names,
		Why:    "locks are taken in the order of the rows. Two transactions with the same rows in another order would each hold what the other one waits for (40P01).",
	}, lockedReason, lockFirstReason}
	if len(t.key) > 1 || !listable(key.typ) {
		op.Each, op.Args = t.keyFields(), textArrays(t.keyFields())
		p := newParameters(op.Args)
		arrays, values := make([]string, len(op.Each)), make([]string, len(op.Each))
		for i, f := range op.Each {
			arrays[i], values[i] = p.ref(f.Name), sentAlias+"."+ir.Ident(f.Name)+"::"+cast(f.Type)
		}
		op.Statements = []ir.Statement{t.selectRow(op.Address, "("+names+") IN (\n  SELECT "+strings.Join(values, ", ")+"\n  FROM unnest("+strings.Join(arrays, ", ")+
			") AS "+sentAlias+" ("+names+")\n)\nORDER BY "+names+"\n"+string(ir.ForNoKeyUpdate), p, ir.ReturnsMany)}
		t.addOperation(op, write{})
		return
	}
	arg := ir.Field{Name: key.name, Type: ir.Type{Kind: ir.ArrayType, Elem: &key.typ}}
	p := newParameters([]ir.Field{arg})
	op.Key = []ir.Field{arg}
	op.Statements = []ir.Statement{t.selectRow(op.Address,
		names+" = ANY ("+p.ref(key.name)+")\nORDER BY "+names+"\n"+string(ir.ForNoKeyUpdate), p, ir.ReturnsMany)}
	t.addOperation(op, write{})
}

// listable reports whether values of a type travel as a list of the type in every
// execution mode. A list of lists is flat, and pgx knows no list of multiranges.
func listable(t ir.Type) bool {
	base := t.Base()
	return base.Kind != ir.ArrayType && !strings.HasSuffix(base.Name, "multirange")
}

func (t *table) addDelete() {
	addr := under(t.address, "delete")
	p := newParameters(t.keyFields())
	t.addOperation(ir.Operation{
		Address: addr, Name: "delete", Kind: ir.DeleteOp,
		Doc: "deletes the row of " + t.ref.Name + " with the given " + and(columnList(t.key)) +
			". A missing row is not found." + t.keptBy(),
		Statements: []ir.Statement{{
			Role: ir.MainStatement,
			SQL:  comment(addr) + "DELETE FROM " + t.ref.SQL() + "\nWHERE " + t.keyEquals(p),
			Args: p.fields, Rows: ir.ReturnsNone,
		}},
		Key:  t.keyFields(),
		Lock: ir.RowWriteLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: []ir.Reason{{
			Choice: "row lock of the DELETE",
			Why:    "it is FOR UPDATE: inserts of rows that refer to this one wait, and then find no parent.",
		}, constraintReason},
		Pos: t.repository.Pos,
	}, write{deletes: true})
}

// keptBy says what a delete runs into.
func (t *table) keptBy() string {
	for _, ref := range t.children {
		if ref.schema.OnDelete == ir.NoAction || ref.schema.OnDelete == ir.Restrict {
			return " A row that others still refer to stays, and the error names their foreign key."
		}
	}
	return ""
}
