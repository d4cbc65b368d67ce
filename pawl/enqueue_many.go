package pawl

import "context"

// EnqueueManyOperation is what adds many tasks to a queue with groups. Its SQL takes
// a text[] for each column, with the values as PostgreSQL spells them, and returns
// the ids in the order of the tasks. The groups are taken by its Prelude.
type EnqueueManyOperation struct {
	Operation
	// Types are the columns' types as pgx names them; "text" for those it does not
	// know, whose Go values are strings.
	Types []string
}

// EnqueueMany adds tasks in their order, all or none, and returns their ids. values
// gives what one task takes, in the order of the statement's arguments. Without tasks
// nothing is sent.
func EnqueueMany[In any](ctx context.Context, s *Session, op *EnqueueManyOperation, tasks []In, values func(*In) []any) ([]int64, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	args, err := s.columns(op.Types, len(tasks), func(i int) []any { return values(&tasks[i]) })
	if err != nil {
		c := s.call(&op.Operation)
		return nil, c.done(ctx, "", 0, err)
	}
	return QueryAll(ctx, s, &op.Operation, scalar, args...)
}
