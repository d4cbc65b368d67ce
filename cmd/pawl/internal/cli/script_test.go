package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// TestMain makes this test binary the command pawl when a script calls it so.
// The command pawl-broken is pawl with one command more, which has a bug.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pawl":        func() { os.Exit(Main()) },
		"pawl-broken": func() { os.Exit(run(process(), newBroken)) },
	})
}

func newBroken(a *app) *cobra.Command {
	return &cobra.Command{Use: "broken", RunE: a.run(func(context.Context) error {
		var nothing *app
		return errors.New(nothing.global.dir + "postgres://app:s3cret@db/shop")
	})}
}

// TestScripts runs the scripts of testdata/script: the behaviour of the command
// line as its users see it. Besides testscript's own commands they have
//
//	exits CODE COMMAND...   run a command, which must end with this exit code
//	database VARIABLE       make an empty database, its URL in the variable
//	psql URL SQL...         run SQL statements and print what they return
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			// What the developer's own shell has set must not change the outcome.
			for _, name := range []string{"NO_COLOR", "FORCE_COLOR", "DATABASE_URL", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGSERVICE", "PGPASSWORD", "COLUMNS"} {
				env.Setenv(name, "")
			}
			seats, err := filepath.Abs("../../../../examples/seats")
			if err != nil {
				return err
			}
			env.Setenv("SEATS", seats)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"database": func(ts *testscript.TestScript, _ bool, args []string) { database(t, ts, args) },
			"psql":     psql,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, not %d", args[1], got, want)
	}
}

func database(t *testing.T, ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: database VARIABLE")
	}
	url, drop, err := pgtest.Server(t).Scratch(t.Context())
	ts.Check(err)
	ts.Defer(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		ts.Check(drop(ctx))
	})
	ts.Setenv(args[0], url)
}

// psql prints the rows of statements, a line each.
func psql(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: psql URL SQL...")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, args[0])
	ts.Check(err)
	defer conn.Close(ctx)
	for _, sql := range args[1:] {
		results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
		ts.Check(err)
		for _, result := range results {
			ts.Check(result.Err)
			for _, row := range result.Rows {
				for i, value := range row {
					if i > 0 {
						ts.Stdout().Write([]byte("|"))
					}
					ts.Stdout().Write(value)
				}
				ts.Stdout().Write([]byte("\n"))
			}
		}
	}
}
