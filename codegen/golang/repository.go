package golang

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/pawldb/pawl/compiler/ir"
)

// repository writes the file of one table or queue.
type repository struct {
	*emitter
	ir       *ir.Repository
	names    *repositoryNames
	w        *writer
	receiver string // of its methods
}

// emitRepository writes <noun>_gen.go in the order in which it is read: the
// types, the methods as the specification declares them, then SQL and
// descriptors.
func (e *emitter) emitRepository(index int) {
	r := &repository{emitter: e, ir: &e.program.Repositories[index], names: &e.names.repositories[index]}
	r.w = e.file(r.ir.Pos)
	r.receiver = receiverName(r.names.typ)
	if r.ir.Queue != nil {
		r.emitQueueTypes()
	} else {
		r.emitRow()
		r.emitInsert()
		r.emitValues()
		r.emitUpdate()
		r.emitBatchItems()
		r.emitType()
	}
	for i := range r.ir.Operations {
		r.emitMethod(&r.ir.Operations[i])
	}
	switch {
	case r.ir.Queue == nil:
	case r.ir.Queue.Outbox:
		r.emitRelay()
	default:
		r.emitWork()
	}
	e.emitStatements(r.w, r.ir.Operations, r.names.consts)
	r.emitDescriptors()
	e.finish(r.names.file+"_gen.go", r.w)
}

// receiverName is the usual one: the type's first letter.
func receiverName(typ string) string {
	first := unicode.ToLower([]rune(typ)[0])
	if first < 'a' || first > 'z' {
		return "r"
	}
	return string(first)
}

// emitRow writes the struct of a row and its scan targets.
func (r *repository) emitRow() {
	w := r.w
	w.P()
	w.Doc(sentence(fmt.Sprintf("%s is a row of %s. ", r.names.row, ir.Qualified(r.ir.Schema, r.ir.Table)), r.ir.Comment, ""))
	r.emitStruct(r.names.row, r.ir.Row)
	r.emitDest(r.names.row, "", r.ir.Row)
}

// emitStruct writes a struct of columns, on one line when there are none.
func (r *repository) emitStruct(name string, fields []ir.Field) {
	if len(fields) == 0 {
		r.w.P("type ", name, " struct{}")
		return
	}
	r.w.P("type ", name, " struct {")
	r.emitFields(fields)
	r.w.P("}")
}

// emitFields writes the fields of a struct, each with its column's comment.
func (r *repository) emitFields(fields []ir.Field) {
	for _, f := range fields {
		if comment := r.columnComment(f.Name); comment != "" {
			r.w.Doc(comment)
		}
		r.w.P(r.names.fields[f.Name], " ", r.typeOf(r.ir, f))
	}
}

// columnComment is the comment that the specification gives a column.
func (r *repository) columnComment(column string) string {
	if c := r.emitter.names.columns[tableColumn{r.ir.Schema, r.ir.Table, column}]; c != nil {
		return c.Comment
	}
	return ""
}

// emitDest writes the method that gives a struct's scan targets.
func (r *repository) emitDest(typ, doc string, fields []ir.Field, further ...string) {
	receiver := receiverName(typ)
	targets := make([]string, len(fields))
	for i, f := range fields {
		targets[i] = "&" + receiver + "." + r.names.fields[f.Name]
	}
	for _, field := range further {
		targets = append(targets, "&"+receiver+"."+field)
	}
	r.w.P()
	if doc == "" {
		doc = "dest are the scan targets of a row, in the order in which every statement returns its columns."
	}
	r.w.Doc(doc)
	r.w.P("func (", receiver, " *", typ, ") dest() []any {")
	r.emitList("return []any{", targets, "}")
	r.w.P("}")
}

// emitList writes a list on one line, or an element a line when it would be long.
func (r *repository) emitList(open string, elements []string, end string) {
	line := open + strings.Join(elements, ", ") + end
	if len(line) <= 110 {
		r.w.P(line)
		return
	}
	r.w.P(open)
	for _, element := range elements {
		r.w.P(element, ",")
	}
	r.w.P(end)
}

// emitInsert writes the struct that an insert takes.
func (r *repository) emitInsert() {
	if !hasKind(r.ir, ir.InsertOp) {
		return
	}
	doc := fmt.Sprintf("%s is what an insert into %s takes.", r.names.insert, ir.Qualified(r.ir.Schema, r.ir.Table))
	if hasOptional(r.ir.Insert) {
		doc += " Where a field is nil, the column's default holds, or NULL where it has none."
	}
	r.w.P()
	r.w.Doc(doc)
	r.emitStruct(r.names.insert, r.ir.Insert)
}

func hasOptional(fields []ir.Field) bool {
	for _, f := range fields {
		if f.Optional || f.Null {
			return true
		}
	}
	return false
}

// emitType writes the repository's type.
func (r *repository) emitType() {
	r.w.P()
	r.w.Doc(fmt.Sprintf("%s reads and writes %s.%s", r.names.typ, ir.Qualified(r.ir.Schema, r.ir.Table), r.onlyMoves()))
	r.w.P("type ", r.names.typ, " struct{ session *", r.pawl("Session"), " }")
}

// onlyMoves says which columns have no other way to change than their moves.
func (r *repository) onlyMoves() string {
	if len(r.ir.Transitions) == 0 {
		return ""
	}
	return " Only its moves change " + strings.Join(r.ir.Transitions, " and ") + "."
}
