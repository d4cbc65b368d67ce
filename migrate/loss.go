package migrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// loss is what a drop was said to lose: whoever allowed it allowed that much.
type loss struct {
	table  ir.TableRef
	column string // empty for the whole table
	amount int64  // rows, or values of the column
}

// sql is a query for the amount, which stops counting after limit; negative for
// no limit.
func (l loss) sql(limit int64) string {
	from := l.table.SQL()
	if l.column != "" {
		from += " WHERE " + ir.Ident(l.column) + " IS NOT NULL"
	}
	if limit >= 0 {
		from += fmt.Sprintf(" LIMIT %d", limit)
	}
	return "SELECT count(*) FROM (SELECT FROM " + from + ") counted"
}

// hold locks the table and counts again: [ErrMoved] when more would be lost by
// now. Nobody can add to it from then on, until the transaction ends.
func (l loss) hold(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "LOCK TABLE "+l.table.SQL()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	var now int64
	if err := tx.QueryRow(ctx, l.sql(l.amount+1)).Scan(&now); err != nil {
		return err
	}
	if now > l.amount {
		thing, name := "row", l.table.SQL()
		if l.column != "" {
			thing, name = "value", name+"."+ir.Ident(l.column)
		}
		return fmt.Errorf("%s holds more than the %s that the plan told of: %w", name, amount(l.amount, thing), ErrMoved)
	}
	return nil
}

// lossOf is what a change loses, for a change that loses rows or values.
func lossOf(c ir.Change) (loss, bool) {
	switch c := c.(type) {
	case ir.DropTable:
		return loss{table: c.Table.Ref()}, true
	case ir.DropColumn:
		return loss{table: c.Table, column: c.Column.Name}, true
	}
	return loss{}, false
}

// holdLosses tells the steps what the plan says that they lose. What was not
// counted was allowed unknown.
func holdLosses(steps []Step, changes []ir.Change, lost map[ir.ObjectID]int64) {
	for _, c := range changes {
		l, loses := lossOf(c)
		id := ir.ChangeObject(c)
		if l.amount = lost[id]; !loses || l.amount < 0 {
			continue
		}
		for i := range steps {
			if slices.Contains(steps[i].forgets, id) {
				steps[i].losses = append(steps[i].losses, l)
			}
		}
	}
}
