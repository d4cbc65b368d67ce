package migrate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

// TestCommentsOfTypes sets, changes and takes away the comments of an enum and of
// a domain, with a new value of the enum beside it.
func TestCommentsOfTypes(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	wanted := func(comment string, values ...string) *ir.Program {
		return program(ir.Schema{
			Namespaces: []ir.Namespace{{Name: "app"}},
			Enums:      []ir.Enum{{Schema: "app", Name: "state", Values: values, Comment: comment}},
			Domains:    []ir.Domain{{Schema: "app", Name: "price", Type: ir.Type{Name: "int4"}, Comment: comment}},
		})
	}
	for _, c := range []struct {
		comment string
		values  []string
		want    []string
	}{
		{"it's one", []string{"a"}, nil},
		{"another", []string{"a", "b"}, []string{
			"- add value 'b' to enum app.state", "- comment on enum app.state", "- comment on domain app.price",
		}},
		{"", []string{"a", "b"}, []string{"- comment on enum app.state", "- comment on domain app.price"}},
	} {
		made := apply(t, conn, wanted(c.comment, c.values...))
		if diff := cmp.Diff(c.want, titles(made)); c.want != nil && diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.comment, diff)
		}
		for _, typ := range []string{"state", "price"} {
			if got := query[string](t, conn, "SELECT COALESCE(obj_description('app."+typ+"'::regtype, 'pg_type'), '')"); got != c.comment {
				t.Errorf("%s has the comment %q, want %q", typ, got, c.comment)
			}
		}
	}
}
