package postgres

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

func createExtension(e ir.Extension) string {
	text := "CREATE EXTENSION " + ir.Ident(e.Name)
	if e.Schema != "" {
		text += " WITH SCHEMA " + ir.Ident(e.Schema)
	}
	return text
}

// createEnum spells an enum and its comment.
func createEnum(e ir.Enum) []string {
	statements := []string{enumType(e)}
	if e.Comment != "" {
		statements = append(statements, commentOnEnum(e, e.Comment))
	}
	return statements
}

func commentOnEnum(e ir.Enum, text string) string {
	return "COMMENT ON TYPE " + ir.Qualified(e.Schema, e.Name) + " IS " + comment(text)
}

func enumType(e ir.Enum) string {
	values := make([]string, len(e.Values))
	for i, value := range e.Values {
		values[i] = ir.Literal(value)
	}
	head := "CREATE TYPE " + ir.Qualified(e.Schema, e.Name) + " AS ENUM ("
	if text := strings.Join(values, ", "); len(head)+len(text) <= 100 {
		return head + text + ")"
	}
	return head + "\n  " + strings.Join(values, ",\n  ") + "\n)"
}

func addEnumValue(c ir.AddEnumValue) string {
	text := "ALTER TYPE " + ir.Qualified(c.Enum.Schema, c.Enum.Name) + " ADD VALUE " + ir.Literal(c.Value)
	switch {
	case c.Before != "":
		text += " BEFORE " + ir.Literal(c.Before)
	case c.After != "":
		text += " AFTER " + ir.Literal(c.After)
	}
	return text
}
