// Package sqlc shows pawl and sqlc 1.31.1 in one program and in one transaction: the
// queries that only read and join are sqlc's, what must stay true is pawl's. sqlc
// takes the schema from the file that pawl writes, ../shop/schema.sql, so there is one
// place that says what the tables are.
//
// Both sides run on a small interface, so either may own the transaction:
//
//   - pawl opens it: [Shop.Checkout] hands tx.DB() to sqlc. After a serialization
//     failure or a deadlock all of it runs again, sqlc's queries too.
//   - pgx opens it: [Shop.CheckoutIn] gives the same pgx.Tx to both. Then pawl retries
//     nothing and changes no setting, as sqlc does.
//   - A part may fail by itself: [Shop.CheckoutEach] puts a savepoint around it.
package sqlc

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/examples/sqlc/queries"
	"github.com/pawldb/pawl/pawl"
)

// Line is what is bought: so many of one item.
type Line struct {
	Item     int64
	Quantity int32
}

// Shop takes orders.
type Shop struct {
	db *store.Store
}

// New returns a Shop on a pool, a connection or a transaction.
func New(db pawl.DB, options ...pawl.Option) Shop {
	return Shop{store.New(db, options...)}
}

// Checkout creates an order of one line and takes it from the stock, or does
// neither: errors.Is(err, pawl.ErrGuard) when there is too little.
func (s Shop) Checkout(ctx context.Context, user int64, line Line) (order int64, err error) {
	return store.InTx(ctx, s.db, func(ctx context.Context, tx *store.Store) (int64, error) {
		return place(ctx, tx, user, line)
	})
}

// CheckoutIn is Checkout within a transaction of the caller's, who commits it.
func (s Shop) CheckoutIn(ctx context.Context, tx pgx.Tx, user int64, line Line) (order int64, err error) {
	return place(ctx, s.db.WithTx(tx), user, line)
}

// CheckoutEach creates an order for each line and leaves out those that the stock is
// too small for. All that it returns are committed together.
func (s Shop) CheckoutEach(ctx context.Context, user int64, lines ...Line) (orders []int64, err error) {
	return store.InTx(ctx, s.db, func(ctx context.Context, tx *store.Store) ([]int64, error) {
		var placed []int64 // of this attempt alone
		for _, line := range lines {
			order, err := store.Savepoint(ctx, tx, func(ctx context.Context, tx *store.Store) (int64, error) {
				return place(ctx, tx, user, line)
			})
			switch {
			case errors.Is(err, pawl.ErrGuard):
				continue // the order that sqlc had inserted is undone
			case err != nil:
				return nil, err
			}
			placed = append(placed, order)
		}
		return placed, nil
	})
}

// Open returns the orders that nobody has paid, oldest first.
func (s Shop) Open(ctx context.Context) ([]queries.OpenOrdersRow, error) {
	return queries.New(s.db.DB()).OpenOrders(ctx)
}

// place is one query of sqlc's and one operation of pawl's in the transaction that
// tx is in.
func place(ctx context.Context, tx *store.Store, user int64, line Line) (int64, error) {
	order, err := queries.New(tx.DB()).CreateOrder(ctx, user)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Items.Take(ctx, line.Item, line.Quantity); err != nil {
		return 0, err
	}
	return order, nil
}
