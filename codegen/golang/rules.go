package golang

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// rulesType is the struct that holds the rules, and its field in Store.
const rulesType = "Rules"

// ruleNames are the names that belong to one rule.
type ruleNames struct {
	typ string // SomeoneOnCall
}

// resolveRules names the types of rules, which are also their fields in Rules.
func (n *names) resolveRules(store *scope) {
	n.rules = make([]ruleNames, len(n.program.Rules))
	if len(n.program.Rules) == 0 {
		return
	}
	const help = "give the other one another name in Go"
	if n.pkg.claim(rulesType, "what holds the rules", n.program.Rules[0].Pos, help) {
		store.claim(rulesType, "what holds the rules", n.program.Rules[0].Pos, help)
	}
	fields := newScope("struct "+rulesType, &n.problems)
	for i := range n.program.Rules {
		r := &n.program.Rules[i]
		n.rules[i].typ = exported(r.Name)
		what := fmt.Sprintf("rule %q", r.Name)
		if !n.pkg.claim(n.rules[i].typ, what, r.Pos, "rename the rule") {
			continue
		}
		fields.claim(n.rules[i].typ, what, r.Pos, "rename the rule")
		methods := newScope("the methods of "+n.rules[i].typ, &n.problems)
		for _, address := range r.Operations {
			if _, o := operationAt(n.program, address); o != nil {
				methods.claim(methodName(o), fmt.Sprintf("operation %q", o.Name), o.Pos, "rename the operation")
			}
		}
	}
}

// operationAt finds an operation of a repository by its address.
func operationAt(p *ir.Program, address string) (repository int, o *ir.Operation) {
	for i := range p.Repositories {
		for j := range p.Repositories[i].Operations {
			if o := &p.Repositories[i].Operations[j]; o.Address == address {
				return i, o
			}
		}
	}
	return -1, nil
}

// emitRules writes rules_gen.go: a type with the operations of each rule.
func (e *emitter) emitRules() {
	if len(e.program.Rules) == 0 {
		return
	}
	sources := make([]ir.Pos, len(e.program.Rules))
	for i := range e.program.Rules {
		sources[i] = e.program.Rules[i].Pos
	}
	w := e.file(sources...)
	w.P()
	w.Doc(rulesType + " are the rules over several rows, with the writes that come near them.")
	w.P("type ", rulesType, " struct {")
	for i := range e.program.Rules {
		e.storeField(w, e.names.rules[i].typ, e.program.Rules[i].Address)
	}
	w.P("}")
	for i := range e.program.Rules {
		e.emitRule(w, i)
	}
	e.finish("rules_gen.go", w)
}

func (e *emitter) emitRule(w *writer, index int) {
	rule, typ := &e.program.Rules[index], e.names.rules[index].typ
	w.P()
	w.Doc(sentence(typ+" is a rule. ", rule.Doc, ""))
	w.P("type ", typ, " struct{ session *", e.pawl("Session"), " }")
	for _, address := range rule.Operations {
		at, o := operationAt(e.program, address)
		if o == nil {
			e.problems = append(e.problems, internalProblem(rule.Address, fmt.Errorf("there is no operation %q", address)))
			continue
		}
		r := &repository{emitter: e, ir: &e.program.Repositories[at], names: &e.names.repositories[at], w: w, receiver: receiverName(typ)}
		r.emitRuleMethod(o, typ)
	}
}

// emitRuleMethod writes the method of one operation. What belongs to its statement
// stands with the table that it writes.
func (r *repository) emitRuleMethod(o *ir.Operation, typ string) {
	w := r.w
	list := r.parameters(o.Statement(ir.MainStatement), r.locals())
	w.P()
	r.emitDoc(o)
	signature := w.S("(", r.receiver, " ", typ, ") ", r.names.methods[o.Address], "(ctx ", ident{"context", "Context"}, r.signature(list), ") error")
	r.signatures[o.Address] = signature
	w.P("func ", signature, " {")
	w.P("return ", r.call(o, "Ruled"), r.arguments(list), ")")
	w.P("}")
}

// rulesLiteral spells the value of the field Rules.
func (e *emitter) rulesLiteral() string {
	fields := make([]string, len(e.names.rules))
	for i, n := range e.names.rules {
		fields[i] = n.typ + ": " + n.typ + "{session}"
	}
	return rulesType + "{" + strings.Join(fields, ", ") + "}"
}

// ruleFailures are what the operation of a rule answers beside its constraints.
func ruleFailures() []string {
	return []string{
		"[pawl.ErrNotFound]: the statement changed no row",
		"[*pawl.IsolationError]: the open transaction is not serializable; nothing was sent",
		"[*pawl.RetryError]: other writers came in between at every attempt",
	}
}
