package main

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/internal/faultproxy"
)

// TestLostCommitIsNeverRunAgain cuts the connection at the COMMIT of generated
// calls: before the server sees it, and after it has done it. The caller is told
// that the outcome is not known, and nothing is sent a second time.
func TestLostCommitIsNeverRunAgain(t *testing.T) {
	const send = "table.counters.adjust.send"
	calls := []struct {
		name   string
		commit faultproxy.Matcher
		call   func(ctx context.Context, db *store.Store) error
	}{
		// A warm one-statement call: its Sync is its COMMIT.
		{"one statement", faultproxy.Runs(send), func(ctx context.Context, db *store.Store) error {
			_, err := db.Counters.Send(ctx, "tickets", 1)
			return err
		}},
		{"transaction", faultproxy.Commit, func(ctx context.Context, db *store.Store) error {
			_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (store.Counter, error) {
				return tx.Counters.Send(ctx, "tickets", 1)
			})
			return err
		}},
	}
	faults := []struct {
		name   string
		action faultproxy.Action
		sent   int64 // how often the call took effect
	}{
		{"cut before the server sees it", faultproxy.Cut, 0},
		{"reply swallowed after the server did it", faultproxy.SwallowReply, 1},
	}
	for _, c := range calls {
		for _, f := range faults {
			t.Run(c.name+"/"+f.name, func(t *testing.T) {
				direct := newPool(t, nil)
				proxy, through := behindProxy(t, direct)
				db := store.New(through)
				ctx := t.Context()
				if _, err := db.Counters.Insert(ctx, store.CounterInsert{Name: "tickets", Remaining: 100}); err != nil {
					t.Fatal(err)
				}
				for range 3 { // until the statement is prepared and a call is one round trip
					if err := c.call(ctx, db); err != nil {
						t.Fatal(err)
					}
				}
				before := sentTickets(t, direct)

				proxy.SetRules(faultproxy.Once(c.commit, f.action))
				err := c.call(ctx, db)
				var unknown *pawl.CommitUnknownError
				if !errors.As(err, &unknown) || pgconn.SafeToRetry(err) {
					t.Errorf("a lost commit gave: %v", err)
				}
				if got := sentTickets(t, direct) - before; got != f.sent {
					t.Errorf("the call took effect %d times, want %d", got, f.sent)
				}
			})
		}
	}
}

// behindProxy opens a pool of one connection that reaches direct's database
// through a proxy.
func behindProxy(t *testing.T, direct *pgxpool.Pool) (*faultproxy.Proxy, *pgxpool.Pool) {
	t.Helper()
	config := direct.Config().ConnConfig
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	proxy, err := faultproxy.Start(func() (net.Conn, error) { return net.Dial(network, address) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	through, err := pgxpool.ParseConfig(proxy.URL(config.User, config.Database))
	if err != nil {
		t.Fatal(err)
	}
	through.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), through)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return proxy, pool
}

func sentTickets(t *testing.T, db *pgxpool.Pool) int64 {
	t.Helper()
	var n int64
	err := db.QueryRow(t.Context(), "SELECT sent FROM app.counters WHERE name = 'tickets'").Scan(&n)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
	return n
}
