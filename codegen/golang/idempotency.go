package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// onceNames are the names that belong to one idempotency.
type onceNames struct {
	typ        string // RefundPayment
	phases     string // CreatePaymentPhases: the struct with a function a phase
	work       string // CreatePaymentWork: what Do takes, when the struct has type parameters
	fields     []phaseNames
	descriptor string // refundPaymentOnce
	consts     map[statementID]string
}

// resolveOnce names the type of an idempotency, which is also its field in Store.
func (n *names) resolveOnce(o *ir.Idempotency, to *onceNames, store *scope) {
	to.typ = exported(o.Name)
	what := fmt.Sprintf("idempotency %q", o.Name)
	if n.pkg.claim(to.typ, what, o.Pos, "rename the idempotency") {
		store.claim(to.typ, what, o.Pos, "rename the idempotency")
	}
	n.resolvePhases(o, to)
}

// emitIdempotencies writes idempotency_gen.go: a type with Do for each.
func (e *emitter) emitIdempotencies() {
	if len(e.program.Idempotencies) == 0 {
		return
	}
	sources := make([]ir.Pos, len(e.program.Idempotencies))
	for i := range e.program.Idempotencies {
		sources[i] = e.program.Idempotencies[i].Pos
	}
	w := e.file(sources...)
	for i := range e.program.Idempotencies {
		o := &onceWork{emitter: e, w: w, ir: &e.program.Idempotencies[i], names: &e.names.once[i]}
		o.emit()
	}
	e.finish("idempotency_gen.go", w)
}

// onceWork is one idempotency while it is written.
type onceWork struct {
	*emitter
	w     *writer
	ir    *ir.Idempotency
	names *onceNames
}

func (o *onceWork) emit() {
	w := o.w
	w.P()
	w.Doc(sentence(o.names.typ+" is work that is done once. ", o.ir.Doc, ""))
	w.P("type ", o.names.typ, " struct{ session *", o.pawl("Session"), " }")
	if len(o.ir.Phases) > 0 {
		o.emitPhased()
	} else {
		o.emitDo()
		o.emitMiddleware()
		o.emitReap()
		o.emitDescriptor()
	}
	o.emitStatements(w, o.ir.Operations, o.names.consts)
}

// keyParameters are the parameters that make the key.
func (o *onceWork) keyParameters() []parameter {
	l := newLocals(o.taken, o.emitter.names.chosen.uuidPackage(), "s", "ctx", "payload", "work", "fetch", "options", "context", "pawl", "pgx", "pgtype", "http", "err", "tx", "reference", "r", "limit", "subject", "net")
	var list []parameter
	for _, f := range o.keyFields() {
		list = append(list, parameter{f, l.name(f.Name), o.emitter.names.chosen.of(f.Type)})
	}
	return list
}

func (o *onceWork) keyFields() []ir.Field {
	return append(append([]ir.Field{}, o.ir.Scope...), o.ir.Key...)
}

func (o *onceWork) parameters(list []parameter) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(", " + p.name + " " + o.w.typ(p.typ))
	}
	return b.String()
}

func parameterNames(list []parameter) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.name
	}
	return strings.Join(names, ", ")
}

// workResults is what a function that does the work, or its last phase, returns.
func (o *onceWork) workResults() string {
	if o.ir.Reference {
		return "(reference string, err error)"
	}
	return o.w.S("(", o.pawl("Response"), ", error)")
}

// fetchParameter is the function that makes an answer of a reference.
func (o *onceWork) fetchParameter() string {
	if !o.ir.Reference {
		return ""
	}
	return o.w.S(", fetch func(ctx ", ident{"context", "Context"}, ", reference string) (", o.pawl("Response"), ", error)")
}

func (o *onceWork) answers() string {
	return o.w.S("(", o.pawl("Response"), ", ", o.pawl("Outcome"), ", error)")
}

// emitDo writes the method that does the work once.
func (o *onceWork) emitDo() {
	w := o.w
	list := o.keyParameters()
	w.P()
	w.Doc("Do runs work once for each " + o.keyWords() + " and returns its answer: " + w.S(o.pawl("OutcomeExecuted")) + " when this call did the work, " + w.S(o.pawl("OutcomeReplayed")) + " when the answer was stored. " +
		"What work writes through tx is committed together with the answer; an error rolls it back and frees the key." + o.referenceDoc())
	w.P("//")
	w.Doc("The payload is what is asked for, as a []byte or a value with a JSON. The key with another one is " + w.S(o.pawl("ErrPayloadMismatch")) +
		"; a key whose work is being done at the moment " + w.S(o.pawl("ErrInProgress")) + o.waitDoc() + ". A key can be guessed: it never authorises anything.")
	text := w.S("(s ", o.names.typ, ") Do(ctx ", ident{"context", "Context"}, o.parameters(list), ", payload any, work func(ctx ", ident{"context", "Context"},
		", tx *Store) ", o.workResults(), o.fetchParameter(), ", options ...", o.pawl("TxOption"), ") ", o.answers())
	for i := range o.ir.Operations {
		o.signatures[o.ir.Operations[i].Address] = text
	}
	w.P("func ", text, " {")
	function, result, fetch := "Do", w.S(o.pawl("Response")), ""
	if o.ir.Reference {
		function, result, fetch = "DoReference", "string", "fetch, "
	}
	w.P("return ", o.pawl(function), "(ctx, s.session, &", o.names.descriptor, ", []any{", parameterNames(list), "}, payload, func(ctx ",
		ident{"context", "Context"}, ", tx *", o.pawl("Session"), ") (", result, ", error) {")
	w.P("return work(ctx, ", bindFunc, "(tx))")
	w.P("}, ", fetch, "options...)")
	w.P("}")
}

// keyWords names the key in a sentence.
func (o *onceWork) keyWords() string {
	words := columnNames(o.ir.Key)
	if len(o.ir.Scope) > 0 {
		return strings.Join(words, ", ") + " within " + strings.Join(columnNames(o.ir.Scope), ", ")
	}
	return strings.Join(words, ", ")
}

func (o *onceWork) referenceDoc() string {
	if !o.ir.Reference {
		return ""
	}
	return " The answer is a reference that work returns and that is stored; fetch makes the answer of it, each time."
}

func (o *onceWork) waitDoc() string {
	if o.ir.Wait == 0 {
		return " at once"
	}
	return ", after " + shortDuration(o.ir.Wait) + " of trying again without a connection"
}

// emitReap writes the method that removes answers.
func (o *onceWork) emitReap() {
	w := o.w
	w.P()
	w.Doc("Reap removes up to limit answers that are older than " + shortDuration(o.ir.Retain) + ", and returns how many. " +
		"Whoever asks with such a key again has the work done again. Work in progress is never removed.")
	text := w.S("(s ", o.names.typ, ") Reap(ctx ", ident{"context", "Context"}, ", limit int) (int64, error)")
	o.signatures[o.ir.Step(ir.OnceReap).Address] = text
	w.P("func ", text, " {")
	w.P("return ", o.pawl("Reap"), "(ctx, s.session, &", o.names.descriptor, ".Reap, limit)")
	w.P("}")
}

// emitDescriptor writes what the runtime has to know.
func (o *onceWork) emitDescriptor() {
	w := o.w
	w.P()
	w.P("var ", o.names.descriptor, " = ", o.pawl("Once"), "{")
	o.emitCommon()
	enter := o.ir.Step(ir.OnceEnter)
	w.P("LockSQL: ", o.names.consts[statementID{enter.Address, ir.LockStatement}], ",")
	w.P("Look: ", o.operation(enter, "ReadOnly: true,"), ",")
	w.P("Store: ", o.operation(o.ir.Step(ir.OnceStore), ""), ",")
	w.P("PrimaryKey: ", strconv.Quote(o.ir.PrimaryKey), ",")
	w.P("}")
}

// emitCommon writes the fields that descriptors of both modes have.
func (o *onceWork) emitCommon() {
	w := o.w
	w.P("Name: ", strconv.Quote(o.ir.Address), ",")
	w.P("Table: ", strconv.Quote(o.table()), ",")
	w.P("Reap: ", o.operation(o.ir.Step(ir.OnceReap), ""), ",")
	if o.ir.Reference {
		w.P("Reference: true,")
	}
	if !o.ir.Entity {
		w.P("Caller: true,")
	}
	if o.ir.Wait > 0 {
		w.P("Wait: ", duration(w, o.ir.Wait), ",")
	}
}

func (o *onceWork) table() string { return o.ir.Table.Schema + "." + o.ir.Table.Name }

// operation spells a pawl.Operation.
func (o *onceWork) operation(op *ir.Operation, more string) string {
	w := o.w
	text := w.S(o.pawl("Operation"), "{\n", "Name: ", strconv.Quote(op.Address), ",\nTable: ", strconv.Quote(o.table()), ",\nSQL: ",
		o.names.consts[statementID{op.Address, ir.MainStatement}], ",\n")
	if len(op.Key) > 0 {
		text += w.S("KeyArgs: ", len(op.Key), ",\n")
	}
	if due := op.Statement(ir.DueStatement); due != nil {
		positions := make([]string, len(due.Args))
		for i := range positions {
			positions[i] = strconv.Itoa(i + 1) // the key comes first everywhere
		}
		text += w.S("Prelude: []", o.pawl("Statement"), "{{SQL: ", o.names.consts[statementID{op.Address, ir.DueStatement}], ", Args: []int{",
			strings.Join(positions, ", "), "}}},\n")
	}
	if key, standard := limitsOf(o.program, op); !standard {
		text += w.S("Transaction: &", o.emitter.names.limits[key], ",\n")
	}
	if more != "" {
		text += more + "\n"
	}
	return text + "}"
}
