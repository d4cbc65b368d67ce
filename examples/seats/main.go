// Seats is the whole of pawl in one program: it starts a private PostgreSQL,
// applies seats.hcl to it, and then races the generated code of package store.
// Each race has numbers that must come out right; one that does not makes the
// program fail.
//
//	go run ./examples/seats
//
// What a service would write stands in races.go. The rest is scaffolding:
// server.go applies the specification, death.go kills a worker.
package main

//go:generate go run ../../cmd/pawl generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/seats/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := show
	if url := os.Getenv(victimURL); url != "" {
		run = func(ctx context.Context, _ io.Writer) error { return victim(ctx, url) }
	}
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "seats:", err)
		os.Exit(1)
	}
}

// show starts the server, applies, races, and prints a line a number.
func show(ctx context.Context, out io.Writer) (err error) {
	fmt.Fprintln(os.Stderr, "starting a private PostgreSQL and applying seats.hcl ...")
	server, err := database.Start(ctx, "seats")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	if err := os.Setenv(victimURL, server.URL()); err != nil { // for the process that death.go starts
		return err
	}

	pool, err := pgxpool.New(ctx, server.URL()+"&pool_max_conns=20")
	if err != nil {
		return err
	}
	defer pool.Close()
	db := store.New(pool)
	// A service asks this at start, and in its readiness probe: does the database
	// hold every promise that this code was generated for?
	if err := db.Check(ctx); err != nil {
		return err
	}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "race\tnumber\tgot\twant\t\ttime")
	wrong := 0
	for _, r := range races {
		begin := time.Now()
		counts, err := r.run(ctx, db)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		name, took := r.name, time.Since(begin).Round(time.Millisecond).String()
		for _, c := range counts {
			verdict := "ok"
			if c.got != c.want {
				verdict, wrong = "WRONG", wrong+1
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\n", name, c.what, c.got, c.want, verdict, took)
			name, took = "", ""
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%d numbers are wrong", wrong)
	}
	return nil
}
