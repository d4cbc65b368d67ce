package postgres

import (
	"github.com/pawldb/pawl/compiler/ir"
)

// BuildIndex spells a build that lets writers go on. It cannot run inside a
// transaction, and leaves an invalid index when it fails.
func BuildIndex(t ir.TableRef, i ir.Index) string { return createIndex(t, i, "CONCURRENTLY ") }

// DropIndexOnline spells a drop that lets readers and writers go on. It cannot
// run inside a transaction.
func DropIndexOnline(schema, name string) string {
	return "DROP INDEX CONCURRENTLY " + ir.Qualified(schema, name)
}

// AddNotValid spells a check or foreign key that binds new rows at once and
// leaves the old ones to a later VALIDATE CONSTRAINT, which reads the table
// without stopping writers.
func AddNotValid(t ir.TableRef, c ir.Constraint) string {
	return alter(t, "ADD "+constraint(c)+" NOT VALID")
}

// AddUsingIndex spells a primary key or unique constraint that takes over an
// index, which is renamed to the constraint's name.
func AddUsingIndex(t ir.TableRef, c ir.Constraint, index string) string {
	text := "ADD CONSTRAINT " + ir.Ident(c.ConstraintName())
	if u, ok := c.(ir.Unique); ok {
		return alter(t, text+" UNIQUE USING INDEX "+ir.Ident(index)+deferral(u))
	}
	return alter(t, text+" PRIMARY KEY USING INDEX "+ir.Ident(index))
}

// SetNotNull spells NOT NULL for a column. A valid CHECK (column IS NOT NULL)
// spares it the scan.
func SetNotNull(t ir.TableRef, column string) string {
	return alter(t, "ALTER COLUMN "+ir.Ident(column)+" SET NOT NULL")
}

// RenameConstraint spells a constraint's new name.
func RenameConstraint(t ir.TableRef, from, to string) string {
	return alter(t, "RENAME CONSTRAINT "+ir.Ident(from)+" TO "+ir.Ident(to))
}

// RenameIndex spells an index's new name.
func RenameIndex(schema, from, to string) string {
	return "ALTER INDEX " + ir.Qualified(schema, from) + " RENAME TO " + ir.Ident(to)
}

// ReplaceTrigger spells a trigger that takes the place of one of the same name
// with no moment in between.
func ReplaceTrigger(t ir.TableRef, g ir.Trigger) string {
	return createTrigger("CREATE OR REPLACE TRIGGER ", t, g)
}

// SwitchTriggers spells that triggers of a table are silent until they are switched
// on again.
func SwitchTriggers(t ir.TableRef, on bool, names ...string) string {
	verb := "DISABLE TRIGGER "
	if on {
		verb = "ENABLE TRIGGER "
	}
	actions := make([]string, len(names))
	for i, name := range names {
		actions[i] = verb + ir.Ident(name)
	}
	return alter(t, actions...)
}

// LockAgainstWriters spells a lock that waits for the writers of a table and
// holds off new ones until the transaction ends; readers go on.
func LockAgainstWriters(t ir.TableRef) string {
	return "LOCK TABLE " + t.SQL() + " IN SHARE ROW EXCLUSIVE MODE"
}

// AdvanceIdentity spells the query that moves an identity column's sequence
// past the values that stand in the table.
func AdvanceIdentity(t ir.TableRef, column string) string {
	return "SELECT setval(pg_get_serial_sequence(" + ir.Literal(t.SQL()) + ", " + ir.Literal(column) + "), " +
		"(SELECT COALESCE(max(" + ir.Ident(column) + "), 0) + 1 FROM " + t.SQL() + "), false)"
}

// GrantRead spells that everybody may read a table.
func GrantRead(t ir.TableRef) []string {
	return []string{
		"GRANT USAGE ON SCHEMA " + ir.Ident(t.Schema) + " TO PUBLIC",
		"GRANT SELECT ON " + t.SQL() + " TO PUBLIC",
	}
}

// RenameType spells a type's new name.
func RenameType(schema, from, to string) string {
	return "ALTER TYPE " + ir.Qualified(schema, from) + " RENAME TO " + ir.Ident(to)
}

// ThroughText spells a column's new type for values that have the same text in
// both: those of one enum and of another, alone or in an array.
func ThroughText(t ir.TableRef, c ir.Column) string {
	name, text := ir.Ident(c.Name), "text"
	if c.Type.Kind == ir.ArrayType {
		text = "text[]"
	}
	return alter(t, "ALTER COLUMN "+name+" TYPE "+c.Type.SQL()+" USING "+name+"::"+text+"::"+c.Type.SQL())
}
