package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// messageField is the id that the sender gave a message.
var messageField = ir.Field{Name: "message_id", Type: ir.Type{Name: "text"}}

// inboxes adds the table of each inbox with its operations.
func (c *compilation) inboxes() {
	for _, decl := range byLabel(c.spec.Inboxes, func(i *dsl.Inbox) string { return i.ID() }) {
		if c.inboxSource(decl) && decl.Name.Text != "" {
			c.lowerInbox(decl)
		}
	}
}

// inboxSource refuses a source without a name.
func (c *compilation) inboxSource(decl *dsl.Inbox) bool {
	if !decl.Source.Set || strings.TrimSpace(decl.Source.V) != "" {
		return true
	}
	c.report(diag.Diagnostic{
		Code:        diag.InboxSource,
		Detail:      "The inbox " + quote(decl.Name.Text) + " has a source without a name.",
		Subject:     decl.Source.Range,
		Label:       "empty",
		Consequence: "Whoever reads the table could not tell whose ids it holds, and a second sender's would be taken for the first one's.",
		Help:        `source = "stripe"`,
	})
	return false
}

func (c *compilation) lowerInbox(decl *dsl.Inbox) {
	b := ir.Inbox{
		Address: declared("inbox", decl.Block), Name: nameOf(decl.Name, decl.Rename), Source: decl.Source.V, Retain: decl.Retain.V, Pos: pos(decl.Header),
	}
	b.Table = ir.TableRef{Schema: c.program.DefaultSchema, Name: b.Name}
	rule := &ir.InboxRule{Source: b.Source, Retain: b.Retain, Base: ir.Facts{
		Address: b.Address, Kind: "inbox", Table: b.Table,
		Promise: "What a message from " + quote(b.Source) + " brings about is done once, however often the message arrives within " + length(b.Retain) +
			". Work that fails leaves no trace, and the message may be sent again.",
		Mechanism: "a row with the message's id, under a primary key and in the transaction of the work",
		Reasons:   inboxReasons(&b), Objects: c.inboxTable(&b, decl), Pos: b.Pos,
	}}
	b.Doc = rule.Base.Promise
	b.Operations = []ir.Operation{accept(&b, rule.Base.Reasons), acceptMany(&b, rule.Base.Reasons), forgetOld(&b)}
	for i := range b.Operations {
		rule.Base.Operations = append(rule.Base.Operations, b.Operations[i].Address)
	}
	c.program.Inboxes = append(c.program.Inboxes, b)
	c.program.Invariants = append(c.program.Invariants, rule)
}

func inboxReasons(b *ir.Inbox) []ir.Reason {
	return []ir.Reason{{
		Choice: "INSERT … ON CONFLICT DO NOTHING, ahead of the work and in its transaction",
		Why: "the id and the work commit together or not at all: an id without its work would be a lost message, work without its id would be done again. " +
			"Looking first would let two deliveries both find nothing.",
	}, {
		Choice: "a second delivery waits for the first",
		Why: "until that one commits nobody knows whether the message is done. lock_timeout bounds the wait, and the sender tries again later. Above READ " +
			"COMMITTED the second gets 40001, and is retried.",
	}, {
		Choice: "an id is remembered for " + length(b.Retain) + " at least",
		Why: "whatever arrives later is taken for a new message: the time has to be longer than the sender goes on sending, a replay of its dead letters and a " +
			"backup that is restored.",
	}, {
		Choice: "a table of its own, not partitioned",
		Why:    "a unique key has to contain the partition key: partitioned by day, the same message would be new every day.",
	}}
}

// inboxTable adds the table of ids.
func (c *compilation) inboxTable(b *ir.Inbox, decl *dsl.Inbox) []ir.ObjectID {
	origin := ir.Origin{Address: b.Address, Pos: b.Pos, Why: "holds the ids of messages that were taken"}
	text := ir.Type{Name: "text"}
	t := ir.Table{
		Schema: b.Table.Schema, Name: b.Table.Name, Comment: "Ids of messages that " + b.Name + " has taken.", Origin: origin,
		Columns: []ir.Column{
			{Name: "source", Type: text, Origin: origin},
			{Name: messageField.Name, Type: text, Origin: origin},
			{Name: "received_at", Type: ir.Type{Name: "timestamptz"}, Default: "now()", Origin: origin},
		},
		PrimaryKey: &ir.PrimaryKey{Name: b.Table.Name + "_pkey", Columns: []string{"source", messageField.Name}, Origin: origin},
	}
	origin.Why = "the reaper finds the ids that are no longer remembered"
	old := ir.Index{Name: t.Name + "_received", Method: defaultMethod, Parts: []ir.IndexPart{{Column: "received_at"}}, Origin: origin}
	t.Indexes = []ir.Index{old}
	whose := "inbox " + quote(b.Name)
	c.claimRelation(b.Table, t.Name, "the table of "+whose, decl.Header)
	c.claimRelation(b.Table, t.PrimaryKey.Name, "the primary key of "+whose, decl.Header)
	c.claimRelation(b.Table, old.Name, "an index of "+whose, decl.Header)
	c.program.Schema.Tables = append(c.program.Schema.Tables, t)
	return []ir.ObjectID{
		{Kind: ir.TableObject, Schema: t.Schema, Table: t.Name, Name: t.Name},
		{Kind: ir.ConstraintObject, Schema: t.Schema, Table: t.Name, Name: t.PrimaryKey.Name},
	}
}

// inboxOperation is an operation of one statement.
func inboxOperation(b *ir.Inbox, name, doc, sql string, args, results []ir.Field, rows ir.Cardinality, reasons []ir.Reason) ir.Operation {
	at := under(b.Address, name)
	return ir.Operation{
		Address: at, Name: name, Kind: ir.OnceOp, Doc: doc, Args: args,
		Statements: []ir.Statement{{Role: ir.MainStatement, SQL: comment(at) + sql, Args: args, Results: results, Rows: rows}},
		Lock:       ir.RowWriteLock, Isolation: ir.ReadCommitted, Transaction: defaultTransaction,
		Reasons: reasons, Internal: true, NeedsTransaction: name != ir.InboxReap, Pos: b.Pos,
	}
}

const acceptOnce = "\nON CONFLICT (source, message_id) DO NOTHING\nRETURNING message_id"

// accept notes one message.
func accept(b *ir.Inbox, reasons []ir.Reason) ir.Operation {
	p := newParameters([]ir.Field{messageField})
	op := inboxOperation(b, ir.InboxAccept, "notes a message, and returns its id if it is new.",
		"INSERT INTO "+b.Table.SQL()+" (source, message_id) VALUES ("+ir.Literal(b.Source)+", "+p.ref(messageField.Name)+")"+acceptOnce,
		nil, []ir.Field{messageField}, ir.ReturnsOne, reasons)
	op.Key, op.Statements[0].Args = p.fields, p.fields
	return op
}

// acceptMany notes several messages. All batches take the ids in one order, so that
// no two of them wait for each other; an id that is there, or comes twice, leaves
// the others as they are.
func acceptMany(b *ir.Inbox, reasons []ir.Reason) ir.Operation {
	text := messageField.Type
	ids := ir.Field{Name: "message_ids", Type: ir.Type{Kind: ir.ArrayType, Elem: &text}}
	p := newParameters([]ir.Field{ids})
	return inboxOperation(b, ir.InboxAcceptMany, "notes several messages, and returns the ids of those that are new.",
		"INSERT INTO "+b.Table.SQL()+" (source, message_id)\nSELECT "+ir.Literal(b.Source)+", id FROM unnest("+p.ref(ids.Name)+") AS id ORDER BY id"+acceptOnce,
		p.fields, []ir.Field{messageField}, ir.ReturnsMany, append(reasons[:len(reasons):len(reasons)], ir.Reason{
			Choice: "in the order of the ids",
			Why:    "two batches that hold the same messages in different orders would each wait for the other one: a deadlock, and one of them undone.",
		}))
}

// forgetOld removes ids that are no longer remembered. It passes over those that
// another reaper is at.
func forgetOld(b *ir.Inbox) ir.Operation {
	p := newParameters([]ir.Field{claimLimit})
	sql := "WITH old AS MATERIALIZED (\n  SELECT source, message_id FROM " + b.Table.SQL() +
		" WHERE received_at <= statement_timestamp() - interval '" + seconds(b.Retain) + " seconds'\n  ORDER BY received_at LIMIT " + p.ref(claimLimit.Name) +
		" FOR UPDATE SKIP LOCKED\n)\nDELETE FROM " + b.Table.SQL() + " AS t USING old WHERE t.source = old.source AND t.message_id = old.message_id"
	op := inboxOperation(b, ir.InboxReap, "removes up to limit ids that are no longer remembered.", sql, p.fields, nil, ir.ReturnsNone, []ir.Reason{{
		Choice: "SKIP LOCKED", Why: "two reapers do not wait for each other.",
	}})
	op.Lock = ir.ForUpdate
	return op
}
