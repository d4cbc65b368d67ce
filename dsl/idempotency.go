package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var idempotencySchema = blockSchema{
	Type: "idempotency", Label: "the name of the work", Object: true, Doc: "work that is done once for each key, however often it is asked for",
	Attrs: []attrSchema{
		{Name: "unit", Kind: choiceKind, Required: true, Choices: []string{"request", "entity"}, Doc: "the caller's key, or one built from key"},
		{Name: "mode", Kind: choiceKind, Choices: []string{"atomic", "phased"}, Doc: "database work only, or phases with effects outside"},
		{Name: "key", Kind: argsKind, Doc: "the arguments that make the key, of an entity"},
		{Name: "scope", Kind: argsKind, Doc: "part of every key"},
		{Name: "lease", Kind: durationKind, Doc: "how long one attempt may hold the key"},
		{Name: "rpc_timeout", Kind: durationKind, Doc: "the longest call to the outside"},
		{Name: "retry_window", Kind: durationKind, Required: true, Doc: "how long callers try again"},
		{Name: "retain", Kind: durationKind, Required: true, Doc: "how long the answer is kept"},
		{Name: "response", Kind: choiceKind, Choices: []string{"body", "reference"}, Doc: "whether the answer is kept, or where it stands"},
		{Name: "wait", Kind: durationKind, Zero: true, Doc: "how long a twin tries again before it gives up"},
		{Name: "audit_expired", Kind: boolKind, Doc: "writes a row when a key runs again after its retention"},
		renameAttr,
	},
	Blocks: []*blockSchema{&phaseSchema},
}

var phaseSchema = blockSchema{
	Type: "phase", Label: "the name of the phase", Doc: "one step of phased work",
	Attrs: []attrSchema{
		{Name: "external", Kind: boolKind, Doc: "an effect outside of the database: no transaction is open"},
		{Name: "result", Kind: typeKind, Doc: "what the phase keeps for the ones after it"},
	},
}

func (p *project) decodeIdempotency(block *hclsyntax.Block) {
	b := p.open(block, &idempotencySchema)
	i := &Idempotency{
		Block: b.block, Rename: b.identifier("name"), Unit: b.choice("unit"), Mode: b.choice("mode"), Key: b.args("key"), Scope: b.args("scope"),
		Lease: b.duration("lease"), RPCTimeout: b.duration("rpc_timeout"), RetryWindow: b.duration("retry_window"),
		Retain: b.duration("retain"), Response: b.choice("response"), Wait: b.duration("wait"), AuditExpired: b.flag("audit_expired"),
	}
	for _, phase := range b.each(&phaseSchema) {
		i.Phases = append(i.Phases, &Phase{Block: phase.block, External: phase.flag("external"), Result: phase.typ("result").Type})
	}
	p.spec.Idempotencies = append(p.spec.Idempotencies, i)
}
