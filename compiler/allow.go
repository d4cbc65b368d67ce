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
	diag.RedundantKey, diag.DiscouragedType, diag.GuardWithArgument, diag.NullArithmetic,
	diag.SoftDeleteInKey, diag.FlagInKey, diag.NullGroup, diag.CaseSensitiveEmail, diag.BusinessKey, diag.HotKey, diag.LooseState,
	diag.SilentLoss, diag.IdentityBurn, diag.RetainShort, diag.EntityKeyRepeats, diag.AtomicEffect, diag.LooseSince, diag.RuleCascade, diag.RuleIndex,
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
	for _, t := range c.spec.Tables {
		c.allowancesOf(t.Block)
		c.tableAllowances(t)
	}
	for _, q := range c.spec.Queues {
		c.allowancesOf(q.Block)
		visit(q.Columns, func(b *dsl.Column) { c.allowancesOf(b.Block) })
	}
	visit(c.spec.Rules, func(b *dsl.Rule) {
		c.allowancesOf(b.Block)
		visit(b.Operations, func(o *dsl.RuleOperation) { c.allowancesOf(o.Block) })
	})
	visit(c.spec.Idempotencies, func(b *dsl.Idempotency) {
		c.allowancesOf(b.Block)
		visit(b.Phases, func(p *dsl.Phase) { c.allowancesOf(p.Block) })
	})
	visit(c.spec.Outboxes, func(b *dsl.Outbox) {
		c.allowancesOf(b.Block)
		visit(b.Columns, func(col *dsl.Column) { c.allowancesOf(col.Block) })
	})
	visit(c.spec.Inboxes, func(b *dsl.Inbox) { c.allowancesOf(b.Block) })
	visit(c.spec.Enums, func(b *dsl.Enum) { c.allowancesOf(b.Block) })
	visit(c.spec.Domains, func(b *dsl.Domain) {
		c.allowancesOf(b.Block)
		visit(b.Checks, func(k *dsl.Check) { c.allowancesOf(k.Block) })
	})
	visit(c.spec.Singletons, func(b *dsl.Singleton) { c.allowancesOf(b.Block) })
	visit(c.spec.Transactions, func(b *dsl.Transaction) { c.allowancesOf(b.Block) })
}

func (c *compilation) tableAllowances(t *dsl.Table) {
	if t.PrimaryKey != nil {
		c.allowancesOf(t.PrimaryKey.Block)
	}
	visit(t.Columns, func(b *dsl.Column) { c.allowancesOf(b.Block) })
	visit(t.ForeignKeys, func(b *dsl.ForeignKey) { c.allowancesOf(b.Block) })
	visit(t.Checks, func(b *dsl.Check) { c.allowancesOf(b.Block) })
	visit(t.Indexes, func(b *dsl.Index) { c.allowancesOf(b.Block) })
	visit(t.NoDuplicates, func(b *dsl.NoDuplicates) { c.allowancesOf(b.Block) })
	visit(t.NoOverlaps, func(b *dsl.NoOverlap) { c.allowancesOf(b.Block) })
	visit(t.Adjusts, func(b *dsl.Adjust) { c.allowancesOf(b.Block) })
	visit(t.Limits, func(b *dsl.Limit) { c.allowancesOf(b.Block) })
	visit(t.Sequences, func(b *dsl.Sequence) { c.allowancesOf(b.Block) })
	visit(t.Orders, func(b *dsl.Ordered) { c.allowancesOf(b.Block) })
	visit(t.Cardinals, func(b *dsl.Cardinality) { c.allowancesOf(b.Block) })
	visit(t.Edits, func(b *dsl.Edit) { c.allowancesOf(b.Block) })
	visit(t.Upserts, func(b *dsl.Upsert) { c.allowancesOf(b.Block) })
	visit(t.Transitions, func(b *dsl.Transitions) {
		c.allowancesOf(b.Block)
		visit(b.Moves, func(m *dsl.Move) { c.allowancesOf(m.Block) })
	})
}

func visit[T any](blocks []*T, each func(*T)) {
	for _, b := range blocks {
		each(b)
	}
}

func (c *compilation) allowancesOf(b dsl.Block) {
	for _, a := range b.Allow {
		c.allowance(a)
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
