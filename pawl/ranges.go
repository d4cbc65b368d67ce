package pawl

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// TimeRange is a range of instants: PostgreSQL's tstzrange.
type TimeRange = pgtype.Range[pgtype.Timestamptz]

// Between is the range from lower, included, to upper, not included: [lower, upper).
// Two such ranges that touch do not overlap. PostgreSQL refuses a range that
// ends before it starts (ErrBadInput); one that ends where it starts is empty.
func Between(lower, upper time.Time) TimeRange {
	return TimeRange{
		Lower: instant(lower), LowerType: pgtype.Inclusive,
		Upper: instant(upper), UpperType: pgtype.Exclusive,
		Valid: true,
	}
}

// Since is the range from lower, included, without an end.
func Since(lower time.Time) TimeRange {
	return TimeRange{Lower: instant(lower), LowerType: pgtype.Inclusive, UpperType: pgtype.Unbounded, Valid: true}
}

// Until is the range of all instants before upper.
func Until(upper time.Time) TimeRange {
	return TimeRange{LowerType: pgtype.Unbounded, Upper: instant(upper), UpperType: pgtype.Exclusive, Valid: true}
}

func instant(t time.Time) pgtype.Timestamptz { return pgtype.Timestamptz{Time: t, Valid: true} }
