package compiler_test

import (
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// The empty text is a value of an enum and a state like any other.
func TestEmptyStates(t *testing.T) {
	for name, typ := range map[string]string{"enum": "enum.mood", "text": "text"} {
		t.Run(name, func(t *testing.T) {
			p := compile(t, `
enum "mood" { values = ["", "glad"] }
table "people" {
  column "id" { type = bigint }
  column "mood" {
    type    = `+typ+`
    default = ""
  }
  primary_key { columns = [id] }
  check "mood" { expr = "mood <> '' OR id > 0" }
  transitions "mood" {
    column  = mood
    initial = [""]
    move "cheer" {
      from = [""]
      to   = "glad"
    }
    move "forget" {
      from = ["glad"]
      to   = ""
    }
  }
}
`)
			conn := database(t, p)
			exec(t, conn, "INSERT INTO app.people (id) VALUES (1)")
			for _, c := range []struct{ move, state string }{{"cheer", "glad"}, {"forget", ""}} {
				if got := one(t, conn, p, "table.people.transitions.mood."+c.move, ir.MainStatement, int64(1)); got["mood"] != c.state {
					t.Errorf("%s: %v", c.move, got)
				}
			}
			if _, err := conn.Exec(t.Context(), "INSERT INTO app.people VALUES (2, 'glad')"); err == nil {
				t.Error("a row starts glad")
			}
			has(t, operation(t, p, "table.people.transitions.mood.forget").Doc, `to "",`)
		})
	}
}
