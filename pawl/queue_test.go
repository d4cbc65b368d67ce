package pawl_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

// enqueue adds n tasks and returns their ids.
func enqueue(t testing.TB, s *pawl.Session, n int) []int64 {
	t.Helper()
	var ids []int64
	for range n {
		id, err := pawl.QueryOne(t.Context(), s, &enqueueTask, func(id *int64) []any { return []any{id} }, "mail")
		must(t, err)
		ids = append(ids, id)
	}
	return ids
}

func TestQueueInEveryMode(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode))
			s, q := session(pool), newQueue(time.Minute, same)
			for range 7 {
				testQueue(t, s, q)
				exec(t, pool, `DELETE FROM app.tasks`)
			}
		})
	}
}

func testQueue(t *testing.T, s *pawl.Session, q *pawl.Queue[task]) {
	t.Helper()
	ids := enqueue(t, s, 5)
	before := time.Now()
	tasks, err := q.Take(t.Context(), s, 4)
	must(t, err)
	if len(tasks) != 4 {
		t.Fatalf("claimed %d of 4", len(tasks))
	}
	for i, task := range tasks {
		want(t, "claim order", task.ID, ids[i])
		want(t, "kind", task.Kind, "mail")
		want(t, "attempt", task.Attempt, 1)
		if d := task.Deadline().Sub(before); d < q.Lease || d > q.Lease+10*time.Second {
			t.Errorf("the deadline is %s after the claim", d)
		}
		if !task.LeaseUntil.After(before) {
			t.Errorf("lease until %s", task.LeaseUntil)
		}
	}
	must(t, q.Complete(t.Context(), s, tasks[1].Claim, tasks[0].Claim))
	must(t, q.Fail(t.Context(), s, tasks[2].Claim, errors.New("no \x00 such \xff host")))
	must(t, q.Release(t.Context(), s, tasks[3].Claim))
	var got []string
	// In one message, as a pooler may stand between.
	rows, err := s.DB().Query(t.Context(), `SELECT state || ' ' || attempt || coalesce(' ' || error, '') FROM app.tasks ORDER BY id`, pgx.QueryExecModeExec)
	must(t, err)
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		got = append(got, line)
	}
	must(t, rows.Err())
	if wanted := []string{"done 1", "done 1", "scheduled 1 no  such � host", "ready 0", "ready 0"}; !slices.Equal(got, wanted) {
		t.Errorf("tasks are %q, want %q", got, wanted)
	}
	var lost *pawl.ClaimLostError
	if err := q.Complete(t.Context(), s, tasks[0].Claim); !errors.As(err, &lost) || !slices.Equal(lost.IDs, []int64{ids[0]}) {
		t.Errorf("completing twice: %v", err)
	}
	must(t, q.Complete(t.Context(), s))
}

func TestClaimsAreNeverShared(t *testing.T) {
	_, s := open(t)
	q := newQueue(time.Minute, same)
	enqueue(t, s, 60)
	var mu sync.Mutex
	claimed := make(map[int64]int)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for {
				tasks, err := q.Take(t.Context(), s, 7)
				if err != nil {
					t.Error(err)
				}
				if len(tasks) == 0 {
					return
				}
				mu.Lock()
				for _, task := range tasks {
					claimed[task.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	want(t, "tasks claimed", len(claimed), 60)
	for id, n := range claimed {
		if n != 1 {
			t.Errorf("task %d was claimed %d times", id, n)
		}
	}
}

// lateCompletion claims a task, lets its lease end, has it claimed by somebody
// else and then completes it in the first one's name.
func lateCompletion(t *testing.T, change func(string) string) (state string, err error) {
	pool, s := open(t)
	q := newQueue(time.Minute, change)
	enqueue(t, s, 1)
	first, err := q.Take(t.Context(), s, 1)
	must(t, err)
	exec(t, pool, `UPDATE app.tasks SET lease_until = now() - interval '1 second'`)
	second, err := q.Take(t.Context(), s, 1)
	must(t, err)
	if len(first) != 1 || len(second) != 1 || second[0].ID != first[0].ID || second[0].Fence <= first[0].Fence {
		t.Fatalf("claimed %v and then %v", first, second)
	}
	fenced := strings.Contains(q.FailOp.SQL, fenceGuard)
	for name, report := range map[string]func() error{
		"fail":    func() error { return q.Fail(t.Context(), s, first[0].Claim, errors.New("late")) },
		"release": func() error { return q.Release(t.Context(), s, first[0].Claim) },
	} {
		if reportErr := report(); fenced && !errors.Is(reportErr, pawl.ErrClaimLost) {
			t.Errorf("a late %s: %v", name, reportErr)
		}
	}
	err = q.Complete(t.Context(), s, first[0].Claim)
	must(t, pool.QueryRow(t.Context(), `SELECT state FROM app.tasks`).Scan(&state))
	return state, err
}

func TestFenceRefusesALateCompletion(t *testing.T) {
	state, err := lateCompletion(t, same)
	if !errors.Is(err, pawl.ErrClaimLost) {
		t.Errorf("a late completion: %v", err)
	}
	want(t, "state", state, "running")
}

// The same without the fence in the SQL: the first worker takes the task from
// under the second, and the test above would see it.
func TestWithoutTheFenceALateReportGetsThrough(t *testing.T) {
	state, _ := lateCompletion(t, unfenced)
	if state == "running" {
		t.Error("the task is still the second worker's, so the test of the fence proves nothing")
	}
}

func TestCompleteInATransaction(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	enqueue(t, s, 2)
	tasks, err := q.Take(t.Context(), s, 2)
	must(t, err)
	work := func(task task) error {
		_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int, error) {
			if _, err := tx.DB().Exec(ctx, `INSERT INTO app.effects VALUES ($1, 'me')`, task.ID); err != nil {
				return 0, err
			}
			return 0, q.Complete(ctx, tx, task.Claim)
		})
		return err
	}
	must(t, work(tasks[0]))
	exec(t, pool, `UPDATE app.tasks SET fence = fence + 1`)
	if err := work(tasks[1]); !errors.Is(err, pawl.ErrClaimLost) {
		t.Errorf("completing a lost claim: %v", err)
	}
	want(t, "effects", number(t, pool, `SELECT count(*) FROM app.effects`), 1)
}

func TestHeartbeat(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	enqueue(t, s, 3)
	tasks, err := q.Take(t.Context(), s, 3)
	must(t, err)
	exec(t, pool, fmt.Sprintf(`UPDATE app.tasks SET fence = fence + 1 WHERE id = %d`, tasks[1].ID))
	var claims []*pawl.Claim
	for i := range tasks {
		claims = append(claims, &tasks[i].Claim)
	}
	old := tasks[0].Deadline()
	lost, err := q.Heartbeat(t.Context(), s, claims)
	must(t, err)
	if !slices.Equal(lost, []int64{tasks[1].ID}) {
		t.Errorf("lost %v", lost)
	}
	want(t, "a held claim's deadline moved", tasks[0].Deadline().After(old), true)
	want(t, "a lost claim's deadline moved", tasks[1].Deadline().After(old), false)
}

// A claim that waits for a table lock ends with lock_timeout: SKIP LOCKED skips
// rows only.
func TestClaimDoesNotWaitForATableLock(t *testing.T) {
	pool, s := open(t, pawl.WithLockTimeout(30*time.Millisecond))
	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	exec(t, tx, `LOCK TABLE app.tasks`)
	if _, err := newQueue(time.Minute, same).Take(t.Context(), s, 1); !errors.Is(err, pawl.ErrBusy) {
		t.Errorf("a claim on a locked table: %v", err)
	}
}
