package golang_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/outbox/store"
)

const outboxCase = cases + "/outbox"

// outboxPool is a database with the case's schema and some orders.
func outboxPool(t testing.TB, orders int) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(database(t, compile(t, outboxCase)))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 12
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), "INSERT INTO app.orders (id) SELECT generate_series(0, $1::bigint - 1)", orders); err != nil {
		t.Fatal(err)
	}
	return pool
}

// outboxTx runs fn in a transaction.
func outboxTx(t testing.TB, db *store.Store, fn func(ctx context.Context, tx *store.Store) error) error {
	t.Helper()
	_, err := store.InTx(t.Context(), db, func(ctx context.Context, tx *store.Store) (struct{}, error) { return struct{}{}, fn(ctx, tx) })
	return err
}

// nth is the n-th event of an order.
func nth(order, n int64) store.EventArgs {
	return store.EventArgs{OrderID: order, Body: json.RawMessage(fmt.Sprintf(`{"n": %d}`, n))}
}

// numberOf is the n of nth.
func numberOf(t testing.TB, event store.EventClaim) int64 {
	t.Helper()
	var body struct{ N int64 }
	if err := json.Unmarshal(event.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.N
}

// addChanges changes orders, each once, and writes an event for each change.
func addChanges(ctx context.Context, tx *store.Store, orders ...int64) error {
	events := make([]store.EventArgs, len(orders))
	for i, id := range slices.Sorted(slices.Values(orders)) { // rows in one order, so that no two producers deadlock
		order, err := tx.Orders.Change(ctx, id)
		if err != nil {
			return err
		}
		events[len(orders)-1-i] = nth(order.ID, order.Changes)
	}
	if len(events) == 1 {
		_, err := tx.Events.Add(ctx, events[0])
		return err
	}
	_, err := tx.Events.AddMany(ctx, events)
	return err
}

// relayed runs a relay until it has published count events.
func relayed(t testing.TB, db *store.Store, options pawl.RelayOptions, count int, publish func(context.Context, []store.EventClaim) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := db.Events.Relay(ctx, options, func(ctx context.Context, events []store.EventClaim) error {
		err := publish(ctx, events)
		if err == nil {
			count -= len(events)
		}
		if count <= 0 {
			cancel()
		}
		return err
	})
	if count > 0 || !errors.Is(err, context.Canceled) {
		t.Fatalf("the relay ended with %v, and %d events were not published", err, count)
	}
}

func states(t testing.TB, pool *pgxpool.Pool) string {
	t.Helper()
	var text string
	err := pool.QueryRow(t.Context(), "SELECT COALESCE(string_agg(state || ' ' || n, ', ' ORDER BY state), 'none') FROM (SELECT state, count(*) AS n FROM app.events GROUP BY state) AS s").Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestOutboxPublishesWhatCommits(t *testing.T) {
	pool := outboxPool(t, 3)
	db := store.New(pool)
	if _, err := db.Events.Add(t.Context(), nth(1, 1)); !errors.Is(err, pawl.ErrNoTransaction) {
		t.Errorf("outside of a transaction: %v", err)
	}
	if _, err := db.Events.AddMany(t.Context(), []store.EventArgs{nth(1, 1)}); !errors.Is(err, pawl.ErrNoTransaction) {
		t.Errorf("outside of a transaction: %v", err)
	}
	unlucky := outboxTx(t, db, func(ctx context.Context, tx *store.Store) error {
		if err := addChanges(ctx, tx, 0, 1, 2); err != nil {
			return err
		}
		return errUnlucky
	})
	if !errors.Is(unlucky, errUnlucky) {
		t.Fatal(unlucky)
	}
	for range 3 {
		if err := outboxTx(t, db, func(ctx context.Context, tx *store.Store) error { return addChanges(ctx, tx, 0, 1, 2) }); err != nil {
			t.Fatal(err)
		}
	}
	var batches [][]string
	relayed(t, db, pawl.RelayOptions{}, 9, func(_ context.Context, events []store.EventClaim) error {
		var batch []string
		for _, e := range events {
			batch = append(batch, fmt.Sprintf("%d of %d, event %d", numberOf(t, e), e.OrderID, e.ID))
		}
		batches = append(batches, batch)
		return nil
	})
	// Ids 1 to 3 went with the transaction that rolled back. One event of an order at
	// a time, and in a batch of AddMany the ids are in the order of the events.
	want := "[[1 of 2, event 4 1 of 1, event 5 1 of 0, event 6] [2 of 2, event 7 2 of 1, event 8 2 of 0, event 9] [3 of 2, event 10 3 of 1, event 11 3 of 0, event 12]]"
	if got := fmt.Sprint(batches); got != want {
		t.Errorf("published %s", got)
	}
	if got := states(t, pool); got != "done 9" {
		t.Errorf("the outbox holds %s", got)
	}
	if n, err := db.Events.Reap(t.Context(), 100); n != 0 || err != nil {
		t.Errorf("what is kept was removed: %d, %v", n, err)
	}
	if _, err := pool.Exec(t.Context(), "UPDATE app.events SET done_at = done_at - interval '3 days' WHERE order_id < 2"); err != nil {
		t.Fatal(err)
	}
	if err := db.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := states(t, pool); got != "done 3" {
		t.Errorf("after the upkeep the outbox holds %s", got)
	}
}

// What publish says of its batch decides which of it comes again; nothing overtakes
// an event that has to.
func TestOutboxFailures(t *testing.T) {
	pool := outboxPool(t, 3)
	db := store.New(pool)
	for range 2 {
		if err := outboxTx(t, db, func(ctx context.Context, tx *store.Store) error { return addChanges(ctx, tx, 0, 1, 2) }); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var told []error
	calls := 0
	seen := map[int64][]int64{}
	options := pawl.RelayOptions{Poll: 10 * time.Millisecond, OnError: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := db.Events.Relay(ctx, options, func(_ context.Context, events []store.EventClaim) error {
		calls++
		switch calls {
		case 1:
			panic("no such broker")
		case 2:
			return errUnlucky
		}
		causes := map[int64]error{}
		for _, e := range events {
			if calls == 3 && e.OrderID == 1 {
				causes[e.ID] = errUnlucky
				continue
			}
			seen[e.OrderID] = append(seen[e.OrderID], numberOf(t, e))
		}
		if len(seen[0])+len(seen[1])+len(seen[2]) == 6 {
			cancel()
		}
		if len(causes) > 0 {
			return &pawl.UnpublishedError{Causes: causes}
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := fmt.Sprint(seen); got != "map[0:[1 2] 1:[1 2] 2:[1 2]]" {
		t.Errorf("published %s", got)
	}
	if got := states(t, pool); got != "done 6" {
		t.Errorf("the outbox holds %s", got)
	}
	if len(told) < 2 || told[0].Error() != "outbox.events: publish: publish panicked: no such broker" || !errors.Is(told[1], errUnlucky) {
		t.Errorf("OnError was told %v", told)
	}
}

// A relay that is stopped hands back what is not out, without counting the attempt.
func TestOutboxRelayStops(t *testing.T) {
	pool := outboxPool(t, 2)
	db := store.New(pool)
	if err := outboxTx(t, db, func(ctx context.Context, tx *store.Store) error { return addChanges(ctx, tx, 0, 1) }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Events.Relay(ctx, pawl.RelayOptions{OnError: func(error) {}}, func(ctx context.Context, events []store.EventClaim) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	events, err := db.Events.Claim(t.Context(), 10)
	if err != nil || len(events) != 2 || events[0].Attempt != 1 {
		t.Errorf("claimed %v, %v", events, err)
	}
	err = outboxTx(t, db, func(ctx context.Context, tx *store.Store) error {
		return tx.Events.Relay(ctx, pawl.RelayOptions{}, nil)
	})
	if err == nil || !strings.Contains(err.Error(), "Relay needs a pool") {
		t.Errorf("inside of a transaction: %v", err)
	}
}

// A transaction that is slow after it has added an event holds the completion of its
// own order up, and no other's.
func TestOutboxSlowTransaction(t *testing.T) {
	pool := outboxPool(t, 2)
	db := store.New(pool)
	if err := outboxTx(t, db, func(ctx context.Context, tx *store.Store) error { return addChanges(ctx, tx, 0, 1) }); err != nil {
		t.Fatal(err)
	}
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	slow := db.WithTx(tx)
	published := map[int64]int{}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err = db.Events.Relay(ctx, pawl.RelayOptions{Poll: 10 * time.Millisecond, OnError: func(error) {}}, func(ctx context.Context, events []store.EventClaim) error {
		for _, e := range events {
			published[e.OrderID]++
		}
		switch {
		case len(published) == 2 && published[0] == 1 && published[1] == 1: // both are claimed
			if _, err := slow.Events.Add(ctx, nth(0, 2)); err != nil {
				return err
			}
			return outboxTx(t, db, func(ctx context.Context, tx *store.Store) error { return addChanges(ctx, tx, 1) })
		case published[1] == 2 && published[0] == 1: // while the transaction is open
			if err := tx.Commit(ctx); err != nil {
				return err
			}
		}
		if published[0] == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || fmt.Sprint(published) != "map[0:2 1:2]" {
		t.Errorf("published %v, and the relay ended with %v", published, err)
	}
	if got := states(t, pool); got != "done 4" {
		t.Errorf("the outbox holds %s", got)
	}
}

// Keys of several columns, an order of theirs that is not the database's, and lists
// travel through both ways of adding.
func TestOutboxOfSeveralColumns(t *testing.T) {
	pool := outboxPool(t, 0)
	db := store.New(pool)
	order := pgtype.UUID{Bytes: [16]byte{7}, Valid: true}
	err := outboxTx(t, db, func(ctx context.Context, tx *store.Store) error {
		if _, err := tx.ShopNotices.Add(ctx, store.ShopNoticeArgs{Shop: "b", Order: order, Tags: []string{`a"b`, "NULL"}}); err != nil {
			return err
		}
		_, err := tx.ShopNotices.AddMany(ctx, []store.ShopNoticeArgs{{Shop: "b", Order: order, Tags: []string{"x,y"}}, {Shop: "B", Order: order}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 2 {
		notices, err := db.ShopNotices.Claim(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range notices {
			got = append(got, fmt.Sprintf("%d %s %q", n.ID, n.Shop, n.Tags))
		}
		if err := db.ShopNotices.Complete(t.Context(), notices...); err != nil {
			t.Fatal(err)
		}
	}
	if want := `[1 b ["a\"b" "NULL"] 3 B [] 2 b ["x,y"]]`; fmt.Sprint(got) != want {
		t.Errorf("claimed %s", got)
	}
}

// BenchmarkOutbox is one event, written in batches of 100 and published by one relay to
// a broker that costs nothing: the database's part of an event's way.
func BenchmarkOutbox(b *testing.B) {
	const orders, batch = 2000, 100
	pool := outboxPool(b, orders)
	db := store.New(pool)
	events := make([]store.EventArgs, batch)
	b.ResetTimer()
	for written := 0; written < b.N; written += batch {
		for i := range events {
			events[i] = nth(int64((written+i)%orders), 1)
		}
		err := outboxTx(b, db, func(ctx context.Context, tx *store.Store) error {
			_, err := tx.Events.AddMany(ctx, events)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	added := b.Elapsed()
	total := (b.N + batch - 1) / batch * batch
	relayed(b, db, pawl.RelayOptions{Batch: 500}, total, func(context.Context, []store.EventClaim) error { return nil })
	b.ReportMetric(float64(total)/added.Seconds(), "added/s")
	b.ReportMetric(float64(total)/(b.Elapsed()-added).Seconds(), "published/s")
}
