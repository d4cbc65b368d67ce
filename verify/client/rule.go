package client

import (
	"context"
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// ruled runs a write of what a rule looks at, behind the read that goes ahead of it.
// A transaction of the caller's has to be serializable.
func (c *run) ruled(ctx context.Context) (Outcome, error) {
	if c.begin == nil {
		found, err := send(ctx, c.db, &ir.Statement{SQL: "SHOW transaction_isolation", Rows: ir.ReturnsOne}, nil)
		if err != nil {
			return Outcome{}, err
		}
		if level := *found.rows[0][0]; level != string(ir.Serializable) {
			return Outcome{}, fmt.Errorf("an operation of a rule cannot join a transaction at %s; it needs serializable", level)
		}
	}
	found, err := c.alone(ctx, c.Operation.Statement(ir.MainStatement), c.Operation.Statement(ir.ReadStatement))
	if err != nil {
		return Outcome{}, err
	}
	if found.count() == 0 && !c.Without.RowCount {
		return Outcome{Answer: NotFound}, nil
	}
	return Outcome{Answer: OK}, nil
}
