package golang

import (
	"fmt"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitLeader writes the method and the descriptor of a leader.
func (e *emitter) emitLeader(w *writer, s *ir.Singleton, n *singletonNames) {
	ends := "has run out"
	if s.Leader.Session {
		ends = "has passed without an answer from its connection, or the connection is gone"
	}
	w.P()
	w.Doc(fmt.Sprintf("Lead waits until nobody leads, then runs fn until fn returns, and returns what fn returned; or ctx's error when ctx ends before that. "+
		"fn's context ends, with cause [%s], when the lease of %s %s; Lead then waits for its next term and runs fn again.",
		w.S(e.pawl("ErrTermLost")), shortDuration(s.Leader.Lease), ends))
	w.P("//")
	w.Doc("A process that was paused finds out late that its term is over. So what fn writes must be in transactions that call term.Guard: " +
		"they are done before the next term begins, or not at all.")
	w.P("//")
	w.Doc("A leader that returns resigns, and the next one begins at once.")

	text := w.S("(s ", n.typ, ") Lead(ctx ", ident{"context", "Context"}, ", fn func(ctx ", ident{"context", "Context"}, ", term ", e.pawl("Term"),
		") error, options ...", e.pawl("LeadOption"), ") error")
	for i := range s.Operations {
		e.signatures[s.Operations[i].Address] = text
	}
	w.P("func ", text, " {")
	w.P("return ", e.pawl("Lead"), "(ctx, s.session, &", n.descriptor, ", fn, options...)")
	w.P("}")
	e.emitLeaderDescriptor(w, s, n)
}

// emitLeaderDescriptor writes what the runtime needs to know of a leader.
func (e *emitter) emitLeaderDescriptor(w *writer, s *ir.Singleton, n *singletonNames) {
	w.P()
	w.P("var ", n.descriptor, " = ", e.pawl("Leader"), "{")
	w.P("Name: ", strconv.Quote(s.Address), ",")
	for i := range s.Operations {
		o := &s.Operations[i]
		constant := n.consts[statementID{o.Address, ir.MainStatement}]
		switch {
		case o.Kind == ir.RenewOp && s.Leader.Session:
			w.P("HeldSQL: ", constant, ",")
			continue
		case o.Kind == ir.CampaignOp && s.Leader.Session:
			w.P("LockSQL: ", n.consts[statementID{o.Address, ir.LockStatement}], ",")
		}
		w.P(exported(o.Name), "Op: ", e.pawl("Operation"), "{")
		w.P("Name: ", strconv.Quote(o.Address), ",")
		w.P("Table: ", strconv.Quote(ir.Qualified(s.Leader.Table.Schema, s.Leader.Table.Name)), ",")
		w.P("SQL: ", constant, ",")
		if o.Kind == ir.CampaignOp {
			w.P("Prelude: []", e.pawl("Statement"), "{{SQL: ", n.consts[statementID{o.Address, ir.EnlistStatement}], ", Args: []int{}}},")
		}
		if o.NeedsTransaction {
			w.P("NeedsTransaction: true,")
		}
		if key, standard := limitsOf(e.program, o); !standard {
			w.P("Transaction: &", e.names.limits[key], ",")
		}
		w.P("},")
	}
	w.P("Lease: ", duration(w, s.Leader.Lease), ",")
	w.P("}")
	e.emitStatements(w, s.Operations, n.consts)
}
