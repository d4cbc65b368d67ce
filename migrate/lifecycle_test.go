package migrate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pawldb/pawl/migrate"
)

const kept = "lifecycle { prevent_destroy = true }\n"

// keeping is a specification of which parts can be left out or kept.
func keeping(enum, table, column, key, state string) string {
	return `pawl { project = "shop" }
enum "status" {
  values = ["held", "paid"]
` + enum + `}
table "rooms" {
  column "id" { type = bigint }
  column "price" {
    type = numeric(12, 2)
` + column + `}
  column "name" { type = text }
  column "state" {
    type    = enum.status
    default = "held"
  }
  primary_key { columns = [id] }
  no_duplicates "name" {
    columns = [name]
` + key + `}
  transitions "state" {
    column  = state
    initial = ["held"]
    final   = ["paid"]
    move "pay" {
      from = ["held"]
      to   = "paid"
    }
` + state + `}
` + table + "}\n"
}

// TestPreventDestroy tries to drop and to weaken what lifecycle blocks keep, with
// the block and without anything that was declared.
func TestPreventDestroy(t *testing.T) {
	t.Parallel()
	all := keeping(kept, kept, kept, kept, kept)
	lines := func(text string, cuts ...string) string {
		for i := 0; i+1 < len(cuts); i += 2 {
			if !strings.Contains(text, cuts[i]) {
				t.Fatalf("nothing to change: %s", cuts[i])
			}
			text = strings.Replace(text, cuts[i], cuts[i+1], 1)
		}
		return text
	}
	between := func(text, from, to string) string {
		start := strings.Index(text, from)
		return text[start : start+strings.Index(text[start:], to)]
	}
	conn := connect(t)
	apply(t, conn, compileText(t, all))
	exec(t, conn, "INSERT INTO rooms (id, price, name) VALUES (1, 1.25, 'a')")
	for name, c := range map[string]struct{ text, says string }{
		"everything gone":  {"pawl { project = \"shop\" }\n", "the table public.rooms would be dropped: table.rooms is declared no more, and said prevent_destroy (spec.hcl:32)"},
		"enum gone too":    {"pawl { project = \"shop\" }\n", "the enum public.status would be dropped: enum.status is declared no more, and said prevent_destroy (spec.hcl:4)"},
		"key gone":         {lines(all, between(all, "  no_duplicates", "  transitions"), ""), "the constraint public.rooms.rooms_name would be dropped: table.rooms.no_duplicates.name is declared no more"},
		"table renamed":    {lines(all, "table \"rooms\" {\n", "table \"rooms\" {\n  name = \"halls\"\n"), "the table public.rooms would be dropped: table.rooms says prevent_destroy (spec.hcl:33)"},
		"column rounded":   {lines(all, "numeric(12, 2)", "numeric(12, 1)"), "table.rooms.column.price says prevent_destroy"},
		"key for fewer":    {lines(all, "columns = [name]\n", "columns = [name]\n    where   = \"price > 0\"\n"), "table.rooms.no_duplicates.name says prevent_destroy"},
		"states in code":   {lines(all, "column  = state\n", "column  = state\n    enforce = \"code\"\n"), "table.rooms.transitions.state says prevent_destroy"},
		"values reordered": {lines(all, `"held", "paid"]`, `"paid", "held"]`), "the enum public.status would be made anew"},
		"block moved down": {"\n\n" + all, ""},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := migrate.NewPlan(context.Background(), conn, compileText(t, c.text), migrate.PlanOptions{})
			if c.says == "" {
				if err != nil || !made.Empty() {
					t.Errorf("the plan is %v, %v; want an empty one", made, err)
				}
				return
			}
			var prevented *migrate.PreventedError
			if !errors.As(err, &prevented) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the plan says %v\nwant %s", err, c.says)
			}
		})
	}
}

// TestPreventDestroyIsTakenBack applies that a table may be dropped, and then
// drops it; another one is let go.
func TestPreventDestroyIsTakenBack(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	apply(t, conn, compileText(t, keeping(kept, kept, "", "", "")))
	taken := apply(t, conn, compileText(t, keeping(kept, "", "", "", "")))
	if len(taken.Steps) != 1 || len(taken.Changes) != 0 {
		t.Errorf("taking prevent_destroy back takes\n%s", outline(taken))
	}
	apply(t, conn, compileText(t, "pawl { project = \"shop\" }\n"+removed("enum.status")), "drop=table.rooms")
	if !query[bool](t, conn, "SELECT to_regtype('status') IS NOT NULL AND to_regclass('rooms') IS NULL") {
		t.Error("the enum is gone, or the table is not")
	}
}

// TestOlderRecords plans and applies to a database whose pawl.object has no
// column for what must not be dropped.
func TestOlderRecords(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	apply(t, conn, compileText(t, keeping("", "", "", "", "")))
	exec(t, conn, "ALTER TABLE pawl.object DROP COLUMN prevented")
	if made := plan(t, conn, compileText(t, keeping("", "", "", "", ""))); !made.Empty() {
		t.Errorf("the plan is\n%s", outline(made))
	}
	apply(t, conn, compileText(t, keeping("", kept, "", "", "")))
	if n := query[int](t, conn, "SELECT count(*) FROM pawl.object WHERE prevented <> ''"); n != 1 {
		t.Errorf("%d objects are kept", n)
	}
}

// TestIgnoreChanges changes what is ignored on either side.
func TestIgnoreChanges(t *testing.T) {
	t.Parallel()
	spec := func(comment, value, lifecycle string) string {
		ignore := func(what string) string {
			if lifecycle == "" {
				return ""
			}
			return "lifecycle { ignore_changes = [" + what + "] }\n"
		}
		return `pawl { project = "shop" }
enum "status" {
  values  = ["held"]
  comment = "` + comment + `"
` + ignore("comment") + `}
domain "amount" {
  type    = numeric(12, 2)
  comment = "` + comment + `"
` + ignore("comment") + `}
table "rooms" {
  comment = "` + comment + `"
  column "id" { type = bigint }
  column "price" {
    type    = domain.amount
    default = "` + value + `"
    comment = "` + comment + `"
` + ignore("default, comment") + `}
  primary_key { columns = [id] }
` + ignore("comment") + "}\n"
	}
	conn := connect(t)
	apply(t, conn, compileText(t, spec("said", "1", "ignored")))
	comment := func() string {
		return query[string](t, conn, `SELECT concat_ws(' ', obj_description('rooms'::regclass), col_description('rooms'::regclass, 2),
  obj_description('status'::regtype), obj_description('amount'::regtype), pg_get_expr(adbin, adrelid)) FROM pg_attrdef WHERE adrelid = 'rooms'::regclass`)
	}
	if got := comment(); !strings.HasPrefix(got, "said said said said '1'") {
		t.Errorf("new objects say %s", got)
	}
	exec(t, conn, `COMMENT ON TABLE rooms IS 'by hand'; COMMENT ON COLUMN rooms.price IS 'by hand'; COMMENT ON TYPE status IS 'by hand';
COMMENT ON DOMAIN amount IS 'by hand'; ALTER TABLE rooms ALTER COLUMN price SET DEFAULT 7`)
	before := comment()
	for _, p := range []string{spec("said", "1", "ignored"), spec("changed", "2", "ignored")} {
		if made := apply(t, conn, compileText(t, p)); len(made.Changes) != 0 {
			t.Errorf("the plan is\n%s", outline(made))
		}
	}
	if got := comment(); got != before {
		t.Errorf("the objects say %s, want %s", got, before)
	}
	if made := apply(t, conn, compileText(t, spec("changed", "2", ""))); len(made.Changes) == 0 {
		t.Error("nothing is ignored any more, and the plan is empty")
	}
}
