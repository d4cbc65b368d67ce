package pawl

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// WithTransactionPooler says that connections go through a pooler that may give each
// transaction another server connection, such as PgBouncer with pool_mode =
// transaction. A specification says it with pooler = "transaction" in its target;
// generated code then passes this option by itself.
//
// [NewSession] panics with a *PoolerError when db keeps prepared statements, as
// pgx does unless told otherwise: they belong to one server connection, and the
// next transaction may meet another. Set default_query_exec_mode=cache_describe
// in the connection string, or see [WithPreparedStatements].
func WithTransactionPooler() Option { return func(r *root) { r.pooled = true } }

// WithPreparedStatements says that the pooler itself brings prepared statements to the
// server connection that it picks: PgBouncer 1.21 or newer with
// max_prepared_statements above zero. Every execution mode is then good behind it.
func WithPreparedStatements() Option { return func(r *root) { r.prepares = true } }

// PoolerError says that a pool keeps prepared statements although its
// connections go through a pooler that does not.
type PoolerError struct {
	Mode pgx.QueryExecMode // of the pool or connection
}

// Error says what to set instead.
func (e *PoolerError) Error() string {
	return "pawl: the execution mode " + e.Mode.String() + " keeps prepared statements, which a transaction pooler loses: " +
		"set default_query_exec_mode=cache_describe in the connection string, " +
		"or pass pawl.WithPreparedStatements() where the pooler keeps them (PgBouncer 1.21 with max_prepared_statements)"
}

// checkMode looks at how db runs statements.
func (r *root) checkMode(db DB) {
	mode, known := modeOf(db)
	if !known {
		return
	}
	if r.pooled && !r.prepares && mode == pgx.QueryExecModeCacheStatement {
		panic(&PoolerError{Mode: mode})
	}
	r.describes = mode == pgx.QueryExecModeDescribeExec
}

// modeOf returns the execution mode of db; not known for a wrapper that shows
// neither a configuration nor a connection.
func modeOf(db DB) (mode pgx.QueryExecMode, known bool) {
	if pool, ok := db.(interface{ Config() *pgxpool.Config }); ok {
		return pool.Config().ConnConfig.DefaultQueryExecMode, true
	}
	if conn, ok := connOf(db); ok {
		return conn.Config().DefaultQueryExecMode, true
	}
	return 0, false
}
