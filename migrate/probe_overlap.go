package migrate

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// conflicts is a probe for an exclusion constraint: rows that it would not let
// stand beside each other. In general each row has to be compared with each
// other one; ranges that must not overlap within groups are sorted instead.
func conflicts(t *ir.Table, id ir.ObjectID, e ir.Exclude) *probe {
	o := exclusion{id: id, Exclude: e}
	columns := []string{"ctid AS pawl_row"}
	if t.PrimaryKey != nil {
		for n, column := range t.PrimaryKey.Columns {
			columns = append(columns, fmt.Sprintf("%s AS pawl_key%d", ir.Ident(column), n))
			o.show(fmt.Sprintf("pawl_key%d", n), column)
		}
	}
	for n, element := range e.Elements {
		columns = append(columns, fmt.Sprintf("%s AS pawl_%d", elementTerm(element), n))
		o.show(fmt.Sprintf("pawl_%d", n), elementName(element, n))
		o.same = append(o.same, fmt.Sprintf("a.pawl_%d %s b.pawl_%d", n, element.Operator, n))
	}
	where := ""
	if e.Where != "" {
		where = " WHERE (" + e.Where + "\n)"
	}
	o.rows = "SELECT " + strings.Join(columns, ", ") + " FROM " + t.Ref().SQL() + where + "\n"
	p := o.pairs()
	if n := o.span(); n >= 0 {
		p.sweep = o.sweep(n)
		p.sweeps = "SELECT COALESCE((SELECT typtype = 'r' FROM pg_catalog.pg_type WHERE oid = pg_typeof((SELECT " +
			elementTerm(e.Elements[n]) + " FROM " + t.Ref().SQL() + " LIMIT 1))), false)"
	}
	return p
}

// exclusion is what the two probes for an exclusion constraint are made of. The
// two rows of a pair are a, the first, and b.
type exclusion struct {
	ir.Exclude
	id    ir.ObjectID
	rows  string   // query for what takes part, with columns that begin with pawl_
	shown []string // what a sample shows of a pair
	same  []string // conditions that make two rows a pair
}

func (o *exclusion) show(column, name string) {
	o.shown = append(o.shown, "a."+column+" AS "+ir.Ident("first_"+name), "b."+column+" AS "+ir.Ident("second_"+name))
}

// pairs compares all rows with all others.
func (o *exclusion) pairs() *probe {
	return &probe{
		object: o.id, origin: o.Origin, one: "1 pair of rows stands in each other's way", many: "%d pairs of rows stand in each other's way",
		unbounded: true,
		query: "WITH pawl_rows AS MATERIALIZED (" + o.rows + ") SELECT " + strings.Join(o.shown, ", ") +
			" FROM pawl_rows a JOIN pawl_rows b ON a.pawl_row < b.pawl_row AND " + strings.Join(o.same, " AND "),
	}
}

// span is the number of the element that must not overlap, when all others are
// compared for being equal; negative when the constraint is of another kind.
func (o *exclusion) span() int {
	span := -1
	for n, element := range o.Elements {
		switch {
		case element.Operator == "&&" && span < 0:
			span = n
		case element.Operator != "=":
			return -1
		}
	}
	return span
}

// sweep sorts the ranges of each group by where they begin and keeps the
// furthest end so far: a range that begins before it overlaps one before. Ends
// that belong to their range are kept apart, since two ranges also overlap where
// one ends at the point at which the other begins, when both hold that point.
func (o *exclusion) sweep(span int) *probe {
	r := fmt.Sprintf("pawl_%d", span)
	var groups []string
	filters := []string{"NOT isempty(" + r + ")"}
	for n := range o.Elements {
		if n != span {
			groups = append(groups, fmt.Sprintf("pawl_%d", n))
			filters = append(filters, fmt.Sprintf("pawl_%d IS NOT NULL", n))
		}
	}
	partition := ""
	if len(groups) > 0 {
		partition = "PARTITION BY " + strings.Join(groups, ", ") + " "
	}
	swept := "SELECT *, count(*) OVER pawl_w AS pawl_before, bool_or(upper_inf(" + r + ")) OVER pawl_w AS pawl_endless, " +
		"max(upper(" + r + ")) OVER pawl_w AS pawl_end, " +
		"max(upper(" + r + ")) FILTER (WHERE upper_inc(" + r + ")) OVER pawl_w AS pawl_last " +
		"FROM (" + o.rows + ") pawl_rows WHERE " + strings.Join(filters, " AND ") +
		" WINDOW pawl_w AS (" + partition + "ORDER BY " + r + " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
	return &probe{
		object: o.id, origin: o.Origin, one: "1 row stands in the way of another", many: "%d rows stand in the way of others",
		query: "SELECT * FROM (" + swept + ") pawl_swept WHERE pawl_before > 0 AND (pawl_endless OR lower_inf(" + r + ") OR " +
			"lower(" + r + ") < pawl_end OR lower_inc(" + r + ") AND lower(" + r + ") <= pawl_last)",
		// Only for the few that are shown is one of those looked for that they overlap.
		sample: "SELECT " + strings.Join(o.shown, ", ") + fmt.Sprintf(" FROM (SELECT * FROM violators LIMIT %d) b ", maxSamples) +
			"CROSS JOIN LATERAL (SELECT * FROM (" + o.rows + ") a WHERE a.pawl_row <> b.pawl_row AND " +
			strings.Join(o.same, " AND ") + " ORDER BY a." + r + " LIMIT 1) a",
	}
}

func elementTerm(e ir.ExcludeElement) string {
	if e.Column != "" {
		return ir.Ident(e.Column)
	}
	return "(" + e.Expr + "\n)"
}

func elementName(e ir.ExcludeElement, n int) string {
	if e.Column != "" {
		return e.Column
	}
	return fmt.Sprintf("key%d", n+1)
}
