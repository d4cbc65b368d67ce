package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var transactionSchema = blockSchema{
	Type: "transaction", Label: "the name of the settings", Doc: "how operations run",
	Attrs: []attrSchema{
		{
			Name: "isolation", Kind: choiceKind, Choices: []string{"read committed", "repeatable read", "serializable"},
			Doc: "the isolation level",
		},
		{Name: "lock_timeout", Kind: durationKind, Doc: "how long to wait for a lock"},
		{Name: "statement_timeout", Kind: durationKind, Doc: "how long a statement may run"},
		{Name: "idle_timeout", Kind: durationKind, Doc: "how long a transaction may do nothing"},
	},
	Blocks: []*blockSchema{&retrySchema},
}

var retrySchema = blockSchema{
	Type: "retry", Once: true, Doc: "when the whole transaction runs again",
	Attrs: []attrSchema{
		{Name: "attempts", Kind: intKind, Min: 1, Max: 1000, Doc: "how often it is tried"},
		{Name: "base", Kind: durationKind, Doc: "the wait after the first failure"},
		{Name: "max", Kind: durationKind, Doc: "the longest wait"},
		{Name: "budget", Kind: durationKind, Doc: "the time for all attempts together"},
		{Name: "on", Kind: statesKind, Doc: "the SQLSTATEs that are tried again"},
	},
}

func (p *project) decodeTransaction(block *hclsyntax.Block) {
	b := p.open(block, &transactionSchema)
	t := &Transaction{
		Block:            b.block,
		Isolation:        b.choice("isolation"),
		LockTimeout:      b.duration("lock_timeout"),
		StatementTimeout: b.duration("statement_timeout"),
		IdleTimeout:      b.duration("idle_timeout"),
	}
	if r := b.one(&retrySchema); r != nil {
		t.Retry = &Retry{
			Block:    r.block,
			Attempts: r.integer("attempts"),
			Base:     r.duration("base"),
			Max:      r.duration("max"),
			Budget:   r.duration("budget"),
			On:       r.states("on"),
		}
	}
	p.spec.Transactions = append(p.spec.Transactions, t)
}
