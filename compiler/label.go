package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// comparison is a text that compares columns with literals. They are checked
// once the states of all columns are known.
type comparison struct {
	table  *table
	what   string
	source dsl.SQL
	labels []pgsql.LabelRef
}

// comparedLabels refuses literals that the column beside them never holds.
func (c *compilation) comparedLabels() {
	for _, cmp := range c.compared {
		for _, label := range cmp.labels {
			c.comparedLabel(cmp, label)
		}
	}
}

func (c *compilation) comparedLabel(cmp comparison, label pgsql.LabelRef) {
	col := cmp.table.byName[label.Column]
	if col == nil || !col.known {
		return
	}
	d := diag.Diagnostic{
		Code:    diag.UnknownState,
		Subject: c.within(cmp.source, label.Offset, label.Length),
		Label:   "no such value",
	}
	var values []string
	switch {
	case col.typ.Kind == ir.EnumType:
		values = c.enumValuesOf(col.typ)
		d.Detail = "The type of column " + quote(col.name) + " has no value " + quote(label.Text) + "."
		d.Consequence = "PostgreSQL would refuse the statement (22P02)."
	case col.governs != nil && !label.Ordered:
		values = col.governs.states
		d.Detail = "The column " + quote(col.name) + " has no state " + quote(label.Text) + "."
		d.Consequence = "The comparison has one result for every row, and nothing would tell: this " + cmp.what + " covers too much or too little."
	case cmp.what == "since":
		return // which says more of a moment
	case holdsTime(col.typ) && momentIn(label.Text) != "":
		c.frozenTime(d, label.Text, momentIn(label.Text), cmp.what)
		return
	default:
		return
	}
	if slices.Contains(values, label.Text) {
		return
	}
	d.Help = didYouMean(label.Text, values, "")
	c.report(d)
}
