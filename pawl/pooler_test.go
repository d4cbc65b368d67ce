package pawl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// TestRuntimeThroughAPooler runs what sends statements in every mode that works
// through PgBouncer in transaction mode, where the next transaction may meet
// another server connection.
func TestRuntimeThroughAPooler(t *testing.T) {
	pooler := pgtest.StartPooler(t, pgtest.Server(t))
	for _, mode := range modes {
		if mode == pgx.QueryExecModeCacheStatement {
			continue
		}
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			direct := applied(t)
			exec(t, direct, `INSERT INTO app.rooms (name) VALUES ('blue')`)
			pool := connect(t, pooler.URL(direct.Config().ConnConfig.Database), inMode(mode))
			s := session(pool, pawl.WithTransactionPooler(), pawl.WithResolveCommit(nil))
			backends := openServers(t, pool)
			if len(backends) < 2 {
				t.Fatalf("the pooler shares %d server connections, which proves nothing", len(backends))
			}
			for range 7 {
				testStatements(t, s)
				testQueue(t, s, newQueue(time.Minute, same))
				exec(t, direct, `DELETE FROM app.tasks`)
			}
			testGuarded(t, s)
			must(t, pawl.Check(t.Context(), s, "seats", promises))
			want(t, "overlap", overlaps(t, s, &relay), false)
			for backend, timeout := range openServers(t, pool) {
				want(t, "lock_timeout left behind on server connection "+itoa(backend), timeout, "0")
			}
		})
	}
}

// openServers has the pooler open all its connections, and returns the
// lock_timeout of each.
func openServers(t *testing.T, pool *pgxpool.Pool) map[int]string {
	t.Helper()
	found := map[int]string{}
	for range pgtest.PoolerServers {
		tx, err := pool.Begin(t.Context())
		must(t, err)
		defer func() { must(t, tx.Rollback(t.Context())) }()
		var pid int
		var timeout string
		must(t, tx.QueryRow(t.Context(), `SELECT pg_backend_pid(), current_setting('lock_timeout')`).Scan(&pid, &timeout))
		found[pid] = timeout
	}
	return found
}

func TestPreparingModeIsRefusedBehindAPooler(t *testing.T) {
	url := database(t)
	tx, err := connect(t, url).Begin(t.Context())
	must(t, err)
	defer func() { must(t, tx.Rollback(t.Context())) }()
	for name, c := range map[string]struct {
		db      pawl.DB
		options []pawl.Option
		refused bool
	}{
		"a pool":                        {connect(t, url), []pawl.Option{pawl.WithTransactionPooler()}, true},
		"a transaction":                 {tx, []pawl.Option{pawl.WithTransactionPooler()}, true},
		"what wraps a pool":             {&beginFails{Pool: connect(t, url)}, []pawl.Option{pawl.WithTransactionPooler()}, true},
		"a pooler that prepares":        {connect(t, url), []pawl.Option{pawl.WithPreparedStatements(), pawl.WithTransactionPooler()}, false},
		"a mode that prepares nothing":  {connect(t, url, inMode(pgx.QueryExecModeCacheDescribe)), []pawl.Option{pawl.WithTransactionPooler()}, false},
		"connections of the pool's own": {connect(t, url), nil, false},
	} {
		func() {
			defer func() {
				refusal := recover()
				e, ok := refusal.(*pawl.PoolerError)
				if ok != c.refused {
					t.Errorf("%s: refused with %v", name, refusal)
				}
				if ok && !strings.Contains(e.Error(), "default_query_exec_mode=cache_describe") {
					t.Errorf("%s: the text %q does not say what to do", name, e)
				}
			}()
			session(c.db, c.options...)
		}()
	}
}
