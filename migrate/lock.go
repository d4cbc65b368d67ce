package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The advisory lock that keeps two applies in one database apart, whatever their
// projects: both may have to create the schema "pawl". The class spells "pawl".
const (
	lockClass = 0x7061776c
	lockKey   = 1
)

// lock takes the session lock, waiting for another apply for a while.
func (a *applier) lock(ctx context.Context) error {
	start := time.Now()
	told := ""
	for {
		var taken bool
		err := a.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", lockClass, lockKey).Scan(&taken)
		if err != nil {
			return fmt.Errorf("taking the lock for an apply: %w", err)
		}
		if taken {
			return nil
		}
		holder := a.holder(ctx)
		if holder != told {
			told = holder
			a.options.Observe(Event{Kind: EventWaiting, Text: holder, Total: len(a.plan.Steps)})
		}
		if waited := time.Since(start); waited >= a.options.Wait {
			return &LockedError{Holder: holder, Waited: waited}
		}
		if err := sleep(ctx, min(200*time.Millisecond, a.options.Wait)); err != nil {
			return &InterruptedError{Total: len(a.plan.Steps), err: err}
		}
	}
}

// holder says who holds the lock.
func (a *applier) holder(ctx context.Context) string {
	const unknown = "a session that is not to be seen"
	text := unknown
	err := a.conn.QueryRow(ctx, `
SELECT format('process %s, user %s, application %s, from %s, since %s', l.pid, COALESCE(s.usename::text, '?'),
              COALESCE(NULLIF(s.application_name, ''), '?'), COALESCE(s.client_addr::text, 'this machine'),
              to_char(s.backend_start, 'HH24:MI:SS'))
FROM pg_locks l LEFT JOIN pg_stat_activity s ON s.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2 AND l.objsubid = 2
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
		uint32(lockClass), uint32(lockKey)).Scan(&text)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return unknown
	}
	return text
}

func (a *applier) unlock() {
	ctx, cancel := cleanup()
	defer cancel()
	// When the connection is lost, so is the lock.
	_, _ = a.conn.Exec(ctx, "SELECT pg_advisory_unlock($1, $2)", lockClass, lockKey)
}

// sleep waits unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
