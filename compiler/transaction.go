package compiler

import (
	"cmp"
	"slices"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// An operation runs at READ COMMITTED unless its transaction block says otherwise;
// the reason lies in how its statements are written.
const readCommitted = "READ COMMITTED"

// The reasons for it.
var (
	// conditionalReason is that of a write whose condition is in its WHERE.
	conditionalReason = ir.Reason{
		Choice: readCommitted,
		Why: "the decision stands in the WHERE of the statement that writes, and READ COMMITTED checks it again on the newest version of the row after " +
			"a wait. A higher level would answer 40001 there instead.",
	}
	// constraintReason is that of a write that constraints decide on.
	constraintReason = ir.Reason{
		Choice: readCommitted,
		Why:    "constraints look at rows of other transactions whatever the isolation level; a higher one would add 40001 and decide nothing more.",
	}
	// lockFirstReason is that of a read that locks.
	lockFirstReason = ir.Reason{
		Choice: readCommitted,
		Why:    "after a wait for the lock the newest version of the row is read. A higher level has an older snapshot and would answer 40001 instead.",
	}
)

// withoutLevel leaves out why an operation runs at READ COMMITTED: it does not.
func withoutLevel(reasons []ir.Reason) []ir.Reason {
	return slices.DeleteFunc(slices.Clone(reasons), func(r ir.Reason) bool { return r.Choice == readCommitted })
}

// transactions reads the transaction blocks, fills in the defaults and adds the
// two transactions that operations fall back on.
func (c *compilation) transactions() {
	for _, decl := range byLabel(c.spec.Transactions, func(t *dsl.Transaction) string { return t.ID() }) {
		c.program.Transactions = append(c.program.Transactions, c.transaction(decl))
	}
	base := c.findTransaction(defaultTransaction)
	if base == nil {
		c.program.Transactions = append(c.program.Transactions, transactionDefaults(defaultTransaction))
		base = c.findTransaction(defaultTransaction)
	}
	if len(c.spec.Singletons) > 0 && c.findTransaction(singletonTransaction) == nil {
		own := *base
		own.Name = singletonTransaction
		own.IdleTimeout = cmp.Or(base.IdleTimeout, defaultIdle)
		c.program.Transactions = append(c.program.Transactions, own)
	}
	slices.SortFunc(c.program.Transactions, func(a, b ir.Transaction) int { return cmp.Compare(a.Name, b.Name) })
}

func (c *compilation) findTransaction(name string) *ir.Transaction {
	for i := range c.program.Transactions {
		if c.program.Transactions[i].Name == name {
			return &c.program.Transactions[i]
		}
	}
	return nil
}

func (c *compilation) transaction(decl *dsl.Transaction) ir.Transaction {
	t := transactionDefaults(transactionName(decl))
	t.Pos = pos(decl.Header)
	t.Isolation = c.isolation(t.Name, decl.Isolation)
	set(&t.LockTimeout, decl.LockTimeout)
	set(&t.StatementTimeout, decl.StatementTimeout)
	set(&t.IdleTimeout, decl.IdleTimeout)
	if r := decl.Retry; r != nil {
		set(&t.Retry.Attempts, r.Attempts)
		set(&t.Retry.Base, r.Base)
		set(&t.Retry.Max, r.Max)
		set(&t.Retry.Budget, r.Budget)
		if len(r.On) > 0 {
			t.Retry.On = c.retryCodes(r.On)
		}
		c.backoffOrder("retry", r.Base, t.Retry.Base, r.Max, t.Retry.Max)
	}
	return t
}

// set overwrites a default with what was written.
func set[T any](to *T, v dsl.Value[T]) {
	if v.Set {
		*to = v.V
	}
}

// isolation is the level of a transaction block. The two blocks that operations
// fall back on stay at read committed, since some of those need it.
func (c *compilation) isolation(name string, v dsl.Value[string]) ir.Isolation {
	if !v.Set {
		return ir.ReadCommitted
	}
	if name != defaultTransaction && name != singletonTransaction {
		return ir.Isolation(v.V)
	}
	if v.V == string(ir.ReadCommitted) {
		return ir.ReadCommitted
	}
	c.report(diag.Diagnostic{
		Code:    diag.TransactionIsolation,
		Detail:  "The transaction " + quote(name) + " holds for every operation that names no other, claims and singletons among them, and asks for " + v.V + ".",
		Subject: v.Range,
		Label:   "not read committed",
		Consequence: "At a higher level each wait ends in 40001, SKIP LOCKED claims read an old queue, and a singleton that waited for its lock " +
			"sees the state from before it waited.",
		Help: `isolation = "read committed" here, and a transaction of another name for the adjusts, edits and moves that shall run at ` + v.V,
	})
	return ir.ReadCommitted
}

// notRetryable are the SQLSTATEs that people put on a retry list by mistake.
var notRetryable = map[string]string{
	"23505": "a duplicate is an answer: the other row is there, and it will be there the next time",
	"23P01": "an overlap is an answer: the other row is there, and it will be there the next time",
	"23503": "a missing parent is an answer, and it will be missing the next time",
	"23514": "a failed check is an answer, and it will fail the next time",
	"25P02": "the transaction has failed already; the error before this one is the cause",
	"08006": "the connection broke, and a COMMIT that was sent may have happened: running the work again could do it twice",
	"08003": "the connection broke, and a COMMIT that was sent may have happened: running the work again could do it twice",
}

func (c *compilation) retryCodes(codes []dsl.Name) []string {
	list := make([]string, 0, len(codes))
	for _, code := range codes {
		why, wrong := notRetryable[code.Text]
		switch {
		case wrong:
			c.report(diag.Diagnostic{
				Code:        diag.RetryCode,
				Detail:      "SQLSTATE " + code.Text + " is not cured by another attempt.",
				Subject:     code.Range,
				Label:       "not retryable",
				Consequence: capital(why) + ".",
				Help:        `on = ["40001", "40P01"]`,
			})
		case !sqlState(code.Text):
			c.report(diag.Diagnostic{
				Code:        diag.RetryCode,
				Detail:      quote(code.Text) + " is no SQLSTATE: those have five digits or capital letters.",
				Subject:     code.Range,
				Label:       "no SQLSTATE",
				Consequence: "No error ever has this code, so that nothing would be tried again.",
				Help:        `on = ["40001", "40P01"]`,
			})
		default:
			list = append(list, code.Text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func sqlState(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'A' || s[i] > 'Z') {
			return false
		}
	}
	return len(s) == 5
}

// backoffOrder refuses a first pause that is longer than the longest.
func (c *compilation) backoffOrder(block string, baseValue dsl.Value[time.Duration], base time.Duration, maxValue dsl.Value[time.Duration], longest time.Duration) {
	if base <= longest || !baseValue.Set && !maxValue.Set {
		return
	}
	at := maxValue.Range
	if baseValue.Set {
		at = baseValue.Range
	}
	c.report(diag.Diagnostic{
		Code:        diag.BackoffOrder,
		Detail:      "The first pause of this " + block + " (base = " + base.String() + ") is longer than the longest (max = " + longest.String() + ").",
		Subject:     at,
		Label:       "longer than max",
		Consequence: "Every pause would be cut to max: the pauses would not grow, and a database in trouble would be asked as often as ever.",
		Help:        "make base the smaller one",
	})
}

// transactionName is the label, or where the block stands in a module its ID.
func transactionName(decl *dsl.Transaction) string {
	if decl.Scope == "" {
		return decl.Name.Text
	}
	return decl.ID()
}

// transactionOf is the name of the transaction that an operation runs in.
func (c *compilation) transactionOf(ref *dsl.Name) string {
	if ref == nil || ref.Text == "" {
		return defaultTransaction
	}
	if c.findTransaction(ref.Text) == nil {
		var known []string
		for _, t := range c.program.Transactions {
			known = append(known, "transaction."+t.Name)
		}
		c.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "There is no transaction " + quote(ref.Text) + ".",
			Subject: ref.Range,
			Help:    didYouMean("transaction."+ref.Text, known, ""),
		})
	}
	return ref.Text
}
