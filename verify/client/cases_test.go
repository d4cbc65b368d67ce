package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/client"
)

// said is a call and what it must answer.
type said struct {
	address string
	call    client.Call
	want    client.Answer
	about   string
}

// TestCases makes calls of kinds that examples/seats has none of: several guards,
// moves that are repeated with arguments, moves that only code keeps to, arrays of
// enums, names that need quotes.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name string
		said []said
	}{
		{"adjust", []said{
			{"table.items.insert", client.Call{Args: args("stock", "5")}, client.OK, ""},
			{"table.items.adjust.reserve", client.Call{Args: args("id", "1", "qty", "3")}, client.OK, ""},
			{"table.items.adjust.reserve", client.Call{Args: args("id", "1", "qty", "3")}, client.Refused, "items_reserved_in_stock"},
			{"table.items.adjust.ship", client.Call{Args: args("id", "1", "qty", "2")}, client.OK, ""},
			{"table.items.adjust.recount", client.Call{Args: args("id", "1", "delta", "-1")}, client.OK, ""},
			{"table.items.adjust.recount", client.Call{Args: args("id", "1", "delta", "2147483647")}, client.Refused, client.Input},
			{"table.items.insert", client.Call{Args: args("stock", "5", "active", "f")}, client.OK, ""},
			{"table.items.adjust.reserve", client.Call{Args: args("id", "2", "qty", "3")}, client.Refused, "guard"},
		}},
		{"transitions-args", []said{
			{"table.seats.insert", client.Call{}, client.OK, ""},
			{"table.seats.transitions.state.book", client.Call{Args: args("id", "1", "customer_id", "1", "price", "5", "limit", "1")}, client.Refused, "guard"},
			{"table.seats.transitions.state.book", client.Call{Args: args("id", "1", "customer_id", "1", "price", "5", "limit", "9")}, client.OK, ""},
			{"table.seats.transitions.state.book", client.Call{Args: args("id", "1", "customer_id", "1", "price", "5", "limit", "9")}, client.Repeated, ""},
			{"table.seats.transitions.state.book", client.Call{Args: args("id", "1", "customer_id", "2", "price", "5", "limit", "9")}, client.Refused, "booked"},
			{"table.seats.transitions.state.release", client.Call{Args: args("id", "1")}, client.OK, ""},
			{"table.seats.transitions.state.book", client.Call{Args: args("id", "1", "customer_id", "1", "price", "-5", "limit", "9")}, client.Refused, "seats_price_not_negative"},
		}},
		{"transitions-code", []said{
			{"table.tickets.insert", client.Call{Args: args("state", "ajar")}, client.Violation, "tickets_state_known"},
			{"table.tickets.insert", client.Call{}, client.OK, ""},
			{"table.tickets.transitions.state.close", client.Call{Args: args("id", "2")}, client.OK, ""},
			{"table.tickets.transitions.state.close", client.Call{Args: args("id", "2")}, client.Refused, "closed"},
			{"table.tickets.transitions.state.reopen", client.Call{Args: args("id", "2")}, client.OK, ""},
		}},
		{"transitions-database", []said{
			{"table.orders.insert", client.Call{Args: args("total", "1000")}, client.OK, ""},
			{"table.orders.transitions.state.send", client.Call{Args: args("id", "1")}, client.Refused, "new"},
			{"table.orders.transitions.state.pay", client.Call{Args: args("id", "1")}, client.OK, ""},
			{"table.orders.transitions.state.send", client.Call{Args: args("id", "1")}, client.Refused, "guard"},
			{"table.orders.transitions.state.cancel", client.Call{Args: args("id", "1")}, client.OK, ""},
			{"table.orders.transitions.state.cancel", client.Call{Args: args("id", "1")}, client.Repeated, ""},
		}},
		{"enum", []said{
			{"table.jobs.insert", client.Call{Args: args("state", "it's over", "history", `{new,"in progress",+1}`)}, client.OK, ""},
			{"table.jobs.get", client.Call{Args: args("id", "1")}, client.OK, ""},
		}},
		{"odd-names", []said{
			{"table.select.insert", client.Call{Args: args("type", "t", "range", "r", "ctx", "c", "error", "e", "any", "a", "user", "u", "URL", "U")}, client.OK, ""},
			{"table.select.edit.switch", client.Call{Args: args("id", "1"), Decide: set("range", "r2")}, client.OK, ""},
			{"table.select.edit.switch", client.Call{Args: args("id", "1"), Decide: set("user", "")}, client.Violation, "select_default"},
		}},
		{"queue", []said{
			{"queue.emails.enqueue", client.Call{Args: args("to", "a@x", "subject", "hello")}, client.OK, ""},
			{"queue.emails.claim", client.Call{Args: args("limit", "1")}, client.OK, ""},
			{"queue.thumbnails.claim", client.Call{Args: args("limit", "1")}, client.NotFound, ""},
			{"queue.emails.fail", client.Call{Args: args("id", "1", "fence", "1", "error", "no such host")}, client.OK, ""},
			// No jitter is no pause: the task is due at once.
			{"queue.emails.claim", client.Call{Args: args("limit", "1")}, client.OK, ""},
			{"queue.emails.complete", client.Call{Args: args("ids", "{1}", "fences", "{1}")}, client.Refused, client.Fence},
			{"queue.emails.complete", client.Call{Args: args("ids", "{1}", "fences", "{2}")}, client.OK, ""},
		}},
		{"singleton", []said{
			{"singleton.nightly-report.run", client.Call{Work: nothing}, client.OK, ""},
			{"singleton.outbox_relay.try_run", client.Call{Work: nothing}, client.OK, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := compile(t, "testdata/cases/"+c.name)
			performer := client.New(program)
			conn := connect(t, database(t, program))
			for i, s := range c.said {
				s.call.Operation = operation(t, program, s.address)
				out, err := performer.Do(t.Context(), conn, s.call)
				if err != nil || out.Answer != s.want || out.About != s.about {
					t.Errorf("call %d, %s: %q, %q, %v; want %q, %q", i, s.address, out.Answer, out.About, err, s.want, s.about)
				}
				if found := s.want == client.OK || s.want == client.Repeated; s.call.Work == nil && found != (len(out.Rows) == 1) {
					t.Errorf("call %d, %s: %d rows after %q", i, s.address, len(out.Rows), out.Answer)
				}
			}
		})
	}
}

// TestNowait answers at once that a row is busy.
func TestNowait(t *testing.T) {
	program := compileFS(t, fstest.MapFS{"spec.hcl": {Data: []byte(`
pawl {
  project  = "nowait"
  postgres = 14
  schema   = "app"
}
table "rooms" {
  column "id" { type = bigint }
  column "price" { type = bigint }
  primary_key { columns = [id] }
  edit "reprice" {
    columns = [price]
    wait    = "nowait"
  }
}`)}})
	url := database(t, program)
	conn, other := connect(t, url), connect(t, url)
	execute(t, other, "INSERT INTO app.rooms (id, price) VALUES (1, 1)")
	execute(t, other, "BEGIN; UPDATE app.rooms SET price = 2")
	out, err := client.New(program).Do(t.Context(), conn, client.Call{
		Operation: operation(t, program, "table.rooms.edit.reprice"), Args: args("id", "1"), Decide: set("price", "3"),
	})
	if err != nil || out.Answer != client.Busy {
		t.Errorf("%+v, %v; want busy", out, err)
	}
}

// TestEveryOperationCanBeSent sends every operation of every case with NULL for
// each argument: what comes back may be any answer, but no error of a statement or
// its arguments that PostgreSQL does not understand.
func TestEveryOperationCanBeSent(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/cases/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			program := compileFS(t, os.DirFS(folder))
			performer := client.New(program)
			conn := connect(t, database(t, program, pgtest.ExtensionsOf(t, folder)...))
			for _, o := range operations(program) {
				var options pgx.TxOptions
				if o.Kind == ir.RuleOp { // which joins nothing weaker
					options.IsoLevel = pgx.Serializable
				}
				tx, err := conn.BeginTx(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				given := map[string]*string{}
				if o.Kind == ir.EditManyOp {
					given = args(o.Each[0].Name, "{}")
				}
				_, err = performer.Do(t.Context(), tx, client.Call{
					Operation: o, Args: given, Work: nothing,
					Decide: func(row map[string]*string) map[string]*string { return nil },
				})
				var refused *pgconn.PgError
				if err != nil && (!errors.As(err, &refused) || refused.Code[:2] != "23") {
					t.Errorf("%s: %v", o.Address, err)
				}
				if err := tx.Rollback(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
