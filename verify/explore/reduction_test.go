package explore_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
)

// effectOf classifies the statements of these tests.
func effectOf(sql string) explore.Effect {
	switch sql = strings.ToLower(sql); {
	case strings.HasPrefix(sql, "set local"):
		return explore.Local
	case strings.HasPrefix(sql, "select") && !strings.Contains(sql, " for ") && !strings.Contains(sql, "lock"):
		return explore.Read
	case strings.HasPrefix(sql, "select"), strings.HasPrefix(sql, "insert"), strings.HasPrefix(sql, "update"), strings.HasPrefix(sql, "delete"):
		return explore.Write
	}
	return explore.Unknown
}

// alike returns n scripts that are equal but for their names.
func alike(n int, statements ...string) []explore.Client {
	clients := make([]explore.Client, n)
	for i := range clients {
		clients[i] = explore.Script(string(rune('a'+i)), statements...)
		clients[i].Class = "all"
	}
	return clients
}

// contents reads a table as text.
func contents(table string) func(context.Context, *pgx.Conn) (string, error) {
	return func(ctx context.Context, conn *pgx.Conn) (s string, err error) {
		err = conn.QueryRow(ctx, `SELECT coalesce(string_agg(t::text, ' ' ORDER BY t::text), '') FROM `+table+` t`).Scan(&s)
		return s, err
	}
}

const (
	shifts      = `CREATE TABLE shift (doctor int PRIMARY KEY, on_call bool)`
	twoOnCall   = `DELETE FROM shift; INSERT INTO shift VALUES (1, true), (2, true)`
	seats       = `CREATE TABLE seat (place int)`
	uniqueSeats = `CREATE TABLE seat (place int UNIQUE)`
)

// skew is a doctor who goes home when another is on call.
func skew(level string) []explore.Client {
	var clients []explore.Client
	for i, me := range []string{"1", "2"} {
		clients = append(clients, explore.Client{Name: "doctor " + me, Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
			tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.TxIsoLevel(level)})
			if err != nil {
				return nil, err
			}
			defer tx.Rollback(ctx)
			var others int
			if err := tx.QueryRow(ctx, `select count(*) FROM shift WHERE on_call AND doctor <> $1`, i+1).Scan(&others); err != nil || others == 0 {
				return "stays", err
			}
			if _, err := tx.Exec(ctx, `update shift SET on_call = false WHERE doctor = $1`, i+1); err != nil {
				return nil, err
			}
			return "goes", tx.Commit(ctx)
		}})
	}
	return clients
}

var reductions = []struct {
	name, schema, fixture, state string
	clients                      []explore.Client
	gates                        []string
	large                        bool // left out of short tests
}{
	{
		name: "guarded counter", schema: accounts, fixture: oneAccount, state: "account",
		clients: alike(2, `begin`, `update account SET balance = balance - 60 WHERE id = 1 AND balance >= 60`, `commit`),
	},
	{
		name: "guarded counter of three", large: true, schema: accounts, fixture: oneAccount, state: "account",
		clients: alike(3, `begin`, `update account SET balance = balance - 60 WHERE id = 1 AND balance >= 60`, `commit`),
	},
	{
		name: "lost update", schema: accounts, fixture: oneAccount, state: "account",
		clients: []explore.Client{{Name: "a", Run: readThenWrite}, {Name: "b", Run: readThenWrite}},
	},
	{
		name: "unique race", schema: uniqueSeats, fixture: `DELETE FROM seat`, state: "seat",
		clients: alike(2, `begin`, `select count(*) FROM seat WHERE place = 1`, `insert INTO seat VALUES (1)`, `commit`),
	},
	{
		name: "race without unique", schema: seats, fixture: `DELETE FROM seat`, state: "seat",
		clients: alike(2, `begin`, `select count(*) FROM seat WHERE place = 1`, `insert INTO seat VALUES (1)`, `commit`),
	},
	{name: "write skew in repeatable read", schema: shifts, fixture: twoOnCall, state: "shift", clients: skew("repeatable read")},
	{name: "write skew in serializable", schema: shifts, fixture: twoOnCall, state: "shift", clients: skew("serializable")},
	{
		name:    "child and parent",
		schema:  `CREATE TABLE parent (id int PRIMARY KEY, n int); CREATE TABLE child (parent int REFERENCES parent)`,
		fixture: `DELETE FROM child; DELETE FROM parent; INSERT INTO parent VALUES (1, 0)`, state: "child",
		clients: []explore.Client{
			explore.Script("child", `begin`, `select n FROM parent`, `insert INTO child VALUES (1)`, `commit`),
			explore.Script("parent", `begin`, `select count(*) FROM child`, `delete FROM parent WHERE id = 1`, `commit`),
		},
	},
	{
		name:    "queue with skip locked",
		schema:  `CREATE TABLE job (id int PRIMARY KEY, done bool)`,
		fixture: `DELETE FROM job; INSERT INTO job VALUES (1, false), (2, false)`, state: "job",
		clients: alike(2, `begin`, `update job SET done = true WHERE id = (select id FROM job WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`, `commit`),
	},
	{
		name: "rows in opposite order", schema: accounts, fixture: `DELETE FROM account; INSERT INTO account VALUES (1, 100), (2, 100)`, state: "account",
		clients: []explore.Client{
			explore.Script("a", `begin`, `update account SET balance = balance + 1 WHERE id = 1`, `update account SET balance = balance + 1 WHERE id = 2`, `commit`),
			explore.Script("b", `begin`, `update account SET balance = balance + 2 WHERE id = 2`, `update account SET balance = balance + 2 WHERE id = 1`, `commit`),
		},
	},
	{
		name: "reader beside two writers", schema: accounts, fixture: oneAccount, state: "account",
		clients: []explore.Client{
			explore.Script("reader", `begin isolation level repeatable read`, `select balance FROM account`, `commit`),
			explore.Script("writer", `update account SET balance = 7 WHERE id = 1`),
			explore.Script("other", `begin`, `update account SET balance = 8 WHERE id = 1`, `rollback`),
		},
	},
	{
		name: "deferred unique", schema: `CREATE TABLE seat (place int UNIQUE DEFERRABLE INITIALLY DEFERRED)`, fixture: `DELETE FROM seat`, state: "seat",
		clients: alike(2, `begin`, `select count(*) FROM seat`, `insert INTO seat VALUES (1)`, `commit`),
	},
	{
		name: "gated subquery guard in transactions", schema: accounts, fixture: oneAccount, state: "account", gates: []string{"account"},
		clients: alike(2, `begin`, `update account SET balance = balance - 60 WHERE id = 1 AND (select sum(balance) FROM account) >= 60`, `commit`),
	},
}

// completeSearch searches again where a busy machine has made a schedule end in
// two ways, which a search says of itself; what it found then can be compared
// with nothing.
func completeSearch(t *testing.T, url string, options explore.Options, s explore.Scenario) *explore.Result {
	t.Helper()
	var result *explore.Result
	for range 3 {
		var err error
		if result, err = connect(t, url, options).Explore(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if result.Complete {
			return result
		}
	}
	t.Fatalf("full %v: no search was complete: %+v", options.Full, result)
	return nil
}

// A reduced search must find every outcome that the full one finds, and no other.
func TestReductionsFindTheSameOutcomes(t *testing.T) {
	for _, test := range reductions {
		t.Run(test.name, func(t *testing.T) {
			if test.large && testing.Short() {
				t.Skip("its full search has hundreds of schedules")
			}
			s := explore.Scenario{
				Name: test.name, Fixture: test.fixture, Clients: test.clients, Gates: test.gates,
				Effect: effectOf, State: contents(test.state),
			}
			found := make(map[bool]*explore.Result)
			url := database(t, test.schema)
			for _, full := range []bool{false, true} {
				found[full] = completeSearch(t, url, explore.Options{Clients: len(s.Clients), Full: full}, s)
			}
			reduced, full := found[false], found[true]
			t.Logf("%d schedules and %d beginnings in %v, instead of %d in %v",
				reduced.Schedules, reduced.Pruned, reduced.Duration, full.Schedules, full.Duration)
			got, want := slices.Sorted(maps.Keys(reduced.Outcomes)), slices.Sorted(maps.Keys(full.Outcomes))
			if !slices.Equal(got, want) {
				t.Errorf("outcomes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if reduced.Schedules >= full.Schedules {
				t.Errorf("%d schedules, where the full search has %d", reduced.Schedules, full.Schedules)
			}
		})
	}
}
