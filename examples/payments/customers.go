package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// customers order, and do what customers do.
type customers struct {
	url  string
	http *http.Client

	mu       sync.Mutex
	receipts map[int64]receipt // by order
	wrong    []string
	tries    int
	twice    int // orders that were asked for twice at the same moment
	replays  int // answers that were asked for again
	changed  int // requests with the key of another one
	refunds  int
}

// reply is what the service answered in the end.
type reply struct {
	status   int
	body     string
	replayed bool
}

// buy pays for an order, and sometimes once more.
func (c *customers) buy(ctx context.Context, id int64) {
	o := order{id, 100 + id}
	answers := make(chan reply, 2)
	presses := 1
	if id%10 == 3 {
		presses = 2
		c.count(&c.twice)
	}
	var presser sync.WaitGroup
	for range presses {
		presser.Go(func() { answers <- c.pay(ctx, id, o) })
	}
	presser.Wait()
	first := <-answers
	if ctx.Err() != nil {
		return
	}
	c.keep(id, first)
	if presses == 2 {
		c.same(id, first, <-answers)
	}
	if id%10 == 4 {
		c.count(&c.replays)
		again := c.pay(ctx, id, o)
		c.same(id, first, again)
		if !again.replayed {
			c.complain(id, "an answer that was stored is not marked")
		}
	}
	if id%10 == 5 {
		c.count(&c.changed)
		if r := c.pay(ctx, id, order{id, 1}); r.status != http.StatusUnprocessableEntity {
			c.complain(id, fmt.Sprintf("another payload got %d %s", r.status, r.body))
		}
	}
	if id%10 == 6 {
		c.refund(ctx, id)
	}
}

// refund asks for the money twice, at the same moment: as two people do who share
// an account.
func (c *customers) refund(ctx context.Context, id int64) {
	c.count(&c.refunds)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if r := c.ask(ctx, fmt.Sprintf("/payments/%d/refund", id), "", nil); r.status != http.StatusOK && ctx.Err() == nil {
				c.complain(id, fmt.Sprintf("the refund got %d %s", r.status, r.body))
			}
		})
	}
	both.Wait()
}

func (c *customers) pay(ctx context.Context, id int64, o order) reply {
	return c.ask(ctx, "/payments", fmt.Sprint("order-", id), o)
}

// ask asks until there is an answer that is one: nobody knows what a broken
// connection means, so the same request is sent again with the same key.
func (c *customers) ask(ctx context.Context, path, key string, body any) reply {
	raw, err := json.Marshal(body)
	if err != nil {
		return reply{body: err.Error()}
	}
	for ctx.Err() == nil {
		c.count(&c.tries)
		r, err := c.once(ctx, path, key, raw)
		if err == nil && r.status != http.StatusConflict && r.status < 500 {
			return r
		}
		sleep(ctx, 20*time.Millisecond+rand.N(130*time.Millisecond)) //nolint:gosec // no secret
	}
	return reply{body: ctx.Err().Error()}
}

func (c *customers) once(ctx context.Context, path, key string, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, string(text), answer.Header.Get("Idempotency-Replayed") == "true"}, err
}

// keep notes the receipt of an order.
func (c *customers) keep(id int64, r reply) {
	var got receipt
	if err := json.Unmarshal([]byte(r.body), &got); err != nil {
		c.complain(id, fmt.Sprintf("%d %s is no receipt", r.status, r.body))
		return
	}
	want := http.StatusCreated
	if declines(id) {
		want = http.StatusPaymentRequired
	}
	if r.status != want {
		c.complain(id, fmt.Sprintf("%d %s, want %d", r.status, r.body, want))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.receipts[id] = got
}

// same demands that who asks again gets the same answer.
func (c *customers) same(id int64, first, again reply) {
	if first.status != again.status || first.body != again.body {
		c.complain(id, fmt.Sprintf("two answers: %d %s and %d %s", first.status, first.body, again.status, again.body))
	}
}

func (c *customers) complain(id int64, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf("order %d: %s", id, text))
}

func (c *customers) count(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}
