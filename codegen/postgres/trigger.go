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
		Transition(g) + Deferral(g) + "\n  " + Level(g)
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

// Transition spells REFERENCING, on a line of its own; empty for a trigger
// without transition tables.
func Transition(g ir.Trigger) string {
	text := ""
	if g.OldRows != "" {
		text += " OLD TABLE AS " + ir.Ident(g.OldRows)
	}
	if g.NewRows != "" {
		text += " NEW TABLE AS " + ir.Ident(g.NewRows)
	}
	if text == "" {
		return ""
	}
	return "\n  REFERENCING" + text
}

// Deferral spells that a trigger waits for the COMMIT, on a line of its own; empty
// for one that does not.
func Deferral(g ir.Trigger) string {
	if g.Deferred {
		return "\n  DEFERRABLE INITIALLY DEFERRED"
	}
	return ""
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
