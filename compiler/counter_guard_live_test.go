package compiler_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Nobody but the triggers that count writes a counter, by whatever way: not the
// owner in passing, and not a role that was granted everything and brings a
// trigger of its own. With the guards off each of these ways passes the limit.
func TestNobodyElseWritesCounters(t *testing.T) {
	conn := events(t)
	exec(t, conn, `INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a'), (1, 'a');
CREATE ROLE counter_client;
GRANT ALL ON SCHEMA app TO counter_client;
GRANT ALL ON ALL TABLES IN SCHEMA app TO counter_client;
GRANT ALL ON ALL SEQUENCES IN SCHEMA app TO counter_client;
GRANT TEMPORARY ON DATABASE `+pgx.Identifier{conn.Config().Database}.Sanitize()+` TO counter_client`)
	t.Cleanup(func() { exec(t, conn, "RESET ROLE; DROP OWNED BY counter_client; DROP ROLE counter_client") })
	exec(t, conn, "SET ROLE counter_client")
	exec(t, conn, `CREATE TEMPORARY TABLE lever (n integer);
CREATE FUNCTION pg_temp.pull() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE app.events SET places_used = 0; UPDATE app.bookings_chairs SET used = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER pull AFTER INSERT ON lever FOR EACH ROW EXECUTE FUNCTION pg_temp.pull()`)
	for _, role := range []string{"counter_client", "NONE"} {
		exec(t, conn, "SET ROLE "+role)
		ways := []struct{ sql, by string }{
			{"UPDATE app.events SET places_used = 0", "events_places"},
			{"UPDATE app.events SET places_used = places_used - 1 WHERE id = 1", "events_places"},
			{"INSERT INTO app.events (id, capacity, places_used) VALUES (9, 1, -5)", "events_places"},
			{"INSERT INTO app.events (id, capacity) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET places_used = 0", "events_places"},
			{"UPDATE app.bookings_chairs SET used = 0", "bookings_chairs"},
			{"DELETE FROM app.bookings_chairs", "bookings_chairs"},
			{"INSERT INTO app.bookings_chairs VALUES ('new', -100)", "bookings_chairs"},
			{"TRUNCATE app.bookings_chairs", "bookings_chairs"},
		}
		if role != "NONE" {
			ways = append(ways, struct{ sql, by string }{"INSERT INTO lever VALUES (1)", "events_places"})
		}
		for _, way := range ways {
			wantError(t, second(conn.Exec(t.Context(), way.sql)), "PW002", way.by)
		}
		exec(t, conn, "UPDATE app.events SET places_used = places_used, capacity = capacity") // what an ORM writes that saves whole rows
	}
	counters(t, conn)
	exec(t, conn, "ALTER TABLE app.events DISABLE TRIGGER events_places_kept; UPDATE app.events SET places_used = 0; ALTER TABLE app.events ENABLE TRIGGER events_places_kept; INSERT INTO app.bookings (event_id, shop) VALUES (1, 'b')")
	if n := number(t, conn, "SELECT count(*) FROM app.bookings WHERE event_id = 1"); n != 3 {
		t.Errorf("without the guard there are %d bookings: this test shows nothing", n)
	}
}

// A parent's key stays while rows count under it, and no statement deletes a
// parent and puts it back: the counter would say otherwise than the rows.
func TestParentsKeepTheirRows(t *testing.T) {
	conn := events(t)
	exec(t, conn, "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a'), (1, 'a'), (2, 'a')")
	for _, sql := range []string{
		"UPDATE app.events SET id = 8 WHERE id = 1",
		"UPDATE app.events SET id = 3 - id WHERE id IN (1, 2)",
		"WITH gone AS (DELETE FROM app.events WHERE id = 1 RETURNING capacity) INSERT INTO app.events (id, capacity) SELECT 1, capacity FROM gone",
		"WITH gone AS (DELETE FROM app.events WHERE id = 1 RETURNING 1) UPDATE app.events SET id = 1 FROM gone WHERE id = 4",
	} {
		if err := second(conn.Exec(t.Context(), sql)); err == nil {
			t.Errorf("went through: %s", sql)
		}
		counters(t, conn)
	}
	// The ways that are right stay open.
	for _, sql := range []string{
		"UPDATE app.events SET id = 8 WHERE id = 4",
		"WITH p AS (INSERT INTO app.events (id, capacity) VALUES (20, 2)) INSERT INTO app.bookings (event_id, shop) VALUES (20, 'c'), (20, 'c')",
		"WITH c AS (INSERT INTO app.bookings (event_id, shop) VALUES (21, 'd')) INSERT INTO app.events (id, capacity) VALUES (21, 2)",
		"WITH p AS (INSERT INTO app.events (id, capacity) VALUES (22, 2) RETURNING id) INSERT INTO app.bookings (event_id, shop) SELECT id, 'e' FROM p",
		"DELETE FROM app.events WHERE id = 1; INSERT INTO app.events (id, capacity) VALUES (1, 2)",
		"UPDATE app.bookings SET status = 'cancelled' WHERE event_id = 2; DELETE FROM app.bookings WHERE event_id = 2; UPDATE app.events SET id = 30 WHERE id = 2",
	} {
		exec(t, conn, sql)
		counters(t, conn)
	}
	// A parent that takes the key which another one leaves satisfies the foreign key:
	// its rows change hands, and only the trigger sees it.
	exec(t, conn, "INSERT INTO app.events (id, capacity) VALUES (51, 2); INSERT INTO app.events (id, capacity) VALUES (50, 2); INSERT INTO app.bookings (event_id, shop) VALUES (51, 'f')")
	const handOver = "UPDATE app.events SET id = id + 1 WHERE id IN (50, 51)"
	wantError(t, second(conn.Exec(t.Context(), handOver)), "PW002", "events_places")
	counters(t, conn)
	exec(t, conn, "ALTER TABLE app.events DISABLE TRIGGER events_places_key; "+handOver)
	if n := number(t, conn, "SELECT places_used FROM app.events WHERE id = 51"); n != 0 {
		t.Errorf("the counter is %d: this test shows nothing", n)
	}
	// Without the guards these ways leave a counter that knows nothing.
	exec(t, conn, `ALTER TABLE app.bookings DROP CONSTRAINT bookings_event, ADD CONSTRAINT bookings_event FOREIGN KEY (event_id) REFERENCES app.events;
ALTER TABLE app.events DISABLE TRIGGER events_places_again;
WITH gone AS (DELETE FROM app.events WHERE id = 20 RETURNING capacity) INSERT INTO app.events (id, capacity) SELECT 20, capacity FROM gone`)
	if n := number(t, conn, "SELECT places_used FROM app.events WHERE id = 20"); n != 0 {
		t.Errorf("the counter is %d: this test shows nothing", n)
	}
}

// A client who adds a row to a parent that another one deletes and inserts again
// waits for it, and is refused by the foreign key: it asked for the old one.
func TestParentsComeBackBesideAnotherClient(t *testing.T) {
	conn := events(t)
	other := connect(t, conn.Config().ConnString())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"DELETE FROM app.events WHERE id = 1", "INSERT INTO app.events (id, capacity) VALUES (1, 1)"} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := other.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a')")
		done <- err
	}()
	ended := waitUntilBlockedOrDone(t, other, done)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended == nil {
		err := <-done
		ended = &err
	}
	wantError(t, *ended, "23503", "bookings_event")
	counters(t, conn)
	exec(t, other, "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a')")
	counters(t, conn)
	wantError(t, second(other.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'b')")), "23514", "events_places")
}

// The last numbers of a sequence are nobody else's either.
func TestNobodyElseWritesLastNumbers(t *testing.T) {
	conn := invoices(t)
	exec(t, conn, "INSERT INTO app.invoices (id, shop) VALUES (1, 'a'), (2, 'a'); INSERT INTO app.tickets (id, project) VALUES (1, 'a'), (2, 'a')")
	for _, way := range []struct{ sql, by string }{
		{"UPDATE app.invoices_number SET last = 7", "invoices_number"},
		{"DELETE FROM app.tickets_number", "tickets_number"},
		{"INSERT INTO app.tickets_number VALUES ('b', 41)", "tickets_number"},
		{"TRUNCATE app.tickets_number", "tickets_number"},
	} {
		wantError(t, second(conn.Exec(t.Context(), way.sql)), "PW002", way.by)
	}
	exec(t, conn, "INSERT INTO app.invoices (id, shop) VALUES (3, 'a'), (4, 'b')")
	if a, b := numbersOf(t, conn, "invoices", "a"), numbersOf(t, conn, "invoices", "b"); a != "1 2 3" || b != "1" {
		t.Errorf("the numbers are %s and %s", a, b)
	}
}

// A sum takes finite numbers alone.
func TestSumsAreFinite(t *testing.T) {
	conn := database(t, compile(t, `
table "accounts" {
  column "id" { type = bigint }
  column "most" {
    type = numeric
    null = true
  }
  primary_key { columns = [id] }
}
table "debts" {
  column "id" {
    type     = bigint
    identity = "by default"
  }
  column "account_id" { type = bigint }
  column "amount" {
    type = numeric
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "account" {
    columns    = [account_id]
    references = table.accounts
  }
  index "by_account" { columns = [account_id] }
  limit "total" {
    per = [account_id]
    sum = amount
    max = table.accounts.column.most
  }
}`))
	exec(t, conn, "INSERT INTO app.accounts (id, most) VALUES (1, 10), (2, NULL); INSERT INTO app.debts (account_id, amount) VALUES (1, 5), (1, NULL)")
	for _, value := range []string{"NaN", "Infinity", "-Infinity"} {
		for account := 1; account <= 2; account++ {
			wantError(t, second(conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO app.debts (account_id, amount) VALUES (%d, '%s')", account, value))), "23514", "debts_total_finite")
		}
		wantError(t, second(conn.Exec(t.Context(), "UPDATE app.debts SET amount = '"+value+"'")), "23514", "debts_total_finite")
	}
	// Without the check the row cannot go again: nothing brings infinity back.
	exec(t, conn, "ALTER TABLE app.debts DROP CONSTRAINT debts_total_finite; INSERT INTO app.debts (account_id, amount) VALUES (2, '-Infinity'); DELETE FROM app.debts WHERE amount = '-Infinity'")
	var used string
	if err := conn.QueryRow(t.Context(), "SELECT total_used::text FROM app.accounts WHERE id = 2").Scan(&used); err != nil || used != "NaN" {
		t.Errorf("the counter is %s (%v): this test shows nothing", used, err)
	}
}

// number is the one number that a query gives.
func number(t testing.TB, conn *pgx.Conn, sql string) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
