package explore_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/verify/explore"
)

// What code that is written for a pool or a connection may ask of it.
var _ interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
} = (*explore.Conn)(nil)

// alone replays one client that has the database to itself.
func alone(t *testing.T, o explore.Options, schema string, run func(context.Context, *explore.Conn) (any, error)) *explore.Run {
	t.Helper()
	x := open(t, o, schema)
	r, err := x.Replay(t.Context(), explore.Scenario{Name: t.Name(), Clients: []explore.Client{{Name: "a", Run: run}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestConnAnswersAsPgxDoes(t *testing.T) {
	run := alone(t, explore.Options{}, accounts, func(ctx context.Context, conn *explore.Conn) (any, error) {
		tag, err := conn.Exec(ctx, `INSERT INTO account VALUES ($1, $2), (2, 7)`, 1, 5)
		if err != nil || tag.RowsAffected() != 2 {
			return nil, fmt.Errorf("tag %v, error %w", tag, err)
		}
		found, err := conn.Query(ctx, `SELECT id, balance FROM account ORDER BY id`)
		if err != nil {
			return nil, err
		}
		type account struct{ ID, Balance int }
		all, err := pgx.CollectRows(found, pgx.RowToStructByName[account])
		if want := []account{{1, 5}, {2, 7}}; err != nil || !reflect.DeepEqual(all, want) {
			return nil, fmt.Errorf("rows %v, error %w", all, err)
		}
		var none int
		if err := conn.QueryRow(ctx, `SELECT id FROM account WHERE id = 3`).Scan(&none); !errors.Is(err, pgx.ErrNoRows) {
			return nil, fmt.Errorf("error %w, want ErrNoRows", err)
		}
		copied, err := conn.CopyFrom(ctx, pgx.Identifier{"account"}, []string{"id", "balance"}, pgx.CopyFromRows([][]any{{3, 1}, {4, 2}}))
		if err != nil || copied != 2 {
			return nil, fmt.Errorf("copied %d, error %w", copied, err)
		}
		values, err := conn.Query(ctx, `SELECT 1::int8, 'x'::text, NULL::int`)
		if err != nil || !values.Next() {
			return nil, fmt.Errorf("no values: %w", err)
		}
		got, err := values.Values()
		if want := []any{int64(1), "x", nil}; err != nil || !reflect.DeepEqual(got, want) {
			return nil, fmt.Errorf("values %v, error %w", got, err)
		}
		return "fine", nil
	})
	if end := run.Ends[0]; end.Value != "fine" || end.Err != nil {
		t.Error(end)
	}
	if len(run.Steps) != 5 || run.Steps[3].Tag != "COPY 2" || run.ID != "0.0.0.0.0" {
		t.Errorf("the timeline is %s: %+v", run.ID, run.Steps)
	}
}

func TestBatchIsOneStep(t *testing.T) {
	run := alone(t, explore.Options{}, accounts, func(ctx context.Context, conn *explore.Conn) (any, error) {
		var b pgx.Batch
		var read int
		b.Queue("begin isolation level repeatable read")
		b.Queue(`INSERT INTO account VALUES ($1, $2)`, 1, 5)
		b.Queue(`SELECT balance FROM account WHERE id = $1`, 1).QueryRow(func(row pgx.Row) error { return row.Scan(&read) })
		if err := conn.SendBatch(ctx, &b).Close(); err != nil {
			return nil, err
		}
		var second pgx.Batch
		second.Queue(`UPDATE account SET balance = 6`)
		second.Queue("commit")
		results := conn.SendBatch(ctx, &second)
		tag, err := results.Exec()
		if err != nil || tag.RowsAffected() != 1 {
			return nil, fmt.Errorf("tag %v, error %w", tag, err)
		}
		if err := results.Close(); err != nil {
			return nil, err
		}
		var third pgx.Batch
		third.Queue(`SELECT 1`)
		third.Queue(`SELECT 1 / 0`)
		third.Queue(`SELECT 2`)
		if err := conn.SendBatch(ctx, &third).Close(); err == nil {
			return nil, errors.New("a batch that fails has no error")
		}
		return read, nil
	})
	if end := run.Ends[0]; end.Value != 5 || end.Err != nil {
		t.Error(end)
	}
	var commits []bool
	for _, step := range run.Steps {
		commits = append(commits, step.Commits)
	}
	if want := []bool{false, true, false}; !reflect.DeepEqual(commits, want) {
		t.Errorf("the steps commit: %v, want %v", commits, want)
	}
	if s := run.Steps[0]; s.Tag != "BEGIN; INSERT 0 1; SELECT 1" || strings.Join(s.Args, ",") != "1,5,1" {
		t.Errorf("the first batch is %+v", s)
	}
}

func TestTransactionsOfConn(t *testing.T) {
	client := func(ctx context.Context, conn *explore.Conn) (any, error) {
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: "begin isolation level repeatable read /* mine */"})
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO account VALUES (1, 1)`); err != nil {
			return nil, err
		}
		nested, err := tx.Begin(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := nested.Exec(ctx, `INSERT INTO account VALUES (1, 1)`); err == nil {
			return nil, errors.New("a key was inserted twice")
		}
		if err := nested.Rollback(ctx); err != nil {
			return nil, err
		}
		if err := tx.Commit(ctx); err != nil {
			return nil, err
		}
		return "committed", tx.Rollback(ctx)
	}
	var kinds [2][]string
	for i, full := range []bool{false, true} {
		run := alone(t, explore.Options{Full: full}, accounts, client)
		if end := run.Ends[0]; end.Value != "committed" || !errors.Is(end.Err, pgx.ErrTxClosed) {
			t.Error(end)
		}
		for _, step := range run.Steps {
			kinds[i] = append(kinds[i], string(step.Kind))
		}
		if !full && !reflect.DeepEqual(run.Steps[0].Ahead, []string{"begin isolation level repeatable read /* mine */"}) {
			t.Errorf("ahead of the first step went %q", run.Steps[0].Ahead)
		}
	}
	if got, want := strings.Join(kinds[0], " "), "statement statement statement commit"; got != want {
		t.Errorf("reduced: %s, want %s", got, want)
	}
	if got, want := strings.Join(kinds[1], " "), "begin statement statement statement statement commit"; got != want {
		t.Errorf("full: %s, want %s", got, want)
	}
}

func TestClientThatPanicsOrForgets(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	leave := func(end func()) explore.Client {
		return explore.Client{Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
			tx, err := conn.Begin(ctx)
			if err != nil {
				return nil, err
			}
			if _, err := tx.Exec(ctx, `UPDATE account SET balance = balance + 1`); err != nil {
				return nil, err
			}
			end()
			return nil, nil
		}}
	}
	result, err := x.Explore(t.Context(), explore.Scenario{
		Name: "left open", Fixture: oneAccount, State: balance,
		Clients: []explore.Client{leave(func() { panic("boo") })},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{": error panic: boo | 100": 1}; !reflect.DeepEqual(result.Outcomes, want) {
		t.Errorf("outcomes %v, want %v", result.Outcomes, want)
	}
	// The fixture of the second schedule would wait for ever for the first's lock.
	result, err = x.Explore(t.Context(), explore.Scenario{
		Name: "left open", Fixture: oneAccount, State: balance,
		Clients: []explore.Client{leave(func() {}), explore.Script("reads", `SELECT balance FROM account`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Schedules != 2 || !result.Complete {
		t.Errorf("%d schedules, complete %v; want 2, true", result.Schedules, result.Complete)
	}
}

func TestClientWhoseConnectionIsKilled(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	result, err := x.Explore(t.Context(), explore.Scenario{
		Name: "killed", Fixture: oneAccount, State: balance,
		Clients: []explore.Client{
			explore.Script("victim", `BEGIN`, `UPDATE account SET balance = 1`, `COMMIT`),
			explore.Script("killer", `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pawl verify s0'`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Schedules != 3 {
		t.Errorf("%d schedules, want 3: %v", result.Schedules, result.Outcomes)
	}
}

func TestWaitForNoLockIsInconclusive(t *testing.T) {
	x := open(t, explore.Options{StepTimeout: 50 * time.Millisecond}, accounts)
	result, err := x.Explore(t.Context(), explore.Scenario{
		Name: "sleeper", Fixture: oneAccount,
		Clients: []explore.Client{explore.Script("sleeper", `SELECT pg_sleep(20)`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Complete || result.Schedules != 0 || len(result.Inconclusive) != 1 || !strings.Contains(result.Inconclusive[0].Stuck, "pg_sleep") {
		t.Errorf("%+v", result)
	}
}

func TestLockThatIsNeverGivenBackIsInconclusive(t *testing.T) {
	x := open(t, explore.Options{StepTimeout: 400 * time.Millisecond}, accounts)
	result, err := x.Explore(t.Context(), explore.Scenario{
		Name: "leaked lock",
		Clients: []explore.Client{
			explore.Script("keeps", `SELECT pg_advisory_lock(7)`),
			explore.Script("wants", `SELECT pg_advisory_lock(7)`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Complete || len(result.Inconclusive) != 2 || !strings.Contains(result.Inconclusive[0].Stuck, "waits for a lock") {
		t.Errorf("%+v", result)
	}
}

func TestLockTimeoutEndsAWait(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	run, err := x.Replay(t.Context(), explore.Scenario{
		Name: "lock timeout", Fixture: oneAccount,
		Clients: []explore.Client{
			explore.Script("keeps", `SELECT pg_advisory_lock(7)`),
			explore.Script("wants", `SET lock_timeout = '300ms'`, `SELECT pg_advisory_lock(7)`),
		},
	}, "0.1.1")
	if err != nil {
		t.Fatal(err)
	}
	last := run.Steps[len(run.Steps)-1]
	if run.Deviation != "" || run.Stuck != "" || run.Waits != 1 || last.Kind != explore.Resume || fmt.Sprint(run.Ends[1].Value) != "SET; 55P03" {
		t.Errorf("%+v", run)
	}
}

func TestClientThatDependsOnSomethingElseIsNonDeterministic(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	var calls atomic.Int64
	result, err := x.Explore(t.Context(), explore.Scenario{
		Name: "moody", Fixture: oneAccount,
		Clients: []explore.Client{
			explore.Script("steady", `SELECT 1`),
			{Name: "moody", Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
				_, err := conn.Exec(ctx, fmt.Sprintf(`SELECT %d`, calls.Add(1)))
				return nil, err
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Complete || len(result.NonDeterministic) == 0 {
		t.Errorf("%+v", result)
	}
}
