package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
)

// tally counts what the Observers of the service's processes saw.
type tally struct {
	mu       sync.Mutex
	calls    map[string]int // by outcome
	requests map[string]int // by outcome: requests for work that is done once
	states   map[string]int // by SQLSTATE
	upserted int            // rows of upserts that were there
	total    int            // calls
	asked    int            // requests
}

func newTally() *tally {
	return &tally{calls: map[string]int{}, requests: map[string]int{}, states: map[string]int{}}
}

// line takes one line of a reporter. The last one of a killed process may be cut.
func (t *tally) line(text string) {
	fields := strings.Split(text, ",")
	if len(fields) != 4 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if fields[0] == "request" {
		t.asked++
		t.requests[fields[1]]++
		return
	}
	t.total++
	t.calls[fields[1]]++
	if fields[2] != "" {
		t.states[fields[2]]++
	}
	if n, err := strconv.Atoi(fields[3]); err == nil {
		t.upserted += n
	}
}

// rates prints what a team watches: seven rates, and what each is of.
func (t *tally) rates(out io.Writer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	twice := t.requests["replayed"] + t.requests["duplicate"] + t.requests["in_progress"] + t.requests["mismatch"] + t.requests["takeover"]
	zero := t.calls["not_found"] + t.calls["wrong_state"] + t.calls["guard"] + t.calls["stale"]
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range []struct {
		name  string
		n, of int
		what  string
	}{
		{"duplicate_request_rate", twice, t.asked, "requests"},
		{"idempotency_replay_hit_rate", t.requests["replayed"] + t.requests["duplicate"], twice, "requests that came again"},
		{"payload_mismatch_rate", t.requests["mismatch"], t.asked, "requests"},
		{"db_unique_violation_rate", t.states["23505"], t.total, "calls"},
		{"upsert_conflict_rate", t.upserted, t.total, "calls"},
		{"rows_affected_zero_rate", zero, t.total, "calls"},
		{"side_effect_duplicate_detected", t.requests["lease_lost"] + t.calls["claim_lost"], t.asked, "requests"},
	} {
		fmt.Fprintf(w, "%s\t%5.2f %%\t%d of %d %s\t\n", r.name, 100*float64(r.n)/float64(max(r.of, 1)), r.n, r.of, r.what)
	}
	return w.Flush()
}
