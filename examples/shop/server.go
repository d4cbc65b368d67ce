package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb"
	"github.com/pawldb/pawl/migrate"
)

// start starts a private server, applies shop.hcl to it, and returns the address
// of the database. It does in one process what `pawl apply --dev --yes` does.
func start(ctx context.Context) (url string, stop func() error, err error) {
	server, err := devdb.Start(ctx, devdb.Options{})
	if err != nil {
		return "", nil, err
	}
	stop = func() error {
		// ctx may have ended: that is why we stop.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return server.Stop(ctx)
	}
	if err := server.CreateDatabase(ctx, "shop"); err != nil {
		return "", nil, errors.Join(err, stop())
	}
	url = server.URL("shop")
	if err := apply(ctx, url, directory()); err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return url, stop, nil
}

// directory is where shop.hcl stands: here, or seen from the root of the
// repository.
func directory() string {
	if _, err := os.Stat("shop.hcl"); err == nil {
		return "."
	}
	return "examples/shop"
}

// apply brings a database to what the specification in a directory says.
func apply(ctx context.Context, url, dir string) error {
	spec, findings := dsl.Load(os.DirFS(dir), dsl.Options{Dir: dir})
	program, more := compiler.Compile(spec)
	findings.Extend(more)
	if findings.HasErrors() {
		return fmt.Errorf("the specification is wrong; `pawl validate -C %s` says where", dir)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	plan, err := migrate.NewPlan(ctx, conn, program, migrate.PlanOptions{})
	if err != nil {
		return err
	}
	return plan.Apply(ctx, conn, migrate.ApplyOptions{})
}
