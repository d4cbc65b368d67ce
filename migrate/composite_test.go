package migrate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pawldb/pawl/migrate"
)

// A column of a composite type is refused when the plan is made, also in a list and
// wherever the type stands; what else only the server knows is not.
func TestCompositeTypesAreRefused(t *testing.T) {
	conn := connect(t)
	exec(t, conn, "CREATE SCHEMA app; CREATE TYPE app.place AS (street text, zip text); CREATE TYPE app.mood AS ENUM ('fine')")
	spec := func(typ string) string {
		return "pawl {\n  project = \"p\"\n  schema  = \"app\"\n}\ntable \"shops\" {\n  column \"id\" { type = bigint }\n  column \"at\" { type = " + typ + " }\n  primary_key { columns = [id] }\n}\n"
	}
	for _, typ := range []string{`type("place")`, `type("app.place")`, `list(type("place"))`} {
		_, err := migrate.NewPlan(t.Context(), conn, compileText(t, spec(typ)), migrate.PlanOptions{})
		var composite *migrate.CompositeError
		if !errors.As(err, &composite) || !strings.Contains(err.Error(), "spec.hcl:7") || !strings.Contains(err.Error(), "the column at has the type") {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if _, err := migrate.NewPlan(t.Context(), conn, compileText(t, spec(`type("mood")`)), migrate.PlanOptions{}); err != nil {
		t.Error(err)
	}
}
