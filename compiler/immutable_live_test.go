package compiler_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

const journalSpec = `
table "journal" {
  column "id" { type = bigint }
  column "amount" { type = numeric(12, 2) }
  primary_key { columns = [id] }
  append_only = true
}
table "bookings" {
  column "id" { type = bigint }
  column "room" {
    type      = text
    immutable = true
  }
  column "spot" {
    type      = point
    null      = true
    immutable = true
  }
  column "note" { type = text }
  primary_key { columns = [id] }
}
`

// journal is a database with rows in it, for a client that knows nothing of
// generated code.
func journal(t *testing.T) *pgx.Conn {
	conn := database(t, compile(t, journalSpec))
	exec(t, conn, "INSERT INTO app.journal VALUES (1, 10), (2, 20)")
	exec(t, conn, "INSERT INTO app.bookings VALUES (1, 'blue', '(1,2)', 'a'), (2, 'red', NULL, 'b')")
	return conn
}

// No statement changes or deletes a row of an append-only table.
func TestAppendOnly(t *testing.T) {
	conn := journal(t)
	try := func(sql string) error { return second(conn.Exec(t.Context(), sql)) }
	for _, sql := range []string{
		"UPDATE app.journal SET amount = 11 WHERE id = 1",
		"UPDATE app.journal SET amount = amount",
		"INSERT INTO app.journal VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET amount = excluded.amount",
		"DELETE FROM app.journal",
		"WITH gone AS (DELETE FROM app.journal WHERE id = 2 RETURNING id) SELECT * FROM gone",
		"TRUNCATE app.journal",
		"TRUNCATE app.bookings, app.journal",
	} {
		if err := try(sql); err == nil {
			t.Errorf("%s went through", sql)
		} else if strings.Contains(sql, "bookings") {
			wantError(t, err, "PW002", "bookings_immutable")
		} else {
			wantError(t, err, "PW002", "journal_append_only")
		}
	}
	for _, sql := range []string{
		"INSERT INTO app.journal VALUES (3, 5)",
		"INSERT INTO app.journal VALUES (1, 5) ON CONFLICT (id) DO NOTHING",
		"DELETE FROM app.journal WHERE id = 99",
	} {
		if err := try(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// Nothing changes an immutable column, and everything else goes on.
func TestImmutable(t *testing.T) {
	conn := journal(t)
	try := func(sql string) error { return second(conn.Exec(t.Context(), sql)) }
	for _, sql := range []string{
		"UPDATE app.bookings SET room = 'green' WHERE id = 1",
		"UPDATE app.bookings SET spot = '(1,3)' WHERE id = 1",
		"UPDATE app.bookings SET spot = NULL WHERE id = 1",
		"UPDATE app.bookings SET spot = '(0,0)' WHERE id = 2",
		"UPDATE app.bookings SET room = 'green', id = 7 WHERE id = 1",
		"INSERT INTO app.bookings VALUES (1, 'green', NULL, 'c') ON CONFLICT (id) DO UPDATE SET room = excluded.room",
		"TRUNCATE app.bookings",
	} {
		err := try(sql)
		if err == nil {
			t.Errorf("%s went through", sql)
			continue
		}
		wantError(t, err, "PW002", "bookings_immutable")
	}
	for _, sql := range []string{
		"UPDATE app.bookings SET room = 'blue', spot = '(1,2)', note = 'other' WHERE id = 1",
		"INSERT INTO app.bookings VALUES (1, 'green', NULL, 'c') ON CONFLICT (id) DO UPDATE SET note = excluded.note",
		"DELETE FROM app.bookings WHERE id = 2",
	} {
		if err := try(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// Each of the two triggers over an immutable column sees what the other does
// not: another BEFORE trigger that changes the row last, and an UPDATE that
// moves it to another partition. Without that one the change is stored.
func TestImmutableNeedsBothTriggers(t *testing.T) {
	for _, c := range []struct {
		name, prepare, update, without string
	}{
		{
			name: "another BEFORE trigger", without: "bookings_immutable",
			prepare: `CREATE FUNCTION app.repaint() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.room := 'green'; RETURN NEW; END $$;
CREATE TRIGGER zz_repaint BEFORE UPDATE ON app.bookings FOR EACH ROW EXECUTE FUNCTION app.repaint()`,
			update: "UPDATE app.bookings SET note = 'x' WHERE id = 1",
		},
		{
			name: "a move to another partition", without: "bookings_immutable_before",
			prepare: `ALTER TABLE app.bookings RENAME TO plain;
CREATE TABLE app.bookings (LIKE app.plain) PARTITION BY LIST (note);
CREATE TABLE app.bookings_a PARTITION OF app.bookings FOR VALUES IN ('a');
CREATE TABLE app.bookings_rest PARTITION OF app.bookings DEFAULT;
INSERT INTO app.bookings SELECT * FROM app.plain;
DO $$ DECLARE d text; BEGIN
  FOR d IN SELECT replace(pg_get_triggerdef(oid), 'app.plain', 'app.bookings') FROM pg_trigger WHERE tgrelid = 'app.plain'::regclass LOOP
    EXECUTE d;
  END LOOP;
END $$`,
			update: "UPDATE app.bookings SET note = 'moved', room = 'green' WHERE id = 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := journal(t)
			exec(t, conn, c.prepare)
			wantError(t, second(conn.Exec(t.Context(), c.update)), "PW002", "bookings_immutable")
			exec(t, conn, "DROP TRIGGER "+c.without+" ON app.bookings")
			exec(t, conn, c.update)
			var room string
			if err := conn.QueryRow(t.Context(), "SELECT room FROM app.bookings WHERE id = 1").Scan(&room); err != nil || room != "green" {
				t.Errorf("without %s the room is %q (%v): the trigger was not what kept it", c.without, room, err)
			}
		})
	}
}

// Partitions refuse changes of append-only rows that are made to them directly.
func TestAppendOnlyPartition(t *testing.T) {
	conn := journal(t)
	exec(t, conn, `CREATE TABLE app.parted (LIKE app.journal) PARTITION BY LIST (id);
CREATE TABLE app.parted_1 PARTITION OF app.parted FOR VALUES IN (1);
CREATE TABLE app.parted_2 PARTITION OF app.parted DEFAULT;
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE ON app.parted FOR EACH ROW
  EXECUTE FUNCTION app.pawl_refuse('PW002', 'journal_append_only', 'rows of journal are never changed or deleted');
INSERT INTO app.parted VALUES (1, 10), (2, 20)`)
	for _, sql := range []string{
		"UPDATE app.parted SET id = 2 WHERE id = 1", "UPDATE app.parted_1 SET amount = 3", "DELETE FROM app.parted_2", "DELETE FROM app.parted",
	} {
		wantError(t, second(conn.Exec(t.Context(), sql)), "PW002", "journal_append_only")
	}
}

// What never changes does not for an application's role either: neither with the
// grants that generated code gets, nor with every grant there is, nor for rows that
// row security shows it. With the triggers off the second one changes it.
func TestFrozenForAnApplicationRole(t *testing.T) {
	conn := journal(t)
	newRole(t, conn, "frozen_client")
	exec(t, conn, `GRANT USAGE ON SCHEMA app TO frozen_client;
GRANT INSERT, SELECT ON app.journal TO frozen_client;
GRANT INSERT, SELECT, UPDATE (note), DELETE ON app.bookings TO frozen_client;
ALTER TABLE app.bookings ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.journal ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON app.bookings USING (note <> 'hidden');
CREATE POLICY own ON app.journal USING (amount > 0)`)
	ways := []struct{ sql, constraint string }{
		{"UPDATE app.bookings SET room = 'green'", "bookings_immutable"},
		{"UPDATE app.bookings SET note = 'c', spot = '(3,4)' WHERE id = 2", "bookings_immutable"},
		{"INSERT INTO app.bookings (id, room, note) VALUES (1, 'green', 'n') ON CONFLICT (id) DO UPDATE SET room = excluded.room", "bookings_immutable"},
		{"UPDATE app.journal SET amount = 1", "journal_append_only"},
		{"DELETE FROM app.journal", "journal_append_only"},
		{"TRUNCATE app.journal", "journal_append_only"},
	}
	exec(t, conn, "SET ROLE frozen_client")
	for _, way := range ways {
		wantError(t, second(conn.Exec(t.Context(), way.sql)), "42501", "")
	}
	exec(t, conn, "UPDATE app.bookings SET note = 'c'; INSERT INTO app.journal VALUES (3, 30)")
	exec(t, conn, "RESET ROLE; GRANT ALL ON ALL TABLES IN SCHEMA app TO frozen_client; SET ROLE frozen_client")
	for _, way := range ways {
		wantError(t, second(conn.Exec(t.Context(), way.sql)), "PW002", way.constraint)
	}
	exec(t, conn, "RESET ROLE; ALTER TABLE app.bookings DISABLE TRIGGER USER; ALTER TABLE app.journal DISABLE TRIGGER USER; SET ROLE frozen_client")
	for _, way := range ways {
		exec(t, conn, way.sql)
	}
}
