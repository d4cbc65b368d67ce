package golang

import (
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitSingletons writes singletons_gen.go: a type with Run and TryRun for each
// singleton.
func (e *emitter) emitSingletons() {
	if len(e.program.Singletons) == 0 {
		return
	}
	sources := make([]ir.Pos, len(e.program.Singletons))
	for i := range e.program.Singletons {
		sources[i] = e.program.Singletons[i].Pos
	}
	w := e.file(sources...)
	for i := range e.program.Singletons {
		e.emitSingleton(w, i)
	}
	e.finish("singletons_gen.go", w)
}

func (e *emitter) emitSingleton(w *writer, index int) {
	s, n := &e.program.Singletons[index], &e.names.singletons[index]
	w.P()
	w.Doc(sentence(n.typ+" is a singleton. ", s.Doc, ""))
	w.P("type ", n.typ, " struct{ session *", e.pawl("Session"), " }")
	if s.Leader != nil {
		e.emitLeader(w, s, n)
		return
	}
	for i := range s.Operations {
		switch o := &s.Operations[i]; o.Kind {
		case ir.SingletonOp:
			e.emitRun(w, n, o, false)
		case ir.SingletonTry:
			e.emitRun(w, n, o, true)
		default:
			e.problems = append(e.problems, unknownOperation(o))
		}
	}
	e.emitSingletonDescriptor(w, s, n)
}

// emitRun writes Run or TryRun.
func (e *emitter) emitRun(w *writer, n *singletonNames, o *ir.Operation, try bool) {
	method, result, call := "Run", "error", "Run"
	if try {
		method, result, call = "TryRun", "(ran bool, err error)", "TryRun"
	}
	w.P()
	w.Doc(operationDoc(method, o))
	if try {
		w.P("//")
		w.Doc("ran is false, and err nil, when somebody else holds the lock.")
	}
	w.P("//")
	w.Doc("fn may run more than once, as in InTx.")
	signature := w.S("(s ", n.typ, ") ", method, "(ctx ", ident{"context", "Context"}, ", fn func(ctx ", ident{"context", "Context"},
		", tx *Store) error, options ...", e.pawl("TxOption"), ") ", result)
	e.signatures[o.Address] = signature
	w.P("func ", signature, " {")
	w.P("return ", e.pawl(call), "(ctx, s.session, &", n.descriptor, ", func(ctx ", ident{"context", "Context"}, ", tx *", e.pawl("Session"), ") error {")
	w.P("return fn(ctx, ", bindFunc, "(tx))")
	w.P("}, options...)")
	w.P("}")
}

// emitSingletonDescriptor writes what the runtime needs to know.
func (e *emitter) emitSingletonDescriptor(w *writer, s *ir.Singleton, n *singletonNames) {
	w.P()
	w.P("var ", n.descriptor, " = ", e.pawl("Singleton"), "{")
	w.P("Name: ", strconv.Quote(s.Address), ",")
	var limits string
	for i := range s.Operations {
		o := &s.Operations[i]
		field := "LockSQL"
		if o.Kind == ir.SingletonTry {
			field = "TrySQL"
		}
		if st := o.Statement(ir.LockStatement); st != nil {
			w.P(field, ": ", n.consts[statementID{o.Address, ir.LockStatement}], ",")
		}
		if key, standard := limitsOf(e.program, o); !standard {
			limits = e.names.limits[key]
		}
	}
	if limits != "" {
		w.P("Transaction: &", limits, ",")
	}
	w.P("}")
	e.emitStatements(w, s.Operations, n.consts)
}
