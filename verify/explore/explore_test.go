package explore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
)

// open returns an explorer of a new database in which the script has run.
func open(t testing.TB, o explore.Options, script string) *explore.Explorer {
	t.Helper()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), script); err != nil {
		t.Fatal(err)
	}
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
	t.Logf("%+v", result)
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
