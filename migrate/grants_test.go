package migrate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/migrate"
)

// granted is a specification with a role, or without one.
func granted(role, moved string) string {
	table, column := "rooms", "name"
	if moved != "" {
		table, column = "halls", "title"
	}
	said := ""
	if role != "" {
		said = "  app_role = \"" + role + "\"\n"
	}
	return `pawl {
  project  = "shop"
  schema   = "app"
` + said + `}
table "` + table + `" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "` + column + `" { type = text }
  column "note" { type = text }
  primary_key { columns = [id] }
  edit "rename" { columns = [` + column + `] }
}
` + moved
}

// role makes a role for a test.
func role(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	exec(t, conn, "CREATE ROLE "+name)
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "DROP OWNED BY "+name+"; DROP ROLE "+name); err != nil {
			t.Error(err)
		}
	})
}

// TestGrants gives a role what it needs, finds what is missing and what is too
// much, follows a rename, and takes everything back when another role is named.
func TestGrants(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	var missing *migrate.RoleError
	_, err := migrate.NewPlan(context.Background(), conn, compileText(t, granted("grants_a", "")), migrate.PlanOptions{})
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "CREATE ROLE grants_a") {
		t.Errorf("without the role the plan says %v", err)
	}
	owner := query[string](t, conn, "SELECT current_user::text")
	_, err = migrate.NewPlan(context.Background(), conn, compileText(t, granted(owner, "")), migrate.PlanOptions{})
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "it is the role that applies") {
		t.Errorf("for the role that applies the plan says %v", err)
	}
	role(t, conn, "grants_a")
	role(t, conn, "grants_b")
	acl := func(name string) string {
		return query[string](t, conn, `
SELECT COALESCE(string_agg(what, ' ' ORDER BY what), '') FROM (
  SELECT c.relname || ':' || x.privilege_type FROM pg_class c, aclexplode(c.relacl) x WHERE x.grantee = '`+name+`'::regrole
  UNION ALL SELECT a.attname || ':' || x.privilege_type FROM pg_attribute a, aclexplode(a.attacl) x WHERE x.grantee = '`+name+`'::regrole
  UNION ALL SELECT n.nspname || ':' || x.privilege_type FROM pg_namespace n, aclexplode(n.nspacl) x WHERE x.grantee = '`+name+`'::regrole
) g(what)`)
	}
	a := compileText(t, granted("grants_a", ""))
	apply(t, conn, a)
	want := acl("grants_a")
	if want == "" || strings.Contains(want, "rooms:UPDATE") || !strings.Contains(want, "rooms:DELETE") || !strings.Contains(want, "app:USAGE") {
		t.Errorf("the role has %s", want)
	}
	for _, drift := range []string{
		"GRANT UPDATE, TRUNCATE ON app.rooms TO grants_a", "GRANT REFERENCES (name) ON app.rooms TO grants_a",
		"REVOKE DELETE ON app.rooms FROM grants_a", "REVOKE UPDATE (name) ON app.rooms FROM grants_a", "REVOKE USAGE ON SCHEMA app FROM grants_a",
	} {
		exec(t, conn, drift)
		if apply(t, conn, a); acl("grants_a") != want {
			t.Errorf("after %s the role has %s, want %s", drift, acl("grants_a"), want)
		}
	}
	b := compileText(t, granted("grants_b", "moved {\n  from = table.rooms\n  to   = table.halls\n}\nmoved {\n  from = table.rooms.column.name\n  to   = table.halls.column.title\n}\n"))
	apply(t, conn, b)
	renamed := strings.NewReplacer("rooms", "halls", "name:", "title:").Replace(want)
	if got := acl("grants_b"); len(got) != len(renamed) || !strings.Contains(got, "title:UPDATE") {
		t.Errorf("the new role has %s, want %s", got, renamed)
	}
	if got := acl("grants_a"); got != "app:USAGE" {
		t.Errorf("the old role has %s", got)
	}
}
