package golang_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/outbox/store"
)

var (
	eventCount = flag.Int("events", 400, "how many events relays publish while they are killed")
	relayURL   = flag.String("relay", "", "of the tests' own: be a relay of this database, and nothing else")
	relayTo    = flag.String("broker", "", "of the tests' own: where that relay publishes")
	relayFree  = flag.Bool("ungrouped", false, "of the tests' own: that relay's claim holds no group back")
)

// broker takes events from relays, which are processes of their own, and remembers
// them in the order in which they came.
type broker struct {
	listener net.Listener
	pause    time.Duration // at most, before an event is taken

	mu    sync.Mutex
	seen  map[int64]int // how often, by id
	last  map[int64]int64
	wrong []string // events that came for the first time, and after one that committed later
}

func newBroker(t *testing.T, pause time.Duration) *broker {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &broker{listener: listener, pause: pause, seen: map[int64]int{}, last: map[int64]int64{}}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go b.serve(conn)
		}
	}()
	return b
}

// serve takes events, a line each. An empty line ends a batch and is answered.
func (b *broker) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if lines.Text() == "" {
			if _, err := io.WriteString(conn, "ok\n"); err != nil {
				return
			}
			continue
		}
		var id, order, n int64
		if _, err := fmt.Sscan(lines.Text(), &id, &order, &n); err != nil {
			continue // cut off by the kill
		}
		if b.pause > 0 {
			time.Sleep(rand.N(b.pause))
		}
		b.take(id, order, n)
	}
}

func (b *broker) take(id, order, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen[id]++
	if b.seen[id] > 1 {
		return // consumers know it by its id
	}
	if n != b.last[order]+1 {
		b.wrong = append(b.wrong, fmt.Sprintf("order %d: event %d came after event %d", order, n, b.last[order]))
	}
	b.last[order] = max(n, b.last[order])
}

// published are how many events there were, and how often they came in all.
func (b *broker) published() (events, deliveries int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := range maps.Values(b.seen) {
		deliveries += n
	}
	return len(b.seen), deliveries
}

// disorder is what came in the wrong order.
func (b *broker) disorder() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.wrong)
}

// ungrouped is a database to which claims arrive that take the oldest events one by
// one, as a queue without groups has them.
type ungrouped struct{ pool *pgxpool.Pool }

const ungroupedClaim = `WITH head AS MATERIALIZED (
  SELECT id FROM app.events WHERE (state = 'ready' OR state = 'running' AND lease_until < statement_timestamp()) AND $3::bigint IS NOT NULL
  ORDER BY id LIMIT $1::integer FOR UPDATE SKIP LOCKED
)
UPDATE app.events AS t SET state = 'running', attempt = t.attempt + 1, fence = t.fence + 1,
  lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond'
WHERE t.id = ANY (ARRAY(SELECT id FROM head))
RETURNING t.order_id, t.kind, t.body, t.id, t.fence, t.attempt, t.lease_until`

func (u ungrouped) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		if strings.HasPrefix(q.SQL, "/* outbox.events.claim */ WITH head") {
			q.SQL = ungroupedClaim
		}
	}
	return u.pool.SendBatch(ctx, b)
}
func (u ungrouped) Begin(ctx context.Context) (pgx.Tx, error) { return u.pool.Begin(ctx) }
func (u ungrouped) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return u.pool.Exec(ctx, sql, args...)
}

func (u ungrouped) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return u.pool.Query(ctx, sql, args...)
}

func (u ungrouped) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return u.pool.QueryRow(ctx, sql, args...)
}

func (u ungrouped) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	return u.pool.CopyFrom(ctx, table, columns, rows)
}

// TestRelayProcess is a relay, for the tests that start this binary once more. By
// itself it does nothing.
func TestRelayProcess(t *testing.T) {
	if *relayURL == "" {
		return
	}
	pool, err := pgxpool.New(t.Context(), *relayURL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", *relayTo)
	if err != nil {
		t.Fatal(err)
	}
	db := store.New(pool)
	if *relayFree {
		db = store.New(ungrouped{pool})
	}
	answers := bufio.NewReader(conn)
	err = db.Events.Relay(t.Context(), pawl.RelayOptions{Batch: 50, Poll: 20 * time.Millisecond}, func(_ context.Context, events []store.EventClaim) error {
		for _, e := range events {
			if _, err := fmt.Fprintf(conn, "%d %d %d\n", e.ID, e.OrderID, numberOf(t, e)); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(conn, "\n"); err != nil {
			return err
		}
		_, err := answers.ReadString('\n')
		return err
	})
	t.Fatal(err)
}

// relays are processes that are killed and come back.
type relays struct {
	url, broker string
	ungrouped   bool
	running     []*exec.Cmd
	killed      int
}

func (r *relays) start(t *testing.T, i int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.running[i] = exec.CommandContext(context.Background(), program, "-test.run=^TestRelayProcess$", "-relay="+r.url, "-broker="+r.broker, fmt.Sprintf("-ungrouped=%v", r.ungrouped))
	if err := r.running[i].Start(); err != nil {
		t.Fatal(err)
	}
}

// kill ends a relay by SIGKILL, at whatever it does.
func (r *relays) kill(i int) {
	_ = r.running[i].Process.Kill()
	_ = r.running[i].Wait()
}

// startRelays runs n relays until the test ends.
func startRelays(t *testing.T, r *relays, n int) *relays {
	t.Helper()
	r.running = make([]*exec.Cmd, n)
	for i := range n {
		r.start(t, i)
	}
	t.Cleanup(func() {
		for i := range n {
			r.kill(i)
		}
	})
	return r
}

// produce changes orders at random from several clients, each change an event, and
// some of them in batches, until there are count events. It takes as long as given at
// least.
func produce(t *testing.T, pool *pgxpool.Pool, orders, count int, atLeast time.Duration) error {
	t.Helper()
	const clients = 4
	db := store.New(pool)
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(count))
	failures := make(chan error, clients)
	start := time.Now()
	for range clients {
		wg.Go(func() {
			for {
				n := 1 + rand.IntN(min(5, orders))
				rest := left.Add(int64(-n))
				if n += int(min(rest, 0)); n <= 0 {
					return
				}
				some := make([]int64, 0, n)
				for _, order := range rand.Perm(orders)[:n] {
					some = append(some, int64(order))
				}
				err := pawl.ErrBusy
				for errors.Is(err, pawl.ErrBusy) { // a busy machine makes the others hold their orders for long
					_, err = store.InTx(context.Background(), db, func(ctx context.Context, tx *store.Store) (struct{}, error) {
						return struct{}{}, addChanges(ctx, tx, some...)
					})
				}
				if err != nil {
					failures <- err
					return
				}
				time.Sleep(time.Until(start.Add(atLeast * time.Duration(int64(count)-max(rest, 0)) / time.Duration(count))))
			}
		})
	}
	wg.Wait()
	close(failures)
	return <-failures
}

// Four relays are killed at random, each a process of its own, while producers write.
// No event is lost, and none overtakes another one of its order.
func TestRelaysKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-long runs it, with as many events as it is told")
	}
	const orders = 40
	pool := outboxPool(t, orders)
	b := newBroker(t, 0)
	r := startRelays(t, &relays{url: pool.Config().ConnString(), broker: b.listener.Addr().String()}, 4)
	produced := make(chan error, 1)
	begun := time.Now()
	go func() { produced <- produce(t, pool, orders, *eventCount, 800*time.Millisecond) }()
	deadline := time.Now().Add(20*time.Second + time.Duration(*eventCount)*10*time.Millisecond)
	for open := true; open || states(t, pool) != fmt.Sprintf("done %d", *eventCount); {
		select {
		case err := <-produced:
			if err != nil {
				t.Fatal(err)
			}
			open = false
		case <-time.After(50*time.Millisecond + rand.N(150*time.Millisecond)):
			if open {
				i := rand.IntN(len(r.running))
				r.kill(i)
				r.killed++
				r.start(t, i)
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %d kills the outbox holds %s", r.killed, states(t, pool))
		}
	}
	events, deliveries := b.published()
	if events != *eventCount {
		t.Errorf("%d events were published of %d", events, *eventCount)
	}
	if wrong := b.disorder(); len(wrong) > 0 {
		t.Errorf("%d events came out of order: %s", len(wrong), wrong[0])
	}
	if r.killed == 0 {
		t.Error("no relay was killed")
	}
	t.Logf("%d events, published %d times by 4 relays that were killed %d times, in %s", events, deliveries, r.killed, time.Since(begun).Round(time.Millisecond))
}

// With a claim that does not hold back the rest of an aggregate, the test above sees
// events that overtake each other.
func TestRelaysWithoutGroups(t *testing.T) {
	pool := outboxPool(t, 3)
	if err := produce(t, pool, 3, 200, 0); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	b := newBroker(t, time.Millisecond)
	startRelays(t, &relays{url: pool.Config().ConnString(), broker: b.listener.Addr().String(), ungrouped: true}, 4)
	for deadline := time.Now().Add(20 * time.Second); len(b.disorder()) == 0; time.Sleep(10 * time.Millisecond) {
		if events, _ := b.published(); events == 200 || time.Now().After(deadline) {
			t.Fatalf("%d events were published, all in order", events)
		}
	}
}
