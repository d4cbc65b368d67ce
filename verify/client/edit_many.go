package client

import (
	"context"
	"errors"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// editMany locks several rows, lets the caller decide on each and writes those that
// changed, in one transaction. The rows of the outcome are those that were written.
func (c *run) editMany(ctx context.Context) (Outcome, error) {
	return c.editing(ctx, c.lockDecideWriteMany)
}

// lockDecideWriteMany is one attempt. A key without a row ends it with nothing
// written.
func (c *run) lockDecideWriteMany(ctx context.Context, db DB) (Outcome, error) {
	lock, write := c.Operation.Statement(ir.LockStatement), c.Operation.Statement(ir.WriteStatement)
	found, err := send(ctx, db, lock, c.arguments(lock))
	if err != nil {
		return Outcome{}, err
	}
	named := c.Args[c.Operation.Each[0].Name]
	if named == nil {
		return Outcome{}, errors.New("an edit of many rows needs their keys")
	}
	if places := strings.Count(*named, ",") + 1; len(found.rows) < places {
		return c.noRow(Outcome{}), nil
	}
	out := Outcome{Answer: OK}
	columns := map[string][]*string{}
	for _, row := range found.maps() {
		values, changed, err := c.decide(row)
		if err != nil {
			return Outcome{}, err
		}
		if !changed {
			continue
		}
		out.Reads = append(out.Reads, row)
		for _, f := range write.Args {
			v, ok := values[f.Name]
			if !ok {
				v = row[f.Name] // the key
			}
			columns[f.Name] = append(columns[f.Name], v)
		}
	}
	if len(out.Reads) == 0 {
		return out, nil
	}
	args := make([]any, len(write.Args))
	for i, f := range write.Args {
		args[i] = columns[f.Name]
	}
	written, err := send(ctx, db, write, args)
	if err != nil {
		return Outcome{}, err
	}
	out.Rows = written.maps()
	return out, nil
}
