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
	return QueryKeys(ctx, s, (*KeysOperation)(op), scalar, tasks, values)
}
