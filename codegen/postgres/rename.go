package postgres

import (
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// RenameColumn spells a column's new name.
func RenameColumn(t ir.TableRef, from, to string) string {
	return alter(t, "RENAME COLUMN "+ir.Ident(from)+" TO "+ir.Ident(to))
}

// RenameLabel spells the new label of an enum's value.
func RenameLabel(schema, enum, from, to string) string {
	return "ALTER TYPE " + ir.Qualified(schema, enum) + " RENAME VALUE " + ir.Literal(from) + " TO " + ir.Literal(to)
}

// MoveType spells an enum's new schema and name.
func MoveType(from, to ir.ObjectID) []string {
	return move("ALTER TYPE ", "", from, to)
}

// MoveObject spells the new schema and name of a table, an enum or a function.
func MoveObject(from, to ir.ObjectID) []string {
	switch from.Kind {
	case ir.TableObject:
		return move("ALTER TABLE ", "", from, to)
	case ir.FunctionObject:
		return move("ALTER FUNCTION ", "()", from, to)
	case ir.EnumObject:
		return MoveType(from, to)
	}
	panic(fmt.Sprintf("postgres: a %s is not moved by itself", from.Kind))
}

func move(alter, arguments string, from, to ir.ObjectID) []string {
	var statements []string
	if from.Schema != to.Schema {
		statements = append(statements, alter+ir.Qualified(from.Schema, from.Name)+arguments+" SET SCHEMA "+ir.Ident(to.Schema))
	}
	if from.Name != to.Name {
		statements = append(statements, alter+ir.Qualified(to.Schema, from.Name)+arguments+" RENAME TO "+ir.Ident(to.Name))
	}
	return statements
}

// RenameOn spells the new name of what stands on a table, which has its own name
// of today.
func RenameOn(t ir.TableRef, from, to ir.ObjectID) string {
	switch from.Kind {
	case ir.ColumnObject:
		return RenameColumn(t, from.Name, to.Name)
	case ir.ConstraintObject:
		return RenameConstraint(t, from.Name, to.Name)
	case ir.IndexObject:
		return RenameIndex(t.Schema, from.Name, to.Name)
	case ir.TriggerObject:
		return "ALTER TRIGGER " + ir.Ident(from.Name) + " ON " + t.SQL() + " RENAME TO " + ir.Ident(to.Name)
	}
	panic(fmt.Sprintf("postgres: a %s stands on no table", from.Kind))
}
