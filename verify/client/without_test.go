package client_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/client"
)

// TestWithoutRowCount takes zero rows for success.
func TestWithoutRowCount(t *testing.T) {
	a := newArena(t)
	for address, c := range map[string]struct {
		call client.Call
		want client.Answer
	}{
		"table.rooms.get":                          {client.Call{Args: args("id", "99")}, client.NotFound},
		"table.rooms.delete":                       {client.Call{Args: args("id", "99")}, client.NotFound},
		"table.rooms.edit.reprice":                 {client.Call{Args: args("id", "99"), Decide: set("price", "9")}, client.NotFound},
		"table.seats.transitions.status.book":      {client.Call{Args: args("id", "99", "customer_id", "1")}, client.NotFound},
		"table.counters.adjust.send":               {client.Call{Args: args("name", "mail", "n", "11")}, client.Refused},
		"queue.tasks.claim":                        {client.Call{Args: args("limit", "9")}, client.NotFound},
		"queue.tasks.release":                      {client.Call{Args: args("id", "99", "fence", "1")}, client.Refused},
		"queue.tasks.complete":                     {client.Call{Args: args("ids", "{99}", "fences", "{1}")}, client.Refused},
		"table.bookings.transitions.status.cancel": {client.Call{Args: args("id", "99")}, client.NotFound},
	} {
		c.call.Operation = a.operation(t, address)
		for _, without := range []bool{false, true} {
			c.call.Without.RowCount = without
			want := c.want
			if without {
				want = client.OK
			}
			out, err := a.performer.Do(t.Context(), a.conn, c.call)
			if err != nil || out.Answer != want || len(out.Rows) != 0 {
				t.Errorf("%s, without a look at the row count: %t: %+v, %v; want %q", address, without, out, err, want)
			}
		}
	}
}

// TestWithoutTheAnswerOfALock works although somebody else holds the lock.
func TestWithoutTheAnswerOfALock(t *testing.T) {
	a := newArena(t)
	execute(t, a.other, "BEGIN; SELECT pg_advisory_xact_lock(4201, 1)")
	call := client.Call{Operation: a.operation(t, "singleton.outbox_relay.try_run")}
	for _, without := range []bool{false, true} {
		ran := false
		call.Work = func(context.Context, pgx.Tx) error {
			ran = true
			return nil
		}
		call.Without.RowCount = without
		want := client.Busy
		if without {
			want = client.OK
		}
		out, err := a.performer.Do(t.Context(), a.conn, call)
		wants(t, ended{out, err}, want, 1)
		if ran != without {
			t.Errorf("without a look at the answer: %t: the work ran: %t", without, ran)
		}
	}
}

// TestWithoutTransaction shows that what an operation locks is free again between
// its statements.
func TestWithoutTransaction(t *testing.T) {
	a := newArena(t)
	execute(t, a.other, "SET lock_timeout = '20ms'")
	tryRoom := func() bool {
		_, err := a.other.Exec(t.Context(), "UPDATE app.rooms SET price = 3 WHERE id = 1")
		return err == nil
	}
	tryLock := func() (got bool) {
		if err := a.other.QueryRow(t.Context(), "SELECT pg_try_advisory_xact_lock(4201, 1)").Scan(&got); err != nil {
			t.Error(err)
		}
		return got
	}
	var free bool
	for address, call := range map[string]client.Call{
		"table.rooms.edit.reprice": {Args: args("id", "1"), Decide: func(map[string]*string) map[string]*string {
			free = tryRoom()
			return args("price", "9")
		}},
		"singleton.outbox_relay.run": {Work: func(context.Context, pgx.Tx) error {
			free = tryLock()
			return nil
		}},
		"singleton.outbox_relay.try_run": {Work: func(context.Context, pgx.Tx) error {
			free = tryLock()
			return nil
		}},
	} {
		call.Operation = a.operation(t, address)
		for _, without := range []bool{false, true} {
			call.Without.Transaction = without
			out, err := a.performer.Do(t.Context(), a.conn, call)
			wants(t, ended{out, err}, client.OK, 1)
			if free != without {
				t.Errorf("%s, without a transaction: %t: free between its statements: %t", address, without, free)
			}
		}
		// In a transaction of the caller's there is nothing to split.
		tx, err := a.conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.performer.Do(t.Context(), tx, call)
		wants(t, ended{out, err}, client.OK, 1)
		if free {
			t.Errorf("%s: free between its statements inside a caller's transaction", address)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAClaimWithoutTransaction keeps what its first statement did when the second
// one fails.
func TestAClaimWithoutTransaction(t *testing.T) {
	a := newArena(t)
	const scheduled = "SELECT count(*) FROM app.tasks WHERE state = 'scheduled'"
	execute(t, a.conn, `INSERT INTO app.tasks (kind, body, state, run_at) VALUES ('mail', '{}', 'scheduled', now() - interval '1 hour')`)
	call := client.Call{Operation: a.operation(t, "queue.tasks.claim"), Args: args("limit", "1", "lease", "9223372036854775807")}
	for _, without := range []bool{false, true} {
		call.Without.Transaction = without
		if out, err := a.performer.Do(t.Context(), a.conn, call); err != nil || out.Answer != client.Refused || out.About != client.Input {
			t.Fatalf("%+v, %v; want a lease that is out of range", out, err)
		}
		var left int
		if err := a.view.QueryRow(t.Context(), scheduled).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if (left == 0) != without {
			t.Errorf("without a transaction: %t: %d tasks are scheduled after a failed claim", without, left)
		}
	}
}
