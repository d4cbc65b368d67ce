package postgres

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// constraint spells CONSTRAINT name and what it says.
func constraint(c ir.Constraint) string {
	return "CONSTRAINT " + ir.Ident(c.ConstraintName()) + " " + Definition(c)
}

// Definition spells what a constraint says, without its name.
func Definition(c ir.Constraint) string {
	switch c := c.(type) {
	case ir.PrimaryKey:
		return "PRIMARY KEY " + list(c.Columns)
	case ir.Unique:
		return "UNIQUE " + nulls(c.NullsNotDistinct) + list(c.Columns) + deferral(c)
	case ir.Exclude:
		return exclude(c)
	case ir.Check:
		return "CHECK " + paren(c.Expr)
	case ir.ForeignKey:
		return foreignKey(c)
	}
	panic(fmt.Sprintf("postgres: constraint of type %T has no spelling", c))
}

func nulls(notDistinct bool) string {
	if notDistinct {
		return "NULLS NOT DISTINCT "
	}
	return ""
}

func deferral(u ir.Unique) string {
	switch {
	case u.Deferred:
		return " DEFERRABLE INITIALLY DEFERRED"
	case u.Deferrable:
		return " DEFERRABLE"
	}
	return ""
}

func exclude(e ir.Exclude) string {
	elements := make([]string, len(e.Elements))
	for i, element := range e.Elements {
		term := ir.Ident(element.Column)
		if element.Column == "" {
			term = key(element.Expr)
		}
		elements[i] = term + " WITH " + element.Operator
	}
	text := "EXCLUDE USING " + ir.Ident(e.Method) + " (" + strings.Join(elements, ", ") + ")"
	if e.Where != "" {
		text += " WHERE " + paren(e.Where)
	}
	return text
}

func foreignKey(k ir.ForeignKey) string {
	text := "FOREIGN KEY " + list(k.Columns) + " REFERENCES " + ir.Qualified(k.RefSchema, k.RefTable)
	if len(k.RefColumns) > 0 {
		text += " " + list(k.RefColumns)
	}
	return text + action("UPDATE", k.OnUpdate) + action("DELETE", k.OnDelete)
}

func action(event string, a ir.Action) string {
	if a == "" || a == ir.NoAction {
		return ""
	}
	return " ON " + event + " " + string(a)
}
