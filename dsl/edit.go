package dsl

import "github.com/pawldb/pawl/internal/diag"

var editSchema = blockSchema{
	Type: "edit", Repeats: true, Label: "the name of the operation", Doc: "read a row, decide in Go, write the same row",
	Attrs: []attrSchema{
		{Name: "columns", Kind: namesKind, Required: true, Doc: "the columns that it writes"},
		{Name: "rows", Kind: choiceKind, Choices: []string{"one", "many"}, Doc: "how many rows it locks: one, or many in the order of their keys"},
		{Name: "wait", Kind: stringKind, Doc: "how long to wait for the row, or nowait"},
		operationNameAttr, transactionAttr,
	},
}

func decodeEdits(parent *body) []*Edit {
	var edits []*Edit
	for _, b := range parent.each(&editSchema) {
		edits = append(edits, &Edit{
			Block:       b.block,
			Rename:      b.goName("name"),
			Columns:     b.names("columns"),
			List:        b.rangeOf("columns"),
			Rows:        b.choice("rows"),
			Wait:        b.wait("wait"),
			Transaction: b.operation("transaction"),
		})
	}
	return edits
}

// wait reads "nowait" or a length of time, as text.
func (b *body) wait(attribute string) Value[string] {
	v := b.text(attribute)
	if !v.Set || v.V == "nowait" {
		return v
	}
	if d, ok := parseDuration(v.V); ok && d >= shortest && d <= longest && d%shortest == 0 {
		return v
	}
	b.p.report(diag.Diagnostic{
		Code:    diag.InvalidDuration,
		Detail:  quote(v.V) + " is no time to wait.",
		Subject: v.Range,
		Help:    "write \"nowait\", or a number with a unit, in whole milliseconds: \"500ms\", \"5s\"",
	})
	v.Set = false
	return v
}
