package golang

import (
	"fmt"
	"strconv"
	"strings"

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
	plain, nullable := e.listArguments(func(_ *ir.Repository, f ir.Field) bool { return enumArray(f.Type) })
	if plain {
		emitEnumTexts(w, enumTexts, "string", "texts[i] = string(value)")
	}
	if nullable {
		emitEnumTexts(w, enumTextsOrNull, "*string", "if value != nil {", "text := string(*value)", "texts[i] = &text", "}")
	}
	e.finish("enums_gen.go", w)
}

// The generated functions that convert enum arrays: of values, and of pointers.
const (
	enumTexts       = "enumTexts"
	enumTextsOrNull = enumTexts + orNull
	orNull          = "OrNull"
)

// emitEnumTexts writes a function that makes texts of the values of an enum.
func emitEnumTexts(w *writer, name, text string, convert ...string) {
	pointer := strings.TrimSuffix(text, "string")
	w.P()
	w.Doc(name + " is what an array of an enum travels as: pgx has no codec for it that every connection knows, " +
		"so statements take text[] and cast it.")
	w.P("func ", name, "[S ~[]", pointer, "E, E ~string](values S) []", text, " {")
	w.P("if values == nil {")
	w.P("return nil")
	w.P("}")
	w.P("texts := make([]", text, ", len(values))")
	w.P("for i, value := range values {")
	for _, line := range convert {
		w.P(line)
	}
	w.P("}")
	w.P("return texts")
	w.P("}")
}

func enumSources(enums []ir.Enum) []ir.Pos {
	sources := make([]ir.Pos, len(enums))
	for i := range enums {
		sources[i] = enums[i].Origin.Pos
	}
	return sources
}

func (e *emitter) emitEnum(w *writer, enum *ir.Enum) {
	key := ir.Qualified(enum.Schema, enum.Name)
	typ := e.names.chosen.enums[key]
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

// listArguments reports whether statements take lists of a kind: such as hold no
// NULL, and such as may.
func (e *emitter) listArguments(ofKind func(*ir.Repository, ir.Field) bool) (plain, nullable bool) {
	for i := range e.program.Repositories {
		r := &e.program.Repositories[i]
		for j := range r.Operations {
			for _, s := range r.Operations[j].Statements {
				for _, arg := range s.Args {
					if !ofKind(r, arg) {
						continue
					}
					if e.pointerElements(r, arg) {
						nullable = true
					} else {
						plain = true
					}
				}
			}
		}
	}
	return plain, nullable
}

// pointerElements reports whether a value is a list of pointers.
func (e *emitter) pointerElements(r *ir.Repository, f ir.Field) bool {
	return strings.HasPrefix(e.typeOf(r, f).prefix, "[]*")
}
