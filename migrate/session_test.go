package migrate_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// asRole makes a role with a few rights and opens a session of it.
func asRole(t *testing.T, conn *pgx.Conn, setup ...string) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	database := query[string](t, conn, "SELECT current_database()")
	role := database + "_role"
	exec(t, conn, "CREATE ROLE "+ir.Ident(role)+" LOGIN")
	exec(t, conn, "GRANT ALL ON DATABASE "+ir.Ident(database)+" TO "+ir.Ident(role))
	for _, sql := range setup {
		exec(t, conn, strings.ReplaceAll(sql, "$ROLE", ir.Ident(role)))
	}
	config := conn.Config()
	config.User = role
	other, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = other.Close(ctx)
		exec(t, conn, "DROP OWNED BY "+ir.Ident(role)+" CASCADE; DROP ROLE "+ir.Ident(role))
	})
	return other
}

// TestHiddenRowsAreNoMissingRows plans as the owner of a table whose policy hides
// every row from its owner too: what cannot be read must not count as empty, and
// no rule may stand unproven.
func TestHiddenRowsAreNoMissingRows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	admin := connect(t)
	conn := asRole(t, admin)
	p := program(schema(people()))
	apply(t, conn, p)
	exec(t, conn, threePeople)
	exec(t, conn, "ALTER TABLE app.people ENABLE ROW LEVEL SECURITY; ALTER TABLE app.people FORCE ROW LEVEL SECURITY")
	if n := query[int](t, conn, "SELECT count(*) FROM app.people"); n != 0 {
		t.Fatalf("the policy hides nothing: %d rows", n)
	}

	guarded := withRule()
	made := plan(t, conn, guarded)
	if len(made.Violations) != 0 {
		t.Errorf("hidden rows were read:\n%s", outline(made))
	}
	var failed *migrate.StepError
	if err := made.Apply(ctx, conn, migrate.ApplyOptions{}); !errors.As(err, &failed) || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("apply says %v", err)
	}
	if n := query[int](t, conn, "SELECT count(*) FROM pg_trigger WHERE tgname = 'people_guard'"); n != 0 {
		t.Error("the trigger stands over rows that nobody looked at")
	}
	if dropping := plan(t, conn, program(ir.Schema{})); !strings.Contains(outline(dropping), "an unknown number of rows") {
		t.Errorf("a drop does not say that it does not know:\n%s", outline(dropping))
	}
	if got := query[string](t, conn, "SHOW row_security"); got != "on" {
		t.Errorf("the session's row_security is %s afterwards", got)
	}
}

// withRule is [people] with a trigger whose rule two of three rows keep.
func withRule() *ir.Program {
	after := people()
	after.Triggers = []ir.Trigger{guard("NEW.age > 2")}
	s := schema(after)
	s.Functions = []ir.Function{refuse()}
	p := program(s)
	p.Invariants = []ir.Invariant{&ir.Transitions{Base: ir.Facts{
		Address: "table.people.transitions.age", Violators: "SELECT id FROM app.people WHERE age > 2",
		Objects: []ir.ObjectID{{Kind: ir.TriggerObject, Schema: "app", Table: "people", Name: "people_guard"}},
	}}}
	return p
}

// TestTimeLimitsOfTheRoleDoNotMatter plans and applies as a role whose sessions
// are ended early and may only read.
func TestTimeLimitsOfTheRoleDoNotMatter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	admin := connect(t)
	limits := []string{"idle_session_timeout = 150", "idle_in_transaction_session_timeout = 150", "statement_timeout = 150", "default_transaction_read_only = on"}
	if query[int](t, admin, "SELECT current_setting('server_version_num')::integer") >= 170000 {
		limits = append(limits, "transaction_timeout = 150")
	}
	var setup []string
	for _, limit := range limits {
		setup = append(setup, "ALTER ROLE $ROLE SET "+limit)
	}
	conn := asRole(t, admin, setup...)
	made := plan(t, conn, program(schema(people())))
	slow := func(migrate.Event) { time.Sleep(200 * time.Millisecond) }
	time.Sleep(200 * time.Millisecond) // somebody reads the plan
	made.Steps[len(made.Steps)-1].SQL = append(made.Steps[len(made.Steps)-1].SQL, "SELECT pg_sleep(0.3)")
	if err := made.Apply(ctx, conn, migrate.ApplyOptions{Observe: slow}); err != nil {
		t.Fatal(err)
	}
	if got := query[string](t, conn, "SHOW statement_timeout"); got != "150ms" {
		t.Errorf("the session's statement_timeout is %s afterwards", got)
	}
}

// TestAPoolerIsFoundBeforeAnythingIsPrepared plans through a stand-in for a
// pooler that may give each statement to another server.
func TestAPoolerIsFoundBeforeAnythingIsPrepared(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	config := connect(t).Config()
	dial := config.DialFunc
	var pooler *preparing
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		pooler = &preparing{poolerConn: poolerConn{Conn: c}}
		return pooler, err
	}
	pooled, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pooled.Close(ctx) }()
	if _, err := migrate.NewPlan(ctx, pooled, program(schema(people())), migrate.PlanOptions{}); !errors.Is(err, migrate.ErrPooled) {
		t.Errorf("a plan says %v, want ErrPooled", err)
	}
	if pooler.prepared {
		t.Error("a statement was prepared before the session was looked at")
	}
}

// preparing notices when a statement is prepared.
type preparing struct {
	poolerConn
	prepared bool
}

func (c *preparing) Write(p []byte) (int, error) {
	c.prepared = c.prepared || len(p) > 0 && p[0] == 'P'
	return c.Conn.Write(p)
}
