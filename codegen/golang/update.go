package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitUpdate writes the struct that an update takes.
func (r *repository) emitUpdate() {
	o := operationOf(r.ir, ir.UpdateOp)
	if o == nil {
		return
	}
	w := r.w
	w.P()
	w.Doc(fmt.Sprintf("%s names columns of %s and their new values, each with pawl.Set. What it does not name stays as it is.",
		r.names.update, ir.Qualified(r.ir.Schema, r.ir.Table)))
	w.P("type ", r.names.update, " struct {")
	for _, f := range r.changes(o) {
		if comment := r.columnComment(f.Name); comment != "" {
			w.Doc(comment)
		}
		w.P(r.names.fields[f.Name], " ", r.pawl("Change"), "[", r.typeOf(r.ir, f), "]")
	}
	w.P("}")
}

// changes are the columns that an update may name, as the row has them.
func (r *repository) changes(o *ir.Operation) []ir.Field {
	var list []ir.Field
	for _, f := range r.ir.Row {
		if slices.Contains(o.Columns, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// emitUpdateMethod writes an update: the key, the version where there is one, and
// the columns that change in a struct.
func (r *repository) emitUpdateMethod(o *ir.Operation) {
	s := o.Statement(ir.MainStatement)
	found := len(s.Args) - 2*len(o.Columns) // the key and the version
	l := r.locals("in")
	list := make([]parameter, found)
	for i, f := range s.Args[:found] {
		list[i] = parameter{f, l.name(f.Name), r.typeOf(r.ir, f)}
	}
	r.open(o, r.signature(list)+", in "+r.names.update, "("+r.names.row+", error)")
	key := strings.TrimPrefix(r.arguments(list), ", ")
	elements := []string{"[]any{" + key + "}"}
	for _, column := range o.Columns {
		elements = append(elements, "in."+r.names.fields[column])
	}
	r.emitList("return "+r.call(o, "Update")+r.dest()+", ", elements, ")")
	r.w.P("}")
}

// operationOf is the repository's operation of a kind; nil when there is none.
func operationOf(r *ir.Repository, kind ir.OperationKind) *ir.Operation {
	for i := range r.Operations {
		if r.Operations[i].Kind == kind {
			return &r.Operations[i]
		}
	}
	return nil
}

// emitValues writes the method that gives the values of an insert to COPY.
func (r *repository) emitValues() {
	o := operationOf(r.ir, ir.InsertManyOp)
	if o == nil {
		return
	}
	receiver := receiverName(r.names.insert)
	var values []string
	for _, f := range r.ir.Insert {
		values = append(values, r.argument(f, receiver+"."+r.names.fields[f.Name]))
	}
	r.w.P()
	r.w.Doc("values are those of a row, in the order of the columns of COPY.")
	r.w.P("func (", receiver, " *", r.names.insert, ") values() []any {")
	r.emitList("return []any{", values, "}")
	r.w.P("}")
}

// emitInsertManyMethod writes the insert of many rows.
func (r *repository) emitInsertManyMethod(o *ir.Operation) {
	r.open(o, ", rows []"+r.names.insert, "(int64, error)")
	r.w.P("return ", r.call(o, "Copy"), ", rows, (*", r.names.insert, ").values)")
	r.w.P("}")
}

// emitCopyDescriptor writes a pawl.CopyTarget.
func (r *repository) emitCopyDescriptor(o *ir.Operation) {
	w := r.w
	var defaults []string
	for i, f := range r.ir.Insert {
		if f.Optional {
			defaults = append(defaults, strconv.Itoa(i))
		}
	}
	w.P("var ", r.names.vars[o.Address], " = ", r.pawl("CopyTarget"), "{")
	w.P("Operation: ", r.pawl("Operation"), "{")
	r.emitOperationFields(o, ir.MainStatement)
	w.P("},")
	w.P("Into: []string{", strconv.Quote(r.ir.Schema), ", ", strconv.Quote(r.ir.Table), "},")
	w.P("Columns: ", stringSlice(o.Columns), ",")
	if len(defaults) > 0 {
		w.P("Defaults: []int{", strings.Join(defaults, ", "), "},")
	}
	w.P("}")
}
