package client_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
)

// TestBusy meets locks that are not to be had.
func TestBusy(t *testing.T) {
	a := newArena(t)
	execute(t, a.conn, "SET lock_timeout = '20ms'")
	execute(t, a.other, "BEGIN; UPDATE app.rooms SET price = 1; SELECT pg_advisory_xact_lock(4201, 1)")
	for address, call := range map[string]client.Call{
		"table.rooms.edit.reprice":       {Args: args("id", "1"), Decide: set("price", "9")},
		"table.rooms.delete":             {Args: args("id", "1")},
		"singleton.outbox_relay.run":     {Work: putTeam},
		"singleton.outbox_relay.try_run": {Work: putTeam},
	} {
		call.Operation = a.operation(t, address)
		out, err := a.performer.Do(t.Context(), a.conn, call)
		if err != nil || out.Answer != client.Busy || len(out.Rows) != 0 {
			t.Errorf("%s: %+v, %v; want busy", address, out, err)
		}
	}
	execute(t, a.other, "COMMIT")
}

// TestCommitSpeaks hears of a violation only when the transaction ends.
func TestCommitSpeaks(t *testing.T) {
	a := newArena(t)
	execute(t, a.conn, `ALTER TABLE app.rooms DROP CONSTRAINT IF EXISTS rooms_name;
DROP INDEX IF EXISTS app.rooms_name;
ALTER TABLE app.rooms ADD CONSTRAINT rooms_name UNIQUE (name) DEFERRABLE INITIALLY DEFERRED`)
	for address, call := range map[string]client.Call{
		"table.rooms.insert":      {Args: args("name", "red")},
		"table.rooms.edit.rename": {Args: args("id", "1"), Decide: set("name", "blue")},
	} {
		for _, level := range []ir.Isolation{ir.ReadCommitted, ir.Serializable} {
			call.Operation = at(a.operation(t, address), level)
			out, err := a.performer.Do(t.Context(), a.conn, call)
			if err != nil || out.Answer != client.Violation || out.About != "rooms_name" || len(out.Rows) != 0 {
				t.Errorf("%s at %s: %+v, %v; want a violation of rooms_name", address, level, out, err)
			}
		}
	}
}

// TestWhatIsNotDeclaredIsAnError fails with what the declaration does not allow.
func TestWhatIsNotDeclaredIsAnError(t *testing.T) {
	a := newArena(t)
	execute(t, a.conn, `ALTER TABLE app.customers ADD CONSTRAINT by_hand CHECK (email <> 'b@x');
INSERT INTO app.teams (name) VALUES ('night');
ALTER TABLE app.shifts DISABLE TRIGGER USER; INSERT INTO app.shifts (team_id, doctor, on_call) VALUES (1, 'Ada', true)`)
	forgotten := *a.operation(t, "table.teams.delete")
	forgotten.Errors = nil
	for _, c := range []struct {
		name string
		call client.Call
		code string
	}{
		{"a constraint by hand", client.Call{Operation: a.operation(t, "table.customers.insert"), Args: args("email", "b@x")}, "23514"},
		{"a missing value", client.Call{Operation: a.operation(t, "table.customers.insert")}, "23502"},
		{"an error that the operation does not list", client.Call{Operation: &forgotten, Args: args("id", "1")}, "23503"},
		{"a value of another type", client.Call{Operation: a.operation(t, "table.rooms.get"), Args: args("id", "one")}, "22P02"},
		{"the work's error", client.Call{
			Operation: a.operation(t, "singleton.outbox_relay.run"),
			Work: func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "INSERT INTO app.teams (name) VALUES ('night')")
				return err
			},
		}, "23505"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := a.performer.Do(t.Context(), a.conn, c.call)
			wantsCode(t, err, c.code)
			if out.Answer != "" {
				t.Errorf("the answer is %q beside an error", out.Answer)
			}
		})
	}
}

// TestABrokenConnectionIsAnError uses one that is closed.
func TestABrokenConnectionIsAnError(t *testing.T) {
	a := newArena(t)
	if err := a.conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, call := range []client.Call{
		{Operation: a.operation(t, "table.rooms.get"), Args: args("id", "1")},
		{Operation: a.operation(t, "table.rooms.edit.reprice"), Args: args("id", "1"), Decide: set("price", "9")},
		{Operation: a.operation(t, "queue.tasks.claim"), Args: args("limit", "1")},
	} {
		if out, err := a.performer.Do(t.Context(), a.conn, call); err == nil {
			t.Errorf("%s: %+v, want an error", call.Operation.Address, out)
		}
	}
}

// TestAnEditShowsWhatItDecidedOn keeps the row as it was read, whatever Decide
// does to the one it gets, and writes nothing when nothing changes.
func TestAnEditShowsWhatItDecidedOn(t *testing.T) {
	a := newArena(t)
	call := client.Call{
		Operation: a.operation(t, "table.rooms.edit.reprice"), Args: args("id", "1"),
		Decide: func(row map[string]*string) map[string]*string {
			*row["price"] = "6"
			return map[string]*string{"price": row["price"]}
		},
	}
	out, err := a.performer.Do(t.Context(), a.conn, call)
	wants(t, ended{out, err}, client.OK, 1)
	if len(out.Rows) != 1 || *out.Read["price"] != "5.00" || *out.Rows[0]["price"] != "6.00" {
		t.Errorf("read %s, wrote %s; want a price of 5.00 and then of 6.00", spell(out.Read), spell(out.Rows[0]))
	}
	execute(t, a.other, `CREATE FUNCTION app.no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'written'; END $$;
CREATE TRIGGER no BEFORE UPDATE ON app.rooms EXECUTE FUNCTION app.no()`)
	for _, decide := range []func(map[string]*string) map[string]*string{set("price", "6.00"), func(map[string]*string) map[string]*string { return nil }} {
		call.Decide = decide
		out, err = a.performer.Do(t.Context(), a.conn, call)
		wants(t, ended{out, err}, client.OK, 1)
		if len(out.Rows) != 1 || *out.Rows[0]["price"] != "6.00" {
			t.Errorf("returned %v, want the row as it is", out.Rows)
		}
	}
}

// TestARowThatNeverSettles explains zero rows with nothing in the way, twice.
func TestARowThatNeverSettles(t *testing.T) {
	a := newArena(t)
	o := *a.operation(t, "table.counters.adjust.send")
	o.Statements = slices.Clone(o.Statements)
	for i := range o.Statements {
		if o.Statements[i].Role == ir.MainStatement {
			o.Statements[i].SQL = strings.Replace(o.Statements[i].SQL, "WHERE", "WHERE false AND", 1)
		}
	}
	out, err := a.performer.Do(t.Context(), a.conn, client.Call{Operation: &o, Args: args("name", "mail", "n", "1")})
	if err != nil || out.Answer != client.Refused || out.About != client.Unsettled {
		t.Errorf("%+v, %v; want it refused as unsettled", out, err)
	}
}

// TestASingletonRefusesAnOldSnapshot joins transactions of every level.
func TestASingletonRefusesAnOldSnapshot(t *testing.T) {
	a := newArena(t)
	for level, joins := range map[pgx.TxIsoLevel]bool{pgx.ReadCommitted: true, pgx.RepeatableRead: false, pgx.Serializable: false} {
		tx, err := a.conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.performer.Do(t.Context(), tx, client.Call{Operation: a.operation(t, "singleton.outbox_relay.run"), Work: putTeam})
		if joins != (err == nil) {
			t.Errorf("%s: error %v, want one: %t", level, err, !joins)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAPanicRollsBack leaves no transaction open behind a function that panics.
func TestAPanicRollsBack(t *testing.T) {
	a := newArena(t)
	func() {
		defer func() { _ = recover() }()
		_, _ = a.performer.Do(t.Context(), a.conn, client.Call{
			Operation: a.operation(t, "table.rooms.edit.reprice"), Args: args("id", "1"),
			Decide: func(map[string]*string) map[string]*string { panic("no idea") },
		})
	}()
	if status := a.conn.PgConn().TxStatus(); status != 'I' {
		t.Errorf("the connection is in state %c, want I: idle", status)
	}
}

// TestBadCalls names what is wrong with a call.
func TestBadCalls(t *testing.T) {
	a := newArena(t)
	strange, bare := *a.operation(t, "table.rooms.get"), *a.operation(t, "table.counters.adjust.send")
	strange.Kind, bare.Statements = "dance", nil
	edit, complete := a.operation(t, "table.rooms.edit.reprice"), a.operation(t, "queue.tasks.complete")
	for want, call := range map[string]client.Call{
		"needs an operation":         {},
		`kind "dance"`:               {Operation: &strange},
		"no main statement":          {Operation: &bare},
		"needs a Decide":             {Operation: edit, Args: args("id", "1")},
		"name, which is not among":   {Operation: edit, Args: args("id", "1"), Decide: set("name", "green")},
		"needs a Work":               {Operation: a.operation(t, "singleton.outbox_relay.run")},
		"only inside a transaction":  {Operation: a.operation(t, "table.rooms.get_for_update"), Args: args("id", "1")},
		"2 ids and 1 fences":         {Operation: complete, Args: args("ids", "{1,2}", "fences", "{1}")},
		"is no array; write":         {Operation: complete, Args: args("ids", "1", "fences", "{1}")},
		"is no array of numbers":     {Operation: complete, Args: args("ids", "{a}", "fences", "{1}")},
		"fences = \"{\" is no array": {Operation: complete, Args: args("ids", "{1}", "fences", "{")},
	} {
		_, err := a.performer.Do(t.Context(), a.conn, call)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
		if status := a.conn.PgConn().TxStatus(); status != 'I' {
			t.Fatalf("%s: the connection is in state %c, want I: idle", want, status)
		}
	}
}

// TestTheWorksErrorComesBackAsItIs tells callers by identity.
func TestTheWorksErrorComesBackAsItIs(t *testing.T) {
	a := newArena(t)
	mine := errors.New("mine")
	_, err := a.performer.Do(t.Context(), a.conn, client.Call{
		Operation: a.operation(t, "singleton.outbox_relay.run"),
		Work: func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(putTeam(ctx, tx), mine)
		},
	})
	if !errors.Is(err, mine) {
		t.Errorf("error %v, want the work's own", err)
	}
	if got := contents(t, a.view); !strings.Contains(got, "teams: \n") {
		t.Errorf("the work of a failed call is stored:\n%s", got)
	}
}
