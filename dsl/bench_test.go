package dsl

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLoad measures projects of many tables with five operations each.
func BenchmarkLoad(b *testing.B) {
	for _, tables := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(tables), func(b *testing.B) {
			src := manyTables(tables)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				spec, list := Load(files("main.hcl", src), Options{})
				if len(list) > 0 || len(spec.Tables) != tables {
					b.Fatalf("%d tables, %v", len(spec.Tables), list)
				}
			}
		})
	}
}

// manyTables writes tables that reference each other, with five operations each.
func manyTables(n int) string {
	var b strings.Builder
	b.WriteString("enum \"state\" { values = [\"held\", \"confirmed\", \"cancelled\"] }\nlocals { money = numeric(12, 2) }\n")
	for i := range n {
		fmt.Fprintf(&b, `
table "t%[1]d" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "parent_id" { type = table.t%[2]d.column.id.type }
  column "name" { type = text }
  column "price" {
    type    = local.money
    default = 0
  }
  column "stock" { type = bigint }
  column "status" {
    type    = enum.state
    default = "held"
  }
  primary_key { columns = [id] }
  foreign_key "parent" {
    columns    = [parent_id]
    references = table.t%[2]d
  }
  index "by_parent" { columns = [parent_id, desc(name)] }
  no_duplicates "name" { columns = [sql("lower(name)")] }
  check "stock" { expr = "stock >= 0" }
  transitions "status" {
    column  = status
    initial = ["held"]
    final   = ["cancelled"]
    move "confirm" {
      from  = ["held"]
      to    = "confirmed"
      args  = { price = local.money }
      guard = "stock > 0"
      set   = { price = "@price" }
    }
    move "cancel" {
      from = ["held", "confirmed"]
      to   = "cancelled"
    }
  }
  adjust "take" {
    args = { n = bigint }
    set  = { stock = "stock - @n" }
  }
  edit "rename" { columns = [name] }
  edit "reprice" { columns = [price] }
}
`, i, (i+1)%n)
	}
	return b.String()
}
