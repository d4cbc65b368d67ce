package compiler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// invoices is a database with a gapless sequence, and one with gaps.
func invoices(t *testing.T) *pgx.Conn {
	t.Helper()
	return database(t, compile(t, `
pawl {
  project  = "x"
  postgres = 14
  schema   = "app"
}
table "invoices" {
  column "id" { type = bigint }
  column "shop" { type = text }
  column "number" { type = bigint }
  primary_key { columns = [id] }
  sequence "number" {
    per     = [shop]
    column  = number
    gapless = true
  }
}
table "tickets" {
  column "id" { type = bigint }
  column "project" { type = text }
  column "number" { type = integer }
  primary_key { columns = [id] }
  sequence "number" {
    per    = [project]
    column = number
  }
}
`))
}

// numbersOf are the numbers of a group, in order.
func numbersOf(t testing.TB, conn *pgx.Conn, table, group string) string {
	t.Helper()
	var list string
	sql := fmt.Sprintf("SELECT COALESCE(string_agg(number::text, ' ' ORDER BY number), '') FROM app.%s WHERE %s = $1", table, map[string]string{"invoices": "shop", "tickets": "project"}[table])
	if err := conn.QueryRow(t.Context(), sql, group).Scan(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// Every way in which a row comes in gets the next number, and no way changes it.
func TestSequenceWays(t *testing.T) {
	conn := invoices(t)
	for _, step := range []struct{ sql, code, numbers string }{
		{"INSERT INTO app.invoices (id, shop) VALUES (1, 'a'), (2, 'a')", "", "1 2"},
		{"INSERT INTO app.invoices (id, shop) SELECT 3, 'a'", "", "1 2 3"},
		{"INSERT INTO app.invoices (id, shop, number) VALUES (4, 'a', 4)", "", "1 2 3 4"},
		{"INSERT INTO app.invoices (id, shop, number) VALUES (5, 'a', 9)", "PW005", "1 2 3 4"},
		{"INSERT INTO app.invoices (id, shop) VALUES (1, 'a'), (5, 'a'), (2, 'a'), (6, 'a'), (6, 'a') ON CONFLICT (id) DO NOTHING", "", "1 2 3 4 5 6"},
		{"INSERT INTO app.invoices (id, shop) VALUES (7, 'a')", "", "1 2 3 4 5 6 7"},
		{"UPDATE app.invoices SET number = 70 WHERE id = 7", "PW002", "1 2 3 4 5 6 7"},
		{"UPDATE app.invoices SET shop = 'b' WHERE id = 7", "PW002", "1 2 3 4 5 6 7"},
		{"UPDATE app.invoices SET id = 70 WHERE id = 7", "", "1 2 3 4 5 6 7"},
		{"DELETE FROM app.invoices WHERE id = 1", "PW002", "1 2 3 4 5 6 7"},
		{"TRUNCATE app.invoices", "PW002", "1 2 3 4 5 6 7"},
	} {
		_, err := conn.Exec(t.Context(), step.sql)
		if step.code == "" && err != nil {
			t.Fatalf("%s: %v", step.sql, err)
		}
		if step.code != "" {
			wantError(t, err, step.code, "invoices_number")
		}
		if got := numbersOf(t, conn, "invoices", "a"); got != step.numbers {
			t.Fatalf("%s: the numbers are %s, want %s", step.sql, got, step.numbers)
		}
	}
	if _, err := conn.PgConn().CopyFrom(t.Context(), strings.NewReader("100\tc\n101\tc\n"), "COPY app.invoices (id, shop) FROM STDIN"); err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, conn, "invoices", "c"); got != "1 2" {
		t.Errorf("COPY gave the numbers %s", got)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "INSERT INTO app.invoices (id, shop) VALUES (200, 'c')")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	exec(t, conn, `INSERT INTO app.invoices (id, shop) VALUES (201, 'c');
INSERT INTO app.tickets (id, project) VALUES (1, 'p'), (2, 'p'), (3, 'p');
DELETE FROM app.tickets WHERE id = 3;
INSERT INTO app.tickets (id, project) VALUES (4, 'p');
INSERT INTO app.tickets (id, project, number) VALUES (5, 'p', 10);
INSERT INTO app.tickets (id, project) VALUES (6, 'p')`)
	if got := numbersOf(t, conn, "invoices", "c"); got != "1 2 3" {
		t.Errorf("after a rollback the numbers are %s", got)
	}
	if got := numbersOf(t, conn, "tickets", "p"); got != "1 2 4 10 11" {
		t.Errorf("with gaps the numbers are %s", got)
	}
	wantError(t, second(conn.Exec(t.Context(), "INSERT INTO app.tickets (id, project, number) VALUES (7, 'p', 3)")), "PW005", "tickets_number")
}

// Without the look for the number before, ON CONFLICT DO NOTHING leaves a gap.
func TestGaplessIsNeeded(t *testing.T) {
	conn := invoices(t)
	var body string
	if err := conn.QueryRow(t.Context(), "SELECT prosrc FROM pg_proc WHERE proname = 'invoices_number_number'").Scan(&body); err != nil {
		t.Fatal(err)
	}
	from, to := strings.Index(body, "  IF pawl_n > 1"), strings.Index(body, "  IF NEW.number <> pawl_n")
	exec(t, conn, "CREATE OR REPLACE FUNCTION app.invoices_number_number() RETURNS trigger LANGUAGE plpgsql AS $$"+body[:from]+body[to:]+"$$")
	exec(t, conn, `INSERT INTO app.invoices (id, shop) VALUES (1, 'a'), (1, 'a') ON CONFLICT (id) DO NOTHING; INSERT INTO app.invoices (id, shop) VALUES (2, 'a')`)
	if got := numbersOf(t, conn, "invoices", "a"); got != "1 3" {
		t.Errorf("the numbers are %s: this test shows nothing", got)
	}
}

// Two clients insert into one group, at every pair of isolation levels: both get a
// number, or the second 40001 where its snapshot is older. The usual trigger, a
// lock and max + 1, gives one number twice.
func TestSequenceBetweenClients(t *testing.T) {
	conn := invoices(t)
	other := connect(t, conn.Config().ConnString())
	id := 0
	race := func(first, then pgx.TxIsoLevel) string {
		one, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: first})
		if err != nil {
			t.Fatal(err)
		}
		two, err := other.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: then})
		if err != nil {
			t.Fatal(err)
		}
		var n int
		for _, tx := range []pgx.Tx{one, two} {
			if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM app.invoices").Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
		id += 2
		if _, err := one.Exec(t.Context(), "INSERT INTO app.invoices (id, shop) VALUES ($1, 'a')", id); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := two.Exec(t.Context(), "INSERT INTO app.invoices (id, shop) VALUES ($1, 'a')", id+1)
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
		_ = two.Rollback(t.Context()) // it may be over
		var refused *pgconn.PgError
		if errors.As(*ended, &refused) {
			return refused.Code
		}
		return ""
	}
	levels := []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
	for _, first := range levels {
		for _, then := range levels {
			want := "40001"
			if then == pgx.ReadCommitted {
				want = ""
			}
			if code := race(first, then); code != want {
				t.Errorf("%s, then %s: the second got %q", first, then, code)
			}
		}
	}
	if got := numbersOf(t, conn, "invoices", "a"); got != "1 2 3 4 5 6 7 8 9 10 11 12" {
		t.Errorf("the numbers are %s", got)
	}
	exec(t, conn, `ALTER TABLE app.invoices DROP CONSTRAINT invoices_number_key;
CREATE OR REPLACE FUNCTION app.invoices_number_number() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(1);
  NEW.number := (SELECT COALESCE(max(number), 0) + 1 FROM app.invoices WHERE shop = NEW.shop);
  RETURN NEW;
END $$`)
	race(pgx.RepeatableRead, pgx.RepeatableRead)
	if got := numbersOf(t, conn, "invoices", "a"); !strings.HasSuffix(got, "13 13") {
		t.Errorf("a lock and max + 1 give %s: this test shows nothing", got)
	}
}
