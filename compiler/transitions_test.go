package compiler_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

func TestTransitionTriggersHoldTheRule(t *testing.T) {
	p := compile(t, ticketSpec)
	table := wantTable(t, p, "tickets")
	if len(table.Triggers) != 2 {
		t.Fatalf("triggers %v", table.Triggers)
	}
	insert, update := table.Triggers[0], table.Triggers[1]
	if insert.Name != "tickets_status_insert" || insert.When != "(NEW.status = 'open') IS NOT TRUE" {
		t.Errorf("insert trigger %+v", insert)
	}
	want := "(OLD.status = NEW.status" +
		" OR (OLD.status = 'open' AND NEW.status = 'paid' AND (OLD.valid_until > now()))" +
		" OR (OLD.status = 'paid' AND NEW.status = 'used')" +
		" OR (OLD.status = 'paid' AND NEW.status = 'paid' AND (OLD.gate IS NULL))" +
		" OR (OLD.status IN ('open', 'paid') AND NEW.status = 'void')) IS NOT TRUE"
	if update.Name != "tickets_status_update" || update.When != want {
		t.Errorf("update trigger\n got  %s\n want %s", update.When, want)
	}
	for _, trigger := range table.Triggers {
		if trigger.Before || trigger.PerStatement || trigger.FuncSchema != "app" || trigger.FuncName != "pawl_refuse" ||
			!slices.Equal(trigger.Args[:2], []string{"PW001", "tickets_status"}) {
			t.Errorf("trigger %+v", trigger)
		}
	}
	if len(p.Schema.Functions) != 1 {
		t.Errorf("functions %v", p.Schema.Functions)
	}
}

// A guard with an argument is for generated code; the trigger leaves it out.
func TestTriggerLeavesOutGuardsWithArguments(t *testing.T) {
	p := compile(t, strings.Replace(ticketSpec, `"valid_until > now()"`, `"valid_until > now() AND @price > 1"`, 1))
	update := wantTable(t, p, "tickets").Triggers[1]
	has(t, update.When, "(OLD.status = 'open' AND NEW.status = 'paid') OR")
}

func TestMoveSQL(t *testing.T) {
	p := compile(t, ticketSpec)
	want := `UPDATE app.tickets
SET status = 'paid', price = $2::numeric
WHERE id = $1::bigint
  AND status = 'open'
  AND (valid_until > now())
  AND (('paid'::app.ticket_status) <> 'paid' OR (($2::numeric)::numeric(12, 2)) > 0) IS NOT FALSE
  AND $2::numeric <> 'NaN'
RETURNING id, status, price, gate, valid_until, paid`
	if diff := cmp.Diff(want, statement(t, p, ticket("pay"), ir.MainStatement)); diff != "" {
		t.Error(diff)
	}
	explain := statement(t, p, ticket("pay"), ir.ExplainStatement)
	has(t, explain, "WHEN status = 'paid' AND price IS NOT DISTINCT FROM ($2::numeric)::numeric(12, 2) THEN 'repeat'",
		"WHEN NOT (status = 'open') THEN 'state'", "WHEN (valid_until > now()) IS NOT TRUE THEN 'guard'", "IS FALSE THEN 'guard'", "ELSE 'again'",
		"THEN status::text", "THEN 'guard'", "THEN 'tickets_price_known'", "ELSE ''")
	op := operation(t, p, ticket("pay"))
	if op.Wanted != "paid" || op.Lock != ir.RowWriteLock || len(op.Key) != 1 || len(op.Args) != 1 || op.Args[0].Null || op.Args[0].Name != "price" {
		t.Errorf("%+v", op)
	}
}

// Whether a call is a repeat must follow from the row alone.
func TestRepeat(t *testing.T) {
	p := compile(t, ticketSpec)
	for move, repeats := range map[string]bool{"pay": true, "use": true, "renew": false, "void": false} {
		if got := strings.Contains(statement(t, p, ticket(move), ir.ExplainStatement), "'repeat'"); got != repeats {
			t.Errorf("%s: repeat is %v", move, got)
		}
	}
	p = compile(t, strings.Replace(ticketSpec, "    column  = status\n", "    column  = status\n    repeat  = \"reject\"\n", 1))
	if strings.Contains(statement(t, p, ticket("pay"), ir.ExplainStatement), "'repeat'") {
		t.Error("repeat = reject takes a repeat")
	}
	// The explain statement has the arguments it uses, and no other.
	if args := operation(t, p, ticket("use")).Statement(ir.ExplainStatement).Args; len(args) != 1 {
		t.Errorf("arguments %v", args)
	}
}

// An argument named like a column need not be declared; it may then be NULL
// where the column may.
func TestUndeclaredArguments(t *testing.T) {
	p := compile(t, strings.Replace(ticketSpec, "      args = { gate = text }\n", "", 1))
	op := operation(t, p, ticket("use"))
	if diff := cmp.Diff([]ir.Field{{Name: "gate", Type: ir.Type{Name: "text"}, Null: true}}, op.Args); diff != "" {
		t.Error(diff)
	}
}

func TestTransitionsOverText(t *testing.T) {
	p := compile(t, `
table "jobs" {
  column "id" { type = bigint }
  column "state" { type = text }
  primary_key { columns = [id] }
  transitions "state" {
    column  = state
    initial = ["new", "urgent"]
    final   = ["done"]
    move "finish" {
      from = ["new", "urgent"]
      to   = "done"
    }
  }
}`)
	inv := invariant[*ir.Transitions](t, p, "table.jobs.transitions.state")
	if diff := cmp.Diff([]string{"done", "new", "urgent"}, inv.States); diff != "" {
		t.Error(diff)
	}
	want := "SELECT id, state FROM app.jobs WHERE (state IN ('done', 'new', 'urgent')) IS NOT TRUE"
	if inv.Base.Violators != want {
		t.Errorf("violators %q", inv.Base.Violators)
	}
	if diff := cmp.Diff([]string{"state"}, p.Repositories[0].Transitions); diff != "" {
		t.Error(diff)
	}
	if !inv.Database || inv.Repeat != "noop" {
		t.Errorf("defaults %+v", inv)
	}
}
