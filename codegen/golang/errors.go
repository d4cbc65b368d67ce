package golang

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// kindConstants are the runtime's names of the families.
var kindConstants = map[ir.ReportedKind]string{
	ir.Duplicate: "KindDuplicate", ir.Overlap: "KindOverlap", ir.Reference: "KindReference",
	ir.CheckFailed: "KindCheck", ir.BadMove: "KindState", ir.Frozen: "KindImmutable",
	ir.Exceeded: "KindLimit", ir.BrokenRule: "KindRule",
}

// familyErrors are the runtime's errors of the families.
var familyErrors = map[ir.ReportedKind]string{
	ir.Duplicate: "ErrDuplicate", ir.Overlap: "ErrOverlap", ir.Reference: "ErrReference",
	ir.CheckFailed: "ErrCheck", ir.BadMove: "ErrState", ir.Frozen: "ErrImmutable",
	ir.Exceeded: "ErrLimit", ir.BrokenRule: "ErrRule",
}

// emitErrors writes errors_gen.go: a variable for each constraint whose
// violation PostgreSQL reports by name, and which of them each repository meets.
func (e *emitter) emitErrors() {
	w := e.file(repositorySources(e.program)...)
	domains := e.domainChecks()
	e.emitDomainSentinels(w, domains)
	for i := range e.program.Repositories {
		e.emitSentinels(w, i)
	}
	w.P()
	w.Doc("constraints are all of them, for what is reported only at COMMIT, where no operation is at hand.")
	w.P("var ", constraintsVar, " = ", e.pawl("Constraints"), "{")
	for _, c := range domains {
		w.P(e.names.sentinels[NameOf(c)], ",")
	}
	for i := range e.program.Repositories {
		for _, name := range e.ownSentinels(i) {
			w.P(name, ",")
		}
	}
	w.P("}")
	e.finish("errors_gen.go", w)
}

// constraintsVar is the variable with all sentinels.
const constraintsVar = "constraints"

func repositorySources(p *ir.Program) []ir.Pos {
	sources := make([]ir.Pos, len(p.Repositories))
	for i := range p.Repositories {
		sources[i] = p.Repositories[i].Pos
	}
	return sources
}

// ownSentinels are the error variables that a repository declares, in order.
func (e *emitter) ownSentinels(index int) []string {
	var own []string
	seen := map[string]bool{}
	r := &e.program.Repositories[index]
	for i := range r.Reported {
		name := e.names.sentinels[NameOf(&r.Reported[i])]
		if r.Reported[i].Inherited || r.Reported[i].Type != "" || name == "" || seen[name] {
			continue
		}
		seen[name] = true
		own = append(own, name)
	}
	return own
}

// domainChecks are the checks of domains that some repository can meet, each
// once, in the order of their names.
func (e *emitter) domainChecks() []*ir.Reported {
	var list []*ir.Reported
	for i := range e.program.Repositories {
		reported := e.program.Repositories[i].Reported
		for j := range reported {
			c := &reported[j]
			if c.Type != "" && !slices.ContainsFunc(list, func(have *ir.Reported) bool { return NameOf(have) == NameOf(c) }) {
				list = append(list, c)
			}
		}
	}
	slices.SortFunc(list, func(a, b *ir.Reported) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// emitDomainSentinels writes the variables of the checks of domains.
func (e *emitter) emitDomainSentinels(w *writer, checks []*ir.Reported) {
	if len(checks) == 0 {
		return
	}
	w.P()
	w.Doc("The checks of domains, whatever table the value was for.")
	w.P("var (")
	for _, c := range checks {
		e.emitSentinel(w, e.names.sentinels[NameOf(c)], c)
	}
	w.P(")")
}

// emitSentinels writes the variables of one repository and its table of errors.
func (e *emitter) emitSentinels(w *writer, index int) {
	r, n := &e.program.Repositories[index], &e.names.repositories[index]
	if len(r.Reported) == 0 {
		return
	}
	declared := map[string]bool{}
	var all []string
	own := len(e.ownSentinels(index)) > 0
	if own {
		w.P()
		w.Doc("The constraints of " + ir.Qualified(r.Schema, r.Table) + ".")
		w.P("var (")
	}
	for i := range r.Reported {
		c := &r.Reported[i]
		name := e.names.sentinels[NameOf(c)]
		if name == "" || declared[name] {
			continue
		}
		declared[name] = true
		all = append(all, name)
		if !c.Inherited && c.Type == "" {
			e.emitSentinel(w, name, c)
		}
	}
	if own {
		w.P(")")
	}
	w.P()
	w.Doc(n.errors + " are the constraints that a statement on " + ir.Qualified(r.Schema, r.Table) + " can violate.")
	w.P("var ", n.errors, " = ", e.pawl("Constraints"), "{", strings.Join(all, ", "), "}")
}

// emitSentinel writes one variable inside a var block.
func (e *emitter) emitSentinel(w *writer, name string, c *ir.Reported) {
	doc := name + " says: " + c.Doc + "."
	w.Doc(doc + " errors.Is(err, " + w.S(e.pawl(familyErrors[c.Kind])) + ") holds too.")
	w.P(name, " = &", e.pawl("ConstraintError"), "{")
	w.P("Schema: ", strconv.Quote(c.Schema), ",")
	if c.Type == "" {
		w.P("Table: ", strconv.Quote(c.Table), ",")
	} else {
		w.P("Type: ", strconv.Quote(c.Type), ",")
	}
	w.P("Constraint: ", strconv.Quote(c.Name), ",")
	if len(c.Columns) > 0 {
		w.P("Columns: ", stringSlice(c.Columns), ",")
	}
	w.P("Code: ", strconv.Quote(c.Code), ",")
	w.P("Kind: ", e.pawl(kindConstants[c.Kind]), ",")
	w.P("Address: ", strconv.Quote(c.Address), ",")
	w.P("}")
}

// stringSlice spells a []string literal.
func stringSlice(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}
