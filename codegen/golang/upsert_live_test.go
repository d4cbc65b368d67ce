package golang_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/upsert/store"
)

// upsertCase is the golden folder whose package these tests run as it stands.
const upsertCase = cases + "/upsert"

var execModes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// poolIn connects in an exec mode, with one connection so that a statement is
// prepared once, and with the settings given.
func poolIn(t *testing.T, url string, mode pgx.QueryExecMode, settings map[string]string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.DefaultQueryExecMode = mode
	config.MaxConns = 1
	for name, value := range settings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func amount(text string) pgtype.Numeric {
	var n pgtype.Numeric
	if err := n.Scan(text); err != nil {
		panic(err)
	}
	return n
}

// Each upsert gives its outcome and the row, in every exec mode, more often than
// PostgreSQL needs to make a generic plan of it, and with one from the start: a
// parameter in an arbiter's predicate would fail with 42P10 there.
func TestUpserts(t *testing.T) {
	url := database(t, compile(t, upsertCase))
	for _, mode := range execModes {
		for _, plans := range []string{"auto", "force_generic_plan"} {
			t.Run(fmt.Sprintf("%s, %s", mode, plans), func(t *testing.T) {
				db := store.New(poolIn(t, url, mode, map[string]string{"plan_cache_mode": plans}))
				for i := range 8 {
					upsertEach(t, db, fmt.Sprintf("%s %s %d", mode, plans, i))
				}
			})
		}
	}
}

// upsertEach takes the upserts of the case through all of their outcomes, on rows
// that bear a name of their own.
func upsertEach(t *testing.T, db *store.Store, name string) {
	t.Helper()
	ctx := t.Context()
	put := func(in store.AccountInsert, want pawl.UpsertOutcome) store.Account {
		t.Helper()
		row, outcome, err := db.Accounts.Put(ctx, in)
		if err != nil || outcome != want {
			t.Fatalf("put: %q, %v; want %s", outcome, err, want)
		}
		return row
	}
	in := store.AccountInsert{Email: "A@" + name, Handle: "a " + name, Limit: new(amount("1.005"))}
	first := put(in, pawl.Inserted)
	if again := put(in, pawl.Unchanged); again.ID != first.ID || !again.SeenAt.Equal(first.SeenAt) {
		t.Errorf("unchanged, and returned %+v after %+v", again, first)
	}
	in.Email, in.Tags, in.Handle = "a@"+name, []string{"x", "y,z"}, "is not written"
	if changed := put(in, pawl.Updated); changed.ID != first.ID || changed.Email != in.Email || len(changed.Tags) != 2 || changed.Handle != first.Handle || changed.SeenAt.Equal(first.SeenAt) {
		t.Errorf("updated to %+v", changed)
	}

	// Another unique key of the table keeps its own error.
	_, _, err := db.Accounts.Put(ctx, store.AccountInsert{Email: "b@" + name, Handle: first.Handle})
	if !errors.Is(err, store.ErrAccountsHandle) || !errors.Is(err, pawl.ErrDuplicate) {
		t.Errorf("the other key: %v", err)
	}
	// A row that the key does not cover would come in again and again.
	if _, _, err := db.Accounts.Put(ctx, store.AccountInsert{Email: "c@" + name, Handle: "c " + name, DeletedAt: &first.SeenAt}); !errors.Is(err, pawl.ErrBadInput) {
		t.Errorf("a row outside the key: %v", err)
	}
	row, outcome, err := db.Accounts.Join(ctx, store.AccountInsert{Email: "d@" + name, Handle: first.Handle})
	if err != nil || outcome != pawl.Unchanged || row.ID != first.ID {
		t.Errorf("join: %+v, %s, %v", row, outcome, err)
	}
	applyEach(t, db, name)
	if _, err := db.Coupons.Issue(ctx, store.CouponInsert{UserID: 1, Code: name}); err != nil {
		t.Errorf("issue: %v", err)
	}
	if _, err := db.Coupons.Issue(ctx, store.CouponInsert{UserID: 1, Code: name}); !errors.Is(err, pawl.ErrDuplicate) {
		t.Errorf("issue again: %v", err)
	}
}

// applyEach gives versions out of order, under a key with NULL in it.
func applyEach(t *testing.T, db *store.Store, name string) {
	t.Helper()
	for i, step := range []struct {
		version int64
		amount  string
		want    pawl.UpsertOutcome
		stands  int64
	}{
		{3, "3.005", pawl.Inserted, 3},
		{3, "3.005", pawl.Unchanged, 3},
		{3, "9", pawl.Stale, 3},
		{2, "2", pawl.Stale, 3},
		{5, "3.01", pawl.Updated, 5},
		{4, "4", pawl.Stale, 5},
	} {
		row, outcome, err := db.Balances.Apply(t.Context(), store.BalanceInsert{Account: name, Version: step.version, Amount: amount(step.amount)})
		if err != nil || outcome != step.want || row.Version != step.stands {
			t.Fatalf("step %d: %s, version %d, %v; want %s, version %d", i, outcome, row.Version, err, step.want, step.stands)
		}
	}
}
