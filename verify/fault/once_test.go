package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/verify/fault"
)

func TestClassify(t *testing.T) {
	refusal := &pgconn.PgError{SeverityUnlocalized: "ERROR", Severity: "FEHLER", Code: "23505"}
	for _, c := range []struct {
		ending fault.Ending
		want   fault.Outcome
	}{
		{fault.Ending{}, fault.OK},
		{fault.Ending{Err: fmt.Errorf("book: %w", refusal)}, fault.Refused},
		{fault.Ending{Err: &pgconn.PgError{Severity: "ERROR"}, Broken: true}, fault.Refused},
		{fault.Ending{Err: &pgconn.PgError{SeverityUnlocalized: "FATAL", Code: "57P01"}, Broken: true}, fault.Unknown},
		{fault.Ending{Err: io.ErrUnexpectedEOF, Broken: true}, fault.Unknown},
		{fault.Ending{Err: errors.New("sold out")}, fault.Refused},
		{fault.Ending{Err: fault.ErrSilent}, fault.Unknown},
	} {
		if got := fault.Classify(c.ending); got != c.want {
			t.Errorf("%+v: %s, want %s", c.ending, got, c.want)
		}
	}
}

func TestOnce(t *testing.T) {
	ok, unknown, refused := fault.Ending{Outcome: fault.OK}, fault.Ending{Outcome: fault.Unknown}, fault.Ending{Outcome: fault.Refused}
	for _, c := range []struct {
		name        string
		end         fault.Ending
		recovery    *fault.Ending
		least, most int
	}{
		{"answered", ok, nil, 1, 1},
		{"refused", refused, nil, 0, 0},
		{"cut off", unknown, nil, 0, 1},
		{"cut off, then done", unknown, &ok, 1, 1},
		{"cut off, then refused", unknown, &refused, 0, 1},
		{"paused, done twice as it seems", ok, &ok, 1, 1},
		{"refused because the recovery had done it", refused, &ok, 1, 1},
	} {
		r := &fault.Round{Ends: []fault.Ending{refused, c.end}, Recoveries: []*fault.Ending{nil, c.recovery}}
		if least, most := r.Effects(1); least != c.least || most != c.most {
			t.Errorf("%s: %d to %d effects, want %d to %d", c.name, least, most, c.least, c.most)
		}
		for effects := range 4 {
			want := effects < c.least || effects > c.most
			for _, found := range [][]string{rules(fault.Once(r, 1, effects)), rules(fault.OnceInTotal(r, effects))} {
				if (len(found) > 0) != want {
					t.Errorf("%s, %d effects: %q", c.name, effects, found)
				}
			}
		}
	}
	// Each of two may have happened or not; a third may not.
	r := &fault.Round{Ends: []fault.Ending{unknown, unknown}}
	if found := rules(fault.OnceInTotal(r, 3)); len(found) != 1 || !strings.Contains(found[0], "must be 0 to 2") {
		t.Errorf("found %q", found)
	}
}
