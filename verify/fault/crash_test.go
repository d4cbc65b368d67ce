package fault_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fault"
)

// watched is a workload of which every round that was judged is kept, the first,
// without a fault, left out.
func watched(w fault.Workload) (fault.Workload, func() []*fault.Round) {
	var rounds []*fault.Round
	judge := w.Judge
	w.Judge = func(ctx context.Context, conn *pgx.Conn, r *fault.Round) ([]explore.Violation, error) {
		rounds = append(rounds, r)
		return judge(ctx, conn, r)
	}
	return w, func() []*fault.Round { return rounds[1:] }
}

// crash runs a crash phase that must come to its end.
func crash(t *testing.T, url string, w fault.Workload, o fault.CrashOptions) *fault.CrashResult {
	t.Helper()
	r, err := fault.Crash(t.Context(), nil, url, w, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, late := range r.Inconclusive {
		t.Errorf("inconclusive: %s: %s", late.Fault, late.Why)
	}
	return r
}

// blind is a client that does its work again when it does not know better.
var blind = fault.Workload{Name: "blind increment", Fixture: counterFixture, Clients: []fault.Client{increment}, Judge: countedOnce}

// once is a client that asks again under the same key.
var once = fault.Workload{Name: "increment with a key", Fixture: counterFixture, Clients: []fault.Client{incrementOnce("a"), incrementOnce("b")}, Judge: countedOnce}

// Every fault happens, and the client sees what a client sees of it.
func TestCrashFaultsHappen(t *testing.T) {
	server := pgtest.Start(t, nil)
	url := database(t, server.URL("postgres"))
	w, rounds := watched(blind)
	r, err := fault.Crash(t.Context(), server, url, w, fault.CrashOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tally := range r.Tallies {
		t.Logf("%-50s %d in %s, %d violating", tally.Kind, tally.Injected, tally.Duration.Round(time.Millisecond), tally.Violating)
	}
	if len(r.Inconclusive) > 0 || len(r.Skipped) > 0 || r.Faults != len(rounds()) {
		t.Errorf("%d faults in %d rounds, skipped %q, inconclusive %v", r.Faults, len(rounds()), r.Skipped, r.Inconclusive)
	}
	// BEGIN, the UPDATE and its Sync, COMMIT, the end.
	want := map[fault.Kind]int{fault.Cut: 4, fault.LoseReply: 3, fault.Terminate: 4, fault.PauseClient: 3, fault.PauseBackend: 3, fault.Kill: 4, fault.Restart: 4}
	seen := map[fault.Kind]int{}
	for _, round := range rounds() {
		seen[round.Fault.Kind]++
		first, recovery := round.Ends[0], round.Recoveries[0]
		if round.Fault.Point.Message == "end" {
			if first.Outcome != fault.OK || recovery != nil {
				t.Errorf("%s: the client was done: %+v, then %+v", round.Fault, first, recovery)
			}
			continue
		}
		if recovery == nil || recovery.Outcome != fault.OK {
			t.Errorf("%s: the recovery %+v", round.Fault, recovery)
		}
		var pg *pgconn.PgError
		told := errors.As(first.Err, &pg)
		switch kind := round.Fault.Kind; {
		case kind == fault.PauseClient:
			if first.Err != nil {
				t.Errorf("%s: a pause is no error, but %v", round.Fault, first.Err)
			}
		case first.Outcome != fault.Unknown || !first.Broken:
			t.Errorf("%s: the client %+v", round.Fault, first)
		case told != (kind == fault.Terminate):
			t.Errorf("%s: the client saw %v", round.Fault, first.Err)
		case told && (pg.Severity != "FATAL" || pg.Code != "57P01"):
			t.Errorf("%s: the client saw %v", round.Fault, pg)
		}
	}
	for kind, n := range want {
		if seen[kind] != n {
			t.Errorf("%s: %d rounds, want %d", kind, seen[kind], n)
		}
	}
}

// Doing it again is wrong exactly where it had been done.
func TestCrashCatchesBlindRepetition(t *testing.T) {
	url := database(t, pgtest.URL(t))
	r := crash(t, url, blind, fault.CrashOptions{Kinds: []fault.Kind{fault.Cut, fault.Terminate, fault.LoseReply}, Keep: 9})
	if r.Violating != 1 || len(r.Broken) != 1 {
		t.Fatalf("%d violating rounds: %+v", r.Violating, r.Broken)
	}
	broken := r.Broken[0]
	if f := broken.Fault; f.Kind != fault.LoseReply || f.Point.SQL != "commit" {
		t.Errorf("caught at %s", f)
	}
	if rule := broken.Violations[0].Rule; !strings.Contains(rule, "took effect 2 times") {
		t.Errorf("rule %q", rule)
	}
	if sent := broken.Sent; len(sent) != 4 || sent[3] != broken.Fault.Point {
		t.Errorf("sent %v", sent)
	}
	id := broken.Fault.ID()
	again := crash(t, url, blind, fault.CrashOptions{Only: []string{id}})
	if id != "lose-reply@3" || again.Faults != 1 || again.Violating != 1 || again.Broken[0].Fault != broken.Fault {
		t.Errorf("%s again: %+v", id, again)
	}

	alone := blind
	alone.Clients = []fault.Client{incrementAlone}
	r = crash(t, url, alone, fault.CrashOptions{Kinds: []fault.Kind{fault.LoseReply}})
	if r.Violating != 1 || r.Broken[0].Fault.Point.Message != "sync" {
		t.Errorf("a statement that commits by itself: %+v", r)
	}
}

// A client that was only paused does its work beside whoever did it for it.
func TestCrashCatchesTheReturnOfTheDead(t *testing.T) {
	server := pgtest.Start(t, nil)
	r, err := fault.Crash(t.Context(), server, database(t, server.URL("postgres")), blind, fault.CrashOptions{Kinds: []fault.Kind{fault.PauseClient, fault.PauseBackend}})
	if err != nil {
		t.Fatal(err)
	}
	// A paused client goes on wherever it was; a backend has lost its client and
	// goes on with no more than the COMMIT in its socket.
	if r.Tallies[0].Violating != 3 || r.Tallies[1].Violating != 1 {
		t.Errorf("%+v", r.Tallies)
	}
}

// What is protected survives everything, beside another client.
func TestCrashLeavesTheProtectedAlone(t *testing.T) {
	server := pgtest.Start(t, nil)
	w, rounds := watched(once)
	r, err := fault.Crash(t.Context(), server, database(t, server.URL("postgres")), w, fault.CrashOptions{Outages: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, tally := range r.Tallies {
		t.Logf("%-50s %d in %s", tally.Kind, tally.Injected, tally.Duration.Round(time.Millisecond))
		switch tally.Kind {
		case fault.Kill, fault.Restart:
			if tally.Injected != 2 {
				t.Errorf("%+v", tally)
			}
		}
	}
	if r.Violating > 0 || len(r.Inconclusive) > 0 {
		t.Errorf("%d violating rounds, the first %+v; inconclusive %v", r.Violating, r.Broken, r.Inconclusive)
	}
	others := 0
	for _, round := range rounds() {
		if round.Recoveries[1] != nil {
			others++
		}
	}
	t.Logf("%d faults; the other client had to recover %d times", r.Faults, others)
}

// Workloads in several databases share their outages.
func TestCrashAllSharesOutages(t *testing.T) {
	server := pgtest.Start(t, nil)
	alone := blind
	alone.Clients = []fault.Client{incrementAlone}
	var targets []fault.Target
	for _, w := range []fault.Workload{blind, alone, once} {
		url, drop, err := server.Scratch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer drop(context.Background())
		targets = append(targets, fault.Target{URL: database(t, url), Workload: w})
	}
	before := recoveries(t, server.LogFile())
	start := time.Now()
	results, err := fault.CrashAll(t.Context(), server, targets, fault.CrashOptions{Kinds: []fault.Kind{fault.LoseReply, fault.Kill, fault.Restart}, Outages: 3})
	if err != nil {
		t.Fatal(err)
	}
	outages := recoveries(t, server.LogFile()) - before
	t.Logf("%d outages, %s", outages, time.Since(start).Round(time.Millisecond))
	if outages != 2*3 {
		t.Errorf("%d outages", outages)
	}
	for i, want := range []struct{ outages, violating int }{{3, 1}, {2, 1}, {3, 0}} {
		r := results[i]
		if len(r.Tallies) != 3 || r.Tallies[1].Injected != want.outages || r.Tallies[2].Injected != want.outages {
			t.Errorf("%s: %+v", r.Workload, r.Tallies)
		}
		if r.Violating != want.violating || r.Tallies[0].Violating != want.violating || len(r.Inconclusive) > 0 {
			t.Errorf("%s: %d violating, inconclusive %v", r.Workload, r.Violating, r.Inconclusive)
		}
	}
}

// recoveries counts how often a server has recovered from its log.
func recoveries(t *testing.T, log string) int {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "automatic recovery in progress")
}

// What was answered must survive a crash right after: a server that answers
// before it has written does not do that.
func TestCrashCatchesLostAnswers(t *testing.T) {
	server := pgtest.Start(t, map[string]string{"synchronous_commit": "off", "wal_writer_delay": "10s"})
	r, err := fault.Crash(t.Context(), server, database(t, server.URL("postgres")), once, fault.CrashOptions{Kinds: []fault.Kind{fault.Kill}, Outages: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Faults != 1 || r.Violating != 1 {
		t.Fatalf("%+v", r)
	}
	if f := r.Broken[0].Fault; f.ID() != "kill@end" || !strings.HasSuffix(f.String(), "after the last answer") {
		t.Errorf("caught at %s", f)
	}
}

// work claims a job whose lease is over and then ends it.
func work(owner string, guarded bool) fault.Client {
	return func(ctx context.Context, conn *pgx.Conn) (any, error) {
		var fence int
		err := conn.QueryRow(ctx, `UPDATE job SET owner = $1, fence = fence + 1, until = clock_timestamp() + interval '100 ms'
			WHERE done_by IS NULL AND (until IS NULL OR until < clock_timestamp()) RETURNING fence`, owner).Scan(&fence)
		if errors.Is(err, pgx.ErrNoRows) {
			return "nothing to do", nil
		}
		if err != nil {
			return nil, err
		}
		_, err = conn.Exec(ctx, complete(guarded), 1, owner, fence)
		return nil, err
	}
}

// A lease is over while its holder is paused, and somebody else has the job when
// the holder's completion arrives.
func TestCrashOutlastsALease(t *testing.T) {
	server := pgtest.Start(t, nil)
	url := database(t, server.URL("postgres"))
	for _, guarded := range []bool{true, false} {
		w := fault.Workload{
			Name:    "a job with a lease",
			Fixture: `TRUNCATE job; INSERT INTO job (id) VALUES (1)`,
			Clients: []fault.Client{work("first", guarded)},
			Lease:   120 * time.Millisecond,
			Recover: func(ctx context.Context, conn *pgx.Conn, _ int, _ fault.Ending) (any, error) {
				// The successor takes the job and is still at work when the ghost comes.
				_, err := conn.Exec(ctx, `UPDATE job SET owner = 'second', fence = fence + 1
					WHERE done_by IS NULL AND (until IS NULL OR until < clock_timestamp())`)
				return nil, err
			},
			Judge: func(ctx context.Context, conn *pgx.Conn, _ *fault.Round) ([]explore.Violation, error) {
				return doneByItsOwner(ctx, conn)
			},
		}
		r, err := fault.Crash(t.Context(), server, url, w, fault.CrashOptions{Kinds: []fault.Kind{fault.PauseClient, fault.PauseBackend}, Keep: 9})
		if err != nil {
			t.Fatal(err)
		}
		for _, tally := range r.Tallies {
			// Two statements; only the second can come too late.
			want := 1
			if guarded {
				want = 0
			}
			if tally.Injected != 2 || tally.Violating != want {
				t.Errorf("guarded %t: %+v", guarded, tally)
			}
		}
	}
}

// The statements of a pipelined transaction are points of their own.
func TestCrashInsideABatch(t *testing.T) {
	w := once
	w.Clients = []fault.Client{func(ctx context.Context, conn *pgx.Conn) (any, error) {
		var b pgx.Batch
		b.Queue(`BEGIN`)
		b.Queue(`WITH fresh AS (INSERT INTO request VALUES ('a') ON CONFLICT DO NOTHING RETURNING key)
			UPDATE counter SET n = n + 1 FROM fresh`)
		b.Queue(`COMMIT`)
		return nil, conn.SendBatch(ctx, &b).Close()
	}}
	w, rounds := watched(w)
	r := crash(t, database(t, pgtest.URL(t)), w, fault.CrashOptions{Kinds: []fault.Kind{fault.Cut, fault.LoseReply}})
	var messages []string
	for _, p := range r.Points {
		messages = append(messages, p.Message)
	}
	if got := strings.Join(messages, " "); got != "execute execute execute sync end" {
		t.Errorf("points: %s", got)
	}
	if r.Violating > 0 || len(rounds()) != 5 {
		t.Errorf("%d of %d rounds violating: %+v", r.Violating, len(rounds()), r.Broken)
	}
}

func TestCrashSkipsWhatTheServerForbids(t *testing.T) {
	r := crash(t, database(t, pgtest.URL(t)), once, fault.CrashOptions{})
	if len(r.Skipped) != 3 || !slices.ContainsFunc(r.Skipped, func(s string) bool { return strings.HasPrefix(s, fault.Kill.String()) }) {
		t.Errorf("skipped %q", r.Skipped)
	}
	if r.Faults == 0 || r.Violating > 0 {
		t.Errorf("%+v", r)
	}
}

// A client that takes a shorter way than the first time misses its fault.
func TestCrashMisses(t *testing.T) {
	calls := 0
	w := once
	w.Judge = func(context.Context, *pgx.Conn, *fault.Round) ([]explore.Violation, error) { return nil, nil }
	w.Clients = []fault.Client{func(ctx context.Context, conn *pgx.Conn) (any, error) {
		if calls++; calls > 1 {
			return nil, nil
		}
		return increment(ctx, conn)
	}}
	r := crash(t, database(t, pgtest.URL(t)), w, fault.CrashOptions{Kinds: []fault.Kind{fault.Cut}})
	if tally := r.Tallies[0]; tally.Injected != 0 || tally.Missed != 4 || r.Faults != 0 {
		t.Errorf("%+v", tally)
	}
}

// A recovery that does not end makes its round inconclusive, and no other; if
// none ends, the phase is given up.
func TestCrashGivesUp(t *testing.T) {
	calls := 0
	url := database(t, pgtest.URL(t))
	w := blind
	w.Recover = func(ctx context.Context, conn *pgx.Conn, _ int, _ fault.Ending) (any, error) {
		if calls++; calls == 1 {
			_, err := conn.Exec(ctx, `SELECT pg_sleep(60) FROM counter FOR UPDATE`)
			return nil, err
		}
		return increment(ctx, conn)
	}
	r, err := fault.Crash(t.Context(), nil, url, w, fault.CrashOptions{Kinds: []fault.Kind{fault.Cut}, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Inconclusive) != 1 || r.Inconclusive[0].Round != 0 || !strings.Contains(r.Inconclusive[0].Why, "2s") || r.Violating > 0 || r.Faults != 4 {
		t.Errorf("%+v", r)
	}
	w.Recover = func(ctx context.Context, _ *pgx.Conn, _ int, _ fault.Ending) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, err = fault.Crash(t.Context(), nil, url, w, fault.CrashOptions{Kinds: []fault.Kind{fault.Cut}, Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Inconclusive) != 3 || r.Faults != 3 {
		t.Errorf("%+v", r)
	}
}

func TestCrashRefuses(t *testing.T) {
	url := database(t, pgtest.URL(t))
	for want, change := range map[string]func(*fault.Workload){
		"no clients":                            func(w *fault.Workload) { w.Clients = nil },
		"no judge":                              func(w *fault.Workload) { w.Judge = nil },
		"the fixture does not run":              func(w *fault.Workload) { w.Fixture = "TRUNCATE nothing" },
		"the first client already fails: refus": func(w *fault.Workload) { w.Clients = []fault.Client{checkThenInsert("nothing")} },
		"the judge already says: wrong": func(w *fault.Workload) {
			w.Judge = func(context.Context, *pgx.Conn, *fault.Round) ([]explore.Violation, error) {
				return []explore.Violation{{Rule: "wrong"}}, nil
			}
		},
	} {
		w := blind
		change(&w)
		if _, err := fault.Crash(t.Context(), nil, url, w, fault.CrashOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
