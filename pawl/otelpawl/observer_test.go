package otelpawl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/pawl/otelpawl"
)

const schema = `
CREATE TABLE seats (id bigint PRIMARY KEY, status text NOT NULL DEFAULT 'free');
CREATE SEQUENCE attempts;
CREATE FUNCTION flaky(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('attempts') <= n THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
  RETURN n;
END $$;`

var (
	insertSeat = pawl.Operation{Name: "table.seats.insert", Table: "public.seats", SQL: `INSERT INTO seats (id) VALUES ($1::bigint)`}
	bookSeat   = pawl.Operation{
		Name: "table.seats.book", Table: "public.seats", Wanted: "booked",
		SQL:        `UPDATE seats SET status = 'booked' WHERE id = $1::bigint AND status = 'free' RETURNING id`,
		ExplainSQL: `SELECT id, CASE status WHEN 'booked' THEN 'repeat' ELSE 'state' END, status FROM seats WHERE id = $1::bigint`,
	}
	lockSeat = pawl.Operation{Name: "table.seats.lock", Table: "public.seats", SQL: `UPDATE seats SET status = status WHERE id = $1::bigint`}
	keepSeat = pawl.Operation{
		Name: "table.seats.upsert.keep", Table: "public.seats",
		SQL:        `INSERT INTO seats (id) VALUES ($1::bigint) ON CONFLICT (id) DO NOTHING RETURNING id, 'inserted'`,
		ExplainSQL: `SELECT id, 'unchanged' FROM seats WHERE id = $1::bigint`,
	}
	flaky = pawl.Operation{Name: "flaky", SQL: `SELECT flaky($1::bigint)`}
	tasks = pawl.Queue[task]{CompleteOp: pawl.Operation{
		Name: "queue.tasks.complete",
		SQL:  `SELECT id FROM unnest($1::bigint[], $2::bigint[]) AS t (id, fence) WHERE fence = 2`,
	}}
)

type task struct{ pawl.Claim }

// series are the counters by their names and attributes, with their values.
func series(t *testing.T, reader *sdk.ManualReader) map[string]int64 {
	t.Helper()
	var metrics metricdata.ResourceMetrics
	must(t, reader.Collect(t.Context(), &metrics))
	found := map[string]int64{}
	for _, scope := range metrics.ScopeMetrics {
		for _, m := range scope.Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if !ok {
				continue
			}
			for _, point := range sum.DataPoints {
				found[m.Name+" "+point.Attributes.Encoded(attribute.DefaultEncoder())] += point.Value
			}
		}
	}
	return found
}

// TestRates provokes what each rate counts, and finds it.
func TestRates(t *testing.T) {
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	must(t, err)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(pool.Close)
	_, err = pool.Exec(t.Context(), schema)
	must(t, err)
	reader := sdk.NewManualReader()
	observer, err := otelpawl.New(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test"))
	must(t, err)
	limits := pawl.Transaction{LockTimeout: 50 * time.Millisecond, Retry: pawl.Policy{Base: time.Millisecond}}
	s := pawl.NewSession(pool, limits, nil, pawl.WithObserver(observer))
	ctx := t.Context()
	book := func(id int64) {
		_, _ = pawl.Guarded(ctx, s, &bookSeat, func(id *int64) []any { return []any{id} }, id)
	}

	for range 2 {
		_, _ = pawl.Exec(ctx, s, &insertSeat, 1) // the second is a duplicate
	}
	book(1)
	book(1) // asked again
	book(9) // no such row
	_, err = pool.Exec(ctx, `UPDATE seats SET status = 'broken'`)
	must(t, err)
	book(1) // wrong state
	_, err = pawl.Exec(ctx, s, &flaky, 2)
	must(t, err)
	_, err = pool.Exec(ctx, `ALTER SEQUENCE attempts RESTART`)
	must(t, err)
	_, err = pawl.InTx(ctx, s, func(ctx context.Context, tx *pawl.Session) (int64, error) {
		return pawl.Exec(ctx, tx, &flaky, 1)
	}, pawl.Named("swap"), pawl.Isolation(pgx.Serializable))
	must(t, err)
	holder, err := pool.Begin(ctx)
	must(t, err)
	_, err = holder.Exec(ctx, `SELECT FROM seats FOR UPDATE`)
	must(t, err)
	_, _ = pawl.Exec(ctx, s, &lockSeat, 1) // waits longer than it may
	must(t, holder.Rollback(ctx))
	for range 2 {
		_, _, err := pawl.Upsert(ctx, s, &keepSeat, func(id *int64) []any { return []any{id} }, 7)
		must(t, err)
	}
	// Its work was done, and the task had gone to somebody else.
	if err := tasks.Complete(ctx, s, pawl.Claim{ID: 1, Fence: 1}); !errors.Is(err, pawl.ErrClaimLost) {
		t.Errorf("completing a lost claim: %v", err)
	}

	got := series(t, reader)
	for want, n := range map[string]int64{
		"pawl.operations kind=operation,operation=table.seats.insert,outcome=ok,table=public.seats":                                              1,
		"pawl.operations constraint=seats_pkey,kind=operation,operation=table.seats.insert,outcome=constraint,sqlstate=23505,table=public.seats": 1,
		"pawl.operations kind=operation,operation=table.seats.book,outcome=repeated,table=public.seats":                                          1,
		"pawl.operations kind=operation,operation=table.seats.book,outcome=not_found,table=public.seats":                                         1,
		"pawl.operations kind=operation,operation=table.seats.book,outcome=wrong_state,table=public.seats":                                       1,
		"pawl.operations kind=operation,operation=flaky,outcome=retried,sqlstate=40001":                                                          2,
		"pawl.operations kind=transaction,operation=swap,outcome=retried,sqlstate=40001":                                                         1,
		"pawl.operations kind=transaction,operation=swap,outcome=ok":                                                                             1,
		"pawl.operations kind=operation,operation=table.seats.lock,outcome=busy,sqlstate=55P03,table=public.seats":                               1,
		"pawl.operations kind=operation,operation=queue.tasks.complete,outcome=claim_lost":                                                       1,
		"pawl.upserted.rows operation=table.seats.upsert.keep,outcome=inserted":                                                                  1,
		"pawl.upserted.rows operation=table.seats.upsert.keep,outcome=unchanged":                                                                 1,
	} {
		if got[want] != n {
			t.Errorf("%s was counted %d times, want %d", want, got[want], n)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
