package pawl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// unsentError is an argument that the driver could not write as the type of its
// parameter. Nothing of its statement was sent. What pgx says of it quotes the
// value, so that its text is not kept.
type unsentError struct {
	argument int // 1 is the first
	value    any
}

func (e *unsentError) Error() string {
	return fmt.Sprintf("%v: argument %d: a %T cannot be sent as this parameter", ErrBadInput, e.argument, e.value)
}

func (e *unsentError) Is(target error) bool { return target == ErrBadInput }

// unsent returns err, or, when it says that an argument could not be written, an
// *unsentError in its place. It matters most for a statement that commits: whatever
// comes after it was sent leaves the outcome open, and this comes before.
//
// pgx has no type for this error. It gives the argument's number in every mode but
// the simple protocol, where writing the arguments once more tells.
func unsent(db DB, args []any, err error) error {
	var server *pgconn.PgError
	if err == nil || errors.As(err, &server) {
		return err
	}
	if _, rest, found := strings.Cut(err.Error(), "failed to encode args["); found {
		number, _, _ := strings.Cut(rest, "]")
		if i, bad := strconv.Atoi(number); bad == nil && i < len(args) {
			return &unsentError{i + 1, args[i]}
		}
	}
	if mode, known := modeOf(db); !known || mode != pgx.QueryExecModeSimpleProtocol {
		return err
	}
	m := pgtype.NewMap()
	if conn, ok := connOf(db); ok {
		m = conn.TypeMap()
	}
	for i := range args {
		var b pgx.ExtendedQueryBuilder
		if b.Build(m, nil, args[i:i+1]) != nil {
			return &unsentError{i + 1, args[i]}
		}
	}
	return err
}
