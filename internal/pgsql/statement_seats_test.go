package pgsql_test

// The statements of examples/seats as its store sends them, copied so that the
// tests of this package do not change with the example.
const (
	getMany = `/* table.bookings.get_many_for_update */ SELECT id, room_id, customer_id, during, status, created_at
FROM app.bookings
WHERE id = ANY ($1::bigint[])
ORDER BY id
FOR NO KEY UPDATE`
	confirm = `/* table.bookings.transitions.status.confirm */ UPDATE app.bookings
SET status = 'confirmed'
WHERE id = $1::bigint
  AND status = 'held'
  AND (upper(during) > now())
RETURNING id, room_id, customer_id, during, status, created_at`
	insertBooking = `/* table.bookings.insert */ INSERT INTO app.bookings (room_id, customer_id, during, status, created_at)
VALUES ($1::bigint, $2::bigint, $3::tstzrange, COALESCE($4::app.booking_status, 'held'), COALESCE($5::timestamp with time zone, now()))
RETURNING id, room_id, customer_id, during, status, created_at`
	listBookings = `/* table.bookings.list_by_customer */ SELECT id, room_id, customer_id, during, status, created_at
FROM (
  (SELECT id, room_id, customer_id, during, status, created_at
  FROM app.bookings
  WHERE customer_id = $1::bigint AND $3::bigint IS NULL
  ORDER BY created_at, id LIMIT $4::bigint)
  UNION ALL
  (SELECT id, room_id, customer_id, during, status, created_at
  FROM app.bookings
  WHERE customer_id = $1::bigint AND (created_at, id) > ($2::timestamp with time zone, $3::bigint)
  ORDER BY created_at, id LIMIT $4::bigint)
) AS page
ORDER BY created_at, id`
	send = `/* table.counters.adjust.send */ UPDATE app.counters
SET sent = sent + $2::bigint, remaining = remaining - $2::bigint
WHERE name = $1::text
  AND ((remaining - $2::bigint) >= 0) IS NOT FALSE
  AND $2::bigint > 0
RETURNING name, sent, remaining`
	sendExplain = `/* table.counters.adjust.send */ SELECT name, sent, remaining,
  CASE
    WHEN ($2::bigint > 0) IS NOT TRUE THEN 'input'
    WHEN ((remaining - $2::bigint) >= 0) IS FALSE THEN 'guard'
    ELSE 'again'
  END AS verdict,
  CASE
    WHEN ($2::bigint > 0) IS NOT TRUE THEN 'n'
    WHEN ((remaining - $2::bigint) >= 0) IS FALSE THEN 'counters_remaining_not_negative'
    ELSE ''
  END AS subject
FROM app.counters
WHERE name = $1::text`
	liveAccount = `/* table.customers.get_by_one_live_account */ SELECT id, email, deleted_at
FROM app.customers
WHERE lower(email) = lower($1::text) AND (deleted_at IS NULL)`
	repriceLock = `/* table.rooms.edit.reprice */ SELECT id, name, price
FROM app.rooms
WHERE id = $1::bigint
FOR NO KEY UPDATE`
	repriceWrite = `/* table.rooms.edit.reprice */ UPDATE app.rooms
SET price = $2::numeric
WHERE id = $1::bigint
RETURNING id, name, price`
	book = `/* table.seats.transitions.status.book */ UPDATE app.seats
SET status = 'booked', customer_id = $2::bigint
WHERE id = $1::bigint
  AND status = 'free'
RETURNING id, label, status, customer_id`
	release = `/* table.seats.transitions.status.release */ UPDATE app.seats
SET status = 'free', customer_id = NULL
WHERE id = $1::bigint
  AND status = 'booked'
RETURNING id, label, status, customer_id`
	remove = `/* table.seats.delete */ DELETE FROM app.seats
WHERE id = $1::bigint`
	relay    = `/* singleton.outbox_relay.run */ SELECT pg_advisory_xact_lock(4201, 1)`
	tryRelay = `/* singleton.outbox_relay.try_run */ SELECT pg_try_advisory_xact_lock(4201, 1) AS acquired`
	enqueue  = `/* queue.tasks.enqueue */ INSERT INTO app.tasks (kind, body)
VALUES ($1::text, $2::jsonb)
RETURNING id`
	claimDue = `/* queue.tasks.claim */ WITH due AS MATERIALIZED (
  SELECT id FROM app.tasks
  WHERE state = 'scheduled' AND run_at <= statement_timestamp()
  ORDER BY run_at, id LIMIT $1::integer FOR UPDATE SKIP LOCKED
)
UPDATE app.tasks SET state = 'ready'
WHERE id = ANY (ARRAY(SELECT id FROM due))`
	claim = `/* queue.tasks.claim */ WITH expired AS MATERIALIZED (
  SELECT id, attempt FROM app.tasks
  WHERE state = 'running' AND lease_until < statement_timestamp()
  ORDER BY lease_until, id LIMIT $1::integer FOR UPDATE SKIP LOCKED
), buried AS (
  UPDATE app.tasks SET state = 'dead', lease_until = NULL, last_error = COALESCE(last_error, 'the lease ran out')
  WHERE id = ANY (ARRAY(SELECT id FROM expired WHERE attempt >= 10))
), again AS MATERIALIZED (
  SELECT id FROM expired WHERE attempt < 10
), ready AS MATERIALIZED (
  SELECT id FROM app.tasks
  WHERE state = 'ready'
  ORDER BY id LIMIT $1::integer - (SELECT count(*) FROM again) FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE app.tasks AS t
  SET state = 'running', attempt = t.attempt + 1, fence = t.fence + 1,
    lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond'
  WHERE t.id = ANY (ARRAY(SELECT id FROM again UNION ALL SELECT id FROM ready))
  RETURNING t.kind, t.body, t.id, t.fence, t.attempt, t.lease_until
)
SELECT kind, body, id, fence, attempt, lease_until FROM claimed ORDER BY id`
	complete = `/* queue.tasks.complete */ WITH held AS MATERIALIZED (
  SELECT t.id FROM app.tasks AS t
  JOIN unnest($1::bigint[], $2::bigint[]) AS c (id, fence) ON t.id = c.id AND t.fence = c.fence
  WHERE t.state = 'running'
  ORDER BY t.id FOR UPDATE OF t
)
DELETE FROM app.tasks
WHERE id = ANY (ARRAY(SELECT id FROM held))
RETURNING id`
	fail = `/* queue.tasks.fail */ UPDATE app.tasks
SET state = CASE WHEN attempt < 10 THEN 'scheduled' ELSE 'dead' END,
  run_at = CASE WHEN attempt < 10 THEN clock_timestamp() + make_interval(secs => least(600, 1 * 2 ^ least(attempt - 1, 10))::double precision * $4::double precision) ELSE run_at END,
  lease_until = NULL, last_error = $3::text
WHERE id = $1::bigint AND fence = $2::bigint AND state = 'running'
RETURNING id`
	heartbeat = `/* queue.tasks.heartbeat */ WITH held AS MATERIALIZED (
  SELECT t.id FROM app.tasks AS t
  JOIN unnest($1::bigint[], $2::bigint[]) AS c (id, fence) ON t.id = c.id AND t.fence = c.fence
  WHERE t.state = 'running'
  ORDER BY t.id FOR UPDATE OF t
)
UPDATE app.tasks
SET lease_until = clock_timestamp() + $3::bigint * interval '1 microsecond'
WHERE id = ANY (ARRAY(SELECT id FROM held))
RETURNING id`
	giveBack = `/* queue.tasks.release */ UPDATE app.tasks
SET state = 'ready', attempt = greatest(attempt - 1, 0), lease_until = NULL
WHERE id = $1::bigint AND fence = $2::bigint AND state = 'running'
RETURNING id`
)

var seats = []string{
	getMany, confirm, insertBooking, listBookings, send, sendExplain, liveAccount, repriceLock, repriceWrite, book, release,
	remove, relay, tryRelay, enqueue, claimDue, claim, complete, fail, heartbeat, giveBack,
}
