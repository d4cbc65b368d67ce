package pawl_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pawldb/pawl/pawl"
)

// untypedQueue is a queue whose tasks' kind became nullable in the database
// behind the back of the Go type, and the ids of five tasks, the second and the
// fourth of which cannot be read.
func untypedQueue(t *testing.T, pool pawl.DB, s *pawl.Session) (q *pawl.Queue[task], ids []int64) {
	t.Helper()
	exec(t, pool, `ALTER TABLE app.tasks ALTER COLUMN kind DROP NOT NULL`)
	ids = enqueue(t, s, 5)
	exec(t, pool, `UPDATE app.tasks SET kind = NULL WHERE id IN (`+itoa(int(ids[1]))+`, `+itoa(int(ids[3]))+`)`)
	return newQueue(time.Minute, same), ids
}

func TestUnreadableTaskFailsAlone(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode), size(1))
			s := session(pool)
			q, ids := untypedQueue(t, pool, s)
			tasks, err := q.Take(t.Context(), s, 5)
			var unreadable *pawl.UnreadableTasksError
			if !errors.As(err, &unreadable) || !errors.Is(err, pawl.ErrUnreadable) || !slices.Equal(unreadable.IDs, []int64{ids[1], ids[3]}) {
				t.Fatalf("the error is %v", err)
			}
			if len(tasks) != 3 || tasks[0].ID != ids[0] || tasks[1].ID != ids[2] || tasks[2].ID != ids[4] {
				t.Fatalf("claimed %v", tasks)
			}
			for _, task := range tasks {
				want(t, "has a deadline", task.Deadline().After(time.Now()), true)
				must(t, q.Complete(t.Context(), s, task.Claim))
			}
			want(t, "tasks given up, with the reason", number(t, pool,
				`SELECT count(*) FROM app.tasks WHERE state = 'scheduled' AND attempt = 1 AND error LIKE '%NULL in column kind (text) does not fit *string%'`), 2)
		})
	}
}

// A queue with a task that cannot be read goes on, and says so.
func TestWorkGoesOnBesideAnUnreadableTask(t *testing.T) {
	pool, s := open(t)
	q, _ := untypedQueue(t, pool, s)
	reported := make(chan error, 1000)
	options := quick(2)
	options.OnError = func(err error) { reported <- err }
	worker(t, s, q, options, func(context.Context, task) error { return nil })
	eventually(t, "completion of the others", func() bool { return tasksIn(t, pool, "done") == 3 })
	if err := <-reported; !errors.Is(err, pawl.ErrUnreadable) {
		t.Errorf("reported: %v", err)
	}
	eventually(t, "another attempt", func() bool { return number(t, pool, `SELECT max(attempt) FROM app.tasks`) > 1 })
	exec(t, pool, `UPDATE app.tasks SET kind = 'mail' WHERE kind IS NULL`)
	eventually(t, "completion of all", func() bool { return tasksIn(t, pool, "done") == 5 })
}

// lockedBuffer is a log that a worker and a test share.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// A worker without OnError is not silent.
func TestWorkLogsWhatGoesWrong(t *testing.T) {
	pool, s := open(t)
	q, _ := untypedQueue(t, pool, s)
	var log lockedBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	stop := worker(t, s, q, quick(5), func(context.Context, task) error { return nil })
	eventually(t, "a line in the log", func() bool {
		return strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), "queue=queue.tasks") && strings.Contains(log.String(), "cannot be read")
	})
	stop()
}

// A claim that is given twice is completed once, without a complaint; of two
// claims of one task the older is lost.
func TestSameClaimTwice(t *testing.T) {
	pool, s := open(t)
	q := newQueue(time.Minute, same)
	ids := enqueue(t, s, 2)
	tasks, err := q.Take(t.Context(), s, 2)
	must(t, err)
	a, b := tasks[0].Claim, tasks[1].Claim
	again := a
	old := a.Deadline()
	lost, err := q.Heartbeat(t.Context(), s, []*pawl.Claim{&a, &b, &again})
	if err != nil || lost != nil {
		t.Errorf("a heartbeat with one claim twice: lost %v, %v", lost, err)
	}
	want(t, "both deadlines moved", a.Deadline().After(old) && again.Deadline().After(old), true)
	must(t, q.Complete(t.Context(), s, a, a))

	older := b
	exec(t, pool, `UPDATE app.tasks SET lease_until = now() - interval '1 second'`)
	tasks, err = q.Take(t.Context(), s, 1)
	must(t, err)
	b = tasks[0].Claim
	deadline := older.Deadline()
	lost, err = q.Heartbeat(t.Context(), s, []*pawl.Claim{&b, &older})
	if err != nil || !slices.Equal(lost, ids[1:]) || older.Deadline() != deadline {
		t.Errorf("a heartbeat with an older claim: lost %v, %v", lost, err)
	}
	var gone *pawl.ClaimLostError
	if err := q.Complete(t.Context(), s, b, older, b); !errors.As(err, &gone) || !slices.Equal(gone.IDs, ids[1:]) {
		t.Errorf("completing with an older claim: %v", err)
	}
	want(t, "tasks done", tasksIn(t, pool, "done"), 2)
}
