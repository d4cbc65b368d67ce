package compiler

import (
	"slices"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// silenceable are the built-in checks that allow = { … } silences: those whose
// finding can be meant that way.
var silenceable = []diag.Code{
	diag.ForeignKeyIndex, diag.IgnoresLive, diag.NotImmutable, diag.OverlapEmptyRange, diag.UnreachableState, diag.StuckState,
	diag.RedundantKey, diag.DiscouragedType,
}

// finding reports what a block may allow, unless it does.
func (c *compilation) finding(allow []dsl.Allow, d diag.Diagnostic) {
	if slices.ContainsFunc(allow, func(a dsl.Allow) bool { return a.Code.Text == string(d.Code) }) {
		return
	}
	c.report(d)
}

// allowHint is the help that shows how a finding is silenced.
func allowHint(code diag.Code, reason string) string {
	return `allow = { ` + string(code) + ` = "` + reason + `" }`
}

// warnChangingCheck warns about a CHECK whose result changes with time.
func (c *compilation) warnChangingCheck(allow []dsl.Allow, e *expression) {
	for _, cause := range e.Causes() {
		if cause.Volatility != pgsql.Stable {
			continue
		}
		d := diag.Diagnostic{
			Severity: diag.Warning,
			Code:     diag.NotImmutable,
			Detail:   "In this check " + cause.What + " changes with time or settings.",
			Subject:  c.within(e.source, cause.Offset, cause.Length),
		}
		c.notImmutable(&d, "check")
		c.finding(allow, d)
		return
	}
}

// allowances reports allow entries that silence nothing that exists.
func (c *compilation) allowances() {
	for _, b := range c.blocks() {
		for _, a := range b.Allow {
			c.allowance(a)
		}
	}
}

func (c *compilation) allowance(a dsl.Allow) {
	code := diag.Code(a.Code.Text)
	if a.Code.Text == "" || slices.Contains(silenceable, code) {
		return
	}
	if _, known := diag.Lookup(code); !known {
		return // dsl has reported it
	}
	c.report(diag.Diagnostic{
		Code:        diag.AllowNotPossible,
		Detail:      "The finding " + quote(a.Code.Text) + " cannot be silenced: what it refuses does not work.",
		Subject:     a.Code.Range,
		Label:       "cannot be silenced",
		Consequence: "The entry would look like a decision and do nothing.",
		Help:        "remove the entry; these can be silenced: " + or(codeNames(silenceable)),
	})
}

func codeNames(codes []diag.Code) []string {
	list := make([]string, len(codes))
	for i, code := range codes {
		list[i] = string(code)
	}
	return list
}

// blocks lists every block of the specification.
func (c *compilation) blocks() []dsl.Block {
	var list []dsl.Block
	for _, t := range c.spec.Tables {
		list = append(list, t.Block)
		list = append(list, partsOf(t)...)
	}
	for _, e := range c.spec.Enums {
		list = append(list, e.Block)
	}
	for _, q := range c.spec.Queues {
		list = append(list, q.Block)
		list = appendBlocks(list, q.Columns, func(b *dsl.Column) dsl.Block { return b.Block })
	}
	list = appendBlocks(list, c.spec.Singletons, func(b *dsl.Singleton) dsl.Block { return b.Block })
	return appendBlocks(list, c.spec.Transactions, func(b *dsl.Transaction) dsl.Block { return b.Block })
}

func partsOf(t *dsl.Table) []dsl.Block {
	var list []dsl.Block
	if t.PrimaryKey != nil {
		list = append(list, t.PrimaryKey.Block)
	}
	list = appendBlocks(list, t.Columns, func(b *dsl.Column) dsl.Block { return b.Block })
	list = appendBlocks(list, t.ForeignKeys, func(b *dsl.ForeignKey) dsl.Block { return b.Block })
	list = appendBlocks(list, t.Checks, func(b *dsl.Check) dsl.Block { return b.Block })
	list = appendBlocks(list, t.Indexes, func(b *dsl.Index) dsl.Block { return b.Block })
	list = appendBlocks(list, t.NoDuplicates, func(b *dsl.NoDuplicates) dsl.Block { return b.Block })
	list = appendBlocks(list, t.NoOverlaps, func(b *dsl.NoOverlap) dsl.Block { return b.Block })
	list = appendBlocks(list, t.Transitions, func(b *dsl.Transitions) dsl.Block { return b.Block })
	for _, s := range t.Transitions {
		list = appendBlocks(list, s.Moves, func(b *dsl.Move) dsl.Block { return b.Block })
	}
	list = appendBlocks(list, t.Adjusts, func(b *dsl.Adjust) dsl.Block { return b.Block })
	return appendBlocks(list, t.Edits, func(b *dsl.Edit) dsl.Block { return b.Block })
}

func appendBlocks[T any](list []dsl.Block, parts []*T, block func(*T) dsl.Block) []dsl.Block {
	for _, p := range parts {
		list = append(list, block(p))
	}
	return list
}
