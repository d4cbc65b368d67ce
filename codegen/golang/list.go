package golang

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// place is an argument of a list that says where a page begins: the value that
// the last row of the page before has in a column. It is NULL for the first
// page.
type place struct {
	parameter
	field ir.Field // the column
}

// emitListMethod writes a page of a list. Callers do not take a row apart to say
// where the next page begins: they give the row.
func (r *repository) emitListMethod(o *ir.Operation) {
	w, l := r.w, r.locals("after")
	var given, limits []parameter
	var places []place
	var values []string
	for _, f := range o.Statement(ir.MainStatement).Args {
		if column, ok := r.placeColumn(f); ok {
			p := place{parameter{f, l.name("after_" + column.Name), r.typeOf(r.ir, f)}, column}
			places = append(places, p)
			values = append(values, r.argument(f, p.name))
			continue
		}
		p := parameter{f, l.name(f.Name), r.typeOf(r.ir, f)}
		if f.Count {
			p.typ = named("", "int")
			limits = append(limits, p)
		}
		given = append(given, p)
		values = append(values, r.argument(f, p.name))
	}
	r.open(o, r.listSignature(given, len(places) > 0), "([]"+r.names.row+", error)")
	for _, p := range limits {
		r.emitArgumentCheck(o, "NotNegative", p, "nil")
	}
	if len(places) > 0 {
		r.emitPlaces(places)
	}
	w.P("return ", r.call(o, "QueryAll"), r.dest(), ", ", strings.Join(values, ", "), ")")
	w.P("}")
}

// placeColumn is the column whose last value an argument of a list takes: it has
// the column's name, perhaps behind after_, and its type, and may be left out.
func (r *repository) placeColumn(f ir.Field) (ir.Field, bool) {
	if !f.Null && !f.Optional {
		return ir.Field{}, false
	}
	name := strings.TrimPrefix(f.Name, "after_")
	for _, column := range r.ir.Row {
		if (column.Name == name || column.Name == f.Name) && column.Type.Equal(f.Type) {
			return column, true
		}
	}
	return ir.Field{}, false
}

// listSignature puts the row to go on after before the last parameter, which is
// how many rows to return.
func (r *repository) listSignature(given []parameter, paged bool) string {
	if !paged {
		return r.signature(given)
	}
	after := ", after *" + r.names.row
	if len(given) == 0 {
		return after
	}
	last := len(given) - 1
	return r.signature(given[:last]) + after + r.signature(given[last:])
}

// emitPlaces takes the values of the row before out of it.
func (r *repository) emitPlaces(places []place) {
	w := r.w
	if len(places) == 1 {
		w.P("var ", places[0].name, " ", places[0].typ)
	} else {
		w.P("var (")
		for _, p := range places {
			w.P(p.name, " ", p.typ)
		}
		w.P(")")
	}
	w.P("if after != nil {")
	for _, p := range places {
		value := "after." + r.names.fields[p.field.Name]
		if w.typ(r.typeOf(r.ir, p.field)) != w.typ(p.typ) {
			value = "&" + value
		}
		w.P(p.name, " = ", value)
	}
	w.P("}")
}
