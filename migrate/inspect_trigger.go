package migrate

import (
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// triggerRow is a row of pg_trigger.
type triggerRow struct {
	Table                uint32
	Name                 string
	Type                 int16
	Enabled              string
	FuncSchema, FuncName string
	Args                 []byte // each ends with a zero byte
	Plain                bool   // no column list, and no constraint trigger but one that is deferred
	Deferred             bool   // a constraint trigger, INITIALLY DEFERRED
	OldRows, NewRows     string // names of transition tables
	Conditional          bool
	Definition           string
	Head                 string // quoted: CREATE TRIGGER name
	On, OnTemp           string // quoted: schema.table; and as PostgreSQL 15 and later say it of a temporary one
	Calls, CallsTemp     string // quoted: schema.function, likewise
}

// The bits of pg_trigger.tgtype.
const (
	tgRow, tgBefore, tgInsert, tgDelete, tgUpdate, tgTruncate, tgInstead = 1, 2, 4, 8, 16, 32, 64
)

func (r *reader) triggers() error {
	return each(r, `
SELECT t.tgrelid, t.tgname::text, t.tgtype, t.tgenabled::text, fn.nspname::text, f.proname::text, t.tgargs,
       (t.tgconstraint = 0 OR t.tgconstrrelid = 0 AND t.tgdeferrable AND t.tginitdeferred) AND t.tgattr::text = '', t.tgconstraint <> 0 AND t.tginitdeferred, COALESCE(t.tgoldtable::text, ''), COALESCE(t.tgnewtable::text, ''),
       t.tgqual IS NOT NULL, pg_get_triggerdef(t.oid, false),
       CASE WHEN t.tgconstraint = 0 THEN 'CREATE TRIGGER ' ELSE 'CREATE CONSTRAINT TRIGGER ' END || quote_ident(t.tgname::text),
       quote_ident(n.nspname::text) || '.' || quote_ident(c.relname::text),
       CASE n.oid WHEN pg_my_temp_schema() THEN 'pg_temp.' || quote_ident(c.relname::text) ELSE '' END,
       quote_ident(fn.nspname::text) || '.' || quote_ident(f.proname::text),
       CASE fn.oid WHEN pg_my_temp_schema() THEN 'pg_temp.' || quote_ident(f.proname::text) ELSE '' END
FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = ANY ($1::text[])
JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_namespace fn ON fn.oid = f.pronamespace
WHERE NOT t.tgisinternal ORDER BY t.tgrelid, t.tgname`,
		func(g *triggerRow) {
			if t := r.table(g.Table); t != nil {
				t.Triggers = append(t.Triggers, g.trigger())
			}
		})
}

func (g *triggerRow) trigger() ir.Trigger {
	trigger := ir.Trigger{
		Name: g.Name, Before: g.Type&tgBefore != 0, PerStatement: g.Type&tgRow == 0,
		OldRows: g.OldRows, NewRows: g.NewRows, Deferred: g.Deferred,
		FuncSchema: g.FuncSchema, FuncName: g.FuncName, Disabled: g.Enabled == "D" || g.Enabled == "R",
	}
	for _, event := range []struct {
		bit  int16
		name ir.TriggerEvent
	}{{tgInsert, ir.OnInsert}, {tgDelete, ir.OnDelete}, {tgUpdate, ir.OnUpdate}, {tgTruncate, ir.OnTruncate}} {
		if g.Type&event.bit != 0 {
			trigger.Events = append(trigger.Events, event.name)
		}
	}
	if len(g.Args) > 0 {
		trigger.Args = strings.Split(strings.TrimSuffix(string(g.Args), "\x00"), "\x00")
	}
	var ok bool
	trigger.When, ok = g.when(trigger)
	trigger.Printed = printTrigger(trigger)
	if !ok || !g.Plain || g.Type&tgInstead != 0 {
		// Nothing that a declaration asks for: equal to nothing that is wanted.
		trigger.Printed = g.Definition
	}
	return trigger
}

// when cuts the condition out of the printed definition, which is the only
// place where the server shows it. What stands before and after it is known to
// the byte; false when it is not as expected.
func (g *triggerRow) when(t ir.Trigger) (string, bool) {
	if !g.Conditional {
		return "", true
	}
	args := make([]string, len(t.Args))
	for i, arg := range t.Args {
		args[i] = "'" + strings.ReplaceAll(arg, "'", "''") + "'"
	}
	text, before := cutEither(strings.CutPrefix, g.Definition, g.On, g.OnTemp, func(on string) string {
		return g.Head + " " + postgres.Timing(t) + " " + events(t) + " ON " + on + " " + deferral(t) + postgres.Level(t) + " WHEN ("
	})
	text, after := cutEither(strings.CutSuffix, text, g.Calls, g.CallsTemp, func(calls string) string {
		return ") EXECUTE FUNCTION " + calls + "(" + strings.Join(args, ", ") + ")"
	})
	if !before || !after {
		return "", false
	}
	return text, true
}

// deferral is how the server prints that a trigger waits for the COMMIT.
func deferral(t ir.Trigger) string {
	if t.Deferred {
		return "DEFERRABLE INITIALLY DEFERRED "
	}
	return ""
}

// cutEither cuts what is made of a name, or of its other spelling, off a text.
func cutEither(cut func(s, part string) (string, bool), text, name, other string, part func(string) string) (string, bool) {
	if rest, ok := cut(text, part(name)); ok {
		return rest, true
	}
	return cut(text, part(other))
}

// printTrigger is what two triggers of one name are compared by.
func printTrigger(t ir.Trigger) string {
	return strings.Join([]string{
		postgres.Timing(t), events(t) + postgres.Transition(t) + postgres.Deferral(t), postgres.Level(t), t.When,
		ir.Qualified(t.FuncSchema, t.FuncName), strings.Join(t.Args, "\x00"),
	}, "\n")
}

// events lists a trigger's events in the order in which the server prints them.
func events(t ir.Trigger) string {
	var list []string
	for _, event := range []ir.TriggerEvent{ir.OnInsert, ir.OnDelete, ir.OnUpdate, ir.OnTruncate} {
		for _, e := range t.Events {
			if e == event {
				list = append(list, string(e))
			}
		}
	}
	return strings.Join(list, " OR ")
}
