package migrate_test

import (
	"context"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// TestTypesOfAnExtensionAreFoundWhereItStands has citext in a schema that no
// search path names. The check must compare as citext does.
func TestTypesOfAnExtensionAreFoundWhereItStands(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, typ := range map[string]ir.Type{"alone": base("citext"), "array": {Kind: ir.ArrayType, Elem: &ir.Type{Name: "citext"}}, "as the server spells it": {Kind: ir.OtherType, Name: "citext[]"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			exec(t, conn, `CREATE SCHEMA "Ext's"; CREATE EXTENSION citext SCHEMA "Ext's"`)
			users := table("users", nullable("email", typ))
			users.Checks = []ir.Check{check("users_email", "email <> 'ROOT'")}
			good, bad := "user", "root"
			if typ.Kind != ir.BaseType {
				users.Checks[0].Expr = "email <> '{ROOT}'"
				good, bad = "{user}", "{root}"
			}
			apply(t, conn, program(schema(users)))
			exec(t, conn, "INSERT INTO app.users (email) VALUES ('"+good+"')")
			if _, err := conn.Exec(ctx, "INSERT INTO app.users (email) VALUES ('"+bad+"')"); err == nil {
				t.Error("the check tells capitals apart, its type does not")
			}
			users.Columns[1].Default = "'" + good + "'"
			users.Checks = append(users.Checks, check("users_other", "email <> '"+bad+"'"))
			users.Indexes = []ir.Index{index("users_i", "email > '"+good+"'", ir.IndexPart{Column: "email"})}
			apply(t, conn, program(schema(users)))
		})
	}
}
