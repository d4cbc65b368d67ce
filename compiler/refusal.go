package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
)

// badMove is the SQLSTATE that our triggers raise for a move that is not
// declared.
const badMove = "PW001"

// frozen is the SQLSTATE that our triggers raise for a change of what never
// changes.
const frozen = "PW002"

// refusalFunction is the one function of a schema that raises for triggers.
const refusalFunction = "pawl_refuse"

// refusal is the function that the triggers of a schema call to refuse a
// write. It names the constraint and the table in the error, so that generated
// code and people can tell which rule it was.
func refusal(schema string, origin ir.Origin) ir.Function {
	return ir.Function{
		Schema: schema, Name: refusalFunction, Returns: "trigger", Language: "plpgsql",
		Body: "BEGIN\n" +
			"  RAISE EXCEPTION USING\n" +
			"    ERRCODE = TG_ARGV[0], CONSTRAINT = TG_ARGV[1], MESSAGE = TG_ARGV[2],\n" +
			"    SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;\n" +
			"END",
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"},
		Origin: origin,
	}
}
