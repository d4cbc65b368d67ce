package migrate_test

import (
	"bytes"
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

// TestRowsThatBreakAnInvariantAreShown plans invariants that rows break: the
// plan counts and shows them, the apply does nothing, and once they are gone it
// goes through (30).
func TestRowsThatBreakAnInvariantAreShown(t *testing.T) {
	t.Parallel()
	unique := index("people_u", "age < 100", ir.IndexPart{Expr: "lower(name)"})
	unique.Unique = true
	for name, c := range map[string]struct {
		change func(*ir.Table)
		count  int64
		sample string
		text   string
	}{
		"unique": {
			func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_u", Columns: []string{"name"}}} },
			1, `{"name":"a","rows":2}`, "1 key stands in more than one row",
		},
		"unique with NULLs": {
			func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_u", Columns: []string{"email"}}} },
			0, "", "",
		},
		"unique index": {
			func(t *ir.Table) { t.Indexes = []ir.Index{unique} },
			1, `{"key1":"a","rows":3}`, "1 key stands",
		},
		"exclude": {
			func(t *ir.Table) {
				t.Excludes = []ir.Exclude{{Name: "people_x", Method: "gist", Elements: []ir.ExcludeElement{{Expr: "int4range(age, age + 2)", Operator: "&&"}}}}
			},
			2, `"first_id":1,"second_id":2`, "2 rows stand in the way",
		},
		"check": {
			func(t *ir.Table) { t.Checks = []ir.Check{check("people_c", "age % 2 = 1 /* 100% odd */")} },
			1, `{"id":2}`, "1 row does not pass the check",
		},
		"foreign key": {
			func(t *ir.Table) {
				t.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "people", ir.Cascade)}
			},
			1, `{"room":99,"rows":2}`, "1 key refers to no row",
		},
		"not null": {
			func(t *ir.Table) { t.Columns[2].Null = false },
			3, `{"id":1}`, "3 rows have no value in email",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			conn := from(t, schema(people()), `INSERT INTO app.people (name, age, room) VALUES ('a', 1, 99), ('a', 2, 99), ('A', 3, NULL)`)
			after := people()
			c.change(&after)
			p := program(schema(after))
			made := plan(t, conn, p)
			if c.count == 0 {
				apply(t, conn, p)
				return
			}
			if len(made.Violations) != 1 {
				t.Fatalf("want one violation:\n%s", outline(made))
			}
			v := made.Violations[0]
			if v.Count != c.count || !strings.Contains(v.Text, c.text) || !strings.Contains(strings.Join(v.Samples, " "), c.sample) || !v.Pos.IsValid() {
				t.Errorf("violation %+v, want %d with %s: %s", v, c.count, c.sample, c.text)
			}
			var violations *migrate.ViolationsError
			if err := made.Apply(ctx, conn, migrate.ApplyOptions{}); !errors.As(err, &violations) {
				t.Errorf("apply says %v", err)
			}
			blind, err := migrate.NewPlan(ctx, conn, p, migrate.PlanOptions{NoProbes: true})
			if err != nil {
				t.Fatal(err)
			}
			var failed *migrate.StepError
			if err := blind.Apply(ctx, conn, migrate.ApplyOptions{}); !errors.As(err, &failed) || failed.Violation == nil {
				t.Fatalf("a blind apply says %v", err)
			}
			if !strings.Contains(failed.Error(), "test.hcl:") || strings.Contains(failed.Error(), "99") {
				t.Errorf("the error names no place, or values of rows: %v", failed)
			}
			exec(t, conn, "TRUNCATE app.people; INSERT INTO app.people (name, email, age) VALUES ('b', 'x', 1)")
			apply(t, conn, p)
		})
	}
}

// TestARuleOfATriggerIsProvedUnderItsLock adds a trigger over rows that break
// its rule; the query for them comes with the program.
func TestARuleOfATriggerIsProvedUnderItsLock(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people()), threePeople)
	after := people()
	after.Triggers = []ir.Trigger{guard("NEW.age > 2")}
	s := schema(after)
	s.Functions = []ir.Function{refuse()}
	p := program(s)
	p.Invariants = []ir.Invariant{&ir.Transitions{Base: ir.Facts{
		Address: "table.people.transitions.age", Violators: "SELECT id FROM app.people WHERE age > 2",
		Objects: []ir.ObjectID{{Kind: ir.TriggerObject, Schema: "app", Table: "people", Name: "people_guard"}},
	}}}
	made := plan(t, conn, p)
	if len(made.Violations) != 1 || made.Violations[0].Samples[0] != `{"id":3}` {
		t.Errorf("the plan does not show the violator:\n%s", outline(made))
	}
	blind, err := migrate.NewPlan(context.Background(), conn, p, migrate.PlanOptions{NoProbes: true})
	if err != nil {
		t.Fatal(err)
	}
	var failed *migrate.StepError
	if err := blind.Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.As(err, &failed) || failed.Violation == nil {
		t.Errorf("apply says %v", err)
	}
	if n := query[int](t, conn, "SELECT count(*) FROM pg_trigger WHERE tgname = 'people_guard'"); n != 0 {
		t.Error("the trigger stands, and so do rows that break its rule")
	}
	exec(t, conn, "DELETE FROM app.people WHERE age > 2")
	apply(t, conn, p)
}

// TestAnInvalidIndexCountsAsAbsent leaves what a failed concurrent build leaves,
// under the wanted name and under a spare one (27, 28).
func TestAnInvalidIndexCountsAsAbsent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	after := people()
	unique := index("people_u", "", ir.IndexPart{Column: "name"})
	unique.Unique = true
	after.Indexes = []ir.Index{unique}
	p := program(schema(after))
	conn := from(t, schema(people()), threePeople)
	apply(t, conn, p)

	exec(t, conn, "DROP INDEX app.people_u; INSERT INTO app.people (name, age) VALUES ('a', 4)")
	for _, name := range []string{"people_u", "pawl_new_0"} {
		if _, err := conn.Exec(ctx, "CREATE UNIQUE INDEX CONCURRENTLY "+name+" ON app.people (name)"); err == nil {
			t.Fatal("the build was to fail")
		}
	}
	exec(t, conn, "INSERT INTO pawl.object VALUES ('test', 'a', 'index', 'app', 'people', 'pawl_new_0', '', '')")
	if n := query[int](t, conn, "SELECT count(*) FROM pg_index WHERE NOT indisvalid"); n != 2 {
		t.Fatalf("%d invalid indexes, want 2", n)
	}
	exec(t, conn, "DELETE FROM app.people WHERE age = 4")
	made := apply(t, conn, p)
	want := []string{
		"* drop invalid index pawl_new_0 on app.people concurrently | SHARE UPDATE EXCLUSIVE",
		"* drop invalid index people_u on app.people concurrently | SHARE UPDATE EXCLUSIVE",
		"- look for rows that break app.people.people_u",
		"* build unique index people_u on app.people concurrently | SHARE UPDATE EXCLUSIVE",
	}
	if got := strings.Join(titles(made), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("steps:\n%s", got)
	}
}

// TestAFailedBuildIsClearedAway lets duplicates appear between the probe and the
// end of the build.
func TestAFailedBuildIsClearedAway(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	after := people()
	after.Uniques = []ir.Unique{{Name: "people_u", Columns: []string{"name"}}}
	p := program(schema(after))
	conn := from(t, schema(people()), threePeople)
	other := connectTo(t, conn.Config().ConnString())
	made := plan(t, conn, p)
	err := made.Apply(ctx, conn, migrate.ApplyOptions{Observe: func(e migrate.Event) {
		if e.Kind == migrate.EventStart && strings.Contains(e.Step.Title, "concurrently") {
			exec(t, other, "INSERT INTO app.people (name, age) VALUES ('a', 4)")
		}
	}})
	var failed *migrate.StepError
	if !errors.As(err, &failed) || failed.State != "23505" || failed.Violation == nil || failed.Left != "" ||
		!strings.Contains(failed.Detail, "(a)") || strings.Contains(failed.Error(), "(a)") {
		t.Fatalf("apply says %v, detail %q", err, failed.Detail)
	}
	if n := query[int](t, conn, "SELECT count(*) FROM pg_index WHERE NOT indisvalid"); n != 0 {
		t.Errorf("%d invalid indexes are left", n)
	}
	exec(t, conn, "DELETE FROM app.people WHERE age = 4")
	apply(t, conn, p)
}

// TestABusyTableIsTriedAgain holds a lock for longer than the lock timeout.
func TestABusyTableIsTriedAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	after := people()
	after.Columns = append(after.Columns, nullable("more", base("text")))
	p := program(schema(after))
	conn := from(t, schema(people()), threePeople)
	tx, err := connectTo(t, conn.Config().ConnString()).Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE app.people IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	retries := 0
	err = plan(t, conn, p).Apply(ctx, conn, migrate.ApplyOptions{
		LockTimeout: 50 * time.Millisecond,
		Observe: func(e migrate.Event) {
			if e.Kind != migrate.EventRetry {
				return
			}
			if retries++; retries == 2 {
				if err := tx.Rollback(ctx); err != nil {
					t.Error(err)
				}
			}
		},
	})
	if err != nil || retries != 2 {
		t.Errorf("after %d retries: %v", retries, err)
	}
	settled(t, conn, p)
}

// TestATableThatStaysBusyIsGivenUp runs out of attempts.
func TestATableThatStaysBusyIsGivenUp(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	after := people()
	after.Columns = append(after.Columns, nullable("more", base("text")))
	p := program(schema(after))
	conn := from(t, schema(people()), threePeople)
	tx, err := connectTo(t, conn.Config().ConnString()).Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE app.people IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	err = plan(t, conn, p).Apply(ctx, conn, migrate.ApplyOptions{LockTimeout: 20 * time.Millisecond, Attempts: 2})
	var failed *migrate.StepError
	if !errors.As(err, &failed) || failed.State != "55P03" || failed.Step.Address != "table.people.column.more" {
		t.Errorf("apply says %v", err)
	}
}

// TestCancelRollsBackTheRunningStep cancels while a step waits for a lock, and
// while a build waits for a transaction.
func TestCancelRollsBackTheRunningStep(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ir.Table){
		"transaction": func(t *ir.Table) { t.Columns = append(t.Columns, nullable("more", base("text"))) },
		"build":       func(t *ir.Table) { t.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "name"})} },
	} {
		t.Run(name, func(t *testing.T) {
			after := people()
			change(&after)
			p := program(schema(after))
			conn := from(t, schema(people()), threePeople)
			tx, err := connectTo(t, conn.Config().ConnString()).Begin(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(context.Background(), "UPDATE app.people SET age = age"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			err = plan(t, conn, p).Apply(ctx, conn, migrate.ApplyOptions{Observe: func(e migrate.Event) {
				if e.Kind == migrate.EventStart {
					time.AfterFunc(100*time.Millisecond, cancel)
				}
			}})
			var interrupted *migrate.InterruptedError
			if !errors.As(err, &interrupted) || interrupted.Step == nil || interrupted.Done != 0 || !errors.Is(err, context.Canceled) {
				t.Fatalf("apply says %v", err)
			}
			if conn.IsClosed() {
				t.Fatal("the session is gone")
			}
			if err := tx.Rollback(context.Background()); err != nil {
				t.Fatal(err)
			}
			apply(t, conn, p)
		})
	}
}

// TestAMovedDatabaseWantsANewPlan changes the database between plan and apply.
func TestAMovedDatabaseWantsANewPlan(t *testing.T) {
	t.Parallel()
	conn := from(t, schema(people()), threePeople)
	after := people()
	after.Checks = []ir.Check{check("people_c", "age > 0")}
	p := program(schema(after))
	made := plan(t, conn, p)
	exec(t, conn, "ALTER TABLE app.people ALTER COLUMN age DROP NOT NULL")
	if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{}); !errors.Is(err, migrate.ErrMoved) {
		t.Errorf("apply says %v, want ErrMoved", err)
	}
	apply(t, conn, p)
}

// TestDriftIsPutRight changes what pawl made, by hand, in every way that a plan
// has to see.
func TestDriftIsPutRight(t *testing.T) {
	t.Parallel()
	p := program(bookings())
	conn := from(t, bookings(), "INSERT INTO app.rooms (name) VALUES ('r'); INSERT INTO app.bookings (room_id, during) VALUES (1, '[2020-01-01,2020-01-02)')")
	for _, drift := range []string{
		"ALTER TABLE app.bookings DISABLE TRIGGER bookings_status_update",
		"DROP TRIGGER bookings_status_update ON app.bookings",
		"CREATE OR REPLACE FUNCTION app.pawl_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
		"ALTER FUNCTION app.pawl_refuse() SET search_path = app",
		"ALTER TABLE app.bookings DROP CONSTRAINT bookings_one_per_room",
		"ALTER TABLE app.bookings DROP CONSTRAINT bookings_one_per_room; CREATE INDEX bookings_one_per_room ON app.bookings USING gist (room_id, during)",
		"DROP INDEX app.bookings_upper; CREATE UNIQUE INDEX bookings_upper ON app.bookings (upper(during), id)",
		"ALTER TABLE app.bookings DROP CONSTRAINT bookings_room; ALTER TABLE app.bookings ADD CONSTRAINT bookings_room FOREIGN KEY (room_id) REFERENCES app.rooms ON DELETE RESTRICT NOT VALID",
		"ALTER TABLE app.bookings DROP CONSTRAINT bookings_room; ALTER TABLE app.bookings ADD CONSTRAINT bookings_room FOREIGN KEY (room_id) REFERENCES app.rooms ON DELETE RESTRICT DEFERRABLE",
		"ALTER TABLE app.rooms DROP CONSTRAINT rooms_price; ALTER TABLE app.rooms ADD CONSTRAINT rooms_price CHECK (price >= 0) NO INHERIT",
		"ALTER TABLE app.rooms DROP CONSTRAINT rooms_name; ALTER TABLE app.rooms ADD CONSTRAINT rooms_name UNIQUE (name) DEFERRABLE",
		"ALTER TABLE app.rooms DROP CONSTRAINT rooms_name; ALTER TABLE app.rooms ADD CONSTRAINT rooms_name UNIQUE (name) INCLUDE (price)",
		"ALTER TABLE app.rooms ALTER price DROP DEFAULT, ALTER price DROP NOT NULL",
		"ALTER TABLE app.rooms ALTER price TYPE numeric(12,3)",
		"ALTER TABLE app.rooms ALTER id SET GENERATED BY DEFAULT",
		"COMMENT ON TABLE app.rooms IS 'by hand'",
		"ALTER TYPE app.booking_status RENAME VALUE 'held' TO 'kept'; ALTER TYPE app.booking_status RENAME VALUE 'kept' TO 'held'; COMMENT ON COLUMN app.rooms.name IS 'x'",
	} {
		exec(t, conn, drift)
		made := plan(t, conn, p)
		if made.Empty() {
			t.Errorf("not seen: %s", drift)
		}
		// An index by hand is nobody's, and in the way of the constraint.
		if strings.Contains(drift, "CREATE INDEX") {
			exec(t, conn, "DROP INDEX app.bookings_one_per_room")
			made = plan(t, conn, p)
		}
		if err := made.Apply(context.Background(), conn, migrate.ApplyOptions{Allow: []string{"rewrite=table.rooms.column.price", "lossy=table.rooms.column.price"}}); err != nil {
			t.Errorf("after %s: %v\n%s", drift, err, outline(made))
		}
		settled(t, conn, p)
	}
}

// TestTwoAppliesAtOnce lets two sessions plan and apply the same change: one
// waits for the other, and then sees that there is nothing left of its plan.
func TestTwoAppliesAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	first := connect(t)
	second := connectTo(t, first.Config().ConnString())
	p := program(bookings())
	plans := []*migrate.Plan{plan(t, first, p), plan(t, second, p)}
	results := make(chan error, 1)
	told := make(chan string, 1)
	once := false
	err := plans[0].Apply(ctx, first, migrate.ApplyOptions{Observe: func(e migrate.Event) {
		if once {
			return
		}
		once = true
		go func() {
			results <- plans[1].Apply(ctx, second, migrate.ApplyOptions{Observe: func(e migrate.Event) {
				if e.Kind == migrate.EventWaiting {
					told <- e.Text
				}
			}})
		}()
		if text := <-told; !strings.Contains(text, "process ") {
			t.Errorf("the holder is said to be %q", text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-results; !errors.Is(err, migrate.ErrMoved) {
		t.Errorf("the second apply says %v, want ErrMoved", err)
	}
	settled(t, second, p)

	exec(t, first, "SELECT pg_advisory_lock(x'7061776c'::integer, 1)")
	var locked *migrate.LockedError
	err = plan(t, second, p).Apply(ctx, second, migrate.ApplyOptions{Wait: 10 * time.Millisecond})
	if !errors.As(err, &locked) || !strings.Contains(locked.Holder, "process") {
		t.Errorf("apply beside a holder says %v", err)
	}
}

// TestAPoolerIsRefused stands in for a pooler: it answers the start of a
// connection with a process number of its own.
func TestAPoolerIsRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t)
	made := plan(t, conn, program(schema(people())))
	config := conn.Config()
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		return &poolerConn{Conn: c}, err
	}
	pooled, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pooled.Close(ctx) }()
	if err := made.Apply(ctx, pooled, migrate.ApplyOptions{}); !errors.Is(err, migrate.ErrPooled) {
		t.Errorf("apply says %v, want ErrPooled", err)
	}
}

// poolerConn changes the process number in the server's first BackendKeyData.
type poolerConn struct {
	net.Conn
	done bool
}

func (c *poolerConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if i := bytes.Index(p[:n], []byte("K\x00\x00\x00")); i >= 0 && !c.done {
		c.done = true
		p[i+5] ^= 0x40
	}
	return n, err
}
