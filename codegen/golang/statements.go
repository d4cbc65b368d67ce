package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitStatements writes the SQL of operations as constants.
func (e *emitter) emitStatements(w *writer, operations []ir.Operation, consts map[statementID]string) {
	if len(consts) == 0 {
		return
	}
	w.P()
	w.Doc("The SQL of the operations, as it is sent.")
	w.P("const (")
	for i := range operations {
		o := &operations[i]
		for j := range o.Statements {
			s := &o.Statements[j]
			w.P(consts[statementID{o.Address, s.Role}], " = ", sqlLiteral(s.SQL))
		}
	}
	w.P(")")
}

// sqlLiteral spells an SQL text as a Go string: raw, as it would be typed into
// psql, unless something in it cannot stand in a raw string.
func sqlLiteral(sql string) string {
	lines := strings.Split(sql, "\n")
	raw := true
	for _, line := range lines {
		raw = raw && strconv.CanBackquote(line)
	}
	if raw {
		return "`" + sql + "`"
	}
	for i, line := range lines {
		if i < len(lines)-1 {
			line += "\n"
		}
		lines[i] = strconv.Quote(line)
	}
	return strings.Join(lines, " +\n")
}

// emitDescriptors writes what the runtime has to know of each operation.
func (r *repository) emitDescriptors() {
	if r.ir.Queue != nil {
		r.emitQueueDescriptor()
	}
	for i := range r.ir.Operations {
		o := &r.ir.Operations[i]
		if r.ir.Queue != nil && inQueueDescriptor(o) {
			continue
		}
		r.w.P()
		if o.Kind == ir.EditOp {
			r.emitEditDescriptor(o)
			continue
		}
		if len(o.Each) > 0 || o.Kind == ir.UpsertManyOp {
			r.emitBatchDescriptor(o)
			continue
		}
		if o.Kind == ir.InsertManyOp {
			r.emitCopyDescriptor(o)
			continue
		}
		r.w.P("var ", r.names.vars[o.Address], " = ", r.pawl("Operation"), "{")
		r.emitOperationFields(o, ir.MainStatement)
		r.w.P("}")
	}
}

// emitOperationFields writes the fields of a pawl.Operation whose statement has
// the given role.
func (r *repository) emitOperationFields(o *ir.Operation, role ir.Role) {
	w := r.w
	w.P("Name: ", strconv.Quote(o.Address), ",")
	w.P("Table: ", strconv.Quote(r.ir.Schema+"."+r.ir.Table), ",")
	w.P("SQL: ", r.names.consts[statementID{o.Address, role}], ",")
	if prelude := o.Prelude(); len(prelude) > 0 && role == ir.MainStatement {
		statements := make([]string, len(prelude))
		for i, s := range prelude {
			statements[i] = "{SQL: " + r.names.consts[statementID{o.Address, s.Role}] + ", Args: " + r.positions(o, s) + "}"
		}
		r.emitList(w.S("Prelude: []", r.pawl("Statement"), "{"), statements, "},")
	}
	if explain := o.Statement(ir.ExplainStatement); explain != nil {
		w.P("ExplainSQL: ", r.names.consts[statementID{o.Address, ir.ExplainStatement}], ",")
		if !sameArgs(explain, o.Statement(role)) {
			w.P("ExplainArgs: ", r.positions(o, explain), ",")
		}
	}
	if len(o.Key) > 0 {
		w.P("KeyArgs: ", len(o.Key), ",")
	}
	if o.Wanted != "" {
		w.P("Wanted: ", strconv.Quote(o.Wanted), ",")
	}
	if expr := r.guards[o.Address].expr; expr != "" {
		w.P("Guard: ", strconv.Quote(expr), ",")
	}
	if len(o.Errors) > 0 && len(r.ir.Reported) > 0 {
		w.P("Errors: ", r.names.errors, ",")
	}
	if key, standard := limitsOf(r.program, o); !standard {
		w.P("Transaction: &", r.emitter.names.limits[key], ",")
	}
	switch o.Kind {
	case ir.GetOp, ir.ListOp:
		w.P("ReadOnly: true,")
	}
	if o.NeedsTransaction {
		w.P("NeedsTransaction: true,")
	}
}

// emitEditDescriptor writes a pawl.EditOperation.
func (r *repository) emitEditDescriptor(o *ir.Operation) {
	r.w.P("var ", r.names.vars[o.Address], " = ", r.pawl("EditOperation"), "{")
	r.emitEditFields(o)
	r.w.P("}")
}

// emitEditFields writes the fields of a pawl.EditOperation.
func (r *repository) emitEditFields(o *ir.Operation) {
	w := r.w
	columns := make([]string, len(r.ir.Row))
	positions := map[string]int{}
	for i, f := range r.ir.Row {
		columns[i] = f.Name
		positions[f.Name] = i
	}
	editable := make([]string, len(o.Columns))
	for i, column := range o.Columns {
		editable[i] = strconv.Itoa(positions[column])
	}
	w.P("Operation: ", r.pawl("Operation"), "{")
	r.emitOperationFields(o, ir.WriteStatement)
	w.P("},")
	w.P("LockSQL: ", r.names.consts[statementID{o.Address, ir.LockStatement}], ",")
	w.P("Columns: ", stringSlice(columns), ",")
	w.P("Editable: []int{", strings.Join(editable, ", "), "},")
}

// positions spells which arguments of the main statement another one takes.
func (r *repository) positions(o *ir.Operation, s *ir.Statement) string {
	main := o.Statement(ir.MainStatement)
	taken := make([]string, len(s.Args))
	for i, arg := range s.Args {
		for j := range main.Args {
			if main.Args[j].Name == arg.Name {
				taken[i] = strconv.Itoa(j + 1)
			}
		}
		if taken[i] == "" {
			r.problems = append(r.problems, internalProblem(r.names.file+"_gen.go",
				fmt.Errorf("%s: the %s statement takes %q, which the main statement does not", o.Address, s.Role, arg.Name)))
			taken[i] = "0"
		}
	}
	return "[]int{" + strings.Join(taken, ", ") + "}"
}

// sameArgs reports whether two statements take the same arguments.
func sameArgs(a, b *ir.Statement) bool {
	if len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if a.Args[i].Name != b.Args[i].Name {
			return false
		}
	}
	return true
}
