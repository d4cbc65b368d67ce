package avito_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	trmpgx "github.com/avito-tech/go-transaction-manager/drivers/pgxv5/v2"
	"github.com/avito-tech/go-transaction-manager/trm/v2/manager"
	"github.com/avito-tech/go-transaction-manager/trm/v2/settings"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/avito"
	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// world is a database with one user and one item.
type world struct {
	pool     *pgxpool.Pool
	other    *pgxpool.Pool // of another client
	after    *afterOrder
	checkout avito.Checkout
	user     int64
	item     int64
}

func newWorld(t *testing.T, stock int32) world {
	t.Helper()
	schema, err := os.ReadFile("../shop/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	other := connect(t, config.Copy())
	after := new(afterOrder)
	config.ConnConfig.Tracer = after
	pool := connect(t, config)
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
	return world{pool, other, after, avito.New(pool), user.ID, item.ID}
}

func connect(t *testing.T, config *pgxpool.Config) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// line is so many of the world's item.
func (w world) line(quantity int32) avito.Line { return avito.Line{Item: w.item, Quantity: quantity} }

// holds fails the test unless there are so many orders and items in stock.
func (w world) holds(t *testing.T, orders int, stock int32) {
	t.Helper()
	var placed int
	var left int32
	err := w.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM shop.orders), stock FROM shop.items WHERE id = $1", w.item).Scan(&placed, &left)
	if err != nil {
		t.Fatal(err)
	}
	if placed != orders || left != stock {
		t.Errorf("%d orders, %d in stock; want %d and %d", placed, left, orders, stock)
	}
}

// What the repository inserts and what pawl takes are committed together, or not at
// all.
func TestPlace(t *testing.T) {
	w := newWorld(t, 3)
	if order, err := w.checkout.Place(t.Context(), w.user, w.line(2)); err != nil || order == 0 {
		t.Fatalf("order %d, %v", order, err)
	}
	w.holds(t, 1, 1)
	if order, err := w.checkout.Place(t.Context(), w.user, w.line(2)); !errors.Is(err, pawl.ErrGuard) || order != 0 {
		t.Fatalf("order %d, %v, want ErrGuard", order, err)
	}
	w.holds(t, 1, 1)
}

// A use case within another joins it: the outer one decides for both.
func TestPlaceJoins(t *testing.T) {
	w := newWorld(t, 3)
	undo := errors.New("undo")
	outer := manager.Must(trmpgx.NewDefaultFactory(w.pool))
	err := outer.Do(t.Context(), func(ctx context.Context) error {
		if _, err := w.checkout.Place(ctx, w.user, w.line(1)); err != nil {
			return err
		}
		w.holds(t, 0, 3) // nobody else sees it yet
		return undo
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}
	w.holds(t, 0, 3)
}

// A nested transaction is a savepoint to both: the refused line leaves nothing, and
// the others are committed.
func TestPlaceEach(t *testing.T) {
	w := newWorld(t, 5)
	orders, err := w.checkout.PlaceEach(t.Context(), w.user, w.line(2), w.line(9), w.line(1))
	if err != nil || len(orders) != 2 {
		t.Fatalf("orders %v, %v", orders, err)
	}
	w.holds(t, 2, 2)
}

// The manager retries nothing, and neither does pawl within it: the failure reaches
// the caller. A transaction of pawl's around it runs again.
func TestWhoRetries(t *testing.T) {
	w := newWorld(t, 5)
	w.disturb(t)
	strict := trmpgx.MustSettings(settings.Must(), trmpgx.WithTxOptions(pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))
	err := manager.Must(trmpgx.NewDefaultFactory(w.pool)).DoWithSettings(t.Context(), strict, func(ctx context.Context) error {
		_, err := w.checkout.Place(ctx, w.user, w.line(1))
		return err
	})
	if server := (*pgconn.PgError)(nil); !errors.As(err, &server) || server.Code != "40001" {
		t.Fatalf("%v, want a serialization failure", err)
	}
	w.holds(t, 0, 4)

	w.disturb(t)
	order, err := w.checkout.PlaceRetried(t.Context(), w.user, w.line(1), pawl.Isolation(pgx.RepeatableRead))
	if err != nil || order == 0 {
		t.Fatalf("order %d, %v", order, err)
	}
	w.holds(t, 1, 2)
	if order, err := w.checkout.PlaceRetried(t.Context(), w.user, w.line(9)); !errors.Is(err, pawl.ErrGuard) || order != 0 {
		t.Fatalf("order %d, %v, want ErrGuard", order, err)
	}
	w.holds(t, 1, 2)
}

// disturb lets another client take one of the item right after the next order was
// inserted, in the middle of the transaction that inserts it.
func (w world) disturb(t *testing.T) {
	w.after.do = func() {
		if _, err := w.other.Exec(context.WithoutCancel(t.Context()), "UPDATE shop.items SET stock = stock - 1 WHERE id = $1", w.item); err != nil {
			t.Error(err)
		}
	}
}

// afterOrder does something once, when an order was inserted.
type afterOrder struct{ do func() }

type tracedKey struct{}

func (afterOrder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, tracedKey{}, data.SQL)
}

func (a *afterOrder) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	sql, _ := ctx.Value(tracedKey{}).(string)
	if do := a.do; do != nil && strings.HasPrefix(sql, "INSERT INTO shop.orders") {
		a.do = nil
		do()
	}
}
