package compiler_test

import "testing"

// Nobody writes a generated column, so that no method picks a row by one; a plain
// boolean beside it is picked by.
func TestNoMethodSetsAGeneratedColumn(t *testing.T) {
	for column, want := range map[string]bool{"computed": false, "plain": true} {
		p := compile(t, `
table "addresses" {
  column "id" { type = bigint }
  column "person" { type = bigint }
  column "kind" { type = text }
  column "plain" { type = boolean }
  column "computed" {
    type      = boolean
    generated = "kind = 'home'"
  }
  primary_key { columns = [id] }
  at_most_one "main" {
    per   = [person]
    where = "`+column+`"
  }
}`)
		sets := false
		for _, op := range p.Repositories[0].Operations {
			sets = sets || op.Name == "set_main"
		}
		if sets != want {
			t.Errorf("where = %q: a method that picks: %v, want %v", column, sets, want)
		}
	}
}
