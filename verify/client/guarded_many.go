package client

import (
	"context"
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// guardedMany runs a move or an adjust of many rows: one statement that writes all
// or none, and tells of each row what became of it. The rows of the outcome are
// those that were written.
func (c *run) guardedMany(ctx context.Context) (out Outcome, err error) {
	for range looks {
		found, err := c.alone(ctx, c.Operation.Statement(ir.MainStatement))
		if err != nil {
			return Outcome{}, err
		}
		var again bool
		out, again, err = judged(found)
		if err != nil || !again {
			return out, err
		}
	}
	return out, nil
}

// judged reads the verdicts. The first row that was refused says why; again says
// that a second look may find another answer.
func judged(found *answer) (out Outcome, again bool, err error) {
	own := len(found.columns) - 3 // verdict, subject, position
	written := &answer{}
	if own > 0 {
		written.columns = found.columns[:own]
	}
	for _, row := range found.rows {
		if own < 1 || row[own] == nil {
			return Outcome{}, false, fmt.Errorf("a row of the batch has no verdict")
		}
		switch verdict := ir.Verdict(*row[own]); verdict {
		case ir.VerdictDone:
			written.rows = append(written.rows, row[:own])
		case ir.VerdictRepeat:
		case ir.VerdictAgain:
			again = true
		case ir.VerdictMissing:
			out, again = Outcome{Answer: NotFound}, true
		case ir.VerdictTwice, ir.VerdictState, ir.VerdictGuard, ir.VerdictInput:
			if out.Answer == "" {
				out = Outcome{Answer: Refused, About: string(verdict)}
				if subject := row[own+1]; subject != nil && *subject != "" {
					out.About = *subject
				}
			}
		default:
			return Outcome{}, false, fmt.Errorf("the statement answered %q, which is no verdict of a batch", verdict)
		}
	}
	switch {
	case out.Answer == Refused:
		return out, false, nil
	case out.Answer == NotFound:
		return out, again, nil
	case again:
		return Outcome{Answer: Refused, About: Unsettled}, len(written.rows) == 0, nil
	case len(written.rows) == 0:
		return Outcome{Answer: Repeated}, false, nil
	}
	return Outcome{Answer: OK, Rows: written.maps()}, false, nil
}
