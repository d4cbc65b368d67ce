package dsl

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// body is a block that was checked against its schema: what is left in it
// exists in the schema and works in this version.
type body struct {
	p      *project
	schema *blockSchema
	header hcl.Range
	block  Block
	attrs  map[string]*hclsyntax.Attribute
	blocks []*hclsyntax.Block
	meant  []string // attributes that were misspelt: that they are missing is an echo
	source *hclsyntax.Body
}

// open checks a block against its schema and reports every attribute, block
// and label that does not belong there, each once.
func (p *project) open(b *hclsyntax.Block, s *blockSchema) *body {
	body := &body{
		p:      p,
		schema: s,
		header: b.DefRange(),
		source: b.Body,
		attrs:  make(map[string]*hclsyntax.Attribute, len(b.Body.Attributes)),
	}
	body.block = Block{Name: p.label(b, s), Header: body.header, Scope: p.address, Key: p.keyOf(b)}
	for _, attr := range sortedAttributes(b.Body) {
		body.takeAttribute(attr)
	}
	body.takeBlocks(b.Body.Blocks)
	for i := range s.Attrs {
		if a := &s.Attrs[i]; !slices.Contains(body.meant, a.Name) {
			body.require(a, b)
		}
	}
	body.block.Allow = body.allow()
	body.block.Lifecycle = body.lifecycle()
	return body
}

func (b *body) takeAttribute(attr *hclsyntax.Attribute) {
	if b.schema.Open {
		b.attrs[attr.Name] = attr
		return
	}
	s := attrOf(b.schema, attr.Name)
	switch {
	case s == nil:
		b.p.report(b.unknownAttribute(attr))
		if meant := b.meantBy(attr); meant != "" {
			b.meant = append(b.meant, meant)
		}
	case s.Later != "":
		b.p.report(notYet("the attribute "+quote(attr.Name)+" of "+b.schema.Type, attr.NameRange, s.Later))
	default:
		b.attrs[attr.Name] = attr
	}
}

// meantBy is the attribute that an unknown one stands for: one with a name like
// it, or the only required one that is missing. It is "" when nobody can tell.
func (b *body) meantBy(attr *hclsyntax.Attribute) string {
	if near, ok := diag.Suggest(attr.Name, attrNames(b.schema)); ok {
		return near
	}
	meant := ""
	for _, s := range b.schema.Attrs {
		if _, written := b.source.Attributes[s.Name]; !s.Required || written || slices.Contains(b.meant, s.Name) {
			continue
		}
		if meant != "" {
			return ""
		}
		meant = s.Name
	}
	if _, other := foreignWords[attr.Name]; other || blockOf(b.schema, attr.Name) != nil {
		return ""
	}
	return meant
}

func (b *body) unknownAttribute(attr *hclsyntax.Attribute) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.UnknownAttribute,
		Detail:  capital(an(b.schema.Type)) + " block has no attribute " + quote(attr.Name) + ".",
		Subject: attr.NameRange,
		Help:    didYouMean(attr.Name, attrNames(b.schema), ""),
	}
	if blockOf(b.schema, attr.Name) != nil {
		d.Detail = quote(attr.Name) + " is a block, not an attribute."
		d.Help = "write " + attr.Name + " { … }, without the equals sign"
	} else if reason, ok := foreignWords[attr.Name]; ok {
		d.Help = reason
	} else if near, ok := diag.Suggest(attr.Name, attrNames(b.schema)); ok {
		if b.source.Attributes[near] == nil {
			d.Fix = &diag.Fix{Range: attr.NameRange, Text: near}
		}
	} else if meant := b.meantBy(attr); meant != "" {
		d.Help = "the block needs " + quote(meant) + ": write " + meant + " = " + sample(attrOf(b.schema, meant))
	}
	return d
}

// foreignWords are attributes that other tools have, with pawl's way to say it.
var foreignWords = map[string]string{
	"null":           "a column says whether it may be NULL: null = true in the column",
	"nullable":       "a column is NOT NULL unless it says null = true",
	"not_null":       "a column is NOT NULL unless it says null = true",
	"unique":         "write a no_duplicates block in the table",
	"auto_increment": "write identity = \"always\"",
	"count":          "for_each repeats a block, once for each key of a map or a set",
	"dynamic":        "for_each repeats a block, once for each key of a map or a set",
	"depends_on":     "leave it out: the order follows from the references",
	"ref_columns":    "write references = table.NAME: its primary key is meant",
}

func (b *body) takeBlocks(blocks []*hclsyntax.Block) {
	first := make(map[string]*hclsyntax.Block)
	misspelt := false
	for _, inner := range blocks {
		s := blockOf(b.schema, inner.Type)
		switch {
		case s == nil:
			b.p.report(b.unknownBlock(inner))
			misspelt = true
			continue
		case s.Later != "":
			b.p.report(notYet("the block "+quote(inner.Type), inner.DefRange(), s.Later))
			continue
		}
		key := inner.Type
		if !s.Once {
			key += "\x00" + labelText(inner)
		}
		if earlier := first[key]; earlier != nil && (s.Once || len(inner.Labels) > 0) {
			b.p.report(duplicateBlock(s, inner, earlier, "this "+b.schema.Type))
			continue
		}
		first[key] = inner
		b.blocks = append(b.blocks, inner)
	}
	for _, s := range b.schema.Blocks {
		// A block that is unknown may be the one that is missing.
		if s.Required && !misspelt && !slices.ContainsFunc(blocks, func(i *hclsyntax.Block) bool { return i.Type == s.Type }) {
			b.p.report(diag.Diagnostic{
				Code:    diag.MissingBlock,
				Detail:  capital(an(b.schema.Type)) + " block needs " + an(s.Type) + " block.",
				Subject: b.header,
				Help:    "add " + example(s),
			})
		}
	}
}

func (b *body) unknownBlock(inner *hclsyntax.Block) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.UnknownBlock,
		Detail:  capital(an(b.schema.Type)) + " block has no block " + quote(inner.Type) + " in it.",
		Subject: inner.TypeRange,
		Help:    didYouMean(inner.Type, blockTypes(b.schema), ""),
	}
	if len(blockTypes(b.schema)) == 0 {
		d.Help = an(b.schema.Type) + " block holds attributes only"
	}
	if attrOf(b.schema, inner.Type) != nil {
		d.Detail = quote(inner.Type) + " is an attribute, not a block."
		d.Help = "write " + inner.Type + " = …, with an equals sign"
	} else if home := homeOf(inner.Type); home != "" {
		d.Help = an(inner.Type) + " block stands " + home
	} else if near, ok := diag.Suggest(inner.Type, blockTypes(b.schema)); ok {
		d.Fix = &diag.Fix{Range: inner.TypeRange, Text: near}
	}
	return d
}

// homeOf tells where blocks of a type stand, or "" when there are none. Blocks
// of later versions count.
func homeOf(typ string) string {
	if ownBlockOf(&projectSchema, typ) != nil {
		return "outside, at the top of a file"
	}
	for _, top := range projectSchema.Blocks {
		if ownBlockOf(top, typ) != nil {
			return "in " + an(top.Type) + " block"
		}
		for _, s := range top.Blocks {
			if ownBlockOf(s, typ) != nil {
				return "in " + an(s.Type) + " block"
			}
		}
	}
	return ""
}

// duplicateBlock reports the second of two blocks that are one thing.
func duplicateBlock(s *blockSchema, second, first *hclsyntax.Block, where string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.DuplicateName,
		Detail:  capital(where) + " has two " + s.Type + " blocks with the name " + quote(labelText(second)) + ".",
		Subject: labelRange(second),
		Label:   "declared again",
		Related: []diag.Related{{Range: labelRange(first), Text: "declared here first"}},
		Help:    "give one of them another name, or remove it",
	}
	if s.Once {
		d.Code = diag.DuplicateBlock
		d.Detail = capital(where) + " has two " + s.Type + " blocks; one is the most."
		d.Subject, d.Related[0].Range = second.DefRange(), first.DefRange()
		d.Help = "put everything in one " + s.Type + " block"
	}
	return d
}

// require reports a required attribute that was left out.
func (b *body) require(s *attrSchema, block *hclsyntax.Block) {
	if _, written := block.Body.Attributes[s.Name]; !s.Required || written {
		return
	}
	b.p.report(diag.Diagnostic{
		Code:    diag.MissingAttribute,
		Detail:  capital(an(b.schema.Type)) + " block needs the attribute " + quote(s.Name) + ".",
		Subject: b.header,
		Help:    "add " + s.Name + " = " + sample(s),
	})
}

// each opens the blocks of one type in the order of the text.
func (b *body) each(s *blockSchema) []*body {
	var opened []*body
	for _, inner := range b.blocks {
		if inner.Type != s.Type {
			continue
		}
		for _, p := range b.p.rounds(inner, s) {
			opened = append(opened, p.open(inner, s))
		}
	}
	return opened
}

// one opens the only block of a type, or returns nil.
func (b *body) one(s *blockSchema) *body {
	if all := b.each(s); len(all) > 0 {
		return all[0]
	}
	return nil
}

// attr returns an attribute's expression and what the schema says of it. The
// expression is nil when the attribute was left out.
func (b *body) attr(name string) (hclsyntax.Expression, *attrSchema) {
	s := attrOf(b.schema, name)
	if a := b.attrs[name]; a != nil {
		return a.Expr, s
	}
	return nil, s
}

// allows reports whether the block silences a check.
func (b *body) allows(code diag.Code) bool {
	return slices.ContainsFunc(b.block.Allow, func(a Allow) bool { return a.Code.Text == string(code) })
}

// notYet reports a construct of the language that this version leaves out.
func notYet(what string, at hcl.Range, today string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:    diag.NotYet,
		Detail:  "This version does not compile " + what + ".",
		Subject: at,
		Help:    "today: " + today,
	}
}
