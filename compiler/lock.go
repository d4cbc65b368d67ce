package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// strongKey finds the key whose change takes the strong row lock: the primary
// key or a full, non-expression unique index over one of the columns.
// PostgreSQL counts exactly those as keys that a foreign key could rest on.
func (t *table) strongKey(columns []string) (name string, column string, strong bool) {
	columns = t.withGenerated(columns)
	if pk := t.schema.PrimaryKey; pk != nil {
		for _, col := range columns {
			if slices.Contains(pk.Columns, col) {
				return pk.Name, col, true
			}
		}
	}
	for _, u := range t.uniques {
		if u.where != nil || slices.ContainsFunc(u.exprs, func(e *expression) bool { return e != nil }) {
			continue
		}
		for _, col := range columns {
			if slices.Contains(u.columns, col) {
				return u.name, col, true
			}
		}
	}
	return "", "", false
}

// updateLock explains the lock that an UPDATE of columns takes by itself.
func (t *table) updateLock(columns []string) ir.Reason {
	if name, col, strong := t.strongKey(columns); strong {
		return ir.Reason{
			Choice: "row lock of the UPDATE",
			Why: "it changes " + col + ", which stands in the unique key " + name + ": PostgreSQL takes the strong lock (FOR UPDATE), and inserts of rows " +
				"that refer to this one wait until the transaction ends.",
		}
	}
	return ir.Reason{
		Choice: "row lock of the UPDATE",
		Why: "it changes no column of a unique key: PostgreSQL takes FOR NO KEY UPDATE, which other writers of the row wait for and inserts of rows that " +
			"refer to it do not.",
	}
}

// readLock is the lock for a row that is read first and written later.
func (t *table) readLock(columns []string) (ir.LockMode, ir.Reason) {
	if name, col, strong := t.strongKey(columns); strong {
		return ir.ForUpdate, ir.Reason{
			Choice: string(ir.ForUpdate),
			Why: col + " stands in the full unique key " + name + ", so the write takes the strong lock in any case. Taken later it would be an upgrade: " +
				"an insert of a child row slips in between with FOR KEY SHARE, and two edits deadlock. Inserts of rows that refer to this one wait meanwhile.",
		}
	}
	return ir.ForNoKeyUpdate, ir.Reason{
		Choice: string(ir.ForNoKeyUpdate),
		Why: and(columns) + " " + stand(columns) + " in no full unique key, so other writers of the row must wait and inserts of rows that refer to it need not. " +
			"FOR UPDATE would block those for nothing.",
	}
}

func stand(columns []string) string {
	if len(columns) == 1 {
		return "stands"
	}
	return "stand"
}
