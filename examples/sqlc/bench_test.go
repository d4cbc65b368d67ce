package sqlc_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/examples/sqlc/queries"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// BenchmarkBeside compares methods of pawl with sqlc's code for the same statements,
// call by call in one run. Reads are sent alone. Writes are compared inside of a
// transaction, where pawl sends what sqlc sends: alone, a write of pawl's brings its
// timeouts along, and one of sqlc's waits for a lock for ever.
func BenchmarkBeside(b *testing.B) {
	schema, err := os.ReadFile("../shop/schema.sql")
	if err != nil {
		b.Fatal(err)
	}
	config, err := pgxpool.ParseConfig(pgtest.URL(b))
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(b.Context(), string(schema)+"; RESET ALL; INSERT INTO shop.items (sku, stock) SELECT 'item ' || n, 1000000000 FROM generate_series(1, 100) AS n"); err != nil {
		b.Fatal(err)
	}
	ctx, n := context.Background(), 0
	sku := func() string { n++; return fmt.Sprint("new ", n) }
	b.Run("Get", func(b *testing.B) {
		ours, theirs := store.New(pool), queries.New(pool)
		beside(b, func() error { _, err := ours.Items.GetBySku(ctx, "item 7"); return err },
			func() error { _, err := theirs.ItemOf(ctx, "item 7"); return err })
	})
	b.Run("List", func(b *testing.B) {
		ours, theirs := store.New(pool), queries.New(pool)
		beside(b, func() error { _, err := ours.Items.List(ctx, nil, 50); return err },
			func() error { _, err := theirs.PageOfItems(ctx, queries.PageOfItemsParams{Size: 50}); return err })
	})
	tx, err := pool.Begin(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	ours, theirs := store.New(pool).WithTx(tx), queries.New(tx)
	b.Run("Insert", func(b *testing.B) {
		beside(b, func() error { _, err := ours.Items.Insert(ctx, store.ItemInsert{Sku: sku()}); return err },
			func() error {
				_, err := theirs.InsertItem(ctx, queries.InsertItemParams{Sku: sku(), Stock: pgtype.Int4{}})
				return err
			})
	})
	b.Run("Take", func(b *testing.B) {
		beside(b, func() error { _, err := ours.Items.Take(ctx, 7, 1); return err },
			func() error { _, err := theirs.TakeItem(ctx, queries.TakeItemParams{ID: 7, Quantity: 1}); return err })
	})
}

// beside runs two calls in turn, and reports their medians, how they relate, and the
// allocations of each.
func beside(b *testing.B, ours, theirs func() error) {
	b.Helper()
	calls := []func() error{ours, theirs}
	var times [2][]time.Duration
	for i := range b.N {
		for k := range calls {
			k = (k + i) % 2 // who goes first changes, as the second finds warmer caches
			begin := time.Now()
			if err := calls[k](); err != nil {
				b.Fatal(err)
			}
			times[k] = append(times[k], time.Since(begin))
		}
	}
	for k := range times {
		slices.Sort(times[k])
	}
	pawl, sqlc := times[0][b.N/2], times[1][b.N/2]
	b.ReportMetric(0, "ns/op") // the sum of both: of no use
	b.ReportMetric(float64(pawl), "pawl-ns")
	b.ReportMetric(float64(sqlc), "sqlc-ns")
	b.ReportMetric(float64(pawl)/float64(sqlc), "ratio")
	for k, unit := range []string{"pawl-allocs", "sqlc-allocs"} {
		b.ReportMetric(testing.AllocsPerRun(100, func() { _ = calls[k]() }), unit)
	}
}
