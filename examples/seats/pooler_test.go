package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// pooledModes are the execution modes that need no server connection of one's own.
var pooledModes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// TestThroughAPooler calls every method and puts every promise under pressure
// through PgBouncer in transaction mode, where each transaction may meet another
// server connection.
func TestThroughAPooler(t *testing.T) {
	pooler := pgtest.StartPooler(t, pgtest.Server(t))
	for _, mode := range pooledModes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel() // most of a race is waiting
			direct := newPool(t, nil)
			s := site{store.New(behind(t, pooler, direct, mode)), direct}
			met := servers(t, s.db)
			for i := range rounds {
				callEverything(t, s.db, i)
			}
			if n := len(servers(t, s.db)); n < 2 || len(met) < 2 {
				t.Errorf("the pooler used %d and then %d server connections: nothing was shared", len(met), n)
			}
			for _, p := range promises {
				s.empty(t)
				if broken := p.race(t, s); broken != 0 {
					t.Errorf("%s: broken %d times", p.name, broken)
				}
			}
		})
	}
}

// A statement prepared on one server connection is missing on the next, which is
// why the mode that keeps them is refused.
func TestPreparedStatementsDoNotPassAPooler(t *testing.T) {
	pooler, direct := pgtest.StartPooler(t, pgtest.Server(t)), newPool(t, nil)
	servers(t, store.New(behind(t, pooler, direct, pgx.QueryExecModeExec)))
	pool := behind(t, pooler, direct, pgx.QueryExecModeCacheStatement)
	refused := func(options ...pawl.Option) (refusal any) {
		defer func() { refusal = recover() }()
		store.New(pool, options...)
		return nil
	}
	if e, ok := refused(pawl.WithTransactionPooler()).(*pawl.PoolerError); !ok || e.Mode != pgx.QueryExecModeCacheStatement {
		t.Errorf("a pool that prepares statements was taken: %v", e)
	}
	if e := refused(pawl.WithTransactionPooler(), pawl.WithPreparedStatements()); e != nil {
		t.Errorf("told that the pooler prepares, New still panics: %v", e)
	}
	db := store.New(pool)
	for range 20 * pgtest.PoolerServers {
		_, err := db.Customers.Get(t.Context(), 1)
		if err != nil && strings.Contains(err.Error(), "prepared statement") {
			return
		}
	}
	t.Error("prepared statements work through this pooler: the refusal has no reason")
}

// behind opens a pool on the database of direct by way of the pooler.
func behind(t *testing.T, pooler *pgtest.Pooler, direct *pgxpool.Pool, mode pgx.QueryExecMode) *pgxpool.Pool {
	t.Helper()
	database := direct.Config().ConnConfig.Database
	if _, err := direct.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{database}.Sanitize()+" SET deadlock_timeout = '20ms'"); err != nil {
		t.Fatal(err)
	}
	config, err := pgxpool.ParseConfig(pooler.URL(database))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 20
	config.ConnConfig.DefaultQueryExecMode = mode
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// servers makes the pooler open all its server connections, and returns those
// that a client met one after the other.
func servers(t *testing.T, db *store.Store) map[int]bool {
	t.Helper()
	var nest func(ctx context.Context, depth int) error
	nest = func(ctx context.Context, depth int) error {
		_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (struct{}, error) {
			if _, err := tx.DB().Exec(ctx, "SELECT 1"); err != nil || depth == 1 {
				return struct{}{}, err
			}
			return struct{}{}, nest(ctx, depth-1)
		})
		return err
	}
	err := nest(t.Context(), pgtest.PoolerServers)
	met := map[int]bool{}
	for range 2 * pgtest.PoolerServers {
		// In a transaction, because a statement of one's own is not safe without one
		// in the mode describe_exec.
		pid, failed := store.InTx(t.Context(), db, func(ctx context.Context, tx *store.Store) (pid int, err error) {
			err = tx.DB().QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid)
			return pid, err
		})
		err = errors.Join(err, failed)
		met[pid] = true
	}
	if err != nil {
		t.Fatal(err)
	}
	return met
}
