package golang_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/at-most-one/store"
)

const atMostOneCase = cases + "/at-most-one"

// addresses are some of one customer's, whose first one is the default.
func addresses(t *testing.T, db *store.Store, n int) []store.Address {
	t.Helper()
	customer, err := db.Customers.Insert(t.Context(), store.CustomerInsert{})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]store.Address, n)
	for i := range list {
		first := i == 0
		if list[i], err = db.Addresses.Insert(t.Context(), store.AddressInsert{CustomerID: customer.ID, Street: "s", IsDefault: &first}); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// Many callers pick rows of one group: all of them get what they ask for, none
// deadlocks, and one row is picked afterwards, in every exec mode.
func TestSetBetweenClients(t *testing.T) {
	url := database(t, compile(t, atMostOneCase))
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			config, err := pgxpool.ParseConfig(url)
			if err != nil {
				t.Fatal(err)
			}
			config.MaxConns, config.ConnConfig.DefaultQueryExecMode = 4, mode
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			db := store.New(pool, pawl.WithRetry(pawl.Policy{Attempts: 1})) // a deadlock would show
			rows := addresses(t, db, 5)
			var group sync.WaitGroup
			for client := range 4 {
				group.Go(func() {
					for i := range 10 {
						want := rows[(client*3+i)%len(rows)]
						got, err := db.Addresses.SetDefault(t.Context(), want.CustomerID, want.ID)
						if err != nil || got.ID != want.ID || !got.IsDefault {
							t.Errorf("picked %+v: %v", got, err)
						}
					}
				})
			}
			group.Wait()
			if _, err := db.Addresses.GetByDefault(t.Context(), rows[0].CustomerID); err != nil {
				t.Error("no row is picked:", err)
			}
		})
	}
}

// A row that is not there, of another group or not live is not found, and the
// row that was picked before still is.
func TestSetFindsNoRow(t *testing.T) {
	pool := poolIn(t, database(t, compile(t, atMostOneCase)), pgx.QueryExecModeCacheStatement, nil)
	db := store.New(pool)
	rows, others := addresses(t, db, 2), addresses(t, db, 1)
	if _, err := pool.Exec(t.Context(), "UPDATE app.addresses SET deleted_at = now() WHERE id = $1", rows[1].ID); err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]int64{"missing": 999999, "of another group": others[0].ID, "deleted": rows[1].ID} {
		if _, err := db.Addresses.SetDefault(t.Context(), rows[0].CustomerID, id); !errors.Is(err, pawl.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if still, err := db.Addresses.GetByDefault(t.Context(), rows[0].CustomerID); err != nil || still.ID != rows[0].ID {
			t.Errorf("%s: the row that was picked is %+v: %v", name, still, err)
		}
	}
	if _, err := db.Plans.Insert(t.Context(), store.PlanInsert{Account: "a", ID: 1}); err != nil {
		t.Fatal(err)
	}
	if plan, err := db.Plans.SetActive(t.Context(), "a", 1); err != nil || plan.Status != "active" {
		t.Errorf("%+v: %v", plan, err)
	}
}

// Two clients who both clear and then set, as it is usually written: the index
// refuses the second, and without it two rows are picked.
func TestAtMostOneIsNeeded(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), database(t, compile(t, atMostOneCase)))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := store.New(pool)
	race := func(rows []store.Address) (picked int, second error) {
		var open []pgx.Tx
		for range 2 {
			tx, err := pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(t.Context()) //nolint:errcheck // it may be over
			if _, err := tx.Exec(t.Context(), "UPDATE app.addresses SET is_default = false WHERE customer_id = $1 AND is_default", rows[0].CustomerID); err != nil {
				t.Fatal(err)
			}
			open = append(open, tx)
		}
		for i, tx := range open {
			if _, second = tx.Exec(t.Context(), "UPDATE app.addresses SET is_default = true WHERE id = $1", rows[i+1].ID); second == nil {
				second = tx.Commit(t.Context())
			}
		}
		if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM app.addresses WHERE is_default AND customer_id = $1", rows[0].CustomerID).Scan(&picked); err != nil {
			t.Fatal(err)
		}
		return picked, second
	}
	group := func() []store.Address {
		rows := addresses(t, db, 3)
		if _, err := pool.Exec(t.Context(), "UPDATE app.addresses SET is_default = false"); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	var refused *pgconn.PgError
	if picked, err := race(group()); picked != 1 || !errors.As(err, &refused) || refused.Code != "23505" {
		t.Errorf("%d are picked, and the second got %v", picked, err)
	}
	if _, err := pool.Exec(t.Context(), "DROP INDEX app.addresses_default"); err != nil {
		t.Fatal(err)
	}
	if picked, err := race(group()); picked != 2 || err != nil {
		t.Errorf("without the index %d are picked (%v): this test shows nothing", picked, err)
	}
}
