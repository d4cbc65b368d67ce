package compiler_test

import (
	"strings"
	"testing"
)

const sinceSpec = `
pawl {
  project = "since"
  schema  = "app"
}
table "users" {
  column "id" { type = bigint }
  column "team" { type = text }
  column "mail" { type = text }
  column "state" { type = text }
  column "span" { type = int4range }
  column "born" {
    type      = timestamptz
    immutable = true
  }
  primary_key { columns = [id] }
  check "mail_given" {
    expr  = "mail <> ''"
    since = "born >= '2026-01-01'"
  }
  no_duplicates "mail" {
    columns = [mail]
    since   = "born >= '2026-01-01'"
  }
  at_most_one "head" {
    per   = [team]
    where = "mail = 'head'"
    since = "born >= '2026-01-01'"
  }
  limit "seats" {
    per   = [team]
    max   = 2
    since = "born >= '2026-01-01'"
  }
  no_overlap "spans" {
    range = span
    since = "born >= '2026-01-01'"
  }
  transitions "state" {
    column  = state
    initial = ["new"]
    final   = ["done"]
    since   = "born >= '2026-01-01'"
    move "finish" {
      from = ["new"]
      to   = "done"
    }
  }
}
`

// Rows from before stay and may be written, whatever they break, and rows from
// then on keep every rule. Which ones these are does not depend on the time zone of
// the session: 23:30 of New Year's Eve in UTC is next year in Auckland.
func TestSince(t *testing.T) {
	const old, fresh = "'2025-12-31 23:30+00'", "'2026-01-01 00:00+00'"
	for _, zone := range []string{"UTC", "Pacific/Auckland", "America/New_York"} {
		t.Run(zone, func(t *testing.T) {
			conn := database(t, compile(t, sinceSpec))
			exec(t, conn, "SET TimeZone = '"+zone+"'")
			try := func(sql string) error { return second(conn.Exec(t.Context(), sql)) }
			insert := func(values, born string) string {
				return "INSERT INTO app.users (id, team, mail, state, span, born) VALUES (" + values + ", " + born + ")"
			}
			for _, sql := range []string{
				insert("1, 'a', 'head', 'lost', '[1,9)'", old), insert("2, 'a', 'head', 'lost', '[2,9)'", old), insert("3, 'a', '', 'lost', 'empty'", old),
				"UPDATE app.users SET state = 'anything', mail = 'x' WHERE id = 1",
				insert("11, 'a', 'x', 'new', '[1,2)'", fresh), insert("12, 'a', 'head', 'new', '[2,3)'", fresh),
				"UPDATE app.users SET state = 'done' WHERE id = 12",
			} {
				if err := try(sql); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
			}
			for _, c := range []struct{ sql, state, name string }{
				{insert("20, 'b', '', 'new', '[10,11)'", fresh), "23514", "users_mail_given"},
				{insert("20, 'b', 'x', 'new', '[10,11)'", fresh), "23505", "users_mail"},
				{insert("20, 'a', 'y', 'new', '[10,11)'", fresh), "23514", "users_seats_max"},
				{insert("20, 'b', 'y', 'new', '[1,11)'", fresh), "23P01", "users_spans"},
				{insert("20, 'b', 'y', 'new', 'empty'", fresh), "23514", "users_spans_bounds"},
				{insert("20, 'b', 'y', 'done', '[10,11)'", fresh), "PW001", "users_state"},
				{"UPDATE app.users SET state = 'new' WHERE id = 12", "PW001", "users_state"},
				{"UPDATE app.users SET born = " + fresh + " WHERE id = 1", "PW002", "users_immutable"},
			} {
				err := try(c.sql)
				if err == nil {
					t.Errorf("%s went through", c.sql)
					continue
				}
				wantError(t, err, c.state, c.name)
			}
			var used int
			if err := conn.QueryRow(t.Context(), "SELECT used FROM app.users_seats WHERE team = 'a'").Scan(&used); err != nil || used != 2 {
				t.Errorf("used is %d (%v), want 2: the old rows do not count", used, err)
			}
		})
	}
}

// A moment gets its zone, and a text that has one keeps it.
func TestSinceMoments(t *testing.T) {
	p := compile(t, strings.Replace(sinceSpec, "born >= '2026-01-01'", "born >= '2026-01-01 12:00' AND born <> '2026-03-01 00:00+02' AND born BETWEEN '2026-01-01' AND '2999-01-01'", 1))
	const want = "(NOT (born >= '2026-01-01 12:00+00' AND born <> '2026-03-01 00:00+02' AND born BETWEEN '2026-01-01 00:00:00+00' AND '2999-01-01 00:00:00+00')) OR (mail <> '')"
	var got string
	for _, table := range p.Schema.Tables {
		for _, k := range table.Checks {
			if k.Name == "users_mail_given" {
				got = k.Expr
			}
		}
	}
	if got != want {
		t.Errorf("the check is\n%s, want\n%s", got, want)
	}
}
