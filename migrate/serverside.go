package migrate

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The SQLSTATEs that planning and applying tell apart.
const (
	lockNotAvailable = "55P03"
	deadlockDetected = "40P01"
	queryCanceled    = "57014"
	mayNot           = "42501"
)

// unavailable reports whether the server was willing to answer a question about
// rows and could not: it took too long, a lock was in the way, or the role may
// not read the table.
func unavailable(err error) bool {
	state := sqlState(err)
	return state == queryCanceled || state == lockNotAvailable || state == mayNot
}

// sqlState is the code of a server's answer; empty when err is no answer of one.
func sqlState(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}

// probeLimit is how long a question about rows may take: somebody waits for a
// plan.
const probeLimit = "5s"

// limited runs read-only work for a few seconds at most. The surrounding
// transaction goes on whatever becomes of it.
func limited(ctx context.Context, tx pgx.Tx, fn func(pgx.Tx) error) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = inner.Exec(ctx, "SET LOCAL statement_timeout = '"+probeLimit+"'")
	if err == nil {
		err = fn(inner)
	}
	// Rolling back also takes the timeout away again.
	return errors.Join(err, inner.Rollback(ctx))
}
