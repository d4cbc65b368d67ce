// Package pgtest gives tests a PostgreSQL: one private server for each test
// binary, one empty database for each test.
//
//	func TestBooking(t *testing.T) {
//		pool, err := pgxpool.New(t.Context(), pgtest.URL(t))
//		...
//
// The server starts with the first test that asks and ends with the process,
// however that ends, so that no TestMain is needed (see package devdb). The
// environment variable PAWL_TEST_PG_BIN names the bin folder of another
// PostgreSQL to run the tests on:
//
//	PAWL_TEST_PG_BIN=/usr/lib/postgresql/14/bin go test ./...
package pgtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/pawldb/pawl/internal/devdb"
)

// BinEnv is the environment variable that names a bin folder to use.
const BinEnv = "PAWL_TEST_PG_BIN"

// shared starts the test binary's server once. It is never stopped here: tests
// of other goroutines may still be using it, and it ends with the process.
var shared = sync.OnceValues(func() (*devdb.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return devdb.Start(ctx, devdb.Options{BinDir: os.Getenv(BinEnv)})
})

// Server returns the server that this test binary's tests share, for a test that
// needs databases of its own making. The test must not stop or restart it.
func Server(t testing.TB) *devdb.Server {
	t.Helper()
	srv, err := shared()
	if err != nil {
		t.Fatalf("these tests need PostgreSQL: %v", err)
	}
	return srv
}

// URL returns the address of a new, empty database, which is dropped with its
// connections when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	url, drop, err := Server(t).Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := drop(ctx); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return url
}

// ExampleURL is URL for Example functions, which have no *testing.T: the database
// stays until the process ends, and it panics where a test would fail.
func ExampleURL() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	srv, err := shared()
	if err != nil {
		panic(fmt.Errorf("examples need PostgreSQL: %w", err))
	}
	url, _, err := srv.Scratch(ctx)
	if err != nil {
		panic(err)
	}
	return url
}

// Start starts a server for this test alone, which may crash, restart and
// configure it. It is stopped when the test ends.
func Start(t testing.TB, settings map[string]string) *devdb.Server {
	t.Helper()
	srv, err := devdb.Start(t.Context(), devdb.Options{BinDir: os.Getenv(BinEnv), Settings: settings})
	if err != nil {
		t.Fatalf("this test needs PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(context.Background()); err != nil {
			t.Errorf("stop the test's server: %v", err)
		}
	})
	return srv
}
