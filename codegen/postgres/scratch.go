package postgres

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// ScratchTable spells a table of this session that goes with its transaction:
// bare columns, for a server to print definitions over. Constraints, indexes
// and triggers come onto it with [Statements], as on any table of the schema
// "pg_temp".
func ScratchTable(name string, columns []ir.Column) string {
	lines := make([]string, len(columns))
	for i, c := range columns {
		lines[i] = ir.Ident(c.Name) + " " + c.Type.SQL() + collate(c) + generated(c)
	}
	return "CREATE TEMPORARY TABLE " + ir.Ident(name) + " (" + strings.Join(lines, ", ") + ") ON COMMIT DROP"
}

// ScratchFunction spells a trigger function of this session that does nothing.
func ScratchFunction(name string) string {
	return "CREATE FUNCTION " + ir.Qualified("pg_temp", name) +
		"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
}

// AddPrinted spells a constraint from the text that the catalog printed for it.
func AddPrinted(t ir.TableRef, name, printed string) string {
	return alter(t, "ADD CONSTRAINT "+ir.Ident(name)+" "+printed)
}

// SetDefault spells a column's default.
func SetDefault(t ir.TableRef, column, expr string) string {
	return alter(t, "ALTER COLUMN "+ir.Ident(column)+" SET DEFAULT "+operand(expr))
}
