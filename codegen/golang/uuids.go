package golang

import (
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// resolveUUID reads the Go type of uuid that the generate block names.
func (n *names) resolveUUID() {
	given := n.program.Go.UUID
	if given == "" {
		return
	}
	t, ok := parseGoType(given)
	if !ok || t.prefix != "" || t.ident.path == "" && t.ident.name != "string" {
		n.problems = append(n.problems, Problem{
			Pos:  n.program.Go.Pos,
			Text: fmt.Sprintf("uuid = %q names no Go type that holds a uuid", given),
			Help: `write the import path, a dot and the type, uuid = "github.com/google/uuid.UUID", or uuid = "string"`,
		})
		return
	}
	n.chosen.uuid = t
}

// uuidPackage is the name by which the chosen type of uuid is imported; empty when
// there is none. No parameter may bear it.
func (n *typeNames) uuidPackage() string {
	if n.uuid.ident.path == "" {
		return ""
	}
	return guessPackage(n.uuid.ident.path)
}

// The generated functions that convert lists of uuids: of values, and of pointers.
const (
	uuidList       = "uuidList"
	uuidListOrNull = uuidList + orNull
)

// uuidList reports whether a value is a list of the chosen type of uuid, which has
// to travel as pgx's own. A list of texts travels as it is.
func (e *emitter) uuidList(r *ir.Repository, f ir.Field) bool {
	chosen := e.names.chosen.uuid.ident
	t := f.Type.Base()
	return chosen.path != "" && chosen != (ident{pgtypePath, "UUID"}) &&
		t.Kind == ir.ArrayType && t.Elem.Base().Name == "uuid" && e.typeOf(r, f).ident == chosen
}

// emitUUIDLists writes the functions that convert such lists, where statements take
// any.
func (e *emitter) emitUUIDLists(w *writer) {
	plain, nullable := e.listArguments(e.uuidList)
	if plain {
		e.emitUUIDList(w, uuidList, "", "list[i] = "+w.S(ident{pgtypePath, "UUID"})+"{Bytes: value, Valid: true}")
	}
	if nullable {
		e.emitUUIDList(w, uuidListOrNull, "*", "if value != nil {", "list[i] = "+w.S(ident{pgtypePath, "UUID"})+"{Bytes: *value, Valid: true}", "}")
	}
}

// emitUUIDList writes a function that makes pgx's uuids of others.
func (e *emitter) emitUUIDList(w *writer, name, pointer string, convert ...string) {
	native := ident{pgtypePath, "UUID"}
	w.P()
	w.Doc(name + " is what a list of uuids travels as: in two of its execution modes pgx sends no list of another type than its own.")
	w.P("func ", name, "[S ~[]", pointer, "E, E ~[16]byte](values S) []", native, " {")
	w.P("if values == nil {")
	w.P("return nil")
	w.P("}")
	w.P("list := make([]", native, ", len(values))")
	w.P("for i, value := range values {")
	for _, line := range convert {
		w.P(line)
	}
	w.P("}")
	w.P("return list")
	w.P("}")
}
