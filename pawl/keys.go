package pawl

import "context"

// KeysOperation is a read of rows by keys of several columns. Its SQL takes a
// text[] for each column of the key, with the values as PostgreSQL spells them.
type KeysOperation struct {
	Operation
	// Types are the columns' types as pgx names them; "text" for those it does not
	// know, whose Go values are strings.
	Types []string
}

// QueryKeys runs a statement that returns the rows with some keys, in its order.
// key gives the values of a key in the order of the statement's arguments. No row
// is an empty result and no error; without keys nothing is sent.
func QueryKeys[T, In any](ctx context.Context, s *Session, op *KeysOperation, dest func(*T) []any, keys []In, key func(*In) []any) ([]T, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	args, err := s.columns(op.Types, len(keys), func(i int) []any { return key(&keys[i]) })
	if err != nil {
		c := s.call(&op.Operation)
		return nil, c.done(ctx, "", 0, err)
	}
	return QueryAll(ctx, s, &op.Operation, dest, args...)
}
