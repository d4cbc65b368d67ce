package client

import (
	"context"
	"errors"

	"github.com/pawldb/pawl/compiler/ir"
)

// upsertLooks is how often an upsert is run when the row that stood in its way has
// gone each time it was looked for.
const upsertLooks = 16

// upsert runs the statement that inserts a row or does something with the one
// that has its key, and when it wrote none a second one that finds that row.
// Outcome.About is the upsert's own outcome: inserted, updated, unchanged, stale.
func (c *run) upsert(ctx context.Context) (Outcome, error) {
	for range upsertLooks {
		found, err := c.alone(ctx, c.Operation.Statement(ir.MainStatement))
		if err != nil {
			return Outcome{}, err
		}
		if found.count() > 0 {
			return c.upserted(found)
		}
		if c.Without.RowCount {
			return Outcome{Answer: Repeated, About: string(ir.VerdictUnchanged)}, nil
		}
		if found, err = c.alone(ctx, c.Operation.Statement(ir.ExplainStatement)); err != nil {
			return Outcome{}, err
		}
		if found.count() == 0 || found.last(1) == string(ir.VerdictAgain) {
			if c.Without.Again {
				return Outcome{Answer: Repeated, About: string(ir.VerdictUnchanged)}, nil
			}
			continue
		}
		return c.upserted(found)
	}
	return Outcome{Answer: Refused, About: Unsettled}, nil
}

// upserted reads the outcome of an upsert from the last column of its row.
func (c *run) upserted(found *answer) (Outcome, error) {
	verdict := found.last(1)
	row := &answer{columns: found.columns[:len(found.columns)-1], rows: [][]*string{found.rows[0][:len(found.columns)-1]}}
	out := Outcome{Answer: Repeated, About: verdict, Rows: row.maps()}
	switch ir.Verdict(verdict) {
	case ir.VerdictInserted, ir.VerdictUpdated:
		out.Answer = OK
	case ir.VerdictUnchanged, ir.VerdictStale:
	case ir.VerdictInput:
		return Outcome{Answer: Refused, About: Input}, nil
	default:
		return Outcome{}, errors.New("the upsert answered " + verdict + ", which is no outcome")
	}
	return out, nil
}

// last is the value of the first row in the n-th column from the right.
func (a *answer) last(n int) string {
	row := a.rows[0]
	if len(row) < n || row[len(row)-n] == nil {
		return ""
	}
	return *row[len(row)-n]
}
