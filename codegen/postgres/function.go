package postgres

import (
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// replaceFunction spells a function. Nobody may call it by hand: a trigger
// fires without EXECUTE, and a SECURITY DEFINER function is not for everyone.
func replaceFunction(c ir.ReplaceFunction) []string {
	f := c.Function
	verb := "CREATE FUNCTION "
	if c.Exists {
		verb = "CREATE OR REPLACE FUNCTION "
	}
	name := ir.Qualified(f.Schema, f.Name) + "()"
	text := verb + name + " RETURNS " + f.Returns + "\n  LANGUAGE " + ir.Ident(f.Language)
	if f.SecurityDefiner {
		text += " SECURITY DEFINER"
	}
	if len(f.SearchPath) > 0 {
		text += "\n  SET search_path = " + ir.Idents(f.SearchPath)
	}
	quote := dollar(f.Body)
	text += "\n  AS " + quote + "\n" + strings.Trim(f.Body, "\n") + "\n" + quote
	return []string{text, "REVOKE EXECUTE ON FUNCTION " + name + " FROM PUBLIC"}
}

// Body is a function's body as replaceFunction hands it to the server.
func Body(f ir.Function) string { return "\n" + strings.Trim(f.Body, "\n") + "\n" }

// dollar is a dollar quote that does not occur in text.
func dollar(text string) string {
	quote := "$pawl$"
	for n := 1; strings.Contains(text, quote); n++ {
		quote = "$pawl" + strconv.Itoa(n) + "$"
	}
	return quote
}
