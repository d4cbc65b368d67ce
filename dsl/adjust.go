package dsl

import (
	"github.com/pawldb/pawl/internal/diag"
)

var adjustSchema = blockSchema{
	Type: "adjust", Repeats: true, Label: "the name of the operation", Doc: "columns change by a formula and every check still holds",
	Attrs: []attrSchema{
		{Name: "set", Kind: setKind, Required: true, Doc: "the columns and their new values"},
		{Name: "args", Kind: argsKind, Doc: "arguments, used as @name"},
		{Name: "guard", Kind: sqlKind, Doc: "a condition besides the one that follows from the checks"},
		{Name: "positive", Kind: namesKind, Empty: true, Doc: "the arguments that must be above zero"},
		{Name: "wait", Kind: stringKind, Doc: "how long to wait for the row, or nowait"},
		operationNameAttr, transactionAttr,
	},
}

func decodeAdjusts(parent *body) []*Adjust {
	var adjusts []*Adjust
	for _, b := range parent.each(&adjustSchema) {
		a := &Adjust{
			Block:       b.block,
			Rename:      b.goName("name"),
			Args:        b.args("args"),
			Set:         b.set("set"),
			Guard:       b.sql("guard"),
			Positive:    b.names("positive"),
			Wait:        b.wait("wait"),
			Transaction: b.operation("transaction"),
		}
		expr, _ := b.attr("positive")
		a.PositiveSet = expr != nil
		adjusts = append(adjusts, a)
	}
	return adjusts
}

// operation reads transaction.NAME, or nil when it was left out or refused.
func (b *body) operation(attribute string) *Name {
	expr, s := b.attr(attribute)
	if expr == nil {
		return nil
	}
	v, ok := b.p.value(expr, s)
	if !ok {
		return nil
	}
	if !v.Type().Equals(operationCapsule) || v.IsNull() {
		b.p.report(diag.Diagnostic{
			Code:    diag.WrongType,
			Detail:  "This must be a transaction, and it is " + describe(v) + ".",
			Subject: expr.Range(),
			Help:    "write transaction.NAME, without quotes",
		})
		return nil
	}
	return &Name{Text: *v.EncapsulatedValue().(*string), Range: expr.Range()}
}
