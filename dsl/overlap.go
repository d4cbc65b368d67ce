package dsl

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// boundChoices are the forms of a range that pawl knows.
var boundChoices = []string{"[)", "[]"}

var noOverlapSchema = blockSchema{
	Type: "no_overlap", Label: "the name of the invariant", Object: true, Doc: "no two rows of one group overlap in a range",
	Attrs: []attrSchema{
		{Name: "range", Kind: spanKind, Required: true, Doc: "a range column, or { from = …, to = …, bounds = \"[)\" }"},
		{Name: "within", Kind: namesKind, Empty: true, Doc: "the columns that make the group; all rows are one when absent"},
		{Name: "where", Kind: sqlKind, Doc: "which rows it is about"},
		{Name: "capacity", Kind: intKind, Min: 1, Max: 1_000_000, Doc: "how many may overlap: 1, the only one that an exclusion can keep"},
		{Name: "bounds", Kind: choiceKind, Choices: boundChoices, Doc: "which ends belong to the range"},
		{Name: "prelock", Kind: boolKind, Doc: "writers of one group wait for each other; true when absent"},
		{Name: "allow_empty", Kind: boolKind, Doc: "lets empty ranges in, which overlap nothing"},
		{Name: "allow_infinite", Kind: boolKind, Doc: "lets ranges without an end in"},
		renameAttr, sinceAttr,
	},
}

// spanSchema is the object form of range.
var spanSchema = blockSchema{
	Type: "range", Attrs: []attrSchema{
		{Name: "from", Kind: nameKind, Required: true, Doc: "the column of the start"},
		{Name: "to", Kind: nameKind, Required: true, Doc: "the column of the end"},
		{Name: "bounds", Kind: choiceKind, Required: true, Choices: boundChoices, Doc: "which ends belong to the range"},
	},
}

func decodeNoOverlaps(parent *body) []*NoOverlap {
	var overlaps []*NoOverlap
	for _, b := range parent.each(&noOverlapSchema) {
		o := &NoOverlap{
			Block:         b.block,
			Rename:        b.identifier("name"),
			Within:        b.names("within"),
			RangeExpr:     b.rangeOf("range"),
			Capacity:      b.integer("capacity"),
			Bounds:        b.choice("bounds"),
			Where:         b.sql("where"),
			Since:         b.sql("since"),
			Prelock:       b.flag("prelock"),
			AllowEmpty:    b.flag("allow_empty"),
			AllowInfinite: b.flag("allow_infinite"),
		}
		b.span(o)
		overlaps = append(overlaps, o)
	}
	return overlaps
}

// span reads range: one column, or two with the bounds between them.
func (b *body) span(o *NoOverlap) {
	expr, s := b.attr("range")
	if expr == nil {
		return
	}
	if _, ok := expr.(*hclsyntax.ObjectConsExpr); ok {
		b.twoColumns(o)
		return
	}
	if n, ok := b.p.ownName(expr, s); ok {
		o.RangeColumn = &n
	}
}

// twoColumns reads { from = starts_at, to = ends_at, bounds = "[)" }.
func (b *body) twoColumns(o *NoOverlap) {
	entries, _ := b.entries("range")
	written := make(map[string]bool)
	for _, e := range entries {
		written[e.key.Text] = true
		s := attrOf(&spanSchema, e.key.Text)
		switch e.key.Text {
		case "from", "to":
			n, ok := b.p.ownName(e.value, s)
			if ok && e.key.Text == "from" {
				o.From = &n
			} else if ok {
				o.To = &n
			}
		case "bounds":
			b.spanBounds(o, e)
		default:
			b.p.report(diag.Diagnostic{
				Code:    diag.UnknownAttribute,
				Detail:  "A range of two columns has no member " + quote(e.key.Text) + ".",
				Subject: e.key.Range,
				Help:    didYouMean(e.key.Text, attrNames(&spanSchema)[:3], ""),
			})
		}
	}
	for _, s := range spanSchema.Attrs {
		if !written[s.Name] && (s.Name != "bounds" || !o.Bounds.Set) {
			b.p.report(diag.Diagnostic{
				Code:    diag.MissingAttribute,
				Detail:  "A range of two columns needs " + quote(s.Name) + ".",
				Subject: o.RangeExpr,
				Help:    `write range = { from = COLUMN, to = COLUMN, bounds = "[)" }`,
			})
		}
	}
}

func (b *body) spanBounds(o *NoOverlap, e entry) {
	s := attrOf(&spanSchema, "bounds")
	v, ok := b.p.value(e.value, s)
	if !ok {
		return
	}
	o.Bounds.V, o.Bounds.Set = b.p.toChoice(e.value, v, s)
	o.Bounds.Range = e.value.Range()
}
