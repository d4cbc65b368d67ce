package postgres

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// createIndex spells an index; how is "CONCURRENTLY " or nothing.
func createIndex(t ir.TableRef, i ir.Index, how string) string {
	text := "CREATE " + unique(i) + "INDEX " + how + ir.Ident(i.Name) + " ON " + t.SQL()
	if definition := IndexDefinition(i); len(text)+len(definition) > 100 {
		return text + "\n  " + definition
	} else {
		return text + " " + definition
	}
}

func unique(i ir.Index) string {
	if i.Unique {
		return "UNIQUE "
	}
	return ""
}

// IndexDefinition spells what an index says, without its name and table.
func IndexDefinition(i ir.Index) string {
	parts := make([]string, len(i.Parts))
	for n, part := range i.Parts {
		parts[n] = indexPart(part)
	}
	text := "(" + strings.Join(parts, ", ") + ")"
	if i.Method != "" && i.Method != "btree" {
		text = "USING " + ir.Ident(i.Method) + " " + text
	}
	if len(i.Include) > 0 {
		text += " INCLUDE " + list(i.Include)
	}
	if i.NullsNotDistinct {
		text += " NULLS NOT DISTINCT"
	}
	if i.Where != "" {
		text += " WHERE " + paren(i.Where)
	}
	return text
}

func indexPart(p ir.IndexPart) string {
	text := ir.Ident(p.Column)
	if p.Column == "" {
		text = key(p.Expr)
	}
	if p.OpClass != "" {
		text += " " + p.OpClass
	}
	if p.Desc {
		text += " DESC"
	}
	switch {
	case p.NullsFirst && !p.Desc:
		text += " NULLS FIRST"
	case p.NullsLast && p.Desc:
		text += " NULLS LAST"
	}
	return text
}
