package explore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
)

// shared is the address of the one database of these tests, which ends with its
// server: to make one for each takes longer than most of them.
var shared string

// database returns the address of a database that is empty but for what the
// script makes. The one before it is gone.
func database(t testing.TB, script string) string {
	t.Helper()
	if shared == "" {
		url, _, err := pgtest.Server(t).Scratch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shared = url
	}
	script = `SET client_min_messages = error; DROP SCHEMA IF EXISTS pawl_verify, public CASCADE; CREATE SCHEMA public; ` + script
	conn, err := pgx.Connect(t.Context(), shared)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	return shared
}

// connect returns an explorer of a database.
func connect(t testing.TB, url string, o explore.Options) *explore.Explorer {
	t.Helper()
	x, err := explore.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(context.Background()); err != nil {
			t.Errorf("close the explorer: %v", err)
		}
	})
	return x
}

// open returns an explorer of a new database in which the script has run.
func open(t testing.TB, o explore.Options, script string) *explore.Explorer {
	t.Helper()
	return connect(t, database(t, script), o)
}

const accounts = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)`

const oneAccount = `DELETE FROM account; INSERT INTO account VALUES (1, 100)`

// readThenWrite withdraws 60 as code does that loses updates.
func readThenWrite(ctx context.Context, conn *explore.Conn) (any, error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(ctx)
	var balance int
	if err := tx.QueryRow(ctx, `SELECT balance FROM account WHERE id = $1`, 1).Scan(&balance); err != nil {
		return nil, err
	}
	if balance < 60 {
		return "refused", nil
	}
	if _, err := tx.Exec(ctx, `UPDATE account SET balance = $2 WHERE id = $1`, 1, balance-60); err != nil {
		return nil, err
	}
	return "withdrawn", tx.Commit(ctx)
}

// bothWithdrew finds that 120 were paid out of 100.
func bothWithdrew(_ context.Context, _ *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
	for _, end := range run.Ends {
		if end.Err != nil || end.Value != "withdrawn" {
			return nil, nil
		}
	}
	return []explore.Violation{{Rule: "no more is paid out than there was"}}, nil
}

func balance(ctx context.Context, conn *pgx.Conn) (string, error) {
	var b int
	err := conn.QueryRow(ctx, `SELECT balance FROM account`).Scan(&b)
	return fmt.Sprint(b), err
}

func lostUpdate() explore.Scenario {
	return explore.Scenario{
		Name: "lost update", Fixture: oneAccount,
		Clients: []explore.Client{{Name: "a", Run: readThenWrite}, {Name: "b", Run: readThenWrite}},
		Judge:   bothWithdrew, State: balance,
	}
}

func TestExploreFindsALostUpdate(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	result, err := x.Explore(t.Context(), lostUpdate())
	if err != nil {
		t.Fatal(err)
	}
	if !result.Complete || result.Schedules != 14 || result.Violating != 12 {
		t.Errorf("complete %v, %d schedules, %d violating; want true, 14, 12", result.Complete, result.Schedules, result.Violating)
	}
	if len(result.Counterexamples) != 3 {
		t.Fatalf("%d counterexamples, want 3", len(result.Counterexamples))
	}
	first := result.Counterexamples[0]
	run, err := x.Replay(t.Context(), lostUpdate(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if run.Deviation != "" || run.ID != first.ID || len(run.Violations) != 1 || len(run.Steps) != len(first.Steps) {
		t.Errorf("the replay of %s came out as %+v", first.ID, run)
	}
}

func TestExploreEndsWithItsContext(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	s := lostUpdate()
	s.Judge = func(context.Context, *pgx.Conn, *explore.Run) ([]explore.Violation, error) { return nil, nil }
	s.Clients[0].Run = func(ctx context.Context, _ *explore.Conn) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	started := time.Now()
	if _, err := x.Explore(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	if took := time.Since(started); took > time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// A context that ends in the middle may cost connections, also the one that holds
// the gates' locks.
func TestExploreAfterACancelledOne(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	s := lostUpdate()
	s.Gates = []string{"account"}
	want, err := x.Explore(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{2, 5} {
		ctx, cancel := context.WithCancel(t.Context())
		cut, runs := lostUpdate(), 0
		cut.Gates = s.Gates
		cut.Clients[1].Run = func(ctx context.Context, conn *explore.Conn) (any, error) {
			if runs++; runs == after {
				time.AfterFunc(time.Millisecond, cancel)
			}
			return readThenWrite(ctx, conn)
		}
		if _, err := x.Explore(ctx, cut); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
		cancel()
	}
	got, err := x.Explore(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Complete || got.Schedules != want.Schedules || !maps.Equal(got.Outcomes, want.Outcomes) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Two clients of three steps have 20 schedules. A UNIQUE constraint makes the
// second wait, and who waits is no choice.
func TestWaitingClientIsNoChoice(t *testing.T) {
	for _, test := range []struct {
		schema                               string
		schedules, pruned, waiting, outcomes int
	}{
		{seats, 14, 6, 0, 3}, // two COMMITs in a row need no second order
		{uniqueSeats, 14, 0, 6, 4},
	} {
		x := open(t, explore.Options{}, test.schema)
		steps := []string{`BEGIN`, `SELECT count(*) FROM seat`, `INSERT INTO seat VALUES (1)`, `COMMIT`}
		result, err := x.Explore(t.Context(), explore.Scenario{
			Name: "seat race", Fixture: `DELETE FROM seat`,
			Clients: []explore.Client{explore.Script("a", steps...), explore.Script("b", steps...)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if !result.Complete || result.Schedules != test.schedules || result.Pruned != test.pruned ||
			result.Waiting != test.waiting || len(result.Outcomes) != test.outcomes {
			t.Errorf("%s: %+v", test.schema, result)
		}
	}
}

func TestExploreStopsWhenItIsTold(t *testing.T) {
	url := database(t, accounts)
	for _, test := range []struct {
		options              explore.Options
		schedules, violating int
	}{
		{explore.Options{StopAtFirst: true}, 2, 1},
		{explore.Options{Limit: 5}, 5, 4},
	} {
		result, err := connect(t, url, test.options).Explore(t.Context(), lostUpdate())
		if err != nil {
			t.Fatal(err)
		}
		if result.Complete || result.Schedules != test.schedules || result.Violating != test.violating {
			t.Errorf("%+v: complete %v, %d of %d violate", test.options, result.Complete, result.Violating, result.Schedules)
		}
	}
}

func TestAfterCommitIsAskedAfterEachCommit(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	asked := 0
	s := lostUpdate()
	s.AfterCommit = func(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
		asked++
		b, err := balance(ctx, conn)
		if err != nil || b == "100" {
			return nil, err
		}
		return []explore.Violation{{Rule: "nothing is ever paid out"}}, nil
	}
	run, err := x.Replay(t.Context(), s, "0.0.0.1.1")
	if err != nil {
		t.Fatal(err)
	}
	if asked != 1 || len(run.Violations) != 1 || len(run.Steps[2].Violations) != 1 || !run.Steps[2].Commits {
		t.Errorf("asked %d times, violations %v, steps %+v", asked, run.Violations, run.Steps)
	}
}

func TestReplaySaysWhereItDeviates(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	for id, want := range map[string]string{
		"0.0.0.1.1":   "",
		"0.0.0.0.1.1": "step 4: client 0 cannot go",
		"0.0":         "the schedule names 2 steps, and there were more",
		"0.0.0.1.1.1": "the schedule was over after 5 of 6 steps",
		// The second waits for the first, and cannot be granted its COMMIT.
		"0.1.0.1.1.0": "step 5: client 1 cannot go",
	} {
		run, err := x.Replay(t.Context(), lostUpdate(), id)
		if err != nil {
			t.Fatal(err)
		}
		if run.Deviation != want {
			t.Errorf("%s deviates: %q, want %q", id, run.Deviation, want)
		}
	}
	if _, err := x.Replay(t.Context(), lostUpdate(), "0.2"); err == nil {
		t.Error("a client that does not exist was replayed")
	}
}

func TestWaitForASafeSnapshotIsAWait(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	result, err := x.Explore(t.Context(), explore.Scenario{
		Name: "deferrable reader", Fixture: oneAccount,
		Clients: []explore.Client{
			explore.Script("writer", `BEGIN ISOLATION LEVEL SERIALIZABLE`, `UPDATE account SET balance = 1`, `COMMIT`),
			explore.Script("reader", `BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE`, `SELECT balance FROM account`, `COMMIT`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !result.Complete || result.Waiting == 0 {
		t.Errorf("%+v", result)
	}
}

func TestExploreLeavesNoGoroutine(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	before := runtime.NumGoroutine()
	if _, err := x.Explore(t.Context(), lostUpdate()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestExploreRefusesMoreClientsThanConnections(t *testing.T) {
	x := open(t, explore.Options{Clients: 1}, accounts)
	if _, err := x.Explore(t.Context(), lostUpdate()); err == nil {
		t.Error("two clients ran on one connection")
	}
}
