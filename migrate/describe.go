package migrate

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// describe says in a few words what a change does.
func describe(change ir.Change) string {
	id := ir.ChangeObject(change)
	on := " on " + ir.Qualified(id.Schema, id.Table)
	switch c := change.(type) {
	case ir.CreateNamespace, ir.CreateExtension, ir.CreateEnum, ir.CreateDomain, ir.CreateTable:
		return "create " + string(id.Kind) + " " + id.SQL()
	case ir.AddEnumValue:
		return fmt.Sprintf("add value %s to enum %s", ir.Literal(c.Value), id.SQL())
	case ir.ReplaceFunction:
		if c.Exists {
			return "replace function " + id.SQL()
		}
		return "create function " + id.SQL()
	case ir.SetDomainComment, ir.SetEnumComment:
		return "comment on " + string(id.Kind) + " " + id.SQL()
	case ir.AddDomainCheck:
		return "add check " + ir.Ident(id.Name) + " on domain " + ir.Qualified(id.Schema, id.Table)
	case ir.ValidateDomainCheck:
		return "prove check " + ir.Ident(id.Name) + " on domain " + ir.Qualified(id.Schema, id.Table)
	case ir.DropDomainCheck:
		return "drop check " + ir.Ident(id.Name) + " on domain " + ir.Qualified(id.Schema, id.Table)
	case ir.DropEnum, ir.DropDomain, ir.DropFunction, ir.DropTable, ir.DropColumn:
		return "drop " + string(id.Kind) + " " + id.SQL()
	case ir.SetTableComment:
		return "comment on table " + id.SQL()
	case ir.AddColumn:
		return "add column " + id.SQL() + " " + c.Column.Type.SQL()
	case ir.AlterColumn:
		return "alter column " + id.SQL() + alterations(c)
	case ir.AddConstraint:
		return "add " + constraintWord(c.Constraint) + " " + ir.Ident(id.Name) + on
	case ir.ValidateConstraint:
		return "prove " + constraintWord(c.Constraint) + " " + ir.Ident(id.Name) + on
	case ir.DropConstraint:
		return "drop " + constraintWord(c.Constraint) + " " + ir.Ident(id.Name) + on
	case ir.CreateIndex:
		if c.Index.Unique {
			return "build unique index " + ir.Ident(id.Name) + on
		}
		return "build index " + ir.Ident(id.Name) + on
	case ir.DropIndex:
		if c.Index.Invalid {
			return "drop invalid index " + ir.Ident(id.Name) + on
		}
		return "drop index " + ir.Ident(id.Name) + on
	case ir.CreateTrigger:
		return "create trigger " + ir.Ident(id.Name) + on
	case ir.DropTrigger:
		return "drop trigger " + ir.Ident(id.Name) + on
	case ir.EnableTrigger:
		return "enable trigger " + ir.Ident(id.Name) + on
	}
	return fmt.Sprintf("%T %s", change, id.SQL())
}

// describeAnew says in a few words that an object is made anew.
func describeAnew(change ir.Change) string {
	id := ir.ChangeObject(change)
	noun := string(id.Kind)
	switch c := change.(type) {
	case ir.CreateEnum:
		return "replace enum " + id.SQL()
	case ir.AddConstraint:
		noun = constraintWord(c.Constraint)
	case ir.CreateIndex:
		if c.Index.Unique {
			noun = "unique index"
		}
	}
	return "replace " + noun + " " + ir.Ident(id.Name) + " on " + ir.Qualified(id.Schema, id.Table)
}

// alterations lists what changes on a column.
func alterations(c ir.AlterColumn) string {
	var list []string
	if !c.From.Type.Equal(c.To.Type) {
		list = append(list, "type "+c.From.Type.SQL()+" → "+c.To.Type.SQL())
	}
	if c.From.Collation != c.To.Collation {
		list = append(list, "collation "+orNone(c.From.Collation)+" → "+orNone(c.To.Collation))
	}
	if c.From.Generated != c.To.Generated {
		list = append(list, "generated from "+orNone(c.From.Generated)+" → "+orNone(c.To.Generated))
	}
	if c.From.Default != c.To.Default {
		list = append(list, "default "+orNone(c.From.Default)+" → "+orNone(c.To.Default))
	}
	switch {
	case c.From.Null && !c.To.Null:
		list = append(list, "NOT NULL")
	case !c.From.Null && c.To.Null:
		list = append(list, "NULL allowed")
	}
	if c.From.Identity != c.To.Identity {
		list = append(list, "identity "+orNone(string(c.From.Identity))+" → "+orNone(string(c.To.Identity)))
	}
	if c.From.Comment != c.To.Comment {
		list = append(list, "comment")
	}
	return ": " + strings.Join(list, ", ")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func constraintWord(c ir.Constraint) string {
	switch c.(type) {
	case ir.PrimaryKey:
		return "primary key"
	case ir.Unique:
		return "unique constraint"
	case ir.Exclude:
		return "exclusion constraint"
	case ir.ForeignKey:
		return "foreign key"
	}
	return "check"
}

// action is the sign of a change.
func action(change ir.Change) Action {
	switch c := change.(type) {
	case ir.DropEnum, ir.DropDomain, ir.DropDomainCheck, ir.DropFunction, ir.DropTable, ir.DropColumn, ir.DropConstraint, ir.DropIndex, ir.DropTrigger:
		return Drop
	case ir.AddEnumValue, ir.SetDomainComment, ir.SetEnumComment, ir.ValidateDomainCheck, ir.SetTableComment, ir.AlterColumn, ir.ValidateConstraint, ir.EnableTrigger:
		return Alter
	case ir.ReplaceFunction:
		if c.Exists {
			return Alter
		}
	}
	return Add
}

const noUndo = "cannot be undone"

// undo says how to go back by hand.
func undo(change ir.Change) string {
	back := func(c ir.Change) string { return strings.Join(postgres.Statements(c), "; ") }
	switch c := change.(type) {
	case ir.CreateNamespace:
		return "DROP SCHEMA " + ir.Ident(c.Namespace.Name)
	case ir.CreateExtension:
		return "DROP EXTENSION " + ir.Ident(c.Extension.Name)
	case ir.CreateEnum:
		return back(ir.DropEnum(c))
	case ir.CreateDomain:
		return back(ir.DropDomain(c))
	case ir.SetEnumComment:
		return back(ir.SetEnumComment{Enum: c.Enum, From: c.To, To: c.From})
	case ir.SetDomainComment:
		return back(ir.SetDomainComment{Domain: c.Domain, From: c.To, To: c.From})
	case ir.AddDomainCheck:
		return back(ir.DropDomainCheck(c))
	case ir.DropDomainCheck:
		return back(ir.AddDomainCheck(c))
	case ir.ReplaceFunction:
		if c.Exists {
			return "apply the specification as it was"
		}
		return back(ir.DropFunction{Function: c.Function})
	case ir.CreateTable:
		return back(ir.DropTable(c))
	case ir.SetTableComment:
		return back(ir.SetTableComment{Table: c.Table, From: c.To, To: c.From})
	case ir.AddColumn:
		return back(ir.DropColumn(c))
	case ir.AlterColumn:
		return back(ir.AlterColumn{Table: c.Table, From: c.To, To: c.From})
	case ir.AddConstraint:
		return back(ir.DropConstraint(c))
	case ir.DropConstraint:
		return back(ir.AddConstraint(c))
	case ir.CreateIndex:
		return back(ir.DropIndex(c))
	case ir.DropIndex:
		return back(ir.CreateIndex(c))
	case ir.CreateTrigger:
		return back(ir.DropTrigger(c))
	case ir.DropTrigger:
		return back(ir.CreateTrigger(c))
	}
	return noUndo
}
