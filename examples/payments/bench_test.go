package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/payments/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/faultproxy"
	"github.com/pawldb/pawl/pawl"
)

// way is one of the ways to insert a payment that are compared. do is told how often
// it was called.
type way struct {
	name  string
	do    func(ctx context.Context, n int) error
	times []time.Duration
	trips int
}

// waysToPay are a plain transaction, and work that is done once: fresh, and answered
// again, for the payment of the way before.
func waysToPay(db *store.Store, base int) []*way {
	insert := func(ctx context.Context, tx *store.Store, id int) error {
		_, err := tx.Payments.Insert(ctx, store.PaymentInsert{OrderID: int64(base + id), Cents: 1})
		return err
	}
	atomic := func(ctx context.Context, n int) error {
		_, _, err := db.RefundPayment.Do(ctx, int64(base+3*n+1), n, func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
			return pawl.Response{Status: http.StatusCreated}, insert(ctx, tx, 3*n+1)
		})
		return err
	}
	phased := func(ctx context.Context, n int) error {
		_, _, err := db.CreatePayment.Do(ctx, fmt.Sprint(base+n), n, store.CreatePaymentPhases[charge]{
			Reserve: func(ctx context.Context, tx *store.Store) error { return insert(ctx, tx, 3*n+2) },
			Charge:  func(context.Context, pawl.Call) (charge, error) { return charge{}, nil },
			Record: func(context.Context, *store.Store, charge) (pawl.Response, error) {
				return pawl.Response{Status: http.StatusCreated}, nil
			},
		})
		return err
	}
	return []*way{
		{name: "plain transaction", do: func(ctx context.Context, n int) error {
			_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (int, error) { return 0, insert(ctx, tx, 3*n) })
			return err
		}},
		{name: "atomic", do: atomic},
		{name: "atomic, replayed", do: atomic},
		{name: "phased", do: phased},
		{name: "phased, replayed", do: phased},
	}
}

// BenchmarkDo compares one insert in a plain transaction, as work that is done once,
// and answered again, turn by turn in one run: calls a second of one client, and
// round trips.
func BenchmarkDo(b *testing.B) {
	url := pgtest.URL(b)
	if err := database.Apply(b.Context(), url, "."); err != nil {
		b.Fatal(err)
	}
	ways := waysToPay(store.New(single(b, url)), 0)
	for n := range b.N {
		for _, w := range ways {
			begin := time.Now()
			if err := w.do(b.Context(), n); err != nil {
				b.Fatalf("%s: %v", w.name, err)
			}
			w.times = append(w.times, time.Since(begin))
		}
	}
	countTrips(b, url, ways)
	for _, w := range ways {
		slices.Sort(w.times)
		b.Logf("%-18s %6.0f calls a second (median), %d round trips", w.name, float64(time.Second)/float64(w.times[b.N/2]), w.trips)
	}
	plain := float64(ways[0].times[b.N/2])
	for i, unit := range []string{"", "atomic/plain", "atomic-replayed/plain", "phased/plain", "phased-replayed/plain"} {
		if unit != "" {
			b.ReportMetric(float64(ways[i].times[b.N/2])/plain, unit)
		}
	}
}

// countTrips runs each way through a proxy that counts, when the connection has met
// its statements.
func countTrips(b *testing.B, url string, ways []*way) {
	b.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	network, address := pgconn.NetworkAddress(config.ConnConfig.Host, config.ConnConfig.Port)
	proxy, err := faultproxy.Start(func() (net.Conn, error) { return net.Dial(network, address) })
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = proxy.Close() }()
	counted := waysToPay(store.New(single(b, proxy.URL(config.ConnConfig.User, config.ConnConfig.Database))), 1_000_000_000)
	for n := range 5 {
		for i, w := range counted {
			proxy.Reset()
			if err := w.do(b.Context(), n); err != nil {
				b.Fatalf("%s: %v", w.name, err)
			}
			ways[i].trips = proxy.RoundTrips()
		}
	}
}

// single is a pool of one connection.
func single(b *testing.B, url string) *pgxpool.Pool {
	b.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}
