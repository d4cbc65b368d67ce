package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/shop/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// The example's numbers come out right; and the counter of the coupons is what
// they rest on: without it, more are issued than there are.
func TestNumbers(t *testing.T) {
	url := pgtest.URL(t)
	if err := database.Apply(t.Context(), url, "."); err != nil {
		t.Fatal(err)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var out strings.Builder
	if err := race(t.Context(), &out, pool); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log("\n" + out.String())
	if _, err := pool.Exec(t.Context(), "DROP TRIGGER issued_coupons_issued_insert ON shop.issued_coupons; UPDATE shop.users SET deleted_at = now()"); err != nil {
		t.Fatal(err)
	}
	without := shop{store.New(pool), pool}
	if err := without.db.Check(t.Context()); err == nil {
		t.Error("Check misses no trigger")
	}
	if counts, err := coupons(t.Context(), without); err != nil || counts[0].got != clients {
		t.Errorf("without the trigger %+v (%v): this test shows nothing", counts, err)
	}
}

// A call that fails returns the zero value, and never what it was given.
func TestErrorsComeWithoutRows(t *testing.T) {
	url := pgtest.URL(t)
	if err := database.Apply(t.Context(), url, "."); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := store.New(pool)
	one := int32(1)
	item, err := db.Items.Insert(t.Context(), store.ItemInsert{Sku: "lamp", Stock: &one})
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() (store.Item, error){
		"no row":         func() (store.Item, error) { return db.Items.GetBySku(t.Context(), "none") },
		"a guard":        func() (store.Item, error) { return db.Items.Take(t.Context(), item.ID, 2) },
		"bad input":      func() (store.Item, error) { return db.Items.Take(t.Context(), item.ID, -1) },
		"a constraint":   func() (store.Item, error) { return db.Items.Insert(t.Context(), store.ItemInsert{Sku: "lamp"}) },
		"a missing item": func() (store.Item, error) { return db.Items.Take(t.Context(), 99, 1) },
	} {
		if got, err := call(); err == nil || got != (store.Item{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
