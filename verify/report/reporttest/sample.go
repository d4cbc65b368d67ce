// Package reporttest holds reports made by hand, for tests of what prints them.
// Between them they have every verdict, phase and state that a report can have,
// and names and values that try to get out of their place.
package reporttest

import (
	"errors"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

// Hostile is a value that does harm wherever it is printed as it is: to a
// terminal, in HTML, in a diagram, in a .spec file.
const Hostile = "\x1b[2J</script><script>document.title='owned'</script>\"};#'\n\u202e{}"

// Holding is a report in which all is well.
func Holding() *verify.Report {
	r := base()
	r.Subjects = []verify.Subject{seats(verify.Holds)}
	return r
}

// Mixed is a report with everything in it.
func Mixed() *verify.Report {
	r := base()
	r.Sessions = 3
	r.Full = true
	r.Subjects = []verify.Subject{seats(verify.Holds), bookings(), rooms(), counters(), queue()}
	return r
}

// Unclear is a report that could not decide.
func Unclear() *verify.Report {
	r := base()
	r.Subjects = []verify.Subject{queue()}
	return r
}

// Toothless is a report in which a mutant survived.
func Toothless() *verify.Report {
	r := base()
	r.Subjects = []verify.Subject{rooms()}
	return r
}

func base() *verify.Report {
	return &verify.Report{Project: "seats", Server: "15.18", Sessions: 2, Duration: 12340 * time.Millisecond}
}

func seats(verdict verify.Verdict) verify.Subject {
	counter := Booked()
	return verify.Subject{
		Address: "table.seats.transitions.status", Kind: "transitions",
		Promise: "The status of a seat changes only as declared: free to booked.", Mechanism: "guard in the UPDATE",
		Pos: ir.Pos{File: "seats.hcl", Line: 120, Column: 3},
		Checks: []verify.Check{
			{
				ID: "table.seats.transitions.status/book-book", Name: "two clients book one seat", Phase: verify.Interleavings,
				Clients: []string{"book", "book"}, Verdict: verdict, Schedules: 26, Waiting: 10, Pruned: 4,
				Outcomes: map[string]int{"ok, refused": 13, "refused, ok": 13}, Duration: 310 * time.Millisecond,
				Mutants: []verify.Mutant{
					{
						ID: "without-guard", Name: "without the guard", Verdict: verify.Killed, Schedules: 14, Waiting: 8, Duration: 90 * time.Millisecond,
						Diff:           []string{"-UPDATE app.seats SET status = 'booked' WHERE id = $1 AND status = 'free'", "+UPDATE app.seats SET status = 'booked' WHERE id = $1"},
						Counterexample: &counter,
					},
					{
						ID: "stronger-lock", Name: "FOR UPDATE in place of FOR NO KEY UPDATE", Verdict: verify.Excused, Graded: true,
						Reason: "it is as safe, and costs concurrency", Schedules: 7, Waiting: 5, Duration: 60 * time.Millisecond,
						Diff: []string{" SELECT id FROM app.rooms WHERE id = $1", "-FOR NO KEY UPDATE", "+FOR UPDATE"},
					},
				},
			},
			{
				ID: "table.seats.transitions.status/stress", Name: "8 clients book one seat", Phase: verify.Stress,
				Clients: []string{"book"}, Verdict: verify.Holds, Rounds: 300, Duration: 800 * time.Millisecond,
			},
			{
				ID: "table.seats.transitions.status/crash", Name: "a client dies while it books", Phase: verify.Crash,
				Clients: []string{"book", "book"}, Verdict: verify.Holds, Rounds: 42, Duration: 2 * time.Second,
			},
		},
	}
}

// Booked is the counterexample of a guard that is gone: two clients book one
// seat, the second after it waited for the first.
func Booked() verify.Counterexample {
	const update = "/* table.seats.transitions.status.book */ UPDATE app.seats\nSET status = 'booked', booked_by = $2\nWHERE id = $1\nRETURNING id, status"
	return verify.Counterexample{
		ID:      "table.seats.transitions.status/book-book@without-guard:0.1.0",
		Fixture: "TRUNCATE app.seats;\nINSERT INTO app.seats (id, status) VALUES (7, 'free');",
		Run: &explore.Run{
			ID: "0.1.0", Clients: []string{"book", "book"}, Waits: 1,
			Steps: []explore.Step{
				{
					Client: 0, Kind: explore.Statement, Ahead: []string{"BEGIN"}, SQL: update, Args: []string{"7", "ann"}, State: explore.Done, Tag: "UPDATE 1",
					Columns: []string{"id", "status"}, Rows: [][]string{{"7", "booked"}},
				},
				{Client: 1, Kind: explore.Statement, SQL: update, Args: []string{"7", "bob"}, State: explore.Waiting, WaitsFor: []int{0}},
				{Client: 0, Kind: explore.Commit, SQL: "COMMIT", State: explore.Done, Tag: "COMMIT", Commits: true},
				{
					Client: 1, Kind: explore.Resume, State: explore.Done, Tag: "UPDATE 1", Commits: true,
					Columns: []string{"id", "status"}, Rows: [][]string{{"7", "booked"}},
					Violations: []explore.Violation{{Rule: "a seat is booked once"}},
				},
			},
			Ends: []explore.End{{Value: "ok"}, {Value: "ok"}},
			Violations: []explore.Violation{
				{Rule: "at most one of the calls that book a seat returns ok; 2 did"},
				{Rule: "a seat is booked once", Columns: []string{"id", "status", "booked_by"}, Rows: [][]string{{"7", "booked", "bob"}}},
			},
		},
	}
}

// Gated is a schedule that was stopped inside a statement, with three clients,
// an error, and values that mean harm.
func Gated() verify.Counterexample {
	return verify.Counterexample{
		ID:      "table.bookings.no_overlap.one_per_room/raw:0.1.2.2.0",
		Fixture: "INSERT INTO app.rooms (id, name) VALUES (1, '" + "部屋 }" + "');",
		Run: &explore.Run{
			ID: "0.1.2.2.0", Clients: []string{"raw INSERT", "予約を入れる客", Hostile}, Waits: 1,
			Steps: []explore.Step{
				{
					Client: 0, Kind: explore.Statement, SQL: "INSERT INTO app.bookings (room_id, during, note)\nSELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM app.bookings WHERE room_id = $1 AND during && $2)",
					Args: []string{"1", "[2026-01-01,2026-01-02)", Hostile}, State: explore.Stopped, Place: "before the first row",
				},
				{
					Client: 1, Kind: explore.Statement, SQL: "INSERT INTO app.bookings (room_id, during, note) VALUES (1, '[2026-01-01,2026-01-03)', '部屋を予約する、とても長い説明がここに続きます、まだ続きます')",
					State: explore.Done, Tag: "INSERT 0 1", Commits: true,
				},
				{Client: 2, Kind: explore.Begin, SQL: "begin isolation level serializable", State: explore.Done, Tag: "BEGIN"},
				{Client: 2, Kind: explore.Statement, SQL: "DELETE FROM app.bookings", State: explore.Waiting, WaitsFor: []int{0, 1}},
				{Client: 0, Kind: explore.Continue, State: explore.Done, Tag: "INSERT 0 1", Commits: true},
				{Client: 2, Kind: explore.Resume, State: explore.Done, Err: errors.New("ERROR: deadlock detected (SQLSTATE 40P01)")},
			},
			Ends: []explore.End{{}, {Value: "ok"}, {Err: errors.New("deadlock detected")}},
			Violations: []explore.Violation{{
				Rule: "no two bookings of a room overlap", Columns: []string{"id", "note", "during"},
				Rows: [][]string{{"1", Hostile, "[2026-01-01,2026-01-02)"}, {"2", "部屋を予約する", "[2026-01-01,2026-01-03)"}},
			}},
			Stuck:     "",
			Deviation: "client 2 was to go on at step 4 and could not",
		},
	}
}

func bookings() verify.Subject {
	return verify.Subject{
		Address: "table.bookings.no_overlap.one_per_room", Kind: "no_overlap",
		Promise: "No two bookings of a room overlap.", Mechanism: "EXCLUDE USING gist",
		Pos: ir.Pos{File: "seats.hcl", Line: 80, Column: 3},
		Checks: []verify.Check{{
			ID: "table.bookings.no_overlap.one_per_room/raw", Name: "two raw inserts", Phase: verify.Interleavings,
			Clients: []string{"raw INSERT", "raw INSERT", Hostile}, Verdict: verify.Violated, Schedules: 1204, Waiting: 20, Violating: 4,
			Outcomes: map[string]int{"ok, ok, error": 4}, Duration: 3 * time.Second,
			Counterexamples: []verify.Counterexample{Gated()},
		}, {
			ID: "table.bookings.no_overlap.one_per_room/stress", Name: "8 raw inserts", Phase: verify.Stress,
			Verdict: verify.Violated, Rounds: 300, Violating: 78, Rate: 0.26, Duration: time.Second,
		}},
	}
}

func rooms() verify.Subject {
	return verify.Subject{
		Address: "table.rooms.no_duplicates.name", Kind: "no_duplicates",
		Promise: "No two rooms have the same name.", Mechanism: "UNIQUE (name)",
		Checks: []verify.Check{{
			ID: "table.rooms.no_duplicates.name/insert-insert", Name: "two clients take one name", Phase: verify.Interleavings,
			Clients: []string{"insert", "raw COPY"}, Verdict: verify.Holds, Schedules: 20, Waiting: 12, Duration: 150 * time.Millisecond,
			Mutants: []verify.Mutant{{
				ID: "without-unique", Name: "without the unique constraint", Verdict: verify.Survived, Schedules: 20, Duration: 80 * time.Millisecond,
				Diff: []string{"-ALTER TABLE app.rooms ADD CONSTRAINT rooms_name UNIQUE (name)"},
			}},
		}},
	}
}

func counters() verify.Subject {
	return verify.Subject{
		Address: `table."Zähler, täglich".counter.a_name_that_is_much_longer_than_any_column_of_the_table_of_subjects`, Kind: "counter",
		Promise: "A count never goes below zero.", Mechanism: "guard in the UPDATE",
		Checks: []verify.Check{{
			ID: `table."Zähler, täglich".counter.a_name/take-take`, Name: "two clients take the last one", Phase: verify.Interleavings,
			Verdict: verify.Holds, Schedules: 6, Waiting: 3, Duration: 40 * time.Millisecond,
		}, {
			ID: `table."Zähler, täglich".counter.a_name/give's`, Name: "nobody gives", Phase: verify.Interleavings,
			Verdict: verify.Untried, Detail: "no row could be made up that breaks the rule: a check forbids it",
		}},
	}
}

func queue() verify.Subject {
	return verify.Subject{
		Address: "queue.tasks", Kind: "queue",
		Promise: "A task is held by one worker at a time.", Mechanism: "FOR UPDATE SKIP LOCKED and a fence",
		Checks: []verify.Check{{
			ID: "queue.tasks/claim-claim", Name: "two workers claim one task", Phase: verify.Interleavings,
			Clients: []string{"claim", "claim"}, Verdict: verify.Inconclusive,
			Detail:    "client 1 waited 5 s for something that is no lock, in schedule 0.1.1",
			Schedules: 3, Duration: 5 * time.Second,
			Mutants: []verify.Mutant{{ID: "without-lock", Name: "without SKIP LOCKED", Verdict: verify.Inconclusive, Reason: "the schedules differ when repeated"}},
		}},
	}
}
