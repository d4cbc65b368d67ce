package main

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// counting are the ways to bound the rows of a group that are compared, as tables
// of one shape: none, the counter of a limit, and the usual trigger that locks the
// parent and counts.
const counting = `
CREATE SCHEMA b;
CREATE TABLE b.parent (id bigint PRIMARY KEY, used bigint NOT NULL DEFAULT 0);
INSERT INTO b.parent SELECT generate_series(1, 100);
CREATE TABLE b.none (id bigint PRIMARY KEY, parent_id bigint NOT NULL REFERENCES b.parent);
CREATE INDEX ON b.none (parent_id);
CREATE TABLE b.counted (id bigint PRIMARY KEY, parent_id bigint NOT NULL REFERENCES b.parent);
CREATE INDEX ON b.counted (parent_id);
CREATE FUNCTION b.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 FROM b.parent WHERE id = NEW.parent_id FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM b.counted WHERE parent_id = NEW.parent_id) >= 10000000 THEN
    RAISE EXCEPTION 'full' USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER count_rows BEFORE INSERT ON b.counted FOR EACH ROW EXECUTE FUNCTION b.count_rows();
INSERT INTO shop.users (email) SELECT 'bench' || n || '@example.com' FROM generate_series(1, 30000) AS n;
INSERT INTO shop.coupons (uses) SELECT 10000000 FROM generate_series(1, 100);
ALTER TABLE shop.issued_coupons DROP CONSTRAINT issued_coupons_user`

// insertions are the statements of each way for one row, and for 10,000 in one
// group.
var insertions = []struct{ name, one, many string }{
	{"no limit", "INSERT INTO b.none VALUES ($1, $2)", "INSERT INTO b.none SELECT n, 1 FROM generate_series(1000001, 1010000) AS n"},
	{"limit", "INSERT INTO shop.issued_coupons VALUES ($1, $2)", "INSERT INTO shop.issued_coupons SELECT n, 1 FROM generate_series(1000001, 1010000) AS n"},
	{"count in a trigger", "INSERT INTO b.counted VALUES ($1, $2)", "INSERT INTO b.counted SELECT n, 1 FROM generate_series(1000001, 1010000) AS n"},
}

// shopOf is a database with the schema of shop.hcl, and a pool of a size.
func shopOf(b *testing.B, size int32) *pgxpool.Pool {
	b.Helper()
	url := pgtest.URL(b)
	if err := database.Apply(b.Context(), url, "."); err != nil {
		b.Fatal(err)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = size
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}

// BenchmarkLimits compares inserts with a limit, without any, and with a count in a
// trigger, turn by turn in one run, over 100 groups: rows a second, bytes of WAL a
// row, and the time of 10,000 rows for one group in one statement.
func BenchmarkLimits(b *testing.B) {
	pool := shopOf(b, 1)
	conn, err := pool.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(b.Context(), counting, pgx.QueryExecModeSimpleProtocol); err != nil {
		b.Fatal(err)
	}
	times, wal := make([][]time.Duration, len(insertions)), make([]int64, len(insertions))
	written := func() (n int64) {
		if err := conn.QueryRow(b.Context(), "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	for n := range b.N {
		for way, insertion := range insertions {
			before, begin := written(), time.Now()
			if _, err := conn.Exec(b.Context(), insertion.one, n+1, n%100+1); err != nil {
				b.Fatal(err)
			}
			times[way] = append(times[way], time.Since(begin))
			wal[way] += written() - before
		}
	}
	for way, insertion := range insertions {
		slices.Sort(times[way])
		b.Logf("%-20s %6.0f µs an insert (median), %4d bytes of WAL a row", insertion.name, float64(times[way][b.N/2].Nanoseconds())/1e3, wal[way]/int64(b.N))
	}
	for _, insertion := range insertions {
		before, begin := written(), time.Now()
		if _, err := conn.Exec(b.Context(), insertion.many); err != nil {
			b.Fatal(err)
		}
		b.Logf("%-20s %6.0f ms for 10,000 rows into one group in one statement, %4d bytes of WAL a row", insertion.name,
			float64(time.Since(begin).Nanoseconds())/1e6, (written()-before)/10000)
	}
	b.ReportMetric(float64(times[1][b.N/2])/float64(times[0][b.N/2]), "limit/none")
	b.ReportMetric(float64(times[2][b.N/2])/float64(times[0][b.N/2]), "counted/none")
	b.ReportMetric(float64(wal[1])/float64(wal[0]), "WAL-limit/none")
}

// BenchmarkUpserts compares a generated upsert with its statement sent by hand
// through pgx, call by call in one run.
func BenchmarkUpserts(b *testing.B) {
	pool := shopOf(b, 1)
	db := store.New(pool)
	const byHand = `INSERT INTO shop.prices AS have (sku, cents, revision) VALUES ($1, $2, $3)
ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents, revision = excluded.revision WHERE have.revision < excluded.revision
RETURNING sku, cents, revision, CASE WHEN xmax = 0 THEN 'inserted' ELSE 'updated' END`
	var generated, hand []time.Duration
	ctx := context.Background()
	for n := range b.N {
		begin := time.Now()
		if _, _, err := db.Prices.Publish(ctx, store.PriceInsert{Sku: fmt.Sprint(n % 100), Cents: 5, Revision: int64(2*n + 1)}); err != nil {
			b.Fatal(err)
		}
		generated = append(generated, time.Since(begin))
		begin = time.Now()
		var sku, outcome string
		var cents, revision int64
		if err := pool.QueryRow(ctx, byHand, fmt.Sprint(n%100), 5, 2*n+2).Scan(&sku, &cents, &revision, &outcome); err != nil {
			b.Fatal(err)
		}
		hand = append(hand, time.Since(begin))
	}
	slices.Sort(generated)
	slices.Sort(hand)
	b.Logf("generated %v, by hand %v (medians)", generated[b.N/2], hand[b.N/2])
	b.ReportMetric(float64(generated[b.N/2])/float64(hand[b.N/2]), "generated/by-hand")
}
