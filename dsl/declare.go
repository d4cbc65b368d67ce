package dsl

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// projectSchema is what may stand at the top of a file.
var projectSchema = blockSchema{
	Type: "project",
	Blocks: append([]*blockSchema{
		&pawlSchema, &generateSchema, &variableSchema, &localsSchema, &enumSchema, &domainSchema,
		&tableSchema, &dataSchema, &queueSchema, &singletonSchema, &transactionSchema, &moduleSchema, &policySchema,
		&ruleSchema, &idempotencySchema, &outboxSchema, &inboxSchema, &targetSchema, &movedSchema, &removedSchema,
	}, laterTopLevel()...),
}

// laterBlocks are top-level blocks of later versions, with what works today.
var laterBlocks = map[string]string{
	"hold":       "use a table with transitions",
	"window":     "use a table with a counter and adjust",
	"balanced":   "check the sum in Go, in one serializable transaction",
	"acyclic":    "check it in Go, in one serializable transaction",
	"pair":       "store the pair in one order, with a check and no_duplicates",
	"registry":   "keep the names in a table of their own with no_duplicates",
	"same_value": "reference a table that holds the value once",
	"one_of":     "use nullable columns and a check with num_nonnulls()",
	"tick":       "start the work from cron",
}

func laterTopLevel() []*blockSchema { return laterSchemas(laterBlocks) }

// laterSchemas makes schemas of reserved block types, in no order.
func laterSchemas(blocks map[string]string) []*blockSchema {
	schemas := make([]*blockSchema, 0, len(blocks))
	for typ, today := range blocks {
		schemas = append(schemas, &blockSchema{Type: typ, Later: today})
	}
	return schemas
}

func topLevelTypes() []string { return blockTypes(&projectSchema) }

// declare records what the blocks declare, so that references find it, and
// keeps of p.blocks those that can be decoded.
func (p *project) declare() {
	var kept []*hclsyntax.Block
	for _, b := range p.folder.blocks {
		s := ownBlockOf(&projectSchema, b.Type)
		if s == nil {
			p.report(unknownTopLevel(b))
			continue
		}
		labelled := true
		if b.Type == dataType {
			b, labelled = p.dataBlock(b)
		}
		earlier := p.record(b)
		switch {
		case !labelled: // recorded nevertheless: a reference to it would be an echo
		case p.call != nil && slices.Contains(ownBlocks, b.Type):
			p.report(diag.Diagnostic{
				Code:    diag.UnknownBlock,
				Detail:  capital(an(b.Type)) + " block stands in the project's own directory, and this is a module.",
				Subject: b.DefRange(),
				Help:    "move it to the directory that uses the module",
			})
		case s.Later != "":
			p.report(notYet("the block "+quote(b.Type), b.DefRange(), s.Later))
		case earlier != nil && (s.Once || len(b.Labels) > 0):
			p.report(duplicateBlock(s, b, earlier, p.noun()))
		default:
			kept = append(kept, b)
		}
	}
	p.blocks = kept
	if p.call == nil && len(p.declared["pawl"]) == 0 && !p.incomplete {
		p.report(p.missingPawl())
	}
}

// record notes a block by type and label and returns the one that was there.
func (p *project) record(b *hclsyntax.Block) *hclsyntax.Block {
	byLabel := p.declared[b.Type]
	if byLabel == nil {
		byLabel = make(map[string]*hclsyntax.Block)
		p.declared[b.Type] = byLabel
	}
	label := labelText(b)
	if earlier := byLabel[label]; earlier != nil {
		return earlier
	}
	byLabel[label] = b
	return nil
}

func unknownTopLevel(b *hclsyntax.Block) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.UnknownBlock,
		Detail:  "There is no block " + quote(b.Type) + " at the top of a file.",
		Subject: b.TypeRange,
		Help:    didYouMean(b.Type, topLevelTypes(), ""),
	}
	if home := homeOf(b.Type); home != "" {
		d.Help = an(b.Type) + " block stands " + home
	} else if near, ok := diag.Suggest(b.Type, topLevelTypes()); ok {
		d.Fix = &diag.Fix{Range: b.TypeRange, Text: near}
	}
	return d
}

// missingPawl reports a project without a pawl block, or without any file.
func (p *project) missingPawl() diag.Diagnostic {
	d := diag.Diagnostic{
		Code:   diag.MissingBlock,
		Detail: "The project has no pawl block.",
		Help:   "add pawl { project = \"NAME\" } to one file",
	}
	if len(p.spec.Sources) == 0 {
		d.Detail = "The directory " + quote(p.displayName(".")) + " holds no *.hcl file."
		d.Help = "write one, or name the directory of the project with -C DIR"
	}
	return d
}

// noun names the module in messages.
func (p *project) noun() string {
	if p.call == nil {
		return "the project"
	}
	return "the module"
}

// decode turns the blocks into the Spec.
func (p *project) decode() {
	decoders := map[string]func(*project, *hclsyntax.Block){
		"pawl": (*project).decodePawl, "generate": (*project).decodeGenerate, "variable": (*project).decodeVariable,
		"locals": (*project).decodeLocals, "enum": (*project).decodeEnum, "table": (*project).decodeTable, "domain": (*project).decodeDomain,
		"queue": (*project).decodeQueue, "singleton": (*project).decodeSingleton, "transaction": (*project).decodeTransaction,
		"policy": (*project).decodePolicy, "idempotency": (*project).decodeIdempotency, "outbox": (*project).decodeOutbox,
		"rule": (*project).decodeRule, "inbox": (*project).decodeInbox, "target": (*project).decodeTarget, "moved": (*project).decodeMoved,
		"removed": (*project).decodeRemoved, dataType: (*project).decodeData,
	}
	for _, b := range p.blocks {
		if b.Type == moduleType {
			p.decodeModule(b)
			continue
		}
		s := ownBlockOf(&projectSchema, b.Type)
		rounds := []*project{p}
		if b.Body.Attributes[forEachAttr.Name] != nil && s.repeatable() && len(b.Labels) > 0 {
			rounds, _ = p.knownRounds(b, s, labelRange(b))
		}
		for _, q := range rounds {
			decoders[b.Type](q, b)
		}
	}
}
