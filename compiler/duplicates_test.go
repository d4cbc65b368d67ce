package compiler_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

// account is a table with the columns that the tests of keys use.
func account(blocks string) string {
	return `
table "accounts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "tenant" { type = bigint }
  column "email" { type = text }
  column "phone" {
    type = text
    null = true
  }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
` + blocks + "\n}\n"
}

func TestDuplicatesMechanism(t *testing.T) {
	const live = "  live = \"deleted_at IS NULL\"\n"
	for _, c := range []struct {
		name, block        string
		mechanism, promise string
		kind               ir.ObjectKind
		arbiter, violators string
	}{
		{
			name: "plain", block: `no_duplicates "k" { columns = [tenant, email] }`,
			mechanism: "UNIQUE (tenant, email)", promise: "No two rows of accounts have the same tenant and email.", kind: ir.ConstraintObject,
			arbiter:   "arbiter ON CONFLICT (tenant, email)",
			violators: "SELECT tenant, email, count(*) AS rows FROM app.accounts GROUP BY 1, 2 HAVING count(*) > 1",
		},
		{
			name: "expression", block: `no_duplicates "k" { columns = [tenant, sql("lower(email)")] }`,
			mechanism: "UNIQUE INDEX (tenant, lower(email))", promise: "No two rows of accounts have the same tenant and lower(email).", kind: ir.IndexObject,
			arbiter:   "arbiter ON CONFLICT (tenant, lower(email))",
			violators: "SELECT tenant, lower(email), count(*) AS rows FROM app.accounts GROUP BY 1, 2 HAVING count(*) > 1",
		},
		{
			name: "partial", block: "no_duplicates \"k\" {\n    columns = [email]\n    where = \"tenant > 0\"\n  }",
			mechanism: "UNIQUE INDEX (email) WHERE tenant > 0", promise: "No two rows of accounts where tenant > 0 have the same email.", kind: ir.IndexObject,
			arbiter:   "arbiter ON CONFLICT (email) WHERE tenant > 0",
			violators: "SELECT email, count(*) AS rows FROM app.accounts WHERE (tenant > 0) GROUP BY 1 HAVING count(*) > 1",
		},
		{
			name: "inherits live", block: live + `no_duplicates "k" { columns = [email] }`,
			mechanism: "UNIQUE INDEX (email) WHERE deleted_at IS NULL", promise: "No two rows of accounts where deleted_at IS NULL have the same email.", kind: ir.IndexObject,
			arbiter:   "arbiter ON CONFLICT (email) WHERE deleted_at IS NULL",
			violators: "SELECT email, count(*) AS rows FROM app.accounts WHERE (deleted_at IS NULL) GROUP BY 1 HAVING count(*) > 1",
		},
		{
			name: "full beside live", block: live + "no_duplicates \"k\" {\n    columns = [email]\n    where = \"true\"\n    allow = { ignores-live = \"never again\" }\n  }",
			mechanism: "UNIQUE (email)", promise: "No two rows of accounts have the same email.", kind: ir.ConstraintObject,
			arbiter:   "arbiter ON CONFLICT (email)",
			violators: "SELECT email, count(*) AS rows FROM app.accounts GROUP BY 1 HAVING count(*) > 1",
		},
		{
			name: "nulls distinct", block: "no_duplicates \"k\" {\n    columns = [phone]\n    nulls = \"distinct\"\n  }",
			mechanism: "UNIQUE (phone)", promise: "No two rows of accounts have the same phone, rows with NULL there aside.", kind: ir.ConstraintObject,
			arbiter:   "arbiter ON CONFLICT (phone)",
			violators: "SELECT phone, count(*) AS rows FROM app.accounts WHERE (phone) IS NOT NULL GROUP BY 1 HAVING count(*) > 1",
		},
		{
			name: "deferrable", block: "no_duplicates \"k\" {\n    columns = [email]\n    deferrable = true\n  }",
			mechanism: "UNIQUE (email) DEFERRABLE", promise: "No two rows of accounts have the same email.", kind: ir.ConstraintObject,
			arbiter:   "no arbiter",
			violators: "SELECT email, count(*) AS rows FROM app.accounts GROUP BY 1 HAVING count(*) > 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, account(c.block))
			inv := invariant[*ir.NoDuplicates](t, p, "table.accounts.no_duplicates.k")
			want := ir.ObjectID{Kind: c.kind, Schema: "app", Table: "accounts", Name: "accounts_k"}
			if inv.Base.Mechanism != c.mechanism || inv.Base.Promise != c.promise || inv.Base.Violators != c.violators {
				t.Errorf("mechanism %q\npromise   %q\nviolators %q", inv.Base.Mechanism, inv.Base.Promise, inv.Base.Violators)
			}
			if diff := cmp.Diff([]ir.ObjectID{want}, inv.Base.Objects); diff != "" {
				t.Error(diff)
			}
			if r := inv.Base.Reasons[len(inv.Base.Reasons)-1]; r.Choice != c.arbiter {
				t.Errorf("arbiter %q", r.Choice)
			}
			table := wantTable(t, p, "accounts")
			if n := len(table.Uniques) + len(table.Indexes); n != 1 {
				t.Errorf("%d objects", n)
			}
		})
	}
}

func TestDuplicatesWithNullAsValue(t *testing.T) {
	spec := "pawl {\n  project = \"x\"\n  postgres = 15\n}\n" + account("no_duplicates \"k\" {\n    columns = [phone]\n    nulls = \"not_distinct\"\n  }")
	p := compile(t, spec)
	inv := invariant[*ir.NoDuplicates](t, p, "table.accounts.no_duplicates.k")
	if !inv.NotNulls || inv.Base.Mechanism != "UNIQUE NULLS NOT DISTINCT (phone)" || !strings.HasSuffix(inv.Base.Promise, "NULL counted as a value.") {
		t.Errorf("%+v", inv)
	}
	if !wantTable(t, p, "accounts").Uniques[0].NullsNotDistinct {
		t.Error("the constraint tells NULLs apart")
	}
	has(t, inv.Base.Violators, "FROM public.accounts GROUP BY")
}

// A key is read by what it holds: an argument for each column it mentions.
func TestReadByKeySQL(t *testing.T) {
	p := compile(t, account(`no_duplicates "k" {
    columns = [tenant, sql("lower(email)"), sql("tenant + 1")]
    where   = "deleted_at IS NULL"
  }`))
	want := "SELECT id, tenant, email, phone, deleted_at\nFROM app.accounts\n" +
		"WHERE tenant = $1::bigint AND lower(email) = lower($2::text) AND (tenant + 1) = ($1::bigint + 1) AND (deleted_at IS NULL)"
	if got := statement(t, p, "table.accounts.get_by_k", ir.MainStatement); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
