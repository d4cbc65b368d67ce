package golang

import (
	"fmt"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// queuePairs are the races of workers.
func (r *raceRepository) queuePairs() []pair {
	enqueue := func(n int) string {
		return fmt.Sprintf("%s(s, %d)", r.rows[r.index].enqueue, n)
	}
	claim := raceCall{name: "claim", results: "tasks, err", value: "len(tasks)", call: "db." + r.names.typ + "." + r.methodOf(ir.ClaimOp) + "(ctx, 1)"}
	lost := []string{r.w.S(r.pawl("ErrClaimLost"))}
	settle := func(name string, kind ir.OperationKind, further string) raceCall {
		return raceCall{name: name, results: "err", errors: lost, call: "db." + r.names.typ + "." + r.methodOf(kind) + "(ctx, task" + further + ")"}
	}
	complete := settle("complete", ir.CompleteOp, "")
	fail := settle("fail", ir.FailOp, r.w.S(", ", ident{"errors", "New"}, `("no luck")`))
	// The lease is moved: out of the way of the clock, or into the past.
	held := func(lease string) []string {
		return []string{
			enqueue(1),
			r.w.S("task := raceMust[[]", r.in(r.names.claim), "](s, \"claim\")(s.db.", r.names.typ, ".", r.methodOf(ir.ClaimOp), "(s.ctx, 1))[0]"),
			"raceExec(s, " + strconv.Quote("UPDATE "+r.table.Ref().SQL()+" SET lease_until = now() "+lease+" WHERE lease_until IS NOT NULL") + ")",
		}
	}
	return []pair{
		{name: "two claims of one task", prepare: []string{enqueue(1)}, calls: []raceCall{claim, claim}, neverWaits: true},
		{name: "two claims of two tasks", prepare: []string{enqueue(1), enqueue(2)}, calls: []raceCall{claim, claim}, neverWaits: true},
		{name: "a claim of a task whose lease is over, and its late complete", prepare: held("- interval '1 hour'"), calls: []raceCall{claim, complete}},
		{name: "a claim of a task whose lease is over, and its late fail", prepare: held("- interval '1 hour'"), calls: []raceCall{claim, fail}},
		{name: "complete and fail of one claim", prepare: held("+ interval '1 hour'"), calls: []raceCall{complete, fail}},
		{name: "complete twice of one claim", prepare: held("+ interval '1 hour'"), calls: []raceCall{complete, complete}, exclusive: true},
	}
}
