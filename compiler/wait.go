package compiler

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// runs records the transaction that an operation runs in, its isolation level and
// how long it waits for its row.
func (c *compilation) runs(op *ir.Operation, transaction *dsl.Name, wait dsl.Value[string]) {
	op.Transaction, op.Isolation = c.transactionOf(transaction), ir.ReadCommitted
	if t := c.findTransaction(op.Transaction); t != nil && t.Isolation != ir.ReadCommitted {
		op.Isolation = t.Isolation
		op.Reasons = append(withoutLevel(op.Reasons), ir.Reason{
			Choice: strings.ToUpper(string(t.Isolation)),
			Why: "transaction " + quote(t.Name) + " says so. A row that another client changed in between is 40001 here, not a second look at it, and the whole is " +
				"tried again: as safe, and dearer where callers meet. A caller's transaction of a lower level is refused.",
		})
	}
	switch {
	case !wait.Set:
	case wait.V == "nowait":
		op.NoWait = true
		op.Reasons = append(slices.Clip(op.Reasons), ir.Reason{
			Choice: "NOWAIT",
			Why:    "the caller would rather hear that the row is busy than wait for it. It holds inside a caller's transaction too.",
		})
	default:
		op.Wait = waitOf(wait.V)
		op.Reasons = append(slices.Clip(op.Reasons), ir.Reason{
			Choice: "lock_timeout = " + op.Wait.String(),
			Why:    "wait says so for this operation alone. Inside a caller's transaction no setting is changed: that transaction's own limit holds.",
		})
	}
}

// lockFirst is the statement that goes ahead of an UPDATE which must not wait: an
// UPDATE cannot say NOWAIT. Both travel together. The lock is the one that the
// UPDATE takes, so that none is upgraded.
func (t *table) lockFirst(op *ir.Operation, columns []string) {
	if !op.NoWait {
		return
	}
	lock, _ := t.readLock(columns)
	p := newParameters(t.keyFields())
	op.Statements = append([]ir.Statement{{
		Role: ir.LockStatement,
		SQL:  comment(op.Address) + "SELECT FROM " + t.ref.SQL() + "\nWHERE " + t.keyEquals(p) + "\n" + string(lock) + " NOWAIT",
		Args: p.fields, Rows: ir.ReturnsNone,
	}}, op.Statements...)
}

// waitOf reads a length of time that dsl has checked: Go's spelling, after
// days.
func waitOf(text string) time.Duration {
	var days time.Duration
	if head, rest, ok := strings.Cut(text, "d"); ok {
		n, _ := strconv.Atoi(head) //nolint:errcheck // dsl has checked it
		days, text = time.Duration(n)*24*time.Hour, rest
	}
	d, _ := time.ParseDuration(text) //nolint:errcheck // the same; empty after whole days
	return days + d
}
