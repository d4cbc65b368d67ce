package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/codegen/golang"
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// atlas finds what stands at an address of a program.
type atlas struct {
	program    *ir.Program
	invariants map[string]ir.Invariant
	operations map[string]located
	objects    map[string][]object // by the address that asked for them
	byID       map[ir.ObjectID]object
	names      map[string]string // address → kind, of everything that explain takes
	spelling   golang.Spelling
}

// located is an operation and the repository that it belongs to; nil for a
// singleton's.
type located struct {
	op         *ir.Operation
	repository *ir.Repository
}

func newAtlas(p *ir.Program) *atlas {
	a := &atlas{
		program:    p,
		invariants: map[string]ir.Invariant{},
		operations: map[string]located{},
		objects:    map[string][]object{},
		byID:       map[ir.ObjectID]object{},
		names:      map[string]string{},
		spelling:   golang.Spell(p),
	}
	for _, o := range objectsOf(&p.Schema) {
		a.byID[o.id] = o
		if o.origin.Address != "" {
			a.objects[o.origin.Address] = append(a.objects[o.origin.Address], o)
			a.names[o.origin.Address] = string(o.id.Kind)
		}
	}
	for i := range p.Repositories {
		r := &p.Repositories[i]
		a.names[r.Address] = "table"
		if r.Queue != nil {
			a.names[r.Address] = "queue"
		}
		for j := range r.Operations {
			a.addOperation(located{&r.Operations[j], r})
		}
	}
	for i := range p.Singletons {
		a.names[p.Singletons[i].Address] = "singleton"
	}
	for op := range p.Loose() {
		a.addOperation(located{op, nil})
	}
	for i := range p.Transactions {
		a.names[transactionAddress(&p.Transactions[i])] = "transaction"
	}
	for _, invariant := range p.Invariants {
		facts := invariant.Facts()
		a.invariants[facts.Address] = invariant
		a.names[facts.Address] = facts.Kind
	}
	return a
}

func (a *atlas) addOperation(o located) {
	a.operations[o.op.Address] = o
	a.names[o.op.Address] = string(o.op.Kind)
}

// addresses lists everything that explain takes, sorted.
func (a *atlas) addresses() []string {
	list := make([]string, 0, len(a.names))
	for address := range a.names {
		list = append(list, address)
	}
	slices.Sort(list)
	return list
}

// explain collects what is known of an address, from whatever stands there: one
// address can be that of a rule, of the operation that it makes and of objects
// in the database at once.
func (a *atlas) explain(address string) (view.Explanation, bool) {
	kind, ok := a.names[address]
	if !ok {
		return view.Explanation{}, false
	}
	e := view.Explanation{Address: address, Kind: kind}
	if i := a.repository(address); i >= 0 {
		a.addRepository(&e, &a.program.Repositories[i])
		a.addGrants(&e, &a.program.Repositories[i])
	}
	if invariant, ok := a.invariants[address]; ok {
		a.addFacts(&e, invariant.Facts())
	}
	if t := a.transaction(address); t != nil {
		a.addTransaction(&e, t)
	}
	for i := range a.program.Singletons {
		if s := &a.program.Singletons[i]; s.Address == address {
			a.addSteps(&e, s.Pos, s.Doc, s.Operations)
		}
	}
	for i := range a.program.Idempotencies {
		if w := &a.program.Idempotencies[i]; w.Address == address {
			a.addSteps(&e, w.Pos, w.Doc, w.Operations)
		}
	}
	for i := range a.program.Inboxes {
		if b := &a.program.Inboxes[i]; b.Address == address {
			a.addSteps(&e, b.Pos, b.Doc, b.Operations)
		}
	}
	if o, ok := a.operations[address]; ok {
		a.addMethod(&e, o)
	}
	if len(e.DDL) == 0 {
		a.addObjects(&e, a.objects[address])
	}
	e.Source = cmp.Or(e.Source, a.source(address))
	a.addErrors(&e)
	a.addMeeting(&e)
	return e, true
}

func (a *atlas) repository(address string) int {
	return slices.IndexFunc(a.program.Repositories, func(r ir.Repository) bool { return r.Address == address })
}

// addGrants tells what the role of the generated code may do with a table.
func (a *atlas) addGrants(e *view.Explanation, r *ir.Repository) {
	for _, g := range a.program.Grants {
		if g.Schema == r.Schema && g.Table == r.Table {
			e.Reasons = append(e.Reasons, view.Reason{Choice: postgres.Grants(a.program.AppRole, []ir.Grant{g})[0], Why: g.Why + "."})
		}
	}
}

// addFacts tells what an invariant promises and what keeps it.
func (a *atlas) addFacts(e *view.Explanation, f *ir.Facts) {
	e.Promise, e.Mechanism, e.Violators = f.Promise, f.Mechanism, f.Violators
	e.Source = f.Pos.String()
	e.Reasons = append(e.Reasons, reasons(f.Reasons)...)
	var objects []object
	for _, id := range f.Objects {
		if o, ok := a.byID[id]; ok {
			objects = append(objects, o)
		}
	}
	if len(e.DDL) == 0 {
		a.addObjects(e, objects)
	}
	for _, address := range f.Operations {
		if o, ok := a.operations[address]; ok && address != e.Address && !e.Has(address) {
			a.addMethod(e, o)
		}
	}
}

// addMeeting adds the methods that the address did not make and that meet it:
// those that can return its error. An invariant's are shown whole, since how
// they meet it is part of the promise.
func (a *atlas) addMeeting(e *view.Explanation) {
	switch a.invariants[e.Address].(type) {
	case *ir.Adjust, *ir.Edit, *ir.Upsert:
		return // what they can meet are checks, which have addresses of their own
	case nil:
		if e.Brief || len(e.Methods) > 0 {
			return
		}
		e.Brief = true
	case *ir.NoDuplicates, *ir.NoOverlap, *ir.Transitions, *ir.Immutable, *ir.Version, *ir.AppendOnly, *ir.Limit, *ir.AtMostOne, *ir.AtLeastOne, *ir.Sequence, *ir.Ordered, *ir.SetRule, *ir.QueueRule, *ir.SingletonRule, *ir.LeaderRule,
		*ir.IdempotencyRule, *ir.InboxRule:
	}
	for i := range a.program.Repositories {
		r := &a.program.Repositories[i]
		for j := range r.Operations {
			if op := &r.Operations[j]; !op.Internal && !e.Has(op.Address) && meets(r, op, e.Address) {
				a.addMethod(e, located{op, r})
			}
		}
	}
}

// meets reports whether an operation can return an error that PostgreSQL reports
// for the address.
func meets(r *ir.Repository, op *ir.Operation, address string) bool {
	return slices.ContainsFunc(r.Reported, func(c ir.Reported) bool {
		return c.Address == address && !c.Inherited && slices.Contains(op.Errors, c.Name)
	})
}

// addRepository tells what a table or queue consists of.
func (a *atlas) addRepository(e *view.Explanation, r *ir.Repository) {
	e.Source = cmp.Or(e.Source, r.Pos.String())
	e.Promise = cmp.Or(e.Promise, r.Comment)
	a.addObjects(e, a.tableObjects(r.Schema, r.Table))
	for i := range r.Operations {
		if op := &r.Operations[i]; !op.Internal && !e.Has(op.Address) {
			a.addMethod(e, located{op, r})
		}
	}
	for _, invariant := range a.program.Invariants {
		if address := invariant.Facts().Address; strings.HasPrefix(address, r.Address+".") {
			e.Invariants = append(e.Invariants, address)
		}
	}
	e.Brief = true
}

// tableObjects are the table and what belongs to it but is created apart.
func (a *atlas) tableObjects(schema, table string) []object {
	var found []object
	for _, o := range objectsOf(&a.program.Schema) {
		if o.id.Schema == schema && o.id.Table == table && !o.inTable {
			found = append(found, o)
		}
	}
	return found
}

func transactionAddress(t *ir.Transaction) string { return "transaction." + t.Name }

func (a *atlas) transaction(address string) *ir.Transaction {
	for i := range a.program.Transactions {
		if t := &a.program.Transactions[i]; transactionAddress(t) == address {
			return t
		}
	}
	return nil
}

// addTransaction tells the limits of a transaction and who runs under them.
func (a *atlas) addTransaction(e *view.Explanation, t *ir.Transaction) {
	e.Source = t.Pos.String()
	e.Mechanism = fmt.Sprintf("isolation %s; lock_timeout %s, statement_timeout %s, idle_in_transaction_session_timeout %s",
		t.Isolation, limit(t.LockTimeout), limit(t.StatementTimeout), limit(t.IdleTimeout))
	e.Promise = fmt.Sprintf("A transaction that ends with %s is run again, %d times in all, after a random part of a pause that grows from %s to %s, and for %s in all.",
		strings.Join(t.Retry.On, " or "), t.Retry.Attempts, t.Retry.Base, t.Retry.Max, limit(t.Retry.Budget))
	for _, address := range a.addresses() {
		if o, ok := a.operations[address]; ok && o.op.Transaction == t.Name {
			a.addMethod(e, o)
		}
	}
	e.Brief = true
}

// limit spells a limit of time; zero is none.
func limit(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

func (a *atlas) addSteps(e *view.Explanation, at ir.Pos, doc string, operations []ir.Operation) {
	e.Source = cmp.Or(e.Source, at.String())
	e.Promise = cmp.Or(e.Promise, doc)
	for i := range operations {
		if op := &operations[i]; !e.Has(op.Address) {
			a.addMethod(e, located{op, nil})
		}
	}
}

func (a *atlas) addMethod(e *view.Explanation, o located) {
	op := o.op
	m := view.Method{
		Address: op.Address, Signature: a.spelling.Methods[op.Address], Doc: op.Doc,
		Lock: string(op.Lock), Isolation: string(op.Isolation), Transaction: op.Transaction,
		Reasons: reasons(op.Reasons), Errors: op.Errors,
	}
	for _, s := range op.Statements {
		m.Statements = append(m.Statements, view.Statement{Role: string(s.Role), SQL: s.SQL})
	}
	e.Methods = append(e.Methods, m)
	if op.Address == e.Address {
		e.Source = cmp.Or(e.Source, op.Pos.String())
	}
}

func (a *atlas) addObjects(e *view.Explanation, objects []object) {
	for _, o := range objects {
		e.DDL = append(e.DDL, o.ddl()...)
		// The reasons of an invariant say more than those of its objects.
		if o.origin.Why != "" && a.invariants[e.Address] == nil {
			e.Reasons = append(e.Reasons, view.Reason{Choice: string(o.id.Kind) + " " + o.id.Name, Why: o.origin.Why})
		}
	}
}

// addErrors tells of every error that the methods can return, and of those that
// PostgreSQL reports for the address itself.
func (a *atlas) addErrors(e *view.Explanation) {
	wanted := map[string]bool{}
	for _, m := range e.Methods {
		for _, name := range m.Errors {
			wanted[name] = true
		}
	}
	for i := range a.program.Repositories {
		r := &a.program.Repositories[i]
		mine := e.Address == r.Address || strings.HasPrefix(e.Address, r.Address+".")
		for _, reported := range r.Reported {
			if mine && wanted[reported.Name] || !reported.Inherited && reported.Address == e.Address {
				e.Errors = append(e.Errors, a.errorOf(reported))
			}
		}
	}
}

func (a *atlas) errorOf(r ir.Reported) view.Error {
	return view.Error{
		Go:   a.spelling.Sentinels[golang.NameOf(&r)],
		Kind: string(r.Kind), SQLState: r.Code, Constraint: r.Name, Doc: r.Doc,
	}
}

func (a *atlas) source(address string) string {
	for _, o := range a.objects[address] {
		if o.origin.Pos.IsValid() {
			return o.origin.Pos.String()
		}
	}
	return ""
}

// reasons are those of the program in the words of the view.
func reasons(list []ir.Reason) []view.Reason {
	out := make([]view.Reason, len(list))
	for i, r := range list {
		out[i] = view.Reason{Choice: r.Choice, Why: r.Why}
	}
	return out
}
