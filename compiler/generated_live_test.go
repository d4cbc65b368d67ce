package compiler_test

import (
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// A guard that follows from a CHECK over a generated column is decided on what
// the server would compute; without it the CHECK itself refuses, and the caller's
// transaction is lost.
func TestDerivedFromGenerated(t *testing.T) {
	p := compile(t, `
domain "some" {
  type = integer
  check "above_zero" { expr = "value > 0" }
}
table "lines" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "slug" {
    type      = text
    generated = "lower(name)"
  }
  column "price" { type = numeric(12, 2) }
  column "amount" { type = integer }
  column "total" {
    type      = numeric(12, 2)
    generated = "price * amount"
  }
  column "left" {
    type      = domain.some
    generated = "9 - amount"
  }
  primary_key { columns = [id] }
  check "few_left" { expr = "\"left\" < 9" }
  no_duplicates "slug" { columns = [slug] }
  check "affordable" { expr = "total <= 10" }
  adjust "order" {
    args = { more = integer }
    set  = { amount = "amount + @more" }
  }
  edit "rename" { columns = [name] }
  edit "reprice" { columns = [price] }
}`)
	conn := database(t, p)
	id := one(t, conn, p, "table.lines.insert", ir.MainStatement, "A", "2.50", 2)["id"]
	if r := must(t, conn, p, "table.lines.adjust.order", ir.MainStatement, id, 2); len(r) != 1 {
		t.Errorf("four at 2.50 are refused: %v", r)
	}
	if r := must(t, conn, p, "table.lines.adjust.order", ir.MainStatement, id, 1); len(r) != 0 {
		t.Errorf("five at 2.50 are taken: %v", r)
	}
	if why := one(t, conn, p, "table.lines.adjust.order", ir.ExplainStatement, id, 1); why["subject"] != "lines_affordable" {
		t.Errorf("the reason given is %v", why)
	}
	// What a domain asks of a generated column is told as the guard that it is, also
	// where a CHECK looks at that column.
	cheap := one(t, conn, p, "table.lines.insert", ir.MainStatement, "B", "0.01", 2)["id"]
	if r := must(t, conn, p, "table.lines.adjust.order", ir.MainStatement, cheap, 7); len(r) != 0 {
		t.Errorf("none is left, and it was taken: %v", r)
	}
	if why := one(t, conn, p, "table.lines.adjust.order", ir.ExplainStatement, cheap, 7); why["subject"] != "some_above_zero" {
		t.Errorf("the reason given is %v", why)
	}
	// The key follows the name: an edit of the name takes the lock that a change
	// of the key takes.
	for _, op := range p.Repositories[0].Operations {
		want := map[string]ir.LockMode{"rename": ir.ForUpdate, "reprice": ir.ForNoKeyUpdate}[op.Name]
		if want != "" && op.Lock != want {
			t.Errorf("%s locks %s, want %s", op.Name, op.Lock, want)
		}
	}
}
