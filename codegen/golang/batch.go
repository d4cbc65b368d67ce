package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// item is what a batch takes for one of its rows: the key, where that is a single
// column and there is nothing else, or a struct.
type item struct {
	typ    string   // empty for a bare key
	fields []string // in the order of Operation.Each
}

// resolveItems names the structs of what batches take, and their fields. Those
// named like a column are called as in the row. Batches that take a key of several
// columns and nothing else share one.
func (n *names) resolveItems(r *ir.Repository, to *repositoryNames, stem string) {
	to.items = map[string]item{}
	key := item{}
	for i := range r.Operations {
		o := &r.Operations[i]
		switch {
		case len(o.Each) < 2 || r.Queue != nil: // the payload of a queue has its struct
		case len(o.Each) > len(r.Key):
			typ := stem + strings.TrimSuffix(to.methods[o.Address], "Many")
			to.items[o.Address] = n.resolveItem(typ, to.methods[o.Address]+" of "+describeRepository(r), o, to)
		default:
			if key.typ == "" {
				key = n.resolveItem(stem+"Key", "the keys of "+describeRepository(r), o, to)
			}
			to.items[o.Address] = key
		}
	}
}

func (n *names) resolveItem(typ, what string, o *ir.Operation, to *repositoryNames) item {
	named := item{typ: typ}
	n.pkg.claim(typ, "what a batch takes for "+what, o.Pos, "rename the operation")
	fields := newScope("struct "+typ, &n.problems)
	for _, f := range o.Each {
		name, ok := to.fields[f.Name]
		if !ok {
			name = exported(f.Name)
		}
		fields.claim(name, fmt.Sprintf("argument %q", f.Name), o.Pos, "rename the argument")
		named.fields = append(named.fields, name)
	}
	return named
}

// emitBatchItems writes the structs that batches take, each once.
func (r *repository) emitBatchItems() {
	written := map[string]bool{}
	for i := range r.ir.Operations {
		o := &r.ir.Operations[i]
		named, ok := r.names.items[o.Address]
		if !ok || written[named.typ] {
			continue
		}
		written[named.typ] = true
		r.w.P()
		doc := "%s is what %s takes for one row of %s."
		if len(o.Each) == len(r.ir.Key) {
			doc = "%s names a row, as %s and its like take many of them, of %s."
		}
		r.w.Doc(fmt.Sprintf(doc, named.typ, r.names.methods[o.Address], ir.Qualified(r.ir.Schema, r.ir.Table)))
		r.w.P("type ", named.typ, " struct {")
		for k, f := range o.Each {
			r.w.P(named.fields[k], " ", r.typeOf(r.ir, f))
		}
		r.w.P("}")
		receiver := receiverName(named.typ)
		values := make([]string, len(o.Each))
		for k, f := range o.Each {
			values[k] = r.argument(f, receiver+"."+named.fields[k])
		}
		r.w.P()
		r.w.Doc("values are those of a row, in the order of the statement's arguments.")
		r.w.P("func (", receiver, " *", named.typ, ") values() []any {")
		r.emitList("return []any{", values, "}")
		r.w.P("}")
	}
}

// givenRows is the parameter through which a batch takes its rows.
type givenRows struct {
	name   string
	typ    string // of one
	values string // the function that gives the values of one
}

// given names it, beside the method's own parameters.
func (r *repository) given(o *ir.Operation, own ...string) givenRows {
	if named, ok := r.names.items[o.Address]; ok {
		name := "in"
		if len(o.Each) == len(r.ir.Key) {
			name = "keys"
		}
		return givenRows{name, named.typ, "(*" + named.typ + ").values"}
	}
	key := o.Each[0]
	typ := r.w.typ(r.typeOf(r.ir, key))
	return givenRows{r.plural(r.locals(own...), key.Name), typ, "func(key *" + typ + ") []any { return []any{" + r.argument(key, "*key") + "} }"}
}

// emitGuardedManyMethod writes a move or an adjust of many rows. Bare keys come one
// by one, as they do for GetManyForUpdate.
func (r *repository) emitGuardedManyMethod(o *ir.Operation) {
	of, list := r.given(o), " []"
	if len(o.Each) == len(r.ir.Key) {
		list = " ..."
	}
	r.open(o, ", "+of.name+list+of.typ, "([]"+r.names.row+", error)")
	r.w.P("return ", r.call(o, "GuardedMany"), r.dest(), ", ", of.name, ", ", of.values, ")")
	r.w.P("}")
}

// emitEditManyMethod writes an edit of many rows.
func (r *repository) emitEditManyMethod(o *ir.Operation) {
	of := r.given(o, "change")
	context := r.w.S(ident{"context", "Context"})
	r.open(o, ", "+of.name+" []"+of.typ+", change func(ctx "+context+", rows []*"+r.names.row+") error", "([]"+r.names.row+", error)")
	r.w.P("return ", r.call(o, "EditMany"), r.dest(), ", change, ", of.name, ", ", of.values, ")")
	r.w.P("}")
}

// emitGetManyMethod writes the locked read of rows with keys of several columns.
func (r *repository) emitGetManyMethod(o *ir.Operation) {
	of := r.given(o)
	r.open(o, ", "+of.name+" ..."+of.typ, "([]"+r.names.row+", error)")
	r.w.P("return ", r.call(o, "QueryKeys"), r.dest(), ", ", of.name, ", ", of.values, ")")
	r.w.P("}")
}

// plural is the name of a parameter that takes any number of values.
func (r *repository) plural(l *locals, name string) string {
	local := l.name(name)
	if strings.HasSuffix(local, "s") {
		return local
	}
	return l.name(local + "s")
}

// emitBatchDescriptor writes a descriptor that holds the types of what one row
// takes: a pawl.GuardedManyOperation, EditManyOperation, KeysOperation,
// EnqueueManyOperation or UpsertManyOperation.
func (r *repository) emitBatchDescriptor(o *ir.Operation) {
	w := r.w
	each, kind := o.Each, "GuardedManyOperation"
	switch o.Kind {
	case ir.EditManyOp:
		kind = "EditManyOperation"
		each = slices.Clone(each)
		for _, name := range o.Columns {
			each = append(each, r.ir.Row[slices.IndexFunc(r.ir.Row, func(f ir.Field) bool { return f.Name == name })])
		}
	case ir.GetManyOp:
		kind = "KeysOperation"
	case ir.EnqueueManyOp:
		kind = "EnqueueManyOperation"
	case ir.UpsertManyOp:
		kind, each = "UpsertManyOperation", r.ir.Insert
	}
	types := make([]string, len(each))
	for i, f := range each {
		types[i] = codecName(f.Type)
	}
	w.P("var ", r.names.vars[o.Address], " = ", r.pawl(kind), "{")
	if o.Kind == ir.EditManyOp {
		w.P("EditOperation: ", r.pawl("EditOperation"), "{")
		r.emitEditFields(o)
	} else {
		w.P("Operation: ", r.pawl("Operation"), "{")
		r.emitOperationFields(o, ir.MainStatement)
	}
	w.P("},")
	w.P("Types: ", stringSlice(types), ",")
	w.P("}")
}
