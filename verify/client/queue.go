package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// claim moves what is due, or takes groups, and takes tasks, in one message and so
// in one transaction. A campaign adds the leader's row and takes the term.
func (c *run) claim(ctx context.Context) (Outcome, error) {
	due, main := c.Operation.Statement(ir.DueStatement), c.Operation.Statement(ir.MainStatement)
	if group := c.Operation.Statement(ir.GroupStatement); group != nil {
		due = group
	}
	if c.Operation.Kind == ir.CampaignOp {
		due = c.Operation.Statement(ir.EnlistStatement)
	}
	var found *answer
	err := c.retried(ctx, func() (err error) {
		switch {
		case due == nil:
			found, err = send(ctx, c.db, main, c.arguments(main))
			return err
		case c.begin == nil || !c.Without.Transaction && c.level() == pgx.ReadCommitted:
			found, err = c.together(ctx, c.db, due, main)
			return err
		case c.Without.Transaction:
			if _, err = send(ctx, c.db, due, c.arguments(due)); err == nil {
				found, err = send(ctx, c.db, main, c.arguments(main))
			}
			return err
		}
		return c.within(ctx, c.level(), func(tx pgx.Tx) error {
			found, err = c.together(ctx, tx, due, main)
			return err
		})
	})
	if err != nil {
		return Outcome{}, err
	}
	if found.count() == 0 && !c.Without.RowCount {
		return Outcome{Answer: NotFound}, nil
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}

// together sends statements in one batch and reads the answer of the last.
func (c *run) together(ctx context.Context, db DB, list ...*ir.Statement) (found *answer, err error) {
	var b pgx.Batch
	for _, s := range list {
		b.Queue(s.SQL, c.arguments(s)...)
	}
	results := db.SendBatch(ctx, &b)
	// Outside a transaction the end of the batch is its COMMIT, and speaks there.
	defer func() {
		if closeErr := results.Close(); err == nil {
			err = closeErr
		}
	}()
	last := list[len(list)-1]
	for range list[1:] {
		if _, err := results.Exec(); err != nil {
			return nil, err
		}
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	return read(rows, last)
}

// enqueueMany adds many tasks. The groups are taken ahead, in the same transaction.
func (c *run) enqueueMany(ctx context.Context) (Outcome, error) {
	found, err := c.inOrder(ctx)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}

// ended runs an operation that ends or renews claims. In a queue with groups a
// statement that locks the group goes ahead.
func (c *run) ended(ctx context.Context) (*answer, error) {
	if len(c.Operation.Prelude()) > 0 {
		return c.inOrder(ctx)
	}
	return c.alone(ctx, c.Operation.Statement(ir.MainStatement))
}

// settle ends one claim: zero rows say that it was lost.
func (c *run) settle(ctx context.Context) (Outcome, error) {
	found, err := c.ended(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if found.count() == 0 && !c.Without.RowCount {
		return Outcome{Answer: Refused, About: Fence}, nil
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}

// settleAll ends or renews several claims: those whose ids do not come back were
// lost, and the others count all the same.
func (c *run) settleAll(ctx context.Context) (Outcome, error) {
	claims, err := c.claims()
	if err != nil || len(claims) == 0 {
		return Outcome{Answer: OK}, err
	}
	found, err := c.ended(ctx)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Answer: OK, Rows: found.maps()}
	held := map[int64]bool{}
	for _, row := range found.rows {
		if len(row) == 0 || row[0] == nil {
			return Outcome{}, errors.New("a task came back without its id")
		}
		id, err := strconv.ParseInt(*row[0], 10, 64)
		if err != nil {
			return Outcome{}, fmt.Errorf("a task came back with the id %q: %w", *row[0], err)
		}
		held[id] = true
	}
	if !c.Without.RowCount && lost(claims, held) {
		out.Answer, out.About = Refused, Fence
	}
	return out, nil
}

// claim is a worker's hold on a task.
type claim struct{ id, fence int64 }

// lost reports whether one of the claims, once each and in order, did not get
// through. Where a task was claimed twice only the greater fence can be current.
func lost(claims []claim, held map[int64]bool) bool {
	for i, c := range claims {
		superseded := i+1 < len(claims) && claims[i+1].id == c.id
		if superseded || !held[c.id] {
			return true
		}
	}
	return false
}

// claims reads the call's arguments ids and fences, which are arrays of numbers.
func (c *run) claims() ([]claim, error) {
	ids, err := numbers("ids", c.value("ids"))
	if err != nil {
		return nil, err
	}
	fences, err := numbers("fences", c.value("fences"))
	if err != nil {
		return nil, err
	}
	if len(ids) != len(fences) {
		return nil, fmt.Errorf("there are %d ids and %d fences; each claim has one of both", len(ids), len(fences))
	}
	claims := make([]claim, len(ids))
	for i := range ids {
		claims[i] = claim{ids[i], fences[i]}
	}
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.fence, b.fence))
	})
	return slices.Compact(claims), nil
}

// numbers reads {1,2}; NULL is an empty array.
func numbers(name string, array *string) ([]int64, error) {
	if array == nil {
		return nil, nil
	}
	inner, opens := strings.CutPrefix(strings.TrimSpace(*array), "{")
	inner, closes := strings.CutSuffix(inner, "}")
	if !opens || !closes {
		return nil, fmt.Errorf("%s = %q is no array; write it as {1,2}", name, *array)
	}
	if strings.TrimSpace(inner) == "" {
		return nil, nil
	}
	parts := strings.Split(inner, ",")
	list := make([]int64, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s = %q is no array of numbers; write it as {1,2}", name, *array)
		}
		list[i] = n
	}
	return list, nil
}
