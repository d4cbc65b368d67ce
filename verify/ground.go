package verify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb"
)

// ground is the server that checks run on. Its first database holds the schema;
// each worker gets a copy of it.
type ground struct {
	server  *devdb.Server // nil for a scratch server of the user's
	url     string        // of a database to connect to for making others
	version string

	mu        sync.Mutex
	databases []string // made here; the first is the one that is copied
}

// openGround starts or joins the server and builds the program's schema on it.
func openGround(ctx context.Context, p *ir.Program, o Options) (*ground, error) {
	g := &ground{url: o.URL}
	if o.URL == "" {
		if o.Log != nil {
			o.Log("starting a private PostgreSQL")
		}
		server, err := devdb.Start(ctx, devdb.Options{})
		if err != nil {
			return nil, err
		}
		g.server, g.url = server, server.URL("postgres")
	}
	if err := g.build(ctx, p); err != nil {
		g.close(ctx)
		return nil, err
	}
	return g, nil
}

// build makes the database that the others are copied from.
func (g *ground) build(ctx context.Context, p *ir.Program) error {
	if err := g.checkRole(ctx); err != nil {
		return err
	}
	name, err := g.create(ctx, "template0")
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, withDatabase(g.url, name))
	if err != nil {
		return fmt.Errorf("connect to the scratch database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&g.version); err != nil {
		return err
	}
	g.version, _, _ = strings.Cut(g.version, " ")
	return prepare(ctx, conn, p)
}

// RoleError says that a scratch server's role may not do what verify needs.
type RoleError struct{ Role string }

func (e *RoleError) Error() string {
	return "the role " + e.Role + " is not a superuser: verify makes databases, lowers deadlock_timeout, and switches triggers off while it resets rows"
}

// checkRole asks for a superuser before anything is made.
func (g *ground) checkRole(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, g.url)
	if err != nil {
		return fmt.Errorf("connect to the scratch server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var role string
	var super bool
	if err := conn.QueryRow(ctx, "SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user").Scan(&role, &super); err != nil {
		return fmt.Errorf("ask the scratch server for its role: %w", err)
	}
	if !super {
		return &RoleError{Role: role}
	}
	return nil
}

// site opens a copy of the first database.
func (g *ground) site(ctx context.Context, x *index, o Options) (*site, error) {
	s, _, err := g.siteAt(ctx, x, o)
	return s, err
}

// siteAt is site, with the address of the copy.
func (g *ground) siteAt(ctx context.Context, x *index, o Options) (*site, string, error) {
	g.mu.Lock()
	name, err := g.createLocked(ctx, g.databases[0])
	g.mu.Unlock()
	if err != nil {
		return nil, "", err
	}
	url := withDatabase(g.url, name)
	s, err := openSite(ctx, url, x, o)
	return s, url, err
}

func (g *ground) create(ctx context.Context, template string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.createLocked(ctx, template)
}

// createLocked makes a database. Two copies of one database cannot be made at the
// same moment, so g.mu is held.
func (g *ground) createLocked(ctx context.Context, template string) (string, error) {
	name := "pawl_verify_" + strings.ToLower(rand.Text()[:12])
	if err := g.admin(ctx, "CREATE DATABASE "+ir.Ident(name)+" TEMPLATE "+ir.Ident(template)); err != nil {
		return "", err
	}
	g.databases = append(g.databases, name)
	return name, nil
}

// admin runs a statement that stands for itself, on a connection for itself.
func (g *ground) admin(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, g.url)
	if err != nil {
		return fmt.Errorf("connect to the scratch server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, sql, simple); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// close drops what was made, also when ctx is over.
func (g *ground) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if g.server != nil {
		return g.server.Stop(ctx)
	}
	var errs []error
	for _, name := range g.databases {
		errs = append(errs, g.admin(ctx, "DROP DATABASE IF EXISTS "+ir.Ident(name)+" WITH (FORCE)"))
	}
	return errors.Join(errs...)
}

// withDatabase is an address with another database in it, in either of the forms
// that PostgreSQL knows.
func withDatabase(address, name string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return address + " dbname=" + name
	}
	u.Path = "/" + name
	return u.String()
}
