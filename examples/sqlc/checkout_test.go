package sqlc_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/examples/sqlc"
	"github.com/pawldb/pawl/examples/sqlc/queries"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// world is a database with one user and one item.
type world struct {
	pool *pgxpool.Pool
	shop sqlc.Shop
	user int64
	item int64
}

func newWorld(t *testing.T, stock int32) world {
	t.Helper()
	schema, err := os.ReadFile("../shop/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	// RESET, as the file sets a search_path and its connection goes back to the pool.
	if _, err := pool.Exec(t.Context(), string(schema)+"; RESET ALL"); err != nil {
		t.Fatal(err)
	}
	db := store.New(pool)
	user, err := db.Users.Insert(t.Context(), store.UserInsert{Email: "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	item, err := db.Items.Insert(t.Context(), store.ItemInsert{Sku: "lamp", Stock: &stock})
	if err != nil {
		t.Fatal(err)
	}
	return world{pool, sqlc.New(pool), user.ID, item.ID}
}

// holds fails the test unless there are so many open orders and items in stock.
func (w world) holds(t *testing.T, orders int, stock int32) {
	t.Helper()
	open, err := w.shop.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left, err := queries.New(w.pool).StockOf(t.Context(), w.item)
	if err != nil {
		t.Fatal(err)
	}
	if len(open) != orders || left != stock {
		t.Errorf("%d orders, %d in stock; want %d and %d", len(open), left, orders, stock)
	}
}

// What sqlc inserts and what pawl takes are committed together, or not at all.
func TestCheckout(t *testing.T) {
	w := newWorld(t, 3)
	order, err := w.shop.Checkout(t.Context(), w.user, sqlc.Line{Item: w.item, Quantity: 2})
	if err != nil || order == 0 {
		t.Fatalf("order %d, %v", order, err)
	}
	w.holds(t, 1, 1)
	if _, err := w.shop.Checkout(t.Context(), w.user, sqlc.Line{Item: w.item, Quantity: 2}); !errors.Is(err, pawl.ErrGuard) {
		t.Fatalf("%v, want ErrGuard", err)
	}
	w.holds(t, 1, 1)
	// A failure of sqlc's own undoes pawl's half, and is pgx's error as ever.
	_, err = store.InTx(t.Context(), store.New(w.pool), func(ctx context.Context, tx *store.Store) (int64, error) {
		if _, err := tx.Items.Take(ctx, w.item, 1); err != nil {
			return 0, err
		}
		return queries.New(tx.DB()).CreateOrder(ctx, w.user+1)
	})
	if server := (*pgconn.PgError)(nil); !errors.As(err, &server) || server.Code != "23503" {
		t.Fatalf("%v, want the foreign key's error", err)
	}
	w.holds(t, 1, 1)
}

// In a transaction that pgx opened, both belong to it.
func TestCheckoutInATransactionOfTheCaller(t *testing.T) {
	w := newWorld(t, 3)
	undo := errors.New("undo")
	for _, fate := range []error{undo, nil} {
		err := pgx.BeginFunc(t.Context(), w.pool, func(tx pgx.Tx) error {
			if _, err := w.shop.CheckoutIn(t.Context(), tx, w.user, sqlc.Line{Item: w.item, Quantity: 1}); err != nil {
				return err
			}
			w.holds(t, 0, 3) // nobody else sees it yet
			return fate
		})
		if !errors.Is(err, fate) {
			t.Fatal(err)
		}
		if fate != nil {
			w.holds(t, 0, 3)
		}
	}
	w.holds(t, 1, 2)
}

// A savepoint undoes sqlc's insert with pawl's refusal, and the rest is committed;
// one of pgx's does the same for both.
func TestSavepoints(t *testing.T) {
	w := newWorld(t, 5)
	orders, err := w.shop.CheckoutEach(
		t.Context(), w.user,
		sqlc.Line{Item: w.item, Quantity: 2}, sqlc.Line{Item: w.item, Quantity: 9}, sqlc.Line{Item: w.item, Quantity: 1},
	)
	if err != nil || len(orders) != 2 {
		t.Fatalf("orders %v, %v", orders, err)
	}
	w.holds(t, 2, 2)

	err = pgx.BeginFunc(t.Context(), w.pool, func(outer pgx.Tx) error {
		if _, err := w.shop.CheckoutIn(t.Context(), outer, w.user, sqlc.Line{Item: w.item, Quantity: 1}); err != nil {
			return err
		}
		inner := pgx.BeginFunc(t.Context(), outer, func(savepoint pgx.Tx) error {
			if _, err := w.shop.CheckoutIn(t.Context(), savepoint, w.user, sqlc.Line{Item: w.item, Quantity: 1}); err != nil {
				return err
			}
			_, err := w.shop.CheckoutIn(t.Context(), savepoint, w.user, sqlc.Line{Item: w.item, Quantity: 1})
			return err
		})
		if !errors.Is(inner, pawl.ErrGuard) {
			t.Errorf("%v, want ErrGuard", inner)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.holds(t, 3, 1)
}

// A serialization failure that comes from sqlc's query runs the whole function again.
func TestRetryOfAQueryOfSqlc(t *testing.T) {
	w := newWorld(t, 3)
	attempts := 0
	_, err := store.InTx(t.Context(), store.New(w.pool), func(ctx context.Context, tx *store.Store) (int64, error) {
		attempts++
		stock, err := queries.New(tx.DB()).StockOf(ctx, w.item) // takes the snapshot
		if err != nil {
			return 0, err
		}
		if attempts == 1 {
			if _, err := w.shop.Checkout(ctx, w.user, sqlc.Line{Item: w.item, Quantity: 1}); err != nil {
				return 0, err
			}
		}
		return int64(stock), queries.New(tx.DB()).SetStock(ctx, queries.SetStockParams{ID: w.item, Stock: stock - 1})
	}, pawl.Isolation(pgx.RepeatableRead))
	if err != nil || attempts != 2 {
		t.Fatalf("%d attempts, %v", attempts, err)
	}
	w.holds(t, 1, 1)
}
