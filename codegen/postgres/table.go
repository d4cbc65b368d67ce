package postgres

import (
	"strings"
	"unicode/utf8"

	"github.com/pawldb/pawl/compiler/ir"
)

// createTable spells a table with its constraints, and its comments.
func createTable(t ir.Table) []string {
	lines := columnLines(t.Columns)
	for _, c := range t.Constraints() {
		lines = append(lines, constraint(c))
	}
	body := " ()"
	if len(lines) > 0 {
		body = " (\n  " + strings.Join(lines, ",\n  ") + "\n)"
	}
	statements := []string{"CREATE TABLE " + t.Ref().SQL() + body}
	if t.Comment != "" {
		statements = append(statements, commentOnTable(t.Ref(), t.Comment))
	}
	for _, c := range t.Columns {
		if c.Comment != "" {
			statements = append(statements, commentOnColumn(t.Ref(), c))
		}
	}
	return statements
}

// columnLines spells the columns with their types under each other.
func columnLines(columns []ir.Column) []string {
	width := 0
	for _, c := range columns {
		width = max(width, utf8.RuneCountInString(ir.Ident(c.Name)))
	}
	lines := make([]string, len(columns))
	for i, c := range columns {
		name := ir.Ident(c.Name)
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(name))
		lines[i] = name + pad + " " + columnType(c)
	}
	return lines
}

// columnType spells what follows a column's name.
func columnType(c ir.Column) string {
	text := c.Type.SQL() + collate(c)
	if !c.Null {
		text += " NOT NULL"
	}
	if c.Default != "" {
		text += " DEFAULT " + operand(c.Default)
	}
	if c.Identity != ir.NoIdentity {
		text += " GENERATED " + string(c.Identity) + " AS IDENTITY"
	}
	return text + generated(c)
}

func generated(c ir.Column) string {
	if c.Generated == "" {
		return ""
	}
	return " GENERATED ALWAYS AS (" + c.Generated + ") STORED"
}

func collate(c ir.Column) string {
	if c.Collation == "" {
		return ""
	}
	return " COLLATE " + ir.Ident(c.Collation)
}

func addColumn(c ir.AddColumn) []string {
	statements := one(alter(c.Table, "ADD COLUMN "+ir.Ident(c.Column.Name)+" "+columnType(c.Column)))
	if c.Column.Comment != "" {
		statements = append(statements, commentOnColumn(c.Table, c.Column))
	}
	return statements
}

// alterColumn spells the whole change in one ALTER TABLE: PostgreSQL sorts its
// actions (drops, then types, then defaults), and the table is rewritten and
// scanned once.
func alterColumn(c ir.AlterColumn) []string {
	column := "ALTER COLUMN " + ir.Ident(c.To.Name) + " "
	retyped := c.Retyped()
	var actions []string
	add := func(action string) { actions = append(actions, column+action) }

	if c.From.Identity != ir.NoIdentity && c.To.Identity == ir.NoIdentity {
		add("DROP IDENTITY")
	}
	if c.From.Generated != "" && c.To.Generated == "" {
		add("DROP EXPRESSION") // the values stay
	}
	if c.From.Default != "" && (c.To.Default == "" || retyped) {
		// The old default need not have a cast to the new type.
		add("DROP DEFAULT")
	}
	if retyped {
		to := c.To.Type.SQL()
		typ := "TYPE " + to + collate(c.To)
		if c.From.Generated == "" { // else the server computes the values anew
			typ += " USING " + ir.Ident(c.To.Name) + "::" + to
		}
		add(typ)
	}
	if c.To.Default != "" && (c.From.Default != c.To.Default || retyped) {
		add("SET DEFAULT " + operand(c.To.Default))
	}
	if c.From.Generated != "" && c.To.Generated != "" && c.From.Generated != c.To.Generated {
		add("SET EXPRESSION AS (" + c.To.Generated + ")") // since PostgreSQL 17
	}
	switch {
	case c.From.Null && !c.To.Null:
		add("SET NOT NULL")
	case !c.From.Null && c.To.Null:
		add("DROP NOT NULL")
	}
	switch {
	case c.To.Identity == c.From.Identity || c.To.Identity == ir.NoIdentity:
	case c.From.Identity == ir.NoIdentity:
		add("ADD GENERATED " + string(c.To.Identity) + " AS IDENTITY")
	default:
		add("SET GENERATED " + string(c.To.Identity))
	}

	var statements []string
	if len(actions) > 0 {
		statements = one(alter(c.Table, actions...))
	}
	if c.From.Comment != c.To.Comment {
		statements = append(statements, commentOnColumn(c.Table, c.To))
	}
	return statements
}

func commentOnTable(t ir.TableRef, text string) string {
	return "COMMENT ON TABLE " + t.SQL() + " IS " + comment(text)
}

func commentOnColumn(t ir.TableRef, c ir.Column) string {
	return "COMMENT ON COLUMN " + t.SQL() + "." + ir.Ident(c.Name) + " IS " + comment(c.Comment)
}

func comment(text string) string {
	if text == "" {
		return "NULL"
	}
	return ir.Literal(text)
}
