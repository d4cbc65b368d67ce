package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// A room is booked once for any time, and a booking moves along declared moves
// alone.
func Example_booking() {
	ctx := context.Background()
	db := exampleStore()
	room, err := db.Rooms.Insert(ctx, store.RoomInsert{Name: "blue"})
	exampleMust(err)
	customer, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "ada@example.com"})
	exampleMust(err)

	from := time.Date(2031, 5, 4, 9, 0, 0, 0, time.UTC)
	booking, err := db.Bookings.Insert(ctx, store.BookingInsert{
		RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from, from.Add(2*time.Hour)),
	})
	exampleMust(err)
	_, err = db.Bookings.Insert(ctx, store.BookingInsert{
		RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from.Add(time.Hour), from.Add(3*time.Hour)),
	})
	fmt.Println(errors.Is(err, store.ErrBookingsOnePerRoom), errors.Is(err, pawl.ErrOverlap), pawl.HTTPStatus(err))

	_, err = db.Bookings.Cancel(ctx, booking.ID)
	exampleMust(err)
	_, err = db.Bookings.Confirm(ctx, booking.ID)
	var state *pawl.StateError
	fmt.Println(errors.As(err, &state), state.Current, "->", state.Wanted)
	// Output:
	// true true 409
	// true cancelled -> confirmed
}

// The row is locked, changed in Go, and written; only the edit's own columns may
// change.
func Example_edit() {
	ctx := context.Background()
	db := exampleStore()
	room, err := db.Rooms.Insert(ctx, store.RoomInsert{Name: "green"})
	exampleMust(err)

	room, err = db.Rooms.Reprice(ctx, room.ID, func(_ context.Context, r *store.Room) error {
		return r.Price.Scan("79.50")
	})
	exampleMust(err)
	price, err := room.Price.Value()
	fmt.Println(price, err)

	_, err = db.Rooms.Reprice(ctx, room.ID, func(_ context.Context, r *store.Room) error {
		r.Name = "grey"
		return nil
	})
	fmt.Println(errors.Is(err, pawl.ErrNotEditable))
	// Output:
	// 79.50 <nil>
	// true
}

// A task is put into the queue by the transaction that makes it necessary, and done
// by one worker.
func Example_queue() {
	ctx := context.Background()
	db := exampleStore()
	_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (int64, error) {
		if _, err := tx.Rooms.Insert(ctx, store.RoomInsert{Name: "red"}); err != nil {
			return 0, err
		}
		return tx.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: []byte(`{"to": "ada"}`)})
	})
	exampleMust(err)

	claims, err := db.Tasks.Claim(ctx, 10)
	exampleMust(err)
	for _, task := range claims {
		fmt.Println(task.Kind, string(task.Body), "attempt", task.Attempt)
		exampleMust(db.Tasks.Complete(ctx, task))
	}
	err = db.Tasks.Complete(ctx, claims[0])
	fmt.Println(errors.Is(err, pawl.ErrClaimLost)) // it is nobody's any more
	// Output:
	// mail {"to": "ada"} attempt 1
	// true
}

// exampleStore is a database of the examples' own, with the schema of seats.hcl.
var exampleStore = sync.OnceValue(func() *store.Store {
	url := pgtest.ExampleURL()
	exampleMust(database.Apply(context.Background(), url, "."))
	pool, err := pgxpool.New(context.Background(), url)
	exampleMust(err)
	return store.New(pool)
})

func exampleMust(err error) {
	if err != nil {
		panic(err)
	}
}
