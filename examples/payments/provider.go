package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// provider is a payment provider as they are: slow at times, failing at times, and
// at times it charges and then does not answer. It honours keys: a call with a key
// that it knows is the same charge. It stands for the outside, so it lives with
// whoever drives the example, and no kill reaches it.
type provider struct {
	mu       sync.Mutex
	charges  map[string]charge // by key
	log      []charge          // every charge that moved money
	refunds  map[string]int64  // order, by key
	asked    int               // how often somebody asked for a charge
	events   chan providerEvent
	calm     bool // answers every call, soon
	faulty   int  // calls that failed or got no answer
	repeated int  // calls for a charge that was there
}

// charge is a charge, or a card that was declined.
type charge struct {
	Ref      string `json:"ref"`
	Key      string `json:"key"`
	OrderID  int64  `json:"order_id"`
	Cents    int64  `json:"cents"`
	Declined bool   `json:"declined"`
}

// providerEvent is a message that the provider sends once or more.
type providerEvent struct {
	ID      string `json:"id"`
	OrderID int64  `json:"order_id"`
	Version int64  `json:"version"`
	Status  string `json:"status"`
}

func newProvider() *provider {
	return &provider{charges: map[string]charge{}, refunds: map[string]int64{}, events: make(chan providerEvent, 100_000)}
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "POST /charges":
		p.charge(w, r)
	case "GET /charges":
		p.find(w, r)
	case "POST /refunds":
		p.refund(w, r)
	default:
		http.NotFound(w, r)
	}
}

// charge charges, unless the key is known. One call in ten fails before that, one
// in ten after, and one in ten takes longer than anybody waits.
func (p *provider) charge(w http.ResponseWriter, r *http.Request) {
	var c charge
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fate := rand.IntN(10) //nolint:gosec // no secret
	if p.quiet() {
		fate = 9
	}
	if fate == 0 {
		p.fail(w)
		return
	}
	c.Key = r.Header.Get("Idempotency-Key")
	c.Declined = declines(c.OrderID)
	p.mu.Lock()
	known, ok := p.charges[c.Key]
	if ok {
		p.repeated++
	} else {
		c.Ref = fmt.Sprintf("ch_%06d", len(p.charges)+1)
		known = c
		p.charges[c.Key] = c
		if !c.Declined {
			p.log = append(p.log, c)
			p.announce(c)
		}
	}
	p.mu.Unlock()
	switch fate {
	case 1:
		p.fail(w) // charged, and says that it has not
		return
	case 2:
		p.count()
		sleep(r.Context(), 2*time.Second) // charged, and nobody waits for the answer
		return
	}
	_ = json.NewEncoder(w).Encode(known)
}

// declines says whose cards are declined.
func declines(order int64) bool { return order%20 == 0 }

// announce tells what happened to an order, in two messages. Whoever sends them
// does so more than once, and in any order.
func (p *provider) announce(c charge) {
	for version, status := range []string{"authorised", "captured"} {
		p.events <- providerEvent{fmt.Sprintf("%s/%d", c.Ref, version+1), c.OrderID, int64(version + 1), status}
	}
}

// find says what became of a key.
func (p *provider) find(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	c, ok := p.charges[r.URL.Query().Get("key")]
	p.asked++
	p.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(c)
}

// refund gives the money of an order back, once for each key.
func (p *provider) refund(w http.ResponseWriter, r *http.Request) {
	var c charge
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.refunds[r.Header.Get("Idempotency-Key")] = c.OrderID
	p.mu.Unlock()
	if !p.quiet() && rand.IntN(10) == 0 { //nolint:gosec // no secret
		p.fail(w) // given back, and says that it has not
	}
}

func (p *provider) fail(w http.ResponseWriter) {
	p.count()
	http.Error(w, "try again", http.StatusInternalServerError)
}

func (p *provider) count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faulty++
}

func (p *provider) quiet() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calm
}

// calmDown ends the failures, so that what is left can come to its end.
func (p *provider) calmDown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calm = true
}

// bank is the provider as the service sees it.
type bank struct {
	url  string
	http *http.Client
}

// charge asks for a charge under a key. An error does not say whether it was made.
func (b *bank) charge(ctx context.Context, key string, order, cents int64) (charge, error) {
	var c charge
	err := b.call(ctx, http.MethodPost, "/charges", key, charge{OrderID: order, Cents: cents}, &c)
	return c, err
}

// find asks what became of a charge; ok is false when the provider knows of none.
func (b *bank) find(ctx context.Context, key string) (c charge, ok bool, err error) {
	err = b.call(ctx, http.MethodGet, "/charges?key="+url.QueryEscape(key), "", nil, &c)
	return c, err == nil && c.Ref != "", err
}

func (b *bank) call(ctx context.Context, method, path, key string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	r.Header.Set("Idempotency-Key", key)
	answer, err := b.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return nil
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("the provider answered %s", answer.Status)
	case into == nil:
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// sleep waits until d is over or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
