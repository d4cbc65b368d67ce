package pawl_test

import (
	"testing"
	"time"

	"github.com/pawldb/pawl/pawl"
)

// The day of an instant is the one that its own clock shows, in every mode.
func TestDateRanges(t *testing.T) {
	url := database(t)
	east := time.FixedZone("east", 13*3600)
	from, to := time.Date(2026, 3, 1, 0, 30, 0, 0, east), time.Date(2026, 3, 4, 23, 30, 0, 0, east)
	for _, mode := range modes {
		pool := connect(t, url, inMode(mode))
		for text, days := range map[string]pawl.DateRange{
			"[2026-03-01,2026-03-04)": pawl.BetweenDays(from, to),
			"[2026-03-01,)":           pawl.SinceDay(from),
			"(,2026-03-04)":           pawl.UntilDay(to),
			"empty":                   pawl.BetweenDays(from, from),
		} {
			var got string
			var back pawl.DateRange
			must(t, pool.QueryRow(t.Context(), `SELECT $1::daterange::text, $1::daterange`, days).Scan(&got, &back))
			want(t, mode.String()+": range", got, text)
			if text != "empty" {
				want(t, mode.String()+": range read back", back, days)
			}
		}
	}
}
