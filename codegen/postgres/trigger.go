package postgres

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

func createTrigger(verb string, t ir.TableRef, g ir.Trigger) string {
	events := make([]string, len(g.Events))
	for i, event := range g.Events {
		events[i] = string(event)
	}
	text := verb + ir.Ident(g.Name) +
		"\n  " + Timing(g) + " " + strings.Join(events, " OR ") + " ON " + t.SQL() +
		"\n  " + Level(g)
	if g.When != "" {
		text += " WHEN " + paren(g.When)
	}
	args := make([]string, len(g.Args))
	for i, arg := range g.Args {
		args[i] = ir.Literal(arg)
	}
	return text + "\n  EXECUTE FUNCTION " + ir.Qualified(g.FuncSchema, g.FuncName) +
		"(" + strings.Join(args, ", ") + ")"
}

// Timing is BEFORE or AFTER.
func Timing(g ir.Trigger) string {
	if g.Before {
		return "BEFORE"
	}
	return "AFTER"
}

// Level is FOR EACH ROW or FOR EACH STATEMENT.
func Level(g ir.Trigger) string {
	if g.PerStatement {
		return "FOR EACH STATEMENT"
	}
	return "FOR EACH ROW"
}
