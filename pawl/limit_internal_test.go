package pawl

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

var places = &ConstraintError{
	Schema: "app", Table: "events", Constraint: "events_places", Columns: []string{"event_id"}, Code: "23514", Kind: KindLimit,
	Address: "table.bookings.limit.places",
}

// A group that is full is the limit's sentinel, its family and its numbers at
// once.
func TestLimitError(t *testing.T) {
	err := describe("bookings.insert", &pgconn.PgError{
		Code: "23514", SchemaName: "app", TableName: "events", ConstraintName: "events_places",
		Detail: `{"used" : 5, "max" : 6.5, "more" : 2}`,
	}, Constraints{places})
	var limit *LimitError
	if !errors.Is(err, places) || !errors.Is(err, ErrLimit) || errors.Is(err, ErrCheck) || !errors.As(err, &limit) {
		t.Fatalf("the error is %v", err)
	}
	if limit.Used != "5" || limit.Max != "6.5" || limit.More != "2" {
		t.Errorf("the numbers are %+v", *limit)
	}
	if !strings.Contains(err.Error(), "5 of 6.5 used, and 2 more would come") {
		t.Errorf("the text is %s", err)
	}
	if HTTPStatus(err) != 409 {
		t.Errorf("the status is %d", HTTPStatus(err))
	}
}

// What the CHECK refuses by itself has a row in its DETAIL, which stays out of
// the text.
func TestLimitErrorWithoutNumbers(t *testing.T) {
	err := describe("events.shrink", &pgconn.PgError{
		Code: "23514", SchemaName: "app", TableName: "events", ConstraintName: "events_places",
		Detail: "Failing row contains (1, secret, 5).",
	}, Constraints{places})
	var limit *LimitError
	if !errors.Is(err, ErrLimit) || errors.As(err, &limit) || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v", err)
	}
	truncated := describe("", &pgconn.PgError{Code: "PW003", SchemaName: "app", TableName: "bookings", ConstraintName: "bookings_places"}, Constraints{places})
	if !errors.Is(truncated, ErrLimit) {
		t.Errorf("a refused TRUNCATE is %v", truncated)
	}
}
