package golang

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// resolveRows names what makes the rows of a repository, unless nothing can.
func (t *raceTests) resolveRows(index int) {
	r, n := &t.program.Repositories[index], &t.names.repositories[index]
	to := &t.rows[index]
	to.list = t.scope.fresh("racesOf" + n.typ)
	if r.Queue != nil || hasKind(r, ir.InsertOp) {
		to.make = t.scope.fresh("raceRowOf" + n.typ)
	}
	switch {
	case r.Queue != nil:
		to.enqueue = t.scope.fresh("raceEnqueued" + n.typ)
	case hasKind(r, ir.InsertOp):
		to.row = t.scope.fresh("raceInserted" + n.row)
	}
}

// raceRepository writes the races of one table or queue.
type raceRepository struct {
	*raceTests
	index int
	ir    *ir.Repository
	names *repositoryNames
	table *ir.Table
	w     *writer
}

// spell spells a type of the generated package as the tests see it.
func (r *raceRepository) spell(t goType) string { return r.w.typ(r.outside(t)) }

// outside is a type seen from another package.
func (r *raceRepository) outside(t goType) goType {
	if t.ident.path == "" && !predeclaredTypes[t.ident.name] && t.ident.name != "byte" {
		t.ident = r.in(t.ident.name)
	}
	return t
}

// emitRows writes what makes up a row, and what inserts it.
func (r *raceRepository) emitRows() {
	w, rows := r.w, r.rows[r.index]
	if rows.make == "" {
		return
	}
	result, fields := r.in(r.names.insert), r.ir.Insert
	if r.ir.Queue != nil {
		result, fields = r.in(r.names.args), r.ir.Queue.Payload
	}
	w.P()
	w.Doc(fmt.Sprintf("%s makes up row n of %s. Another function may be put here.", rows.make, ir.Qualified(r.ir.Schema, r.ir.Table)))
	w.P("var ", rows.make, " = func(s *raceSetup, n int) ", result, " {")
	w.P("return ", result, "{")
	for _, f := range fields {
		if value := r.columnValue(f); value != "" {
			w.P(r.names.fields[f.Name], ": ", value, ",")
		}
	}
	w.P("}")
	w.P("}")
	if r.ir.Queue != nil {
		r.emitInserted(rows.enqueue, "the id of task n, enqueued once", "int64", ir.EnqueueOp)
		return
	}
	r.emitInserted(rows.row, "row n, inserted once", w.S(r.in(r.names.row)), ir.InsertOp)
}

// emitInserted writes the function that brings a made-up row into its table.
func (r *raceRepository) emitInserted(function, promise, result string, kind ir.OperationKind) {
	w, rows := r.w, r.rows[r.index]
	w.P()
	w.Doc(function + " is " + promise + ".")
	w.P("func ", function, "(s *raceSetup, n int) ", result, " {")
	insert := "s.db." + r.names.typ + "." + r.methodOf(kind)
	if r.operation(kind).NeedsTransaction {
		context, store, in := w.S(ident{"context", "Context"}), w.S(r.in("Store")), w.S(r.in(r.names.args))
		insert = "func(ctx " + context + ", in " + in + ") (" + result + ", error) {\n" +
			"return " + w.S(r.in("InTx")) + "(ctx, s.db, func(ctx " + context + ", tx *" + store + ") (" + result + ", error) {\n" +
			"return tx." + r.names.typ + "." + r.methodOf(kind) + "(ctx, in)\n})\n}"
	}
	w.P("return raceRow(s, ", strconv.Quote(rows.make), ", n, ", rows.make, ", ", insert, ")")
	w.P("}")
}

// methodOf is the name of the repository's first method of a kind.
func (r *raceRepository) methodOf(kind ir.OperationKind) string {
	if o := r.operation(kind); o != nil {
		return r.names.methods[o.Address]
	}
	return ""
}

func (r *raceRepository) operation(kind ir.OperationKind) *ir.Operation {
	for i := range r.ir.Operations {
		if o := &r.ir.Operations[i]; o.Kind == kind && !o.Internal {
			return o
		}
	}
	return nil
}

// columnValue is the value of a column in row n; empty when the column is left to
// its default or to NULL. A column of a key is always given: what is left out
// conflicts with nothing.
func (r *raceRepository) columnValue(f ir.Field) string {
	if !given(r.ir, f) {
		return ""
	}
	typ := r.plainType(f)
	value := r.parentValue(f, typ, "n")
	if value == "" {
		value = r.stateValue(f)
	}
	if value == "" && r.endsSpan(f.Name) {
		value = r.value(f.Type, typ, "n+1")
	}
	if value == "" {
		value = r.value(f.Type, typ, "n")
	}
	if (f.Optional || f.Null) && typ.orNull().prefix != typ.prefix {
		value = "raceRef(" + value + ")"
	}
	return value
}

// plainType is the Go type of a field that is given.
func (r *raceRepository) plainType(f ir.Field) goType {
	f.Null, f.Optional = false, false
	return r.typeOf(r.ir, f)
}

// given reports whether made-up rows have a value in a column.
func given(r *ir.Repository, f ir.Field) bool {
	return !f.Optional && !f.Null || slices.ContainsFunc(r.Reported, func(c ir.Reported) bool {
		return (c.Kind == ir.Duplicate || c.Kind == ir.Overlap) && !c.Inherited && slices.Contains(c.Columns, f.Name)
	})
}

// endsSpan reports whether a column is the second one of a range that two columns
// make: its value has to come after that of the first.
func (r *raceRepository) endsSpan(column string) bool {
	for _, invariant := range r.program.Invariants {
		rule, ok := invariant.(*ir.NoOverlap)
		if !ok || rule.Base.Table != r.table.Ref() {
			continue
		}
		at := slices.IndexFunc(r.ir.Reported, func(c ir.Reported) bool { return c.Kind == ir.Overlap && c.Address == rule.Base.Address })
		if at < 0 {
			continue
		}
		bounds := slices.DeleteFunc(slices.Clone(r.ir.Reported[at].Columns), func(c string) bool { return slices.Contains(rule.Within, c) })
		if len(bounds) == 2 && bounds[1] == column {
			return true
		}
	}
	return false
}

// parentValue is the key of the row that a foreign key refers to, as row n has
// it; empty when the column is of no foreign key whose parent can be made.
func (r *raceRepository) parentValue(f ir.Field, typ goType, n string) string {
	for i := range r.table.ForeignKeys {
		key := &r.table.ForeignKeys[i]
		at := slices.Index(key.Columns, f.Name)
		parent := r.parentOf(key)
		if at < 0 || parent < 0 || r.reaches(parent, r.index, map[int]bool{}) {
			continue
		}
		p := &r.program.Repositories[parent]
		for _, column := range p.Row {
			if column.Name == key.RefColumns[at] && reflect.DeepEqual(r.typeOf(p, column), typ) {
				return fmt.Sprintf("%s(s, %s).%s", r.rows[parent].row, n, r.emitter.names.repositories[parent].fields[column.Name])
			}
		}
	}
	return ""
}

// parentOf is the index of the repository that a foreign key refers to, -1 when
// its rows cannot be made.
func (t *raceTests) parentOf(key *ir.ForeignKey) int {
	for i := range t.program.Repositories {
		if p := &t.program.Repositories[i]; p.Schema == key.RefSchema && p.Table == key.RefTable && t.rows[i].row != "" {
			return i
		}
	}
	return -1
}

// reaches reports whether rows of one repository need rows of another, by way of
// foreign keys whose columns they have. A circle of rows cannot be made parents
// first.
func (t *raceTests) reaches(from, to int, seen map[int]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	r := &t.program.Repositories[from]
	return slices.ContainsFunc(t.tableOf(r).ForeignKeys, func(key ir.ForeignKey) bool {
		empty := slices.ContainsFunc(r.Insert, func(f ir.Field) bool { return slices.Contains(key.Columns, f.Name) && !given(r, f) })
		if empty {
			return false
		}
		parent := t.parentOf(&key)
		return parent >= 0 && t.reaches(parent, to, seen)
	})
}

// tableOf is a repository's table.
func (t *raceTests) tableOf(r *ir.Repository) *ir.Table {
	for i := range t.program.Schema.Tables {
		if table := &t.program.Schema.Tables[i]; table.Schema == r.Schema && table.Name == r.Table {
			return table
		}
	}
	return &ir.Table{}
}

// stateValue is the state in which a row begins, for a column of transitions.
func (r *raceRepository) stateValue(f ir.Field) string {
	for _, rule := range r.transitions() {
		if rule.Column == f.Name && len(rule.Initial) > 0 {
			return r.stateLiteral(f.Type, rule.Initial[0])
		}
	}
	return ""
}

// stateLiteral spells a state in Go.
func (r *raceRepository) stateLiteral(t ir.Type, state string) string {
	t = t.Base()
	if t.Kind == ir.EnumType {
		return r.enumLiteral(t, state)
	}
	return strconv.Quote(state)
}

// enumLiteral is the constant of an enum's value, the first one when value is
// empty.
func (r *raceRepository) enumLiteral(t ir.Type, value string) string {
	for _, e := range r.program.Schema.Enums {
		if e.Schema != t.Schema || e.Name != t.Name {
			continue
		}
		if at := max(slices.Index(e.Values, value), 0); at < len(e.Values) {
			return r.w.S(r.in(r.emitter.names.labels[ir.Qualified(e.Schema, e.Name)][at]))
		}
	}
	return r.w.S(r.in(r.emitter.names.chosen.enums[t.SQL()]), `("")`)
}

// transitions are the rules of the table's states.
func (r *raceRepository) transitions() []*ir.Transitions {
	var list []*ir.Transitions
	for _, invariant := range r.program.Invariants {
		if rule, ok := invariant.(*ir.Transitions); ok && rule.Base.Table == r.table.Ref() {
			list = append(list, rule)
		}
	}
	return list
}

// value is a value of a type that differs for each n, where the type has enough.
// A type that nothing is known of has its zero value, which the server may refuse:
// the test then says which row to give it.
func (r *raceRepository) value(t ir.Type, typ goType, n string) string {
	mods := t.Mods
	t = t.Base()
	switch {
	case t.Name == "uuid" && typ.ident == ident{"", "string"}:
		return r.w.S(ident{"fmt", "Sprintf"}, `("00000000-0000-0000-0000-%012d", `, n, ")")
	case t.Name == "uuid" && typ.ident == r.emitter.names.chosen.uuid.ident && typ.ident != ident{pgtypePath, "UUID"}:
		return r.spell(typ) + "{15: byte(" + n + ")}" // an array of sixteen bytes
	case typ.ident.path != "" && typ.ident.path != pgtypePath && !standard(typ.ident.path):
		return "*new(" + r.spell(typ) + ")" // of a go block
	case t.Kind == ir.EnumType:
		return r.enumLiteral(t, "")
	case t.Kind == ir.ArrayType:
		elem := typ
		elem.prefix = strings.TrimPrefix(typ.prefix, "[]")
		plain, pointers := strings.CutPrefix(elem.prefix, "*")
		elem.prefix = plain
		value := r.value(*t.Elem, elem, n)
		if pointers {
			value = "raceRef(" + value + ")"
		}
		return r.spell(typ) + "{" + value + "}"
	case strings.HasSuffix(t.Name, "multirange") && len(typ.args) == 1:
		return r.spell(typ) + "{" + r.rangeValue(typ.args[0].args[0], n) + "}"
	case len(typ.args) == 1:
		return r.rangeValue(typ.args[0], n)
	case t.Name == "macaddr":
		return strconv.Quote("08:00:2b:01:02:03")
	case t.Name == "bit" || t.Name == "varbit":
		return r.bits(typ, mods)
	}
	return r.scalar(typ, n)
}

// bits are as many bits as the type has, all zero.
func (r *raceRepository) bits(typ goType, mods []int) string {
	length := 1
	if len(mods) > 0 {
		length = mods[0]
	}
	return fmt.Sprintf("%s{Bytes: make([]byte, %d), Len: %d, Valid: true}", r.spell(typ), (length+7)/8, length)
}

// rangeValue is the range from the n-th value to the one after it.
func (r *raceRepository) rangeValue(bound goType, n string) string {
	return "raceRange(" + r.scalar(bound, n) + ", " + r.scalar(bound, n+"+1") + ")"
}

// scalar is a value of a Go type.
func (r *raceRepository) scalar(typ goType, n string) string {
	switch typ.ident {
	case ident{"", "string"}:
		return "raceText(" + n + ")"
	case ident{"", "bool"}:
		return "true"
	case ident{"", "byte"}:
		return "[]byte(raceText(" + n + "))"
	case ident{"encoding/json", "RawMessage"}:
		return r.spell(typ) + "(raceJSON(" + n + "))"
	case ident{"time", "Time"}:
		return "raceTime(" + n + ")"
	case ident{"net/netip", "Prefix"}:
		return r.w.S(ident{"net/netip", "PrefixFrom"}, "(", ident{"net/netip", "AddrFrom4"}, "([4]byte{10, 0, 0, byte(", n, ")}), 32)")
	case ident{pgtypePath, "Numeric"}:
		return "raceNumeric(" + n + ")"
	}
	if typ.ident.path == "" && typ.prefix == "" && predeclaredTypes[typ.ident.name] {
		return r.spell(typ) + "(" + n + ")"
	}
	if field, ok := pgtypeFields[typ.ident.name]; ok && typ.ident.path == pgtypePath {
		field = strings.ReplaceAll(field, "pgtype.", r.w.importName(pgtypePath)+".")
		return r.spell(typ) + "{" + strings.ReplaceAll(field, "$", n) + ", Valid: true}"
	}
	return "*new(" + r.spell(typ) + ")"
}

// pgtypeFields are what holds the value in types of pgtype; $ is the number.
var pgtypeFields = map[string]string{
	"Int4": "Int32: int32($)", "Int8": "Int64: int64($)", "Time": "Microseconds: int64($)",
	"Interval": "Microseconds: int64($) * 1000000", "Timestamp": "Time: raceTime($)", "Timestamptz": "Time: raceTime($)",
	"Date": "Time: raceTime($)", "UUID": "Bytes: [16]byte{15: byte($)}",
	"Point": "P: pgtype.Vec2{X: float64($)}", "Circle": "R: float64($)", "Line": "A: float64($)",
	"Box": "P: [2]pgtype.Vec2{{X: float64($)}}", "Lseg": "P: [2]pgtype.Vec2{{X: float64($)}}",
	"Path": "P: []pgtype.Vec2{{X: float64($)}}", "Polygon": "P: []pgtype.Vec2{{X: float64($)}}",
	"TID": "OffsetNumber: uint16($)", "TSVector": "Lexemes: []pgtype.TSVectorLexeme{{Word: raceText($)}}",
}
