package dsl

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var columnSchema = blockSchema{
	Type: "column", Label: "the name of the column", Object: true, Required: true, Doc: "a column",
	Attrs: []attrSchema{
		typeAttr,
		{Name: "null", Kind: boolKind, Doc: "whether it may be NULL; it may not when absent"},
		{Name: "elements_nullable", Kind: boolKind, Doc: "whether a list may hold NULL: its elements are pointers in Go"},
		{Name: "default", Kind: constantKind, Ignored: true, Doc: "a constant, or sql(\"…\")"},
		{Name: "identity", Kind: choiceKind, Choices: []string{"always", "by default"}, Doc: "the server numbers the rows"},
		commentAttr,
		{Name: "immutable", Kind: boolKind, Doc: "its value never changes once the row is stored, by no client"},
		{Name: "generated", Kind: sqlKind, Doc: "the server computes it from other columns of the row, and stores it"},
		collationAttr,
		columnNameAttr,
	},
	Blocks: []*blockSchema{&goColumnSchema},
}

// columnNameAttr tells repeated columns apart. Any other column is named by its
// label, so that SQL text and key lists name what the reader sees.
var columnNameAttr = attrSchema{Name: "name", Kind: stringKind, Doc: "the column's name, with for_each alone"}

var collationAttr = attrSchema{Name: "collation", Kind: stringKind, Doc: "the order and equality of its texts; the database's own when absent"}

var goColumnSchema = blockSchema{
	Type: "go", Once: true, Doc: "the field in the generated Go code",
	Attrs: []attrSchema{
		{Name: "name", Kind: stringKind, Doc: "the field's name"},
		{Name: "type", Kind: stringKind, Doc: "the field's type, with its import path"},
	},
}

func decodeColumns(parent *body) []*Column {
	var columns []*Column
	for _, b := range parent.each(&columnSchema) {
		columns = append(columns, b.column())
	}
	return parent.p.distinctColumns(columns)
}

// distinctColumns keeps the first of several columns with one name. Labels have
// been compared already; a repeated column has its name from an attribute.
func (p *project) distinctColumns(columns []*Column) []*Column {
	repeated := func(c *Column) bool { return !c.Header.Overlaps(c.Name.Range) }
	first := map[string]*Column{}
	kept := columns[:0]
	for _, c := range columns {
		before := first[c.Name.Text]
		if before == nil || c.Name.Text == "" {
			first[c.Name.Text] = c
			kept = append(kept, c)
			continue
		}
		if repeated(c) || repeated(before) {
			p.report(diag.Diagnostic{
				Code:        diag.DuplicateName,
				Detail:      "Two columns have the name " + quote(c.Name.Text) + ".",
				Subject:     c.Name.Range,
				Label:       "named again",
				Related:     []diag.Related{{Range: before.Name.Range, Text: "named here first"}},
				Consequence: "One of them would be missing in the database, without a word.",
				Help:        "give each round of for_each a name of its own, and another one than the other columns",
			})
		}
	}
	return kept
}

// systemColumns are in every table already.
var systemColumns = []string{"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}

func (b *body) column() *Column {
	if name := b.block.Name; slices.Contains(systemColumns, name.Text) {
		b.p.report(diag.Diagnostic{
			Code:    diag.InvalidName,
			Detail:  "Every table has a column " + quote(name.Text) + " already, which PostgreSQL keeps for itself.",
			Subject: name.Range,
			Help:    "choose another name",
		})
	}
	b.columnName()
	typ := b.typ("type")
	c := &Column{
		Block:     b.block,
		Type:      typ.Type,
		Null:      b.flag("null"),
		Default:   b.constant("default"),
		Identity:  b.choice("identity"),
		Comment:   b.text("comment"),
		Generated: b.sql("generated"),
		Collation: b.text("collation"),
		Immutable: b.flag("immutable"),
	}
	c.ElementsNullable = b.flag("elements_nullable")
	c.GoName, c.GoType = b.goNames("type")
	if typ.serial && !c.Identity.Set && c.Default == nil {
		c.Identity = Value[string]{V: "by default", Set: true, Range: typ.Range}
	}
	return c
}

// columnName names a repeated column, and refuses a name of any other.
func (b *body) columnName() {
	name := b.identifier("name")
	switch {
	case !name.Set:
	case b.block.Key != nil:
		b.block.Name, b.block.Key = Name{Text: name.V, Range: name.Range}, nil
	default:
		b.p.report(diag.Diagnostic{
			Code:    diag.UnknownAttribute,
			Detail:  "A column is named by its label; a name is for columns that for_each repeats.",
			Subject: name.Range,
			Help:    "write column " + quote(name.V) + " { … }",
		})
	}
}

// constant reads a column's default, or nil when it was left out or refused.
func (b *body) constant(attribute string) *Default {
	expr, s := b.attr(attribute)
	if expr == nil {
		return nil
	}
	v, ok := b.p.value(expr, s)
	if !ok {
		return nil
	}
	if v.Type().Equals(sqlCapsule) && !v.IsNull() {
		text, _ := b.p.toSQL(expr, v)
		return &Default{SQL: &text, Kind: "sql", Range: expr.Range()}
	}
	if v.Type() == cty.String && !v.IsNull() && b.p.hasNUL(expr, v.AsString()) {
		return nil
	}
	text, kind, ok := b.p.constantText(v)
	if !ok {
		b.p.report(b.p.wrongType(expr, v, "a constant or sql(\"…\")", "write a text, a number, true, false, or sql(\"…\")"))
		return nil
	}
	return &Default{Text: text, Kind: kind, Range: expr.Range()}
}
