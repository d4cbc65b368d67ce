// Package database gives the examples a PostgreSQL of their own: it starts a
// private server and brings a database to what a specification says, in one process,
// as `pawl apply --dev --yes` does.
package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb"
	"github.com/pawldb/pawl/migrate"
)

// Server is a private server with the database of one example. It ends with the
// process that has started it, however that ends.
type Server struct {
	*devdb.Server
	name string
}

// Start starts a server and applies the specification of the example called name.
func Start(ctx context.Context, name string) (*Server, error) {
	server, err := devdb.Start(ctx, devdb.Options{})
	if err != nil {
		return nil, err
	}
	s := &Server{server, name}
	if err = server.CreateDatabase(ctx, name); err == nil {
		err = Apply(ctx, s.URL(), directory(name))
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	return s, nil
}

// URL is the address of the example's database.
func (s *Server) URL() string { return s.Server.URL(s.name) }

// Stop stops the server, also when ctx has ended: that may be why.
func (s *Server) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return s.Server.Stop(ctx)
}

// directory is where the specification of an example stands: here, or seen from the
// root of the repository.
func directory(name string) string {
	if _, err := os.Stat(name + ".hcl"); err == nil {
		return "."
	}
	return filepath.Join("examples", name)
}

// Apply brings a database to what the specification in a directory says.
func Apply(ctx context.Context, url, dir string) error {
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
