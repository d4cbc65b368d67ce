package postgres

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// Statements spells one change, without semicolons, in the order in which the
// statements have to run.
func Statements(change ir.Change) []string {
	switch c := change.(type) {
	case ir.CreateNamespace:
		return one("CREATE SCHEMA " + ir.Ident(c.Namespace.Name))
	case ir.CreateExtension:
		return one(createExtension(c.Extension))
	case ir.CreateEnum:
		return createEnum(c.Enum)
	case ir.AddEnumValue:
		return one(addEnumValue(c))
	case ir.SetEnumComment:
		return one(commentOnEnum(c.Enum, c.To))
	case ir.DropEnum:
		return one("DROP TYPE " + ir.Qualified(c.Enum.Schema, c.Enum.Name))
	case ir.CreateDomain:
		return createDomain(c.Domain)
	case ir.DropDomain:
		return one("DROP DOMAIN " + domainName(c.Domain))
	case ir.SetDomainComment:
		return one(commentOnDomain(c.Domain, c.To))
	case ir.AddDomainCheck:
		return one(alterDomain(c.Domain, "ADD "+constraint(c.Check)))
	case ir.ValidateDomainCheck:
		return one(alterDomain(c.Domain, "VALIDATE CONSTRAINT "+ir.Ident(c.Check.Name)))
	case ir.DropDomainCheck:
		return one(alterDomain(c.Domain, "DROP CONSTRAINT "+ir.Ident(c.Check.Name)))
	case ir.ReplaceFunction:
		return replaceFunction(c)
	case ir.DropFunction:
		return one("DROP FUNCTION " + ir.Qualified(c.Function.Schema, c.Function.Name) + "()")
	case ir.CreateTable:
		return createTable(c.Table)
	case ir.DropTable:
		return one("DROP TABLE " + c.Table.Ref().SQL())
	case ir.SetTableComment:
		return one(commentOnTable(c.Table, c.To))
	case ir.AddColumn:
		return addColumn(c)
	case ir.DropColumn:
		return one(alter(c.Table, "DROP COLUMN "+ir.Ident(c.Column.Name)))
	case ir.AlterColumn:
		return alterColumn(c)
	case ir.AddConstraint:
		return one(alter(c.Table, "ADD "+constraint(c.Constraint)))
	case ir.ValidateConstraint:
		return one(alter(c.Table, "VALIDATE CONSTRAINT "+ir.Ident(c.Constraint.ConstraintName())))
	case ir.DropConstraint:
		return one(alter(c.Table, "DROP CONSTRAINT "+ir.Ident(c.Constraint.ConstraintName())))
	case ir.CreateIndex:
		return one(createIndex(c.Table, c.Index, ""))
	case ir.DropIndex:
		return one("DROP INDEX " + ir.Qualified(c.Table.Schema, c.Index.Name))
	case ir.CreateTrigger:
		if c.Trigger.Deferred {
			return one(createTrigger("CREATE CONSTRAINT TRIGGER ", c.Table, c.Trigger))
		}
		return one(createTrigger("CREATE TRIGGER ", c.Table, c.Trigger))
	case ir.DropTrigger:
		return one("DROP TRIGGER " + ir.Ident(c.Trigger.Name) + " ON " + c.Table.SQL())
	case ir.EnableTrigger:
		return one(alter(c.Table, "ENABLE TRIGGER "+ir.Ident(c.Trigger.Name)))
	}
	panic(fmt.Sprintf("postgres: change of type %T has no spelling", change))
}

func one(statement string) []string { return []string{statement} }

// alter spells ALTER TABLE with its actions; several stand on lines of their own.
func alter(table ir.TableRef, actions ...string) string {
	if len(actions) == 1 && len(actions[0]) < 60 {
		return "ALTER TABLE " + table.SQL() + " " + actions[0]
	}
	return "ALTER TABLE " + table.SQL() + "\n  " + strings.Join(actions, ",\n  ")
}

// paren puts an expression in parentheses. A comment inside it may run to the
// end of its line, so the closing one then goes to the next.
func paren(expr string) string {
	if strings.Contains(expr, "--") {
		return "(" + expr + "\n)"
	}
	return "(" + expr + ")"
}

func list(names []string) string { return "(" + ir.Idents(names) + ")" }
