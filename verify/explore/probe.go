package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// probeSQL asks whom backends wait for. A wait for a safe snapshot is none for a
// lock, but ends like one when others end their transactions.
const probeSQL = `SELECT pid, pg_blocking_pids(pid) || pg_safe_snapshot_blocking_pids(pid)
FROM unnest($1::int[]) AS pid`

// probe returns whom each of the backends waits for, by pid.
func probe(ctx context.Context, control *pgx.Conn, pids []int32) (map[int32][]int32, error) {
	found, err := control.Query(ctx, probeSQL, pids)
	if err != nil {
		return nil, fmt.Errorf("ask who waits for whom: %w", err)
	}
	blockers := make(map[int32][]int32, len(pids))
	var pid int32
	var by []int32
	_, err = pgx.ForEachRow(found, []any{&pid, &by}, func() error {
		blockers[pid] = slices.Clone(by)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ask who waits for whom: %w", err)
	}
	return blockers, nil
}
