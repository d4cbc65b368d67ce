package pgsql_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/pgsql"
)

func parse(t *testing.T, sql string) *pgsql.Statement {
	t.Helper()
	s, err := pgsql.ParseStatement(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return s
}

// rewrites are all rewrites, with arguments that fit the statements of seats.
var rewrites = []struct {
	name string
	make func(*pgsql.Statement) ([]pgsql.Edit, error)
}{
	{"without-conjunct", (*pgsql.Statement).WithoutConjuncts},
	{"conjunct-in-subselect", func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.ConjunctsInSubselect(key(s)) }},
	{"without-lock", (*pgsql.Statement).WithoutRowLocks},
	{"for-key-share", func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithRowLocks("FOR KEY SHARE") }},
	{"for-update", func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithRowLocks("FOR UPDATE") }},
	{"without-skip-locked", (*pgsql.Statement).WithoutSkipLocked},
	{"without-order", (*pgsql.Statement).WithoutOrder},
	{"reversed-order", (*pgsql.Statement).ReversedOrder},
	{"without-assignment", (*pgsql.Statement).WithoutAssignments},
	{"same-fence", func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithValues("fence", "t.fence") }},
	{"without-call", func(s *pgsql.Statement) (all []pgsql.Edit, err error) {
		for _, name := range s.Calls() {
			if !strings.HasPrefix(name, "pg_") {
				continue
			}
			edits, err := s.WithoutCall(name)
			if err != nil {
				return nil, err
			}
			all = append(all, edits...)
		}
		return all, nil
	}},
}

func key(s *pgsql.Statement) []string {
	if strings.Contains(s.SQL(), "app.counters") {
		return []string{"name"}
	}
	return []string{"id"}
}

// TestEditsRun has the server plan every edit of every statement of seats.
func TestEditsRun(t *testing.T) {
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	schema, err := os.ReadFile("../../examples/seats/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, string(schema)); err != nil {
		t.Fatal(err)
	}
	made := make(map[string]int)
	prepare := func(what, sql string) {
		if _, err := conn.Exec(ctx, "PREPARE edited AS "+sql); err != nil {
			t.Errorf("%s: %v\n%s", what, err, sql)
			return
		}
		if _, err := conn.Exec(ctx, "DEALLOCATE edited"); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range seats {
		s := parse(t, sql)
		prepare("unchanged", s.SQL())
		comment, _, _ := strings.Cut(sql, "*/")
		for _, r := range rewrites {
			edits, err := r.make(s)
			if err != nil {
				t.Errorf("%s: %v\n%s", r.name, err, sql)
			}
			seen := map[string]bool{s.SQL(): true}
			for _, e := range edits {
				prepare(r.name, e.SQL)
				if !strings.HasPrefix(e.SQL, comment+"*/ ") {
					t.Errorf("%s: the comment is gone: %s", r.name, e.SQL)
				}
				if seen[e.SQL] {
					t.Errorf("%s of %q is not an edit of its own: %s", r.name, e.Removed, e.SQL)
				}
				seen[e.SQL] = true
				made[r.name]++
			}
		}
	}
	for _, r := range rewrites {
		if made[r.name] == 0 {
			t.Errorf("no statement of seats has a %s", r.name)
		}
	}
	t.Log(made)
}

// TestEdits shows what each rewrite makes of some statements.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		make      func(*pgsql.Statement) ([]pgsql.Edit, error)
		want      []string // "removed [columns] [params] => sql", without the comment
	}{
		{"every condition of an update", send, (*pgsql.Statement).WithoutConjuncts, []string{
			`name = $1::text [name] [1] => WITH pawl_arguments AS (SELECT $1::text) UPDATE app.counters SET sent = sent + $2::bigint, remaining = remaining - $2::bigint WHERE (remaining - $2::bigint) >= 0 IS NOT FALSE AND $2::bigint > 0 RETURNING name, sent, remaining`,
			`(remaining - $2::bigint) >= 0 IS NOT FALSE [remaining] [2] => UPDATE app.counters SET sent = sent + $2::bigint, remaining = remaining - $2::bigint WHERE name = $1::text AND $2::bigint > 0 RETURNING name, sent, remaining`,
			`$2::bigint > 0 [] [2] => UPDATE app.counters SET sent = sent + $2::bigint, remaining = remaining - $2::bigint WHERE name = $1::text AND (remaining - $2::bigint) >= 0 IS NOT FALSE RETURNING name, sent, remaining`,
		}},
		{"a lone condition", remove, (*pgsql.Statement).WithoutConjuncts, []string{
			`id = $1::bigint [id] [1] => WITH pawl_arguments AS (SELECT $1::bigint) DELETE FROM app.seats`,
		}},
		{"the conditions of CTEs and joins", complete, (*pgsql.Statement).WithoutConjuncts, []string{
			`id = ANY(ARRAY(SELECT id FROM held)) [id] [] => WITH held AS MATERIALIZED (SELECT t.id FROM app.tasks t JOIN unnest($1::bigint[], $2::bigint[]) c(id, fence) ON t.id = c.id AND t.fence = c.fence WHERE t.state = 'running' ORDER BY t.id FOR UPDATE OF t) DELETE FROM app.tasks RETURNING id`,
			`t.state = 'running' [state] [] => WITH held AS MATERIALIZED (SELECT t.id FROM app.tasks t JOIN unnest($1::bigint[], $2::bigint[]) c(id, fence) ON t.id = c.id AND t.fence = c.fence ORDER BY t.id FOR UPDATE OF t) DELETE FROM app.tasks WHERE id = ANY(ARRAY(SELECT id FROM held)) RETURNING id`,
			`t.id = c.id [id] [] => WITH held AS MATERIALIZED (SELECT t.id FROM app.tasks t JOIN unnest($1::bigint[], $2::bigint[]) c(id, fence) ON t.fence = c.fence WHERE t.state = 'running' ORDER BY t.id FOR UPDATE OF t) DELETE FROM app.tasks WHERE id = ANY(ARRAY(SELECT id FROM held)) RETURNING id`,
			`t.fence = c.fence [fence] [] => WITH held AS MATERIALIZED (SELECT t.id FROM app.tasks t JOIN unnest($1::bigint[], $2::bigint[]) c(id, fence) ON t.id = c.id WHERE t.state = 'running' ORDER BY t.id FOR UPDATE OF t) DELETE FROM app.tasks WHERE id = ANY(ARRAY(SELECT id FROM held)) RETURNING id`,
		}},
		{"a guard asked again", send, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.ConjunctsInSubselect([]string{"name"}) }, []string{
			`(remaining - $2::bigint) >= 0 IS NOT FALSE [remaining] [2] => UPDATE app.counters SET sent = sent + $2::bigint, remaining = remaining - $2::bigint WHERE name = $1::text AND (SELECT (remaining - $2::bigint) >= 0 IS NOT FALSE FROM app.counters pawl_again WHERE pawl_again.name = counters.name) AND $2::bigint > 0 RETURNING name, sent, remaining`,
		}},
		{
			"two keys and an alias", "UPDATE app.seats AS s SET a = 1 WHERE s.b = $1 AND (s.a > 0 AND c) AND s.b < s.d",
			func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.ConjunctsInSubselect([]string{"b", "c"}) },
			[]string{
				`s.a > 0 [a] [] => UPDATE app.seats s SET a = 1 WHERE s.b = $1 AND (SELECT pawl_again.a > 0 FROM app.seats pawl_again WHERE pawl_again.b = s.b AND pawl_again.c = s.c) AND c AND s.b < s.d`,
				`s.b < s.d [b d] [] => UPDATE app.seats s SET a = 1 WHERE s.b = $1 AND s.a > 0 AND c AND (SELECT pawl_again.b < pawl_again.d FROM app.seats pawl_again WHERE pawl_again.b = s.b AND pawl_again.c = s.c)`,
			},
		},
		{"a select has no row to ask again", repriceLock, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.ConjunctsInSubselect([]string{"id"}) }, nil},
		{"locks", "WITH a AS (SELECT 1 FROM t FOR UPDATE SKIP LOCKED) SELECT 1 FROM a, u FOR KEY SHARE OF u NOWAIT FOR SHARE OF a", (*pgsql.Statement).WithoutRowLocks, []string{
			`FOR KEY SHARE OF u NOWAIT [] [] => WITH a AS (SELECT 1 FROM t FOR UPDATE SKIP LOCKED) SELECT 1 FROM a, u FOR SHARE OF a`,
			`FOR SHARE OF a [] [] => WITH a AS (SELECT 1 FROM t FOR UPDATE SKIP LOCKED) SELECT 1 FROM a, u FOR KEY SHARE OF u NOWAIT`,
			`FOR UPDATE SKIP LOCKED [] [] => WITH a AS (SELECT 1 FROM t) SELECT 1 FROM a, u FOR KEY SHARE OF u NOWAIT FOR SHARE OF a`,
		}},
		{"a lock of one table", complete, (*pgsql.Statement).WithoutRowLocks, []string{
			`FOR UPDATE OF t [] [] => WITH held AS MATERIALIZED (SELECT t.id FROM app.tasks t JOIN unnest($1::bigint[], $2::bigint[]) c(id, fence) ON t.id = c.id AND t.fence = c.fence WHERE t.state = 'running' ORDER BY t.id) DELETE FROM app.tasks WHERE id = ANY(ARRAY(SELECT id FROM held)) RETURNING id`,
		}},
		{"a weaker lock", repriceLock, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithRowLocks("FOR SHARE") }, []string{
			`FOR NO KEY UPDATE [] [] => SELECT id, name, price FROM app.rooms WHERE id = $1::bigint FOR SHARE`,
		}},
		{"the same lock", repriceLock, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithRowLocks("FOR NO KEY UPDATE") }, nil},
		{"waiting instead of skipping", claimDue, (*pgsql.Statement).WithoutSkipLocked, []string{
			`FOR UPDATE SKIP LOCKED [] [] => WITH due AS MATERIALIZED (SELECT id FROM app.tasks WHERE state = 'scheduled' AND run_at <= statement_timestamp() ORDER BY run_at, id LIMIT $1::int FOR UPDATE) UPDATE app.tasks SET state = 'ready' WHERE id = ANY(ARRAY(SELECT id FROM due))`,
		}},
		{"no order", getMany, (*pgsql.Statement).WithoutOrder, []string{
			`ORDER BY id [id] [] => SELECT id, room_id, customer_id, during, status, created_at FROM app.bookings WHERE id = ANY($1::bigint[]) FOR NO KEY UPDATE`,
		}},
		{"the other order", "SELECT 1 FROM t ORDER BY a, b DESC NULLS LAST FOR UPDATE", (*pgsql.Statement).ReversedOrder, []string{
			`ORDER BY a, b DESC NULLS LAST [a b] [] => SELECT 1 FROM t ORDER BY a DESC, b ASC NULLS FIRST FOR UPDATE`,
		}},
		{"the other order of what is met", "INSERT INTO t (a) SELECT a FROM s ORDER BY a ON CONFLICT (a) DO NOTHING", (*pgsql.Statement).ReversedOrder, []string{
			"ORDER BY a [a] [] => INSERT INTO t (a) SELECT a FROM s ORDER BY a DESC ON CONFLICT (a) DO NOTHING",
		}},
		{"an order of rows that are not locked", "SELECT 1 FROM t ORDER BY a", (*pgsql.Statement).ReversedOrder, nil},
		{"assignments", giveBack, (*pgsql.Statement).WithoutAssignments, []string{
			`state = 'ready' [state] [] => UPDATE app.tasks SET attempt = GREATEST(attempt - 1, 0), lease_until = NULL WHERE id = $1::bigint AND fence = $2::bigint AND state = 'running' RETURNING id`,
			`attempt = GREATEST(attempt - 1, 0) [attempt] [] => UPDATE app.tasks SET state = 'ready', lease_until = NULL WHERE id = $1::bigint AND fence = $2::bigint AND state = 'running' RETURNING id`,
			`lease_until = NULL [lease_until] [] => UPDATE app.tasks SET state = 'ready', attempt = GREATEST(attempt - 1, 0) WHERE id = $1::bigint AND fence = $2::bigint AND state = 'running' RETURNING id`,
		}},
		{"the only assignment", repriceWrite, (*pgsql.Statement).WithoutAssignments, []string{
			`price = $2::numeric [price] [2] => WITH pawl_arguments AS (SELECT $2::numeric) UPDATE app.rooms SET price = rooms.price WHERE id = $1::bigint RETURNING id, name, price`,
		}},
		{"assignments of an upsert", "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b WHERE t.c", (*pgsql.Statement).WithoutAssignments, []string{
			`b = excluded.b [b] [] => INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = t.b WHERE t.c`,
		}},
		{"the condition of an upsert", "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) WHERE d DO UPDATE SET b = excluded.b WHERE t.c", (*pgsql.Statement).WithoutConjuncts, []string{
			`t.c [c] [] => INSERT INTO t (a) VALUES (1) ON CONFLICT (a) WHERE d DO UPDATE SET b = excluded.b`,
		}},
		{"a value", giveBack, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithValues("attempt", "attempt") }, []string{
			`attempt = GREATEST(attempt - 1, 0) [attempt] [] => UPDATE app.tasks SET state = 'ready', attempt = attempt, lease_until = NULL WHERE id = $1::bigint AND fence = $2::bigint AND state = 'running' RETURNING id`,
		}},
		{"a lock that is a call", relay, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithoutCall("pg_advisory_xact_lock") }, []string{
			`pg_advisory_xact_lock(4201, 1) [] [] => SELECT NULL AS pg_advisory_xact_lock`,
		}},
		{"a lock that may be refused", tryRelay, func(s *pgsql.Statement) ([]pgsql.Edit, error) { return s.WithoutCall("pg_try_advisory_xact_lock") }, []string{
			`pg_try_advisory_xact_lock(4201, 1) [] [] => SELECT true AS acquired`,
		}},
		{"a conjunction under IS", "SELECT 1 FROM t WHERE (a AND b) IS NOT FALSE AND c", (*pgsql.Statement).WithoutConjuncts, []string{
			`(a AND b) IS NOT FALSE [a b] [] => SELECT 1 FROM t WHERE c`,
			`c [c] [] => SELECT 1 FROM t WHERE (a AND b) IS NOT FALSE`,
		}},
		{"conjunctions whose parentheses get lost", "SELECT 1 FROM t WHERE (a AND b) IS NULL AND (c AND d)::text = 'true'", (*pgsql.Statement).WithoutConjuncts, []string{
			`COALESCE(a AND b) IS NULL [a b] [] => SELECT 1 FROM t WHERE COALESCE(c AND d)::text = 'true'`,
			`COALESCE(c AND d)::text = 'true' [c d] [] => SELECT 1 FROM t WHERE COALESCE(a AND b) IS NULL`,
		}},
		{"a condition of a sub-select", "DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a OR $1)", (*pgsql.Statement).WithoutConjuncts, []string{
			`EXISTS (SELECT 1 FROM u WHERE u.a = t.a OR $1) [a] [1] => WITH pawl_arguments AS (SELECT $1) DELETE FROM t`,
			`u.a = t.a OR $1 [a] [1] => WITH pawl_arguments AS (SELECT $1) DELETE FROM t WHERE EXISTS (SELECT 1 FROM u)`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			edits, err := c.make(parse(t, c.sql))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range edits {
				_, sql, ok := strings.Cut(e.SQL, "*/ ")
				if !ok {
					sql = e.SQL
				}
				got = append(got, fmt.Sprintf("%s %v %v => %s", e.Removed, e.Columns, e.Params, sql))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestStatementErrors shows what cannot be rewritten.
func TestStatementErrors(t *testing.T) {
	for sql, want := range map[string]string{
		"UPDATE":                   "this statement cannot be parsed: syntax error",
		"SELECT 'a":                "this statement cannot be read: unterminated quoted string",
		"":                         "one statement is needed, and there are 0",
		"SELECT 1; SELECT 2":       "one statement is needed, and there are 2",
		"CREATE TABLE t ()":        "only SELECT, INSERT, UPDATE, DELETE and MERGE can be rewritten",
		"SELECT 1 INTO t":          "SELECT INTO makes a table, and only statements that use tables can be rewritten",
		"SELECT 1 /* unterminated": "this statement cannot be read: unterminated /* comment",
	} {
		if _, err := pgsql.ParseStatement(sql); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", sql, err, want)
		}
	}
	s := parse(t, book)
	if _, err := s.WithRowLocks("FOR EVER"); err == nil {
		t.Error("FOR EVER is taken for a row lock")
	}
	for _, expr := range []string{"", "1, 2", "1) FROM (SELECT 1", "1 +"} {
		if _, err := s.WithValues("status", expr); err == nil {
			t.Errorf("%q is taken for an expression", expr)
		}
	}
	// A table function has no constant to stand for it.
	if edits, err := parse(t, complete).WithoutCall("unnest"); err == nil || len(edits) > 0 {
		t.Errorf("%v, %v", edits, err)
	}
}

// TestStatementComment shows that what stands in front of a statement stays.
func TestStatementComment(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT 1":                 "SELECT 1",
		"/* a */ SELECT 1 /* b */": "/* a */ SELECT 1",
		"\n/* a /* b */ ; */\t/* c */ SELECT  1 ": "/* a /* b */ ; */\t/* c */ SELECT 1",
		"-- a\nSELECT 1":   "-- a\nSELECT 1",
		"SELECT '/* a */'": "SELECT '/* a */'",
	} {
		if got := parse(t, sql).SQL(); got != want {
			t.Errorf("%q gives %q, not %q", sql, got, want)
		}
	}
}

// TestCalls names what a statement calls.
func TestCalls(t *testing.T) {
	got := parse(t, "SELECT Now(), pg_catalog.lower(\"X\"(a)) FROM unnest($1) WHERE now() > b AND EXTRACT(hour FROM b) > 1").Calls()
	want := []string{"now", "pg_catalog.lower", "X", "unnest", "pg_catalog.extract"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
