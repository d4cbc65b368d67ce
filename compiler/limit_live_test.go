package compiler_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const eventSpec = `
table "events" {
  column "id" { type = bigint }
  column "capacity" {
    type = integer
    null = true
  }
  primary_key { columns = [id] }
  adjust "shrink" {
    args  = { by = integer }
    set   = { capacity = "capacity - @by" }
    allow = { null-arithmetic = "an event without a bound stays without one" }
  }
  edit "resize" { columns = [capacity] }
}
table "bookings" {
  column "id" {
    type     = bigint
    identity = "by default"
  }
  column "event_id" {
    type = bigint
    null = true
  }
  column "shop" { type = text }
  column "seats" {
    type    = integer
    default = 1
  }
  column "status" {
    type    = text
    default = "held"
  }
  primary_key { columns = [id] }
  foreign_key "event" {
    columns    = [event_id]
    references = table.events
    on_delete  = "cascade"
  }
  index "by_event" { columns = [event_id] }
  limit "places" {
    per   = [event_id]
    max   = table.events.column.capacity
    where = "status <> 'cancelled'"
  }
  limit "chairs" {
    per = [shop]
    sum = seats
    max = 10
  }
}
`

// events is a database with an event of two places and one without a bound.
func events(t testing.TB) *pgx.Conn {
	conn := database(t, compile(t, eventSpec))
	exec(t, conn, "INSERT INTO app.events (id, capacity) VALUES (1, 2), (2, 1), (3, NULL), (4, 1)")
	return conn
}

// counters compares every counter with the rows that it stands for.
func counters(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	for _, sql := range []string{
		`SELECT count(*) FROM app.events AS e WHERE e.places_used <>
		  (SELECT count(*) FROM app.bookings AS b WHERE b.event_id = e.id AND b.status <> 'cancelled')`,
		`SELECT count(*) FROM app.bookings_chairs AS c FULL JOIN (SELECT shop, sum(seats) AS n FROM app.bookings GROUP BY shop) AS s USING (shop)
		  WHERE COALESCE(c.used, 0) <> COALESCE(s.n, 0)`,
		"SELECT count(*) FROM app.events WHERE places_used > capacity",
		"SELECT count(*) FROM app.bookings_chairs WHERE used > 10",
	} {
		var wrong int
		if err := conn.QueryRow(t.Context(), sql).Scan(&wrong); err != nil || wrong != 0 {
			t.Errorf("%d counters are wrong (%v): %s", wrong, err, sql)
		}
	}
}

// Every way in which a row comes, goes, moves or begins to count meets the
// counter, and what would pass the bound is refused.
func TestLimitWays(t *testing.T) {
	conn := events(t)
	for _, step := range []struct{ sql, refused string }{
		{"INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a'), (1, 'a')", ""},
		{"INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a')", "events_places"},
		{"INSERT INTO app.bookings (event_id, shop) VALUES (2, 'a'), (2, 'b')", "events_places"},
		{"INSERT INTO app.bookings (event_id, shop, status) VALUES (1, 'a', 'cancelled')", ""},
		{"INSERT INTO app.bookings (event_id, shop) SELECT 3, 'n' || g FROM generate_series(1, 50) AS g", ""},
		{"INSERT INTO app.bookings (event_id, shop) VALUES (NULL, 'a')", ""},
		{"UPDATE app.bookings SET status = 'held' WHERE status = 'cancelled'", "events_places"},
		{"UPDATE app.bookings SET event_id = 1 WHERE event_id IS NULL", "events_places"},
		{"UPDATE app.bookings SET event_id = 2 WHERE event_id = 1 AND status = 'held'", "events_places"},
		{"UPDATE app.bookings SET event_id = 2 WHERE id = (SELECT min(id) FROM app.bookings WHERE event_id = 1)", ""},
		{"UPDATE app.bookings SET status = 'held' WHERE status = 'cancelled'", ""},
		{"INSERT INTO app.bookings (id, event_id, shop) VALUES (1, 3, 'x') ON CONFLICT (id) DO UPDATE SET event_id = 1", "events_places"},
		{"INSERT INTO app.bookings (id, event_id, shop) VALUES (1, 3, 'x') ON CONFLICT (id) DO UPDATE SET event_id = 3", ""},
		{"INSERT INTO app.bookings (id, event_id, shop) VALUES (1, 1, 'x') ON CONFLICT (id) DO NOTHING", ""},
		{"UPDATE app.bookings SET seats = 9 WHERE id = 1", "bookings_chairs_max"},
		{"INSERT INTO app.bookings (shop, seats) VALUES ('new', 11)", "bookings_chairs_max"},
		{"INSERT INTO app.bookings (shop, seats) VALUES ('new', 10)", ""},
		{"INSERT INTO app.bookings (shop, seats) VALUES ('new', 1)", "bookings_chairs_max"},
		{"UPDATE app.bookings SET shop = 'new' WHERE shop = 'n1'", "bookings_chairs_max"},
		{"DELETE FROM app.bookings WHERE shop = 'new'", ""},
		{"UPDATE app.bookings SET shop = 'new' WHERE shop = 'n1'", ""},
		{"UPDATE app.events SET capacity = 1 WHERE id = 1", "events_places"},
		{"UPDATE app.events SET capacity = NULL WHERE id = 1", ""},
		{"UPDATE app.events SET capacity = 2 WHERE id = 1", ""},
		{"UPDATE app.events SET id = 7 WHERE id = 4", ""},
		{"DELETE FROM app.events WHERE id = 1", ""},
		{"WITH gone AS (DELETE FROM app.bookings WHERE event_id = 3 RETURNING id) INSERT INTO app.bookings (event_id, shop) SELECT 7, 'z' FROM gone LIMIT 2", "events_places"},
	} {
		err := second(conn.Exec(t.Context(), step.sql))
		if step.refused != "" {
			if err == nil {
				t.Fatalf("went through: %s", step.sql)
			}
			wantError(t, err, "23514", step.refused)
		} else if err != nil {
			t.Fatalf("%s: %v", step.sql, err)
		}
		counters(t, conn)
	}
	wantError(t, second(conn.Exec(t.Context(), "TRUNCATE app.bookings")), "PW003", "bookings_chairs")
	if _, err := conn.PgConn().CopyFrom(t.Context(), strings.NewReader("7\ta\n7\tb\n"), "COPY app.bookings (event_id, shop) FROM STDIN"); err == nil {
		t.Error("a COPY went past the bound")
	} else {
		wantError(t, err, "23514", "events_places")
	}
	counters(t, conn)
}

// A group that is full is told with its numbers and without a row's values.
func TestLimitTellsItsNumbers(t *testing.T) {
	conn := events(t)
	exec(t, conn, "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a')")
	err := second(conn.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'secret'), (1, 'secret')"))
	wantError(t, err, "23514", "events_places")
	if d := detail(t, err); d != `{"used" : 1, "max" : 2, "more" : 2}` {
		t.Errorf("DETAIL is %s", d)
	}
}

// A client that may write bookings and nothing else, under row security, is
// counted like any other.
func TestLimitForAnApplicationRole(t *testing.T) {
	conn := events(t)
	exec(t, conn, `CREATE ROLE limit_client;
GRANT USAGE ON SCHEMA app TO limit_client;
GRANT INSERT, UPDATE, DELETE, SELECT ON app.bookings TO limit_client;
ALTER TABLE app.events ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.bookings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON app.bookings USING (shop = 'own') WITH CHECK (shop = 'own');
INSERT INTO app.bookings (event_id, shop) VALUES (1, 'other')`)
	t.Cleanup(func() { exec(t, conn, "RESET ROLE; DROP OWNED BY limit_client; DROP ROLE limit_client") })
	exec(t, conn, "SET ROLE limit_client")
	exec(t, conn, "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'own')")
	wantError(t, second(conn.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'own')")), "23514", "events_places")
	wantError(t, second(conn.Exec(t.Context(), "SELECT * FROM app.events")), "42501", "")
	exec(t, conn, "RESET ROLE")
	counters(t, conn)
}

// detail is the DETAIL of a server's error.
func detail(t testing.TB, err error) string {
	t.Helper()
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		t.Fatalf("no error of the server: %v", err)
	}
	return pg.Detail
}

// Two clients take the last place, at every pair of isolation levels. One gets
// it; the other waits and is refused, or gets 40001 where its snapshot is older.
// Counting inside a trigger instead lets both in: the guard that matters is the
// UPDATE of one row.
func TestLimitBetweenClients(t *testing.T) {
	levels := []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
	conn := events(t)
	other := connect(t, conn.Config().ConnString())
	exec(t, conn, "UPDATE app.events SET capacity = 1 WHERE id = 1")
	race := func(t *testing.T, first, then pgx.TxIsoLevel) (taken int, code string) {
		exec(t, conn, "DELETE FROM app.bookings")
		one, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: first})
		if err != nil {
			t.Fatal(err)
		}
		two, err := other.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: then})
		if err != nil {
			t.Fatal(err)
		}
		var n int
		for _, tx := range []pgx.Tx{one, two} { // both take their snapshots before anything is written
			if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM app.bookings").Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := one.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'a')"); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := two.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (1, 'b')")
			if err == nil {
				err = two.Commit(t.Context())
			}
			done <- err
		}()
		ended := waitUntilBlockedOrDone(t, other, done)
		if err := one.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ended == nil {
			e := <-done
			ended = &e
		}
		var pg *pgconn.PgError
		if errors.As(*ended, &pg) {
			code = pg.Code
		}
		_ = two.Rollback(t.Context()) // it may be over
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM app.bookings WHERE event_id = 1").Scan(&taken); err != nil {
			t.Fatal(err)
		}
		return taken, code
	}
	for _, first := range levels {
		for _, then := range levels {
			want := "40001"
			if then == pgx.ReadCommitted {
				want = "23514"
			}
			if taken, code := race(t, first, then); taken != 1 || code != want {
				t.Errorf("%s, then %s: %d taken, the second got %q", first, then, taken, code)
			}
			counters(t, conn)
		}
	}
	// The usual trigger, which counts, and even locks the row before it does.
	for _, name := range []string{"delete", "insert", "update"} {
		exec(t, conn, "DROP TRIGGER bookings_places_"+name+" ON app.bookings")
	}
	exec(t, conn, `CREATE FUNCTION app.count_instead() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 FROM app.events WHERE id = NEW.event_id FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM app.bookings WHERE event_id = NEW.event_id) >= 1 THEN
    RAISE EXCEPTION 'full' USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER count_instead BEFORE INSERT ON app.bookings FOR EACH ROW EXECUTE FUNCTION app.count_instead()`)
	if taken, _ := race(t, pgx.RepeatableRead, pgx.RepeatableRead); taken != 2 {
		t.Errorf("a lock and a count let %d in: this test shows nothing", taken)
	}
}

// waitUntilBlockedOrDone returns nil when a connection waits for a lock, and the
// error of its work when that ended before.
func waitUntilBlockedOrDone(t testing.TB, blocked *pgx.Conn, done <-chan error) *error {
	t.Helper()
	watch := connect(t, blocked.Config().ConnString())
	for {
		select {
		case err := <-done:
			return &err
		default:
		}
		var waits bool
		err := watch.QueryRow(t.Context(), "SELECT COALESCE(wait_event_type = 'Lock', false) FROM pg_stat_activity WHERE pid = $1", blocked.PgConn().PID()).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		if waits {
			return nil
		}
	}
}

// What the parts of a limit are for: each taken away, and the rule is broken.
func TestLimitGuardsAreNeeded(t *testing.T) {
	for _, c := range []struct{ name, without, way, broken string }{
		{
			"the check", "ALTER TABLE app.events DROP CONSTRAINT events_places", "UPDATE app.events SET capacity = 0 WHERE id = 2",
			"SELECT EXISTS (SELECT 1 FROM app.events WHERE places_used > capacity)",
		},
		{
			"the insert trigger", "DROP TRIGGER bookings_places_insert ON app.bookings", "INSERT INTO app.bookings (event_id, shop) VALUES (2, 'b')",
			"SELECT count(*) > 1 FROM app.bookings WHERE event_id = 2",
		},
		{
			"the update trigger", "DROP TRIGGER bookings_places_update ON app.bookings", "UPDATE app.bookings SET event_id = 2 WHERE event_id = 3",
			"SELECT count(*) > 1 FROM app.bookings WHERE event_id = 2",
		},
		{
			"the truncate trigger", "DROP TRIGGER bookings_places_truncate ON app.bookings; DROP TRIGGER bookings_chairs_truncate ON app.bookings",
			"TRUNCATE app.bookings", "SELECT EXISTS (SELECT 1 FROM app.events WHERE places_used > 0)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := events(t)
			exec(t, conn, "INSERT INTO app.bookings (event_id, shop) VALUES (2, 'a'), (3, 'a')")
			if _, err := conn.Exec(t.Context(), c.way); err == nil {
				t.Fatalf("went through: %s", c.way)
			}
			exec(t, conn, c.without)
			exec(t, conn, c.way)
			var broken bool
			if err := conn.QueryRow(t.Context(), c.broken).Scan(&broken); err != nil || !broken {
				t.Errorf("the rule holds without it (%v)", err)
			}
		})
	}
	t.Run("the delete trigger", func(t *testing.T) {
		conn := events(t)
		exec(t, conn, "DROP TRIGGER bookings_places_delete ON app.bookings; INSERT INTO app.bookings (event_id, shop) VALUES (2, 'a'); DELETE FROM app.bookings")
		wantError(t, second(conn.Exec(t.Context(), "INSERT INTO app.bookings (event_id, shop) VALUES (2, 'a')")), "23514", "events_places")
	})
}
