package sqlc_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/examples/sqlc"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// The order is sqlc's insert, the stock is pawl's: both are committed, or neither.
func ExampleShop_Checkout() {
	ctx := context.Background()
	url := pgtest.ExampleURL()
	must(database.Apply(ctx, url, "../shop"))
	pool, err := pgxpool.New(ctx, url)
	must(err)
	defer pool.Close()
	db := store.New(pool)
	user, err := db.Users.Insert(ctx, store.UserInsert{Email: "ada@example.com"})
	must(err)
	stock := int32(5)
	lamp, err := db.Items.Insert(ctx, store.ItemInsert{Sku: "lamp", Stock: &stock})
	must(err)

	shop := sqlc.New(pool)
	for _, quantity := range []int32{4, 2} {
		_, err := shop.Checkout(ctx, user.ID, sqlc.Line{Item: lamp.ID, Quantity: quantity})
		fmt.Println(quantity, "lamps, too few left:", errors.Is(err, pawl.ErrGuard))
	}
	open, err := shop.Open(ctx)
	must(err)
	fmt.Println("open orders:", len(open))
	// Output:
	// 4 lamps, too few left: false
	// 2 lamps, too few left: true
	// open orders: 1
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
