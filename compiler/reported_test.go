package compiler_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

const family = `
table "grandparents" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "parents" {
  column "id" { type = bigint }
  column "grandparent" { type = bigint }
  column "name" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
  index "grandparent" { columns = [grandparent] }
  foreign_key "grandparent_id" {
    columns    = [grandparent]
    references = table.grandparents
    on_delete  = "cascade"
  }
  edit "rename" { columns = [name] }
}
table "children" {
  column "id" { type = bigint }
  column "parent" {
    type = bigint
    null = true
  }
  column "parent_name" { type = text }
  column "kind" { type = text }
  primary_key { columns = [id] }
  check "orphan" { expr = "parent IS NOT NULL OR kind = 'adult'" }
  no_duplicates "one_kind" {
    columns = [parent, kind]
    nulls   = "distinct"
  }
  index "name" { columns = [parent_name] }
  foreign_key "parent_id" {
    columns    = [parent]
    references = table.parents
    on_delete  = "set null"
  }
  foreign_key "parent_by_name" {
    columns    = [parent_name]
    references = table.parents.no_duplicates.name
    on_update  = "cascade"
    on_delete  = "restrict"
  }
}
table "toys" {
  column "id" { type = bigint }
  column "child" { type = bigint }
  primary_key { columns = [id] }
  index "child" { columns = [child] }
  foreign_key "child_id" {
    columns    = [child]
    references = table.children
  }
}
`

// What can come back follows referential actions into other tables.
func TestReportedFollowsActions(t *testing.T) {
	p := compile(t, family)
	for address, want := range map[string][]string{
		"table.grandparents.delete": {"children_one_kind", "children_orphan", "children_parent_by_name", "children_parent_id"},
		"table.parents.delete":      {"children_one_kind", "children_orphan", "children_parent_by_name", "children_parent_id"},
		"table.children.delete":     {"toys_child_id"},
		"table.toys.delete":         {},
		"table.parents.insert":      {"parents_grandparent_id", "parents_name", "parents_pkey"},
		"table.parents.edit.rename": {"children_parent_by_name", "parents_name"},
		"table.children.insert":     {"children_one_kind", "children_orphan", "children_parent_by_name", "children_parent_id", "children_pkey"},
		"table.children.get":        {},
	} {
		if diff := cmp.Diff(want, operation(t, p, address).Errors); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
	}
	for _, r := range p.Repositories {
		for _, op := range r.Operations {
			for _, name := range op.Errors {
				if !slices.ContainsFunc(r.Reported, func(x ir.Reported) bool { return x.Name == name }) {
					t.Errorf("%s can report %s, which its repository does not list", op.Address, name)
				}
			}
		}
		for _, x := range r.Reported {
			if x.Inherited != (x.Table != r.Table) || x.Hash == "" || x.Doc == "" || x.Address == "" || x.Code == "" {
				t.Errorf("%s: %+v", r.Name, x)
			}
		}
	}
}

// Promises are the objects that stand in the schema, with the hash that apply
// stores.
func TestPromisesAreOfTheSchema(t *testing.T) {
	p := seats(t)
	hashes := map[ir.ObjectID]string{}
	for _, x := range p.Promises {
		hashes[x.Object] = x.Hash
		if x.Address == "" {
			t.Errorf("no address: %+v", x)
		}
	}
	if len(hashes) != len(p.Promises) {
		t.Error("an object is promised twice")
	}
	bookings := wantTable(t, p, "bookings")
	id := ir.ObjectID{Kind: ir.ConstraintObject, Schema: "app", Table: "bookings", Name: "bookings_one_per_room"}
	if hashes[id] != ir.Fingerprint(bookings.Excludes[0]) {
		t.Errorf("hash %q", hashes[id])
	}
	for _, r := range p.Repositories {
		for _, x := range r.Reported {
			if hashes[x.Object] != x.Hash {
				t.Errorf("%s: hash %s, promised %s", x.Name, x.Hash, hashes[x.Object])
			}
		}
	}
	for _, i := range p.Invariants {
		for _, object := range i.Facts().Objects {
			if object.Kind == ir.TableObject && slices.ContainsFunc(p.Promises, func(x ir.Promise) bool {
				return x.Object.Schema == object.Schema && x.Object.Table == object.Table
			}) {
				continue // which is not there without its table
			}
			if hashes[object] == "" {
				t.Errorf("%s rests on %+v, which nobody checks", i.Facts().Address, object)
			}
		}
	}
	// A list is right without its index, only slower.
	for _, x := range p.Promises {
		if x.Object.Name == "bookings_by_customer" {
			t.Error("a plain index is promised")
		}
	}
}

// A move names a partial constraint only when it can meet it.
func TestMovesAndPartialConstraints(t *testing.T) {
	spec := func(where, set string) string {
		return `
table "holds" {
  column "id" { type = bigint }
  column "seat" { type = bigint }
  column "state" { type = text }
  primary_key { columns = [id] }
  no_duplicates "one" {
    columns = [seat]
    where   = "` + where + `"
  }
  transitions "state" {
    column  = state
    initial = ["new"]
    final   = ["held", "gone"]
    move "hold" {
      from = ["new"]
      to   = "held"
      ` + set + `
    }
    move "drop" {
      from = ["new"]
      to   = "gone"
    }
  }
}`
	}
	for _, c := range []struct {
		where, set string
		hold, drop bool
	}{
		{"state = 'held'", "", true, false},
		{"state <> 'gone'", "", false, false},
		{"state IN ('held', 'gone')", "", true, true},
		{"state <> 'gone'", `set = { seat = "@seat" }`, true, false},
		{"state <> 'gone' AND seat > 0", "", true, false},
		{"seat > 0", "", false, false},
		{"seat > 0", `set = { seat = "@seat" }`, true, false},
	} {
		p := compile(t, spec(c.where, c.set))
		for move, want := range map[string]bool{"hold": c.hold, "drop": c.drop} {
			if got := len(operation(t, p, "table.holds.transitions.state."+move).Errors) == 1; got != want {
				t.Errorf("%s, %s: %s can break the key: %v", c.where, c.set, move, got)
			}
		}
	}
}
