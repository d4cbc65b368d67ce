package golang_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/faultproxy"
	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/idempotency/store"
)

// provider is a payment provider that knows its keys, and what was asked of it.
type provider struct {
	mu    sync.Mutex
	calls map[string]int // by key
	again int            // calls that said so
	asked int            // whether a call was made
}

type charge struct {
	ID string `json:"id"`
}

func (p *provider) charge(_ context.Context, call pawl.Call) (charge, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]int{}
	}
	p.calls[call.Key]++
	if call.Again {
		p.again++
	}
	return charge{"ch-" + call.Key}, nil
}

func (p *provider) resume(_ context.Context, call pawl.Call) (charge, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return charge{"ch-" + call.Key}, p.calls[call.Key] > 0, nil
}

// phases are a payment's: it reserves one order, charges, and records another.
func (p *provider) phases() store.CreatePaymentPhases[charge] {
	return store.CreatePaymentPhases[charge]{
		Reserve: func(ctx context.Context, tx *store.Store) error {
			_, err := tx.Orders.Insert(ctx, store.OrderInsert{TenantID: 1, What: "reserved"})
			return err
		},
		Charge: p.charge,
		Resume: p.resume,
		Record: func(ctx context.Context, tx *store.Store, c charge) (pawl.Response, error) {
			if _, err := tx.Orders.Insert(ctx, store.OrderInsert{TenantID: 1, What: c.ID}); err != nil {
				return pawl.Response{}, err
			}
			return pawl.JSON(http.StatusCreated, c)
		},
	}
}

// once fails the test unless every key was charged once, and both orders are there
// once for each of n keys.
func (p *provider) once(a *onceArena, n int) {
	a.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) != n {
		a.Errorf("the provider saw %d keys, want %d: %v", len(p.calls), n, p.calls)
	}
	for key, times := range p.calls {
		if times != 1 {
			a.Errorf("%s was charged %d times", key, times)
		}
	}
	a.count("SELECT count(*) FROM app.orders WHERE what = 'reserved'", n)
	a.count("SELECT count(*) FROM app.orders WHERE what <> 'reserved'", n)
}

func (a *onceArena) pay(db *store.Store, key string, work store.CreatePaymentWork, want pawl.Outcome) pawl.Response {
	a.Helper()
	answer, outcome, err := db.CreatePayment.Do(a.Context(), 1, key, order{"tea"}, work)
	if outcome != want {
		a.Errorf("pay %s: %s, %v; want %s", key, outcome, err, want)
	}
	return answer
}

// expire ends the leases of all keys.
func (a *onceArena) expire() {
	a.Helper()
	a.exec("UPDATE app.create_payment SET lease_until = now() WHERE state = 'in_progress'")
}

func TestPhasesRunOnce(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	for i, mode := range execModes {
		a.db = store.New(poolIn(t, a.direct.Config().ConnString(), mode, nil), pawl.WithObserver(a.seen))
		key := fmt.Sprintf("k%d", i)
		first := a.pay(a.db, key, p.phases(), pawl.OutcomeExecuted)
		equalAnswers(t, a.pay(a.db, key, p.phases(), pawl.OutcomeReplayed), first)
		var c charge
		a.must(first.Decode(&c))
		if c.ID != "ch-create_payment/1/"+key+"/charge" || first.Status != http.StatusCreated {
			t.Errorf("answered %d %v", first.Status, c)
		}
	}
	p.once(a, len(execModes))
	if p.asked != 0 || p.again != 0 {
		t.Errorf("asked %d times for calls that were never lost", p.asked)
	}
	// Long keys, and those that would run into each other, are told apart.
	for _, key := range []string{strings.Repeat("k", pawl.MaxKey), "a/b", "a%2Fb"} {
		a.pay(a.db, key, p.phases(), pawl.OutcomeExecuted)
	}
	p.once(a, len(execModes)+3)
	for key := range p.calls {
		if len(key) > pawl.MaxKey {
			t.Errorf("a key for the provider has %d bytes", len(key))
		}
	}
}

func TestPhasesRefuseATransaction(t *testing.T) {
	a := newOnceArena(t)
	_, err := store.InTx(t.Context(), a.db, func(ctx context.Context, tx *store.Store) (int, error) {
		_, _, err := tx.CreatePayment.Do(ctx, 1, "k", nil, (&provider{}).phases())
		return 0, err
	})
	if err == nil || !strings.Contains(err.Error(), "needs a pool") {
		t.Error(err)
	}
}

// TestPhasesAfterAnError gives the key back: free in the first phase, and at the
// phase that failed later on, for the same payload alone.
func TestPhasesAfterAnError(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	broken := errors.New("broken")
	failing := p.phases()
	failing.Reserve = func(context.Context, *store.Store) error { return broken }
	if _, outcome, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"coffee"}, failing); !errors.Is(err, broken) || outcome != pawl.OutcomeError {
		t.Errorf("%s, %v", outcome, err)
	}
	a.count("SELECT count(*) FROM app.create_payment", 0)

	failing = p.phases()
	failing.Charge = func(context.Context, pawl.Call) (charge, error) { return charge{}, broken }
	if _, _, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, failing); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, outcome, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"coffee"}, p.phases()); !errors.Is(err, pawl.ErrPayloadMismatch) {
		t.Errorf("another payload for a key that failed: %s, %v", outcome, err)
	}
	failing = p.phases()
	failing.Record = func(context.Context, *store.Store, charge) (pawl.Response, error) { panic("oh") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _, _ = a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, failing)
	}()
	a.pay(a.db, "k", p.phases(), pawl.OutcomeTakeover)
	a.pay(a.db, "k", p.phases(), pawl.OutcomeReplayed)
	p.once(a, 1)
	if p.asked != 1 {
		t.Errorf("asked %d times whether the failed call was made", p.asked)
	}
}

// TestPhasesComparePayloads in each state of a key (T6).
func TestPhasesComparePayloads(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	mismatch := func(state string) {
		t.Helper()
		_, outcome, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"coffee"}, p.phases())
		if !errors.Is(err, pawl.ErrPayloadMismatch) || outcome != pawl.OutcomeMismatch {
			t.Errorf("%s: %s, %v", state, outcome, err)
		}
	}
	work := p.phases()
	work.Charge = func(ctx context.Context, call pawl.Call) (charge, error) {
		mismatch("in flight")
		var busy *pawl.InProgressError
		_, _, err := a.db.CreatePayment.Do(ctx, 1, "k", order{"tea"}, p.phases())
		if !errors.As(err, &busy) || busy.RetryAfter <= 0 || busy.RetryAfter > time.Second || pawl.HTTPStatus(err) != http.StatusConflict {
			t.Errorf("a twin: %v", err)
		}
		a.expire()
		mismatch("its lease over")
		return p.charge(ctx, call)
	}
	a.pay(a.db, "k", work, pawl.OutcomeExecuted) // nobody took it, so the clock decides nothing
	mismatch("completed")
	p.once(a, 1)
}

// paused is an owner that stands still in a phase, past its lease.
type paused struct {
	at, on chan struct{}
	ended  chan error
}

// pause lets a run stand still in its charge, before or after the call.
func (a *onceArena) pause(p *provider, after bool) *paused {
	s := &paused{at: make(chan struct{}), on: make(chan struct{}), ended: make(chan error, 1)}
	work := p.phases()
	work.Charge = func(ctx context.Context, call pawl.Call) (c charge, err error) {
		if after {
			c, err = p.charge(ctx, call)
		}
		close(s.at)
		<-s.on
		if !after {
			c, err = p.charge(context.WithoutCancel(ctx), call)
		}
		return c, err
	}
	go func() {
		_, _, err := a.db.CreatePayment.Do(context.WithoutCancel(a.Context()), 1, "k", order{"tea"}, work)
		s.ended <- err
	}()
	<-s.at
	return s
}

// TestPhasesBesideAPausedOwner goes on while the owner stands still, and the owner
// after that: nothing it does counts (W7, T3, T4).
func TestPhasesBesideAPausedOwner(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after its call: %t", after), func(t *testing.T) {
			a, p := newOnceArena(t), &provider{}
			s := a.pause(p, after)
			other := store.New(a.direct)
			for {
				a.expire() // its heartbeats go on: it is stopped, not dead
				_, outcome, err := other.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, p.phases())
				if outcome == pawl.OutcomeTakeover && err == nil {
					break
				}
				if !errors.Is(err, pawl.ErrInProgress) {
					t.Fatalf("%s, %v", outcome, err)
				}
			}
			var before, then string
			row := "SELECT t::text FROM app.create_payment AS t"
			a.must(a.direct.QueryRow(t.Context(), row).Scan(&before))
			close(s.on)
			if err := <-s.ended; !errors.Is(err, pawl.ErrLeaseLost) {
				t.Errorf("the owner: %v", err)
			}
			a.must(a.direct.QueryRow(t.Context(), row).Scan(&then))
			if then != before {
				t.Errorf("the owner changed the row:\n%s\n%s", before, then)
			}
			a.effects(2)
			// Whoever was first at the provider, both used one key.
			if len(p.calls) != 1 || !after && p.calls["create_payment/1/k/charge"] != 2 {
				t.Errorf("the provider saw %v", p.calls)
			}
			if after && (p.asked != 1 || p.calls["create_payment/1/k/charge"] != 1) {
				t.Errorf("asked %d times, called %v", p.asked, p.calls)
			}
		})
	}
}

// TestPhasesHeartbeat keeps the key for longer than a lease.
func TestPhasesHeartbeat(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	s := a.pause(p, false)
	a.eventually("SELECT clock_timestamp() > started_at + interval '1300 ms' FROM app.create_payment")
	if _, outcome, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, p.phases()); outcome != pawl.OutcomeInProgress {
		t.Errorf("beside an owner that is alive: %s, %v", outcome, err)
	}
	close(s.on)
	a.must(<-s.ended)
	p.once(a, 1)
}

// TestPhasesManyTakers has 100 callers find one key whose lease is over (T5).
func TestPhasesManyTakers(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	failing := p.phases()
	failing.Charge = func(context.Context, pawl.Call) (charge, error) { return charge{}, errors.New("broken") }
	_, _, _ = a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, failing)
	var takers sync.WaitGroup
	start := make(chan struct{})
	for range 100 {
		takers.Go(func() {
			<-start
			_, _, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, p.phases())
			if err != nil && !errors.Is(err, pawl.ErrInProgress) {
				t.Error(err)
			}
		})
	}
	close(start)
	takers.Wait()
	p.once(a, 1)
	a.count("SELECT fence FROM app.create_payment", 2)
	if got := a.seen.answers(); got[pawl.OutcomeTakeover] != 1 {
		t.Errorf("the observer saw %v", got)
	}
}

// TestPhasesThroughCutConnections loses the connection at each message of a run,
// before the server has it and after it has answered; another process goes on
// (W1 to W6, T2, T9).
func TestPhasesThroughCutConnections(t *testing.T) {
	a := newOnceArena(t)
	a.db = store.New(a.connect(a.pool.Config().ConnString()))
	p := &provider{}
	a.pay(a.db, "warm", p.phases(), pawl.OutcomeExecuted)
	a.proxy.Reset()
	a.pay(a.db, "measured", p.phases(), pawl.OutcomeExecuted)
	messages, keys := a.proxy.RoundTrips(), 2
	other := store.New(a.direct)
	for _, action := range []faultproxy.Action{faultproxy.Cut, faultproxy.SwallowReply} {
		for n := range messages {
			key := fmt.Sprintf("k%d-%d", action, n)
			var seen int
			var mu sync.Mutex
			ctx, cancel := context.WithCancel(t.Context())
			a.proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action {
				mu.Lock()
				defer mu.Unlock()
				if f.EndsRoundTrip() {
					if seen++; seen == n+1 {
						return action
					}
					if seen > n+1 { // the process is gone
						cancel()
						return faultproxy.Cut
					}
				}
				return faultproxy.Forward
			})
			_, _, err := a.db.CreatePayment.Do(ctx, 1, key, order{"tea"}, p.phases())
			cancel()
			a.proxy.SetRules()
			a.expire()
			keys++
			first, outcome, again := other.CreatePayment.Do(t.Context(), 1, key, order{"tea"}, p.phases())
			if again != nil {
				t.Errorf("message %d, %d: after %v: %s, %v", n, action, err, outcome, again)
				continue
			}
			equalAnswers(t, a.pay(other, key, p.phases(), pawl.OutcomeReplayed), first)
		}
	}
	p.once(a, keys)
	if p.asked == 0 {
		t.Error("no call was lost")
	}
}

// TestPhasesRecoverWithinALease measures how long a key is held by a process that
// is gone.
func TestPhasesRecoverWithinALease(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	work := p.phases()
	work.Charge = func(ctx context.Context, call pawl.Call) (charge, error) {
		c, err := p.charge(ctx, call)
		a.proxy.SetRules(func(faultproxy.Frame) faultproxy.Action { return faultproxy.Cut })
		return c, err
	}
	if _, _, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, work); err == nil {
		t.Error("the process is gone, and got an answer")
	}
	other, died := store.New(a.direct), time.Now()
	for {
		_, outcome, err := other.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, p.phases())
		if err == nil {
			if outcome != pawl.OutcomeTakeover {
				t.Errorf("%s", outcome)
			}
			break
		}
		var busy *pawl.InProgressError
		if !errors.As(err, &busy) {
			t.Fatal(err)
		}
		time.Sleep(busy.RetryAfter)
	}
	took := time.Since(died)
	t.Logf("recovered after %s, with a lease of 1 s", took.Round(time.Millisecond))
	if took > 2*time.Second {
		t.Errorf("it took %s", took)
	}
	p.once(a, 1)
}

// TestPhasesLoseTheirCommit finds out by the row what became of a phase, without
// anybody else's help (W5).
func TestPhasesLoseTheirCommit(t *testing.T) {
	for _, action := range []faultproxy.Action{faultproxy.Cut, faultproxy.SwallowReply} {
		for n := range 2 {
			a, p := newOnceArena(t), &provider{}
			commits := 0
			a.proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action {
				if faultproxy.Commit(f) {
					if commits++; commits == n+1 {
						return action
					}
				}
				return faultproxy.Forward
			})
			answer := a.pay(a.db, "k", p.phases(), pawl.OutcomeExecuted)
			equalAnswers(t, a.pay(a.db, "k", p.phases(), pawl.OutcomeReplayed), answer)
			p.once(a, 1)
		}
	}
}

// TestPhasesAfterTheirRetention runs again, and tells of it (T12).
func TestPhasesAfterTheirRetention(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	a.pay(a.db, "k", p.phases(), pawl.OutcomeExecuted)
	for runs, reap := range []bool{false, true} {
		a.exec("UPDATE app.create_payment SET expires_at = now()")
		if reap {
			if n, err := a.db.CreatePayment.Reap(t.Context(), 10); n != 1 || err != nil {
				t.Errorf("reaped %d, %v", n, err)
			}
		}
		// Another payload is another request now.
		_, outcome, err := a.db.CreatePayment.Do(t.Context(), 1, "k", order{"coffee"}, p.phases())
		if outcome != pawl.OutcomeExecuted {
			t.Errorf("%s, %v", outcome, err)
		}
		a.count("SELECT runs FROM app.create_payment_expired WHERE ran_at IS NOT NULL", runs+1)
	}
	a.effects(6)
	if p.asked != 0 {
		t.Errorf("asked %d times", p.asked)
	}
}

// TestReapersKeepWhatIsAlive never reap work in progress, however old, nor a key
// that is begun anew while the reaper looks (W9, T7). Without the lock and the
// condition that stands outside, the same reaper deletes it.
func TestReapersKeepWhatIsAlive(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	program := compile(t, idempotencyCase)
	var sql string
	for i := range program.Idempotencies {
		if o := &program.Idempotencies[i]; o.Name == "ship_parcel" {
			sql = o.Step("reap").Statements[0].SQL
		}
	}
	failing := p.phases()
	failing.Charge = func(context.Context, pawl.Call) (charge, error) { return charge{}, errors.New("broken") }
	_, _, _ = a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, failing)
	a.exec("UPDATE app.create_payment SET started_at = now() - interval '1 year'")
	if n, err := a.db.CreatePayment.Reap(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("reaped %d keys in progress, %v", n, err)
	}

	plain := strings.Replace(sql, " FOR UPDATE SKIP LOCKED", "", 1)
	plain = strings.Replace(plain, " AND t.state = 'completed' AND t.expires_at <= statement_timestamp()", "", 1)
	if plain == sql || strings.Count(plain, "expires_at") != 2 {
		t.Fatalf("the guards stand elsewhere in %s", sql)
	}
	for name, c := range map[string]struct {
		sql  string
		left int
	}{"as it is": {sql, 1}, "without its guards": {plain, 0}} {
		t.Run(name, func(t *testing.T) {
			a.exec("TRUNCATE app.ship_parcel; INSERT INTO app.ship_parcel (order_id, payload_hash, hash_version, state, fence, owner, recovery_point, reference, expires_at) " +
				"VALUES (1, '', 1, 'completed', 1, 'me', 'label', 'x', now())")
			again, err := a.direct.Begin(t.Context())
			a.must(err)
			defer func() { _ = again.Rollback(context.Background()) }()
			_, err = again.Exec(t.Context(), "UPDATE app.ship_parcel SET state = 'in_progress', lease_until = now() + interval '1 h', expires_at = NULL, reference = NULL")
			a.must(err)
			reaped := make(chan error, 1)
			go func() {
				_, err := a.pool.Exec(context.WithoutCancel(t.Context()), c.sql, 10)
				reaped <- err
			}()
			if c.left == 1 {
				a.must(<-reaped) // it waits for nobody
			} else {
				a.eventually("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
			}
			a.must(again.Commit(t.Context()))
			if c.left == 0 {
				a.must(<-reaped)
			}
			a.count("SELECT count(*) FROM app.ship_parcel", c.left)
		})
	}
}

// TestLeasesBeginWhenTheyAreWritten: a transaction that has waited does not write a
// lease that is over already (W8, T8).
func TestLeasesBeginWhenTheyAreWritten(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	failing := p.phases()
	failing.Charge = func(context.Context, pawl.Call) (charge, error) { return charge{}, errors.New("broken") }
	_, _, _ = a.db.CreatePayment.Do(t.Context(), 1, "k", order{"tea"}, failing)
	program := compile(t, idempotencyCase)
	for i := range program.Idempotencies {
		o := &program.Idempotencies[i]
		if o.Name != "create_payment" {
			continue
		}
		tx, err := a.direct.BeginTx(t.Context(), pgx.TxOptions{})
		a.must(err)
		defer func() { _ = tx.Rollback(context.Background()) }()
		_, err = tx.Exec(t.Context(), "SELECT pg_sleep(0.3)")
		a.must(err)
		_, err = tx.Exec(t.Context(), o.Step("heartbeat").Statements[0].SQL, 1, "k", 1)
		a.must(err)
		var whole bool
		a.must(tx.QueryRow(t.Context(), "SELECT lease_until > clock_timestamp() + interval '800 ms' FROM app.create_payment").Scan(&whole))
		if !whole {
			t.Error("a lease began with its transaction")
		}
	}
}

// TestPhasesByReference makes two calls, keeps nothing and stores a reference.
func TestPhasesByReference(t *testing.T) {
	a := newOnceArena(t)
	var calls []string
	fail := true
	work := store.ShipParcelPhases{
		Label: func(_ context.Context, call pawl.Call) error { calls = append(calls, call.Key); return nil },
		Pickup: func(_ context.Context, call pawl.Call) error {
			calls = append(calls, fmt.Sprintf("%s again: %t", call.Key, call.Again))
			if fail {
				fail = false
				return errors.New("broken")
			}
			return nil
		},
		ResumePickup: func(context.Context, pawl.Call) (bool, error) { return false, nil },
		Note: func(ctx context.Context, tx *store.Store) (string, error) {
			_, err := placing(ctx, tx)
			return "parcel/7", err
		},
	}
	fetch := func(_ context.Context, reference string) (pawl.Response, error) {
		return pawl.Response{Body: []byte(reference)}, nil
	}
	if _, _, err := a.db.ShipParcel.Do(t.Context(), 7, nil, work, fetch); err == nil {
		t.Error("no error")
	}
	for _, want := range []pawl.Outcome{pawl.OutcomeTakeover, pawl.OutcomeReplayed} {
		answer, outcome, err := a.db.ShipParcel.Do(t.Context(), 7, nil, work, fetch)
		if outcome != want || err != nil || string(answer.Body) != "parcel/7" {
			t.Errorf("%s, %q, %v; want %s", outcome, answer.Body, err, want)
		}
	}
	want := []string{"ship_parcel/7/label", "ship_parcel/7/pickup again: false", "ship_parcel/7/pickup again: true"}
	if !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
	a.effects(1)
}
