package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
)

// write is what an operation does to the table, for finding out which
// constraints it can break.
type write struct {
	operation int // index into the repository's operations
	inserts   bool
	deletes   bool
	updates   []string     // columns that it sets
	guarded   bool         // the checks over those columns are in its WHERE
	set       []assignment // what it sets them to, where that is known
	from      []string     // a move: the states it leaves
	state     *column      // and their column
	arbiter   string       // the unique key whose conflicts an upsert settles by itself
	facts     *ir.Facts    // the invariant that the operation belongs to
}

// addOperation adds an operation to the table's repository.
func (t *table) addOperation(op ir.Operation, w write) {
	w.operation = len(t.repository.Operations)
	t.repository.Operations = append(t.repository.Operations, op)
	t.writes = append(t.writes, w)
	if w.facts != nil {
		w.facts.Operations = append(w.facts.Operations, op.Address)
	}
}
