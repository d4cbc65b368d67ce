package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
)

// BenchmarkCalls compares generated methods with the same statements sent by
// hand through pgx, call by call in one run, so that what slows the machine down
// slows both. It reports the median of each, their ratio, and the allocations of
// one call.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(b *testing.B, s site, sent *sentSQL) (generated, byHand, between func())
	}{
		{"Confirm", benchConfirm},
		{"Send", benchSend},
		{"Insert", benchInsert},
		{"Claim", benchClaim},
	} {
		b.Run(c.name, func(b *testing.B) {
			sent := &sentSQL{}
			pool := newPool(b, func(c *pgxpool.Config) { c.MaxConns, c.ConnConfig.Tracer = 1, sent })
			generated, byHand, between := c.make(b, site{store.New(pool), pool}, sent)
			sent.off = true // tracing is not what is measured
			compare(b, generated, byHand, between)
		})
	}
}

// compare runs two calls in turn and reports how they relate.
func compare(b *testing.B, generated, byHand, between func()) {
	timed := func(call func()) time.Duration {
		start := time.Now()
		call()
		took := time.Since(start)
		between()
		return took
	}
	var ours, theirs []time.Duration
	for i := 0; b.Loop(); i++ {
		// Who goes first changes, as the second finds warmer caches.
		if i%2 == 0 {
			ours = append(ours, timed(generated))
			theirs = append(theirs, timed(byHand))
		} else {
			theirs = append(theirs, timed(byHand))
			ours = append(ours, timed(generated))
		}
	}
	a, h := median(ours), median(theirs)
	b.ReportMetric(0, "ns/op") // the sum of both and of what stands between: of no use
	b.ReportMetric(float64(a), "generated-ns")
	b.ReportMetric(float64(h), "by-hand-ns")
	b.ReportMetric(float64(a)/float64(h), "ratio")
	b.ReportMetric(allocations(generated, between), "generated-allocs")
	b.ReportMetric(allocations(byHand, between), "by-hand-allocs")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// allocations counts those of a call, without those of what resets the scene.
func allocations(call, between func()) float64 {
	both := testing.AllocsPerRun(100, func() { call(); between() })
	return both - testing.AllocsPerRun(100, between)
}

func benchConfirm(b *testing.B, s site, sent *sentSQL) (generated, byHand, between func()) {
	ctx := context.Background()
	room, customer := benchParents(b, s)
	booking, err := s.db.Bookings.Insert(ctx, store.BookingInsert{RoomID: room, CustomerID: customer, During: tomorrow()})
	fatal(b, err)
	// The scene is reset between calls, which is no declared move.
	_, err = s.raw.Exec(ctx, "ALTER TABLE app.bookings DISABLE TRIGGER bookings_status_update")
	fatal(b, err)
	between = func() {
		_, err := s.raw.Exec(ctx, "UPDATE app.bookings SET status = 'held'")
		fatal(b, err)
	}
	warm(func() {
		between()
		_, err := s.db.Bookings.Confirm(ctx, booking.ID)
		fatal(b, err)
	})
	settings, args, main := sent.batch(b)

	generated = func() {
		_, err := s.db.Bookings.Confirm(ctx, booking.ID)
		fatal(b, err)
	}
	byHand = func() {
		var row store.Booking
		fatal(b, sendByHand(ctx, s.raw, settings, args, main, []any{booking.ID},
			&row.ID, &row.RoomID, &row.CustomerID, &row.During, &row.Status, &row.CreatedAt))
	}
	between()
	return generated, byHand, between
}

func benchSend(b *testing.B, s site, sent *sentSQL) (generated, byHand, between func()) {
	ctx := context.Background()
	_, err := s.db.Counters.Insert(ctx, store.CounterInsert{Name: "tickets", Remaining: 1 << 40})
	fatal(b, err)
	warm(func() {
		_, err := s.db.Counters.Send(ctx, "tickets", 1)
		fatal(b, err)
	})
	settings, args, main := sent.batch(b)

	generated = func() {
		_, err := s.db.Counters.Send(ctx, "tickets", 1)
		fatal(b, err)
	}
	byHand = func() {
		var row store.Counter
		fatal(b, sendByHand(ctx, s.raw, settings, args, main, []any{"tickets", int64(1)}, &row.Name, &row.Sent, &row.Remaining))
	}
	return generated, byHand, func() {}
}

func benchInsert(b *testing.B, s site, sent *sentSQL) (generated, byHand, between func()) {
	ctx := context.Background()
	n := 0
	name := func() string { n++; return fmt.Sprintf("team %d", n) }
	warm(func() {
		_, err := s.db.Teams.Insert(ctx, store.TeamInsert{Name: name()})
		fatal(b, err)
	})
	settings, args, main := sent.batch(b)

	generated = func() {
		_, err := s.db.Teams.Insert(ctx, store.TeamInsert{Name: name()})
		fatal(b, err)
	}
	byHand = func() {
		var row store.Team
		fatal(b, sendByHand(ctx, s.raw, settings, args, main, []any{name()}, &row.ID, &row.Name))
	}
	return generated, byHand, func() {}
}

func benchClaim(b *testing.B, s site, sent *sentSQL) (generated, byHand, between func()) {
	ctx := context.Background()
	const batch = 10
	fill := func() {
		_, err := s.raw.Exec(ctx, "TRUNCATE app.tasks")
		fatal(b, err)
		_, err = s.raw.Exec(ctx, "INSERT INTO app.tasks (kind, body) SELECT 'mail', '{}' FROM generate_series(1, $1)", batch)
		fatal(b, err)
	}
	warm(func() {
		fill()
		claims, err := s.db.Tasks.Claim(ctx, batch)
		fatal(b, err)
		if len(claims) != batch {
			b.Fatalf("claimed %d tasks, want %d", len(claims), batch)
		}
	})
	texts := sent.last(b, 3)
	fill()

	generated = func() {
		claims, err := s.db.Tasks.Claim(ctx, batch)
		if err != nil || len(claims) != batch {
			b.Fatal(len(claims), err)
		}
	}
	lease := (5 * time.Second).Microseconds()
	byHand = func() {
		queue := &pgx.Batch{}
		queue.Queue(texts[0].SQL, texts[0].Arguments...)
		queue.Queue(texts[1].SQL, int64(batch))
		queue.Queue(texts[2].SQL, int64(batch), lease)
		results := s.raw.SendBatch(ctx, queue)
		fatal(b, readSettings(results))
		_, err := results.Exec()
		fatal(b, err)
		rows, err := results.Query()
		fatal(b, err)
		var claims []store.TaskClaim
		for rows.Next() {
			var c store.TaskClaim
			fatal(b, rows.Scan(&c.Kind, &c.Body, &c.ID, &c.Fence, &c.Attempt, &c.LeaseUntil))
			claims = append(claims, c)
		}
		fatal(b, rows.Err())
		fatal(b, results.Close())
		if len(claims) != batch {
			b.Fatal(len(claims))
		}
	}
	return generated, byHand, fill
}

// warm makes a call until it is one round trip: the first ones on a connection
// prepare their statements under a lock timeout, in a transaction of their own.
func warm(call func()) {
	for range 3 {
		call()
	}
}

// sendByHand is what a careful person writes with pgx for a statement with
// timeouts in one round trip.
func sendByHand(ctx context.Context, db pawl.DB, settings string, settingsArgs []any, sql string, args []any, dest ...any) error {
	batch := &pgx.Batch{}
	batch.Queue(settings, settingsArgs...)
	batch.Queue(sql, args...)
	results := db.SendBatch(ctx, batch)
	if err := readSettings(results); err != nil {
		return err
	}
	if err := results.QueryRow().Scan(dest...); err != nil {
		return err
	}
	return results.Close()
}

// readSettings reads the row that the settings statement returns, whose last
// column is the isolation level.
func readSettings(results pgx.BatchResults) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	var isolation pgtype.Text
	for rows.Next() {
		dest := make([]any, len(rows.FieldDescriptions()))
		dest[len(dest)-1] = &isolation
		if err := rows.Scan(dest...); err != nil {
			return err
		}
	}
	if rows.Err() == nil && isolation.String != "read committed" {
		return fmt.Errorf("isolation %q", isolation.String)
	}
	return rows.Err()
}

func benchParents(b *testing.B, s site) (room, customer int64) {
	b.Helper()
	r, err := s.db.Rooms.Insert(b.Context(), store.RoomInsert{Name: "blue"})
	fatal(b, err)
	c, err := s.db.Customers.Insert(b.Context(), store.CustomerInsert{Email: "ada@example.com"})
	fatal(b, err)
	return r.ID, c.ID
}

func fatal(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

// sentSQL is a pgx tracer that keeps the last batch.
type sentSQL struct {
	off     bool
	queries []*pgx.QueuedQuery
}

// last returns the n statements of the last batch.
func (s *sentSQL) last(b *testing.B, n int) []*pgx.QueuedQuery {
	b.Helper()
	if len(s.queries) != n || !strings.Contains(s.queries[0].SQL, "set_config") {
		b.Fatalf("a call sent %d statements in its batch, want %d with the settings first", len(s.queries), n)
	}
	return s.queries
}

func (s *sentSQL) batch(b *testing.B) (settings string, args []any, main string) {
	b.Helper()
	queries := s.last(b, 2)
	return queries[0].SQL, queries[0].Arguments, queries[1].SQL
}

func (s *sentSQL) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	if !s.off {
		s.queries = slices.Clone(data.Batch.QueuedQueries)
	}
	return ctx
}

func (*sentSQL) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*sentSQL) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (*sentSQL) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (*sentSQL) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
