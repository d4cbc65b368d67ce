package migrate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

func price(checks ...ir.Check) ir.Domain {
	return ir.Domain{Schema: "app", Name: "price", Type: ir.Type{Name: "numeric", Mods: []int{12, 2}}, Checks: checks, Origin: ir.Origin{Address: "domain.price"}}
}

func domainCheck(name, expr string) ir.Check {
	return ir.Check{Name: name, Expr: expr, Origin: ir.Origin{Address: "domain.price.check." + name}}
}

// priced is a schema with a table whose one column has the domain.
func priced(d ir.Domain) ir.Schema {
	s := schema(table("items", column("price", d.As())))
	s.Domains = []ir.Domain{d}
	return s
}

func TestDomainChecksAreProvedInTheirOwnTransaction(t *testing.T) {
	t.Parallel()
	positive := domainCheck("price_positive", "value >= 0")
	conn := from(t, priced(price(positive)), "INSERT INTO app.items (price) VALUES (1), (2); ANALYZE")
	for _, c := range []struct {
		name   string
		checks []ir.Check
		want   []string
	}{
		{"an IN list, whose print changes once", []ir.Check{positive, domainCheck("price_known", "value IN (1, 2, 3)")}, []string{
			"- add check price_known on domain app.price, for new values",
			"- prove check price_known on domain app.price | SHARE",
		}},
		{"another text of the same", []ir.Check{domainCheck("price_positive", "VALUE  >=  0"), domainCheck("price_known", "value IN (1, 2, 3)")}, []string{
			"- record the new text of 1 definition that mean the same as before",
		}},
		{"a changed check and one that goes", []ir.Check{domainCheck("price_positive", "value > 0")}, []string{
			"- add check price_positive on domain app.price, for new values, as SPARE",
			"- prove check price_positive on domain app.price | SHARE",
			"- drop check price_positive on domain app.price",
			"+ name SPARE price_positive",
			"- drop check price_known on domain app.price",
		}},
	} {
		made := apply(t, conn, program(priced(price(c.checks...))))
		got := titles(made)
		for i, title := range got {
			if at := strings.Index(title, "pawl_new_"); at >= 0 {
				end := strings.IndexByte(title[at:]+" ", ' ')
				got[i] = title[:at] + "SPARE" + title[at+end:]
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if n := query[int](t, conn, "SELECT count(*) FROM pg_constraint WHERE contypid = 'app.price'::regtype AND convalidated"); n != 1 {
		t.Errorf("%d proven checks", n)
	}
}

func TestValuesThatBreakADomainsNewCheck(t *testing.T) {
	t.Parallel()
	conn := from(t, priced(price()), "INSERT INTO app.items (price) VALUES (1), (-2), (-3)")
	wanted := program(priced(price(domainCheck("price_positive", "value >= 0"))))
	made := plan(t, conn, wanted)
	if len(made.Violations) != 1 || made.Violations[0].Count != 2 || !strings.Contains(made.Violations[0].Samples[0], "-2") {
		t.Fatalf("violations: %+v\n%s", made.Violations, outline(made))
	}
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); err == nil {
		t.Fatal("applied although stored values break the check")
	}
	exec(t, conn, "DELETE FROM app.items WHERE price::numeric < 0")
	apply(t, conn, wanted)
}

// TestADomainsCheckThatWasNotProved stops between the two transactions.
func TestADomainsCheckThatWasNotProved(t *testing.T) {
	t.Parallel()
	conn := from(t, priced(price()), "INSERT INTO app.items (price) VALUES (1)")
	exec(t, conn, "ALTER DOMAIN app.price ADD CONSTRAINT price_positive CHECK (value >= 0) NOT VALID")
	exec(t, conn, `INSERT INTO pawl.object SELECT project, 'a', 'constraint', 'app', 'price', 'price_positive', '', '' FROM pawl.object LIMIT 1`)
	made := apply(t, conn, program(priced(price(domainCheck("price_positive", "value >= 0")))))
	if got := titles(made); !slices.Contains(got, "- prove check price_positive on domain app.price | SHARE") {
		t.Errorf("steps: %q", got)
	}
}

// TestADomainGoesWithItsColumns takes the type from a column, and then away.
func TestADomainGoesWithItsColumns(t *testing.T) {
	t.Parallel()
	d := price(domainCheck("price_positive", "value >= 0"))
	conn := from(t, priced(d), "INSERT INTO app.items (price) VALUES (1)")
	apply(t, conn, program(schema(table("items", column("price", ir.Type{Name: "numeric", Mods: []int{12, 2}})))), "rewrite=table.items.column.price")
	if n := query[int](t, conn, "SELECT count(*) FROM pg_type WHERE typtype = 'd' AND typname = 'price'"); n != 0 {
		t.Error("the domain is still there")
	}
	if n := query[int](t, conn, "SELECT count(*) FROM pawl.object WHERE object_name LIKE 'price%' AND kind <> 'column'"); n != 0 {
		t.Error("the domain is still recorded")
	}
}

func TestADomainIsNotMadeOfAnotherType(t *testing.T) {
	t.Parallel()
	conn := from(t, priced(price()), "INSERT INTO app.items (price) VALUES (1)")
	other := price()
	other.Type.Mods = []int{14, 2}
	made := plan(t, conn, program(priced(other)))
	if len(made.Hazards) == 0 || made.Hazards[0].Kind != migrate.HazardBlocked || !strings.Contains(made.Hazards[0].Text, "numeric(14, 2)") {
		t.Fatalf("hazards: %+v", made.Hazards)
	}
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); err == nil {
		t.Error("applied")
	}
}

// TestDomainsOfOthersAreLeftAlone: one that stands in the way, one beside it, and
// a check that somebody added by hand.
func TestDomainsOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	exec(t, conn, "CREATE SCHEMA app; CREATE DOMAIN app.price AS numeric(12,2); CREATE DOMAIN app.other AS text CHECK (value <> '')")
	_, err := migrate.NewPlan(context.Background(), conn, program(priced(price())), migrate.PlanOptions{})
	if unmanaged := new(migrate.UnmanagedError); !errors.As(err, &unmanaged) || len(unmanaged.Objects) != 1 {
		t.Fatalf("a domain in the way: %v", err)
	}
	exec(t, conn, "DROP DOMAIN app.price")
	apply(t, conn, program(priced(price())))
	exec(t, conn, "ALTER DOMAIN app.price ADD CONSTRAINT by_hand CHECK (value < 10)")
	made := plan(t, conn, program(priced(price())))
	var left []string
	for _, id := range made.Unmanaged {
		left = append(left, id.SQL())
	}
	if diff := cmp.Diff([]string{"app.other", "app.price.by_hand"}, left); diff != "" || !made.Empty() {
		t.Errorf("unmanaged (-want +got):\n%s\n%s", diff, outline(made))
	}
}
