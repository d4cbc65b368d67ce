package golang

import (
	"errors"
	"slices"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// maintainVar is the variable of the lock that upkeep tries.
const maintainVar = "maintainLock"

var errNoStatement = errors.New("upkeep names a statement that nobody has")

// emitMaintain writes the method that does the upkeep.
func (e *emitter) emitMaintain(w *writer) {
	m := e.program.Maintenance
	if m == nil {
		return
	}
	w.P()
	kept := "the answers and the ids of messages that are no longer kept"
	if slices.ContainsFunc(e.program.Repositories, ir.Repository.Retains) {
		kept = "the answers, the ids of messages, the tasks and the events that are no longer kept"
	}
	w.Doc("Maintain removes " + kept + ", and moves the tasks of queues that are due. Call it now and then, from every process: " +
		"one at a time does the work, in batches of a transaction each, and the others return at once.")
	w.P("func (s *Store) Maintain(ctx ", ident{"context", "Context"}, ") error {")
	w.P("return ", e.pawl("Maintain"), "(ctx, s.session, &", maintainVar, ",")
	for _, chore := range m.Chores {
		w.P(e.chore(w, chore), ",")
	}
	w.P(")")
	w.P("}")
	w.P()
	w.Doc(maintainVar + " is held by whoever does the upkeep.")
	w.P("var ", maintainVar, " = ", e.pawl("Singleton"), "{")
	w.P("Name: ", strconv.Quote(m.Address), ",")
	w.P("TrySQL: ", sqlLiteral(m.TrySQL), ",")
	w.P("}")
}

// chore spells the operation of a statement of upkeep.
func (e *emitter) chore(w *writer, chore ir.Chore) string {
	for i := range e.program.Idempotencies {
		if op := e.program.Idempotencies[i].Step(ir.OnceReap); op.Address == chore.Address {
			return "&" + e.names.once[i].descriptor + ".Reap"
		}
	}
	for i := range e.program.Inboxes {
		if e.program.Inboxes[i].Step(ir.InboxReap).Address == chore.Address {
			return "&" + e.names.inboxes[i].descriptor + ".Reap"
		}
	}
	for i := range e.program.Repositories {
		r, n := &e.program.Repositories[i], &e.names.repositories[i]
		if constant, ok := n.consts[statementID{chore.Address, chore.Role}]; ok {
			return w.S("&", e.pawl("Operation"), "{Name: ", strconv.Quote(chore.Address), ", Table: ", strconv.Quote(r.Schema+"."+r.Table), ", SQL: ", constant, "}")
		}
	}
	e.problems = append(e.problems, internalProblem(chore.Address, errNoStatement))
	return "nil"
}
