package compiler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/codegen/postgres"
)

// groupSpec has a table for each rule about the rows of a group: teams with
// exactly one main address each, cards in order, numbered notes, heads, and boxes
// on shelves that carry so much.
const groupSpec = `
pawl {
  project  = "x"
  postgres = 14
  schema   = "app"
  app_role = "ROLE"
}
table "teams" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "addresses" {
  column "id" { type = bigint }
  column "team_id" { type = bigint }
  column "main" { type = boolean }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
    on_delete  = "cascade"
    on_update  = "cascade"
  }
  index "by_team" { columns = [team_id] }
  exactly_one "main" {
    per    = [team_id]
    where  = "main"
    parent = table.teams
  }
}
table "cards" {
  column "id" { type = bigint }
  column "list" { type = text }
  column "position" { type = bigint }
  primary_key { columns = [id] }
  ordered "position" {
    per    = [list]
    column = position
  }
}
table "notes" {
  column "id" { type = bigint }
  column "book" { type = text }
  column "number" { type = bigint }
  primary_key { columns = [id] }
  sequence "number" {
    per     = [book]
    column  = number
    gapless = true
  }
}
table "heads" {
  column "id" { type = bigint }
  column "office" { type = text }
  column "acting" { type = boolean }
  primary_key { columns = [id] }
  at_most_one "head" {
    per   = [office]
    where = "acting"
  }
}
table "boxes" {
  column "id" { type = bigint }
  column "shelf" { type = text }
  column "weight" { type = numeric(8, 1) }
  primary_key { columns = [id] }
  limit "load" {
    per = [shelf]
    sum = weight
    max = 10
  }
}
`

// groups is a database with them, and two teams that have what they need.
func groups(t *testing.T) *pgx.Conn {
	t.Helper()
	conn := database(t, compile(t, strings.Replace(groupSpec, "  app_role = \"ROLE\"\n", "", 1)))
	exec(t, conn, "BEGIN; INSERT INTO app.teams VALUES (1), (2); INSERT INTO app.addresses VALUES (1, 1, true), (2, 1, false), (3, 2, true); COMMIT")
	return conn
}

// way is a transaction of a client that knows nothing of generated code, and the
// error that ends it.
type way struct{ sql, code, constraint string }

func (w way) try(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	err := transact(t, conn, w.sql)
	switch {
	case w.code == "" && err != nil:
		t.Fatalf("%s: %v", w.sql, err)
	case w.code != "" && err == nil:
		t.Fatalf("went through: %s", w.sql)
	case w.code != "":
		wantError(t, err, w.code, w.constraint)
	}
}

// Every way in which a group could have no row that counts, or a second one, is
// refused: the first at COMMIT, the second at once.
func TestExactlyOneWays(t *testing.T) {
	conn := groups(t)
	const none, two = "addresses_main_least", "addresses_main"
	for _, w := range []way{
		{"INSERT INTO app.addresses VALUES (9, 1, true)", "23505", two},
		{"INSERT INTO app.addresses VALUES (9, 1, false), (10, 1, false)", "", ""},
		{"UPDATE app.addresses SET main = true WHERE id = 2", "23505", two},
		{"INSERT INTO app.addresses VALUES (2, 1, true) ON CONFLICT (id) DO UPDATE SET main = excluded.main", "23505", two},
		{"UPDATE app.addresses SET main = false WHERE id = 1; UPDATE app.addresses SET main = true WHERE id = 2", "", ""},
		{"UPDATE app.addresses SET main = false WHERE id = 2", "PW004", none},
		{"UPDATE app.addresses SET team_id = 1 WHERE id = 3", "23505", two},
		{"UPDATE app.addresses SET team_id = 1, main = false WHERE id = 3", "PW004", none},
		{"DELETE FROM app.addresses WHERE team_id = 1", "PW004", none},
		{"DELETE FROM app.addresses WHERE id = 1", "", ""},
		{"INSERT INTO app.teams VALUES (3)", "PW004", none},
		{"INSERT INTO app.teams VALUES (3); INSERT INTO app.addresses VALUES (30, 3, true), (31, 3, false)", "", ""},
		{"UPDATE app.teams SET id = 4 WHERE id = 3", "", ""},
		{"DELETE FROM app.teams WHERE id = 4", "", ""},
	} {
		w.try(t, conn)
	}
	wantError(t, second(conn.Exec(t.Context(), "TRUNCATE app.addresses")), "PW004", none)
	_, err := conn.PgConn().CopyFrom(t.Context(), strings.NewReader("50\t1\tf\n51\t1\tt\n"), "COPY app.addresses FROM STDIN")
	wantError(t, err, "23505", two)
}

// The index alone sees every way in which a second row comes to be meant.
func TestAtMostOneWays(t *testing.T) {
	conn := groups(t)
	for _, w := range []way{
		{"INSERT INTO app.heads VALUES (1, 'a', true), (2, 'a', false), (3, 'b', true)", "", ""},
		{"INSERT INTO app.heads VALUES (4, 'a', true)", "23505", "heads_head"},
		{"INSERT INTO app.heads VALUES (4, 'c', true), (5, 'c', true)", "23505", "heads_head"},
		{"UPDATE app.heads SET acting = true WHERE id = 2", "23505", "heads_head"},
		{"UPDATE app.heads SET office = 'a' WHERE id = 3", "23505", "heads_head"},
		{"INSERT INTO app.heads VALUES (2, 'a', true) ON CONFLICT (id) DO UPDATE SET acting = excluded.acting", "23505", "heads_head"},
		{"UPDATE app.heads SET acting = false WHERE id = 1; UPDATE app.heads SET acting = true WHERE id = 2", "", ""},
		{"UPDATE app.heads SET office = 'c' WHERE id = 1", "", ""},
		{"DELETE FROM app.heads WHERE office = 'a'", "", ""},
		{"TRUNCATE app.heads", "", ""},
	} {
		w.try(t, conn)
	}
	_, err := conn.PgConn().CopyFrom(t.Context(), strings.NewReader("1\ta\tt\n2\ta\tt\n"), "COPY app.heads FROM STDIN")
	wantError(t, err, "23505", "heads_head")
}

// Rows come in at the end of their group by every way, and no way gives two of
// them one position.
func TestOrderedWays(t *testing.T) {
	conn := groups(t)
	positions := func(list string) (text string) {
		t.Helper()
		err := conn.QueryRow(t.Context(), "SELECT COALESCE(string_agg(id || '@' || position, ' ' ORDER BY position), '') FROM app.cards WHERE list = $1", list).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, step := range []struct {
		way
		a, b string
	}{
		{way{"INSERT INTO app.cards (id, list) VALUES (1, 'a'), (2, 'a'), (3, 'a')", "", ""}, "1@1 2@2 3@3", ""},
		{way{"INSERT INTO app.cards VALUES (4, 'a', 2)", "23505", "cards_position_key"}, "1@1 2@2 3@3", ""},
		{way{"UPDATE app.cards SET position = 2 WHERE id = 1", "23505", "cards_position_key"}, "1@1 2@2 3@3", ""},
		{way{"UPDATE app.cards SET position = 4 - position", "", ""}, "3@1 2@2 1@3", ""},
		{way{"INSERT INTO app.cards (id, list) VALUES (1, 'a'), (4, 'a') ON CONFLICT (id) DO NOTHING", "", ""}, "3@1 2@2 1@3 4@4", ""},
		{way{"INSERT INTO app.cards (id, list) VALUES (2, 'b') ON CONFLICT (id) DO UPDATE SET list = 'b'", "", ""}, "3@1 1@3 4@4", "2@1"},
		{way{"UPDATE app.cards SET list = 'b' WHERE id = 1", "", ""}, "3@1 4@4", "2@1 1@2"},
		{way{"UPDATE app.cards SET list = 'b', position = 9 WHERE id = 4", "", ""}, "3@1", "2@1 1@2 4@9"},
		{way{"UPDATE app.cards SET list = 'b', position = 2 WHERE id = 3", "23505", "cards_position_key"}, "3@1", "2@1 1@2 4@9"},
		{way{"DELETE FROM app.cards WHERE id = 1; INSERT INTO app.cards (id, list) SELECT 5, 'b'", "", ""}, "3@1", "2@1 4@9 5@10"},
		{way{"WITH gone AS (DELETE FROM app.cards WHERE id = 5 RETURNING list) INSERT INTO app.cards (id, list) SELECT 6, 'a' FROM gone", "", ""}, "3@1 6@2", "2@1 4@9"},
	} {
		step.try(t, conn)
		if a, b := positions("a"), positions("b"); a != step.a || b != step.b {
			t.Fatalf("%s: the order is %q and %q, want %q and %q", step.sql, a, b, step.a, step.b)
		}
	}
	if _, err := conn.PgConn().CopyFrom(t.Context(), strings.NewReader("7\ta\n8\ta\n"), "COPY app.cards (id, list) FROM STDIN"); err != nil {
		t.Fatal(err)
	}
	if got := positions("a"); got != "3@1 6@2 7@3 8@4" {
		t.Errorf("after a COPY the order is %s", got)
	}
	exec(t, conn, "TRUNCATE app.cards; INSERT INTO app.cards (id, list) VALUES (1, 'a')")
	if got := positions("a"); got != "1@1" {
		t.Errorf("after a TRUNCATE the order is %s", got)
	}
	exec(t, conn, "DROP TRIGGER cards_position_insert ON app.cards")
	wantError(t, second(conn.Exec(t.Context(), "INSERT INTO app.cards (id, list) VALUES (2, 'a')")), "23502", "")
}

// Two clients meet in one group at every pair of isolation levels, each having
// taken its snapshot before the other one writes. What the second gets depends on
// its own level alone.
func TestGroupsAtEveryLevel(t *testing.T) {
	conn := groups(t)
	other := connect(t, conn.Config().ConnString())
	levels := []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
	const old = "40001"
	for _, c := range []struct {
		name, reset, first, then string
		waits, snapshot          []string // what the second may get at READ COMMITTED, and at the others
		holds                    string   // a query that is true afterwards
	}{
		{
			name: "limit without a foreign key", reset: "DELETE FROM app.boxes; INSERT INTO app.boxes VALUES (1, 's', 9.5)",
			first: "INSERT INTO app.boxes VALUES (2, 's', 0.5)", then: "INSERT INTO app.boxes VALUES (3, 's', 0.1)",
			waits: []string{"23514"}, snapshot: []string{old}, holds: "SELECT sum(weight) = 10 FROM app.boxes",
		},
		{
			name: "limit of a group that is new", reset: "DELETE FROM app.boxes; SET session_replication_role = replica; DELETE FROM app.boxes_load; RESET session_replication_role",
			first: "INSERT INTO app.boxes VALUES (2, 's', 6)", then: "INSERT INTO app.boxes VALUES (3, 's', 6)",
			waits: []string{"23514"}, snapshot: []string{old}, holds: "SELECT sum(weight) = 6 FROM app.boxes",
		},
		{
			name: "at_most_one", reset: "DELETE FROM app.heads; INSERT INTO app.heads VALUES (1, 'o', false), (2, 'o', false)",
			first: "UPDATE app.heads SET acting = true WHERE id = 1", then: "UPDATE app.heads SET acting = true WHERE id = 2",
			// A serializable transaction may be told of the key, or that it is too late.
			waits: []string{"23505"}, snapshot: []string{"23505", old}, holds: "SELECT count(*) = 1 FROM app.heads WHERE acting",
		},
		{
			name: "exactly_one", reset: "BEGIN; DELETE FROM app.addresses WHERE team_id = 1; INSERT INTO app.addresses VALUES (1, 1, true), (2, 1, false), (4, 1, false); COMMIT",
			first: "UPDATE app.addresses SET main = false WHERE id = 1; UPDATE app.addresses SET main = true WHERE id = 2",
			then:  "UPDATE app.addresses SET main = false WHERE id = 1; UPDATE app.addresses SET main = true WHERE id = 4",
			waits: []string{"23505"}, snapshot: []string{old}, holds: "SELECT count(*) = 1 FROM app.addresses WHERE main AND team_id = 1",
		},
		{
			name: "ordered", reset: "TRUNCATE app.cards; INSERT INTO app.cards (id, list) VALUES (1, 'l')",
			first: "INSERT INTO app.cards (id, list) VALUES (2, 'l')", then: "INSERT INTO app.cards (id, list) VALUES (3, 'l')",
			waits: []string{""}, snapshot: []string{old}, holds: "SELECT count(*) = max(position) FROM app.cards",
		},
		{
			name: "ordered, a group that is new", reset: "TRUNCATE app.cards; DELETE FROM app.cards_position",
			first: "INSERT INTO app.cards (id, list) VALUES (2, 'l')", then: "INSERT INTO app.cards (id, list) VALUES (3, 'l')",
			waits: []string{""}, snapshot: []string{old}, holds: "SELECT count(*) = max(position) FROM app.cards",
		},
	} {
		for _, first := range levels {
			for _, then := range levels {
				exec(t, conn, c.reset)
				code := inTurn(t, conn, other, first, then, c.first, c.then)
				may := c.snapshot
				if then == pgx.ReadCommitted {
					may = c.waits
				}
				var holds bool
				if err := conn.QueryRow(t.Context(), c.holds).Scan(&holds); err != nil {
					t.Fatal(err)
				}
				if !holds || !strings.Contains(" "+strings.Join(may, " ")+" ", " "+code+" ") {
					t.Errorf("%s, %s and then %s: the second got %q, and the rule holds: %v", c.name, first, then, code, holds)
				}
			}
		}
	}
}

// inTurn runs two transactions: both take their snapshots, the first writes, the
// second does until it waits or is done, the first commits, and then the second.
// It returns the SQLSTATE that the second one ended with.
func inTurn(t *testing.T, one, two *pgx.Conn, first, then pgx.TxIsoLevel, writes, wants string) (code string) {
	t.Helper()
	begin := func(conn *pgx.Conn, level pgx.TxIsoLevel) pgx.Tx {
		tx, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), "SELECT 1 FROM app.teams"); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	a, b := begin(one, first), begin(two, then)
	if _, err := a.Exec(t.Context(), writes, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := b.Exec(t.Context(), wants, pgx.QueryExecModeSimpleProtocol)
		if err == nil {
			err = b.Commit(t.Context())
		}
		done <- err
	}()
	ended := waitUntilBlockedOrDone(t, two, done)
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended == nil {
		err := <-done
		ended = &err
	}
	_ = b.Rollback(t.Context()) // it may be over
	var refused *pgconn.PgError
	if errors.As(*ended, &refused) {
		return refused.Code
	}
	if *ended != nil {
		t.Fatal(*ended)
	}
	return ""
}

// A role that has the grants of generated code and nothing else, with row security
// on every table that hides all rows but those of its own, is held by every rule:
// what triggers read and write they do as the owner.
func TestGroupsForAnApplicationRole(t *testing.T) {
	p := compile(t, strings.Replace(groupSpec, "ROLE", "groups_client", 1))
	bare := *p
	bare.Grants = nil
	conn := database(t, &bare)
	exec(t, conn, "BEGIN; INSERT INTO app.teams VALUES (1), (2); INSERT INTO app.addresses VALUES (1, 1, true), (3, 2, true); COMMIT")
	newRole(t, conn, "groups_client")
	execute(t, conn, postgres.Grants("groups_client", p.Grants)...)
	exec(t, conn, "REVOKE ALL ON app.teams FROM groups_client")
	for _, table := range p.Schema.Tables {
		exec(t, conn, fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY; REVOKE ALL ON %[1]s FROM PUBLIC", table.Ref().SQL()))
	}
	exec(t, conn, `CREATE POLICY own ON app.boxes USING (id >= 100);
CREATE POLICY own ON app.cards USING (id >= 100);
CREATE POLICY own ON app.notes USING (id >= 100);
CREATE POLICY own ON app.heads USING (id >= 100);
CREATE POLICY own ON app.addresses USING (true);
INSERT INTO app.boxes VALUES (1, 's', 9);
INSERT INTO app.cards (id, list) VALUES (1, 'l'), (2, 'l');
INSERT INTO app.notes (id, book) VALUES (1, 'b'), (2, 'b');
INSERT INTO app.heads VALUES (1, 'o', true);
SET ROLE groups_client`)
	for _, w := range []way{
		{"INSERT INTO app.boxes VALUES (100, 's', 1.5)", "23514", "boxes_load_max"},
		{"INSERT INTO app.boxes VALUES (100, 's', 1)", "", ""},
		{"INSERT INTO app.cards (id, list) VALUES (100, 'l')", "", ""},
		{"INSERT INTO app.cards (id, list, position) VALUES (101, 'l', 1)", "23505", "cards_position_key"},
		{"INSERT INTO app.notes (id, book) VALUES (100, 'b')", "", ""},
		{"INSERT INTO app.heads VALUES (100, 'o', true)", "23505", "heads_head"},
		{"DELETE FROM app.addresses WHERE id = 3", "PW004", "addresses_main_least"},
		{"SELECT * FROM app.teams", "42501", ""},
		{"UPDATE app.boxes_load SET used = 0", "42501", ""},
		{"UPDATE app.notes_number SET last = 0", "42501", ""},
	} {
		w.try(t, conn)
	}
	exec(t, conn, "RESET ROLE")
	var card, note int
	if err := conn.QueryRow(t.Context(), "SELECT (SELECT position FROM app.cards WHERE id = 100), (SELECT number FROM app.notes WHERE id = 100)").Scan(&card, &note); err != nil || card != 3 || note != 3 {
		t.Errorf("the card is at %d and the note is number %d, want 3 and 3: rows were hidden from a trigger (%v)", card, note, err)
	}
}

// A transaction of many rows writes the row that its group waits for once: a
// limit's counter with each statement, and the parent of a lower bound at the end,
// however many rows come or go.
func TestOncePerGroup(t *testing.T) {
	// Each version of a row takes the next place of the page.
	place := func(conn *pgx.Conn, row string) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), "SELECT (ctid::text::point)[1]::integer FROM "+row).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	conn := groups(t)
	exec(t, conn, "INSERT INTO app.boxes VALUES (0, 's', 0.1)")
	before := place(conn, "app.boxes_load")
	exec(t, conn, "INSERT INTO app.boxes SELECT g, 's', 0.1 FROM generate_series(1, 50) AS g")
	exec(t, conn, "DELETE FROM app.boxes WHERE id > 10")
	if n := place(conn, "app.boxes_load") - before; n != 2 {
		t.Errorf("two statements of many rows wrote the counter %d times", n)
	}
	conn = teams(t)
	exec(t, conn, "DELETE FROM app.teams WHERE id = 2; INSERT INTO app.members (team_id, role) SELECT 1, 'owner' FROM generate_series(1, 50)")
	exec(t, conn, "UPDATE app.teams SET id = id")
	before = place(conn, "app.teams")
	exec(t, conn, "BEGIN; DELETE FROM app.members WHERE id BETWEEN 1 AND 20; UPDATE app.members SET role = 'member' WHERE id BETWEEN 21 AND 40; COMMIT")
	if n := place(conn, "app.teams") - before; n != 1 {
		t.Errorf("a transaction that takes many rows away wrote the parent %d times", n)
	}
}

// partition makes a table one of three hash partitions, with its constraints,
// indexes and triggers, as somebody does who knows nothing of pawl.
func partition(t *testing.T, conn *pgx.Conn, table, by string) {
	t.Helper()
	exec(t, conn, fmt.Sprintf(`DO $do$ DECLARE d text; BEGIN
  ALTER TABLE app.%[1]s RENAME TO %[1]s_plain;
  CREATE TABLE app.%[1]s (LIKE app.%[1]s_plain) PARTITION BY HASH (%[2]s);
  FOR i IN 0..2 LOOP
    EXECUTE format('CREATE TABLE app.%[1]s_%%s PARTITION OF app.%[1]s FOR VALUES WITH (MODULUS 3, REMAINDER %%s)', i, i);
  END LOOP;
  INSERT INTO app.%[1]s SELECT * FROM app.%[1]s_plain;
  FOR d IN SELECT format('ALTER TABLE app.%[1]s ADD CONSTRAINT %%I ', conname || '_p') || pg_get_constraintdef(oid) FROM pg_constraint
      WHERE conrelid = 'app.%[1]s_plain'::regclass AND contype IN ('u', 'c', 'f') LOOP
    EXECUTE d;
  END LOOP;
  FOR d IN SELECT replace(pg_get_indexdef(i.indexrelid), c.relname || ' ON app.%[1]s_plain', c.relname || '_p ON app.%[1]s')
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
      WHERE i.indrelid = 'app.%[1]s_plain'::regclass AND NOT i.indisprimary AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid) LOOP
    EXECUTE d;
  END LOOP;
  FOR d IN SELECT replace(pg_get_triggerdef(oid), 'app.%[1]s_plain', 'app.%[1]s') FROM pg_trigger
      WHERE tgrelid = 'app.%[1]s_plain'::regclass AND NOT tgisinternal AND tgtype & 32 = 0 LOOP
    EXECUTE d;
  END LOOP;
END $do$`, table, by))
}

// Triggers of rows stand on each partition, and an index over the group holds in
// all of them, so that a client who writes straight into a partition is held too.
// The partition is the one of the group.
func TestGroupsInPartitions(t *testing.T) {
	conn := groups(t)
	for _, table := range []string{"notes:book", "cards:list", "heads:office", "addresses:team_id"} {
		name, by, _ := strings.Cut(table, ":")
		partition(t, conn, name, by)
	}
	exec(t, conn, "INSERT INTO app.notes (id, book) VALUES (1, 'b'), (2, 'b')")
	exec(t, conn, "INSERT INTO app.cards (id, list) VALUES (1, 'l'), (2, 'l'), (3, 'm')")
	exec(t, conn, "INSERT INTO app.heads VALUES (1, 'o', true), (2, 'o', false), (3, 'p', true)")
	of := func(table string) string { // the partition that holds the first row
		return queryText(t, conn, "SELECT tableoid::regclass::text FROM app."+table+" WHERE id = 1")
	}
	notes, cards, heads, addresses := of("notes"), of("cards"), of("heads"), of("addresses")
	for _, w := range []way{
		{"INSERT INTO " + notes + " (id, book) VALUES (4, 'b')", "", ""},
		{"UPDATE " + notes + " SET number = 7 WHERE id = 1", "PW002", "notes_number"},
		{"UPDATE app.notes SET book = 'c' WHERE id = 1", "PW002", "notes_number"},
		{"DELETE FROM " + notes + " WHERE id = 1", "PW002", "notes_number"},
		{"INSERT INTO " + cards + " (id, list) VALUES (4, 'l')", "", ""},
		{"UPDATE app.cards SET list = 'm' WHERE id = 1", "", ""},
		{"UPDATE " + heads + " SET acting = true WHERE id = 2", "23505", ""},
		{"UPDATE app.heads SET office = 'p' WHERE id = 1", "23505", ""},
		{"DELETE FROM " + addresses + " WHERE id = 1", "PW004", "addresses_main_least"},
		{"UPDATE app.addresses SET team_id = 2, main = false WHERE id = 1", "PW004", "addresses_main_least"},
		{"UPDATE " + addresses + " SET main = false WHERE id = 1", "PW004", "addresses_main_least"},
		{"DELETE FROM app.addresses WHERE team_id = 2; DELETE FROM app.teams WHERE id = 2", "", ""},
	} {
		if w.code == "23505" { // the partition's index bears a name of its own
			var refused *pgconn.PgError
			if err := transact(t, conn, w.sql); !errors.As(err, &refused) || refused.Code != w.code {
				t.Errorf("%s: %v", w.sql, err)
			}
			continue
		}
		w.try(t, conn)
	}
	if got := queryText(t, conn, "SELECT string_agg(number::text, ' ' ORDER BY number) FROM app.notes WHERE book = 'b'"); got != "1 2 3" {
		t.Errorf("the numbers are %s", got)
	}
	if got := queryText(t, conn, "SELECT string_agg(list || id || '@' || position, ' ' ORDER BY list, position) FROM app.cards"); got != "l2@2 l4@3 m3@1 m1@2" {
		t.Errorf("the order is %s", got)
	}
}

func queryText(t *testing.T, conn *pgx.Conn, sql string) (text string) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
