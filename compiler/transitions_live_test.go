package compiler_test

import (
	"context"
	"sync"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

const ticketSpec = `
enum "ticket_status" { values = ["open", "paid", "used", "void"] }
table "tickets" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "status" {
    type    = enum.ticket_status
    default = "open"
  }
  column "price" {
    type = numeric(12, 2)
    null = true
  }
  column "gate" {
    type = text
    null = true
  }
  column "valid_until" { type = timestamptz }
  column "paid" {
    type    = bigint
    default = 0
  }
  primary_key { columns = [id] }
  check "price_known" { expr = "status <> 'paid' OR price > 0" }
  transitions "status" {
    column  = status
    initial = ["open"]
    final   = ["used", "void"]
    move "pay" {
      from  = ["open"]
      to    = "paid"
      args  = { price = numeric(12, 2) }
      guard = "valid_until > now()"
      set   = { price = "@price" }
    }
    move "use" {
      from = ["paid"]
      to   = "used"
      args = { gate = text }
      set  = { gate = "@gate" }
    }
    move "renew" {
      from  = ["paid"]
      to    = "paid"
      guard = "gate IS NULL"
    }
    move "void" {
      from = ["open", "paid"]
      to   = "void"
      args = { refund = bigint }
      set  = { paid = "paid - @refund" }
    }
  }
}
`

func ticket(move string) string { return "table.tickets.transitions.status." + move }

// Every case of a move that touches no row gets its verdict.
func TestMoveVerdicts(t *testing.T) {
	p := compile(t, ticketSpec)
	conn := database(t, p)
	insert := func(status, until string) int64 {
		var id int64
		exec(t, conn, "SET session_replication_role = replica")
		err := conn.QueryRow(t.Context(), `INSERT INTO app.tickets (status, valid_until, price, gate) VALUES ($1, $2::timestamptz, 7, $3) RETURNING id`,
			status, until, map[bool]any{true: "A", false: nil}[status == "used"]).Scan(&id)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, conn, "SET session_replication_role = origin")
		return id
	}
	const later, past = "2100-01-01", "2000-01-01"
	for _, c := range []struct {
		name          string
		move          string
		status, until string
		args          []any
		verdict       ir.Verdict
		subject       string
	}{
		{"guard", "pay", "open", past, []any{"5"}, ir.VerdictGuard, "guard"},
		{"check", "pay", "open", later, []any{"0"}, ir.VerdictGuard, "tickets_price_known"},
		{"rounded before the check", "pay", "open", later, []any{"0.001"}, ir.VerdictGuard, "tickets_price_known"},
		{"state", "pay", "void", later, []any{"5"}, ir.VerdictState, "void"},
		{"repeat", "pay", "paid", later, []any{"7"}, ir.VerdictRepeat, "paid"},
		{"repeat after rounding", "pay", "paid", later, []any{"7.001"}, ir.VerdictRepeat, "paid"},
		{"another price", "pay", "paid", later, []any{"8"}, ir.VerdictState, "paid"},
		{"repeat of a text", "use", "used", later, []any{"A"}, ir.VerdictRepeat, "used"},
		{"another gate", "use", "used", later, []any{"B"}, ir.VerdictState, "used"},
		{"computed from before", "void", "void", later, []any{int64(3)}, ir.VerdictState, "void"},
		{"a move to where it is", "renew", "used", later, nil, ir.VerdictState, "used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := insert(c.status, c.until)
			if r := must(t, conn, p, ticket(c.move), ir.MainStatement, append([]any{id}, c.args...)...); len(r) != 0 {
				t.Fatalf("the move was made: %v", r)
			}
			args := []any{id}
			for _, f := range operation(t, p, ticket(c.move)).Statement(ir.ExplainStatement).Args[1:] {
				for i, have := range operation(t, p, ticket(c.move)).Args {
					if have.Name == f.Name {
						args = append(args, c.args[i])
					}
				}
			}
			why := one(t, conn, p, ticket(c.move), ir.ExplainStatement, args...)
			if why["verdict"] != string(c.verdict) || why["subject"] != c.subject {
				t.Errorf("verdict %v about %v, want %s about %s", why["verdict"], why["subject"], c.verdict, c.subject)
			}
		})
	}
	t.Run("again", func(t *testing.T) {
		id := insert("open", later)
		if why := one(t, conn, p, ticket("pay"), ir.ExplainStatement, id, "5"); why["verdict"] != string(ir.VerdictAgain) {
			t.Errorf("verdict %v", why["verdict"])
		}
		if row := one(t, conn, p, ticket("pay"), ir.MainStatement, id, "5"); row["status"] != "paid" {
			t.Errorf("row %v", row)
		}
	})
	t.Run("no row", func(t *testing.T) {
		if r := must(t, conn, p, ticket("pay"), ir.ExplainStatement, int64(-1), "5"); len(r) != 0 {
			t.Errorf("rows %v", r)
		}
	})
}

// What no generated code wrote is held to the same rule.
func TestTransitionsHoldForEveryClient(t *testing.T) {
	p := compile(t, ticketSpec)
	conn := database(t, p)
	try := func(sql string) error {
		_, err := conn.Exec(context.Background(), sql)
		return err
	}
	wantError(t, try("INSERT INTO app.tickets (status, valid_until, price) VALUES ('paid', now(), 1)"), "PW001", "tickets_status")
	exec(t, conn, "TRUNCATE app.tickets RESTART IDENTITY")
	exec(t, conn, "INSERT INTO app.tickets (valid_until, price) VALUES (now() + '1 day', 1), (now() - '1 day'::interval, 1)")
	wantError(t, try("UPDATE app.tickets SET status = 'used' WHERE id = 2"), "PW001", "tickets_status")
	wantError(t, try("UPDATE app.tickets SET status = 'paid' WHERE id = 2"), "PW001", "tickets_status") // the guard is over OLD
	exec(t, conn, "UPDATE app.tickets SET status = 'paid' WHERE id = 1")
	exec(t, conn, "UPDATE app.tickets SET price = 3, status = status WHERE id = 1")
	exec(t, conn, "UPDATE app.tickets SET status = 'void' WHERE id = 2")
	wantError(t, try("UPDATE app.tickets SET status = 'open' WHERE id = 2"), "PW001", "tickets_status")

	// With enforce = "code" nothing stands in the way.
	free := compile(t, codeOnly(ticketSpec))
	if n := len(wantTable(t, free, "tickets").Triggers); n != 0 {
		t.Fatalf("%d triggers", n)
	}
	conn = database(t, free)
	exec(t, conn, "INSERT INTO app.tickets (status, valid_until, price) VALUES ('used', now(), 1)")
}

// Of many callers one makes the move. With the state taken out of the WHERE
// several do, so the condition is what decides.
func TestOneOfManyMoves(t *testing.T) {
	p := compile(t, codeOnly(ticketSpec))
	conn := database(t, p)
	url := conn.Config().ConnString()
	count := func(sql string) int {
		exec(t, conn, "TRUNCATE app.tickets RESTART IDENTITY")
		exec(t, conn, "INSERT INTO app.tickets (valid_until) VALUES (now() + '1 day')")
		const callers = 8
		var wg sync.WaitGroup
		won := make(chan bool, callers)
		start := make(chan struct{})
		for range callers {
			c := connect(t, url)
			wg.Go(func() {
				<-start
				tag, err := c.Exec(context.Background(), sql, int64(1), "5")
				won <- err == nil && tag.RowsAffected() == 1
			})
		}
		close(start)
		wg.Wait()
		close(won)
		n := 0
		for ok := range won {
			if ok {
				n++
			}
		}
		return n
	}
	sql := operation(t, p, ticket("pay")).Statement(ir.MainStatement).SQL
	if n := count(sql); n != 1 {
		t.Errorf("%d callers moved the row, want 1", n)
	}
	mutant := cutLine(t, sql, "AND status = 'open'")
	if n := count(mutant); n < 2 {
		t.Errorf("without the state in the WHERE %d callers moved the row: this test proves nothing", n)
	}
}

// The triggers let generated moves through.
func TestMovesPassTheirTriggers(t *testing.T) {
	p := compile(t, ticketSpec)
	conn := database(t, p)
	row := one(t, conn, p, "table.tickets.insert", ir.MainStatement, nil, nil, nil, "2100-01-01", nil)
	id := row["id"]
	one(t, conn, p, ticket("pay"), ir.MainStatement, id, "5.005")
	row = one(t, conn, p, ticket("renew"), ir.MainStatement, id)
	if row["status"] != "paid" {
		t.Errorf("row %v", row)
	}
	one(t, conn, p, ticket("use"), ir.MainStatement, id, "north")
}
