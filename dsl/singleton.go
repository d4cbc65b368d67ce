package dsl

import (
	"math"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

var singletonSchema = blockSchema{
	Type: "singleton", Repeats: true, Label: "the name of the singleton", Doc: "one at a time, over all processes",
	Attrs: []attrSchema{
		{Name: "key", Kind: intKind, Required: true, Min: math.MinInt32, Max: math.MaxInt32, Doc: "the second half of its lock key"},
		{Name: "scope", Kind: choiceKind, Choices: []string{transactionScope, LeaderScope}, Doc: "how long it holds"},
		{Name: "lease", Kind: durationKind, Doc: "how long a leader's term lasts without being renewed"},
		{Name: "session", Kind: boolKind, Doc: "whether a leader holds a session lock on a connection of its own instead of a lease"},
		operationNameAttr,
	},
}

// The scopes of a singleton.
const (
	transactionScope = "transaction"
	// LeaderScope is the scope of a singleton that holds from term to term.
	LeaderScope = "leader"
)

func (p *project) decodeSingleton(block *hclsyntax.Block) {
	b := p.open(block, &singletonSchema)
	s := &Singleton{
		Block:   b.block,
		Rename:  b.goName("name"),
		Key:     b.integer("key"),
		Scope:   b.choice("scope"),
		Lease:   b.duration("lease"),
		Session: b.flag("session"),
	}
	p.spec.Singletons = append(p.spec.Singletons, s)
	if s.Scope.V == LeaderScope {
		return
	}
	for _, name := range []string{"lease", "session"} {
		if expr, _ := b.attr(name); expr != nil {
			p.report(diag.Diagnostic{
				Code:        diag.LeaderScope,
				Detail:      quote(name) + " belongs to a singleton with scope = \"leader\".",
				Subject:     expr.Range(),
				Consequence: "A singleton of the scope \"transaction\" holds its lock until the transaction ends, and no longer.",
				Help:        "add scope = \"leader\", or remove " + name,
			})
		}
	}
}
