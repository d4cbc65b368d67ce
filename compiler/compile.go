package compiler

import (
	"cmp"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// Compile compiles a specification. The program is nil when the list holds an
// error; warnings alone leave it whole. A Spec that was decoded with errors may
// be given too: what is missing in it is passed over, so that one mistake is
// told once.
//
// Equal specifications give equal programs, whatever files they are spread
// over.
func Compile(spec *dsl.Spec) (*ir.Program, diag.List) {
	return newCompilation(spec).compile()
}

// compile runs the phases, each of which may rely on those before it.
func (c *compilation) compile() (*ir.Program, diag.List) {
	c.settings()
	c.transactions()
	c.declareEnums()
	c.declareDomains()
	c.declareTables()
	c.declareQueues()
	c.declareData()

	for _, t := range c.data {
		c.dataColumns(t)
	}
	for _, t := range c.tables {
		c.columns(t)
		c.primaryKey(t)
		c.version(t)
		c.live(t)
		c.checks(t)
		c.noDuplicates(t)
		c.atMostOnes(t)
		c.sequences(t)
		c.orders(t)
		c.noOverlaps(t)
		c.indexes(t)
		c.stateColumns(t)
		c.frozen(t)
	}
	for _, t := range c.tables {
		c.foreignKeys(t)
	}
	for _, t := range c.tables {
		c.limits(t)
		c.atLeastOnes(t)
	}
	c.rules()
	for _, t := range c.tables {
		c.frozenReferences(t)
		c.orderedReferences(t)
		c.limitReferences(t)
		c.reads(t)
		c.moves(t)
		c.adjusts(t)
		c.edits(t)
		c.upserts(t)
		c.setters(t)
		c.movers(t)
	}
	c.ruleOperations()
	c.idempotencies()
	c.inboxes()
	c.queues()
	c.singletons()

	c.pitfalls()
	c.comparedLabels()
	c.reportedConstraints()
	c.allowances()
	return c.finish()
}

// compilation is a Compile in progress.
type compilation struct {
	spec    *dsl.Spec
	program *ir.Program
	diags   diag.List

	enums        map[string]*enum   // by ID
	domains      map[string]*domain // by ID
	tables       []*table           // in the order of their labels
	tablesByName map[string]*table  // by ID
	data         []*table           // that the project reads and does not own
	dataByName   map[string]*table  // by ID
	queueTables  []*queue           // in the order of their labels
	ruleSet      []*rule            // in the order of their labels
	names        names
	refusals     map[string]bool // the schemas that need the function pawl_refuse
	extensions   map[string]ir.Extension
	beginnings   []beginning  // of invariants that leave old rows out
	compared     []comparison // texts that compare columns with literals
	classAsked   bool         // advisory_class was asked for
	leaders      bool         // the table of leaders is there
}

func newCompilation(spec *dsl.Spec) *compilation {
	return &compilation{
		spec:         spec,
		program:      &ir.Program{},
		enums:        map[string]*enum{},
		domains:      map[string]*domain{},
		tablesByName: map[string]*table{},
		dataByName:   map[string]*table{},
		names:        names{},
		refusals:     map[string]bool{},
		extensions:   map[string]ir.Extension{},
	}
}

// report adds a diagnostic. One in a module tells where the module is used.
func (c *compilation) report(d diag.Diagnostic) {
	c.spec.Trace(&d)
	c.diags.Add(d)
}

// finish brings everything into an order that depends on names alone.
func (c *compilation) finish() (*ir.Program, diag.List) {
	if !c.diags.HasErrors() {
		c.assemble()
		c.relocations()
		c.removals()
		c.lifecycles()
		c.grants()
		c.policies()
	}
	c.diags.Sort()
	c.diags.Fold(diag.UnknownColumn)
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	return c.program, c.diags
}

// byLabel orders the blocks of a kind by their labels.
func byLabel[T any](blocks []*T, label func(*T) string) []*T {
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b *T) int { return cmp.Compare(label(a), label(b)) })
	return sorted
}
