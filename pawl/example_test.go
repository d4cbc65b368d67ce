package pawl_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

// Two statements that stand or fall together. When PostgreSQL finds that the
// transaction conflicts with another, all of it runs again.
func ExampleInTx() {
	ctx := context.Background()
	var pool *pgxpool.Pool // pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	db := session(pool)    // generated code: store.New(pool)

	stock, err := pawl.InTx(ctx, db, func(ctx context.Context, tx *pawl.Session) (int32, error) {
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
		fmt.Println("left in stock:", stock)
	}
}

// A caller who manages transactions binds generated code to one of them. Nothing
// is retried then: the caller sees the serialization failure and decides.
func ExampleSession_WithTx() {
	ctx := context.Background()
	var pool *pgxpool.Pool
	db := session(pool)

	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO audit (what) VALUES ('confirm')"); err != nil {
			return err
		}
		_, err := pawl.Guarded(ctx, db.WithTx(tx), &confirmBooking, (*booking).dest, 42)
		return err
	})
	fmt.Println(pawl.HTTPStatus(err))
}

// A metric for each outcome, in a few lines and without a dependency.
func ExampleWithObserver() {
	count := make(map[string]int)
	observer := pawl.ObserverFunc(func(_ context.Context, e pawl.Event) {
		count[e.Operation+" "+string(e.Outcome)]++ // a real one must be safe for concurrent use
	})
	var pool *pgxpool.Pool
	_ = session(pool, pawl.WithObserver(observer))
}
