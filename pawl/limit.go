package pawl

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// LimitError says how full the group was that a limit kept rows out of.
// errors.Is(err, ErrLimit) holds for it. It says nothing where no row came in
// but the bound of a group went below what is used: the row of the group, with
// the column that was written, is in the caller's hands there.
type LimitError struct {
	Used json.Number `json:"used"` // by rows that are stored
	Max  json.Number `json:"max"`  // what the group may use
	More json.Number `json:"more"` // what the statement would have added
}

// Error names the three numbers, and no value of any row.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s of %s used, and %s more would come", e.Used, e.Max, e.More)
}

// Is reports that e belongs to ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// exceeded reads what the trigger of a limit says in DETAIL; nil where the
// counter's CHECK refused by itself, whose DETAIL holds a row.
func exceeded(c *ConstraintError, e *pgconn.PgError) *LimitError {
	if c.Kind != KindLimit {
		return nil
	}
	var l LimitError
	if json.Unmarshal([]byte(e.Detail), &l) != nil || l.Used == "" || l.Max == "" || l.More == "" {
		return nil
	}
	return &l
}
