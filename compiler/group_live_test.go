package compiler_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

const groupedQueueSpec = `
queue "tasks" {
  column "tenant" { type = text }
  column "account" { type = bigint }
  column "n" { type = integer }
  lease    = "5m"
  attempts = 3
  backoff {
    base = "1m"
    max  = "1h"
  }
  group {
    by   = [tenant, account]
    head = "HEAD"
  }
}
`

// long asks for the sizes at which a wrong plan costs minutes.
var long = flag.Bool("long", false, "run the large forms of tests")

// tokens counts the claims, each of which has one of its own.
var tokens int64

// together runs the statements of an operation as one transaction.
func together(t testing.TB, conn *pgx.Conn, p *ir.Program, address string, args map[string]any) (rows, error) {
	t.Helper()
	tx, err := conn.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background()) //nolint:errcheck // after a commit there is nothing to do
	r, err := within(t, tx, p, address, args)
	if err != nil {
		return nil, err
	}
	return r, tx.Commit(context.Background())
}

// within runs the statements of an operation in a transaction, and gives the rows
// of the last.
func within(t testing.TB, q querier, p *ir.Program, address string, args map[string]any) (r rows, err error) {
	t.Helper()
	for _, s := range operation(t, p, address).Statements {
		values := make([]any, len(s.Args))
		for i, f := range s.Args {
			values[i] = args[f.Name]
		}
		if r, err = run(t, q, p, address, s.Role, values...); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func claimGroups(t testing.TB, conn *pgx.Conn, p *ir.Program, limit int) rows {
	t.Helper()
	tokens++
	r, err := together(t, conn, p, "queue.tasks.claim", map[string]any{"limit": int32(limit), "lease": minute, "token": tokens})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func endTask(t testing.TB, conn *pgx.Conn, p *ir.Program, how string, task map[string]any) {
	t.Helper()
	args := map[string]any{"id": task["id"], "fence": task["fence"], "error": "boom", "jitter": 1.0}
	args["ids"], args["fences"] = []any{task["id"]}, []any{task["fence"]}
	r, err := together(t, conn, p, "queue.tasks."+how, args)
	if err != nil || len(r) != 1 {
		t.Fatalf("%s: %v, %v", how, r, err)
	}
}

func enqueueIn(t testing.TB, q querier, p *ir.Program, account int64, n int32) {
	t.Helper()
	one(t, q, p, "queue.tasks.enqueue", ir.MainStatement, "t", account, n)
}

// claimedOf lists account and n of claimed tasks.
func claimedOf(r rows) string {
	var list []string
	for _, row := range r {
		list = append(list, fmt.Sprint(row["account"], ":", row["n"]))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func whole(t testing.TB, conn *pgx.Conn, p *ir.Program) {
	t.Helper()
	r, err := conn.Query(context.Background(), p.Invariants[0].Facts().Violators)
	if err != nil {
		t.Fatal(err)
	}
	if bad, err := pgx.CollectRows(r, pgx.RowToMap); err != nil || len(bad) > 0 {
		t.Fatalf("groups are broken: %v, %v", bad, err)
	}
}

func groupRows(t testing.TB, conn *pgx.Conn) (n int) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), "SELECT count(*) FROM app.tasks_group").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestGroupRunsOneTaskAtATimeInOrder(t *testing.T) {
	for _, head := range []string{"block", "skip"} {
		t.Run(head, func(t *testing.T) {
			p := compile(t, strings.Replace(groupedQueueSpec, "HEAD", head, 1))
			conn := database(t, p)
			prepareAll(t, conn, p)
			for n := range int32(3) {
				enqueueIn(t, conn, p, 1, n)
				enqueueIn(t, conn, p, 2, n)
			}
			for n := range 3 {
				r := claimGroups(t, conn, p, 10)
				if got, want := claimedOf(r), fmt.Sprintf("1:%d 2:%d", n, n); got != want {
					t.Fatalf("claimed %s, want %s", got, want)
				}
				if again := claimGroups(t, conn, p, 10); len(again) != 0 {
					t.Fatalf("claimed %s of groups whose task runs", claimedOf(again))
				}
				whole(t, conn, p)
				endTask(t, conn, p, "complete", r[0])
				endTask(t, conn, p, "complete", r[1])
				whole(t, conn, p)
			}
			if n := groupRows(t, conn); n != 0 {
				t.Errorf("%d groups are left of a queue that is empty", n)
			}
		})
	}
}

// A task that failed holds its group up, or lets it pass; dead it does neither.
func TestFailedHead(t *testing.T) {
	for head, want := range map[string][]string{"block": {"", "1:0", "1:1"}, "skip": {"1:1", "1:0", "1:2"}} {
		t.Run(head, func(t *testing.T) {
			p := compile(t, strings.Replace(groupedQueueSpec, "HEAD", head, 1))
			conn := database(t, p)
			for n := range int32(3) {
				enqueueIn(t, conn, p, 1, n)
			}
			first := claimGroups(t, conn, p, 10)
			endTask(t, conn, p, "fail", first[0])
			whole(t, conn, p)
			r := claimGroups(t, conn, p, 10)
			if got := claimedOf(r); got != want[0] {
				t.Fatalf("while the first waits: %q, want %q", got, want[0])
			}
			// It comes due while its follower runs, if that may: the group has one task
			// at a time all the same.
			exec(t, conn, "UPDATE app.tasks SET run_at = now() - interval '1 second' WHERE n = 0")
			exec(t, conn, "UPDATE app.tasks_group SET run_at = now() - interval '1 second' WHERE run_at IS NOT NULL")
			if len(r) > 0 {
				if got := claimedOf(claimGroups(t, conn, p, 10)); got != "" {
					t.Fatalf("beside its follower: %q", got)
				}
				endTask(t, conn, p, "complete", r[0])
			}
			whole(t, conn, p)
			r = claimGroups(t, conn, p, 10)
			if got := claimedOf(r); got != want[1] {
				t.Fatalf("when it is due: %q, want %q", got, want[1])
			}
			exec(t, conn, "UPDATE app.tasks SET attempt = 3 WHERE n = 0")
			endTask(t, conn, p, "fail", r[0])
			whole(t, conn, p)
			r = claimGroups(t, conn, p, 10)
			if got := claimedOf(r); got != want[2] {
				t.Fatalf("when it is dead: %q, want %q", got, want[2])
			}
			endTask(t, conn, p, "release", r[0])
			whole(t, conn, p)
			if again := claimGroups(t, conn, p, 10); claimedOf(again) != want[2] || again[0]["attempt"] != int32(1) {
				t.Fatalf("handed back, and then %v", again)
			}
		})
	}
}

// A lease that ran out gives the group back, with the same task; at its last
// attempt with the next one, or without any.
func TestExpiredHead(t *testing.T) {
	p := compile(t, strings.Replace(groupedQueueSpec, "HEAD", "block", 1))
	conn := database(t, p)
	enqueueIn(t, conn, p, 1, 0)
	enqueueIn(t, conn, p, 1, 1)
	first := claimGroups(t, conn, p, 10)
	expire := func() {
		exec(t, conn, "UPDATE app.tasks SET lease_until = now() - interval '1 second' WHERE state = 'running'")
	}
	expire()
	second := claimGroups(t, conn, p, 10)
	if claimedOf(second) != "1:0" || second[0]["attempt"] != int32(2) || second[0]["fence"].(int64) <= first[0]["fence"].(int64) {
		t.Fatalf("claimed again: %v", second)
	}
	whole(t, conn, p)
	for _, how := range []string{"complete", "fail", "release"} {
		args := map[string]any{
			"id": first[0]["id"], "fence": first[0]["fence"], "error": "late", "jitter": 0.5,
			"ids": []any{first[0]["id"]}, "fences": []any{first[0]["fence"]},
		}
		if r, err := together(t, conn, p, "queue.tasks."+how, args); err != nil || len(r) != 0 {
			t.Errorf("%s under the old fence: %v, %v", how, r, err)
		}
		whole(t, conn, p)
	}
	exec(t, conn, "UPDATE app.tasks SET attempt = 3 WHERE state = 'running'")
	expire()
	if got := claimedOf(claimGroups(t, conn, p, 10)); got != "1:1" {
		t.Fatalf("behind a task that is out of attempts: %q", got)
	}
	whole(t, conn, p)
	exec(t, conn, "UPDATE app.tasks SET attempt = 3 WHERE state = 'running'")
	expire()
	if got := claimedOf(claimGroups(t, conn, p, 10)); got != "" || groupRows(t, conn) != 0 {
		t.Fatalf("behind the last task: %q, and %d groups are left", got, groupRows(t, conn))
	}
}

// Ids of one group are given in the order of commit, because the row of the group
// is written first: whoever comes second gets its id when the first has committed.
func TestOrderIsThatOfCommit(t *testing.T) {
	p := compile(t, strings.Replace(groupedQueueSpec, "HEAD", "block", 1))
	conn := database(t, p)
	slow, quick := connect(t, conn.Config().ConnString()), connect(t, conn.Config().ConnString())
	tx, err := slow.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	enqueueIn(t, tx, p, 1, 1)
	enqueueIn(t, quick, p, 2, 1) // of another group: waits for nobody
	done := make(chan error, 1)
	go func() {
		_, err := run(t, quick, p, "queue.tasks.enqueue", ir.MainStatement, "t", int64(1), int32(2))
		done <- err
	}()
	waitForLock(t, quick)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var order []int32
	rows, err := conn.Query(t.Context(), "SELECT n FROM app.tasks WHERE account = 1 ORDER BY id")
	if err == nil {
		order, err = pgx.CollectRows(rows, pgx.RowTo[int32])
	}
	if err != nil || !slices.Equal(order, []int32{1, 2}) {
		t.Errorf("order %v, %v", order, err)
	}
	whole(t, conn, p)
}

// A claim passes over the groups that others hold, and waits for nobody.
func TestClaimPassesOverLockedGroups(t *testing.T) {
	p := compile(t, strings.Replace(groupedQueueSpec, "HEAD", "block", 1))
	conn := database(t, p)
	enqueueIn(t, conn, p, 1, 0)
	enqueueIn(t, conn, p, 2, 0)
	other := connect(t, conn.Config().ConnString())
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	enqueueIn(t, tx, p, 1, 1)
	exec(t, conn, "SET lock_timeout = '1ms'")
	if got := claimedOf(claimGroups(t, conn, p, 10)); got != "2:0" {
		t.Errorf("claimed %q", got)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := claimedOf(claimGroups(t, conn, p, 10)); got != "1:0" {
		t.Errorf("claimed %q", got)
	}
}

// On a large table every statement reads its indexes, also behind a group that is
// blocked with half of all tasks, and also with the plan for any argument.
func TestGroupsReadTheirIndexes(t *testing.T) {
	tasks := 100_000
	if *long {
		tasks = 1_000_000
	}
	for _, head := range []string{"block", "skip"} {
		t.Run(head, func(t *testing.T) {
			p := compile(t, strings.Replace(groupedQueueSpec, "HEAD", head, 1))
			conn := database(t, p)
			blocked(t, conn, tasks)
			var held, first string
			err := conn.QueryRow(t.Context(), "SELECT string_agg(id::text, ','), min(id)::text FROM app.tasks WHERE state = 'running'").Scan(&held, &first)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
				exec(t, conn, "SET plan_cache_mode = "+mode)
				for _, s := range []struct{ operation, types, values string }{
					{"claim", "integer, bigint", "20, 42"},
					{"claim", "integer, bigint, bigint", "20, 300000000, 41"},
					{"complete", "bigint[], bigint[]", "'{" + held + "}', '{" + strings.Repeat("1,", 19) + "1}'"},
					{"fail", "bigint, bigint, text, float8", first + ", 1, 'boom', 0.5"},
					{"release", "bigint, bigint", first + ", 1"},
				} {
					for _, statement := range operation(t, p, "queue.tasks."+s.operation).Statements {
						if strings.Count(s.types, ",")+1 != len(statement.Args) {
							continue
						}
						plan := explain(t, conn, statement.SQL, s.types, s.values)
						if strings.Contains(plan, "Seq Scan on tasks") {
							t.Errorf("%s: %s %s reads a whole table:\n%s", mode, s.operation, statement.Role, plan)
						}
						if n := mostRows(plan); n > 500 {
							t.Errorf("%s: %s %s touches %d rows in one step:\n%s", mode, s.operation, statement.Role, n, plan)
						}
					}
				}
			}
		})
	}
}

// blocked fills the queue: half of its tasks are behind the failed head of one
// group, and twenty others are held under the token 41, twenty more have a task that runs.
func blocked(t *testing.T, conn *pgx.Conn, tasks int) {
	t.Helper()
	exec(t, conn, "INSERT INTO app.tasks (tenant, account, n) SELECT 't', CASE WHEN n <= $1 / 2 THEN 0 ELSE n % ($1 / 20) + 1 END, n FROM generate_series(1, $1::integer) AS n", tasks)
	exec(t, conn, "UPDATE app.tasks SET state = 'scheduled', attempt = 1, fence = 1, run_at = now() + interval '1 hour' WHERE id = 1")
	exec(t, conn, "INSERT INTO app.tasks_group (tenant, account, run_at) SELECT DISTINCT 't', account, now() FROM app.tasks")
	exec(t, conn, "UPDATE app.tasks_group SET run_at = now() + interval '1 hour' WHERE account = 0")
	exec(t, conn, "UPDATE app.tasks_group SET run_at = NULL, fence = 41 WHERE account BETWEEN 1 AND 20")
	exec(t, conn, "UPDATE app.tasks_group SET run_at = NULL, fence = 40 WHERE account BETWEEN 21 AND 40")
	exec(t, conn, `UPDATE app.tasks SET state = 'running', attempt = 1, fence = 1, lease_until = now() + interval '1 hour'
		WHERE id IN (SELECT min(id) FROM app.tasks WHERE account BETWEEN 21 AND 40 GROUP BY account)`)
	exec(t, conn, "VACUUM ANALYZE app.tasks, app.tasks_group")
}

var actualRows = regexp.MustCompile(`actual rows=([0-9.]+) loops=([0-9]+)|Rows Removed by Filter: ([0-9]+)`)

// mostRows is the largest number of rows in a plan that ran.
func mostRows(plan string) (most int) {
	for _, found := range actualRows.FindAllStringSubmatch(plan, -1) {
		for _, text := range []string{found[1], found[3]} {
			n, err := strconv.ParseFloat(text, 64)
			if err == nil {
				most = max(most, int(n))
			}
		}
	}
	return most
}

// What docs/language.md says for tasks that SQL has touched brings their groups
// back: one whose running task was deleted, and one of a task that was dead.
func TestRepairOfGroups(t *testing.T) {
	page, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, repair, found := strings.Cut(string(page), "```sql\nLOCK TABLE syncs")
	repair, _, ends := strings.Cut("LOCK TABLE syncs"+repair, "```")
	if !found || !ends {
		t.Fatal("the page has no such statement")
	}
	repair = strings.NewReplacer("syncs_group", "app.tasks_group", "syncs", "app.tasks", "account_id", "account").Replace(repair)
	p := compile(t, strings.NewReplacer("[tenant, account]", "[account]", "HEAD", "block").Replace(groupedQueueSpec))
	conn := database(t, p)
	for account := int64(1); account <= 3; account++ {
		enqueueIn(t, conn, p, account, 1)
	}
	held := claimGroups(t, conn, p, 3)
	exec(t, conn, "DELETE FROM app.tasks WHERE account = 1")
	enqueueIn(t, conn, p, 1, 2)
	exec(t, conn, "UPDATE app.tasks SET state = 'dead', lease_until = NULL WHERE account = 2")
	exec(t, conn, "DELETE FROM app.tasks_group WHERE account = 2")
	exec(t, conn, "UPDATE app.tasks SET state = 'ready', attempt = 0 WHERE account = 2")
	if got := claimedOf(claimGroups(t, conn, p, 9)); got != "" {
		t.Fatalf("claimed %s before the repair: this test shows nothing", got)
	}
	exec(t, conn, "BEGIN; "+repair+"; COMMIT")
	if got := claimedOf(claimGroups(t, conn, p, 9)); got != "1:2 2:1" {
		t.Errorf("claimed %q after the repair, want 1:2 2:1", got)
	}
	for _, task := range held {
		if task["account"] == int64(3) {
			endTask(t, conn, p, "complete", task)
		}
	}
	whole(t, conn, p)
}
