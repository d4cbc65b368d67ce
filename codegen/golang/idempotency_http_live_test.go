package golang_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/idempotency/store"
)

// tenantOf reads a tenant from a header.
func tenantOf(r *http.Request) (id int64, err error) {
	if _, err := fmt.Sscan(r.Header.Get("Tenant"), &id); err != nil {
		return 0, fmt.Errorf("%w: no tenant", pawl.ErrBadInput)
	}
	return id, nil
}

// TestMiddleware answers as draft-ietf-httpapi-idempotency-key-header says.
func TestMiddleware(t *testing.T) {
	a := newOnceArena(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	handler := a.db.PlaceOrder.Middleware(tenantOf, func(ctx context.Context, tx *store.Store, r *http.Request) (pawl.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return pawl.Response{}, err
		}
		if strings.Contains(string(body), "slow") {
			close(entered)
			<-leave
		}
		if strings.Contains(string(body), "broken") {
			return pawl.Response{}, errors.New("secret")
		}
		return placing(ctx, tx)
	})
	ask := func(key, tenant, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		if key != "" {
			r.Header.Set(pawl.KeyHeader, key)
		}
		r.Header.Set("Tenant", tenant)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	want := func(what string, w *httptest.ResponseRecorder, status int, replayed bool) {
		t.Helper()
		if w.Code != status || (w.Header().Get(pawl.ReplayedHeader) == "true") != replayed {
			t.Errorf("%s: %d, replayed %q: %s", what, w.Code, w.Header().Get(pawl.ReplayedHeader), w.Body)
		}
		if strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: the answer tells an error: %s", what, w.Body)
		}
	}
	first := ask(`"k"`, "1", "/orders", `{"what":"tea","n":1}`)
	want("fresh", first, 201, false)
	again := ask("k", "1", "/orders", ` {"n":1.0, "what":"tea"} `)
	want("the same, spelled otherwise", again, 201, true)
	if again.Body.String() != first.Body.String() || again.Header().Get("Content-Type") != "application/json" {
		t.Errorf("replayed %s, %s", again.Header(), again.Body)
	}
	want("another body", ask("k", "1", "/orders", `{"what":"coffee"}`), 422, false)
	want("another path", ask("k", "1", "/refunds", `{"what":"tea","n":1}`), 422, false)
	want("no key", ask("", "1", "/orders", "{}"), 400, false)
	want("a bad key", ask("k k", "1", "/orders", "{}"), 400, false)
	want("no tenant", ask("k2", "", "/orders", "{}"), 400, false)
	want("a long body", ask("k3", "1", "/orders", strings.Repeat(" ", pawl.MaxRequestBody+1)), 413, false)
	want("an error", ask("k4", "1", "/orders", `"broken"`), 500, false)
	want("its key is free", ask("k4", "1", "/orders", `"whole"`), 201, false)
	want("no JSON", ask("k5", "1", "/orders", `{"a":1,"a":2}`), 201, false)
	want("no JSON again", ask("k5", "1", "/orders", `{"a":1,"a":2}`), 201, true)
	a.effects(3)

	slow := make(chan *httptest.ResponseRecorder)
	go func() { slow <- ask("k6", "1", "/orders", `"slow"`) }()
	<-entered
	twin := ask("k6", "1", "/orders", `"slow"`)
	want("a twin", twin, 409, false)
	if twin.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", twin.Header().Get("Retry-After"))
	}
	close(leave)
	want("the owner", <-slow, 201, false)
	a.effects(4)

	p := &provider{}
	pay := a.db.CreatePayment.Middleware(tenantOf, func(*http.Request) store.CreatePaymentWork { return p.phases() })
	handler = pay
	want("phased", ask("k", "1", "/payments", `{}`), 201, false)
	want("phased again", ask("k", "1", "/payments", `{}`), 201, true)
	if len(p.calls) != 1 {
		t.Errorf("the provider saw %v", p.calls)
	}
}

// TestMaintain reaps every idempotency, from one process at a time.
func TestMaintain(t *testing.T) {
	a, p := newOnceArena(t), &provider{}
	old := func() {
		a.place("k", pawl.OutcomeExecuted)
		a.pay(a.db, "k", p.phases(), pawl.OutcomeExecuted)
		a.exec("UPDATE app.place_order SET expires_at = now(); UPDATE app.create_payment SET expires_at = now()")
	}
	rest := "SELECT (SELECT count(*) FROM app.place_order) + (SELECT count(*) FROM app.create_payment)"
	old()
	// More than one batch of them.
	a.exec("INSERT INTO app.place_order (tenant_id, key, payload_hash, hash_version, status, expires_at) SELECT 9, n::text, '', 1, 200, now() FROM generate_series(1, 2500) AS n")
	a.must(a.db.Maintain(t.Context()))
	a.count(rest, 0)
	old()
	_, err := store.InTx(t.Context(), store.New(a.direct), func(ctx context.Context, tx *store.Store) (int, error) {
		// Another process is at it.
		var yes bool
		err := tx.DB().QueryRow(ctx, "SELECT pg_try_advisory_xact_lock(hash_record_extended(ROW('pawl.maintain'::text, 'idempotency'::text), 0))").Scan(&yes)
		if err != nil || !yes {
			return 0, errors.Join(err, errors.New("the lock is taken"))
		}
		if err := tx.Maintain(ctx); err == nil {
			t.Error("upkeep inside a transaction")
		}
		return 0, a.db.Maintain(ctx)
	})
	a.must(err)
	a.count(rest, 2)
	// A reaper that fails does not keep the others from running.
	a.exec("ALTER TABLE app.create_payment RENAME TO gone")
	if err := a.db.Maintain(t.Context()); err == nil || !strings.Contains(err.Error(), "create_payment.reap") {
		t.Error(err)
	}
	a.count("SELECT count(*) FROM app.place_order", 0)
}
