package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb"
	"github.com/pawldb/pawl/internal/diag"
)

// devDir is where a project's private server lives, relative to the project.
const devDir = ".pawl/dev"

// devDatabase is the private server's database that --dev works on.
const devDatabase = "postgres"

// patience is how long closing a connection or stopping a server may take.
const patience = 30 * time.Second

// databaseArguments say which database a command works on.
type databaseArguments struct {
	url    string
	target string // the label of a target block
	dev    bool
}

func (d *databaseArguments) flags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.url, "url", "", "the database's `URL`; else DATABASE_URL, then PGHOST and its like")
	cmd.Flags().StringVar(&d.target, "target", "", "the target block `NAME` of the spec says which database, and how to treat it")
	cmd.Flags().BoolVar(&d.dev, "dev", false, "use a private PostgreSQL in .pawl/dev, started for this command")
	err := cmd.RegisterFlagCompletionFunc("target", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return a.targetNames(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag was registered above
	}
}

// check refuses arguments that name two databases.
func (d *databaseArguments) check() error {
	var named []string
	for flag, given := range map[string]bool{"--dev": d.dev, "--url": d.url != "", "--target": d.target != ""} {
		if given {
			named = append(named, flag)
		}
	}
	if len(named) < 2 {
		return nil
	}
	slices.Sort(named)
	return usageError("", "%s name more than one database: give one of them", strings.Join(named, " and "))
}

// session is a connection to the database of a command.
type session struct {
	conn   *pgx.Conn
	target string // for people: no password
	server *devdb.Server
}

// connect opens the database that the arguments name. The caller closes the
// session, which also stops a private server, and does so on every way out.
func (a *app) connect(ctx context.Context, d databaseArguments, t *dsl.Target) (*session, error) {
	if d.dev {
		return a.connectDev(ctx)
	}
	url, err := a.databaseURL(d, t)
	if err != nil {
		return nil, err
	}
	return a.open(ctx, url)
}

// databaseURL is the connection string that the arguments or the environment
// name. It is empty where the PG* variables, which pgx reads itself, say it all.
func (a *app) databaseURL(d databaseArguments, t *dsl.Target) (string, error) {
	if t != nil {
		return adminURL(t)
	}
	if d.url != "" {
		return d.url, nil
	}
	if url := a.getenv("DATABASE_URL"); url != "" {
		return url, nil
	}
	for _, name := range []string{"PGHOST", "PGSERVICE", "PGDATABASE", "PGUSER", "PGPORT"} {
		if a.getenv(name) != "" {
			return "", nil
		}
	}
	// psql would try a local server. Changing whatever answers there is not
	// what somebody who forgot a flag has asked for.
	return "", usageError("give --url postgres://user@host/name, set DATABASE_URL, or use --dev for a private server",
		"no database is named")
}

// open connects to a database.
func (a *app) open(ctx context.Context, url string) (*session, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The text may quote the string, password and all, in a shape that no
		// pattern foresees.
		return nil, usageError("a URL looks like postgres://user:password@host:5432/name", "the database's address cannot be read: %s", scrub(err.Error()))
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "pawl"
	}
	s := &session{target: target(config)}
	done := a.slowly("connecting to " + s.target)
	defer done()
	s.conn, err = pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, outage(s.target, err, config.Password)
	}
	return s, nil
}

// outage is a database that does not answer, or does not let us in.
func outage(target string, err error, password string) error {
	help := "is the server running, and is the address right?"
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		help = "the server answered and refused: look at user, password and database"
	}
	return &failure{
		code:   exitFailed,
		err:    err,
		outage: &diag.Outage{Target: target, Reason: scrubSecret(err.Error(), password), Help: help},
	}
}

// connectDev starts the project's private server, or joins it, and connects.
func (a *app) connectDev(ctx context.Context) (*session, error) {
	dir := filepath.Join(a.global.dir, devDir)
	if err := ignoreFolder(filepath.Dir(dir)); err != nil {
		return nil, failed(err, "")
	}
	done := a.slowly("starting a private PostgreSQL in " + dir)
	server, err := devdb.Start(ctx, devdb.Options{Dir: dir})
	done()
	if err != nil {
		return nil, failed(fmt.Errorf("start a private PostgreSQL: %w", err), "")
	}
	s, err := a.open(ctx, server.URL(devDatabase))
	if err != nil {
		return nil, errors.Join(err, stopServer(server))
	}
	s.server = server
	s.target = "the private PostgreSQL in " + dir
	return s, nil
}

// ignoreFolder makes pawl's own folder in a project, invisible to git.
func ignoreFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	return os.WriteFile(file, []byte("*\n"), 0o644)
}

// close ends the session, after an interruption too.
func (s *session) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.conn.Close(ctx)
	if s.server != nil {
		err = errors.Join(err, stopServer(s.server))
	}
	return err
}

func stopServer(server *devdb.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return server.Stop(ctx)
}
