package pawl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

// recorder keeps events as text.
type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) Observe(_ context.Context, e pawl.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Duration <= 0 {
		r.events = append(r.events, "no duration")
	}
	text := fmt.Sprintf("%s %s #%d rows=%d", e.Operation, e.Outcome, e.Attempt, e.Rows)
	if e.SQLState != "" {
		text += " " + e.SQLState
	}
	if e.Constraint != "" {
		text += " " + e.Constraint + " " + e.Invariant
	}
	if e.Isolation != "" {
		text += " " + string(e.Isolation)
	}
	r.events = append(r.events, text)
}

func (r *recorder) expect(t *testing.T, events ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got, wanted := strings.Join(r.events, "\n"), strings.Join(events, "\n"); got != wanted {
		t.Errorf("events are\n%s\nwant\n%s", got, wanted)
	}
	r.events = nil
}

// Every observer is told, in the order of the options.
func TestObservers(t *testing.T) {
	var order []string
	note := func(name string) pawl.Option {
		return pawl.WithObserver(pawl.ObserverFunc(func(_ context.Context, e pawl.Event) { order = append(order, name+" "+e.Operation) }))
	}
	_, s := open(t, note("a"), pawl.WithObserver(nil), note("b"))
	_, err := pawl.QueryAll(t.Context(), s, &listItems, (*item).dest, 0, 1)
	must(t, err)
	want(t, "order", strings.Join(order, ", "), "a table.items.list, b table.items.list")
}

func TestObserver(t *testing.T) {
	var seen recorder
	pool, s := open(t, pawl.WithObserver(&seen))
	exec(t, pool, `INSERT INTO app.rooms (name) VALUES ('blue')`)
	insert := func(from, to int) (booking, error) {
		return pawl.QueryOne(t.Context(), s, &insertBooking, (*booking).dest, 1, soon(from, to))
	}
	b, err := insert(1, 2)
	must(t, err)
	_, _ = insert(1, 2)
	seen.expect(t, "table.bookings.insert ok #1 rows=1",
		"table.bookings.insert constraint #1 rows=0 23P01 bookings_one_per_room table.bookings.no_overlap.one_per_room")

	confirm := func(id int64) { _, _ = pawl.Guarded(t.Context(), s, &confirmBooking, (*booking).dest, id) }
	confirm(b.ID)
	confirm(b.ID)
	exec(t, pool, `UPDATE app.bookings SET status = 'cancelled'`)
	confirm(b.ID)
	confirm(b.ID + 99)
	move := confirmBooking.Name
	seen.expect(t, move+" ok #1 rows=1", move+" repeated #1 rows=1", move+" wrong_state #1 rows=0", move+" not_found #1 rows=0")

	_, _ = pawl.QueryOne(t.Context(), s, &flaky, func(n *int64) []any { return []any{n} }, "40001", 2)
	seen.expect(t, "flaky retried #1 rows=0 40001", "flaky retried #2 rows=0 40001", "flaky ok #3 rows=1")

	exec(t, pool, `ALTER SEQUENCE app.attempts RESTART`)
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int64, error) {
		return pawl.Exec(ctx, tx, &flaky, "40001", 1)
	}, pawl.Isolation(pgx.Serializable), pawl.Named("swap"))
	must(t, err)
	seen.expect(t, "flaky conflict #1 rows=0 40001", "swap retried #1 rows=0 40001 serializable", "flaky ok #1 rows=1", "swap ok #2 rows=0 serializable")

	_, _ = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int64, error) { return 0, errors.New("stop") })
	seen.expect(t, "transaction error #1 rows=0 read committed")
}

func TestObserverOfRetriesThatRunOut(t *testing.T) {
	var seen recorder
	_, s := open(t, pawl.WithObserver(&seen), pawl.WithRetry(pawl.Policy{Attempts: 2}))
	_, _ = pawl.Exec(t.Context(), s, &flaky, "40P01", 9)
	seen.expect(t, "flaky retried #1 rows=0 40P01", "flaky exhausted #2 rows=0 40P01")
}

// Without an observer, watching costs nothing: the only allocations of the
// runtime itself are those that carry the call.
func TestAllocations(t *testing.T) {
	pool := connect(t, database(t), size(1))
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1000000)`)
	s := session(pool)
	settings := `SELECT pg_catalog.set_config('lock_timeout', '1000ms', true), pg_catalog.current_setting('transaction_isolation')`
	byHand := func() {
		var b pgx.Batch
		b.Queue(settings)
		b.Queue(takeItem.SQL, 1, 1)
		results := pool.SendBatch(context.Background(), &b)
		_, err := results.Exec()
		must(t, err)
		var i item
		must(t, results.QueryRow().Scan(i.dest()...))
		must(t, results.Close())
	}
	generated := func() {
		_, err := pawl.Guarded(context.Background(), s, &takeItem, (*item).dest, 1, 1)
		must(t, err)
	}
	for range 3 {
		byHand()
		generated()
	}
	hand, ours := testing.AllocsPerRun(200, byHand), testing.AllocsPerRun(200, generated)
	if ours > hand+2 {
		t.Errorf("a guarded call makes %v allocations, by hand they are %v", ours, hand)
	}
}
