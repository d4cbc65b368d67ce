package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkThousandTables runs `validate` and `generate` as whole processes on a
// specification of 1,000 tables with five operations each, and reports wall time
// and peak memory.
func BenchmarkThousandTables(b *testing.B) {
	dir := b.TempDir()
	write(b, filepath.Join(dir, "go.mod"), "module example.com/thousand\n\ngo 1.26\n")
	write(b, filepath.Join(dir, "thousand.hcl"), thousandTables(1000))
	tool := filepath.Join(b.TempDir(), "pawl")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, command := range []string{"validate", "generate"} {
		b.Run(command, func(b *testing.B) {
			var peak int64
			for b.Loop() {
				if command == "generate" { // from nothing each time
					b.StopTimer()
					if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				run := exec.Command(tool, "-C", dir, command)
				if out, err := run.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				if usage, ok := run.ProcessState.SysUsage().(*syscall.Rusage); ok {
					peak = max(peak, usage.Maxrss)
				}
			}
			b.ReportMetric(float64(peak)/1024, "peak-MB") // Linux counts in kilobytes
		})
	}
}

// thousandTables writes a specification of n tables, each with an enum state, two
// moves, an adjust, an edit and a unique name.
func thousandTables(n int) string {
	var text strings.Builder
	text.WriteString(`pawl {
  project  = "thousand"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
}

generate "sql" { out = "schema.sql" }

enum "state" { values = ["open", "paid", "closed"] }
`)
	for i := range n {
		fmt.Fprintf(&text, `
table "orders_%04d" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "note" { type = text }
  column "stock" { type = bigint }
  column "state" {
    type    = enum.state
    default = "open"
  }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
  check "stock_not_negative" { expr = "stock >= 0" }
  transitions "state" {
    column  = state
    initial = ["open"]
    final   = ["closed"]
    move "pay" {
      from  = ["open"]
      to    = "paid"
      guard = "stock > 0"
    }
    move "close" {
      from = ["open", "paid"]
      to   = "closed"
    }
  }
  adjust "take" {
    args = { n = bigint }
    set  = { stock = "stock - @n" }
  }
  edit "annotate" { columns = [note] }
}
`, i)
	}
	return text.String()
}

func write(b *testing.B, name, text string) {
	b.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}
