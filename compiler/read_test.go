package compiler_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

func TestInsertFields(t *testing.T) {
	p := compile(t, `
table "rows" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "a" { type = text }
  column "b" {
    type = text
    null = true
  }
  column "c" {
    type    = bigint
    default = -3
  }
  column "d" {
    type    = varchar(3)
    default = "i's"
  }
  column "e" {
    type    = boolean
    default = false
  }
  column "f" {
    type    = list(text)
    default = sql("ARRAY['x']")
  }
  primary_key { columns = [id] }
}`)
	want := `INSERT INTO app.rows (a, b, c, d, e, f)
VALUES ($1::text, $2::text, COALESCE($3::bigint, -3), COALESCE($4::character varying, 'i''s'), COALESCE($5::boolean, false), COALESCE($6::text[], ARRAY['x']))
RETURNING id, a, b, c, d, e, f`
	if diff := cmp.Diff(want, statement(t, p, "table.rows.insert", ir.MainStatement)); diff != "" {
		t.Error(diff)
	}
	var optional []string
	for _, f := range p.Repositories[0].Insert {
		if f.Optional {
			optional = append(optional, f.Name)
		}
	}
	if !slices.Equal(optional, []string{"c", "d", "e", "f"}) {
		t.Errorf("optional %v", optional)
	}
}

// Casts never cut a value: the column's own type refuses it.
func TestArgumentCasts(t *testing.T) {
	p := compile(t, `
enum "mood" { values = ["good", "bad"] }
table "rows" {
  column "a" { type = varchar(3) }
  column "b" {
    type  = char(3)
    allow = { discouraged-type = "a test" }
  }
  column "c" { type = bit(4) }
  column "d" { type = numeric(6, 2) }
  column "e" { type = timestamptz(3) }
  column "f" { type = list(varchar(3)) }
  column "g" { type = list(enum.mood) }
  column "h" { type = enum.mood }
}`)
	want := `INSERT INTO app.rows (a, b, c, d, e, f, g, h)
VALUES ($1::character varying, $2::bpchar, $3::bit varying, $4::numeric, $5::timestamp with time zone, $6::character varying[], $7::text[]::app.mood[], $8::app.mood)
RETURNING a, b, c, d, e, f, g::text[], h`
	if diff := cmp.Diff(want, statement(t, p, "table.rows.insert", ir.MainStatement)); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, op := range p.Repositories[0].Operations {
		names = append(names, op.Name)
	}
	if diff := cmp.Diff([]string{"insert", "insert_many"}, names); diff != "" {
		t.Errorf("the operations of a table without a key: %s", diff)
	}
}

// A page is ordered by the index; a foreign key at its beginning is given.
func TestListOrder(t *testing.T) {
	table := func(index string) string {
		return `
table "parents" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "rows" {
  column "id" { type = bigint }
  column "parent" { type = bigint }
  column "at" { type = timestamptz }
  column "limit" { type = bigint }
  column "note" {
    type = text
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "parent" {
    columns    = [parent]
    references = table.parents
    allow      = { foreign-key-index = "a test" }
  }
  index "by_x" { ` + index + ` }
}`
	}
	for _, c := range []struct {
		index      string
		key, order []string
	}{
		{"columns = [parent, at]", []string{"parent"}, []string{"at", "id"}},
		{"columns = [parent]", []string{"parent"}, []string{"id"}},
		{"columns = [at, parent]", []string{}, []string{"at", "parent", "id"}},
		{"columns = [id]", []string{}, []string{"id"}},
		{"columns = [parent, id]", []string{"parent"}, []string{"id"}},
		{"columns = [desc(at), desc(id)]", []string{}, []string{"at", "id"}},
		{"columns = [at, limit]", []string{}, []string{"at", "limit", "id"}},
	} {
		p := compile(t, table(c.index))
		op := operation(t, p, "table.rows.list_by_x")
		var key []string
		for _, f := range op.Key {
			key = append(key, f.Name)
		}
		if !slices.Equal(key, c.key) || !slices.Equal(op.Columns, c.order) {
			t.Errorf("%s: key %v, order %v", c.index, key, op.Columns)
		}
		args := op.Statement(ir.MainStatement).Args
		if last := args[len(args)-1]; last.Type.Name != "int8" || last.Optional || len(args) != len(op.Key)+len(op.Columns)+1 {
			t.Errorf("%s: arguments %v", c.index, args)
		}
	}
	has(t, statement(t, compile(t, table("columns = [desc(at), desc(id)]")), "table.rows.list_by_x", ir.MainStatement),
		"(at, id) < ($1::timestamp with time zone, $2::bigint)", "ORDER BY at DESC, id DESC")

	// Without an order there is no list: of an index of another kind, or of an
	// operator class that ORDER BY does not mean.
	for _, index := range []string{"\n columns = [note]\n method = \"hash\"\n", `columns = [opclass(note, "text_pattern_ops")]`} {
		for _, r := range compile(t, table(index)).Repositories {
			for _, op := range r.Operations {
				if op.Kind == ir.ListOp && op.Name != "list" {
					t.Errorf("%s has a list: %s", index, op.Address)
				}
			}
		}
	}
}

func TestReadsOfACompositeKey(t *testing.T) {
	p := compile(t, `
table "pairs" {
  column "a" { type = uuid }
  column "b" { type = date }
  primary_key { columns = [b, a] }
}`)
	has(t, statement(t, p, "table.pairs.get", ir.MainStatement), "WHERE b = $1::date AND a = $2::uuid")
	has(t, statement(t, p, "table.pairs.get_many_for_update", ir.MainStatement),
		"WHERE (b, a) IN (\n  SELECT sent.b::date, sent.a::uuid", "ORDER BY b, a\nFOR NO KEY UPDATE")
}
