package pawl_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// Two statements that stand or fall together. When PostgreSQL finds that the
// transaction conflicts with another, all of it runs again.
func ExampleInTx() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	db := session(pool) // generated code: store.New(pool)

	for range 2 {
		left, err := pawl.InTx(ctx, db, func(ctx context.Context, tx *pawl.Session) (int32, error) {
			item, err := pawl.Guarded(ctx, tx, &takeItem, (*item).dest, 7, 3) // generated code: tx.Items.Take(ctx, 7, 3)
			if err != nil {
				return 0, err
			}
			_, err = pawl.QueryOne(ctx, tx, &insertBooking, (*booking).dest, 1, soon(1, 2))
			return item.Stock, err
		}, pawl.Isolation(pgx.Serializable))

		switch {
		case errors.Is(err, pawl.ErrGuard):
			fmt.Println("not enough in stock")
		case errors.Is(err, errBookingsOnePerRoom):
			fmt.Println("the room is taken")
		case errors.Is(err, pawl.ErrCommitUnknown):
			fmt.Println("look whether it happened before trying again")
		case err == nil:
			fmt.Println("left in stock:", left)
		}
	}
	// Output:
	// left in stock: 2
	// not enough in stock
}

// A part that may fail: it is undone alone, and the rest is committed.
func ExampleSavepoint() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	db := session(pool)

	taken, err := pawl.InTx(ctx, db, func(ctx context.Context, tx *pawl.Session) (taken int, err error) {
		for _, quantity := range []int{2, 9, 3} {
			_, err := pawl.Savepoint(ctx, tx, func(ctx context.Context, tx *pawl.Session) (item, error) {
				tx.AfterCommit(func() { fmt.Println("send", quantity) })
				return pawl.Guarded(ctx, tx, &takeItem, (*item).dest, 7, quantity)
			})
			switch {
			case errors.Is(err, pawl.ErrGuard):
				continue // its message is not sent either
			case err != nil:
				return 0, err
			}
			taken += quantity
		}
		return taken, nil
	})
	fmt.Println("taken:", taken, err)
	// Output:
	// send 2
	// send 3
	// taken: 5 <nil>
}

// What leaves the database waits for the commit, and goes out once however often
// the transaction runs.
func ExampleSession_AfterCommit() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	db := session(pool)

	for _, quantity := range []int{3, 9} {
		_, err := pawl.InTx(ctx, db, func(ctx context.Context, tx *pawl.Session) (item, error) {
			tx.AfterCommit(func() { fmt.Println("mail: you bought", quantity) })
			return pawl.Guarded(ctx, tx, &takeItem, (*item).dest, 7, quantity)
		})
		fmt.Println("sold:", err == nil)
	}
	// Output:
	// mail: you bought 3
	// sold: true
	// sold: false
}

// A caller who manages transactions binds generated code to one of them. Nothing
// is retried then: the caller sees the serialization failure and decides.
func ExampleSession_WithTx() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	db := session(pool)

	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE app.items SET note = 'sold' WHERE id = 7"); err != nil {
			return err
		}
		_, err := pawl.Guarded(ctx, db.WithTx(tx), &takeItem, (*item).dest, 7, 9)
		return err // too many: the note is undone too
	})
	fmt.Println(pawl.HTTPStatus(err), err)
	// Output: 409 table.items.adjust.take: items_stock_not_negative does not hold
}

// A metric for each outcome, in a few lines and without a dependency.
func ExampleWithObserver() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	count := make(map[string]int)
	db := session(pool, pawl.WithObserver(pawl.ObserverFunc(func(_ context.Context, e pawl.Event) {
		count[e.Operation+" "+string(e.Outcome)]++ // a real one must be safe for concurrent use
	})))

	for range 3 {
		_, _ = pawl.Guarded(ctx, db, &takeItem, (*item).dest, 7, 2)
	}
	fmt.Println(count)
	// Output: map[table.items.adjust.take guard:1 table.items.adjust.take ok:2]
}

// What became of each call, in a log.
func ExampleLogTo() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelInfo, // what went well is at debug
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "duration" || a.Key == "key" {
				return slog.Attr{} // which differ from run to run, and a hash
			}
			return a
		},
	}))
	db := session(pool, pawl.WithObserver(pawl.LogTo(logger)))

	_, _ = pawl.Guarded(ctx, db, &takeItem, (*item).dest, 7, 2)
	_, _ = pawl.Guarded(ctx, db, &takeItem, (*item).dest, 7, 9)
	// Output: level=INFO msg=pawl operation=table.items.adjust.take outcome=guard attempt=1 rows=0 table=app.items
}

// A move that the row's state does not allow says which state that is.
func ExampleStateError() {
	ctx := context.Background()
	pool := examplePool()
	defer pool.Close()
	db := session(pool)
	b, err := pawl.QueryOne(ctx, db, &insertBooking, (*booking).dest, 1, soon(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := pool.Exec(ctx, "UPDATE app.bookings SET status = 'cancelled'"); err != nil {
		fmt.Println(err)
		return
	}

	_, err = pawl.Guarded(ctx, db, &confirmBooking, (*booking).dest, b.ID)
	var state *pawl.StateError
	if errors.As(err, &state) {
		fmt.Printf("is %s, cannot become %s\n", state.Current, state.Wanted)
	}
	// Output: is cancelled, cannot become confirmed
}

// exampleURL is the database that all examples use, one after the other.
var exampleURL = sync.OnceValue(pgtest.ExampleURL)

// examplePool is a database with a room and an item of which five are in stock.
func examplePool() *pgxpool.Pool {
	pool, err := pgxpool.New(context.Background(), exampleURL())
	if err != nil {
		panic(err)
	}
	const rows = `INSERT INTO app.rooms (name) VALUES ('blue'); INSERT INTO app.items (id, stock) VALUES (7, 5)`
	if _, err := pool.Exec(context.Background(), "DROP SCHEMA IF EXISTS app CASCADE; DROP EXTENSION IF EXISTS btree_gist;"+schemaSQL+rows); err != nil {
		panic(err)
	}
	return pool
}
