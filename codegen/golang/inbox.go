package golang

import (
	"fmt"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// inboxNames are the names that belong to one inbox.
type inboxNames struct {
	typ        string // Webhooks
	descriptor string // webhooksInbox
	consts     map[statementID]string
}

// resolveInbox names the type of an inbox, which is also its field in Store.
func (n *names) resolveInbox(b *ir.Inbox, to *inboxNames, store *scope) {
	to.typ = exported(b.Name)
	what := fmt.Sprintf("inbox %q", b.Name)
	if n.pkg.claim(to.typ, what, b.Pos, "rename the inbox") {
		store.claim(to.typ, what, b.Pos, "rename the inbox")
	}
}

// emitInboxes writes inbox_gen.go: a type for each inbox.
func (e *emitter) emitInboxes() {
	if len(e.program.Inboxes) == 0 {
		return
	}
	sources := make([]ir.Pos, len(e.program.Inboxes))
	for i := range e.program.Inboxes {
		sources[i] = e.program.Inboxes[i].Pos
	}
	w := e.file(sources...)
	for i := range e.program.Inboxes {
		b, n := &e.program.Inboxes[i], &e.names.inboxes[i]
		w.P()
		w.Doc(sentence(n.typ+" takes messages once. ", b.Doc, ""))
		w.P("type ", n.typ, " struct{ session *", e.pawl("Session"), " }")
		e.emitReceive(w, b, n)
		e.emitAccept(w, b, n)
		e.emitInboxReap(w, b, n)
		e.emitInboxDescriptor(w, b, n)
		e.emitStatements(w, b.Operations, n.consts)
	}
	e.finish("inbox_gen.go", w)
}

// emitReceive writes the methods that run work in a transaction of their own.
func (e *emitter) emitReceive(w *writer, b *ir.Inbox, n *inboxNames) {
	context := ident{"context", "Context"}
	w.P()
	w.Doc("Receive runs work for a message unless that was done before: " + w.S(e.pawl("OutcomeExecuted")) + " when this call did it, " +
		w.S(e.pawl("OutcomeDuplicate")) + ", and no error, when the message is done and can be acknowledged. What work writes through tx is committed together " +
		"with the message's id; an error rolls both back, and the message may be sent again.")
	w.P("//")
	w.Doc("A message that is being worked on at the moment is waited for, as long as the lock timeout lasts: then the error is " + w.S(e.pawl("ErrBusy")) +
		". Work may run more than once, and must do nothing outside of the transaction.")
	w.P("func (s ", n.typ, ") Receive(ctx ", context, ", messageID string, work func(ctx ", context, ", tx *Store) error, options ...", e.pawl("TxOption"), ") (",
		e.pawl("Outcome"), ", error) {")
	w.P("return ", e.pawl("Receive"), "(ctx, s.session, &", n.descriptor, ", messageID, func(ctx ", context, ", tx *", e.pawl("Session"), ") error {")
	w.P("return work(ctx, ", bindFunc, "(tx))")
	w.P("}, options...)")
	w.P("}")
	w.P()
	w.Doc("ReceiveMany runs work once for the messages that are new, in one transaction, and returns their ids; a message that is done, or comes twice, " +
		"leaves the others as they are. Where none is new, work does not run. An error rolls all of them back.")
	w.P("func (s ", n.typ, ") ReceiveMany(ctx ", context, ", messageIDs []string, work func(ctx ", context, ", tx *Store, fresh []string) error, options ...",
		e.pawl("TxOption"), ") (fresh []string, err error) {")
	w.P("return ", e.pawl("ReceiveMany"), "(ctx, s.session, &", n.descriptor, ", messageIDs, func(ctx ", context, ", tx *", e.pawl("Session"), ", fresh []string) error {")
	w.P("return work(ctx, ", bindFunc, "(tx), fresh)")
	w.P("}, options...)")
	w.P("}")
}

// emitAccept writes the methods for a transaction of the caller's.
func (e *emitter) emitAccept(w *writer, b *ir.Inbox, n *inboxNames) {
	context := ident{"context", "Context"}
	w.P()
	w.Doc("Accept notes a message in the caller's transaction, ahead of the work: " + w.S(e.pawl("ErrDuplicateMessage")) + " when it is done, which the caller " +
		"acknowledges without doing it. Outside a transaction it is " + w.S(e.pawl("ErrNoTransaction")) + ".")
	text := w.S("(s ", n.typ, ") Accept(ctx ", context, ", messageID string) error")
	e.signatures[b.Step(ir.InboxAccept).Address] = text
	w.P("func ", text, " {")
	w.P("return ", e.pawl("Accept"), "(ctx, s.session, &", n.descriptor, ", messageID)")
	w.P("}")
	w.P()
	w.Doc("AcceptMany notes several messages in the caller's transaction and returns the ids of those that are new, as they were given and each once.")
	text = w.S("(s ", n.typ, ") AcceptMany(ctx ", context, ", messageIDs ...string) (fresh []string, err error)")
	e.signatures[b.Step(ir.InboxAcceptMany).Address] = text
	w.P("func ", text, " {")
	w.P("return ", e.pawl("AcceptMany"), "(ctx, s.session, &", n.descriptor, ", messageIDs)")
	w.P("}")
}

func (e *emitter) emitInboxReap(w *writer, b *ir.Inbox, n *inboxNames) {
	w.P()
	w.Doc("Reap removes up to limit ids that are older than " + shortDuration(b.Retain) + ", and returns how many. A message that arrives after that is new.")
	text := w.S("(s ", n.typ, ") Reap(ctx ", ident{"context", "Context"}, ", limit int) (int64, error)")
	e.signatures[b.Step(ir.InboxReap).Address] = text
	w.P("func ", text, " {")
	w.P("return ", e.pawl("Reap"), "(ctx, s.session, &", n.descriptor, ".Reap, limit)")
	w.P("}")
}

// emitInboxDescriptor writes what the runtime has to know.
func (e *emitter) emitInboxDescriptor(w *writer, b *ir.Inbox, n *inboxNames) {
	w.P()
	w.P("var ", n.descriptor, " = ", e.pawl("Inbox"), "{")
	w.P("Name: ", strconv.Quote(b.Address), ",")
	w.P("Table: ", strconv.Quote(b.Table.Schema+"."+b.Table.Name), ",")
	for i := range b.Operations {
		op := &b.Operations[i]
		w.P(exported(op.Name), ": ", e.pawl("Operation"), "{")
		w.P("Name: ", strconv.Quote(op.Address), ",")
		w.P("Table: ", strconv.Quote(b.Table.Schema+"."+b.Table.Name), ",")
		w.P("SQL: ", n.consts[statementID{op.Address, ir.MainStatement}], ",")
		if len(op.Key) > 0 {
			w.P("KeyArgs: ", len(op.Key), ",")
		}
		if op.NeedsTransaction {
			w.P("NeedsTransaction: true,")
		}
		if key, standard := limitsOf(e.program, op); !standard {
			w.P("Transaction: &", e.names.limits[key], ",")
		}
		w.P("},")
	}
	w.P("}")
}
