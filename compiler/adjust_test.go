package compiler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

func items(blocks string) string {
	return `
table "items" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "stock" { type = bigint }
  column "small" { type = smallint }
  column "price" { type = numeric(12, 2) }
  column "rate" { type = real }
  column "label" {
    type = varchar(3)
    null = true
  }
  column "due" {
    type = date
    null = true
  }
  primary_key { columns = [id] }
` + blocks + "\n}\n"
}

// The guard of a write is each CHECK with the new values in it, as they will
// be stored.
func TestDerivedChecks(t *testing.T) {
	for _, c := range []struct{ check, set, args, want string }{
		{"stock >= 0", `stock = "stock - @n"`, "n = bigint", "(stock - @n) >= 0"},
		{"stock >= small AND small > 0", `stock = "stock - @n", small = "small + 1"`, "n = bigint", "(stock - @n) >= (small + 1) AND (small + 1) > 0"},
		{"stock * 2 > 5", `stock = "stock + small"`, "", "((stock + small)::bigint) * 2 > 5"},
		{"stock > 0", `stock = "stock * 0.5"`, "", "((stock * 0.5)::bigint) > 0"},
		{"stock > 0", `stock = "@n"`, "n = integer", "((@n)::bigint) > 0"},
		{"stock > 0", `stock = "@stock"`, "", "@stock > 0"},
		{"price > 0", `price = "price * 1.19"`, "", "((price * 1.19)::numeric(12, 2)) > 0"},
		{"price > 0", `price = "@price"`, "", "((@price)::numeric(12, 2)) > 0"},
		{"price > 0", `price = "price"`, "", "price > 0"},
		{"rate > 0", `rate = "rate + rate"`, "", "((rate + rate)::real) > 0"},
		{"label <> ''", `label = "@label"`, "", "((@label)::character varying) <> ''"},
		{"due > '2026-01-01'", `due = "NULL"`, "", "((NULL)::date) > '2026-01-01'"},
		{"items.stock > 0", `stock = "abs(stock)"`, "", "(abs(stock)::bigint) > 0"},
	} {
		args := ""
		if c.args != "" {
			args = "    args = { " + c.args + " }\n"
		}
		p := compile(t, items("  check \"c\" { expr = \""+c.check+"\" }\n  check \"other\" { expr = \"id > 0\" }\n  adjust \"a\" {\n"+args+"    set = { "+c.set+" }\n  }\n"))
		got := invariant[*ir.Adjust](t, p, "table.items.adjust.a").Checks
		if diff := cmp.Diff([]ir.DerivedCheck{{Constraint: "items_c", Expr: c.want}}, got); diff != "" {
			t.Errorf("%s with %s: %s", c.check, c.set, diff)
		}
	}
}

// What set adds or subtracts has to be above zero, unless the block says
// otherwise.
func TestPositiveArguments(t *testing.T) {
	for _, c := range []struct {
		set, positive string
		want          []string
	}{
		{`stock = "stock - @a + @b * 2"`, "", []string{"a"}},
		{`stock = "greatest(stock - @a, @b)"`, "", nil},
		{`stock = "stock - @a - @b"`, "positive = [b]", []string{"b"}},
		{`stock = "stock - @a - @b"`, "positive = []", nil},
		{`stock = "@a * @b"`, "positive = [a, b]", []string{"a", "b"}},
	} {
		p := compile(t, items("  adjust \"x\" {\n    args = { a = bigint, b = numeric }\n    set = { "+c.set+" }\n    "+c.positive+"\n  }\n"))
		op := operation(t, p, "table.items.adjust.x")
		var got []string
		for _, f := range op.Args {
			if f.Positive {
				got = append(got, f.Name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.set, c.positive, got, c.want)
		}
		sql := statement(t, p, op.Address, ir.MainStatement)
		if n := strings.Count(sql, "> 0"); n != len(c.want) {
			t.Errorf("the statement checks %d arguments: %s", n, sql)
		}
	}
}

func TestAdjustSQL(t *testing.T) {
	p := compile(t, items(`
  check "stock" { expr = "stock >= 0" }
  adjust "take" {
    args  = { n = bigint }
    set   = { stock = "stock - @n" }
    guard = "due IS NULL OR due > now()::date"
    transaction = transaction.hot
  }
`)+"transaction \"hot\" { lock_timeout = \"50ms\" }\n")
	want := `UPDATE app.items
SET stock = stock - $2::bigint
WHERE id = $1::bigint
  AND ((stock - $2::bigint) >= 0) IS NOT FALSE
  AND (due IS NULL OR due > now()::date)
  AND $2::bigint > 0
RETURNING id, stock, small, price, rate, label, due`
	if diff := cmp.Diff(want, statement(t, p, "table.items.adjust.take", ir.MainStatement)); diff != "" {
		t.Error(diff)
	}
	op := operation(t, p, "table.items.adjust.take")
	if op.Transaction != "hot" || len(op.Errors) != 0 {
		t.Errorf("%+v", op)
	}
	// input first, then the guard, then the checks.
	has(t, statement(t, p, op.Address, ir.ExplainStatement), "THEN 'input'", "THEN 'guard'", "THEN 'guard'", "THEN 'n'", "THEN 'guard'", "THEN 'items_stock'")
}

// FOR UPDATE exactly when the write takes it in any case.
func TestEditLockChoice(t *testing.T) {
	for _, c := range []struct {
		keys, column string
		want         ir.LockMode
	}{
		{"", "label", ir.ForNoKeyUpdate},
		{`no_duplicates "k" { columns = [stock] }`, "stock", ir.ForUpdate},
		{`no_duplicates "k" { columns = [small, stock] }`, "stock", ir.ForUpdate},
		{`no_duplicates "k" { columns = [stock] }`, "small", ir.ForNoKeyUpdate},
		{"no_duplicates \"k\" {\n columns = [stock]\n where = \"small > 0\"\n}", "stock", ir.ForNoKeyUpdate},
		{`no_duplicates "k" { columns = [sql("stock + 1")] }`, "stock", ir.ForNoKeyUpdate},
		{`no_duplicates "k" { columns = [small, sql("stock + 1")] }`, "small", ir.ForNoKeyUpdate},
		{`no_duplicates "k" { columns = [desc(stock)] }`, "stock", ir.ForUpdate},
		{"no_duplicates \"k\" {\n columns = [stock]\n deferrable = true\n}", "stock", ir.ForUpdate},
		{`index "k" { columns = [stock] }`, "stock", ir.ForNoKeyUpdate},
	} {
		p := compile(t, items(fmt.Sprintf("%s\n  edit \"e\" { columns = [%s] }\n", c.keys, c.column)))
		op := operation(t, p, "table.items.edit.e")
		if op.Lock != c.want {
			t.Errorf("%s, edit of %s: %s, want %s", c.keys, c.column, op.Lock, c.want)
		}
		has(t, statement(t, p, op.Address, ir.LockStatement), "\n"+string(c.want))
		if !slices.ContainsFunc(op.Reasons, func(r ir.Reason) bool { return r.Choice == string(c.want) && strings.Contains(r.Why, c.column) }) {
			t.Errorf("no reason names %s: %v", c.column, op.Reasons)
		}
	}
}
