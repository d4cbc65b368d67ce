// Command pawl turns declarations of concurrency invariants into PostgreSQL
// objects and typed Go. Everything it does is in package cli.
package main

import (
	"os"

	"github.com/pawldb/pawl/cmd/pawl/internal/cli"
)

func main() { os.Exit(cli.Main()) }
