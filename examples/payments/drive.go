package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/examples/database"
)

// size is how much a run does.
type size struct {
	payments  int
	customers int
	every     int // payments, from one kill of the service to the next
}

// whole is what the program does.
var whole = size{payments: 1000, customers: 40, every: 40}

// show starts everything, drives it, and says what came of it.
func show(ctx context.Context, out io.Writer, n size) (err error) {
	fmt.Fprintln(os.Stderr, "starting a private PostgreSQL and applying payments.hcl ...")
	server, err := database.Start(ctx, "payments")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	outside := newProvider()
	bankURL, closeBank, err := outside.open()
	if err != nil {
		return err
	}
	defer closeBank()
	listener, url, err := listen()
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()

	d := &drive{size: n, server: server, outside: outside, seen: newTally(), listener: listener, env: []string{databaseVar + "=" + server.URL(), providerVar + "=" + bankURL}}
	d.buyers = &customers{url: url, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, receipts: map[int64]receipt{}}
	fmt.Fprintf(os.Stderr, "%d payments by %d customers ...\n", n.payments, n.customers)
	start := time.Now()
	if err := d.run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d payments in %.1f s: the service was killed %d times and the database restarted %d times; the provider failed %d calls, was called again for %d charges "+
		"that were there and asked for %d; customers sent %d requests\n\n", n.payments, time.Since(start).Seconds(), d.harm.kills, d.harm.restarts, outside.faulty, outside.repeated,
		outside.asked, d.buyers.tries)
	wrong, err := d.prove(ctx, out)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := d.seen.rates(out); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%d numbers are wrong", wrong)
	}
	return nil
}

// open serves the provider on a port of its own.
func (p *provider) open() (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// drive is one run.
type drive struct {
	size
	server   *database.Server
	outside  *provider
	buyers   *customers
	seen     *tally
	listener *os.File
	env      []string
	harm     outages
}

// run lets the customers buy while the service is killed and the database
// restarted, and then gives what is left a quiet end.
func (d *drive) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d.harm.kill = make(chan struct{})
	made := make(chan struct{}, d.payments)
	return together(ctx,
		func(ctx context.Context) error { return d.harm.supervise(ctx, d.listener, d.env, d.seen) },
		func(ctx context.Context) error { return d.harm.disturb(ctx, d.server, d.every, made) },
		func(ctx context.Context) error {
			defer stop()
			told := make(chan struct{})
			go func() { defer close(told); d.tell(ctx) }()
			d.buy(ctx, made)
			close(made)
			d.outside.calmDown()
			close(d.outside.events)
			<-told
			return nil
		},
	)
}

// buy lets the customers buy, until all have, and says so of each payment.
func (d *drive) buy(ctx context.Context, made chan<- struct{}) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range d.customers {
		group.Go(func() {
			for id := next.Add(1); id <= int64(d.payments) && ctx.Err() == nil; id = next.Add(1) {
				d.buyers.buy(ctx, id)
				made <- struct{}{}
			}
		})
	}
	group.Wait()
}

// tell brings the provider's messages to the service, each once to three times and
// in any order, until it takes them.
func (d *drive) tell(ctx context.Context) {
	var group sync.WaitGroup
	slots := make(chan struct{}, 8)
	for e := range d.outside.events {
		for range 1 + rand.IntN(3) { //nolint:gosec // no secret
			group.Go(func() {
				sleep(ctx, rand.N(500*time.Millisecond)) //nolint:gosec // no secret
				slots <- struct{}{}
				defer func() { <-slots }()
				d.buyers.ask(ctx, "/provider-events", "", e)
			})
		}
	}
	group.Wait()
}

// number is something that was counted, and what it has to be.
type number struct {
	what      string
	got, want int
}

// prove compares the provider's log, what the customers were told and what the
// database holds, and returns how many numbers are wrong.
func (d *drive) prove(ctx context.Context, out io.Writer) (wrong int, err error) {
	numbers, err := d.numbers(ctx)
	if err != nil {
		return 0, err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "number\tgot\twant\t")
	for _, n := range numbers {
		verdict := "ok"
		if n.got != n.want {
			verdict, wrong = "WRONG", wrong+1
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", n.what, n.got, n.want, verdict)
	}
	if err := table.Flush(); err != nil {
		return 0, err
	}
	for i, text := range d.buyers.wrong {
		if i == 10 {
			fmt.Fprintf(out, "and %d more\n", len(d.buyers.wrong)-i)
			break
		}
		fmt.Fprintln(out, text)
	}
	return wrong, nil
}

func (d *drive) numbers(ctx context.Context) ([]number, error) {
	conn, err := pgx.Connect(ctx, d.server.URL())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	count := func(sql string) (n int) {
		err = errors.Join(err, conn.QueryRow(ctx, sql).Scan(&n))
		return n
	}
	refs := map[int64]string{}
	twice := 0
	for _, c := range d.outside.log {
		if refs[c.OrderID] != "" {
			twice++
		}
		refs[c.OrderID] = c.Ref
	}
	told := 0
	for id, r := range d.buyers.receipts {
		if r.Ref == refs[id] {
			told++
		}
	}
	declined := d.payments / 20
	paid := d.payments - declined
	list := []number{
		{"orders in the provider's log", len(refs), paid},
		{"charges of an order that was charged before", twice, 0},
		{"receipts that name the provider's charge", told, d.payments},
		{"payments captured or refunded", count("SELECT count(*) FROM payments.payments WHERE status IN ('captured', 'refunded')"), paid},
		{"payments declined", count("SELECT count(*) FROM payments.payments WHERE status = 'declined'"), declined},
		{"payments refunded", count("SELECT count(*) FROM payments.payments WHERE status = 'refunded'"), d.buyers.refunds},
		{"payments left in progress", count("SELECT count(*) FROM payments.create_payment WHERE state <> 'completed'"), 0},
		{"messages of the provider worked on", count("SELECT count(*) FROM payments.messages"), 2 * paid},
		{"messages worked on twice", count("SELECT count(*) - count(DISTINCT message_id) FROM payments.messages"), 0},
		{"orders that the provider said last are captured", count("SELECT count(*) FROM payments.provider_view WHERE status = 'captured'"), paid},
		{"answers that are wrong", len(d.buyers.wrong), 0},
	}
	return list, err
}
