package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// The arguments of an idempotency's statements, beside the key.
var (
	hashField      = ir.Field{Name: "payload_hash", Type: ir.Type{Name: "bytea"}}
	versionField   = ir.Field{Name: "hash_version", Type: ir.Type{Name: "int2"}}
	ownerField     = ir.Field{Name: "owner", Type: ir.Type{Name: "text"}} // a run's own name, so that it knows its row again
	fenceField     = ir.Field{Name: "fence", Type: ir.Type{Name: "int8"}}
	statusField    = ir.Field{Name: "status", Type: ir.Type{Name: "int4"}}
	headerField    = ir.Field{Name: "header", Type: ir.Type{Name: "jsonb"}, Null: true}
	bodyField      = ir.Field{Name: "body", Type: ir.Type{Name: "bytea"}, Null: true}
	referenceField = ir.Field{Name: "reference", Type: ir.Type{Name: "text"}}
	resultField    = ir.Field{Name: "result", Type: ir.Type{Name: "jsonb"}}
	pointField     = ir.Field{Name: "recovery_point", Type: ir.Type{Name: "text"}}
	resultsField   = ir.Field{Name: "results", Type: ir.Type{Name: "jsonb"}}
)

func (o *once) addOperations() {
	if o.phased() {
		o.addPhased()
	} else {
		o.addAtomic()
	}
	o.addReap()
}

// add adds an operation of one main statement, behind those that go before it.
func (o *once) add(name string, lock ir.LockMode, doc, sql string, p *parameters, results []ir.Field, before ...ir.Statement) {
	at := under(o.address, name)
	rows := ir.ReturnsNone
	if len(results) > 0 {
		rows = ir.ReturnsOne
	}
	for i := range before {
		before[i].SQL = comment(at) + before[i].SQL
	}
	o.ir.Operations = append(o.ir.Operations, ir.Operation{
		Address: at, Name: name, Kind: ir.OnceOp, Doc: doc, Key: o.keyed(), Args: slices.Clone(p.fields[min(len(p.fields), len(o.keyed())):]),
		Statements: append(before, ir.Statement{Role: ir.MainStatement, SQL: comment(at) + sql, Args: p.fields, Results: results, Rows: rows}),
		Lock:       lock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: o.reasons, Internal: true, Pos: o.ir.Pos,
	})
}

// keyList spells the columns of the key.
func (o *once) keyList(prefix string) string {
	list := quoteAll(fieldNames(o.keyed()))
	for i := range list {
		list[i] = prefix + list[i]
	}
	return strings.Join(list, ", ")
}

// rowList spells all columns of a row.
func (o *once) rowList() string {
	var names []string
	for _, c := range o.columns(ir.Origin{}) {
		names = append(names, c.Name)
	}
	return strings.Join(quoteAll(names), ", ")
}

// keyRefs spells the arguments of the key.
func (o *once) keyRefs(p *parameters) string {
	list := fieldNames(o.keyed())
	for i, name := range list {
		list[i] = p.ref(name)
	}
	return strings.Join(list, ", ")
}

// keyIs is the condition that finds the row of a key.
func (o *once) keyIs(p *parameters, prefix string) string {
	list := fieldNames(o.keyed())
	for i, name := range list {
		list[i] = prefix + ir.Ident(name) + " = " + p.ref(name)
	}
	return strings.Join(list, " AND ")
}

// answerList selects the stored answer in one form.
func (o *once) answerList() string {
	switch {
	case o.ir.Reference:
		return "200 AS status, NULL::jsonb AS header, convert_to(reference, 'UTF8') AS body"
	case o.phased():
		return "COALESCE(status, 0) AS status, header, body"
	}
	return "status, header, body"
}

var answerFields = []ir.Field{statusField, headerField, bodyField}

// answerArgs are the arguments that an answer is stored from.
func (o *once) answerArgs() []ir.Field {
	if o.ir.Reference {
		return []ir.Field{referenceField}
	}
	return answerFields
}

func (o *once) answerColumns() string { return strings.Join(fieldNames(o.answerArgs()), ", ") }

func (o *once) answerRefs(p *parameters) string {
	list := fieldNames(o.answerArgs())
	for i, name := range list {
		list[i] = p.ref(name)
	}
	return strings.Join(list, ", ")
}

// addAtomic adds the two steps of work in one transaction. The lock comes in a
// statement of its own, so that what is looked up next has a newer snapshot.
func (o *once) addAtomic() {
	p := newParameters(o.keyed())
	lock := ir.Statement{
		Role: ir.LockStatement, Rows: ir.ReturnsOne, Args: p.fields, Results: []ir.Field{{Name: "acquired", Type: ir.Type{Name: "bool"}}},
		SQL: "SELECT " + string(ir.AdvisoryTryXact) + "(hash_record_extended(ROW(" + ir.Literal(o.address) + "::text, " + o.keyRefs(p) + "), 0)) AS acquired",
	}
	yes := ir.Type{Name: "bool"}
	o.add(ir.OnceEnter, ir.AdvisoryTryXact, "takes the key for this transaction, or says that another one has it, and looks up its answer.",
		"SELECT payload_hash, hash_version, true AS completed, expires_at <= clock_timestamp() AS expired, "+o.answerList()+
			"\nFROM "+o.ir.Table.SQL()+" WHERE "+o.keyIs(p, ""),
		p, slices.Concat([]ir.Field{hashField, versionField, {Name: "completed", Type: yes}, {Name: "expired", Type: yes}}, answerFields), lock)

	p = newParameters(o.keyed(), []ir.Field{hashField, versionField}, o.answerArgs())
	insert := "INSERT INTO " + o.ir.Table.SQL() + " (" + o.keyList("") + ", payload_hash, hash_version, " + o.answerColumns() + ", expires_at)" +
		"\nVALUES (" + o.keyRefs(p) + ", " + p.ref("payload_hash") + ", " + p.ref("hash_version") + ", " + o.answerRefs(p) + ", " + later(o.ir.Retain) + ")"
	gone := newParameters(o.keyed())
	expire := "DELETE FROM " + o.ir.Table.SQL() + " WHERE " + o.keyIs(gone, "") + " AND expires_at <= clock_timestamp()"
	if o.audit.Name != "" {
		expire = "WITH gone AS (\n  " + expire + " RETURNING " + o.keyList("") + ", expires_at\n)\n" + o.remember("gone")
		insert = "WITH stored AS (\n" + insert + "\n)\n" + o.ranAgain(p, "")
	}
	o.add(ir.OnceStore, ir.RowWriteLock, "stores the answer, in the transaction of the work. An answer that is no longer kept goes first.",
		insert, p, nil, ir.Statement{Role: ir.DueStatement, SQL: expire, Args: gone.fields, Rows: ir.ReturnsNone})
}

// remember notes the keys of a CTE as forgotten.
func (o *once) remember(from string) string {
	return "INSERT INTO " + o.audit.SQL() + " (" + o.keyList("") + ", expired_at) SELECT " + o.keyList("") + ", expires_at FROM " + from +
		"\nON CONFLICT (" + o.keyList("") + ") DO UPDATE SET expired_at = excluded.expired_at"
}

// ranAgain notes that a forgotten key runs again.
func (o *once) ranAgain(p *parameters, condition string) string {
	return "UPDATE " + o.audit.SQL() + " SET ran_at = clock_timestamp(), runs = runs + 1\nWHERE " + o.keyIs(p, "") + condition
}

// lookList are the columns by which a run of phased work decides.
func (o *once) lookList(p *parameters) string {
	results := ""
	for _, phase := range o.ir.Phases {
		if phase.Result {
			results += ", " + ir.Literal(phase.Name) + ", " + ir.Ident(phase.Name+"_result")
		}
	}
	return "payload_hash, hash_version, state = '" + completed + "' AS completed, COALESCE(expires_at <= clock_timestamp(), false) AS expired, " +
		o.answerList() + ",\n  owner = " + p.ref("owner") + " AS mine, fence, recovery_point, " +
		"COALESCE(greatest(extract(epoch FROM lease_until - clock_timestamp()) * 1000000, 0), 0)::bigint AS remaining,\n  " +
		"jsonb_strip_nulls(jsonb_build_object(" + strings.TrimPrefix(results, ", ") + ")) AS results"
}

func (o *once) lookFields() []ir.Field {
	yes, number := ir.Type{Name: "bool"}, ir.Type{Name: "int8"}
	return slices.Concat([]ir.Field{hashField, versionField, {Name: "completed", Type: yes}, {Name: "expired", Type: yes}}, answerFields,
		[]ir.Field{{Name: "mine", Type: yes}, fenceField, pointField, {Name: "remaining", Type: number}, resultsField})
}

// addPhased adds the steps of phased work.
func (o *once) addPhased() {
	o.addPhasedEnter()
	o.addAgain()
	table, first := o.ir.Table.SQL(), ir.Literal(o.ir.Phases[0].Name)

	p := newParameters(o.keyed(), []ir.Field{hashField, versionField, ownerField})
	o.add(ir.OnceTakeover, ir.RowWriteLock, "takes over a key whose lease has run out, for the same payload, at the phase where it stands.",
		"UPDATE "+table+" SET fence = fence + 1, owner = "+p.ref("owner")+", lease_until = "+later(o.ir.Lease)+
			"\nWHERE "+o.keyIs(p, "")+" AND state = '"+inProgress+"' AND lease_until <= clock_timestamp()"+
			"\n  AND payload_hash = "+p.ref("payload_hash")+" AND hash_version = "+p.ref("hash_version")+
			"\nRETURNING "+o.lookList(p),
		p, o.lookFields())

	p = newParameters(o.keyed(), []ir.Field{ownerField})
	o.add(ir.OnceLook, ir.NoLock, "returns what is known of a key.",
		"SELECT "+o.lookList(p)+"\nFROM "+table+" WHERE "+o.keyIs(p, ""), p, o.lookFields())

	held := func(p *parameters) string {
		return "\nWHERE " + o.keyIs(p, "") + " AND fence = " + p.ref("fence") + " AND state = '" + inProgress + "'"
	}
	for i, phase := range o.ir.Phases[:len(o.ir.Phases)-1] {
		p := newParameters(o.keyed(), []ir.Field{fenceField})
		set := ""
		if phase.Result {
			p = newParameters(o.keyed(), []ir.Field{fenceField, resultField})
			set = ", " + ir.Ident(phase.Name+"_result") + " = " + p.ref("result")
		}
		o.add(ir.OnceAdvance+phase.Name, ir.RowWriteLock, "ends the phase "+phase.Name+" of the run with this fence, or changes no row when another run has begun.",
			"UPDATE "+table+" SET recovery_point = "+ir.Literal(o.ir.Phases[i+1].Name)+set+held(p)+" AND recovery_point = "+ir.Literal(phase.Name), p, nil)
	}
	last := o.ir.Phases[len(o.ir.Phases)-1]
	p = newParameters(o.keyed(), []ir.Field{fenceField}, o.answerArgs())
	answer := ""
	for _, f := range o.answerArgs() {
		answer += f.Name + " = " + p.ref(f.Name) + ", "
	}
	o.add(ir.OnceComplete, ir.RowWriteLock, "ends the last phase and stores the answer, or changes no row when another run has begun. It asks the fence and never the clock.",
		"UPDATE "+table+" SET state = '"+completed+"', lease_until = NULL, "+answer+"expires_at = "+later(o.ir.Retain)+
			held(p)+" AND recovery_point = "+ir.Literal(last.Name), p, nil)

	p = newParameters(o.keyed(), []ir.Field{fenceField})
	o.add(ir.OnceHeartbeat, ir.RowWriteLock, "makes the lease start again, or changes no row when another run has begun.",
		"UPDATE "+table+" SET lease_until = "+later(o.ir.Lease)+held(p), p, nil)
	o.add(ir.OnceRelease, ir.RowWriteLock, "ends the lease of a run that failed, so that the next one need not wait. The phase stays.",
		"UPDATE "+table+" SET lease_until = clock_timestamp()"+held(p), p, nil)
	o.add(ir.OnceForget, ir.RowWriteLock, "removes the key of a run that failed in its first phase: nothing was done under it.",
		"DELETE FROM "+table+held(p)+" AND recovery_point = "+first, p, nil)
}

// addPhasedEnter adds the row of a key that has none, and returns the row. A row
// that another run committed meanwhile is in neither arm: the caller asks again.
func (o *once) addPhasedEnter() {
	p := newParameters(o.keyed(), []ir.Field{hashField, versionField, ownerField})
	insert := "INSERT INTO " + o.ir.Table.SQL() + " (" + o.keyList("") + ", payload_hash, hash_version, state, fence, owner, lease_until, recovery_point)" +
		"\n  VALUES (" + o.keyRefs(p) + ", " + p.ref("payload_hash") + ", " + p.ref("hash_version") + ", '" + inProgress + "', 1, " + p.ref("owner") + ", " +
		later(o.ir.Lease) + ", " + ir.Literal(o.ir.Phases[0].Name) + ")" +
		"\n  ON CONFLICT (" + o.keyList("") + ") DO NOTHING RETURNING " + o.rowList()
	audited := ""
	if o.audit.Name != "" {
		audited = ", audited AS (\n" + o.ranAgain(p, " AND EXISTS (SELECT FROM fresh)") + "\n)"
	}
	o.add(ir.OnceEnter, ir.RowWriteLock, "begins the work of a key that nobody has asked for, or returns what is known of it.",
		"WITH fresh AS (\n  "+insert+"\n)"+audited+
			"\nSELECT "+o.lookList(p)+"\nFROM fresh"+
			"\nUNION ALL SELECT "+o.lookList(p)+"\nFROM "+o.ir.Table.SQL()+" WHERE "+o.keyIs(p, ""),
		p, o.lookFields())
}

// addAgain begins work anew whose answer is no longer kept.
func (o *once) addAgain() {
	table := o.ir.Table.SQL()
	p := newParameters(o.keyed(), []ir.Field{hashField, versionField, ownerField})
	cleared := ""
	for _, phase := range o.ir.Phases {
		if phase.Result {
			cleared += ir.Ident(phase.Name+"_result") + " = NULL, "
		}
	}
	for _, f := range o.answerArgs() {
		cleared += f.Name + " = NULL, "
	}
	expired := " AND state = '" + completed + "' AND expires_at <= clock_timestamp()"
	audited := ""
	if o.audit.Name != "" {
		// What was forgotten has to be read before it is overwritten.
		audited = "\n  AND EXISTS (SELECT FROM old)"
	}
	update := "UPDATE " + table + " SET payload_hash = " + p.ref("payload_hash") + ", hash_version = " + p.ref("hash_version") + ", state = '" + inProgress + "', " +
		"fence = fence + 1, owner = " + p.ref("owner") + ",\n  lease_until = " + later(o.ir.Lease) + ", recovery_point = " + ir.Literal(o.ir.Phases[0].Name) + ", " +
		cleared + "started_at = clock_timestamp(), expires_at = NULL" + "\nWHERE " + o.keyIs(p, "") + expired + audited + "\nRETURNING "
	sql := update + o.lookList(p)
	if o.audit.Name != "" {
		sql = "WITH old AS MATERIALIZED (\n  SELECT " + o.keyList("") + ", expires_at FROM " + table + " WHERE " + o.keyIs(p, "") + expired + " FOR UPDATE\n)," +
			" anew AS (\n" + update + o.rowList() + "\n), audited AS (\n" +
			"INSERT INTO " + o.audit.SQL() + " AS e (" + o.keyList("") + ", expired_at, ran_at, runs)" +
			" SELECT " + o.keyList("old.") + ", old.expires_at, clock_timestamp(), 1 FROM old, anew" +
			"\nON CONFLICT (" + o.keyList("") + ") DO UPDATE SET expired_at = excluded.expired_at, ran_at = excluded.ran_at, runs = e.runs + 1\n)" +
			"\nSELECT " + o.lookList(p) + " FROM anew"
	}
	o.add(ir.OnceAgain, ir.RowWriteLock, "begins the work of a key anew whose answer is no longer kept.", sql, p, o.lookFields())
}

// addReap removes answers that are no longer kept. The rows are locked where they
// are picked, and the condition stands outside of that once more: a plain IN (…)
// would delete a key that has been begun anew between the two.
func (o *once) addReap() {
	table := o.ir.Table.SQL()
	p := newParameters([]ir.Field{claimLimit})
	over := func(prefix string) string {
		if o.phased() {
			return prefix + "state = '" + completed + "' AND " + prefix + "expires_at <= statement_timestamp()"
		}
		return prefix + "expires_at <= statement_timestamp()"
	}
	var same []string
	for _, name := range quoteAll(fieldNames(o.keyed())) {
		same = append(same, "t."+name+" = old."+name)
	}
	sql := "WITH old AS MATERIALIZED (\n  SELECT " + o.keyList("") + " FROM " + table + " WHERE " + over("") +
		"\n  ORDER BY expires_at LIMIT " + p.ref("limit") + " FOR UPDATE SKIP LOCKED\n)"
	remove := "DELETE FROM " + table + " AS t USING old WHERE " + strings.Join(same, " AND ") + " AND " + over("t.")
	if o.audit.Name != "" {
		sql += ", gone AS (\n" + remove + " RETURNING " + o.keyList("t.") + ", t.expires_at\n)\n" + o.remember("gone")
	} else {
		sql += "\n" + remove
	}
	at := under(o.address, ir.OnceReap)
	o.ir.Operations = append(o.ir.Operations, ir.Operation{
		Address: at, Name: ir.OnceReap, Kind: ir.OnceOp,
		Doc:        "removes up to limit answers that are no longer kept. Work in progress is never removed.",
		Args:       p.fields,
		Statements: []ir.Statement{{Role: ir.MainStatement, SQL: comment(at) + sql, Args: p.fields, Rows: ir.ReturnsNone}},
		Lock:       ir.ForUpdate, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: []ir.Reason{{
			Choice: "SKIP LOCKED, and the condition a second time",
			Why:    "a key that is begun anew at this moment is passed over: a plain IN (SELECT … LIMIT n) deleted keys that were alive again.",
		}},
		Internal: true, Pos: o.ir.Pos,
	})
}
