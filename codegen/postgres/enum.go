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

func createEnum(e ir.Enum) string {
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
