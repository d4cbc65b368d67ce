package verify

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// sinceSpec covers rows from an identity on, in a table with types of extensions
// that nothing in it makes, and with a list of an enum.
const sinceSpec = `
pawl {
  project = "since"
  schema  = "app"
}
enum "tag" { values = ["a", "b"] }
table "users" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "team" { type = text }
  column "mail" { type = type("citext") }
  column "role" { type = text }
  column "tags" { type = list(enum.tag) }
  column "token" {
    type    = uuid
    default = sql("uuid_generate_v4()")
  }
  column "place" {
    type = type("geo.cube")
    null = true
  }
  primary_key { columns = [id] }
  index "by_role" {
    columns = [opclass(role, "gin_trgm_ops")]
    method  = "gin"
  }
  at_most_one "head" {
    per   = [team]
    where = "role = 'head'"
    since = "id > 100"
  }
  no_duplicates "mail" {
    columns = [mail]
    since   = "id > 100"
  }
  limit "seats" {
    per   = [team]
    max   = 2
    since = "id > 100"
  }
}
`

// Rows that a client inserts get numbers from then on, a COPY spells a list of an
// enum, a row that comes under a rule keeps the number that it has, counters of
// other rules begin anew with each schedule, and the types of extensions are there.
func TestSinceOverAnIdentity(t *testing.T) {
	spec, list := dsl.Load(fstest.MapFS{"spec.hcl": {Data: []byte(sinceSpec)}}, dsl.Options{})
	p, more := compiler.Compile(spec)
	if list.Extend(more); p == nil {
		t.Fatal(list)
	}
	const users = "table.users."
	report, err := Run(t.Context(), p, Options{URL: pgtest.URL(t), Addresses: []string{
		users + "limit.seats/insert-copy", users + "no_duplicates.mail/insert-copy", users + "at_most_one.head/insert-revive",
	}})
	if err != nil {
		t.Fatal(err)
	}
	demandTeeth(t, report, nil)
	if n := len(slices.Concat(report.Subjects[0].Checks, report.Subjects[1].Checks, report.Subjects[2].Checks)); n != 3 {
		t.Errorf("%d checks were run", n)
	}
}
