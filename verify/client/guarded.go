package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// looks is how often a guarded statement is run when its explanation finds
// nothing in the way any more.
const looks = 2

// guarded runs a move or an adjust: the statement that touches its row only if it
// may, and when it touched none a second one that says why.
func (c *run) guarded(ctx context.Context) (Outcome, error) {
	for range looks {
		found, err := c.alone(ctx, c.Operation.Statement(ir.MainStatement), c.first()...)
		if err != nil {
			return Outcome{}, err
		}
		if found.count() > 0 || c.Without.RowCount {
			return Outcome{Answer: OK, Rows: found.maps()}, nil
		}
		out, again, err := c.explain(ctx)
		if err != nil || !again {
			return out, err
		}
	}
	return Outcome{Answer: Refused, About: Unsettled}, nil
}

// first is the statement that locks the row ahead of the one that changes it, where
// there is one.
func (c *run) first() []*ir.Statement {
	if s := c.Operation.Statement(ir.LockStatement); s != nil {
		return []*ir.Statement{s}
	}
	return nil
}

// explain asks why a guarded statement touched no row. again says that nothing
// stands in its way any more.
func (c *run) explain(ctx context.Context) (out Outcome, again bool, err error) {
	found, err := c.alone(ctx, c.Operation.Statement(ir.ExplainStatement))
	if err != nil {
		return Outcome{}, false, err
	}
	if len(found.rows) == 0 {
		return Outcome{Answer: NotFound}, false, nil
	}
	// Verdict and subject are the last two columns; one of the row's own may have
	// the name of either.
	row := found.rows[0]
	own := len(row) - 2
	if own < 0 || row[own] == nil {
		return Outcome{}, false, errors.New("the explain statement gave no verdict")
	}
	switch verdict := ir.Verdict(*row[own]); verdict {
	case ir.VerdictRepeat:
		repeated := &answer{columns: found.columns[:own], rows: [][]*string{row[:own]}}
		return Outcome{Answer: Repeated, Rows: repeated.maps()}, false, nil
	case ir.VerdictAgain:
		return Outcome{}, true, nil
	case ir.VerdictStale:
		return Outcome{Answer: Refused, About: Stale}, false, nil
	case ir.VerdictState, ir.VerdictGuard, ir.VerdictInput:
		out := Outcome{Answer: Refused}
		if subject := row[own+1]; subject != nil {
			out.About = *subject
		}
		return out, false, nil
	default:
		return Outcome{}, false, fmt.Errorf("the explain statement answered %q, which is no verdict", verdict)
	}
}
