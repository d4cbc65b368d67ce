package golang

import (
	"fmt"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// checkResults looks whether statements return what the runtime scans: the
// columns of a row in the order of its struct, and what belongs behind them.
// Another order would be values in the wrong fields, found by nobody.
func checkResults(p *ir.Program) []Problem {
	var problems []Problem
	for i := range p.Repositories {
		r := &p.Repositories[i]
		for j := range r.Operations {
			o := &r.Operations[j]
			for _, s := range o.Statements {
				want, known := resultsOf(r, o, s.Role)
				if got := columnNames(s.Results); known && !slices.Equal(got, want) {
					problems = append(problems, internalProblem(o.Address,
						fmt.Errorf("its %s statement returns %q, and %q is scanned", s.Role, got, want)))
				}
			}
		}
	}
	return problems
}

// resultsOf are the columns that the runtime scans for a statement; known is
// false where it looks at the number of rows alone or takes a single value.
func resultsOf(r *ir.Repository, o *ir.Operation, role ir.Role) (columns []string, known bool) {
	//exhaustive:enforce
	switch o.Kind {
	case ir.InsertOp, ir.GetOp, ir.GetLockedOp, ir.GetManyOp, ir.ListOp, ir.UpdateOp, ir.MoveOp, ir.AdjustOp, ir.EditOp:
		if role == ir.LockStatement && o.Kind != ir.EditOp {
			return nil, false
		}
		row := columnNames(r.Row)
		if role == ir.ExplainStatement {
			row = append(row, "verdict", "subject")
		}
		return row, true
	case ir.ArrangeOp:
		return columnNames(r.Row), role == ir.MainStatement
	case ir.UpsertOp:
		return append(columnNames(r.Row), freeColumn(r, "outcome")), true
	case ir.EditManyOp:
		return append(columnNames(r.Row), freeColumn(r, "n")), true
	case ir.MoveManyOp, ir.AdjustManyOp:
		return append(columnNames(r.Row), "verdict", "subject", "n"), true
	case ir.UpsertManyOp:
		return append(columnNames(r.Row), freeColumn(r, "outcome"), freeColumn(r, "n")), true
	case ir.ClaimOp:
		if role == ir.MainStatement {
			return append(columnNames(r.Queue.Payload), "id", "fence", "attempt", "lease_until"), true
		}
	case ir.InsertManyOp, ir.DeleteOp, ir.EnqueueOp, ir.EnqueueManyOp, ir.CompleteOp, ir.FailOp, ir.HeartbeatOp, ir.ReleaseOp, ir.ReapOp, ir.SingletonOp, ir.SingletonTry,
		ir.CampaignOp, ir.RenewOp, ir.ResignOp, ir.GuardOp, ir.OnceOp, ir.RuleOp:
	}
	return nil, false
}

func columnNames(fields []ir.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// freeColumn is the name of a result that no column of the row has.
func freeColumn(r *ir.Repository, name string) string {
	for slices.Contains(columnNames(r.Row), name) {
		name += "_"
	}
	return name
}
