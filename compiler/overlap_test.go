package compiler_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

func visits(blocks string) string {
	return `
table "visits" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room" { type = bigint }
  column "tag" { type = text }
  column "at" { type = tstzrange }
  column "days" { type = daterange }
  column "size" { type = numrange }
  column "a" { type = timestamptz }
  column "z" { type = timestamptz }
  column "gone" { type = boolean }
  primary_key { columns = [id] }
` + blocks + "\n}\n"
}

func TestOverlapBoundsCheck(t *testing.T) {
	const finite = " AND NOT lower_inf(at) AND NOT upper_inf(at) AND lower(at) > '-infinity'::timestamp with time zone AND upper(at) < 'infinity'::timestamp with time zone"
	for _, c := range []struct{ options, want string }{
		{"range = at", "NOT isempty(at) AND lower_inc(at) AND NOT upper_inc(at)" + finite},
		{"range = at\n bounds = \"[]\"", "NOT isempty(at) AND lower_inc(at) AND upper_inc(at)" + finite},
		{"range = at\n allow_empty = true", "(isempty(at) OR lower_inc(at)) AND NOT upper_inc(at)" + finite},
		{"range = at\n allow_infinite = true", "NOT isempty(at) AND (lower_inf(at) OR lower_inc(at)) AND NOT upper_inc(at)"},
		{
			"range = at\n allow_infinite = true\n allow_empty = true\n bounds = \"[]\"",
			"(isempty(at) OR lower_inf(at) OR lower_inc(at)) AND (isempty(at) OR upper_inf(at) OR upper_inc(at))",
		},
		{"range = days", "NOT isempty(days) AND NOT lower_inf(days) AND NOT upper_inf(days) AND lower(days) > '-infinity'::date AND upper(days) < 'infinity'::date"},
		{"range = days\n allow_infinite = true", "NOT isempty(days)"},
		{
			`range = { from = a, to = z, bounds = "[)" }`,
			"a < z AND a > '-infinity'::timestamp with time zone AND z < 'infinity'::timestamp with time zone",
		},
		{"range = { from = a, to = z, bounds = \"[]\" }\n allow_infinite = true", "a <= z"},
	} {
		p := compile(t, visits("no_overlap \"o\" {\n "+c.options+"\n }"))
		checks := wantTable(t, p, "visits").Checks
		if len(checks) != 1 || checks[0].Name != "visits_o_bounds" || checks[0].Expr != c.want {
			t.Errorf("%s:\n got  %+v\n want %s", c.options, checks, c.want)
		}
	}
	// Where everything is allowed there is nothing to check.
	p := compile(t, visits("no_overlap \"o\" {\n range = days\n allow_infinite = true\n allow_empty = true\n }"))
	if n := len(wantTable(t, p, "visits").Checks); n != 0 {
		t.Errorf("%d checks", n)
	}
}

func TestOverlapObjects(t *testing.T) {
	p := compile(t, visits(`
  live = "NOT gone"
  no_overlap "o" {
    within = [room, tag]
    range  = { from = a, to = z, bounds = "[)" }
  }`))
	table := wantTable(t, p, "visits")
	want := []ir.ExcludeElement{
		{Column: "room", Operator: "="},
		{Column: "tag", Operator: "="},
		{Expr: "tstzrange(a, z, '[)')", Operator: "&&"},
	}
	if diff := cmp.Diff(want, table.Excludes[0].Elements); diff != "" {
		t.Error(diff)
	}
	if table.Excludes[0].Where != "NOT gone" {
		t.Errorf("where %q", table.Excludes[0].Where)
	}
	if len(p.Schema.Extensions) != 1 || p.Schema.Extensions[0].Name != "btree_gist" || p.Schema.Extensions[0].Schema != "public" {
		t.Errorf("extensions %v", p.Schema.Extensions)
	}
	trigger := table.Triggers[0]
	if trigger.Name != "visits_o_prelock" || !trigger.Before || trigger.PerStatement || trigger.When != "NOT NEW.gone" || len(trigger.Events) != 2 {
		t.Errorf("trigger %+v", trigger)
	}
	function := p.Schema.Functions[0]
	if function.Name != "visits_o_prelock" || !function.SecurityDefiner || len(function.SearchPath) != 2 {
		t.Errorf("function %+v", function)
	}
	has(t, function.Body, "TG_RELID", "hash_record(ROW(NEW.room, NEW.tag))")
	inv := invariant[*ir.NoOverlap](t, p, "table.visits.no_overlap.o")
	if inv.Base.Promise != "No two rows of visits where NOT gone with one room and tag overlap in a to z." {
		t.Errorf("promise %q", inv.Base.Promise)
	}
	if len(inv.Base.Objects) != 4 || !inv.Prelock {
		t.Errorf("objects %v", inv.Base.Objects)
	}
}

func TestOverlapWithoutGroupOrPrelock(t *testing.T) {
	p := compile(t, visits("no_overlap \"all\" { range = at }"))
	if len(p.Schema.Extensions) != 0 {
		t.Errorf("a range alone needs no extension: %v", p.Schema.Extensions)
	}
	has(t, p.Schema.Functions[0].Body, "::integer, 0)")
	p = compile(t, visits("no_overlap \"all\" {\n range = at\n prelock = false\n }"))
	if n := len(p.Schema.Functions) + len(wantTable(t, p, "visits").Triggers); n != 0 {
		t.Errorf("%d objects of a prelock", n)
	}
}
