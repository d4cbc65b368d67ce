package verify

import (
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
)

// TestLowerBoundsBesideEachOther verifies two lower bounds of one parent: what the
// triggers of one are for shows when those of the other are away.
func TestLowerBoundsBesideEachOther(t *testing.T) {
	longRun(t)
	spec, list := dsl.Load(fstest.MapFS{"spec.hcl": {Data: []byte(`
pawl {
  project  = "bounds"
  postgres = 14
  schema   = "app"
}
table "teams" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "members" {
  column "id" { type = bigint }
  column "team_id" { type = bigint }
  column "role" { type = text }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
    on_delete  = "cascade"
  }
  index "by_team" { columns = [team_id] }
  at_least_one "member" {
    per    = [team_id]
    parent = table.teams
  }
  exactly_one "owner" {
    per    = [team_id]
    where  = "role = 'owner'"
    parent = table.teams
  }
}
`)}}, dsl.Options{})
	p, more := compiler.Compile(spec)
	if list.Extend(more); p == nil {
		t.Fatal(list)
	}
	demandTeeth(t, run(t, p, Options{}), excused)
}
