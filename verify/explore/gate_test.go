package explore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
)

// once is a client that sends one statement outside of a transaction.
func once(name, sql string) explore.Client {
	return explore.Client{Name: name, Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
		tag, err := conn.Exec(ctx, sql)
		return tag.String(), err
	}}
}

// none judges by a query that must give no rows.
func none(query string) func(context.Context, *pgx.Conn, *explore.Run) ([]explore.Violation, error) {
	return func(ctx context.Context, conn *pgx.Conn, _ *explore.Run) ([]explore.Violation, error) {
		var found bool
		if err := conn.QueryRow(ctx, `SELECT EXISTS (`+query+`)`).Scan(&found); err != nil || !found {
			return nil, err
		}
		return []explore.Violation{{Rule: "this gives no rows: " + query}}, nil
	}
}

// The numbers are those of single statements outside of transactions, two
// clients at once: without gates there are two schedules, with them six.
func TestGatesFindRacesOfSingleStatements(t *testing.T) {
	for _, test := range []struct {
		name, schema, fixture, sql, broken string
		gated                              bool
		schedules, violating               int
	}{
		{
			name: "insert where not exists, ungated", schema: `CREATE TABLE r (k int)`, fixture: `DELETE FROM r`,
			sql:    `INSERT INTO r SELECT 1 WHERE NOT EXISTS (SELECT FROM r WHERE k = 1)`,
			broken: `SELECT FROM r GROUP BY k HAVING count(*) > 1`, schedules: 2, violating: 0,
		},
		{
			name: "insert where not exists", schema: `CREATE TABLE r (k int)`, fixture: `DELETE FROM r`,
			sql:    `INSERT INTO r SELECT 1 WHERE NOT EXISTS (SELECT FROM r WHERE k = 1)`,
			broken: `SELECT FROM r GROUP BY k HAVING count(*) > 1`, gated: true, schedules: 6, violating: 4,
		},
		{
			name: "insert where not exists, unique", schema: `CREATE TABLE r (k int UNIQUE)`, fixture: `DELETE FROM r`,
			sql:    `INSERT INTO r SELECT 1 WHERE NOT EXISTS (SELECT FROM r WHERE k = 1)`,
			broken: `SELECT FROM r GROUP BY k HAVING count(*) > 1`, gated: true, schedules: 6, violating: 0,
		},
		{
			name: "insert below a count", schema: `CREATE TABLE r (k int)`, fixture: `DELETE FROM r; INSERT INTO r VALUES (1)`,
			sql:    `INSERT INTO r SELECT 1 WHERE (SELECT count(*) FROM r) < 2`,
			broken: `SELECT FROM r HAVING count(*) > 2`, gated: true, schedules: 6, violating: 4,
		},
		{
			name: "guard in a subquery", schema: accounts, fixture: oneAccount,
			sql:    `UPDATE account SET balance = balance - 60 WHERE id = 1 AND (SELECT sum(balance) FROM account) >= 60`,
			broken: `SELECT FROM account WHERE balance < 0`, gated: true, schedules: 6, violating: 4,
		},
		{
			name: "guard on the row", schema: accounts, fixture: oneAccount,
			sql:    `UPDATE account SET balance = balance - 60 WHERE id = 1 AND balance >= 60`,
			broken: `SELECT FROM account WHERE balance < 0`, gated: true, schedules: 6, violating: 0,
		},
		{
			name: "upsert", schema: `CREATE TABLE r (k int PRIMARY KEY, n int)`, fixture: `DELETE FROM r`,
			sql:    `INSERT INTO r VALUES (1, 1) ON CONFLICT (k) DO UPDATE SET n = r.n + 1`,
			broken: `SELECT FROM r WHERE n <> 2`, gated: true, schedules: 6, violating: 0,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := open(t, explore.Options{}, test.schema)
			s := explore.Scenario{
				Name: test.name, Fixture: test.fixture, Judge: none(test.broken),
				Clients: []explore.Client{once("a", test.sql), once("b", test.sql)},
			}
			if test.gated {
				s.Gates = []string{"r"}
				if test.schema == accounts {
					s.Gates = []string{"account"}
				}
			}
			result, err := x.Explore(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if !result.Complete || result.Schedules != test.schedules || result.Violating != test.violating {
				t.Errorf("complete %v, %d of %d schedules violate; want true, %d of %d",
					result.Complete, result.Violating, result.Schedules, test.violating, test.schedules)
			}
			t.Log(result.Duration, fmt.Sprint(result.Outcomes))
		})
	}
}

// Two updates that lock the same rows in opposite order: only between the first
// row and the second can they get into a deadlock.
func TestGatesStopBetweenTheRowsOfAStatement(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	const update = `UPDATE account SET balance = balance + 1 FROM (SELECT id AS k FROM account ORDER BY id %s OFFSET 0) AS o WHERE id = k`
	s := explore.Scenario{
		Name: "opposite order", Fixture: `DELETE FROM account; INSERT INTO account VALUES (1, 100), (2, 100)`,
		Gates:   []string{"account"},
		Clients: []explore.Client{once("up", fmt.Sprintf(update, "ASC")), once("down", fmt.Sprintf(update, "DESC"))},
		State: func(ctx context.Context, conn *pgx.Conn) (s string, err error) {
			err = conn.QueryRow(ctx, `SELECT string_agg(balance::text, ',' ORDER BY id) FROM account`).Scan(&s)
			return s, err
		},
	}
	result, err := x.Explore(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"up: UPDATE 2 | down: error 40P01 | 101,101", "up: error 40P01 | down: UPDATE 2 | 101,101", "up: UPDATE 2 | down: UPDATE 2 | 102,102",
	} {
		if result.Outcomes[want] == 0 {
			t.Errorf("no schedule ended with %s", want)
		}
	}
	if !result.Complete {
		t.Error("the search is not complete")
		for _, run := range slices.Concat(result.Inconclusive, result.NonDeterministic) {
			t.Logf("%s %s %s", run.ID, run.Stuck, run.Deviation)
			for _, s := range run.Steps {
				t.Logf("%+v", s)
			}
		}
	}

	// The names of its schedules count the stops at first rows.
	run, err := x.Replay(t.Context(), s, "0.0.1.1.0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	if run.Deviation != "" || run.Ends[0].Err != nil || run.Ends[1].Err == nil {
		t.Errorf("%+v", run)
	}
	got := ""
	for _, step := range run.Steps {
		got += fmt.Sprintf("%d %s %s\n", step.Client, step.Kind, step.State)
	}
	const want = `0 statement stopped
0 continue stopped
1 statement stopped
1 continue stopped
0 continue waiting
1 continue done
0 resume stopped
0 continue done
`
	if got != want {
		t.Errorf("the timeline is\n%swant\n%s", got, want)
	}
}

func TestGatesAreGoneAfterClose(t *testing.T) {
	url := database(t, accounts)
	x, err := explore.Open(t.Context(), url, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := lostUpdate()
	s.Gates = []string{"account"}
	if _, err := x.Explore(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var left int
	err = conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pg_trigger) + (SELECT count(*) FROM pg_namespace WHERE nspname = 'pawl_verify')`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d triggers and schemas are left, error %v", left, err)
	}
}

func TestGatesOfATableThatIsNone(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	s := lostUpdate()
	s.Gates = []string{"nowhere"}
	if _, err := x.Explore(t.Context(), s); err == nil {
		t.Error("a table that does not exist got gates")
	}
}

// A claim locks the row it picked before it touches it, and the other client's
// claim waits there, if a schedule stops between the two.
func TestFirstRowsStopAClaimThatHasLocked(t *testing.T) {
	x := open(t, explore.Options{}, `CREATE TABLE job (id int PRIMARY KEY, owner text)`)
	claim := func(name string) explore.Client {
		return once(name, `WITH picked AS MATERIALIZED (SELECT id FROM job WHERE owner IS NULL ORDER BY id LIMIT 1 FOR UPDATE)
UPDATE job SET owner = '`+name+`' FROM picked WHERE job.id = picked.id`)
	}
	for _, firstRows := range []bool{false, true} {
		s := explore.Scenario{
			Name: "claim", Fixture: `DELETE FROM job; INSERT INTO job VALUES (1), (2)`, State: contents("job"),
			Clients: []explore.Client{claim("a"), claim("b")}, Gates: []string{"job"}, FirstRows: firstRows,
		}
		result, err := x.Explore(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if !result.Complete || (result.Waiting > 0) != firstRows {
			t.Errorf("first rows %v: complete %v, somebody waits in %d of %d schedules", firstRows, result.Complete, result.Waiting, result.Schedules)
		}
	}
}

// The names of its schedules count the stops at first rows, and only those.
func TestReplayHonoursFirstRows(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	s := explore.Scenario{
		Name: "one row", Fixture: oneAccount, Gates: []string{"account"}, FirstRows: true,
		Clients: []explore.Client{once("a", addTo1)},
	}
	for id, want := range map[string]string{
		"0.0.0": "",
		"0.0":   "the schedule names 2 steps, and there were more",
	} {
		run, err := x.Replay(t.Context(), s, id)
		if err != nil {
			t.Fatal(err)
		}
		if run.Deviation != want {
			t.Errorf("%s deviates: %q, want %q", id, run.Deviation, want)
		}
	}
}
