package compiler

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/dsl"
)

const policySpec = `
pawl {
  project        = "rules"
  schema         = "app"
  advisory_class = 1
}
enum "kind" { values = ["a"] }
table "orders" {
  comment = "One row an order."
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "total" {
    type    = numeric(12, 2)
    default = 0
  }
  column "tags" {
    type = list(varchar(3))
    null = true
  }
  column "kind" { type = enum.kind }
  primary_key { columns = [id] }
  no_duplicates "total" { columns = [total] }
}
queue "mails" {
  lease = "90s"
  column "body" { type = text }
}
singleton "relay" { key = 1 }
`

// Each kind of element has exactly the members that the language names, with
// the values of the compiled program.
func TestPolicyElements(t *testing.T) {
	spec, list := dsl.Load(fstest.MapFS{"spec.hcl": {Data: []byte(policySpec)}}, dsl.Options{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	c := newCompilation(spec)
	if program, list := c.compile(); program == nil {
		t.Fatal(list)
	}
	for kind, names := range dsl.PolicyMembers {
		elements := c.elements(kind)
		if len(elements) == 0 {
			t.Errorf("there are no %s", kind)
		}
		for _, e := range elements {
			if got, want := slices.Sorted(maps.Keys(e.members)), slices.Sorted(slices.Values(names)); !slices.Equal(got, want) {
				t.Errorf("%s have the members %q, want %q", kind, got, want)
			}
			if !e.pos.IsValid() {
				t.Errorf("%v has no place", e.members)
			}
		}
	}
	column := func(i int) dsl.Element { return c.elements("columns")[i].members }
	for _, test := range []struct{ got, want dsl.Element }{
		{column(0), dsl.Element{
			"address": "table.orders.column.id", "name": "id", "table": "orders", "schema": "app", "comment": "",
			"type": "bigint", "base_type": "bigint", "null": false, "default": "", "identity": "always", "generated": "", "collation": "",
		}},
		{column(1), dsl.Element{
			"address": "table.orders.column.total", "name": "total", "table": "orders", "schema": "app", "comment": "",
			"type": "numeric(12,2)", "base_type": "numeric", "null": false, "default": "0", "identity": "", "generated": "", "collation": "",
		}},
		{column(2), dsl.Element{
			"address": "table.orders.column.tags", "name": "tags", "table": "orders", "schema": "app", "comment": "",
			"type": "list(varchar(3))", "base_type": "list(varchar(3))", "null": true, "default": "", "identity": "", "generated": "", "collation": "",
		}},
		{c.elements("tables")[0].members, dsl.Element{
			"address": "table.orders", "name": "orders", "schema": "app", "comment": "One row an order.",
			"columns": []string{"id", "total", "tags", "kind"}, "primary_key": []string{"id"},
			"invariants": []string{"table.orders.no_duplicates.total"},
		}},
		{c.elements("queues")[0].members, dsl.Element{
			"address": "queue.mails", "name": "mails", "schema": "app", "comment": "",
			"columns": []string{"body"}, "lease_seconds": int64(90), "attempts": int64(12),
		}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("want - got +\n%s", diff)
		}
	}
	if got := column(4)["address"]; got != "queue.mails.column.body" {
		t.Errorf("the columns of queues are missing: %v", got)
	}
	if got := column(3)["type"]; got != "kind" {
		t.Errorf("an enum is called %v", got)
	}
}
