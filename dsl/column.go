package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var columnSchema = blockSchema{
	Type: "column", Label: "the name of the column", Object: true, Required: true, Doc: "a column",
	Attrs: []attrSchema{
		typeAttr,
		{Name: "null", Kind: boolKind, Doc: "whether it may be NULL; it may not when absent"},
		{Name: "default", Kind: constantKind, Doc: "a constant, or sql(\"…\")"},
		{Name: "identity", Kind: choiceKind, Choices: []string{"always", "by default"}, Doc: "the server numbers the rows"},
		commentAttr,
		{Name: "immutable", Kind: boolKind, Later: "leave the column out of every set and edit", Doc: "it never changes"},
	},
	Blocks: []*blockSchema{&goColumnSchema},
}

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
	return columns
}

func (b *body) column() *Column {
	typ := b.typ("type")
	c := &Column{
		Block:    b.block,
		Type:     typ.Type,
		Null:     b.flag("null"),
		Default:  b.constant("default"),
		Identity: b.choice("identity"),
		Comment:  b.text("comment"),
	}
	c.GoName, c.GoType = b.goNames("type")
	if typ.serial && !c.Identity.Set && c.Default == nil {
		c.Identity = Value[string]{V: "by default", Set: true, Range: typ.Range}
	}
	return c
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
		return b.p.sqlDefault(expr, s)
	}
	text, kind, ok := b.p.constantText(v)
	if !ok {
		b.p.report(b.p.wrongType(expr, v, "a constant or sql(\"…\")", "write a text, a number, true, false, or sql(\"…\")"))
		return nil
	}
	return &Default{Text: text, Kind: kind, Range: expr.Range()}
}

func (p *project) sqlDefault(expr hclsyntax.Expression, s *attrSchema) *Default {
	text, ok := p.sqlText(expr, s)
	if !ok {
		return nil
	}
	return &Default{SQL: &text, Kind: "sql", Range: expr.Range()}
}
