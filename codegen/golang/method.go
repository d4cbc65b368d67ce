package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitMethod writes the method of an operation.
func (r *repository) emitMethod(o *ir.Operation) {
	if o.Internal {
		return
	}
	//exhaustive:enforce
	switch o.Kind {
	case ir.InsertOp:
		r.emitInsertMethod(o)
	case ir.InsertManyOp:
		r.emitInsertManyMethod(o)
	case ir.UpdateOp:
		r.emitUpdateMethod(o)
	case ir.GetOp, ir.GetLockedOp:
		r.emitRowMethod(o, "QueryOne")
	case ir.MoveOp, ir.AdjustOp:
		r.emitRowMethod(o, "Guarded")
	case ir.ArrangeOp:
		r.emitRowMethod(o, "QueryOne")
	case ir.MoveManyOp, ir.AdjustManyOp:
		r.emitGuardedManyMethod(o)
	case ir.GetManyOp:
		if len(o.Each) > 0 {
			r.emitGetManyMethod(o)
			return
		}
		r.emitManyMethod(o)
	case ir.ListOp:
		r.emitListMethod(o)
	case ir.DeleteOp:
		r.emitDeleteMethod(o)
	case ir.EditOp:
		r.emitEditMethod(o)
	case ir.EditManyOp:
		r.emitEditManyMethod(o)
	case ir.UpsertOp:
		r.emitUpsertMethod(o)
	case ir.UpsertManyOp:
		r.emitUpsertManyMethod(o)
	case ir.EnqueueOp, ir.EnqueueManyOp, ir.ClaimOp, ir.CompleteOp, ir.FailOp, ir.HeartbeatOp, ir.ReleaseOp, ir.ReapOp:
		r.emitQueueMethod(o)
	case ir.SingletonOp, ir.SingletonTry, ir.CampaignOp, ir.RenewOp, ir.ResignOp, ir.GuardOp, ir.OnceOp, ir.RuleOp: // stand in no repository
		r.problems = append(r.problems, unknownOperation(o))
	default:
		r.problems = append(r.problems, unknownOperation(o))
	}
}

// unknownOperation is an operation that this generator has no shape for.
func unknownOperation(o *ir.Operation) Problem {
	return internalProblem(o.Address, fmt.Errorf("there is no method for the kind %q", o.Kind))
}

// parameter is a parameter of a generated method.
type parameter struct {
	field ir.Field
	name  string // in Go
	typ   goType
}

// locals starts the names of a method whose fixed parameters are own.
func (r *repository) locals(own ...string) *locals {
	l := newLocals(r.taken, append(own, r.receiver, "ctx", "err")...)
	for _, name := range []string{"context", "pawl", "pgx", "pgtype", "time", "json", "net", "netip", "fmt"} {
		l.taken[name] = true
	}
	l.taken[r.emitter.names.chosen.uuidPackage()] = true
	for _, t := range r.emitter.names.types {
		if t.ident.path != "" {
			l.taken[guessPackage(t.ident.path)] = true
		}
	}
	return l
}

// parameters are the parameters for a statement's arguments, in its order.
func (r *repository) parameters(s *ir.Statement, l *locals) []parameter {
	list := make([]parameter, len(s.Args))
	for i, f := range s.Args {
		list[i] = parameter{f, l.name(f.Name), r.typeOf(r.ir, f)}
	}
	return list
}

// signature spells parameters behind ctx; neighbours of one type share it.
func (r *repository) signature(list []parameter) string {
	var b strings.Builder
	for i, p := range list {
		b.WriteString(", " + p.name)
		typ := r.w.typ(p.typ)
		if i+1 < len(list) && r.w.typ(list[i+1].typ) == typ {
			continue
		}
		b.WriteString(" " + typ)
	}
	return b.String()
}

// arguments spells the values of parameters as a statement takes them.
func (r *repository) arguments(list []parameter) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(", " + r.argument(p.field, p.name))
	}
	return b.String()
}

// argument spells a value as a statement takes it.
func (r *repository) argument(f ir.Field, value string) string {
	of := ""
	switch {
	case enumArray(f.Type):
		of = enumTexts
	case r.uuidList(r.ir, f):
		of = uuidList
	default:
		return value
	}
	if r.pointerElements(r.ir, f) {
		of += orNull
	}
	return of + "(" + value + ")"
}

// open writes a method's comment and first line.
func (r *repository) open(o *ir.Operation, parameters, results string) {
	w := r.w
	w.P()
	r.emitDoc(o)
	signature := w.S("(", r.receiver, " ", r.names.typ, ") ", r.names.methods[o.Address],
		"(ctx ", ident{"context", "Context"}, parameters, ") ", results)
	r.signatures[o.Address] = signature
	w.P("func ", signature, " {")
}

// call spells the runtime's function with what all of them take first.
func (r *repository) call(o *ir.Operation, function string) string {
	return r.w.S(r.pawl(function), "(ctx, ", r.receiver, ".session, &", r.names.vars[o.Address])
}

// dest is the scan function of a row.
func (r *repository) dest() string { return ", (*" + r.names.row + ").dest" }

// emitInsertMethod writes an insert: its values come in a struct.
func (r *repository) emitInsertMethod(o *ir.Operation) {
	r.open(o, ", in "+r.names.insert, "("+r.names.row+", error)")
	r.emitInserting(o, "QueryOne")
}

// emitInserting writes a call of the runtime with the values of an insert.
func (r *repository) emitInserting(o *ir.Operation, function string) {
	values := []string{}
	for _, f := range o.Statement(ir.MainStatement).Args {
		values = append(values, r.argument(f, "in."+r.names.fields[f.Name]))
	}
	open := "return " + r.call(o, function) + r.dest()
	if len(values) > 0 {
		open += ","
	}
	r.emitList(open, values, ")")
	r.w.P("}")
}

// emitRowMethod writes a method that takes arguments and returns a row.
func (r *repository) emitRowMethod(o *ir.Operation, function string) {
	list := r.parameters(o.Statement(ir.MainStatement), r.locals())
	r.open(o, r.signature(list), "("+r.names.row+", error)")
	r.emitPositive(o, list)
	r.w.P("return ", r.call(o, function), r.dest(), r.arguments(list), ")")
	r.w.P("}")
}

// emitPositive writes the checks of arguments that have to be above zero: what
// would come back from the database as bad input need not go there.
func (r *repository) emitPositive(o *ir.Operation, list []parameter) {
	for _, p := range list {
		if !p.field.Positive || p.typ.prefix != "" || !numberTypes[p.typ.ident] {
			continue // SQL checks it all the same
		}
		r.emitArgumentCheck(o, "Positive", p, r.names.row+"{}")
	}
}

// emitArgumentCheck writes a call of the runtime's check of an argument, after
// whose error the method returns zero beside it.
func (r *repository) emitArgumentCheck(o *ir.Operation, function string, p parameter, zero string) {
	r.w.P("if err := ", r.pawl(function), "(&", r.names.vars[o.Address], ", ", strconv.Quote(p.field.Name), ", ", p.name, "); err != nil {")
	r.w.P("return ", zero, ", err")
	r.w.P("}")
}

// numberTypes are the Go types that the runtime's Positive takes.
var numberTypes = map[ident]bool{
	{"", "int16"}: true, {"", "int32"}: true, {"", "int64"}: true, {"", "float32"}: true, {"", "float64"}: true,
	{pgtypePath, "Numeric"}: true,
}

// emitManyMethod writes a method that takes any number of keys.
func (r *repository) emitManyMethod(o *ir.Operation) {
	l := r.locals()
	list := r.parameters(o.Statement(ir.MainStatement), l)
	keys := &list[0]
	if !strings.HasSuffix(keys.name, "s") {
		keys.name = l.name(keys.name + "s")
	}
	typ := strings.TrimPrefix(r.w.typ(keys.typ), "[]")
	r.open(o, ", "+keys.name+" ..."+typ, "([]"+r.names.row+", error)")
	r.w.P("return ", r.call(o, "QueryAll"), r.dest(), r.arguments(list), ")")
	r.w.P("}")
}

// emitDeleteMethod writes a delete, which returns the row when its statement
// does.
func (r *repository) emitDeleteMethod(o *ir.Operation) {
	s := o.Statement(ir.MainStatement)
	if s.Rows == ir.ReturnsOne {
		r.emitRowMethod(o, "QueryOne")
		return
	}
	list := r.parameters(s, r.locals())
	r.open(o, r.signature(list), "error")
	r.w.P("_, err := ", r.call(o, "Exec"), r.arguments(list), ")")
	r.w.P("return err")
	r.w.P("}")
}

// emitEditMethod writes an edit: the key, and a function that changes the row.
func (r *repository) emitEditMethod(o *ir.Operation) {
	list := r.parameters(o.Statement(ir.LockStatement), r.locals("change"))
	context := r.w.S(ident{"context", "Context"})
	r.open(o, r.signature(list)+", change func(ctx "+context+", row *"+r.names.row+") error", "("+r.names.row+", error)")
	r.w.P("return ", r.call(o, "Edit"), r.dest(), ", change", r.arguments(list), ")")
	r.w.P("}")
}
