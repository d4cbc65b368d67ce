package golang

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// resolveUnexported names what users never write: SQL constants, operation
// descriptors, error tables, files. Whatever is taken gets a number.
func (n *names) resolveUnexported() {
	n.resolveLimits()
	files := newScope("files", &n.problems, "store", "enums", "errors", "singletons", "rules", "idempotency", "inbox")
	if n.program.Go.RaceTests {
		files.fresh("schema")
	}
	for i := range n.program.Repositories {
		r, to := &n.program.Repositories[i], &n.repositories[i]
		to.lower = lowerFirst(to.typ)
		to.errors = n.pkg.fresh(to.lower + "Errors")
		to.vars = n.resolveDescriptors(to.lower, r.Operations)
		to.consts = n.resolveStatements(to.lower, r.Operations)
		if r.Queue != nil {
			to.queue = n.pkg.fresh(to.lower + "Queue")
		}
		to.file = files.fresh(fileName(r.Name))
	}
	for i := range n.program.Singletons {
		s, to := &n.program.Singletons[i], &n.singletons[i]
		lower := lowerFirst(to.typ)
		what := "Singleton"
		if s.Leader != nil {
			what = "Leader"
		}
		to.descriptor = n.pkg.fresh(lower + what)
		to.consts = n.resolveStatements(lower, s.Operations)
	}
	for i := range n.program.Idempotencies {
		o, to := &n.program.Idempotencies[i], &n.once[i]
		lower := lowerFirst(to.typ)
		to.descriptor = n.pkg.fresh(lower + "Once")
		to.consts = n.resolveStatements(lower, o.Operations)
	}
	for i := range n.program.Inboxes {
		b, to := &n.program.Inboxes[i], &n.inboxes[i]
		lower := lowerFirst(to.typ)
		to.descriptor = n.pkg.fresh(lower + "Inbox")
		to.consts = n.resolveStatements(lower, b.Operations)
	}
}

// resolveDescriptors names the descriptors of operations.
func (n *names) resolveDescriptors(prefix string, operations []ir.Operation) map[string]string {
	vars := map[string]string{}
	for i := range operations {
		o := &operations[i]
		vars[o.Address] = n.pkg.fresh(prefix + camel(o.Name) + "Operation")
	}
	return vars
}

// resolveStatements names the constants of SQL texts.
func (n *names) resolveStatements(prefix string, operations []ir.Operation) map[statementID]string {
	consts := map[statementID]string{}
	for i := range operations {
		o := &operations[i]
		for j := range o.Statements {
			role := o.Statements[j].Role
			name := prefix + camel(o.Name)
			if role != ir.MainStatement && o.Kind != ir.SingletonOp && o.Kind != ir.SingletonTry {
				name += camel(string(role))
			}
			consts[statementID{o.Address, role}] = n.pkg.fresh(name + "SQL")
		}
	}
	return consts
}

// fileName is the stem of a repository's file: small letters, digits and
// underscores of ASCII alone, which mean the same on every file system and to
// the go command. _gen behind it keeps x_test and x_linux from meaning anything.
func fileName(table string) string {
	var words []string
	for _, word := range splitWords(table) {
		words = append(words, strings.ToLower(word))
	}
	var b strings.Builder
	for _, r := range strings.Join(words, "_") {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteString(spellRune(r))
		}
	}
	if b.Len() == 0 {
		// The go command passes over files that begin with _.
		return "x" + strings.ToLower(spellRunes(table))
	}
	return b.String()
}
