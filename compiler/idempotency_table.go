package compiler

import (
	"slices"
	"strings"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// once is work that is done once for each key, while it is compiled.
type once struct {
	address string
	decl    *dsl.Idempotency
	ir      ir.Idempotency
	reasons []ir.Reason
	audit   ir.TableRef // the keys that are forgotten; empty unless audit_expired
}

// keyField is the key that a caller brings.
var keyField = ir.Field{Name: "key", Type: ir.Type{Name: "text"}}

// The states of a key of phased work. Atomic work has a row only when it is done.
const (
	inProgress = "in_progress"
	completed  = "completed"
)

// onceNames are the columns and arguments that idempotency brings along.
var onceNames = []string{
	"key", "payload_hash", "hash_version", "status", "header", "body", "reference", "stored_at", "expires_at", "state", "fence", "owner",
	"lease_until", "recovery_point", "started_at", "expired_at", "ran_at", "runs", "completed", "expired", "remaining", "results", "mine",
	"limit", "result",
}

// lowerIdempotency adds the table of an idempotency with its operations.
func (c *compilation) lowerIdempotency(decl *dsl.Idempotency) {
	o := &once{address: declared("idempotency", decl.Block), decl: decl}
	o.ir = ir.Idempotency{
		Address: o.address, Name: nameOf(decl.Name, decl.Rename), Entity: decl.Unit.V == "entity", Reference: decl.Response.V == "reference",
		Lease: decl.Lease.V, RPCTimeout: decl.RPCTimeout.V, Retain: decl.Retain.V, Wait: decl.Wait.V, Pos: pos(decl.Header),
	}
	o.ir.Table = ir.TableRef{Schema: c.program.DefaultSchema, Name: o.ir.Name}
	scope, scoped := c.onceFields(decl.Scope)
	key, keyed := c.onceFields(decl.Key)
	if !scoped || !keyed || decl.Name.Text == "" {
		return
	}
	o.ir.Scope, o.ir.Key = scope, key
	if !o.ir.Entity {
		o.ir.Key = []ir.Field{keyField}
	}
	for _, phase := range decl.Phases {
		o.ir.Phases = append(o.ir.Phases, ir.Phase{Name: phase.Name.Text, External: phase.External.V, Result: phase.Result.Name != ""})
	}
	o.reasons = o.why()
	objects := c.onceSchema(o)
	o.addOperations()
	rule := &ir.IdempotencyRule{Phased: o.phased(), Base: ir.Facts{
		Address: o.address, Kind: "idempotency", Table: o.ir.Table, Promise: o.promise(), Mechanism: o.mechanism(),
		Reasons: o.reasons, Objects: objects, Pos: o.ir.Pos,
	}}
	for i := range o.ir.Operations {
		rule.Base.Operations = append(rule.Base.Operations, o.ir.Operations[i].Address)
	}
	o.ir.Doc = rule.Base.Promise
	c.program.Idempotencies = append(c.program.Idempotencies, o.ir)
	c.program.Invariants = append(c.program.Invariants, rule)
}

func (o *once) phased() bool { return len(o.ir.Phases) > 0 }

// onceFields are the arguments that make a key. Their text has to be the same in
// every session, because keys for the outside are made of it.
func (c *compilation) onceFields(args []dsl.Arg) ([]ir.Field, bool) {
	list, ok := make([]ir.Field, 0, len(args)), true
	for _, a := range args {
		d := diag.Diagnostic{Code: diag.IdempotencyKey, Subject: a.Name.Range}
		t, known := c.resolveType(a.Type)
		switch {
		case !known:
			ok = false
			continue
		case slices.Contains(onceNames, a.Name.Text) || strings.HasSuffix(a.Name.Text, "_result"):
			d.Detail = quote(a.Name.Text) + " is a column that every idempotency may have."
			d.Consequence = "One column would hold two values."
			d.Help = "choose another name, such as " + a.Name.Text + "_id"
		case !plainKey(t):
			d.Detail = "A key is made of whole numbers, texts, uuids, booleans and enums; " + quote(a.Name.Text) + " is " + t.SQL() + "."
			d.Consequence = "Other values are spelled as the session's settings have it, or in more than one way: a provider outside would be sent two keys for one effect."
			d.Help = a.Name.Text + " = text, spelled by the caller in one way"
		default:
			list = append(list, ir.Field{Name: a.Name.Text, Type: t})
			continue
		}
		c.report(d)
		ok = false
	}
	return list, ok
}

// plainKey reports a type whose values have one spelling each, whatever the
// session.
func plainKey(t ir.Type) bool {
	t = t.Base()
	return t.Kind == ir.EnumType || t.Kind == ir.BaseType && slices.Contains([]string{"int2", "int4", "int8", "text", "varchar", "uuid", "bool"}, t.Name)
}

// keyed are the arguments that name a row.
func (o *once) keyed() []ir.Field { return slices.Concat(o.ir.Scope, o.ir.Key) }

func (o *once) promise() string {
	who := "each key"
	if o.ir.Entity {
		who = "each " + and(quoted(fieldNames(o.ir.Key)))
	}
	if len(o.ir.Scope) > 0 {
		who += " within one " + and(quoted(fieldNames(o.ir.Scope)))
	}
	if !o.phased() {
		return "The work of " + o.ir.Name + " is done once for " + who + ": whoever asks again gets the stored answer, for " + length(o.ir.Retain) +
			". Work that fails is not stored, and may be tried again."
	}
	return "Each phase of " + o.ir.Name + " is committed once for " + who + ", in order, and its answer is kept for " + length(o.ir.Retain) +
		". Work that a process leaves behind goes on where it stood once the lease of " + o.ir.Lease.String() + " has run out."
}

func (o *once) mechanism() string {
	if !o.phased() {
		return "pg_try_advisory_xact_lock on the key, and its row in the transaction of the work"
	}
	return "a row a key with a lease by the database's clock, a fence and the phase to go on with, changed in each phase's own transaction"
}

func (o *once) why() []ir.Reason {
	reasons := []ir.Reason{{
		Choice: "the payload's hash is compared before anything else",
		Why: "the same key with another payload is a mistake of the caller's, or a guessed key: it must get neither the stored answer nor the work. The hash's " +
			"version is stored, so that a later way to hash does not make equal payloads differ.",
	}, {
		Choice: readCommitted,
		Why:    "what is looked up after the lock sees what the run before committed. At a higher level the snapshot would be as old as the transaction.",
	}}
	if !o.phased() {
		return append(reasons, ir.Reason{
			Choice: "pg_try_advisory_xact_lock on 64 bits of the key, in a statement of its own",
			Why: "a twin is answered at once and holds no connection: waiting for a row lock, sixty twins would keep a pool of ten from everybody else. The " +
				"server gives the lock back when the transaction ends, however it ends. Two keys with equal bits cost a retry, never a wrong answer.",
		}, ir.Reason{
			Choice: "the answer is inserted last, under the primary key",
			Why: "the row and the work commit together: there is no lease and nothing to clean up after a crash, and a lost answer to COMMIT is found in the row. " +
				"A client that does not take the lock still meets the key.",
		})
	}
	return append(reasons, ir.Reason{
		Choice: "a fence",
		Why: "each run under a key has a greater one. A process that was paused past its lease changes no row with the old one, and its transaction rolls back: " +
			"ending a phase checks the fence and never the clock, so that work in time for nobody else is kept.",
	}, ir.Reason{
		Choice: "a lease of " + o.ir.Lease.String() + " by the database's clock",
		Why:    "a process that dies says nothing. Whoever asks next takes the key over at the phase where it stands, and no two clocks are compared.",
	}, ir.Reason{
		Choice: "external phases outside of any transaction",
		Why: "a call may take long and cannot be rolled back. Its key is made of the key of the work and the phase alone, so that a call that is made again " +
			"is the same call to the provider.",
	})
}

func fieldNames(fields []ir.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// onceSchema adds the table of keys, and that of forgotten ones.
func (c *compilation) onceSchema(o *once) []ir.ObjectID {
	origin := ir.Origin{Address: o.address, Pos: o.ir.Pos, Why: "holds a row for each key"}
	t := ir.Table{
		Schema: o.ir.Table.Schema, Name: o.ir.Table.Name, Comment: "Keys of " + o.ir.Name + ", and what was answered.", Origin: origin,
		Columns: o.columns(origin),
	}
	if o.phased() {
		origin.Why = "a key is in progress under a lease, or has an answer"
		for _, check := range []struct{ label, expr string }{
			{"state", inList("state", []string{inProgress, completed})},
			{"held", "(state = '" + inProgress + "') = (lease_until IS NOT NULL)"},
			{"answered", "(state = '" + completed + "') = (expires_at IS NOT NULL)"},
		} {
			t.Checks = append(t.Checks, ir.Check{Name: t.Name + "_" + check.label, Expr: check.expr, Origin: origin})
		}
	}
	o.ir.PrimaryKey = t.Name + "_pkey"
	objects := c.onceTable(o, &t)
	origin.Why = "the reaper finds the answers that are no longer kept"
	expiry := ir.Index{Name: t.Name + "_expiry", Method: defaultMethod, Parts: []ir.IndexPart{{Column: "expires_at"}}, Origin: origin}
	c.claimRelation(o.ir.Table, expiry.Name, "an index of idempotency "+quote(o.ir.Name), o.decl.Header)
	t.Indexes = append(t.Indexes, expiry)
	c.program.Schema.Tables = append(c.program.Schema.Tables, t)
	if !o.decl.AuditExpired.V {
		return objects
	}
	o.audit = ir.TableRef{Schema: t.Schema, Name: t.Name + "_expired"}
	origin.Why = "tells of keys that ran again after they were forgotten"
	at, integer := ir.Type{Name: "timestamptz"}, ir.Type{Name: "int4"}
	a := ir.Table{Schema: t.Schema, Name: o.audit.Name, Comment: "Keys of " + o.ir.Name + " that are no longer kept.", Origin: origin}
	a.Columns = append(o.keyColumns(origin),
		ir.Column{Name: "expired_at", Type: at, Origin: origin},
		ir.Column{Name: "ran_at", Type: at, Null: true, Origin: origin},
		ir.Column{Name: "runs", Type: integer, Default: "0", Origin: origin})
	objects = append(objects, c.onceTable(o, &a)...)
	c.program.Schema.Tables = append(c.program.Schema.Tables, a)
	return objects
}

// onceTable takes the names of a table and its primary key.
func (c *compilation) onceTable(o *once, t *ir.Table) []ir.ObjectID {
	t.PrimaryKey = &ir.PrimaryKey{Name: t.Name + "_pkey", Columns: fieldNames(o.keyed()), Origin: t.Origin}
	c.claimRelation(t.Ref(), t.Name, "the table of idempotency "+quote(o.ir.Name), o.decl.Header)
	c.claimRelation(t.Ref(), t.PrimaryKey.Name, "the primary key of idempotency "+quote(o.ir.Name), o.decl.Header)
	objects := []ir.ObjectID{
		{Kind: ir.TableObject, Schema: t.Schema, Table: t.Name, Name: t.Name},
		{Kind: ir.ConstraintObject, Schema: t.Schema, Table: t.Name, Name: t.PrimaryKey.Name},
	}
	for _, check := range t.Checks {
		objects = append(objects, ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.Schema, Table: t.Name, Name: check.Name})
	}
	return objects
}

func (o *once) keyColumns(origin ir.Origin) []ir.Column {
	var list []ir.Column
	for _, f := range o.keyed() {
		list = append(list, ir.Column{Name: f.Name, Type: f.Type, Origin: origin})
	}
	return list
}

func (o *once) columns(origin ir.Origin) []ir.Column {
	text, at, jsonb := ir.Type{Name: "text"}, ir.Type{Name: "timestamptz"}, ir.Type{Name: "jsonb"}
	list := o.keyColumns(origin)
	add := func(name string, t ir.Type, null bool, otherwise string) {
		list = append(list, ir.Column{Name: name, Type: t, Null: null, Default: otherwise, Origin: origin})
	}
	add("payload_hash", ir.Type{Name: "bytea"}, false, "")
	add("hash_version", ir.Type{Name: "int2"}, false, "")
	if o.phased() {
		add("state", text, false, "")
		add("fence", ir.Type{Name: "int8"}, false, "")
		add("owner", text, false, "")
		add("lease_until", at, true, "")
		add("recovery_point", text, false, "")
		for _, phase := range o.ir.Phases {
			if phase.Result {
				add(phase.Name+"_result", jsonb, true, "")
			}
		}
		add("started_at", at, false, "now()")
	}
	if o.ir.Reference {
		add("reference", text, o.phased(), "")
	} else {
		add("status", ir.Type{Name: "int4"}, o.phased(), "")
		add("header", jsonb, true, "")
		add("body", ir.Type{Name: "bytea"}, true, "")
	}
	if !o.phased() {
		add("stored_at", at, false, "now()")
	}
	add("expires_at", at, o.phased(), "")
	return list
}

// later is a point in time by the database's clock.
func later(d time.Duration) string {
	return "clock_timestamp() + interval '" + seconds(d) + " seconds'"
}
