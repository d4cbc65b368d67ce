package golang_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
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

// upsertDatabase is a database with the case. PostgreSQL 14 knows no unique key in
// which NULL is a value: there the key of balances is an ordinary one, and the
// currency is given that elsewhere is left out.
func upsertDatabase(t *testing.T) (url string, currency *string) {
	t.Helper()
	program := compile(t, upsertCase)
	if serverMajor(t) < program.Postgres {
		currency = new("EUR")
		for i := range program.Schema.Tables {
			for k := range program.Schema.Tables[i].Uniques {
				program.Schema.Tables[i].Uniques[k].NullsNotDistinct = false
			}
		}
	}
	return database(t, program), currency
}

func serverMajor(t *testing.T) (major int) {
	t.Helper()
	pool := poolIn(t, pgtest.URL(t), pgx.QueryExecModeExec, nil)
	if err := pool.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::integer / 10000").Scan(&major); err != nil {
		t.Fatal(err)
	}
	return major
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
	url, currency := upsertDatabase(t)
	for _, mode := range execModes {
		for _, plans := range []string{"auto", "force_generic_plan"} {
			t.Run(fmt.Sprintf("%s, %s", mode, plans), func(t *testing.T) {
				db := store.New(poolIn(t, url, mode, map[string]string{"plan_cache_mode": plans}))
				for i := range 8 {
					upsertEach(t, db, currency, fmt.Sprintf("%s %s %d", mode, plans, i))
					upsertMany(t, db, currency, fmt.Sprintf("%s %s %d", mode, plans, i))
				}
			})
		}
	}
}

// upsertEach takes the upserts of the case through all of their outcomes, on rows
// that bear a name of their own.
func upsertEach(t *testing.T, db *store.Store, currency *string, name string) {
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
	applyEach(t, db, currency, name)
	if _, err := db.Coupons.Issue(ctx, store.CouponInsert{UserID: 1, Code: name}); err != nil {
		t.Errorf("issue: %v", err)
	}
	if _, err := db.Coupons.Issue(ctx, store.CouponInsert{UserID: 1, Code: name}); !errors.Is(err, pawl.ErrDuplicate) {
		t.Errorf("issue again: %v", err)
	}
}

// applyEach gives versions out of order, under a key with NULL in it.
func applyEach(t *testing.T, db *store.Store, currency *string, name string) {
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
		row, outcome, err := db.Balances.Apply(t.Context(), store.BalanceInsert{Account: name, Currency: currency, Version: step.version, Amount: amount(step.amount)})
		if err != nil || outcome != step.want || row.Version != step.stands {
			t.Fatalf("step %d: %s, version %d, %v; want %s, version %d", i, outcome, row.Version, err, step.want, step.stands)
		}
	}
}

// upsertMany gives batches: keys that come twice, rows that are there, and rows
// that are not to be written.
func upsertMany(t *testing.T, db *store.Store, currency *string, name string) {
	t.Helper()
	ctx := t.Context()
	account := func(email, handle string, tags ...string) store.AccountInsert {
		return store.AccountInsert{Email: email + "@many " + name, Handle: handle + " many " + name, Tags: tags}
	}
	put := func(want []pawl.UpsertOutcome, in ...store.AccountInsert) []pawl.Upserted[store.Account] {
		t.Helper()
		done, err := db.Accounts.PutMany(ctx, in)
		if err != nil || len(done) != len(want) {
			t.Fatalf("put many: %v, %v", done, err)
		}
		for i := range want {
			if done[i].Outcome != want[i] {
				t.Errorf("row %d: %s, want %s", i, done[i].Outcome, want[i])
			}
		}
		return done
	}
	first := put([]pawl.UpsertOutcome{pawl.Inserted, pawl.Unchanged, pawl.Inserted},
		account("b", "b"), account("A", "lost", "early"), account("a", "a", "la,te", ""))
	if first[1].Row.ID != first[2].Row.ID || first[2].Row.Email != "a@many "+name || len(first[2].Row.Tags) != 2 || first[2].Row.Tags[0] != "la,te" {
		t.Errorf("the last of two rows was not the one that is stored: %+v", first)
	}
	second := put([]pawl.UpsertOutcome{pawl.Updated, pawl.Inserted, pawl.Unchanged},
		account("a", "a", "new"), account("c", "c"), account("b", "b"))
	if second[2].Row.ID != first[0].Row.ID || !second[2].Row.SeenAt.Equal(first[0].Row.SeenAt) || second[0].Row.ID != first[2].Row.ID || second[0].Row.Tags[0] != "new" {
		t.Errorf("the rows are not in the order of the input: %+v", second)
	}
	seen := account("b", "b")
	seen.SeenAt = new(second[0].Row.SeenAt.Add(1e9))
	put([]pawl.UpsertOutcome{pawl.Updated, pawl.Unchanged}, seen, account("c", "c"))
	if _, err := db.Accounts.PutMany(ctx, []store.AccountInsert{account("e", "e"), account("f", "a")}); !errors.Is(err, store.ErrAccountsHandle) {
		t.Errorf("the other key: %v", err)
	}
	outside := account("d", "d")
	outside.DeletedAt = &first[0].Row.SeenAt
	if _, err := db.Accounts.PutMany(ctx, []store.AccountInsert{account("e", "e"), outside}); !errors.Is(err, pawl.ErrBadInput) {
		t.Errorf("a row outside the key: %v", err)
	}
	if _, err := db.Accounts.GetByEmail(ctx, "e@many "+name); !errors.Is(err, pawl.ErrNotFound) {
		t.Errorf("a part of a refused batch is stored: %v", err)
	}
	joined, err := db.Accounts.JoinMany(ctx, []store.AccountInsert{account("x", "a"), account("y", "y"), account("z", "y")})
	if err != nil || joined[0].Outcome != pawl.Unchanged || joined[0].Row.ID != first[2].Row.ID || joined[1].Outcome != pawl.Unchanged || joined[2].Outcome != pawl.Inserted {
		t.Errorf("join many: %+v, %v", joined, err)
	}

	balance := func(version int64, sum string) store.BalanceInsert {
		return store.BalanceInsert{Account: "many " + name, Currency: currency, Version: version, Amount: amount(sum)}
	}
	for _, batch := range []struct {
		in   []store.BalanceInsert
		want []pawl.UpsertOutcome
	}{
		// Of two rows with one key the newer one is written, wherever it stands.
		{[]store.BalanceInsert{balance(5, "5.005"), balance(3, "3"), balance(5, "5.01")}, []pawl.UpsertOutcome{pawl.Unchanged, pawl.Stale, pawl.Inserted}},
		{[]store.BalanceInsert{balance(4, "4"), balance(5, "5.01"), balance(5, "1")}, []pawl.UpsertOutcome{pawl.Stale, pawl.Unchanged, pawl.Stale}},
		{[]store.BalanceInsert{balance(7, "7"), balance(6, "6")}, []pawl.UpsertOutcome{pawl.Updated, pawl.Stale}},
	} {
		done, err := db.Balances.ApplyMany(ctx, batch.in)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range batch.want {
			if done[i].Outcome != want {
				t.Errorf("versions %v, row %d: %s, want %s", batch.in, i, done[i].Outcome, want)
			}
		}
	}
	message := store.EventInsert{Source: "s", Message: name, Body: []byte(`{"a": [1, "x"]}`)}
	taken, err := db.Events.TakeMany(ctx, []store.EventInsert{message, message})
	if err != nil || taken[0].Outcome != pawl.Inserted || taken[1].Outcome != pawl.Unchanged {
		t.Errorf("take many: %+v, %v", taken, err)
	}
}

// Batches with the same keys in opposite orders wait for each other. Without the
// ORDER BY in front of ON CONFLICT each would hold what the other one waits for.
func TestUpsertBatchesNeverDeadlock(t *testing.T) {
	url, currency := upsertDatabase(t)
	const rows = 300
	batch := func(version int64, backwards bool) []store.BalanceInsert {
		in := make([]store.BalanceInsert, rows)
		for i := range in {
			n := i
			if backwards {
				n = rows - 1 - i
			}
			in[i] = store.BalanceInsert{Account: fmt.Sprintf("%04d", n), Currency: currency, Version: version, Amount: amount("1")}
		}
		return in
	}
	once := pawl.WithRetry(pawl.Policy{Attempts: 1})
	const clients, rounds = 4, 10
	errs := make(chan error, clients)
	for client := range clients {
		db := store.New(poolIn(t, url, pgx.QueryExecModeCacheStatement, nil), once, pawl.WithLockTimeout(pawl.NoTimeout))
		go func() {
			var err error
			for round := range rounds {
				if _, err = db.Balances.ApplyMany(t.Context(), batch(int64(round*clients+client), client%2 == 0)); err != nil {
					break
				}
			}
			errs <- err
		}()
	}
	for range clients {
		if err := <-errs; err != nil {
			t.Errorf("a batch failed: %v", err)
		}
	}
}

// Two serializable transactions that each find a row which the other one then
// changes: one of them has to be told, since no order of the two gives that. With
// ON CONFLICT DO NOTHING alone, where the key is not read first, both commit. What
// they find stands in two tables, so that their writes by themselves do not meet.
func TestUpsertInSerializable(t *testing.T) {
	url, _ := upsertDatabase(t)
	ctx := t.Context()
	event := store.EventInsert{Source: "s", Message: "m", Body: []byte("{}")}
	account := store.AccountInsert{Email: "e", Handle: "h"}
	db := store.New(poolIn(t, url, pgx.QueryExecModeCacheStatement, nil))
	if _, _, err := db.Events.Take(ctx, event); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Accounts.Join(ctx, account); err != nil {
		t.Fatal(err)
	}
	race := func(finds ...func(tx pgx.Tx) error) (failed error) {
		var txs [2]pgx.Tx
		for i, find := range finds {
			tx, err := poolIn(t, url, pgx.QueryExecModeCacheStatement, nil).BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.Serializable})
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(ctx) //nolint:errcheck // it may be over
			txs[i] = tx
			if err := find(tx); err != nil {
				t.Fatal(err)
			}
		}
		for i, sql := range []string{"UPDATE app.accounts SET tags = '{seen}'", "UPDATE app.events SET body = '{\"seen\": true}'"} {
			if failed == nil {
				_, failed = txs[i].Exec(ctx, sql)
			}
			if failed == nil {
				failed = txs[i].Commit(ctx)
			}
		}
		return failed
	}
	unchanged := func(outcome pawl.UpsertOutcome, err error) error {
		if err == nil && outcome != pawl.Unchanged {
			err = fmt.Errorf("the outcome is %s", outcome)
		}
		return err
	}
	failed := race(func(tx pgx.Tx) error {
		_, outcome, err := db.WithTx(tx).Events.Take(ctx, event)
		return unchanged(outcome, err)
	}, func(tx pgx.Tx) error {
		_, outcome, err := db.WithTx(tx).Accounts.Join(ctx, account)
		return unchanged(outcome, err)
	})
	var refused *pgconn.PgError
	if !errors.As(failed, &refused) || refused.Code != "40001" {
		t.Errorf("both committed (%v)", failed)
	}
	found := func(sql string) func(tx pgx.Tx) error {
		return func(tx pgx.Tx) error { _, err := tx.Exec(ctx, sql); return err }
	}
	failed = race(
		found("INSERT INTO app.events (source, message, body) VALUES ('s', 'm', '{}') ON CONFLICT (source, message) DO NOTHING"),
		found("INSERT INTO app.accounts (email, handle) VALUES ('e', 'h') ON CONFLICT (handle) WHERE deleted_at IS NULL DO NOTHING"))
	if failed != nil {
		t.Errorf("without a read of the key: %v; this test shows nothing", failed)
	}
}
