package dsl

import (
	"math"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

var singletonSchema = blockSchema{
	Type: "singleton", Label: "the name of the singleton", Doc: "one at a time, over all processes",
	Attrs: []attrSchema{
		{Name: "key", Kind: intKind, Required: true, Min: math.MinInt32, Max: math.MaxInt32, Doc: "the second half of its lock key"},
		{Name: "scope", Kind: choiceKind, Choices: []string{"transaction"}, LaterOf: []string{"leader"}, Doc: "how long it holds"},
		{Name: "lease", Kind: durationKind, Later: "scope = \"transaction\", which needs no lease", Doc: "a leader's term"},
		{Name: "session", Kind: boolKind, Later: "scope = \"transaction\"", Doc: "a session lock instead of a lease row"},
	},
}

func (p *project) decodeSingleton(block *hclsyntax.Block) {
	schema := &singletonSchema
	if isLeader(block) {
		schema = &leaderSchema
	}
	b := p.open(block, schema)
	p.spec.Singletons = append(p.spec.Singletons, &Singleton{
		Block: b.block,
		Key:   b.integer("key"),
		Scope: b.choice("scope"),
	})
}

// leaderSchema accepts what belongs to scope = "leader", so that the scope is
// the one thing that is reported.
var leaderSchema = func() blockSchema {
	s := singletonSchema
	s.Attrs = append([]attrSchema{}, s.Attrs...)
	for i := range s.Attrs {
		s.Attrs[i].Later = ""
	}
	return s
}()

func isLeader(block *hclsyntax.Block) bool {
	attr := block.Body.Attributes["scope"]
	if attr == nil || !isConstant(attr.Expr) {
		return false
	}
	v, diags := attr.Expr.Value(nil)
	return !diags.HasErrors() && v.RawEquals(cty.StringVal("leader"))
}
