package migrate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pawldb/pawl/migrate"
)

// A collation that is not there is told when the plan is made, and one that is
// there passes.
func TestCollationThatIsNotThere(t *testing.T) {
	conn := connect(t)
	_, err := migrate.NewPlan(t.Context(), conn, compileText(t, `
pawl {
  project = "texts"
  schema  = "app"
}
table "texts" {
  column "id" { type = bigint }
  column "plain" {
    type      = text
    collation = "C"
  }
  column "odd" {
    type      = text
    collation = "nope-x"
  }
  primary_key { columns = [id] }
}`), migrate.PlanOptions{})
	var missing *migrate.CollationError
	if !errors.As(err, &missing) || len(missing.Columns) != 1 || !strings.Contains(err.Error(), `(spec.hcl:12): the column odd has the collation "nope-x"`) {
		t.Errorf("%v", err)
	}
}
