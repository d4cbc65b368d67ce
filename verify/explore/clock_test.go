package explore_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
)

const events = `CREATE TABLE event (id int, at timestamptz DEFAULT clock_timestamp())`

// later asks whether its transaction began after the event.
var later = []explore.Client{
	explore.Script("writes", `insert INTO event VALUES (1)`),
	explore.Script("asks", `begin`, `select now() > at FROM event WHERE id = 1`, `commit`),
}

// A transaction is as old as its first statement, and with Clock also older.
func TestBeginIsAsLateAsItCanBe(t *testing.T) {
	url := database(t, events)
	const none, early, late = "BEGIN; SELECT 0; COMMIT", "BEGIN; (f); COMMIT", "BEGIN; (t); COMMIT"
	for _, test := range []struct {
		name  string
		full  bool
		clock bool
		want  []string
	}{
		{"reduced", false, false, []string{late, none}},
		{"reduced, with the clock", false, true, []string{early, late, none}},
		{"full", true, false, []string{early, late, none}},
	} {
		x := connect(t, url, explore.Options{Full: test.full})
		result, err := x.Explore(t.Context(), explore.Scenario{
			Name: test.name, Fixture: `DELETE FROM event`, Clients: later, Effect: effectOf, Clock: test.clock,
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, outcome := range slices.Sorted(maps.Keys(result.Outcomes)) {
			got = append(got, strings.TrimPrefix(outcome, "writes: INSERT 0 1 | asks: "))
		}
		if !result.Complete || !slices.Equal(got, test.want) {
			t.Errorf("%s: complete %v, outcomes %q, want %q", test.name, result.Complete, got, test.want)
		}
	}
}

// With Clock a statement outside of a transaction takes the time too: before or
// after a write that is not yet committed is a difference.
func TestClockOfAStatementAlone(t *testing.T) {
	x := open(t, explore.Options{}, events)
	s := explore.Scenario{
		Name: "alone", Fixture: `DELETE FROM event`, Effect: effectOf,
		Clients: []explore.Client{explore.Script("begins", `begin`, `select count(*) FROM event`, `commit`), explore.Script("asks", `select now() IS NULL`)},
	}
	var schedules [2]int
	for i, clock := range []bool{false, true} {
		s.Clock = clock
		result, err := x.Explore(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if !result.Complete {
			t.Errorf("clock %v: %+v", clock, result)
		}
		schedules[i] = result.Schedules
	}
	if want := [2]int{2, 4}; schedules != want {
		t.Errorf("%d schedules without and with Clock, want %d", schedules, want)
	}
}

// What is kept back goes with the first statement, in order, and with no other.
func TestBeginGoesWithTheFirstStatement(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	set := func(ctx context.Context, conn *explore.Conn) (any, error) {
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx)
		tag, err := tx.Exec(ctx, `set local lock_timeout = '1s'`)
		if err != nil || tag.String() != "SET" {
			return tag.String(), err
		}
		nested, err := tx.Begin(ctx)
		if err != nil {
			return nil, err
		}
		var got string
		if err := nested.QueryRow(ctx, `select current_setting('lock_timeout') || current_setting('transaction_isolation')`).Scan(&got); err != nil {
			return nil, err
		}
		if err := nested.Rollback(ctx); err != nil {
			return nil, err
		}
		return got, tx.Commit(ctx)
	}
	for name, test := range map[string]struct {
		run   func(context.Context, *explore.Conn) (any, error)
		end   any
		ahead []string
		steps string
	}{
		"a transaction": {
			set, "1srepeatable read",
			[]string{"begin isolation level repeatable read", "set local lock_timeout = '1s'", "savepoint sp_1"},
			"statement statement commit",
		},
		"nothing to commit": {explore.Script("", `begin`, `commit`).Run, explore.Answers{"BEGIN", "COMMIT"}, []string{"begin"}, "commit"},
		"nothing to roll back": {
			explore.Script("", `start transaction`, `rollback`).Run,
			explore.Answers{"START TRANSACTION", "ROLLBACK"},
			[]string{"start transaction"},
			"rollback",
		},
		"an answer that is not known before": {
			explore.Script("", `begin`, `show transaction_read_only`, `commit`).Run,
			explore.Answers{"BEGIN", "(off)", "COMMIT"},
			[]string{"begin"},
			"statement commit",
		},
	} {
		run, err := x.Replay(t.Context(), explore.Scenario{
			Name: name, Clients: []explore.Client{{Run: test.run}}, Effect: func(sql string) explore.Effect {
				if strings.HasPrefix(sql, "show") {
					return explore.Local
				}
				return effectOf(sql)
			},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, step := range run.Steps {
			kinds = append(kinds, string(step.Kind))
		}
		if run.Ends[0].Err != nil || !reflect.DeepEqual(run.Ends[0].Value, test.end) {
			t.Errorf("%s: ended with %+v, want %v", name, run.Ends[0], test.end)
		}
		if got := strings.Join(kinds, " "); got != test.steps || !slices.Equal(run.Steps[0].Ahead, test.ahead) {
			t.Errorf("%s: steps %q, ahead of the first %q; want %q, %q", name, got, run.Steps[0].Ahead, test.steps, test.ahead)
		}
	}
}

// A BEGIN that fails is the error of the first statement, which is not sent.
func TestBeginThatFails(t *testing.T) {
	run := alone(t, explore.Options{}, accounts, func(ctx context.Context, conn *explore.Conn) (any, error) {
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: "begin at once"})
		if err != nil {
			return "at BEGIN", err
		}
		_, err = tx.Exec(ctx, `INSERT INTO account VALUES (1, 1)`)
		if end := tx.Rollback(ctx); !errors.Is(end, pgx.ErrTxClosed) {
			return "a transaction that never was is rolled back", end
		}
		var n int
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM account`).Scan(&n); err != nil {
			return nil, err
		}
		return n, err
	})
	if end := run.Ends[0]; end.Value != 0 || len(run.Steps) != 2 || any(run.Steps[0].Err) != any(end.Err) || !strings.Contains(end.Err.Error(), "42601") {
		t.Errorf("ended with %+v after %+v", end, run.Steps)
	}
}

// What runs past the gate is not without its transaction.
func TestConnOfATransactionHasBegun(t *testing.T) {
	run := alone(t, explore.Options{}, accounts, func(ctx context.Context, conn *explore.Conn) (any, error) {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx)
		return string(tx.Conn().PgConn().TxStatus()), nil
	})
	if end := run.Ends[0]; end.Value != "T" || end.Err != nil {
		t.Errorf("ended with %+v", end)
	}
}
