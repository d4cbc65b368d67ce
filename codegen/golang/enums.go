package golang

import (
	"fmt"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitEnums writes enums_gen.go: a string type with constants for each enum. It
// has no Scan method: pgx reads and writes such a type by itself, and one with a
// Scan method would not work as *T or in an array.
func (e *emitter) emitEnums() {
	enums := e.program.Schema.Enums
	if len(enums) == 0 {
		return
	}
	w := e.file(enumSources(enums)...)
	for i := range enums {
		e.emitEnum(w, &enums[i])
	}
	if e.usesEnumArrays() {
		w.P()
		w.Doc("enumTexts is what an array of an enum travels as: pgx has no codec for it that every connection knows, " +
			"so statements take text[] and cast it.")
		w.P("func ", enumTexts, "[S ~[]E, E ~string](values S) []string {")
		w.P("if values == nil {")
		w.P("return nil")
		w.P("}")
		w.P("texts := make([]string, len(values))")
		w.P("for i, value := range values {")
		w.P("texts[i] = string(value)")
		w.P("}")
		w.P("return texts")
		w.P("}")
	}
	e.finish("enums_gen.go", w)
}

// enumTexts is the generated function that converts enum arrays.
const enumTexts = "enumTexts"

func enumSources(enums []ir.Enum) []ir.Pos {
	sources := make([]ir.Pos, len(enums))
	for i := range enums {
		sources[i] = enums[i].Origin.Pos
	}
	return sources
}

func (e *emitter) emitEnum(w *writer, enum *ir.Enum) {
	key := ir.Qualified(enum.Schema, enum.Name)
	typ := e.names.enums[key]
	w.P()
	w.Doc(fmt.Sprintf("%s is a value of the enum %s.", typ, key))
	w.P("type ", typ, " string")
	if len(enum.Values) == 0 {
		return
	}
	w.P()
	w.Doc(fmt.Sprintf("The values of %s, in the order of the enum.", typ))
	w.P("const (")
	for i, value := range enum.Values {
		w.P(e.names.labels[key][i], " ", typ, " = ", strconv.Quote(value))
	}
	w.P(")")
}

// usesEnumArrays reports whether some statement takes an array of an enum.
func (e *emitter) usesEnumArrays() bool {
	for i := range e.program.Repositories {
		operations := e.program.Repositories[i].Operations
		for j := range operations {
			for _, s := range operations[j].Statements {
				for _, arg := range s.Args {
					if enumArray(arg.Type) {
						return true
					}
				}
			}
		}
	}
	return false
}
