package pawl_test

import (
	"strings"
	"time"

	"github.com/pawldb/pawl/pawl"
)

// The queue of these tests, in the form that the compiler gives one: a partial
// index of ready rows in claim order and one of leases, and a claim of two arms.
const queueSchemaSQL = `
CREATE TABLE app.tasks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  state text NOT NULL DEFAULT 'ready',
  run_at timestamptz NOT NULL DEFAULT now(),
  attempt integer NOT NULL DEFAULT 0,
  fence bigint NOT NULL DEFAULT 0,
  lease_until timestamptz,
  error text
);
CREATE INDEX tasks_ready ON app.tasks (run_at, id) WHERE state = 'ready';
CREATE INDEX tasks_leased ON app.tasks (lease_until) WHERE state = 'running';
CREATE INDEX tasks_scheduled ON app.tasks (run_at) WHERE state = 'scheduled';
CREATE SEQUENCE app.tasks_fence;
-- What workers did, for the tests to count.
CREATE TABLE app.effects (task bigint NOT NULL, worker text NOT NULL);
`

type task struct {
	pawl.Claim
	Kind string
}

func (t *task) dest() []any        { return []any{&t.Kind, &t.ID, &t.Fence, &t.Attempt, &t.LeaseUntil} }
func (t *task) claim() *pawl.Claim { return &t.Claim }

// fenceGuard is the predicate that refuses what a lost claim still sends. A test
// takes it out and must see the violation.
const fenceGuard = " AND t.fence = f.fence"

var enqueueTask = pawl.Operation{
	Name: "queue.tasks.enqueue", Table: "app.tasks",
	SQL: `/* queue.tasks.enqueue */ INSERT INTO app.tasks (kind) VALUES ($1::text) RETURNING id`,
}

// newQueue is the queue with a lease; change is applied to every statement.
func newQueue(lease time.Duration, change func(string) string) *pawl.Queue[task] {
	op := func(name, sql string) pawl.Operation {
		return pawl.Operation{Name: "queue.tasks." + name, Table: "app.tasks", SQL: "/* queue.tasks." + name + " */ " + change(sql)}
	}
	q := &pawl.Queue[task]{
		Name: "queue.tasks", Lease: lease, Dest: (*task).dest, Claim: (*task).claim,
		ClaimOp: op("claim", `WITH expired AS MATERIALIZED (
  SELECT id, run_at FROM app.tasks WHERE state = 'running' AND lease_until < clock_timestamp()
  ORDER BY lease_until LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), ready AS MATERIALIZED (
  SELECT id, run_at FROM app.tasks WHERE state = 'ready'
  ORDER BY run_at, id LIMIT greatest($1::bigint - (SELECT count(*) FROM expired), 0) FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE app.tasks t SET state = 'running', attempt = t.attempt + 1, fence = nextval('app.tasks_fence'),
    lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond'
  FROM (SELECT * FROM expired UNION ALL SELECT * FROM ready) picked WHERE t.id = picked.id
  RETURNING t.kind, t.id, t.fence, t.attempt, t.lease_until, t.run_at
)
SELECT kind, id, fence, attempt, lease_until FROM claimed ORDER BY run_at, id`),
		CompleteOp: op("complete", `UPDATE app.tasks t SET state = 'done', lease_until = NULL
FROM unnest($1::bigint[], $2::bigint[]) f(id, fence) WHERE t.id = f.id AND t.state = 'running'`+fenceGuard+` RETURNING t.id`),
		FailOp: op("fail", `UPDATE app.tasks t SET state = 'scheduled', lease_until = NULL, error = $3::text,
  run_at = clock_timestamp() + $4::double precision * interval '20 milliseconds'
FROM (SELECT $2::bigint AS fence) f WHERE t.id = $1::bigint AND t.state = 'running'`+fenceGuard+` RETURNING t.id`),
		HeartbeatOp: op("heartbeat", `UPDATE app.tasks t SET lease_until = clock_timestamp() + $3::bigint * interval '1 microsecond'
FROM unnest($1::bigint[], $2::bigint[]) f(id, fence) WHERE t.id = f.id AND t.state = 'running'`+fenceGuard+` RETURNING t.id`),
		ReleaseOp: op("release", `UPDATE app.tasks t SET state = 'ready', lease_until = NULL, attempt = t.attempt - 1
FROM (SELECT $2::bigint AS fence) f WHERE t.id = $1::bigint AND t.state = 'running'`+fenceGuard+` RETURNING t.id`),
	}
	q.ClaimOp.Prelude = []pawl.Statement{{
		SQL:  `/* queue.tasks.claim */ UPDATE app.tasks SET state = 'ready' WHERE state = 'scheduled' AND run_at <= clock_timestamp()`,
		Args: []int{},
	}}
	return q
}

func same(sql string) string { return sql }

// unfenced takes the fence out of a statement.
func unfenced(sql string) string { return strings.Replace(sql, fenceGuard, "", 1) }
