package compiler_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
)

// large is a specification of n tables with five declared operations each,
// beside the reads that every table has.
func large(n int) string {
	var b strings.Builder
	b.WriteString("pawl {\n  project = \"large\"\n}\nenum \"status\" { values = [\"open\", \"held\", \"done\"] }\n")
	for i := range n {
		fmt.Fprintf(&b, `
table "t%[1]d" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "parent" { type = bigint }
  column "name" { type = text }
  column "status" {
    type    = enum.status
    default = "open"
  }
  column "stock" { type = bigint }
  column "during" { type = tstzrange }
  primary_key { columns = [id] }
  foreign_key "parent" {
    columns    = [parent]
    references = table.t%[2]d
  }
  index "by_parent" { columns = [parent] }
  check "stock_%[1]d" { expr = "stock >= 0 AND stock < %[1]d + 1000000" }
  no_duplicates "name" {
    columns = [sql("lower(name)")]
    where   = "status <> 'done' OR stock > %[1]d"
  }
  no_overlap "slot" {
    within = [parent]
    range  = during
    where  = "status <> 'done' AND stock <> %[1]d"
  }
  transitions "status" {
    column  = status
    initial = ["open"]
    final   = ["done"]
    move "hold" {
      from  = ["open"]
      to    = "held"
      guard = "upper(during) > now() AND stock > %[1]d"
    }
    move "finish" {
      from = ["open", "held"]
      to   = "done"
      args = { name = text }
      set  = { name = "@name" }
    }
  }
  adjust "take" {
    args = { n = bigint }
    set  = { stock = "stock - @n" }
  }
  adjust "put" {
    args = { n = bigint }
    set  = { stock = "stock + @n + %[1]d" }
  }
  edit "rename" { columns = [name] }
}
`, i, max(i-1, 0))
	}
	return b.String()
}

func BenchmarkCompile1000Tables(b *testing.B) {
	spec, diags := dsl.Load(fstest.MapFS{"large.hcl": {Data: []byte(large(1000))}}, dsl.Options{})
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	b.ReportAllocs()
	for b.Loop() {
		if p, diags := compiler.Compile(spec); p == nil {
			b.Fatal(diags)
		}
	}
}
