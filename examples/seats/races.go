package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
)

// race is one promise under pressure: it runs, and counts what came out.
type race struct {
	name string
	run  func(ctx context.Context, db *store.Store) ([]count, error)
}

// count is one number that must come out right.
type count struct {
	what      string
	got, want int
}

var races = []race{
	{"50 people book one slot of one room", bookOneSlot},
	{"50 people book one seat", bookOneSeat},
	{"50 calls take from a counter of 10", takeFromCounter},
	{"20 workers drain 1,000 tasks", drainTasks},
	{"a worker dies with a task in its hands", dieAtWork},
	{"two relays run one singleton", shareSingleton},
}

const crowd = 50

// bookOneSlot inserts one booking of one room and time fifty times at once.
// Each booker looked and saw the room free; the exclusion constraint decides.
func bookOneSlot(ctx context.Context, db *store.Store) ([]count, error) {
	room, err := db.Rooms.Insert(ctx, store.RoomInsert{Name: "blue"})
	if err != nil {
		return nil, err
	}
	customer, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "ada@example.com"})
	if err != nil {
		return nil, err
	}
	from := time.Now().Add(24 * time.Hour)
	slot := store.Between(from, from.Add(time.Hour))
	return together(crowd, func(int) error {
		_, err := db.Bookings.Insert(ctx, store.BookingInsert{RoomID: room.ID, CustomerID: customer.ID, During: slot})
		return err
	}, outcome{"booked", 1, nil}, outcome{"told of the overlap", crowd - 1, store.ErrBookingsOnePerRoom})
}

// bookOneSeat moves one seat from free to booked for fifty people at once.
func bookOneSeat(ctx context.Context, db *store.Store) ([]count, error) {
	seat, err := db.Seats.Insert(ctx, store.SeatInsert{Label: "7C"})
	if err != nil {
		return nil, err
	}
	customer, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "grace@example.com"})
	if err != nil {
		return nil, err
	}
	return together(crowd, func(int) error {
		_, err := db.Seats.Book(ctx, seat.ID, customer.ID)
		return err
	}, outcome{"booked", 1, nil}, outcome{"told that it is taken", crowd - 1, pawl.ErrState})
}

// takeFromCounter takes one from a counter of ten fifty times at once. Nobody
// reads first: the UPDATE carries the guard, and its row count is the answer.
func takeFromCounter(ctx context.Context, db *store.Store) ([]count, error) {
	const stock = 10
	if _, err := db.Counters.Insert(ctx, store.CounterInsert{Name: "tickets", Remaining: stock}); err != nil {
		return nil, err
	}
	counts, err := together(crowd, func(int) error {
		_, err := db.Counters.Send(ctx, "tickets", 1)
		return err
	}, outcome{"taken", stock, nil}, outcome{"refused", crowd - stock, pawl.ErrGuard})
	if err != nil {
		return nil, err
	}
	left, err := db.Counters.Get(ctx, "tickets")
	if err != nil {
		return nil, err
	}
	return append(counts, count{"left", int(left.Remaining), 0}, count{"sent", int(left.Sent), stock}), nil
}

// drainTasks lets twenty workers share a thousand tasks and counts how often
// each was done.
func drainTasks(ctx context.Context, db *store.Store) ([]count, error) {
	const tasks, workers = 1000, 20
	for i := range tasks {
		if _, err := db.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: body(i)}); err != nil {
			return nil, err
		}
	}
	var (
		mu   sync.Mutex
		done = map[int64]int{}
		wg   sync.WaitGroup
	)
	for range workers {
		wg.Go(func() {
			for {
				claims, err := db.Tasks.Claim(ctx, 5)
				if err != nil || len(claims) == 0 {
					return
				}
				for _, claim := range claims {
					mu.Lock()
					done[claim.ID]++
					mu.Unlock()
					if err := db.Tasks.Complete(ctx, claim); err != nil {
						return
					}
				}
			}
		})
	}
	wg.Wait()
	once := 0
	for _, times := range done {
		if times == 1 {
			once++
		}
	}
	left, err := db.Tasks.Claim(ctx, 1)
	return []count{{"done exactly once", once, tasks}, {"left over", len(left), 0}}, err
}

// shareSingleton runs one singleton from two relays and counts overlaps.
func shareSingleton(ctx context.Context, db *store.Store) ([]count, error) {
	const rounds = 25
	var running, overlaps, runs atomic.Int64
	counts, err := together(2, func(int) error {
		for range rounds {
			err := db.OutboxRelay.Run(ctx, func(context.Context, *store.Store) error {
				if running.Add(1) > 1 {
					overlaps.Add(1)
				}
				time.Sleep(time.Millisecond)
				running.Add(-1)
				runs.Add(1)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}, outcome{"relays finished", 2, nil})
	return append(counts, count{"batches", int(runs.Load()), 2 * rounds}, count{"overlaps", int(overlaps.Load()), 0}), err
}

// outcome is an expected answer and how many callers must get it; a nil error
// means success.
type outcome struct {
	what string
	want int
	err  error
}

// together lets n callers go at the same moment and sorts their answers. An
// answer that nobody expected is an error.
func together(n int, call func(i int) error, expected ...outcome) ([]count, error) {
	counts := make([]count, len(expected))
	for i, o := range expected {
		counts[i] = count{what: o.what, want: o.want}
	}
	for _, err := range gather(n, call) {
		i, ok := fitting(expected, err)
		if !ok {
			return nil, fmt.Errorf("an answer that was not expected: %w", err)
		}
		counts[i].got++
	}
	return counts, nil
}

// gather lets n callers go at the same moment and returns what each got.
func gather(n int, call func(i int) error) []error {
	var (
		start   = make(chan struct{})
		answers = make([]error, n)
		wg      sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() {
			<-start
			answers[i] = call(i)
		})
	}
	close(start)
	wg.Wait()
	return answers
}

func fitting(expected []outcome, err error) (int, bool) {
	for i, o := range expected {
		if o.err == nil && err == nil || o.err != nil && errors.Is(err, o.err) {
			return i, true
		}
	}
	return 0, false
}

func body(i int) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"n": %d}`, i)) }
