package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
)

// arena is a database of examples/seats with three connections: that of the call,
// that of whoever is in its way, and one that watches.
type arena struct {
	program           *ir.Program
	performer         *client.Performer
	conn, other, view *pgx.Conn
}

func newArena(t *testing.T) *arena {
	t.Helper()
	program := compile(t, "examples/seats")
	url := database(t, program)
	a := &arena{program, client.New(program), connect(t, url), connect(t, url), connect(t, url)}
	execute(t, a.conn, `INSERT INTO app.counters (name, remaining) VALUES ('mail', 10), ('post', 10);
INSERT INTO app.rooms (name, price) VALUES ('red', 5), ('blue', 6);
INSERT INTO app.customers (email) VALUES ('a@x')`)
	return a
}

func (a *arena) operation(t *testing.T, address string) *ir.Operation {
	t.Helper()
	return operation(t, a.program, address)
}

// at is a copy of an operation at another isolation level.
func at(o *ir.Operation, level ir.Isolation) *ir.Operation {
	other := *o
	other.Isolation = level
	return &other
}

// ended is how a call ended.
type ended struct {
	out client.Outcome
	err error
}

// start makes a call on a goroutine of its own.
func (a *arena) start(ctx context.Context, db client.DB, call client.Call) <-chan ended {
	done := make(chan ended, 1)
	go func() {
		out, err := a.performer.Do(ctx, db, call)
		done <- ended{out, err}
	}()
	return done
}

// untilWaiting returns when a connection waits for a lock.
func (a *arena) untilWaiting(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	pid := conn.PgConn().PID()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		var waits bool
		if err := a.view.QueryRow(t.Context(), "SELECT cardinality(pg_blocking_pids($1)) > 0", pid).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		if waits {
			return
		}
	}
	t.Fatal("the call does not wait for a lock")
}

// TestSerializationFailuresAreRetried lets an operation wait for a row that is
// then changed: at the two higher levels the server answers 40001.
func TestSerializationFailuresAreRetried(t *testing.T) {
	a := newArena(t)
	edit := func(o *ir.Operation) client.Call {
		return client.Call{Operation: o, Args: args("id", "1"), Decide: set("price", "9")}
	}
	adjust := func(o *ir.Operation) client.Call {
		return client.Call{Operation: o, Args: args("name", "mail", "n", "1")}
	}
	for _, c := range []struct {
		name    string
		address string
		call    func(*ir.Operation) client.Call
		change  string
	}{
		{"one statement", "table.counters.adjust.send", adjust, "UPDATE app.counters SET sent = sent + 1 WHERE name = 'mail'"},
		{"several statements", "table.rooms.edit.reprice", edit, "UPDATE app.rooms SET price = price + 1 WHERE id = 1"},
	} {
		for _, level := range []ir.Isolation{ir.ReadCommitted, ir.RepeatableRead, ir.Serializable} {
			for _, without := range []client.Without{{}, {Retry: true}} {
				t.Run(c.name+" at "+string(level), func(t *testing.T) {
					execute(t, a.other, "BEGIN; "+c.change)
					call := c.call(at(a.operation(t, c.address), level))
					call.Without = without
					done := a.start(t.Context(), a.conn, call)
					a.untilWaiting(t, a.conn)
					execute(t, a.other, "COMMIT")
					end := <-done
					switch {
					case level == ir.ReadCommitted:
						wants(t, end, client.OK, 1)
					case without.Retry:
						wantsCode(t, end.err, "40001")
					default:
						wants(t, end, client.OK, 2)
					}
				})
			}
		}
	}
}

// TestTheLastAttemptFails allows one attempt.
func TestTheLastAttemptFails(t *testing.T) {
	a := newArena(t)
	a.program.Transactions[0].Retry.Attempts = 1
	execute(t, a.other, "BEGIN; UPDATE app.counters SET sent = 1")
	call := client.Call{Operation: at(a.operation(t, "table.counters.adjust.send"), ir.Serializable), Args: args("name", "mail", "n", "1")}
	done := a.start(t.Context(), a.conn, call)
	a.untilWaiting(t, a.conn)
	execute(t, a.other, "COMMIT")
	wantsCode(t, (<-done).err, "40001")
}

// TestADeadlockIsRetried makes the call the victim: it holds a row through its
// trigger's work and wants another.
func TestADeadlockIsRetried(t *testing.T) {
	a := newArena(t)
	// The next attempt comes without a pause: it may be ahead of the one that was
	// let through, and be the victim again.
	a.program.Transactions[0].Retry.Attempts = 1000
	execute(t, a.conn, `SET deadlock_timeout = '10ms';
CREATE FUNCTION app.take_other() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN UPDATE app.rooms SET price = price WHERE id = 2; RETURN NULL; END $$;
CREATE TRIGGER take_other AFTER UPDATE ON app.counters FOR EACH ROW EXECUTE FUNCTION app.take_other()`)
	execute(t, a.other, "SET deadlock_timeout = '1min'; BEGIN; UPDATE app.rooms SET price = 7 WHERE id = 2")
	call := client.Call{Operation: a.operation(t, "table.counters.adjust.send"), Args: args("name", "mail", "n", "1")}
	execute(t, a.view, "BEGIN; SELECT FROM app.counters WHERE name = 'mail' FOR UPDATE")
	done := a.start(t.Context(), a.conn, call)
	a.untilWaiting(t, a.conn)
	// Another one queues for the counter behind the call: once the call has it and
	// waits for the room, the circle is closed.
	closed := make(chan error, 1)
	go func() {
		_, err := a.other.Exec(context.Background(), "UPDATE app.counters SET sent = 1 WHERE name = 'mail'; COMMIT", pgx.QueryExecModeSimpleProtocol)
		closed <- err
	}()
	a.untilWaiting(t, a.other)
	execute(t, a.view, "COMMIT")
	if end := <-done; end.err != nil || end.out.Answer != client.OK || end.out.Attempts < 2 {
		t.Errorf("%q after %d attempts, %v; want %q after more than one", end.out.Answer, end.out.Attempts, end.err, client.OK)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestNothingIsRetriedInACallersTransaction leaves that to its owner.
func TestNothingIsRetriedInACallersTransaction(t *testing.T) {
	a := newArena(t)
	execute(t, a.other, "BEGIN; UPDATE app.counters SET sent = 1")
	tx, err := a.conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.Serializable})
	if err != nil {
		t.Fatal(err)
	}
	done := a.start(t.Context(), tx, client.Call{Operation: a.operation(t, "table.counters.adjust.send"), Args: args("name", "mail", "n", "1")})
	a.untilWaiting(t, a.conn)
	execute(t, a.other, "COMMIT")
	wantsCode(t, (<-done).err, "40001")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWorkIsRetried runs a singleton's work again in a new transaction.
func TestWorkIsRetried(t *testing.T) {
	a := newArena(t)
	runs := 0
	out, err := a.performer.Do(t.Context(), a.conn, client.Call{
		Operation: a.operation(t, "singleton.outbox_relay.run"),
		Work: func(ctx context.Context, tx pgx.Tx) error {
			runs++
			if _, err := tx.Exec(ctx, "INSERT INTO app.teams (name) VALUES ('night')"); err != nil || runs > 1 {
				return err
			}
			_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
			return err
		},
	})
	wants(t, ended{out, err}, client.OK, 2)
	var teams int
	if err := a.view.QueryRow(t.Context(), "SELECT count(*) FROM app.teams").Scan(&teams); err != nil || teams != 1 || runs != 2 {
		t.Errorf("%d teams after %d runs, %v; want 1 after 2", teams, runs, err)
	}
}

func wants(t *testing.T, end ended, answer client.Answer, attempts int) {
	t.Helper()
	if end.err != nil || end.out.Answer != answer || end.out.Attempts != attempts {
		t.Errorf("%q, %q after %d attempts, %v; want %q after %d", end.out.Answer, end.out.About, end.out.Attempts, end.err, answer, attempts)
	}
}

func wantsCode(t *testing.T, err error, code string) {
	t.Helper()
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != code {
		t.Errorf("error %v, want SQLSTATE %s", err, code)
	}
}
