package explore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
)

// Clients that toss coins. To be taken for complete, a coin must fall as it did before
// in at least ten repetitions, or differ once and then be the same more often: by a
// chance of less than one in 500. Two such explorations of 20 are one in 1000.
var chancy = []struct {
	name    string
	clients []explore.Client
	most    int // of 20 explorations that may take it for complete
}{
	{
		name: "branch in the client's code", most: 1,
		clients: []explore.Client{
			{Name: "tosses", Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
				var heads bool
				if err := conn.QueryRow(ctx, `select random() < 0.5`).Scan(&heads); err != nil {
					return nil, err
				}
				by := map[bool]int{true: 1, false: 2}[heads]
				_, err := conn.Exec(ctx, fmt.Sprintf(`update account SET balance = balance - %d WHERE id = 1`, by))
				return by, err
			}},
			explore.Script("reads", `select 1`, `select 2`, `select 3`, `select 4`, `select 5`),
		},
	},
	{
		name: "condition of an UPDATE", most: 1,
		clients: []explore.Client{
			explore.Script("tosses", `begin`, `update account SET balance = balance + 1 WHERE id = 1 AND random() < 0.5`, `commit`),
			explore.Script("doubles", `begin`, `select balance FROM account`, `select 1`, `update account SET balance = balance * 2 WHERE id = 1`, `commit`),
		},
	},
	{
		name:    "sequence that tells odd from even",
		clients: []explore.Client{explore.Script("counts", `select nextval('toss') % 2`), explore.Script("reads", `select 1`)},
	},
}

func TestChanceIsNonDeterministic(t *testing.T) {
	url := database(t, accounts+`; CREATE SEQUENCE toss`)
	for _, test := range chancy {
		t.Run(test.name, func(t *testing.T) {
			x := connect(t, url, explore.Options{})
			complete, repeated := 0, 0
			for range 20 {
				result, err := x.Explore(t.Context(), explore.Scenario{
					Name: test.name, Fixture: oneAccount, Clients: test.clients, State: balance,
				})
				if err != nil {
					t.Fatal(err)
				}
				if result.Complete {
					complete++
				} else if len(result.NonDeterministic) == 0 || result.NonDeterministic[0].Deviation == "" {
					t.Fatalf("it does not say what differed: %+v", result)
				}
				repeated += result.Repeated
			}
			t.Logf("%d of 20 complete, %d executions repeated", complete, repeated)
			if complete > test.most {
				t.Errorf("%d of 20 explorations were taken for complete, want at most %d", complete, test.most)
			}
		})
	}
}

// Each way of a sequence, as the reductions leave it: of a single schedule too.
func TestSequenceIsNonDeterministicInOneSchedule(t *testing.T) {
	x := open(t, explore.Options{}, accounts+`; CREATE SEQUENCE toss`)
	for range 20 {
		result, err := x.Explore(t.Context(), explore.Scenario{
			Name: "counts", Fixture: oneAccount, Effect: effectOf,
			Clients: []explore.Client{explore.Script("counts", `select nextval('toss') % 2`), explore.Script("reads", `select 1`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Complete || result.Schedules != 1 || len(result.NonDeterministic) != 1 {
			t.Fatalf("%+v", result)
		}
	}
}

// One execution that goes on differently may be an accident. It is told, and nothing
// is made of it when it does not come again.
func TestOneDeviationIsToleratedAndTold(t *testing.T) {
	for deviations, complete := range map[int]bool{0: true, 1: true, 2: false} {
		x := open(t, explore.Options{}, accounts)
		calls := 0
		result, err := x.Explore(t.Context(), explore.Scenario{
			Name: "moody", Fixture: oneAccount,
			Clients: []explore.Client{
				explore.Script("steady", `SELECT 1`, `SELECT 2`, `SELECT 3`),
				{Name: "moody", Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
					sql := `SELECT 1`
					if calls++; calls > 1 && calls <= 1+deviations {
						sql = `SELECT 2`
					}
					_, err := conn.Exec(ctx, sql)
					return nil, err
				}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Complete != complete || result.Repeated != deviations || result.Schedules != 4 || (len(result.NonDeterministic) == 0) != complete {
			t.Errorf("after %d deviations: %+v", deviations, result)
		}
	}
}

// The schedules that are run once more are not judged again: a judge may count.
func TestEachScheduleIsJudgedOnce(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	s := lostUpdate()
	judged := 0
	s.Judge = func(context.Context, *pgx.Conn, *explore.Run) ([]explore.Violation, error) {
		judged++
		return nil, nil
	}
	result, err := x.Explore(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Complete || judged != result.Schedules {
		t.Errorf("complete %v, %d of %d schedules judged", result.Complete, judged, result.Schedules)
	}
}
