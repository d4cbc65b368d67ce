package compiler_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

const stockSpec = `
table "items" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "stock" { type = bigint }
  column "sold" {
    type    = bigint
    default = 0
  }
  column "most" { type = bigint }
  column "price" {
    type = numeric(6, 2)
    null = true
  }
  primary_key { columns = [id] }
  check "stock" { expr = "stock >= 0" }
  check "most" { expr = "sold <= most OR most = 0" }
  check "price" { expr = "price > 0" }
  adjust "take" {
    args  = { qty = bigint }
    set   = { stock = "stock - @qty", sold = "sold + @qty" }
    guard = "most >= 0"
  }
  adjust "scale" {
    args = { by = numeric }
    set  = { price = "price * @by" }
  }
  adjust "put" { set = { price = "@price" } }
}
`

func TestAdjustVerdicts(t *testing.T) {
	p := compile(t, stockSpec)
	conn := database(t, p)
	id := one(t, conn, p, "table.items.insert", ir.MainStatement, int64(10), nil, int64(5), nil)["id"]
	take := func(qty int64) rows { return must(t, conn, p, "table.items.adjust.take", ir.MainStatement, id, qty) }
	why := func(op string, args ...any) (any, any) {
		r := one(t, conn, p, "table.items.adjust."+op, ir.ExplainStatement, append([]any{id}, args...)...)
		return r["verdict"], r["subject"]
	}
	if r := take(2); len(r) != 1 || r[0]["stock"] != int64(8) || r[0]["sold"] != int64(2) {
		t.Errorf("rows %v", r)
	}
	for _, c := range []struct {
		qty     int64
		verdict ir.Verdict
		subject string
	}{
		{0, ir.VerdictInput, "qty"},
		{-1, ir.VerdictInput, "qty"},
		{9, ir.VerdictGuard, "items_stock"},
		{4, ir.VerdictGuard, "items_most"},
		{3, ir.VerdictAgain, ""},
	} {
		if c.verdict != ir.VerdictAgain && len(take(c.qty)) != 0 {
			t.Errorf("%d was taken", c.qty)
		}
		if v, s := why("take", c.qty); v != string(c.verdict) || s != c.subject {
			t.Errorf("%d: %v about %v, want %s about %s", c.qty, v, s, c.verdict, c.subject)
		}
	}
	exec(t, conn, "UPDATE app.items SET most = -1, sold = -5")
	if v, s := why("take", int64(1)); v != "guard" || s != "guard" {
		t.Errorf("%v about %v", v, s)
	}

	// The price is decided on as it will be stored: 0.004 is 0.00 then, and NULL
	// is kept by a CHECK.
	if r := must(t, conn, p, "table.items.adjust.put", ir.MainStatement, id, "0.004"); len(r) != 0 {
		t.Errorf("rows %v", r)
	}
	if v, s := why("put", "0.004"); v != "guard" || s != "items_price" {
		t.Errorf("%v about %v", v, s)
	}
	one(t, conn, p, "table.items.adjust.put", ir.MainStatement, id, nil)
	one(t, conn, p, "table.items.adjust.put", ir.MainStatement, id, "0.005")
	if r := must(t, conn, p, "table.items.adjust.scale", ir.MainStatement, id, "0.4"); len(r) != 0 {
		t.Errorf("0.01 * 0.4 is 0.00 in the column: %v", r)
	}
}

// Many take from a stock of ten: ten succeed. Without the derived guard the
// losers run into the CHECK, and with neither more than ten succeed: the guard is
// what answers, the CHECK what holds.
func TestAdjustUnderConcurrency(t *testing.T) {
	p := compile(t, stockSpec)
	conn := database(t, p)
	sql := operation(t, p, "table.items.adjust.take").Statement(ir.MainStatement).SQL
	take := func(sql string) (won, failed int) {
		exec(t, conn, "TRUNCATE app.items RESTART IDENTITY")
		exec(t, conn, "INSERT INTO app.items (stock, most) VALUES (10, 0)")
		const callers = 20
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range callers {
			c := connect(t, conn.Config().ConnString())
			wg.Go(func() {
				tag, err := c.Exec(context.Background(), sql, int64(1), int64(1))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed++
				} else {
					won += int(tag.RowsAffected())
				}
			})
		}
		wg.Wait()
		return won, failed
	}
	if won, failed := take(sql); won != 10 || failed != 0 {
		t.Errorf("%d took, %d failed", won, failed)
	}
	mutant := cutLine(t, sql, "(stock - $2::bigint) >= 0")
	if won, failed := take(mutant); won != 10 || failed != 10 {
		t.Errorf("without the guard %d took and %d failed: the guard is not what answers", won, failed)
	}
	exec(t, conn, "ALTER TABLE app.items DROP CONSTRAINT items_stock")
	if won, _ := take(mutant); won != 20 {
		t.Errorf("without guard and check %d took: this test proves nothing", won)
	}
}

// Why a guard must not hold a sub-select: after a wait PostgreSQL looks at the
// newest version of the row and checks the row's own columns again, and keeps
// what the sub-select gave before. The balance goes below its floor.
func TestSubSelectsAreNotCheckedAgain(t *testing.T) {
	p := compile(t, `
table "accounts" {
  column "id" { type = bigint }
  column "balance" { type = bigint }
  primary_key { columns = [id] }
  adjust "take" {
    args  = { n = bigint }
    set   = { balance = "balance - @n" }
    guard = "balance >= @n"
  }
}`)
	conn := database(t, p)
	other := connect(t, conn.Config().ConnString())
	// meet has two callers take the whole balance, the second while the first has
	// not committed, and returns what is left.
	meet := func(sql string) (balance int64) {
		exec(t, conn, "TRUNCATE app.accounts")
		exec(t, conn, "INSERT INTO app.accounts VALUES (1, 10)")
		exec(t, conn, "BEGIN")
		exec(t, conn, sql, int64(1), int64(10))
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := other.Exec(context.Background(), sql, int64(1), int64(10)); err != nil {
				t.Error(err)
			}
		})
		waitForLock(t, other)
		exec(t, conn, "COMMIT")
		wg.Wait()
		if err := conn.QueryRow(t.Context(), "SELECT balance FROM app.accounts").Scan(&balance); err != nil {
			t.Fatal(err)
		}
		return balance
	}
	if balance := meet(operation(t, p, "table.accounts.adjust.take").Statement(ir.MainStatement).SQL); balance != 0 {
		t.Errorf("balance %d", balance)
	}
	const refused = "UPDATE app.accounts SET balance = balance - $2::bigint WHERE id = $1::bigint AND (SELECT balance FROM app.accounts WHERE id = $1::bigint) >= $2::bigint"
	if balance := meet(refused); balance != -10 {
		t.Errorf("with a sub-select the balance is %d: this test proves nothing", balance)
	}
}

// waitForLock returns when a connection waits for another one.
func waitForLock(t *testing.T, waiting *pgx.Conn) {
	t.Helper()
	watch := connect(t, waiting.Config().ConnString())
	for range 500 {
		var waits bool
		err := watch.QueryRow(t.Context(), "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $1", waiting.PgConn().PID()).Scan(&waits)
		if err == nil && waits {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the second caller does not wait")
}
