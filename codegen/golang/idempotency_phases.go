package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// phaseNames are the names that belong to one phase.
type phaseNames struct {
	field  string // Charge
	resume string // Resume, or ResumeCharge where there are several calls; empty inside of the database
	result string // ChargeResult: the type parameter; empty when it keeps nothing
	value  string // charge: the parameter of the phases behind it
}

// resolvePhases names the types and fields of phased work.
func (n *names) resolvePhases(o *ir.Idempotency, to *onceNames) {
	if len(o.Phases) == 0 {
		return
	}
	to.phases = to.typ + "Phases"
	what := fmt.Sprintf("the phases of idempotency %q", o.Name)
	n.pkg.claim(to.phases, what, o.Pos, "rename the idempotency")
	calls := 0
	for _, p := range o.Phases {
		if p.External {
			calls++
		}
	}
	sc := newScope("struct "+to.phases, &n.problems, "steps")
	for _, p := range o.Phases {
		names := phaseNames{field: exported(p.Name), value: lowerCamel(p.Name)}
		claim := func(name string) {
			sc.claim(name, fmt.Sprintf("phase %q", p.Name), o.Pos, "rename the phase")
		}
		claim(names.field)
		if p.External {
			names.resume = "Resume"
			if calls > 1 {
				names.resume += names.field
			}
			claim(names.resume)
		}
		if p.Result {
			names.result = names.field + "Result"
			to.work = to.typ + "Work"
		}
		to.fields = append(to.fields, names)
	}
	if to.work != "" {
		n.pkg.claim(to.work, what, o.Pos, "rename the idempotency")
	}
}

// emitPhased writes the types and methods of phased work.
func (o *onceWork) emitPhased() {
	o.emitPhases()
	o.emitDoPhases()
	o.emitMiddleware()
	o.emitReap()
	o.emitPhasedDescriptor()
}

// typeParameters spells the type parameters of the struct of phases, with a
// constraint or without.
func (o *onceWork) typeParameters(constraint string) string {
	var list []string
	for _, f := range o.names.fields {
		if f.result != "" {
			list = append(list, f.result)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, ", ") + constraint + "]"
}

// emitPhases writes the struct with a function a phase, and what makes steps of it.
func (o *onceWork) emitPhases() {
	w := o.w
	if o.names.work != "" {
		w.P()
		w.Doc(o.names.work + " is a " + o.names.phases + " of any results.")
		w.P("type ", o.names.work, " interface{ steps() []", o.pawl("Step"), " }")
	}
	w.P()
	w.Doc(o.names.phases + " are the phases of " + o.ir.Name + ", in order. A phase inside of the database is a transaction of its own, and may run more than once, see InTx. " +
		"A phase outside runs without one, and what it returns is kept as JSON for the phases behind it.")
	w.P("type ", o.names.phases, o.typeParameters(" any"), " struct {")
	for i := range o.ir.Phases {
		o.emitPhaseFields(i)
	}
	w.P("}")
	w.P()
	w.P("func (p ", o.names.phases, o.typeParameters(""), ") steps() []", o.pawl("Step"), " {")
	w.P("return []", o.pawl("Step"), "{")
	for i := range o.ir.Phases {
		o.emitStep(i)
	}
	w.P("}")
	w.P("}")
}

// before lists the phases ahead of one that keep something.
func (o *onceWork) before(at int) []phaseNames {
	var list []phaseNames
	for _, f := range o.names.fields[:at] {
		if f.result != "" {
			list = append(list, f)
		}
	}
	return list
}

// resultParameters are the parameters for what earlier phases have kept.
func (o *onceWork) resultParameters(at int) string {
	l := newLocals(o.taken, "ctx", "tx", "call", "p", "pawl", "context")
	text := ""
	for _, f := range o.before(at) {
		text += ", " + l.name(f.value) + " " + f.result
	}
	return text
}

func (o *onceWork) emitPhaseFields(at int) {
	w, p, n := o.w, o.ir.Phases[at], o.names.fields[at]
	context := w.S(ident{"context", "Context"})
	last := at == len(o.ir.Phases)-1
	switch {
	case last:
		w.Doc(n.field + " is database work, the last. The answer is stored in its transaction.")
		w.P(n.field, " func(ctx ", context, ", tx *Store", o.resultParameters(at), ") ", o.workResults())
	case !p.External:
		w.Doc(n.field + " is database work.")
		w.P(n.field, " func(ctx ", context, ", tx *Store", o.resultParameters(at), ") ", phaseResults("", n.result))
	default:
		w.Doc(n.field + " is a call to the outside. call.Key is the same however often it is made: hand it to whoever is called.")
		w.P(n.field, " func(ctx ", context, ", call ", o.pawl("Call"), o.resultParameters(at), ") ", phaseResults("", n.result))
		w.Doc(n.resume + " asks whether a call of " + n.field + " that may have been made was made, and what it gave. With false, or where " + n.resume + " is nil, it is made again.")
		w.P(n.resume, " func(ctx ", context, ", call ", o.pawl("Call"), o.resultParameters(at), ") ", phaseResults("found bool", n.result))
	}
}

// phaseResults is what a function of a phase returns.
func phaseResults(found, result string) string {
	switch {
	case found == "" && result == "":
		return "error"
	case found == "":
		return "(" + result + ", error)"
	case result == "":
		return "(" + found + ", err error)"
	}
	return "(result " + result + ", " + found + ", err error)"
}

// emitStep writes a phase as the runtime runs it.
func (o *onceWork) emitStep(at int) {
	w, p, n := o.w, o.ir.Phases[at], o.names.fields[at]
	w.P("{")
	w.P("Name: ", strconv.Quote(p.Name), ",")
	if n.result != "" {
		w.P("Keeps: true,")
	}
	context := w.S("ctx ", ident{"context", "Context"})
	if !p.External {
		w.P("Inside: func(", context, ", tx *", o.pawl("Session"), ", done ", o.pawl("Results"), ") (any, error) {")
		o.emitPhaseCall(at, n.field, "ctx, "+bindFunc+"(tx)", n.result != "" || at == len(o.ir.Phases)-1, "nil")
		w.P("},")
		w.P("},")
		return
	}
	w.P("Outside: func(", context, ", call ", o.pawl("Call"), ", done ", o.pawl("Results"), ") (any, error) {")
	o.emitPhaseCall(at, n.field, "ctx, call", n.result != "", "nil")
	w.P("},")
	w.P("Resume: func(", context, ", call ", o.pawl("Call"), ", done ", o.pawl("Results"), ") (any, bool, error) {")
	w.P("if p.", n.resume, " == nil {")
	w.P("return nil, false, nil")
	w.P("}")
	if n.result != "" {
		o.emitPhaseCall(at, n.resume, "ctx, call", true, "nil, false")
	} else {
		arguments := o.emitKept(at, "nil, false")
		w.P("found, err := p.", n.resume, "(ctx, call", arguments, ")")
		w.P("return nil, found, err")
	}
	w.P("},")
	w.P("},")
}

// emitPhaseCall writes the call of a phase's function with what earlier phases have
// kept.
func (o *onceWork) emitPhaseCall(at int, field, arguments string, returns bool, zero string) {
	arguments += o.emitKept(at, zero)
	if returns {
		o.w.P("return p.", field, "(", arguments, ")")
		return
	}
	o.w.P("return ", zero, ", p.", field, "(", arguments, ")")
}

// emitKept reads what earlier phases have kept, and spells it as arguments.
func (o *onceWork) emitKept(at int, zero string) (arguments string) {
	l := newLocals(o.taken, "ctx", "tx", "call", "p", "done", "err", "found", "pawl", "context")
	for i, f := range o.names.fields[:at] {
		if f.result == "" {
			continue
		}
		name := l.name(f.value)
		o.w.P(name, ", err := ", o.pawl("Result"), "[", f.result, "](done, ", strconv.Quote(o.ir.Phases[i].Name), ")")
		o.w.P("if err != nil {")
		o.w.P("return ", zero, ", err")
		o.w.P("}")
		arguments += ", " + name
	}
	return arguments
}

// emitDoPhases writes the method that does the work once.
func (o *onceWork) emitDoPhases() {
	w := o.w
	list := o.keyParameters()
	takes := o.names.work
	if takes == "" {
		takes = o.names.phases
	}
	w.P()
	w.Doc("Do runs the phases of work once for each " + o.keyWords() + " and returns its answer: " + w.S(o.pawl("OutcomeExecuted")) + " when this call did the work, " +
		w.S(o.pawl("OutcomeTakeover")) + " when it finished what another had left behind, " + w.S(o.pawl("OutcomeReplayed")) + " when the answer was stored. " +
		"An error gives the key back: the next call goes on with the phase that failed." + o.referenceDoc())
	w.P("//")
	w.Doc("The payload is what is asked for, as a []byte or a value with a JSON. The key with another one is " + w.S(o.pawl("ErrPayloadMismatch")) +
		"; a key whose work is being done at the moment " + w.S(o.pawl("ErrInProgress")) + o.waitDoc() + ". A run whose key was taken over, because it stood still for more than " +
		shortDuration(o.ir.Lease) + ", gets " + w.S(o.pawl("ErrLeaseLost")) + ". A key can be guessed: it never authorises anything.")
	text := w.S("(s ", o.names.typ, ") Do(ctx ", ident{"context", "Context"}, o.parameters(list), ", payload any, work ", takes,
		o.fetchParameter(), ", options ...", o.pawl("TxOption"), ") ", o.answers())
	for i := range o.ir.Operations {
		o.signatures[o.ir.Operations[i].Address] = text
	}
	fetch := "nil"
	if o.ir.Reference {
		fetch = "fetch"
	}
	w.P("func ", text, " {")
	w.P("return ", o.pawl("DoPhases"), "(ctx, s.session, &", o.names.descriptor, ", []any{", parameterNames(list), "}, payload, work.steps(), ", fetch, ", options...)")
	w.P("}")
}

// emitPhasedDescriptor writes what the runtime has to know.
func (o *onceWork) emitPhasedDescriptor() {
	w := o.w
	w.P()
	w.P("var ", o.names.descriptor, " = ", o.pawl("Phased"), "{")
	o.emitCommon()
	for _, f := range []struct{ field, step string }{
		{"Enter", ir.OnceEnter},
		{"Look", ir.OnceLook},
		{"Again", ir.OnceAgain},
		{"Takeover", ir.OnceTakeover},
		{"Complete", ir.OnceComplete},
		{"Heartbeat", ir.OnceHeartbeat},
		{"Release", ir.OnceRelease},
		{"Forget", ir.OnceForget},
	} {
		more := ""
		if f.step == ir.OnceLook {
			more = "ReadOnly: true,"
		}
		w.P(f.field, ": ", o.operation(o.ir.Step(f.step), more), ",")
	}
	w.P("Advance: []", o.pawl("Operation"), "{")
	for _, p := range o.ir.Phases[:len(o.ir.Phases)-1] {
		w.P(strings.TrimPrefix(o.operation(o.ir.Step(ir.OnceAdvance+p.Name), ""), w.S(o.pawl("Operation"))), ",")
	}
	w.P("},")
	w.P("Lease: ", duration(w, o.ir.Lease), ",")
	if o.ir.RPCTimeout > 0 {
		w.P("RPCTimeout: ", duration(w, o.ir.RPCTimeout), ",")
	}
	w.P("}")
}
