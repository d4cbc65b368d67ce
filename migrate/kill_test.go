package migrate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/migrate"
)

// journey is a change that takes every kind of step: it starts with rows in a
// table and ends with a table that has something new of each kind.
func journey() (before, after ir.Schema, data string) {
	old := people()
	old.Checks = []ir.Check{check("people_age", "age > 0")}
	old.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "age"}), index("people_gone", "", ir.IndexPart{Column: "age"})}
	before = schema(old)

	now := people()
	now.Columns[2].Null = false
	now.Columns = append(now.Columns, nullable("more", base("text")), with(column("kind", ir.Type{Kind: ir.EnumType, Schema: "app", Name: "kind"}), "'a'"))
	now.Checks = []ir.Check{check("people_age", "age > 0 AND age < 200")}
	now.Indexes = []ir.Index{index("people_i", "age > 1", ir.IndexPart{Column: "age"})}
	now.Uniques = []ir.Unique{{Name: "people_email", Columns: []string{"email"}}}
	now.Excludes = []ir.Exclude{{Name: "people_x", Method: "gist", Elements: []ir.ExcludeElement{{Expr: "int4range(age, age + 1)", Operator: "&&"}}}}
	now.ForeignKeys = []ir.ForeignKey{references("people_room", "room", "rooms", ir.Cascade)}
	now.Triggers = []ir.Trigger{guard("NEW.age < 0")}
	rooms := table("rooms", column("name", base("text")))
	rooms.Indexes = []ir.Index{index("rooms_i", "", ir.IndexPart{Column: "name"})}
	after = schema(now, rooms)
	after.Enums = []ir.Enum{{Schema: "app", Name: "kind", Values: []string{"a", "b"}}}
	after.Functions = []ir.Function{refuse()}
	return before, after, threePeople
}

// TestKilledAtEveryStep ends the session at the start of every step, which is
// after the statements of the one before or after its commit, and after the last
// commit. Then it applies again: it must get to the end, with nothing left over
// (52).
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	before, after, data := journey()
	p := program(after)
	ctx := context.Background()
	start := from(t, before, data)
	template := start.Config().Database
	if err := start.Close(ctx); err != nil {
		t.Fatal(err)
	}
	srv := pgtest.Server(t)
	branch := func(t *testing.T, name string) *pgx.Conn {
		t.Helper()
		name = template + "_" + name
		if err := srv.CloneDatabase(ctx, name, template); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := srv.DropDatabase(ctx, name); err != nil {
				t.Error(err)
			}
		})
		return connectTo(t, srv.URL(name))
	}
	whole := apply(t, branch(t, "whole"), p)
	if len(whole.Steps) < 20 {
		t.Fatalf("the journey has only %d steps", len(whole.Steps))
	}
	for i := range whole.Steps {
		t.Run(fmt.Sprintf("start of %d", i+1), func(t *testing.T) {
			t.Parallel()
			killed(t, branch(t, fmt.Sprint("start", i)), p, migrate.EventStart, i)
		})
	}
	last := len(whole.Steps) - 1
	t.Run("end", func(t *testing.T) { killed(t, branch(t, "end"), p, migrate.EventDone, last) })
}

func killed(t *testing.T, conn *pgx.Conn, p *ir.Program, kind migrate.EventKind, step int) {
	url := conn.Config().ConnString()
	other := connectTo(t, url)
	done := false
	err := plan(t, conn, p).Apply(context.Background(), conn, migrate.ApplyOptions{Observe: func(e migrate.Event) {
		if e.Kind == kind && e.Index == step && !done {
			done = true
			terminate(t, other, conn)
		}
	}})
	if err == nil {
		t.Error("the apply did not notice that its session is gone")
	}
	if !done {
		t.Fatal("the step never came")
	}
	apply(t, other, p)
	if n := query[int](t, other, "SELECT count(*) FROM app.people"); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
}

// terminate ends a session and waits until it is gone.
func terminate(t *testing.T, by, victim *pgx.Conn) {
	t.Helper()
	if !query[bool](t, by, fmt.Sprintf("SELECT pg_terminate_backend(%d, 10000)", victim.PgConn().PID())) {
		t.Fatal("the session would not end")
	}
}

// TestKilledInsideABuild ends the session while a concurrent build waits for
// another transaction, which leaves an invalid index.
func TestKilledInsideABuild(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ir.Table){
		"index":  func(t *ir.Table) { t.Indexes = []ir.Index{index("people_i", "", ir.IndexPart{Column: "name"})} },
		"unique": func(t *ir.Table) { t.Uniques = []ir.Unique{{Name: "people_u", Columns: []string{"name"}}} },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			after := people()
			change(&after)
			p := program(schema(after))
			conn := from(t, schema(people()), threePeople)
			other := connectTo(t, conn.Config().ConnString())
			tx, err := connectTo(t, conn.Config().ConnString()).Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(ctx, "UPDATE app.people SET age = age"); err != nil {
				t.Fatal(err)
			}
			killing := make(chan struct{})
			err = plan(t, conn, p).Apply(ctx, conn, migrate.ApplyOptions{Observe: func(e migrate.Event) {
				if e.Kind != migrate.EventStart || e.Step.Transactional() {
					return
				}
				go func() {
					defer close(killing)
					for query[int](t, other, "SELECT count(*) FROM pg_index WHERE NOT indisvalid") == 0 {
					}
					terminate(t, other, conn)
				}()
			}})
			<-killing
			if err == nil {
				t.Fatal("the apply did not notice that its session is gone")
			}
			if err := tx.Rollback(ctx); err != nil {
				t.Fatal(err)
			}
			if n := query[int](t, other, "SELECT count(*) FROM pg_index WHERE NOT indisvalid"); n != 1 {
				t.Fatalf("%d invalid indexes, want 1: the test shows nothing", n)
			}
			apply(t, other, p)
		})
	}
}
