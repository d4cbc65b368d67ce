package migrate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/migrate"
)

// letGo is a project with a module of two tables, or with what is left of it.
func letGo(use, removed string) fstest.MapFS {
	return fstest.MapFS{
		"spec.hcl": {Data: []byte(`pawl { project = "shop" }
table "rooms" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
` + use + removed)},
		"log/log.hcl": {Data: []byte(`
variable "name" { type = string }
table "log" {
  name        = var.name
  append_only = true
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "text" { type = text }
  primary_key { columns = [id] }
  check "text" { expr = "text <> ''" }
}`)},
	}
}

const (
	useLogs = `module "logs" {
  source   = "./log"
  for_each = { a = "a_log", b = "b_log" }
  name     = each.value
}
`
	useLog = `module "log" {
  source = "./log"
  name   = "c_log"
}
`
)

func removed(from string) string {
	return "removed {\n  from    = " + from + "\n  destroy = false\n}\n"
}

// TestLetGoKilledAtEveryStep lets go of modules, and ends the session at the
// start of each step and after the last: the tables stay, with rows and
// triggers, and nothing of them is recorded.
func TestLetGoKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	before := compileFS(t, letGo(useLogs+useLog, ""))
	after := compileFS(t, letGo("", removed("module.logs")+removed("module.log.table.log")))
	for step := range 3 {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			apply(t, conn, before)
			exec(t, conn, "INSERT INTO a_log (text) VALUES ('kept'); INSERT INTO c_log (text) VALUES ('kept')")
			other := connectTo(t, conn.Config().ConnString())
			made := plan(t, conn, after)
			if len(made.Steps) != 2 {
				t.Fatalf("the plan is\n%s", outline(made))
			}
			err := made.Apply(context.Background(), conn, migrate.ApplyOptions{Observe: func(e migrate.Event) {
				if e.Kind == migrate.EventStart && e.Index == step || e.Kind == migrate.EventDone && e.Index == 1 {
					terminate(t, other, conn)
				}
			}})
			if err == nil {
				t.Fatal("the apply did not notice that its session is gone")
			}
			apply(t, other, after)
			if got := query[string](t, other, "SELECT string_agg(DISTINCT address, ' ') FROM pawl.object"); strings.Contains(got, "module") {
				t.Errorf("recorded are %s", got)
			}
			if n := query[int](t, other, "SELECT (SELECT count(*) FROM a_log) + (SELECT count(*) FROM c_log)"); n != 2 {
				t.Errorf("%d rows are left", n)
			}
			if _, err := other.Exec(context.Background(), "DELETE FROM a_log"); err == nil {
				t.Error("the trigger of a table that was let go is gone")
			}
		})
	}
}

// TestLetGoOfLeaders keeps the table of terms as long as one leader is left.
func TestLetGoOfLeaders(t *testing.T) {
	t.Parallel()
	leader := func(label string, key int) string {
		return fmt.Sprintf("singleton %q {\n  key   = %d\n  scope = \"leader\"\n}\n", label, key)
	}
	const head = "pawl {\n  project        = \"shop\"\n  advisory_class = 7\n}\n"
	conn := connect(t)
	apply(t, conn, compileText(t, head+leader("a", 1)+leader("b", 2)))
	if made := plan(t, conn, compileText(t, head+leader("a", 1)+removed("singleton.b"))); !made.Empty() {
		t.Errorf("the plan touches the table of the leader that is left:\n%s", outline(made))
	}
	apply(t, conn, compileText(t, head+removed("singleton.a")+removed("singleton.b")))
	if query[bool](t, conn, "SELECT to_regclass('pawl_leader') IS NULL OR EXISTS (SELECT FROM pawl.object)") {
		t.Error("the table of leaders is gone, or recorded")
	}
}
