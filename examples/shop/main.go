// Shop is a specification whose rules are about groups of rows: a bound on the
// coupons that are issued, one default address, invoices without a gap, a basket in
// order. The program starts a private PostgreSQL, applies shop.hcl to it, and
// races the generated code of package store; each race has numbers that must come
// out right, and one that does not makes the program fail.
//
//	go run ./examples/shop
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

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/shop/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := show(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// show starts the server, applies, and races.
func show(ctx context.Context, out io.Writer) (err error) {
	fmt.Fprintln(os.Stderr, "starting a private PostgreSQL and applying shop.hcl ...")
	server, err := database.Start(ctx, "shop")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	pool, err := pgxpool.New(ctx, server.URL()+"&pool_max_conns=10")
	if err != nil {
		return err
	}
	defer pool.Close()
	return race(ctx, out, pool)
}

// race runs every race and prints a line a number.
func race(ctx context.Context, out io.Writer, pool *pgxpool.Pool) error {
	s := shop{store.New(pool), pool}
	if err := s.db.Check(ctx); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "race\tnumber\tgot\twant\t")
	wrong := 0
	for _, r := range races {
		counts, err := r.run(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		name := r.name
		for _, c := range counts {
			verdict := "ok"
			if c.got != c.want {
				verdict, wrong = "WRONG", wrong+1
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", name, c.what, c.got, c.want, verdict)
			name = ""
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
