// Package avito shows pawl's generated code under avito-tech's transaction manager,
// which carries a transaction in the context: a use case says where it begins and
// ends, and repositories find it.
//
// Two repositories stand side by side. [Orders] is written by hand with the manager's
// CtxGetter; [Stock] binds the generated store to the same transaction. Inside it pawl
// retries nothing and changes no setting, as its owner is the manager, which does not
// retry: see [Checkout.PlaceRetried] for who does then.
package avito

import (
	"context"
	"errors"

	trmpgx "github.com/avito-tech/go-transaction-manager/drivers/pgxv5/v2"
	"github.com/avito-tech/go-transaction-manager/trm/v2"
	"github.com/avito-tech/go-transaction-manager/trm/v2/manager"
	"github.com/avito-tech/go-transaction-manager/trm/v2/settings"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/pawl"
)

// Orders writes orders with SQL of its own.
type Orders struct {
	pool *pgxpool.Pool
}

// Create inserts an order of a user, in the transaction of ctx if there is one.
func (o Orders) Create(ctx context.Context, user int64) (id int64, err error) {
	db := trmpgx.DefaultCtxGetter.DefaultTrOrDB(ctx, o.pool)
	err = db.QueryRow(ctx, "INSERT INTO shop.orders (user_id) VALUES ($1) RETURNING id", user).Scan(&id)
	return id, err
}

// Stock is what there is to sell, kept by generated code.
type Stock struct {
	db *store.Store // on the pool
}

// Take takes some of an item, in the transaction of ctx if there is one:
// errors.Is(err, pawl.ErrGuard) when there is too little.
func (s Stock) Take(ctx context.Context, item int64, quantity int32) error {
	_, err := s.in(ctx).Items.Take(ctx, item, quantity)
	return err
}

// in returns the store on the transaction of ctx, a savepoint too, or else on the
// pool. It is all that is needed to bring the two together.
func (s Stock) in(ctx context.Context) *store.Store {
	if tx, ok := trmpgx.DefaultCtxGetter.DefaultTrOrDB(ctx, nil).(pgx.Tx); ok {
		return s.db.WithTx(tx)
	}
	return s.db
}

// Line is what is bought: so many of one item.
type Line struct {
	Item     int64
	Quantity int32
}

// Checkout is a use case over both repositories.
type Checkout struct {
	manager trm.Manager
	orders  Orders
	stock   Stock
	db      *store.Store
}

// New returns a Checkout on a pool.
func New(pool *pgxpool.Pool, options ...pawl.Option) Checkout {
	db := store.New(pool, options...)
	return Checkout{
		manager: manager.Must(trmpgx.NewDefaultFactory(pool)),
		orders:  Orders{pool},
		stock:   Stock{db},
		db:      db,
	}
}

// Place creates an order of one line and takes it from the stock, or does neither.
// Called in a transaction of the manager's, it joins that.
func (c Checkout) Place(ctx context.Context, user int64, line Line) (int64, error) {
	var order int64
	err := c.manager.Do(ctx, func(ctx context.Context) (err error) {
		if order, err = c.orders.Create(ctx, user); err != nil {
			return err
		}
		return c.stock.Take(ctx, line.Item, line.Quantity)
	})
	if err != nil {
		return 0, err
	}
	return order, nil
}

// PlaceEach creates an order for each line, each in a savepoint of one transaction,
// and leaves out those that the stock is too small for.
func (c Checkout) PlaceEach(ctx context.Context, user int64, lines ...Line) ([]int64, error) {
	nested := settings.Must(settings.WithPropagation(trm.PropagationNested))
	var orders []int64
	err := c.manager.Do(ctx, func(ctx context.Context) error {
		for _, line := range lines {
			var order int64
			err := c.manager.DoWithSettings(ctx, nested, func(ctx context.Context) (err error) {
				order, err = c.Place(ctx, user, line)
				return err
			})
			switch {
			case errors.Is(err, pawl.ErrGuard):
				continue // the order that Orders had inserted is undone
			case err != nil:
				return err
			}
			orders = append(orders, order)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return orders, nil
}

// PlaceRetried is Place in a transaction that pawl opens at an isolation level and
// runs again after a serialization failure or a deadlock: the manager's transactions
// within it are savepoints, which commit nothing by themselves. ctx must be in no
// transaction of the manager's: Place would join that one.
func (c Checkout) PlaceRetried(ctx context.Context, user int64, line Line, options ...pawl.TxOption) (int64, error) {
	return store.InTx(ctx, c.db, func(ctx context.Context, tx *store.Store) (int64, error) {
		c.manager = manager.Must(trmpgx.NewDefaultFactory(within{tx.DB()}))
		return c.Place(ctx, user, line)
	}, options...)
}

// within lets the manager begin in a transaction that is open: as a savepoint, whose
// options are those of the transaction.
type within struct{ db pawl.DB }

func (w within) BeginTx(ctx context.Context, _ pgx.TxOptions) (pgx.Tx, error) {
	return w.db.Begin(ctx)
}
