package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/pawl"
)

// shop is a database with the schema of shop.hcl, and two ways to it: the
// generated code, and a client that knows nothing of it.
type shop struct {
	db  *store.Store
	raw *pgxpool.Pool
}

// count is a number that a race has, and should have.
type count struct {
	what      string
	got, want int
}

// clients is how many callers a race has at once.
const clients = 40

var races = []struct {
	name string
	run  func(ctx context.Context, s shop) ([]count, error)
}{
	{"the last 5 of a coupon", coupons},
	{"one default address", defaultAddress},
	{"invoices without a gap", invoices},
	{"the last 7 of an item", stock},
	{"prices in any order", prices},
	{"a basket in order", basket},
}

// together calls f from many clients at once, and returns the first error that is
// none of those expected, and how many calls there were without any.
func together(f func(n int) error, expected ...error) (fine int, err error) {
	var group sync.WaitGroup
	var done atomic.Int64
	errs := make([]error, clients)
	start := make(chan struct{})
	for n := range clients {
		group.Go(func() {
			<-start
			err := f(n)
			if err == nil {
				done.Add(1)
			}
			for _, e := range expected {
				if errors.Is(err, e) {
					return
				}
			}
			errs[n] = err
		})
	}
	close(start)
	group.Wait()
	return int(done.Load()), errors.Join(errs...)
}

// users are as many as there are clients.
func (s shop) users(ctx context.Context, name string) ([]int64, error) {
	ids := make([]int64, clients)
	for n := range ids {
		user, err := s.db.Users.Insert(ctx, store.UserInsert{Email: fmt.Sprintf("%s%d@example.com", name, n)})
		if err != nil {
			return nil, err
		}
		ids[n] = user.ID
	}
	return ids, nil
}

// ask is a number that the database has.
func (s shop) ask(ctx context.Context, sql string, args ...any) (n int, err error) {
	err = s.raw.QueryRow(ctx, sql, args...).Scan(&n)
	return n, err
}

// coupons: 40 users want one of 5, half of them through a client that sends SQL.
func coupons(ctx context.Context, s shop) ([]count, error) {
	users, err := s.users(ctx, "coupon")
	if err != nil {
		return nil, err
	}
	coupon, err := s.db.Coupons.Insert(ctx, store.CouponInsert{Uses: 5})
	if err != nil {
		return nil, err
	}
	var refused atomic.Int64
	_, err = together(func(n int) error {
		var err error
		if n%2 == 0 {
			_, err = s.db.IssuedCoupons.Insert(ctx, store.IssuedCouponInsert{UserID: users[n], CouponID: coupon.ID})
		} else if _, err = s.raw.Exec(ctx, "INSERT INTO shop.issued_coupons VALUES ($1, $2)", users[n], coupon.ID); err != nil {
			refused.Add(1)
			return nil
		}
		if errors.Is(err, store.ErrIssuedCouponsIssued) {
			refused.Add(1)
		}
		return err
	}, pawl.ErrLimit)
	if err != nil {
		return nil, err
	}
	issued, err := s.ask(ctx, "SELECT count(*) FROM shop.issued_coupons WHERE coupon_id = $1", coupon.ID)
	return []count{{"issued", issued, 5}, {"refused", int(refused.Load()), clients - 5}}, err
}

// defaultAddress: all clients pick an address of one user.
func defaultAddress(ctx context.Context, s shop) ([]count, error) {
	users, err := s.users(ctx, "address")
	if err != nil {
		return nil, err
	}
	var addresses []store.Address
	for n := range 4 {
		address, err := s.db.Addresses.Insert(ctx, store.AddressInsert{UserID: users[0], Street: fmt.Sprint("street ", n)})
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	fine, err := together(func(n int) error {
		_, err := s.db.Addresses.SetDefault(ctx, users[0], addresses[n%4].ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	defaults, err := s.ask(ctx, "SELECT count(*) FROM shop.addresses WHERE user_id = $1 AND is_default", users[0])
	return []count{{"picked", fine, clients}, {"defaults", defaults, 1}}, err
}

// invoices: each order is paid by three calls at once, and has one invoice; one in
// four transactions is rolled back.
func invoices(ctx context.Context, s shop) ([]count, error) {
	users, err := s.users(ctx, "invoice")
	if err != nil {
		return nil, err
	}
	changed := errors.New("changed my mind")
	fine, err := together(func(n int) error {
		order, err := s.db.Orders.Insert(ctx, store.OrderInsert{UserID: users[n]})
		if err != nil {
			return err
		}
		_, err = store.InTx(ctx, s.db, func(ctx context.Context, tx *store.Store) (store.Invoice, error) {
			if _, err := tx.Orders.Pay(ctx, order.ID); err != nil {
				return store.Invoice{}, err
			}
			invoice, err := tx.Invoices.Insert(ctx, store.InvoiceInsert{Year: 2026, OrderID: order.ID})
			if err == nil && n%4 == 0 {
				return store.Invoice{}, changed
			}
			return invoice, err
		})
		return err
	}, changed)
	if err != nil {
		return nil, err
	}
	last, err := s.ask(ctx, "SELECT max(number) FROM shop.invoices WHERE year = 2026")
	if err != nil {
		return nil, err
	}
	rows, err := s.ask(ctx, "SELECT count(*) FROM shop.invoices WHERE year = 2026")
	return []count{{"paid", fine, clients * 3 / 4}, {"invoices", rows, clients * 3 / 4}, {"the last number", last, clients * 3 / 4}}, err
}

// stock: 40 clients take one of 7.
func stock(ctx context.Context, s shop) ([]count, error) {
	seven := int32(7)
	item, err := s.db.Items.Insert(ctx, store.ItemInsert{Sku: "mug", Stock: &seven})
	if err != nil {
		return nil, err
	}
	fine, err := together(func(int) error {
		_, err := s.db.Items.Take(ctx, item.ID, 1)
		return err
	}, pawl.ErrGuard)
	if err != nil {
		return nil, err
	}
	left, err := s.ask(ctx, "SELECT stock FROM shop.items WHERE id = $1", item.ID)
	return []count{{"taken", fine, 7}, {"left", left, 0}}, err
}

// prices: revisions 1 to 40 of one price arrive in any order, at once.
func prices(ctx context.Context, s shop) ([]count, error) {
	if _, err := together(func(n int) error {
		_, _, err := s.db.Prices.Publish(ctx, store.PriceInsert{Sku: "mug", Cents: int64(100 + n), Revision: int64(n + 1)})
		return err
	}); err != nil {
		return nil, err
	}
	cents, err := s.ask(ctx, "SELECT cents FROM shop.prices WHERE sku = 'mug'")
	return []count{{"the newest price", cents, 100 + clients - 1}}, err
}

// basket: clients move lines of one basket while others put lines into it.
func basket(ctx context.Context, s shop) ([]count, error) {
	users, err := s.users(ctx, "basket")
	if err != nil {
		return nil, err
	}
	var lines []store.BasketLine
	for n := range 6 {
		line, err := s.db.BasketLines.Insert(ctx, store.BasketLineInsert{UserID: users[0], Sku: fmt.Sprint("sku ", n)})
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	fine, err := together(func(n int) error {
		if n%4 == 0 {
			_, err := s.db.BasketLines.Insert(ctx, store.BasketLineInsert{UserID: users[0], Sku: fmt.Sprint("more ", n)})
			return err
		}
		_, err := s.db.BasketLines.MoveTo(ctx, lines[n%6].ID, int64(n%6+1))
		return err
	})
	if err != nil {
		return nil, err
	}
	last, err := s.ask(ctx, "SELECT max(position) FROM shop.basket_lines WHERE user_id = $1", users[0])
	if err != nil {
		return nil, err
	}
	rows, err := s.ask(ctx, "SELECT count(DISTINCT position) FROM shop.basket_lines WHERE user_id = $1", users[0])
	return []count{{"moved or put in", fine, clients}, {"positions", rows, 6 + clients/4}, {"the last one", last, 6 + clients/4}}, err
}
