package golang_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/faultproxy"
	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/idempotency/store"
)

// idempotencyCase is the golden folder whose package these tests run as it stands.
const idempotencyCase = cases + "/idempotency"

// onceArena is a database with the case's schema, reached directly and through a
// proxy that can break connections.
type onceArena struct {
	*testing.T
	proxy  *faultproxy.Proxy
	pool   *pgxpool.Pool // through the proxy
	direct *pgxpool.Pool
	db     *store.Store // on pool
	seen   *events
}

type events struct {
	mu   sync.Mutex
	list []pawl.Event
}

func (e *events) Observe(_ context.Context, event pawl.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, event)
}

// answers are the outcomes of whole requests, and how often each was seen.
func (e *events) answers() map[pawl.Outcome]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := map[pawl.Outcome]int{}
	for _, event := range e.list {
		if event.Request {
			counts[event.Outcome]++
		}
	}
	return counts
}

// onceTemplate is a database with the case's schema, which these tests copy: that
// is quicker than to build it for each.
const onceTemplate = "idempotency_case"

var onceTemplateMade bool // no test here runs beside another

func cloneOfCase(t *testing.T) (url string) {
	t.Helper()
	server := pgtest.Server(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if !onceTemplateMade {
		check(server.CreateDatabase(t.Context(), onceTemplate))
		conn, err := pgx.Connect(t.Context(), server.URL(onceTemplate))
		check(err)
		_, err = conn.Exec(t.Context(), postgres.Schema(compile(t, idempotencyCase)), pgx.QueryExecModeSimpleProtocol)
		check(err)
		check(conn.Close(t.Context()))
		onceTemplateMade = true
	}
	name := "idempotency_" + strings.ToLower(rand.Text())
	check(server.CloneDatabase(t.Context(), name, onceTemplate))
	t.Cleanup(func() { check(server.DropDatabase(context.Background(), name)) })
	return server.URL(name)
}

func newOnceArena(t *testing.T, change ...func(*pgxpool.Config)) *onceArena {
	t.Helper()
	a := &onceArena{T: t, seen: &events{}}
	url := cloneOfCase(t)
	config, err := pgx.ParseConfig(url)
	a.must(err)
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	a.proxy, err = faultproxy.Start(func() (net.Conn, error) { return net.Dial(network, address) })
	a.must(err)
	t.Cleanup(func() { _ = a.proxy.Close() })
	a.pool, a.direct = a.connect(a.proxy.URL(config.User, config.Database), change...), a.connect(url)
	a.db = store.New(a.pool, pawl.WithObserver(a.seen))
	return a
}

func (a *onceArena) connect(url string, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	a.Helper()
	config, err := pgxpool.ParseConfig(url)
	a.must(err)
	config.MaxConns = 10
	for _, c := range change {
		c(config)
	}
	pool, err := pgxpool.NewWithConfig(a.Context(), config)
	a.must(err)
	a.Cleanup(pool.Close)
	return pool
}

func (a *onceArena) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

func (a *onceArena) exec(sql string) {
	a.Helper()
	_, err := a.direct.Exec(context.Background(), sql)
	a.must(err)
}

// count fails the test unless a query for one number gives n.
func (a *onceArena) count(sql string, n int) {
	a.Helper()
	var got int
	a.must(a.direct.QueryRow(context.Background(), sql).Scan(&got))
	if got != n {
		a.Errorf("%s: %d, want %d", sql, got, n)
	}
}

// effects fails the test unless the work was done n times.
func (a *onceArena) effects(n int) { a.Helper(); a.count("SELECT count(*) FROM app.orders", n) }

// eventually waits for what another goroutine or the server brings about.
func (a *onceArena) eventually(sql string) {
	a.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		var yes bool
		a.must(a.direct.QueryRow(context.Background(), sql).Scan(&yes))
		if yes {
			return
		}
		if time.Now().After(end) {
			a.Fatalf("within 10 s it did not become true: %s", sql)
		}
	}
}

type order struct {
	What string `json:"what"`
}

// placing is work with one effect, whose answer names it.
func placing(ctx context.Context, tx *store.Store) (pawl.Response, error) {
	row, err := tx.Orders.Insert(ctx, store.OrderInsert{TenantID: 1, What: "tea"})
	if err != nil {
		return pawl.Response{}, err
	}
	return pawl.JSON(http.StatusCreated, map[string]int64{"id": row.ID})
}

// place asks for an order of tea under a key of tenant 1, and demands an outcome.
func (a *onceArena) place(key string, want pawl.Outcome) pawl.Response {
	a.Helper()
	answer, outcome, err := a.db.PlaceOrder.Do(a.Context(), 1, key, order{"tea"}, placing)
	if outcome != want || err != nil && (want == pawl.OutcomeExecuted || want == pawl.OutcomeReplayed) {
		a.Errorf("place %s: %s, %v; want %s", key, outcome, err, want)
	}
	return answer
}

func equalAnswers(t *testing.T, got, want pawl.Response) {
	t.Helper()
	if got.Status != want.Status || string(got.Body) != string(want.Body) || got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
		t.Errorf("answered %d %v %s, want %d %v %s", got.Status, got.Header, got.Body, want.Status, want.Header, want.Body)
	}
}

// TestOnceReplays does work once, in every exec mode, and more often than
// PostgreSQL needs to make generic plans.
func TestOnceReplays(t *testing.T) {
	a := newOnceArena(t)
	for i, mode := range execModes {
		a.db = store.New(a.connect(a.direct.Config().ConnString(), func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }))
		for n := range 8 {
			key := mode.String() + string(rune('a'+n))
			key = strings.ReplaceAll(key, " ", "-")
			first := a.place(key, pawl.OutcomeExecuted)
			equalAnswers(t, a.place(key, pawl.OutcomeReplayed), first)
			if first.Status != http.StatusCreated || first.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: answered %d %v", mode, first.Status, first.Header)
			}
		}
		a.effects(8 * (i + 1))
	}
}

// TestOnceStoresAFailureThatIsAnAnswer keeps a 4xx, and frees the key of an error
// for any payload.
func TestOnceStoresAFailureThatIsAnAnswer(t *testing.T) {
	a := newOnceArena(t)
	refusing := func(context.Context, *store.Store) (pawl.Response, error) {
		return pawl.Response{Status: http.StatusPaymentRequired}, nil
	}
	for range 2 {
		answer, _, err := a.db.PlaceOrder.Do(t.Context(), 1, "refused", order{"tea"}, refusing)
		if err != nil || answer.Status != http.StatusPaymentRequired {
			t.Errorf("answered %d, %v", answer.Status, err)
		}
	}
	broken := errors.New("broken")
	_, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "broken", order{"coffee"}, func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
		if _, err := placing(ctx, tx); err != nil {
			return pawl.Response{}, err
		}
		return pawl.Response{}, broken
	})
	if !errors.Is(err, broken) || outcome != pawl.OutcomeError {
		t.Errorf("%s, %v", outcome, err)
	}
	a.effects(0)
	a.place("broken", pawl.OutcomeExecuted)
	a.effects(1)
}

// TestOncePayloads compares payloads before anything else.
func TestOncePayloads(t *testing.T) {
	a := newOnceArena(t)
	a.place("k", pawl.OutcomeExecuted)
	for name, payload := range map[string]any{
		"another value": order{"coffee"}, "bytes of the same JSON": []byte(`{"what":"tea"}`), "more": map[string]any{"what": "tea", "n": 1}, "nothing": nil,
	} {
		answer, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", payload, placing)
		if !errors.Is(err, pawl.ErrPayloadMismatch) || outcome != pawl.OutcomeMismatch || answer.Status != 0 || pawl.HTTPStatus(err) != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s, %v, %d", name, outcome, err, pawl.HTTPStatus(err))
		}
	}
	if _, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", map[string]any{"what": "tea"}, placing); outcome != pawl.OutcomeReplayed {
		t.Errorf("a payload that means the same: %s, %v", outcome, err)
	}
	// Another tenant's key is another key (W12).
	if _, outcome, err := a.db.PlaceOrder.Do(t.Context(), 2, "k", order{"coffee"}, placing); outcome != pawl.OutcomeExecuted {
		t.Errorf("the key of another tenant: %s, %v", outcome, err)
	}
	a.effects(2)
	if got := a.seen.answers(); got[pawl.OutcomeMismatch] != 4 || got[pawl.OutcomeExecuted] != 2 || got[pawl.OutcomeReplayed] != 1 {
		t.Errorf("the observer saw %v", got)
	}
	// A hash of a version that this program does not know cannot be compared.
	a.exec("UPDATE app.place_order SET hash_version = 9 WHERE tenant_id = 1")
	if _, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, placing); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("an unknown version: %s, %v", outcome, err)
	}
}

// TestOnceRefusesBadKeys before anything is sent.
func TestOnceRefusesBadKeys(t *testing.T) {
	a := newOnceArena(t)
	a.must(a.pool.Ping(t.Context()))
	a.proxy.Reset()
	for _, key := range []string{"", strings.Repeat("k", pawl.MaxKey+1), "two words", "naïve", "line\n", "\x00", "k\x7f"} {
		_, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, key, order{"tea"}, placing)
		if !errors.Is(err, pawl.ErrBadInput) || outcome != pawl.OutcomeBadInput || pawl.HTTPStatus(err) != http.StatusBadRequest {
			t.Errorf("%q: %s, %v", key, outcome, err)
		}
		if key != "" && strings.Contains(err.Error(), key) {
			t.Errorf("the error holds the key: %v", err)
		}
	}
	if _, _, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", make(chan int), placing); !errors.Is(err, pawl.ErrBadInput) {
		t.Errorf("a payload that is no JSON: %v", err)
	}
	if n := a.proxy.RoundTrips(); n != 0 {
		t.Errorf("%d messages were sent", n)
	}
	a.place(strings.Repeat("k", pawl.MaxKey), pawl.OutcomeExecuted)
}

// TestOnceUnderManyTwins has 200 callers ask for one key at the same moment (T1).
func TestOnceUnderManyTwins(t *testing.T) {
	a := newOnceArena(t)
	start := make(chan struct{})
	var callers sync.WaitGroup
	for range 200 {
		callers.Go(func() {
			<-start
			for {
				_, _, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, placing)
				if !errors.Is(err, pawl.ErrInProgress) {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	close(start)
	callers.Wait()
	a.effects(1)
	if got := a.seen.answers(); got[pawl.OutcomeExecuted] != 1 || got[pawl.OutcomeReplayed] != 199 {
		t.Errorf("the observer saw %v", got)
	}
}

// TestOnceTwinsHoldNoConnection lets 60 callers wait for one key on a pool of ten,
// while others have work of their own.
func TestOnceTwinsHoldNoConnection(t *testing.T) {
	a := newOnceArena(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	var callers sync.WaitGroup
	callers.Go(func() {
		_, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
			close(entered)
			<-leave
			return placing(ctx, tx)
		})
		if outcome != pawl.OutcomeExecuted {
			t.Errorf("the owner: %s, %v", outcome, err)
		}
	})
	<-entered
	var early sync.Map
	for n := range 60 {
		callers.Go(func() {
			for {
				_, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, placing)
				if errors.Is(err, pawl.ErrInProgress) {
					early.Store(n, true)
					continue // its wait of 250 ms is over
				}
				if outcome != pawl.OutcomeReplayed {
					t.Errorf("a twin: %s, %v", outcome, err)
				}
				return
			}
		})
	}
	// Every twin has waited its time out once: all of them are at it.
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		n := 0
		early.Range(func(any, any) bool { n++; return true })
		if n == 60 || time.Now().After(end) {
			break
		}
	}
	slow := 0
	for range 100 {
		sent := time.Now()
		a.must(a.pool.Ping(t.Context()))
		if time.Since(sent) > 200*time.Millisecond {
			slow++
		}
	}
	if slow > 5 {
		t.Errorf("%d of 100 unrelated queries waited for a connection", slow)
	}
	close(leave)
	callers.Wait()
	a.effects(1)
}

// TestOnceRoundTrips compares what travels with the plain transaction.
func TestOnceRoundTrips(t *testing.T) {
	a := newOnceArena(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
	measure := func(work func(n int)) int {
		work(0) // prepares
		a.proxy.Reset()
		work(1)
		return a.proxy.RoundTrips()
	}
	plain := measure(func(int) {
		_, err := store.InTx(t.Context(), a.db, placing)
		a.must(err)
	})
	fresh := measure(func(n int) { a.place("fresh"+string(rune('a'+n)), pawl.OutcomeExecuted) })
	replay := measure(func(int) { a.place("fresha", pawl.OutcomeReplayed) })
	t.Logf("round trips: %d plain, %d fresh, %d replayed", plain, fresh, replay)
	if fresh > plain+2 || replay != 1 {
		t.Errorf("%d round trips plain, %d with a key, %d of a replay; want at most 2 more, and 1", plain, fresh, replay)
	}
}

// The COMMIT that travels with the answer of atomic work: on its way to the server,
// and on its way back.
var (
	commitSent     = faultproxy.Executes("COMMIT")
	commitAnswered = faultproxy.Runs("; COMMIT")
)

// TestOnceThroughLostCommits loses the message that commits, before the server
// has it and after it has answered (W1, W5, W6, T2).
func TestOnceThroughLostCommits(t *testing.T) {
	for name, c := range map[string]struct {
		rule faultproxy.Rule
		want pawl.Outcome
	}{
		"before": {faultproxy.Once(commitSent, faultproxy.Cut), pawl.OutcomeExecuted},
		"after":  {faultproxy.Once(commitAnswered, faultproxy.SwallowReply), pawl.OutcomeReplayed}, // the row tells that it was done
	} {
		t.Run(name, func(t *testing.T) {
			a := newOnceArena(t)
			a.proxy.SetRules(c.rule)
			first := a.place("k", c.want)
			a.effects(1)
			equalAnswers(t, a.place("k", pawl.OutcomeReplayed), first)
		})
	}
	t.Run("and the caller gives up", func(t *testing.T) {
		a := newOnceArena(t)
		ctx, cancel := context.WithCancel(t.Context())
		a.proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action {
			if commitAnswered(f) {
				cancel()
				return faultproxy.SwallowReply
			}
			return faultproxy.Forward
		})
		_, outcome, err := a.db.PlaceOrder.Do(ctx, 1, "k", order{"tea"}, placing)
		if !errors.Is(err, pawl.ErrCommitUnknown) || outcome != pawl.OutcomeCommitUnknown {
			t.Errorf("%s, %v", outcome, err)
		}
		a.proxy.SetRules()
		_, _, err = a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, placing)
		a.must(err)
		a.effects(1)
	})
}

// TestOnceThroughCutConnections loses the connection at each message of a call,
// then asks again: there is one effect, and one answer.
func TestOnceThroughCutConnections(t *testing.T) {
	a := newOnceArena(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
	a.place("warm", pawl.OutcomeExecuted)
	a.proxy.Reset()
	a.place("measured", pawl.OutcomeExecuted)
	messages := a.proxy.RoundTrips()
	for _, action := range []faultproxy.Action{faultproxy.Cut, faultproxy.SwallowReply} {
		for n := range messages {
			key := "k" + string(rune('a'+n)) + string(rune('a'+int(action)))
			a.place("warm", pawl.OutcomeReplayed)
			seen := 0
			a.proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action {
				if f.EndsRoundTrip() {
					seen++
					if seen == n+1 {
						return action
					}
				}
				return faultproxy.Forward
			})
			first, _, err := a.db.PlaceOrder.Do(t.Context(), 1, key, order{"tea"}, placing)
			a.proxy.SetRules()
			if err != nil {
				_ = a.pool.Ping(t.Context()) // the pool may hold the broken connection
			}
			again, outcome, secondErr := a.db.PlaceOrder.Do(t.Context(), 1, key, order{"tea"}, placing)
			if secondErr != nil {
				t.Errorf("message %d: asked again after %v: %s, %v", n, err, outcome, secondErr)
				continue
			}
			if err == nil {
				equalAnswers(t, again, first)
			}
			a.count("SELECT count(*) FROM app.place_order WHERE key = '"+key+"'", 1)
		}
	}
	a.effects(2 + 2*messages)
}

// TestOnceThroughAKilledBackend ends the server's process under the work.
func TestOnceThroughAKilledBackend(t *testing.T) {
	a := newOnceArena(t)
	_, _, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
		if _, err := placing(ctx, tx); err != nil {
			return pawl.Response{}, err
		}
		var pid int
		if err := tx.DB().QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
			return pawl.Response{}, err
		}
		if _, err := a.direct.Exec(ctx, "SELECT pg_terminate_backend($1, 5000)", pid); err != nil {
			return pawl.Response{}, err
		}
		return placing(ctx, tx)
	})
	if err == nil {
		t.Error("no error from a session that was ended")
	}
	a.effects(0)
	a.place("k", pawl.OutcomeExecuted)
	a.effects(1)
}

// TestOnceBesideAClientWithoutTheLock meets a client that writes the key by itself.
func TestOnceBesideAClientWithoutTheLock(t *testing.T) {
	a := newOnceArena(t)
	a.place("stored", pawl.OutcomeExecuted)
	answer, outcome, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
		a.exec("INSERT INTO app.place_order SELECT tenant_id, 'k', payload_hash, hash_version, 299, header, body, stored_at, expires_at FROM app.place_order WHERE key = 'stored' ON CONFLICT DO NOTHING")
		return placing(ctx, tx)
	})
	if outcome != pawl.OutcomeReplayed || answer.Status != 299 {
		t.Errorf("%s, %d, %v; want its answer", outcome, answer.Status, err)
	}
	a.effects(1)
}

// TestOnceInATransaction joins one of the caller's at read committed, and refuses
// others (T10).
func TestOnceInATransaction(t *testing.T) {
	a := newOnceArena(t)
	rollback := errors.New("roll back")
	in := func(level pgx.TxIsoLevel, key string, end error) error {
		_, err := store.InTx(t.Context(), a.db, func(ctx context.Context, tx *store.Store) (int, error) {
			if _, _, err := tx.PlaceOrder.Do(ctx, 1, key, order{"tea"}, placing); err != nil {
				return 0, err
			}
			// The key is held until this transaction ends.
			if _, outcome, _ := a.db.PlaceOrder.Do(ctx, 1, key, order{"tea"}, placing); outcome != pawl.OutcomeInProgress {
				t.Errorf("a twin of an open transaction: %s", outcome)
			}
			return 0, end
		}, pawl.Isolation(level))
		return err
	}
	a.must(in(pgx.ReadCommitted, "commits", nil))
	a.place("commits", pawl.OutcomeReplayed)
	if err := in(pgx.ReadCommitted, "rolls-back", rollback); !errors.Is(err, rollback) {
		t.Error(err)
	}
	a.effects(1)
	a.place("rolls-back", pawl.OutcomeExecuted)
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		var isolation *pawl.IsolationError
		if err := in(level, "k", nil); !errors.As(err, &isolation) {
			t.Errorf("%s: %v", level, err)
		}
	}
	// A mismatch is no failure of the transaction.
	_, err := store.InTx(t.Context(), a.db, func(ctx context.Context, tx *store.Store) (int, error) {
		if _, _, err := tx.PlaceOrder.Do(ctx, 1, "commits", order{"coffee"}, placing); !errors.Is(err, pawl.ErrPayloadMismatch) {
			t.Error(err)
		}
		_, err := placing(ctx, tx)
		return 0, err
	})
	a.must(err)
	a.effects(3)
}

// TestOnceAfterItsRetention runs work again whose answer is no longer kept, and
// tells of it, reaped or not (W10, T12).
func TestOnceAfterItsRetention(t *testing.T) {
	a := newOnceArena(t)
	a.place("k", pawl.OutcomeExecuted)
	for runs, reap := range []bool{false, true} {
		a.exec("UPDATE app.place_order SET expires_at = now() WHERE key = 'k'")
		if reap {
			n, err := a.db.PlaceOrder.Reap(t.Context(), 10)
			if n != 1 || err != nil {
				t.Errorf("reaped %d, %v", n, err)
			}
		}
		a.place("k", pawl.OutcomeExecuted)
		a.count("SELECT runs FROM app.place_order_expired WHERE key = 'k' AND ran_at IS NOT NULL", runs+1)
	}
	a.place("k", pawl.OutcomeReplayed)
	a.effects(3)
	if n, err := a.db.PlaceOrder.Reap(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("reaped %d keys that are kept, %v", n, err)
	}
}

// TestOnceReapsBesideRuns reaps while an expired key is being written anew: the
// reaper passes over it (T7).
func TestOnceReapsBesideRuns(t *testing.T) {
	a := newOnceArena(t)
	a.place("k", pawl.OutcomeExecuted)
	a.exec("UPDATE app.place_order SET expires_at = now()")
	tx, err := a.direct.Begin(t.Context())
	a.must(err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, outcome, err := store.New(tx).PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, placing)
	if outcome != pawl.OutcomeExecuted {
		t.Fatalf("%s, %v", outcome, err)
	}
	if n, err := a.db.PlaceOrder.Reap(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	a.must(tx.Commit(t.Context()))
	if n, err := a.db.PlaceOrder.Reap(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	a.place("k", pawl.OutcomeReplayed)
}

// TestOnceRefusesWhatItCannotStore before anything is committed (W15).
func TestOnceRefusesWhatItCannotStore(t *testing.T) {
	a := newOnceArena(t)
	for name, answer := range map[string]pawl.Response{
		"long": {Body: make([]byte, pawl.MaxStoredBody+1)}, "no status": {Status: 17},
	} {
		_, _, err := a.db.PlaceOrder.Do(t.Context(), 1, "k", order{"tea"}, func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
			_, err := placing(ctx, tx)
			return answer, err
		})
		if !errors.Is(err, pawl.ErrBadInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.effects(0)
}

// TestOnceByReference stores where the answer stands.
func TestOnceByReference(t *testing.T) {
	a := newOnceArena(t)
	id := pgtype.UUID{Bytes: [16]byte{15: 1}, Valid: true}
	fetched := 0
	for _, want := range []pawl.Outcome{pawl.OutcomeExecuted, pawl.OutcomeReplayed} {
		answer, outcome, err := a.db.RefundPayment.Do(t.Context(), id, nil, func(ctx context.Context, tx *store.Store) (string, error) {
			_, err := placing(ctx, tx)
			return "order/1", err
		}, func(_ context.Context, reference string) (pawl.Response, error) {
			fetched++
			return pawl.Response{Body: []byte("from " + reference)}, nil
		})
		if outcome != want || err != nil || string(answer.Body) != "from order/1" {
			t.Errorf("%s, %q, %v; want %s", outcome, answer.Body, err, want)
		}
	}
	if fetched != 2 {
		t.Errorf("fetched %d times", fetched)
	}
	a.effects(1)
}
