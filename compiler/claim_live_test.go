package compiler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

const taskSpec = `
queue "tasks" {
  column "kind" { type = text }
  lease    = "5m"
  attempts = 3
  backoff {
    base = "1s"
    max  = "1m"
  }
}
`

// Arguments of a claim, in the statement's own units.
const minute = int64(time.Minute / time.Microsecond)

func claim(t testing.TB, q querier, p *ir.Program, limit int, lease int64) rows {
	t.Helper()
	return must(t, q, p, "queue.tasks.claim", ir.MainStatement, int32(limit), lease)
}

// ids lists the column id of rows.
func ids(r rows) []int64 {
	list := make([]int64, len(r))
	for i, row := range r {
		list[i] = row["id"].(int64)
	}
	return list
}

func enqueue(t testing.TB, q querier, p *ir.Program, n int) {
	t.Helper()
	for i := range n {
		one(t, q, p, "queue.tasks.enqueue", ir.MainStatement, fmt.Sprint("k", i))
	}
}

func TestClaimKeepsOrderAndLimit(t *testing.T) {
	p := compile(t, taskSpec)
	conn := database(t, p)
	enqueue(t, conn, p, 10)
	if got := ids(claim(t, conn, p, 4, minute)); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("claimed %v", got)
	}
	if got := ids(claim(t, conn, p, 4, minute)); !slices.Equal(got, []int64{5, 6, 7, 8}) {
		t.Errorf("claimed %v", got)
	}
	// Expired leases come first, and count towards the limit.
	exec(t, conn, "UPDATE app.tasks SET lease_until = now() - interval '1 second' WHERE id IN (2, 3, 6)")
	r := claim(t, conn, p, 4, minute)
	if got := ids(r); !slices.Equal(got, []int64{2, 3, 6, 9}) {
		t.Errorf("claimed %v", got)
	}
	if r[0]["attempt"] != int32(2) || r[0]["fence"] != int64(2) || r[3]["attempt"] != int32(1) {
		t.Errorf("rows %v", r)
	}
	if n := len(claim(t, conn, p, 0, minute)); n != 0 {
		t.Errorf("a limit of 0 claimed %d", n)
	}
}

// Leases that ran out too often go to the dead and take no place in the limit.
func TestClaimBuriesWhatIsOutOfAttempts(t *testing.T) {
	p := compile(t, taskSpec)
	conn := database(t, p)
	enqueue(t, conn, p, 8)
	exec(t, conn, `UPDATE app.tasks SET state = 'running', attempt = 3, fence = 3, lease_until = now() - interval '1 hour' WHERE id <= 4`)
	exec(t, conn, `UPDATE app.tasks SET state = 'running', attempt = 2, fence = 2, lease_until = now() - interval '1 minute' WHERE id = 5`)
	if got := ids(claim(t, conn, p, 3, minute)); !slices.Equal(got, []int64{6, 7, 8}) {
		t.Errorf("claimed %v: the three oldest leases were dead ones, so ready tasks fill the limit", got)
	}
	if got := ids(claim(t, conn, p, 3, minute)); !slices.Equal(got, []int64{5}) {
		t.Errorf("claimed %v", got)
	}
	var dead int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM app.tasks WHERE state = 'dead' AND lease_until IS NULL AND last_error <> ''").Scan(&dead); err != nil || dead != 4 {
		t.Errorf("%d dead, %v", dead, err)
	}
}

// Only the holder of the newest fence has a say.
func TestFenceDecides(t *testing.T) {
	p := compile(t, taskSpec)
	conn := database(t, p)
	enqueue(t, conn, p, 2)
	first := claim(t, conn, p, 2, minute)
	exec(t, conn, "UPDATE app.tasks SET lease_until = now() - interval '1 second' WHERE id = 1")
	second := claim(t, conn, p, 2, minute)
	if !slices.Equal(ids(second), []int64{1}) {
		t.Fatalf("claimed %v", ids(second))
	}
	old, fresh := first[0]["fence"].(int64), second[0]["fence"].(int64)
	if fresh <= old {
		t.Fatalf("fences %d, then %d", old, fresh)
	}
	for name, args := range map[string][]any{
		"complete":  {[]int64{1}, []int64{old}},
		"heartbeat": {[]int64{1}, []int64{old}, minute},
		"fail":      {int64(1), old, "late", 0.5},
		"release":   {int64(1), old},
	} {
		if r := must(t, conn, p, "queue.tasks."+name, ir.MainStatement, args...); len(r) != 0 {
			t.Errorf("%s under the old fence: %v", name, r)
		}
	}
	if got := ids(must(t, conn, p, "queue.tasks.heartbeat", ir.MainStatement, []int64{2, 1}, []int64{1, fresh}, 10*minute)); !slices.Contains(got, 1) || len(got) != 2 {
		t.Errorf("renewed %v", got)
	}
	if r := must(t, conn, p, "queue.tasks.release", ir.MainStatement, int64(1), fresh); len(r) != 1 {
		t.Error("the holder could not hand back")
	}
	again := claim(t, conn, p, 1, minute)
	if again[0]["attempt"] != int32(2) || again[0]["fence"].(int64) <= fresh {
		t.Errorf("handing back burns no attempt and keeps the fence: %v", again)
	}
	if got := ids(must(t, conn, p, "queue.tasks.complete", ir.MainStatement, []int64{1, 2}, []int64{again[0]["fence"].(int64), 1})); len(got) != 2 {
		t.Errorf("completed %v", got)
	}
	if n := len(claim(t, conn, p, 9, minute)); n != 0 {
		t.Errorf("%d tasks are left", n)
	}
}

// A failed task waits, longer each time but never longer than the longest
// pause, and is dead after its last attempt.
func TestFailSchedulesAndBuries(t *testing.T) {
	p := compile(t, taskSpec)
	conn := database(t, p)
	enqueue(t, conn, p, 1)
	state := func() (state string, wait time.Duration) {
		var seconds float64
		if err := conn.QueryRow(t.Context(), "SELECT state, extract(epoch FROM run_at - clock_timestamp())::float8 FROM app.tasks").Scan(&state, &seconds); err != nil {
			t.Fatal(err)
		}
		return state, time.Duration(seconds * float64(time.Second))
	}
	for attempt, pause := range []time.Duration{time.Second, 2 * time.Second} {
		r := claim(t, conn, p, 1, minute)
		one(t, conn, p, "queue.tasks.fail", ir.MainStatement, int64(1), r[0]["fence"], "boom", 1.0)
		if s, wait := state(); s != "scheduled" || wait < pause-500*time.Millisecond || wait > pause {
			t.Errorf("attempt %d: %s, due in %s, want %s", attempt+1, s, wait, pause)
		}
		if n := len(claim(t, conn, p, 1, minute)); n != 0 {
			t.Error("a scheduled task was claimed")
		}
		exec(t, conn, "UPDATE app.tasks SET run_at = now() - interval '1 second'")
		must(t, conn, p, "queue.tasks.claim", ir.DueStatement, int32(5))
	}
	r := claim(t, conn, p, 1, minute)
	one(t, conn, p, "queue.tasks.fail", ir.MainStatement, int64(1), r[0]["fence"], "boom", 1.0)
	if s, _ := state(); s != "dead" {
		t.Errorf("state %s after the last attempt", s)
	}

	// Far more attempts than doublings: the pause is the longest, not an overflow.
	long := compile(t, strings.Replace(taskSpec, "attempts = 3", "attempts = 1000000", 1))
	conn = database(t, long)
	enqueue(t, conn, long, 1)
	exec(t, conn, "UPDATE app.tasks SET attempt = 900000")
	r = claim(t, conn, long, 1, minute)
	one(t, conn, long, "queue.tasks.fail", ir.MainStatement, int64(1), r[0]["fence"], "boom", 1.0)
	var wait float64
	if err := conn.QueryRow(t.Context(), "SELECT extract(epoch FROM run_at - clock_timestamp())::float8 FROM app.tasks").Scan(&wait); err != nil || wait < 59 || wait > 60 {
		t.Errorf("due in %v s, %v", wait, err)
	}
}

// Many workers get every task once. Without SKIP LOCKED and the row locks
// some tasks are handed out twice.
func TestEachTaskIsClaimedOnce(t *testing.T) {
	p := compile(t, taskSpec)
	conn := database(t, p)
	const workers, tasks = 6, 300
	drain := func(sql string) (twice int) {
		exec(t, conn, "TRUNCATE app.tasks RESTART IDENTITY")
		exec(t, conn, "INSERT INTO app.tasks (kind) SELECT 'k' FROM generate_series(1, $1)", tasks)
		var mu sync.Mutex
		seen := map[int64]int{}
		var wg sync.WaitGroup
		for range workers {
			c := connect(t, conn.Config().ConnString())
			wg.Go(func() {
				for {
					r, err := c.Query(context.Background(), sql, int32(7), minute)
					if err != nil {
						t.Error(err)
						return
					}
					got, err := pgx.CollectRows(r, pgx.RowToMap)
					if err != nil || len(got) == 0 {
						return
					}
					if len(got) > 7 {
						t.Errorf("a claim of 7 gave %d", len(got))
					}
					mu.Lock()
					for _, row := range got {
						seen[row["id"].(int64)]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for id := int64(1); id <= tasks; id++ {
			if n := seen[id]; n == 0 {
				t.Errorf("task %d was never claimed", id)
			} else if n > 1 {
				twice++
			}
		}
		return twice
	}
	sql := operation(t, p, "queue.tasks.claim").Statement(ir.MainStatement).SQL
	if n := drain(sql); n != 0 {
		t.Errorf("%d tasks were claimed twice", n)
	}
	mutant := strings.ReplaceAll(sql, " FOR UPDATE SKIP LOCKED", "")
	if first, second := meet(t, conn, mutant); first != second {
		t.Errorf("without FOR UPDATE SKIP LOCKED one got %v and one %v: this test proves nothing", first, second)
	}
	if first, second := meet(t, conn, sql); first == second {
		t.Errorf("both got %v", first)
	}
}

// meet runs a claim of two tasks while another claim of two is not committed,
// and gives the ids that each got.
func meet(t *testing.T, conn *pgx.Conn, sql string) (first, second string) {
	t.Helper()
	exec(t, conn, "TRUNCATE app.tasks RESTART IDENTITY")
	exec(t, conn, "INSERT INTO app.tasks (kind) SELECT 'k' FROM generate_series(1, 4)")
	ids := func(c querier) string {
		r, err := c.Query(context.Background(), sql, int32(2), minute)
		if err != nil {
			t.Error(err)
		}
		got, err := pgx.CollectRows(r, pgx.RowToMap)
		if err != nil {
			t.Error(err)
		}
		var ids []int64
		for _, row := range got {
			ids = append(ids, row["id"].(int64))
		}
		slices.Sort(ids)
		return fmt.Sprint(ids)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first = ids(tx)
	other := connect(t, conn.Config().ConnString())
	done := make(chan string)
	go func() { done <- ids(other) }()
	select {
	case second = <-done: // nothing to wait for
	case <-time.After(300 * time.Millisecond):
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second == "" {
		second = <-done
	}
	return first, second
}

// On a large table a claim reads its indexes and never the table, also with
// the plan that a connection keeps for any argument.
func TestClaimReadsItsIndexes(t *testing.T) {
	p := compile(t, taskSpec)
	conn := database(t, p)
	exec(t, conn, `INSERT INTO app.tasks (kind, state, attempt, fence, lease_until, run_at)
		SELECT 'k', s, CASE s WHEN 'ready' THEN 0 ELSE 1 END, 1, CASE s WHEN 'running' THEN now() + (n % 1000 - 10) * interval '1 second' END,
			now() + (n % 1000 - 10) * interval '1 second'
		FROM (SELECT n, (ARRAY['ready', 'running', 'scheduled', 'dead', 'ready'])[1 + n % 5] AS s FROM generate_series(1, 100000) n) x`)
	exec(t, conn, "VACUUM ANALYZE app.tasks")
	op := operation(t, p, "queue.tasks.claim")
	for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
		exec(t, conn, "SET plan_cache_mode = "+mode)
		plan := explain(t, conn, op.Statement(ir.MainStatement).SQL, "integer, bigint", "50, 300000000")
		has(t, plan, "tasks_lease")
		has(t, plan, "tasks_ready")
		if strings.Contains(plan, "Seq Scan on tasks") {
			t.Errorf("%s: the claim reads the table:\n%s", mode, plan)
		}
		plan = explain(t, conn, op.Statement(ir.DueStatement).SQL, "integer", "50")
		has(t, plan, "tasks_scheduled")
		if strings.Contains(plan, "Seq Scan on tasks") {
			t.Errorf("%s: moving due tasks reads the table:\n%s", mode, plan)
		}
		for _, name := range []string{"complete", "heartbeat"} {
			types, values := "bigint[], bigint[]", "'{1,2,3}', '{1,1,1}'"
			if name == "heartbeat" {
				types, values = types+", bigint", values+", 1000"
			}
			plan = explain(t, conn, operation(t, p, "queue.tasks."+name).Statement(ir.MainStatement).SQL, types, values)
			if strings.Contains(plan, "Seq Scan on tasks") {
				t.Errorf("%s: %s reads the table:\n%s", mode, name, plan)
			}
		}
	}
}

// explain runs a statement as a prepared one and returns its plan. What it did
// is rolled back.
func explain(t testing.TB, conn *pgx.Conn, sql, types, values string) string {
	t.Helper()
	exec(t, conn, "BEGIN")
	defer exec(t, conn, "ROLLBACK")
	exec(t, conn, "DEALLOCATE ALL")
	if _, err := conn.PgConn().Exec(t.Context(), "PREPARE probe ("+types+") AS "+sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
	result, err := conn.PgConn().Exec(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE probe ("+values+")").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for _, row := range result[0].Rows {
		plan.WriteString(string(row[0]) + "\n")
	}
	return plan.String()
}
