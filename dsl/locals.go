package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var localsSchema = blockSchema{Type: "locals", Open: true, NoAllow: true, Doc: "names for values: local.NAME"}

// decodeLocals checks the form of a locals block; its values are nodes.
func (p *project) decodeLocals(block *hclsyntax.Block) { p.open(block, &localsSchema) }

// collectLocals finds the locals of all files of the module.
func (p *project) collectLocals() {
	for _, b := range p.blocks {
		if b.Type != "locals" {
			continue
		}
		for _, attr := range sortedAttributes(b.Body) {
			if first := p.locals[attr.Name]; first != nil {
				p.report(diag.Diagnostic{
					Code:    diag.DuplicateName,
					Detail:  capital(p.noun()) + " has two locals with the name " + quote(attr.Name) + ".",
					Subject: attr.NameRange,
					Related: []diag.Related{{Range: first.NameRange, Text: "declared here first"}},
					Help:    "give one of them another name",
				})
				continue
			}
			p.locals[attr.Name] = attr
		}
	}
}

// evaluateLocals evaluates each local, so that an error in one that nothing uses
// is found too.
func (p *project) evaluateLocals() {
	for _, name := range slices.Sorted(maps.Keys(p.locals)) {
		p.local(name, p.locals[name].NameRange)
	}
}

// local evaluates local.NAME.
func (p *project) local(name string, from hcl.Range) (cty.Value, bool) {
	return p.node("local."+name, from, func() (cty.Value, bool) {
		return p.value(p.locals[name].Expr, nil)
	})
}
