package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// edit locks a row, lets the caller decide and writes, in one transaction.
func (c *run) edit(ctx context.Context) (Outcome, error) {
	return c.editing(ctx, c.lockDecideWrite)
}

// editing runs the attempts of an edit, each in one transaction.
func (c *run) editing(ctx context.Context, attempt func(context.Context, DB) (Outcome, error)) (Outcome, error) {
	if c.Decide == nil {
		return Outcome{}, errors.New("an edit needs a Decide")
	}
	var out Outcome
	err := c.retried(ctx, func() (err error) {
		if c.begin == nil || c.Without.Transaction {
			out, err = attempt(ctx, c.db)
			return err
		}
		return c.within(ctx, c.level(), func(tx pgx.Tx) error {
			out, err = attempt(ctx, tx)
			return err
		})
	})
	return out, err
}

// lockDecideWrite is one attempt of an edit. When no row is there to decide on
// nothing is written, and the transaction ends without an effect either way.
func (c *run) lockDecideWrite(ctx context.Context, db DB) (Outcome, error) {
	lock, write := c.Operation.Statement(ir.LockStatement), c.Operation.Statement(ir.WriteStatement)
	found, err := send(ctx, db, lock, c.arguments(lock))
	if err != nil {
		return Outcome{}, err
	}
	if found.count() == 0 {
		return c.noRow(Outcome{}), nil
	}
	before := found.maps()[0]
	values, changed, err := c.decide(before)
	if err != nil {
		return Outcome{}, err
	}
	if !changed {
		return Outcome{Answer: OK, Rows: found.maps()[:1], Read: before}, nil
	}
	written, err := send(ctx, db, write, c.writeArguments(write, values))
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Answer: OK, Rows: written.maps(), Read: before}
	if written.count() == 0 {
		return c.noRow(out), nil
	}
	return out, nil
}

// noRow is what an edit makes of a statement that met no row.
func (c *run) noRow(out Outcome) Outcome {
	out.Answer, out.Rows = NotFound, nil
	if c.Without.RowCount {
		out.Answer = OK
	}
	return out
}

// decide asks the caller for the values of the editable columns.
func (c *run) decide(before map[string]*string) (values map[string]*string, changed bool, err error) {
	values = make(map[string]*string, len(c.Operation.Columns))
	for _, column := range c.Operation.Columns {
		values[column] = before[column]
	}
	// A copy, so that what Decide does to its row does not reach Outcome.Read.
	for column, value := range c.Decide(copyOf(before)) {
		if !slices.Contains(c.Operation.Columns, column) {
			return nil, false, fmt.Errorf("the function Decide changes %s, which is not among the edit's columns", column)
		}
		changed = changed || !same(before[column], value)
		values[column] = value
	}
	return values, changed, nil
}

// writeArguments are the arguments of the UPDATE: the key from the call, and then
// the decided values.
func (c *run) writeArguments(write *ir.Statement, values map[string]*string) []any {
	list := c.arguments(write)
	for i := len(c.Operation.Key); i < len(write.Args); i++ {
		list[i] = nil
		if v := values[write.Args[i].Name]; v != nil {
			list[i] = *v
		}
	}
	return list
}

// copyOf is a row that shares no memory with the given one.
func copyOf(row map[string]*string) map[string]*string {
	other := make(map[string]*string, len(row))
	for column, value := range row {
		if value != nil {
			value = new(*value)
		}
		other[column] = value
	}
	return other
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
