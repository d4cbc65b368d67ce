package compiler

import (
	"strconv"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// leaderTable is the name of the table with the terms of all leaders. It stands
// in the default schema.
const leaderTable = "pawl_leader"

// shortestTerm leaves room for three renewals of some hundred milliseconds.
const shortestTerm = time.Second

// leader is a singleton that holds from term to term, while it is compiled.
type leader struct {
	address string
	decl    *dsl.Singleton
	config  ir.Leader
	reasons []ir.Reason
	name    string // the row's key, as an SQL literal
	class   int32  // of a session lock
	key     int32
}

// lowerLeader adds a leader with its operations.
func (c *compilation) lowerLeader(decl *dsl.Singleton) {
	l := &leader{address: declared("singleton", decl.Block), decl: decl, config: ir.Leader{
		Table: ir.TableRef{Schema: c.program.DefaultSchema, Name: leaderTable}, Lease: defaultTerm,
	}}
	l.name = ir.Literal(l.address)
	set(&l.config.Lease, decl.Lease)
	if !c.termIsLong(decl, l.config.Lease) {
		return
	}
	l.config.Session, l.class, l.key = decl.Session.V, c.program.AdvisoryClass, int32(decl.Key.V) //nolint:gosec // dsl has checked the range
	l.reasons = l.why()
	objects := c.leaderSchema(decl)
	operations := []ir.Operation{l.campaign(), l.renew(), l.resign(), l.guard()}
	rule := &ir.LeaderRule{Lease: l.config.Lease, Session: decl.Session.V, Base: ir.Facts{
		Address: l.address, Kind: "singleton", Table: l.config.Table,
		Promise: "At most one " + singletonName(decl) + " leads at a time, and what it does in transactions that guard its term is done before the next term begins, " +
			"or not at all.",
		Mechanism: l.mechanism(),
		Reasons:   l.reasons,
		Objects:   objects,
		Pos:       pos(decl.Header),
	}}
	for i := range operations {
		rule.Base.Operations = append(rule.Base.Operations, operations[i].Address)
	}
	c.program.Singletons = append(c.program.Singletons, ir.Singleton{
		Address: l.address, Name: singletonName(decl), Key: int32(decl.Key.V), //nolint:gosec // dsl has checked the range
		Doc: rule.Base.Promise, Leader: &l.config, Operations: operations, Pos: pos(decl.Header),
	})
	c.program.Invariants = append(c.program.Invariants, rule)
}

// termIsLong refuses a lease that cannot be renewed in time, and one that
// nothing would look at.
func (c *compilation) termIsLong(decl *dsl.Singleton, lease time.Duration) bool {
	d := diag.Diagnostic{Code: diag.LeaderLease, Subject: decl.Lease.Range}
	switch {
	case decl.Session.V && decl.Lease.Set:
		d.Detail = "A leader with session = true has no lease: it leads as long as its connection lives."
		d.Consequence = "The lease would decide nothing, and whoever reads it would count on it."
		d.Help = "remove lease, or session"
	case lease < shortestTerm:
		d.Detail = "lease = " + lease.String() + " is shorter than " + shortestTerm.String() + "."
		d.Label = "too short"
		d.Consequence = "It is renewed three times a term. One slow round trip would end a term that nothing is wrong with, and the next leader starts " +
			"the work again."
		d.Help = "lease = " + quote(defaultTerm.String())
	default:
		return true
	}
	c.report(d)
	return false
}

// sessionLasts refuses a lock of a session where no client has a session.
func (c *compilation) sessionLasts(decl *dsl.Singleton) bool {
	if !decl.Session.V || c.program.Pooler != ir.TransactionPooler {
		return true
	}
	c.report(diag.Diagnostic{
		Code:        diag.PoolerSession,
		Detail:      "A leader with session = true needs a session, and a target says pooler = \"transaction\".",
		Subject:     decl.Session.Range,
		Consequence: "The pooler gives the connection, and the lock with it, to the next client that asks: two would lead, or nobody could.",
		Help:        "remove session: a lease works through any pooler",
	})
	return false
}

func (l *leader) mechanism() string {
	if l.config.Session {
		return "pg_try_advisory_lock on a connection of its own, and a numbered term that guarded transactions lock FOR KEY SHARE"
	}
	return "a lease by the database's clock on a numbered term, which guarded transactions lock FOR KEY SHARE and a takeover locks FOR UPDATE"
}

func (l *leader) why() []ir.Reason {
	reasons := []ir.Reason{
		{
			Choice: "a numbered term, locked FOR KEY SHARE by guarded transactions",
			Why: "a process that was paused does not know that its term is over. The row tells it, and the lock makes the next leader wait until the " +
				"transaction has ended: a plain SELECT would let the old leader commit after the new one, FOR SHARE would make it wait for its own renewals.",
		},
		{
			Choice: "FOR UPDATE before a takeover",
			Why: "raising the term alone would take FOR NO KEY UPDATE, which does not wait for FOR KEY SHARE. The wait is as long as the longest guarded " +
				"transaction: lock_timeout bounds it for whoever campaigns, and idle_timeout of the guarded transaction ends one that hangs.",
		},
	}
	if l.config.Session {
		return append(reasons, ir.Reason{
			Choice: "a session lock",
			Why: "the server gives it back at once when the connection ends, so the next leader need not wait for a lease to run out. It needs a connection " +
				"of its own, and does not work through a pooler that shares connections between transactions.",
		})
	}
	return append(reasons, ir.Reason{
		Choice: "a lease of " + l.config.Lease.String(),
		Why: "a leader that dies or is cut off is replaced when its lease has run out. It is written and compared by the database's clock alone, and works " +
			"through any pooler.",
	})
}

// leaderSchema adds the table of terms, once for all leaders.
func (c *compilation) leaderSchema(decl *dsl.Singleton) []ir.ObjectID {
	ref := ir.TableRef{Schema: c.program.DefaultSchema, Name: leaderTable}
	key := ref.Name + "_pkey"
	objects := []ir.ObjectID{{Kind: ir.TableObject, Schema: ref.Schema, Table: ref.Name, Name: ref.Name}}
	if c.leaders {
		return objects
	}
	c.leaders = true
	c.claimRelation(ref, ref.Name, "the table of leaders", decl.Header)
	c.claimRelation(ref, key, "the primary key of the table of leaders", decl.Header)
	origin := ir.Origin{Address: "pawl", Pos: pos(decl.Header), Why: "holds the terms of leaders"}
	text, at := ir.Type{Name: "text"}, ir.Type{Name: "timestamptz"}
	column := func(name string, typ ir.Type, null bool, otherwise string) ir.Column {
		return ir.Column{Name: name, Type: typ, Null: null, Default: otherwise, Origin: origin}
	}
	c.program.Schema.Tables = append(c.program.Schema.Tables, ir.Table{
		Schema: ref.Schema, Name: ref.Name, Comment: "Who leads: a row for each singleton with scope = \"leader\".", Origin: origin,
		Columns: []ir.Column{
			column("name", text, false, ""),
			column("term", ir.Type{Name: "int8"}, false, "0"),
			column("lease_until", at, false, "'-infinity'"),
			column("holder", text, true, ""),
			column("since", at, true, ""),
		},
		PrimaryKey: &ir.PrimaryKey{Name: key, Columns: []string{"name"}, Origin: origin},
	})
	return objects
}

// operation is an operation of the leader with one statement of its own.
func (l *leader) operation(name string, kind ir.OperationKind, lock ir.LockMode, doc, sql string, args, results []ir.Field) ir.Operation {
	at := under(l.address, name)
	rows := ir.ReturnsNone
	if len(results) > 0 {
		rows = ir.ReturnsOne
	}
	return ir.Operation{
		Address: at, Name: name, Kind: kind, Doc: doc, Args: args,
		Statements: []ir.Statement{{Role: ir.MainStatement, SQL: comment(at) + sql, Args: args, Results: results, Rows: rows}},
		Lock:       lock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: l.reasons, Internal: true, Pos: pos(l.decl.Header),
	}
}

// The arguments and results of a leader's statements.
var (
	termField   = ir.Field{Name: "term", Type: ir.Type{Name: "int8"}}
	leaseField  = ir.Field{Name: "lease", Type: ir.Type{Name: "int8"}} // microseconds
	holderField = ir.Field{Name: "holder", Type: ir.Type{Name: "text"}}
)

// campaign begins a term when nobody has one.
func (l *leader) campaign() ir.Operation {
	table := l.config.Table.SQL()
	free, until, args := " AND lease_until <= clock_timestamp()", "clock_timestamp() + $2::bigint * interval '1 microsecond'", []ir.Field{holderField, leaseField}
	if l.config.Session {
		// The session lock says that nobody leads, and nothing else does.
		free, until, args = "", "'infinity'", []ir.Field{holderField}
	}
	op := l.operation("campaign", ir.CampaignOp, ir.ForUpdate,
		"begins a term when nobody leads, and gives its number. It waits until the guarded transactions of the last term have ended.",
		"WITH free AS MATERIALIZED (SELECT name FROM "+table+" WHERE name = "+l.name+free+" FOR UPDATE)"+
			"\nUPDATE "+table+" AS l SET term = l.term + 1, lease_until = "+until+", holder = $1::text, since = clock_timestamp()"+
			"\nFROM free WHERE l.name = free.name RETURNING l.term",
		args, []ir.Field{termField})
	enlist := ir.Statement{
		Role: ir.EnlistStatement, Rows: ir.ReturnsNone,
		SQL: comment(op.Address) + "INSERT INTO " + table + " (name) VALUES (" + l.name + ") ON CONFLICT (name) DO NOTHING",
	}
	first := []ir.Statement{enlist}
	if l.config.Session {
		lock := ir.Statement{
			Role: ir.LockStatement, Rows: ir.ReturnsOne, Results: []ir.Field{{Name: "acquired", Type: ir.Type{Name: "bool"}}},
			SQL: comment(op.Address) + "SELECT " + string(ir.AdvisorySession) + "(" + strconv.Itoa(int(l.class)) + ", " + strconv.Itoa(int(l.key)) + ") AS acquired",
		}
		first = []ir.Statement{lock, enlist}
	}
	op.Statements = append(first, op.Statements...)
	return op
}

// renew extends the lease of a term that is not over. The term decides, and
// never the clock: a lease that ran out and that nobody took is still ours. A
// session has no lease, and is asked whether it still has its lock.
func (l *leader) renew() ir.Operation {
	if l.config.Session {
		return l.operation("renew", ir.RenewOp, ir.NoLock, "asks whether the session still has the lock of its term.",
			"SELECT EXISTS (SELECT FROM pg_catalog.pg_locks"+
				"\nWHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted AND objsubid = 2"+
				"\n  AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"+
				"\n  AND classid = "+strconv.Itoa(int(l.class))+"::oid AND objid = "+unsigned(l.key)+"::oid) AS held",
			nil, []ir.Field{{Name: "held", Type: ir.Type{Name: "bool"}}})
	}
	return l.operation("renew", ir.RenewOp, ir.RowWriteLock, "extends the lease of the term, or changes no row when another one has begun.",
		"UPDATE "+l.config.Table.SQL()+" SET lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond'"+
			"\nWHERE name = "+l.name+" AND term = $1::bigint",
		[]ir.Field{termField, leaseField}, nil)
}

// unsigned spells a lock key as pg_locks shows it.
func unsigned(key int32) string {
	return strconv.FormatUint(uint64(uint32(key)), 10) //nolint:gosec // the same 32 bits
}

// resign ends the term at once, so that the next leader need not wait.
func (l *leader) resign() ir.Operation {
	return l.operation("resign", ir.ResignOp, ir.RowWriteLock, "ends the term, unless another one has begun.",
		"UPDATE "+l.config.Table.SQL()+" SET lease_until = '-infinity', holder = NULL WHERE name = "+l.name+" AND term = $1::bigint",
		[]ir.Field{termField}, nil)
}

// guard keeps the term from ending before the transaction does.
func (l *leader) guard() ir.Operation {
	op := l.operation("guard", ir.GuardOp, ir.ForKeyShare,
		"keeps the next term from beginning before the caller's transaction ends, or returns no row when it has begun.",
		"SELECT term FROM "+l.config.Table.SQL()+" WHERE name = "+l.name+" AND term = $1::bigint FOR KEY SHARE",
		[]ir.Field{termField}, []ir.Field{termField})
	op.NeedsTransaction = true
	return op
}
