package compiler_test

import (
	"strings"
	"testing"
)

// The functions of triggers have variables of their own, and a column may be called
// like any of them.
func TestColumnsNamedLikeVariables(t *testing.T) {
	conn := database(t, compile(t, `
table "tickets" {
  column "id" { type = bigint }
  column "g" { type = text }
  column "c" { type = bigint }
  column "n" { type = bigint }
  column "k1" { type = bigint }
  column "done" { type = boolean }
  column "pawl" { type = integer }
  primary_key { columns = [id] }
  limit "open" {
    per   = [g]
    where = "NOT done AND c > 0"
    max   = 2
  }
  limit "worth" {
    per = [k1]
    sum = n
    max = 10
  }
  sequence "pawl" {
    per    = [n]
    column = pawl
  }
}
`))
	exec(t, conn, "INSERT INTO app.tickets (id, g, c, n, k1, done) VALUES (1, 'a', 1, 5, 7, false), (2, 'a', 1, 5, 7, false), (3, 'a', 1, 0, 7, true)")
	exec(t, conn, "UPDATE app.tickets SET done = true WHERE id = 1; UPDATE app.tickets SET done = false WHERE id = 3")
	_, err := conn.Exec(t.Context(), "INSERT INTO app.tickets (id, g, c, n, k1, done) VALUES (4, 'a', 1, 0, 8, false)")
	wantError(t, err, "23514", "tickets_open_max")
	_, err = conn.Exec(t.Context(), "INSERT INTO app.tickets (id, g, c, n, k1, done) VALUES (4, 'b', 1, 1, 7, false)")
	wantError(t, err, "23514", "tickets_worth_max")
	exec(t, conn, "DELETE FROM app.tickets WHERE id = 2; INSERT INTO app.tickets (id, g, c, n, k1, done) VALUES (4, 'a', 1, 5, 7, false)")
	var numbers string
	if err := conn.QueryRow(t.Context(), "SELECT string_agg(id || ':' || pawl, ' ' ORDER BY id) FROM app.tickets").Scan(&numbers); err != nil || numbers != "1:1 3:1 4:3" {
		t.Errorf("numbered %s, %v", numbers, err)
	}
}

// Groups by columns that are called like what a trigger is given.
func TestGroupsCalledLikeVariables(t *testing.T) {
	for _, name := range []string{"old", "found"} {
		conn := database(t, compile(t, strings.ReplaceAll(`
table "rows" {
  column "id" { type = bigint }
  column "NAME" { type = text }
  column "no" { type = bigint }
  column "place" { type = bigint }
  primary_key { columns = [id] }
  limit "few" {
    per = [NAME]
    max = 2
  }
  sequence "no" {
    per     = [NAME]
    column  = no
    gapless = true
  }
  ordered "place" {
    per    = [NAME]
    column = place
  }
}`, "NAME", name)))
		exec(t, conn, "INSERT INTO app.rows (id, "+name+") VALUES (1, 'a'), (2, 'a'), (3, 'b')")
		wantError(t, second(conn.Exec(t.Context(), "INSERT INTO app.rows (id, "+name+") VALUES (4, 'a')")), "23514", "rows_few_max")
		if n := number(t, conn, "SELECT sum(no * 10 + place) FROM app.rows"); n != 11+22+11 {
			t.Errorf("%s: the numbers and places come to %d", name, n)
		}
	}
}
