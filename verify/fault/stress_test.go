package fault_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fault"
)

// checkThenInsert registers a name that nobody has, as far as it can see.
func checkThenInsert(table string) fault.Client {
	return func(ctx context.Context, conn *pgx.Conn) (any, error) {
		return nil, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			var taken bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+table+` WHERE name = 'a')`).Scan(&taken); err != nil {
				return err
			}
			if taken {
				return errors.New("taken")
			}
			_, err := tx.Exec(ctx, `INSERT INTO `+table+` VALUES ('a')`)
			return err
		})
	}
}

// oneName demands that a name stands in the table once, and that whoever was
// told "ok" put it there.
func oneName(table string) func(context.Context, *pgx.Conn, *fault.Round) ([]explore.Violation, error) {
	return func(ctx context.Context, conn *pgx.Conn, r *fault.Round) ([]explore.Violation, error) {
		var n int
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM `+table).Scan(&n); err != nil {
			return nil, err
		}
		found := fault.OnceInTotal(r, n)
		if n != 1 {
			found = append(found, explore.Violation{Rule: "a name is registered once"})
		}
		return found, nil
	}
}

// take takes one of the two that are left, if there is one.
func take(ctx context.Context, conn *pgx.Conn) (any, error) {
	var n int
	if err := conn.QueryRow(ctx, `SELECT n FROM counter`).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errors.New("none left")
	}
	_, err := conn.Exec(ctx, `UPDATE counter SET n = $1`, n-1)
	return nil, err
}

// takeGuarded does the same in one statement.
func takeGuarded(ctx context.Context, conn *pgx.Conn) (any, error) {
	tag, err := conn.Exec(ctx, `UPDATE counter SET n = n - 1 WHERE n > 0`)
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("none left")
	}
	return nil, err
}

const twoLeft = `TRUNCATE counter; INSERT INTO counter VALUES (1, 2)`

// nothingLost demands that as many are gone as were given away.
func nothingLost(ctx context.Context, conn *pgx.Conn, r *fault.Round) ([]explore.Violation, error) {
	var n int
	if err := conn.QueryRow(ctx, `SELECT n FROM counter`).Scan(&n); err != nil {
		return nil, err
	}
	return fault.OnceInTotal(r, 2-n), nil
}

var (
	naiveInsert  = fault.Workload{Name: "check, then insert", Fixture: `TRUNCATE loose`, Clients: []fault.Client{checkThenInsert("loose")}, Judge: oneName("loose")}
	uniqueInsert = fault.Workload{Name: "insert under a unique constraint", Fixture: `TRUNCATE strict`, Clients: []fault.Client{checkThenInsert("strict")}, Judge: oneName("strict")}
	naiveTake    = fault.Workload{Name: "read, then decrement", Fixture: twoLeft, Clients: []fault.Client{take}, Judge: nothingLost}
	guardedTake  = fault.Workload{Name: "guarded decrement", Fixture: twoLeft, Clients: []fault.Client{takeGuarded}, Judge: nothingLost}
)

// What is wrong shows at full speed, sooner or later.
func TestStressFindsRaces(t *testing.T) {
	url := database(t, pgtest.URL(t))
	for _, w := range []fault.Workload{naiveInsert, naiveTake} {
		for _, clients := range []int{2, 8} {
			r, err := fault.Stress(t.Context(), url, w, fault.StressOptions{Clients: clients, Rounds: stressed})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d clients: %.0f %% of %d rounds in %s, outcomes %v", w.Name, clients, 100*r.Rate, r.Rounds, r.Duration.Round(time.Millisecond), r.Outcomes)
			if r.Rounds != stressed || r.Broken == 0 || r.Rate != float64(r.Broken)/stressed {
				t.Errorf("%s, %d clients: %d of %d rounds broken, rate %v", w.Name, clients, r.Broken, r.Rounds, r.Rate)
				continue
			}
			if len(r.First.Ends) != clients || len(r.First.Violations) == 0 {
				t.Errorf("%s: the first broken round is %+v", w.Name, r.First)
			}
		}
	}
}

// stressed is how many rounds these tests run: enough for what is wrong to show
// with eight clients in nearly every run of the tests.
const stressed = 60

// What is right does not.
func TestStressLeavesTheConstrainedAlone(t *testing.T) {
	url := database(t, pgtest.URL(t))
	for _, w := range []fault.Workload{uniqueInsert, guardedTake} {
		for _, clients := range []int{2, 8} {
			r, err := fault.Stress(t.Context(), url, w, fault.StressOptions{Clients: clients, Rounds: stressed})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d clients: %d of %d rounds in %s, outcomes %v", w.Name, clients, r.Broken, r.Rounds, r.Duration.Round(time.Millisecond), r.Outcomes)
			if r.Rounds != stressed || r.Broken != 0 || r.First != nil {
				t.Errorf("%s, %d clients: %d of %d rounds broken, the first %+v", w.Name, clients, r.Broken, r.Rounds, r.First)
			}
			if r.Outcomes[fault.Unknown] > 0 || r.Outcomes[fault.OK] == 0 {
				t.Errorf("%s: outcomes %v", w.Name, r.Outcomes)
			}
		}
	}
}

func TestStressStopsAtFirst(t *testing.T) {
	r, err := fault.Stress(t.Context(), database(t, pgtest.URL(t)), naiveTake, fault.StressOptions{Clients: 8, StopAtFirst: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken != 1 || r.First == nil || r.First.Number != r.Rounds-1 {
		t.Errorf("%d of %d rounds broken, the first %+v", r.Broken, r.Rounds, r.First)
	}
}

// A round that does not end is neither good nor bad, and the next one starts clean.
func TestStressGivesUp(t *testing.T) {
	calls := 0
	w := guardedTake
	w.Clients = []fault.Client{func(ctx context.Context, conn *pgx.Conn) (any, error) {
		if calls++; calls == 1 {
			_, err := conn.Exec(ctx, `SELECT pg_sleep(60) FROM counter FOR UPDATE`)
			return nil, err
		}
		return takeGuarded(ctx, conn)
	}}
	r, err := fault.Stress(t.Context(), database(t, pgtest.URL(t)), w, fault.StressOptions{Rounds: 3, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if r.Rounds != 2 || len(r.Inconclusive) != 1 || r.Inconclusive[0].Round != 0 || r.Broken != 0 {
		t.Errorf("%+v", r)
	}
}

func TestStressRefuses(t *testing.T) {
	url := database(t, pgtest.URL(t))
	for want, change := range map[string]func(*fault.Workload){
		"no clients":               func(w *fault.Workload) { w.Clients = nil },
		"no judge":                 func(w *fault.Workload) { w.Judge = nil },
		"the fixture does not run": func(w *fault.Workload) { w.Fixture = "TRUNCATE nothing" },
		"the judge cannot look": func(w *fault.Workload) {
			w.Judge = func(context.Context, *pgx.Conn, *fault.Round) ([]explore.Violation, error) {
				return nil, errors.New("blind")
			}
		},
	} {
		w := guardedTake
		change(&w)
		if _, err := fault.Stress(t.Context(), url, w, fault.StressOptions{Rounds: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
