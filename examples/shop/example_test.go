package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// A bound on a group holds for every client, and the error says how much is used.
func Example_limit() {
	ctx := context.Background()
	db := exampleStore()
	coupon, err := db.Coupons.Insert(ctx, store.CouponInsert{Uses: 2})
	exampleMust(err)

	for i := range 3 {
		user, err := db.Users.Insert(ctx, store.UserInsert{Email: fmt.Sprintf("limit%d@example.com", i)})
		exampleMust(err)
		_, err = db.IssuedCoupons.Insert(ctx, store.IssuedCouponInsert{UserID: user.ID, CouponID: coupon.ID})
		fmt.Println(i+1, errors.Is(err, pawl.ErrLimit))
	}
	// Output:
	// 1 false
	// 2 false
	// 3 true
}

// A transaction of several calls. What is asked for too much is left out by a
// savepoint, and what leaves the database waits for the commit.
func Example_transaction() {
	ctx := context.Background()
	db := exampleStore()
	user, err := db.Users.Insert(ctx, store.UserInsert{Email: "tx@example.com"})
	exampleMust(err)
	stock := int32(5)
	lamp, err := db.Items.Insert(ctx, store.ItemInsert{Sku: "lamp", Stock: &stock})
	exampleMust(err)

	left, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (left int32, err error) {
		for _, quantity := range []int32{2, 9, 1} {
			_, err := store.Savepoint(ctx, tx, func(ctx context.Context, tx *store.Store) (store.Order, error) {
				item, err := tx.Items.Take(ctx, lamp.ID, quantity)
				if err != nil {
					return store.Order{}, err
				}
				left = item.Stock
				tx.AfterCommit(func() { fmt.Println("mail: lamps", quantity) })
				return tx.Orders.Insert(ctx, store.OrderInsert{UserID: user.ID})
			})
			if err != nil && !errors.Is(err, pawl.ErrGuard) {
				return 0, err
			}
		}
		return left, nil
	}, pawl.Named("checkout"))
	fmt.Println("left", left, err)
	// Output:
	// mail: lamps 2
	// mail: lamps 1
	// left 2 <nil>
}

// Messages that arrive in any order end at the newest: each call says what it did.
func Example_upsert() {
	ctx := context.Background()
	db := exampleStore()
	for _, message := range []store.PriceInsert{
		{Sku: "lamp", Cents: 900, Revision: 1},
		{Sku: "lamp", Cents: 1100, Revision: 3},
		{Sku: "lamp", Cents: 1000, Revision: 2},
	} {
		price, outcome, err := db.Prices.Publish(ctx, message)
		exampleMust(err)
		fmt.Println(outcome, price.Cents)
	}
	// Output:
	// inserted 900
	// updated 1100
	// stale 1100
}

// exampleStore is a database of the examples' own, with the schema of shop.hcl.
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
