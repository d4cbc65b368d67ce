// Payments is a service that charges cards at a provider which may be slow, fail,
// or charge and not say so. The program starts a private PostgreSQL, applies
// payments.hcl to it, runs the service as a process of its own, and drives customers
// against it who press twice, try again and change their minds, while it kills the
// service with kill -9 and restarts the database. In the end the provider's own log
// says whether each order was charged once.
//
//	go run ./examples/payments
//
// service.go is the part that is like yours.
package main

//go:generate go run ../../cmd/pawl generate

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := func(ctx context.Context) error { return show(ctx, os.Stdout, whole) }
	if os.Getenv(databaseVar) != "" {
		run = func(ctx context.Context) error { return serve(ctx, os.Stdout, http.DefaultTransport) }
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "payments:", err)
		os.Exit(1)
	}
}
