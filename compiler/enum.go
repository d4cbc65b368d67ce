package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// enum is a declared enum.
type enum struct {
	decl *dsl.Enum
	ir   ir.Enum
}

// typ is the enum as a type.
func (e *enum) typ() ir.Type {
	return ir.Type{Kind: ir.EnumType, Schema: e.ir.Schema, Name: e.ir.Name}
}

func (c *compilation) declareEnums() {
	for _, decl := range byLabel(c.spec.Enums, func(e *dsl.Enum) string { return e.ID() }) {
		if decl.Name.Text == "" || c.enums[decl.ID()] != nil {
			continue
		}
		e := &enum{decl: decl, ir: ir.Enum{
			Schema:  c.schemaOf(decl.Schema),
			Name:    nameOf(decl.Name, decl.Rename),
			Comment: decl.Comment.V,
			Origin:  ir.Origin{Address: declared("enum", decl.Block), Pos: pos(decl.Header)},
		}}
		c.enums[decl.ID()] = e
		c.claimName(space{kind: relationSpace, schema: e.ir.Schema, name: e.ir.Name}, "enum "+quote(decl.Name.Text), decl.Header)
		c.enumValues(e)
		c.program.Schema.Enums = append(c.program.Schema.Enums, e.ir)
	}
}

func (c *compilation) enumValues(e *enum) {
	first := map[string]dsl.Name{}
	for _, v := range e.decl.Values {
		before, again := first[v.Text]
		switch {
		case again:
			c.report(diag.Diagnostic{
				Code:        diag.DuplicateName,
				Detail:      "The enum " + quote(e.decl.Name.Text) + " has the value " + quote(v.Text) + " twice.",
				Subject:     v.Range,
				Label:       "second time",
				Related:     []diag.Related{{Range: before.Range, Text: "first time"}},
				Consequence: "CREATE TYPE would fail.",
				Help:        "remove one",
			})
		case len(v.Text) > ir.MaxIdent:
			c.report(diag.Diagnostic{
				Code:        diag.NameTooLong,
				Detail:      "The enum value " + quote(v.Text) + " has more than 63 bytes.",
				Subject:     v.Range,
				Label:       "too long",
				Consequence: "CREATE TYPE would fail.",
				Help:        "choose a shorter value",
			})
		default:
			first[v.Text] = v
			e.ir.Values = append(e.ir.Values, v.Text)
		}
	}
}

// nameOf is an object's name in the database: its label, or name = "…".
func nameOf(label dsl.Name, rename dsl.Value[string]) string {
	if rename.Set {
		return rename.V
	}
	return label.Text
}
