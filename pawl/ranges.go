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

// DateRange is a range of days: PostgreSQL's daterange.
type DateRange = pgtype.Range[pgtype.Date]

// BetweenDays is the range from the day of lower, included, to the day of upper,
// not included: [lower, upper). The day of an instant is the one in its own
// location. Two such ranges that touch do not overlap. PostgreSQL refuses a range
// that ends before it starts (ErrBadInput); one that ends where it starts is empty.
func BetweenDays(lower, upper time.Time) DateRange {
	return DateRange{
		Lower: day(lower), LowerType: pgtype.Inclusive,
		Upper: day(upper), UpperType: pgtype.Exclusive,
		Valid: true,
	}
}

// SinceDay is the range from the day of lower, included, without an end.
func SinceDay(lower time.Time) DateRange {
	return DateRange{Lower: day(lower), LowerType: pgtype.Inclusive, UpperType: pgtype.Unbounded, Valid: true}
}

// UntilDay is the range of all days before that of upper.
func UntilDay(upper time.Time) DateRange {
	return DateRange{LowerType: pgtype.Unbounded, Upper: day(upper), UpperType: pgtype.Exclusive, Valid: true}
}

// day is the date of t in its location, in the form in which dates are read.
func day(t time.Time) pgtype.Date {
	year, month, date := t.Date()
	return pgtype.Date{Time: time.Date(year, month, date, 0, 0, 0, 0, time.UTC), Valid: true}
}
