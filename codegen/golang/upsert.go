package golang

import "github.com/pawldb/pawl/compiler/ir"

// emitUpsertMethod writes an upsert: its values come in the struct of an insert.
func (r *repository) emitUpsertMethod(o *ir.Operation) {
	r.open(o, ", in "+r.names.insert, r.w.S("(", r.names.row, ", ", r.pawl("UpsertOutcome"), ", error)"))
	r.emitInserting(o, "Upsert")
}

// emitUpsertManyMethod writes an upsert of many rows.
func (r *repository) emitUpsertManyMethod(o *ir.Operation) {
	w := r.w
	r.open(o, ", in []"+r.names.insert, w.S("([]", r.pawl("Upserted"), "[", r.names.row, "], error)"))
	w.P("return ", r.call(o, "UpsertMany"), r.dest(), ", in, func(in *", r.names.insert, ") []any {")
	values := make([]string, len(r.ir.Insert))
	for i, f := range r.ir.Insert {
		values[i] = r.argument(f, "in."+r.names.fields[f.Name])
	}
	r.emitList("return []any{", values, "}")
	w.P("})")
	w.P("}")
}

// codecName is the type by which pgx spells a value as PostgreSQL does: the
// column's own where pgx knows it, else text.
func codecName(t ir.Type) string {
	base := t.Base()
	name := base.Name
	switch base.Kind {
	case ir.ArrayType:
		if elem := codecName(*base.Elem); baseTypes[elem].listable() {
			return "_" + elem
		}
		return "_text"
	case ir.EnumType, ir.DomainType:
		return "text"
	case ir.OtherType:
		name = internalName(name)
	case ir.BaseType:
	}
	if _, known := baseTypes[name]; known && name != "macaddr" && name != "hstore" {
		return name
	}
	return "text"
}
