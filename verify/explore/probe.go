package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// probeSQL asks whom backends wait for, and for which lock. A wait for a safe
// snapshot is none for a lock, but ends like one when others end their
// transactions. Locks are spelled as the server's own messages do; of kinds that
// are not listed here the text is empty.
const probeSQL = `SELECT backend, pg_blocking_pids(backend), pg_safe_snapshot_blocking_pids(backend),
	coalesce(mode || ' on ' || CASE locktype
		WHEN 'relation' THEN format('relation %s of database %s', relation, database)
		WHEN 'tuple' THEN format('tuple (%s,%s) of relation %s of database %s', page, tuple, relation, database)
		WHEN 'transactionid' THEN format('transaction %s', transactionid)
		WHEN 'virtualxid' THEN format('virtual transaction %s', virtualxid)
		WHEN 'object' THEN format('object %s of class %s of database %s', objid, classid, database)
		WHEN 'advisory' THEN format('advisory lock [%s,%s,%s,%s]', database, classid, objid, objsubid)
	END, ''),
	coalesce(CASE WHEN locktype = 'advisory' AND objsubid = 2 AND objid::int8 = backend
		AND classid::int8 BETWEEN $2::int AND $3::int THEN classid::int8::int END, 0)
FROM unnest($1::int[]) AS backend LEFT JOIN pg_locks ON pid = backend AND NOT granted`

// wait is what the server says about a backend.
type wait struct {
	lock     string  // what it waits for
	gate     gateKey // the gate at which it stands; 0 for none
	by       []int32 // the pids of those who hold it
	snapshot []int32 // the pids of those whose end makes a snapshot safe
}

// probe returns how each of the backends waits, by pid.
func probe(ctx context.Context, control *pgx.Conn, pids []int32) (map[int32]wait, error) {
	found, err := control.Query(ctx, probeSQL, pids, firstGate, lastGate)
	if err != nil {
		return nil, fmt.Errorf("ask who waits for whom: %w", err)
	}
	waits := make(map[int32]wait, len(pids))
	var pid int32
	var w wait
	_, err = pgx.ForEachRow(found, []any{&pid, &w.by, &w.snapshot, &w.lock, &w.gate}, func() error {
		w.by, w.snapshot = slices.Clone(w.by), slices.Clone(w.snapshot)
		waits[pid] = w
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ask who waits for whom: %w", err)
	}
	return waits, nil
}
