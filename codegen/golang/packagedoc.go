package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// packageDoc is the comment of the package: what a newcomer has to know before the
// methods' own comments, with names of this very program.
func (e *emitter) packageDoc(w *writer) string {
	g := e.program.Go
	var b strings.Builder
	fmt.Fprintf(&b, "Package %s is the database of the project %q as Go: a Store with a repository for each table and queue, "+
		"whose methods keep what the specification promises.\n\n", g.Package, e.program.Project)
	fmt.Fprintf(&b, "\tdb := %s.New(pool)\n\tif err := db.Check(ctx); err != nil {\n\t\treturn err // the database does not hold what this code relies on\n\t}\n", g.Package)
	b.WriteString(e.sampleCall())
	b.WriteString("\n# Transactions\n\n" +
		"A method that is called by itself is a transaction of its own. [InTx] makes one of several calls, and runs all of it again after a " +
		"serialization failure or a deadlock; [Savepoint] is for a part that may fail by itself; [Store.AfterCommit] for what leaves the " +
		"database, a mail or a message. [Store.WithTx] works inside a transaction that you opened, and [Store.DB] is for statements of your own.\n\n" +
		"# Errors\n\n" +
		"errors.Is and errors.As work on every error, and the comment of each method says which can come back. A violated constraint is " +
		"three at once: " + e.sampleSentinel(w) + ", and a *pgconn.PgError. " + w.S(e.pawl("HTTPStatus")) + " is the status that a service would answer with.\n\n" +
		"# Watching\n\n")
	b.WriteString("The option " + w.S(e.pawl("WithObserver")) + " of [New] is told what became of each call. ")
	switch adapters := adapterNames(e.program); len(adapters) {
	case 0:
		b.WriteString(w.S(e.pawl("LogTo")) + " makes one that writes to slog.")
	default:
		b.WriteString("Ready options are [" + strings.Join(adapters, "] and [") + "].")
	}
	return b.String()
}

// sampleCall is a line that reads a row by a key of one column; empty where no table
// has one.
func (e *emitter) sampleCall() string {
	for i := range e.program.Repositories {
		named := &e.names.repositories[i]
		o := operationOf(&e.program.Repositories[i], ir.GetOp)
		if o != nil && !o.Internal && len(o.Statement(ir.MainStatement).Args) == 1 {
			return "\trow, err := db." + named.typ + "." + named.methods[o.Address] + "(ctx, key)\n"
		}
	}
	return ""
}

// telling are the families of constraints, the most telling first.
var telling = []struct {
	kind   ir.ReportedKind
	family string
}{
	{ir.Overlap, "ErrOverlap"}, {ir.Duplicate, "ErrDuplicate"}, {ir.CheckFailed, "ErrCheck"}, {ir.Reference, "ErrReference"},
}

// sampleSentinel names a constraint's variable and its family.
func (e *emitter) sampleSentinel(w *writer) string {
	for _, sample := range telling {
		for i := range e.program.Repositories {
			r := &e.program.Repositories[i]
			at := slices.IndexFunc(r.Reported, func(c ir.Reported) bool { return c.Kind == sample.kind && !c.Inherited && c.Label != "pkey" })
			if at >= 0 && r.Queue == nil {
				return "its own variable, as [" + e.names.sentinels[NameOf(&r.Reported[at])] + "], its family, as " + w.S(e.pawl(sample.family))
			}
		}
	}
	return "its own variable, its family, as " + w.S(e.pawl("ErrDuplicate"))
}
