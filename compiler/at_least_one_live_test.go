package compiler_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// teams is a database where every team has an owner.
func teams(t *testing.T) *pgx.Conn {
	t.Helper()
	conn := database(t, compile(t, `
pawl {
  project  = "x"
  postgres = 14
  schema   = "app"
}
table "teams" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "members" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "team_id" { type = bigint }
  column "role" { type = text }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
    on_delete  = "cascade"
    on_update  = "cascade"
  }
  index "by_team" { columns = [team_id] }
  at_least_one "owner" {
    per    = [team_id]
    where  = "role = 'owner'"
    parent = table.teams
  }
}
`))
	exec(t, conn, "BEGIN; INSERT INTO app.teams VALUES (1), (2); INSERT INTO app.members (team_id, role) VALUES (1, 'owner'), (1, 'owner'), (1, 'member'), (2, 'owner'); COMMIT")
	return conn
}

// transact runs statements as one transaction, and returns the error that ended
// it.
func transact(t testing.TB, conn *pgx.Conn, sql string) error {
	t.Helper()
	_, err := conn.Exec(t.Context(), "BEGIN; "+sql+"; COMMIT", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		_, _ = conn.Exec(t.Context(), "ROLLBACK") //nolint:errcheck // it is over when COMMIT failed
	}
	return err
}

// Every way in which a group can be left without a row is refused, at COMMIT, and
// every way that leaves one passes, for any client.
func TestAtLeastOneWays(t *testing.T) {
	conn := teams(t)
	for _, step := range []struct {
		sql     string
		refused bool
	}{
		{"DELETE FROM app.members WHERE team_id = 2", true},
		{"UPDATE app.members SET role = 'member' WHERE team_id = 2", true},
		{"UPDATE app.members SET team_id = 1 WHERE team_id = 2", true},
		{"INSERT INTO app.teams VALUES (3)", true},
		{"INSERT INTO app.teams VALUES (3); INSERT INTO app.members (team_id, role) VALUES (3, 'member')", true},
		{"INSERT INTO app.teams VALUES (3); INSERT INTO app.members (team_id, role) VALUES (3, 'owner')", false},
		{"DELETE FROM app.members WHERE team_id = 1 AND role = 'owner'", true},
		{"DELETE FROM app.members WHERE id = 1", false},
		{"UPDATE app.members SET role = 'member' WHERE id = 2; UPDATE app.members SET role = 'owner' WHERE id = 3", false},
		{"DELETE FROM app.members WHERE team_id = 2; INSERT INTO app.members (team_id, role) VALUES (2, 'owner')", false},
		{"UPDATE app.teams SET id = 20 WHERE id = 2", false},
		{"DELETE FROM app.teams WHERE id = 20", false},
		{"INSERT INTO app.teams VALUES (4); DELETE FROM app.teams WHERE id = 4", false},
		{"WITH gone AS (DELETE FROM app.members WHERE team_id = 3 RETURNING team_id) INSERT INTO app.members (team_id, role) SELECT team_id, 'owner' FROM gone", false},
		{"DELETE FROM app.members WHERE team_id = 3; DELETE FROM app.teams WHERE id = 3", false},
	} {
		err := transact(t, conn, step.sql)
		if !step.refused && err != nil {
			t.Fatalf("%s: %v", step.sql, err)
		}
		if step.refused {
			if err == nil {
				t.Fatalf("went through: %s", step.sql)
			}
			wantError(t, err, "PW004", "members_owner")
		}
	}
	wantError(t, second(conn.Exec(t.Context(), "TRUNCATE app.members")), "PW004", "members_owner")
	wantError(t, second(conn.Exec(t.Context(), "TRUNCATE app.teams CASCADE")), "PW004", "members_owner")
}

// A client that may write members and nothing else, under row security on the
// parent, is held like any other.
func TestAtLeastOneForAnApplicationRole(t *testing.T) {
	conn := teams(t)
	exec(t, conn, `CREATE ROLE least_client; GRANT USAGE ON SCHEMA app TO least_client; GRANT SELECT, DELETE ON app.members TO least_client;
ALTER TABLE app.teams ENABLE ROW LEVEL SECURITY`)
	t.Cleanup(func() { exec(t, conn, "RESET ROLE; DROP OWNED BY least_client; DROP ROLE least_client") })
	exec(t, conn, "SET ROLE least_client")
	exec(t, conn, "DELETE FROM app.members WHERE id = 1")
	wantError(t, second(conn.Exec(t.Context(), "DELETE FROM app.members WHERE id = 2")), "PW004", "members_owner")
}

// Two clients take away the last two owners, at every pair of isolation levels:
// one is refused, or gets 40001 where its snapshot is older. The usual trigger,
// which looks behind a lock, lets both through.
func TestAtLeastOneBetweenClients(t *testing.T) {
	conn := teams(t)
	other := connect(t, conn.Config().ConnString())
	race := func(first, then pgx.TxIsoLevel) (left int, code string) {
		exec(t, conn, "BEGIN; DELETE FROM app.members WHERE team_id = 1 AND role = 'member'; INSERT INTO app.members (team_id, role) SELECT 1, 'owner' FROM generate_series(1, 2 - (SELECT count(*)::int FROM app.members WHERE team_id = 1)); COMMIT")
		var ids []int64
		rows, err := conn.Query(t.Context(), "SELECT id FROM app.members WHERE team_id = 1 ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		if ids, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			t.Fatal(err)
		}
		one, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: first})
		if err != nil {
			t.Fatal(err)
		}
		two, err := other.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: then})
		if err != nil {
			t.Fatal(err)
		}
		for i, tx := range []pgx.Tx{one, two} {
			if _, err := tx.Exec(t.Context(), "DELETE FROM app.members WHERE id = $1", ids[i]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := one.Exec(t.Context(), "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- two.Commit(t.Context()) }()
		ended := waitUntilBlockedOrDone(t, other, done)
		if err := one.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ended == nil {
			e := <-done
			ended = &e
		}
		var refused *pgconn.PgError
		if errors.As(*ended, &refused) {
			code = refused.Code
		}
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM app.members WHERE team_id = 1 AND role = 'owner'").Scan(&left); err != nil {
			t.Fatal(err)
		}
		return left, code
	}
	levels := []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
	for _, first := range levels {
		for _, then := range levels {
			want := "40001"
			if then == pgx.ReadCommitted {
				want = "PW004"
			}
			if left, code := race(first, then); left != 1 || code != want {
				t.Errorf("%s, then %s: %d left, the second got %q", first, then, left, code)
			}
		}
	}
	exec(t, conn, `CREATE OR REPLACE FUNCTION app.members_owner_left() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 FROM app.teams WHERE id = OLD.team_id FOR NO KEY UPDATE;
  IF NOT EXISTS (SELECT FROM app.members WHERE team_id = OLD.team_id AND role = 'owner') THEN
    RAISE EXCEPTION 'none left' USING ERRCODE = 'PW004';
  END IF;
  RETURN NULL;
END $$`)
	if left, _ := race(pgx.RepeatableRead, pgx.RepeatableRead); left != 0 {
		t.Errorf("a lock and a look leave %d: this test shows nothing", left)
	}
}
