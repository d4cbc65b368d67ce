package avito_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/avito"
	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// The manager's transaction is in the context, and the generated store joins it: the
// order of a line that is refused is not there either.
func ExampleCheckout_Place() {
	ctx := context.Background()
	schema, err := os.ReadFile("../shop/schema.sql")
	must(err)
	pool, err := pgxpool.New(ctx, pgtest.ExampleURL())
	must(err)
	defer pool.Close()
	_, err = pool.Exec(ctx, string(schema)+"; RESET ALL")
	must(err)
	db := store.New(pool)
	user, err := db.Users.Insert(ctx, store.UserInsert{Email: "ada@example.com"})
	must(err)
	stock := int32(5)
	lamp, err := db.Items.Insert(ctx, store.ItemInsert{Sku: "lamp", Stock: &stock})
	must(err)

	checkout := avito.New(pool)
	for _, quantity := range []int32{4, 2} {
		_, err := checkout.Place(ctx, user.ID, avito.Line{Item: lamp.ID, Quantity: quantity})
		fmt.Println(quantity, "lamps, too few left:", errors.Is(err, pawl.ErrGuard))
	}
	var orders int
	must(pool.QueryRow(ctx, "SELECT count(*) FROM shop.orders").Scan(&orders))
	fmt.Println("orders:", orders)
	// Output:
	// 4 lamps, too few left: false
	// 2 lamps, too few left: true
	// orders: 1
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
