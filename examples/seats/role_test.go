package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/migrate"
)

const appRole = "seats_app"

// TestAsTheAppRole calls every generated method as a role that has the grants of
// app_role and no other right, and once without one of them.
func TestAsTheAppRole(t *testing.T) {
	spec, findings := dsl.Load(os.DirFS("."), dsl.Options{})
	spec.Pawl.AppRole.V = appRole
	program, more := compiler.Compile(spec)
	if findings.Extend(more); program == nil {
		t.Fatalf("seats.hcl does not compile: %v", findings)
	}
	url := pgtest.URL(t)
	owner, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := owner.Exec(context.Background(), "DROP OWNED BY "+appRole+"; DROP ROLE "+appRole, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Error(err)
		}
		_ = owner.Close(context.Background())
	})
	exec := func(sql string) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("CREATE ROLE " + appRole)
	plan, err := migrate.NewPlan(t.Context(), owner, program, migrate.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(t.Context(), owner, migrate.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}

	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET ROLE "+appRole)
		return err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := store.New(pool)
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
	callEverything(t, db, 0)

	for _, g := range program.Grants {
		if g.Table == "bookings" && g.Privilege == ir.Update {
			exec(postgres.Revokes(appRole, []ir.Grant{g})[0])
		}
	}
	room, err := db.Rooms.Insert(t.Context(), store.RoomInsert{Name: "last"})
	if err != nil {
		t.Fatal(err)
	}
	customer, err := db.Customers.Insert(t.Context(), store.CustomerInsert{Email: "last@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	booking, err := db.Bookings.Insert(t.Context(), store.BookingInsert{RoomID: room.ID, CustomerID: customer.ID, During: tomorrow()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Bookings.Cancel(t.Context(), booking.ID); err == nil || !strings.Contains(err.Error(), "42501") {
		t.Errorf("a move without the grant says %v", err)
	}
}
