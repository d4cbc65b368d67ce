package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/explore"
)

// emptied begins every fixture. Ids that a schedule gives out are the same in
// each. Triggers do not look: a rule would keep the last shift.
const emptied = "SET session_replication_role = replica;" + `
	DELETE FROM app.bookings; DELETE FROM app.seats; DELETE FROM app.shifts; DELETE FROM app.teams;
	DELETE FROM app.rooms; DELETE FROM app.customers; DELETE FROM app.counters; DELETE FROM app.tasks;
	SELECT setval(pg_get_serial_sequence('app.' || t, 'id'), 1000, false)
		FROM unnest('{bookings,seats,shifts,teams,rooms,customers,tasks}'::text[]) AS t;
	RESET session_replication_role;
	`

const (
	aRoom     = "INSERT INTO app.rooms (id, name, price) OVERRIDING SYSTEM VALUE VALUES (1, 'blue', 10), (2, 'red', 10);"
	customers = "INSERT INTO app.customers (id, email) OVERRIDING SYSTEM VALUE VALUES (1, 'ada@example.com'), (2, 'grace@example.com');"
	aBooking  = aRoom + customers + `INSERT INTO app.bookings (id, room_id, customer_id, during) OVERRIDING SYSTEM VALUE
		VALUES (1, 1, 1, tstzrange(now(), now() + interval '1 day'));`
	aSeat    = customers + "INSERT INTO app.seats (id, label) OVERRIDING SYSTEM VALUE VALUES (1, '7C');"
	twoTasks = `INSERT INTO app.tasks (id, kind, body) OVERRIDING SYSTEM VALUE VALUES (1, 'mail', '{}'), (2, 'mail', '{}');`
	aTask    = `INSERT INTO app.tasks (id, kind, body) OVERRIDING SYSTEM VALUE VALUES (1, 'mail', '{}');`
	// aClaim is a task that a worker holds with fence 1, for an hour or since an hour
	// ago.
	aClaim = `INSERT INTO app.tasks (id, kind, body, state, attempt, fence, lease_until) OVERRIDING SYSTEM VALUE
		VALUES (1, 'mail', '{}', 'running', 1, 1, now() + interval '1 hour');`
	aLostClaim = aClaim + "UPDATE app.tasks SET lease_until = now() - interval '1 hour';"
)

// heldClaim is what the worker of aClaim has in hand.
var heldClaim = store.TaskClaim{Claim: pawl.Claim{ID: 1, Fence: 1, Attempt: 1}}

// twice is one call by two clients.
func twice(run func(ctx context.Context, db *store.Store) (any, error)) []call {
	return []call{{"first", run}, {"second", run}}
}

// exploredRaces are the races of examples/seats.
func exploredRaces() []explored {
	from := time.Date(2040, 1, 1, 12, 0, 0, 0, time.UTC)
	book := func(room, customer int64, hours int) func(context.Context, *store.Store) (any, error) {
		return func(ctx context.Context, db *store.Store) (any, error) {
			begins := from.Add(time.Duration(hours) * time.Hour)
			_, err := db.Bookings.Insert(ctx, store.BookingInsert{RoomID: room, CustomerID: customer, During: store.Between(begins, begins.Add(2*time.Hour))})
			return nil, err
		}
	}
	return []explored{
		{
			name: "two bookings that overlap", fixture: aRoom + customers, gates: []string{"app.bookings"},
			calls:   []call{{"ada", book(1, 1, 0)}, {"grace", book(1, 2, 1)}},
			allowed: []error{store.ErrBookingsOnePerRoom}, exclusive: true,
			broken: `SELECT count(*) FROM app.bookings a JOIN app.bookings b ON a.id < b.id AND a.room_id = b.room_id AND a.during && b.during
				WHERE a.status <> 'cancelled' AND b.status <> 'cancelled'`,
			endQuery: "SELECT count(*) FROM app.bookings", end: oneEach,
			without: []sabotage{{name: "the exclusion constraint", ddl: "ALTER TABLE app.bookings DROP CONSTRAINT bookings_one_per_room", mend: `ALTER TABLE app.bookings
				ADD CONSTRAINT bookings_one_per_room EXCLUDE USING gist (room_id WITH =, during WITH &&) WHERE (status <> 'cancelled')`}},
		},
		{
			name: "a booking, and the delete of its customer", fixture: aRoom + customers, gates: []string{"app.bookings", "app.customers"},
			calls: []call{{"book", book(1, 1, 0)}, {"delete", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Customers.Delete(ctx, 1)
			}}},
			allowed: []error{store.ErrBookingsCustomer}, exclusive: true,
			broken: "SELECT count(*) FROM app.bookings b WHERE NOT EXISTS (SELECT FROM app.customers c WHERE c.id = b.customer_id)",
			without: []sabotage{{name: "the foreign key", ddl: "ALTER TABLE app.bookings DROP CONSTRAINT bookings_customer", mend: `ALTER TABLE app.bookings
				ADD CONSTRAINT bookings_customer FOREIGN KEY (customer_id) REFERENCES app.customers (id) ON DELETE RESTRICT`}},
		},
		{
			name: "two rooms of one name", gates: []string{"app.rooms"}, classify: "insert",
			calls: twice(func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Rooms.Insert(ctx, store.RoomInsert{Name: "blue"})
				return nil, err
			}),
			allowed: []error{store.ErrRoomsName}, exclusive: true,
			broken:   "SELECT count(*) FROM (SELECT FROM app.rooms GROUP BY name HAVING count(*) > 1) r",
			endQuery: "SELECT count(*) FROM app.rooms", end: oneEach,
			without: []sabotage{{name: "the unique constraint", ddl: "ALTER TABLE app.rooms DROP CONSTRAINT rooms_name", mend: "ALTER TABLE app.rooms ADD CONSTRAINT rooms_name UNIQUE (name)"}},
		},
		{
			name: "two live accounts of one address", gates: []string{"app.customers"},
			fixture: "INSERT INTO app.customers (id, email, deleted_at) OVERRIDING SYSTEM VALUE VALUES (1, 'ada@example.com', now());",
			calls: []call{{"small", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "ada@example.com"})
				return nil, err
			}}, {"CAPITALS", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "ADA@example.com"})
				return nil, err
			}}},
			allowed: []error{store.ErrCustomersOneLiveAccount}, exclusive: true,
			broken:   "SELECT count(*) FROM (SELECT FROM app.customers WHERE deleted_at IS NULL GROUP BY lower(email) HAVING count(*) > 1) c",
			endQuery: "SELECT count(*) FROM app.customers WHERE deleted_at IS NULL", end: oneEach,
			without: []sabotage{{
				name: "the unique index", ddl: "DROP INDEX app.customers_one_live_account",
				mend: "CREATE UNIQUE INDEX customers_one_live_account ON app.customers (lower(email)) WHERE deleted_at IS NULL",
			}},
		},
		{
			name: "one seat, booked by two", fixture: aSeat, gates: []string{"app.seats"},
			calls: []call{{"ada", bookSeat(1)}, {"grace", bookSeat(2)}}, allowed: []error{pawl.ErrState}, exclusive: true,
			endQuery: "SELECT customer_id FROM app.seats",
			end: func(answers []explore.End, customer int64) error {
				if answers[customer-1].Err != nil {
					return fmt.Errorf("the seat belongs to %d, who was told: %w", customer, answers[customer-1].Err)
				}
				return oneEach(answers, 1)
			},
			without: []sabotage{{name: "the state in the WHERE", cuts: []cut{
				{in: "table.seats.transitions.status.book", old: "AND status = 'free'", new: ""},
			}}},
		},
		{
			name: "a booked seat, released and booked", gates: []string{"app.seats"},
			fixture: aSeat + "UPDATE app.seats SET status = 'booked', customer_id = 1;",
			calls: []call{{"release", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Seats.Release(ctx, 1)
				return nil, err
			}}, {"book", bookSeat(2)}},
			allowed:  []error{pawl.ErrState},
			endQuery: "SELECT coalesce(customer_id, 0) FROM app.seats",
			end: func(answers []explore.End, customer int64) error {
				booked, free := answers[1].Err == nil && customer == 2, answers[1].Err != nil && customer == 0
				if answers[0].Err != nil || !booked && !free {
					return fmt.Errorf("release: %w, book: %w, and the seat belongs to %d", answers[0].Err, answers[1].Err, customer)
				}
				return nil
			},
			without: []sabotage{{name: "the state in the WHERE", cuts: []cut{
				{in: "table.seats.transitions.status.book", old: "AND status = 'free'", new: ""},
			}}},
		},
		{
			name: "a booking, confirmed and cancelled", fixture: aBooking, gates: []string{"app.bookings"},
			calls: []call{{"confirm", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Bookings.Confirm(ctx, 1)
				return nil, err
			}}, {"cancel", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Bookings.Cancel(ctx, 1)
				return nil, err
			}}},
			allowed:  []error{pawl.ErrState},
			endQuery: "SELECT count(*) FROM app.bookings WHERE status = 'cancelled'",
			end: func(answers []explore.End, cancelled int64) error {
				if answers[1].Err != nil || cancelled != 1 {
					return fmt.Errorf("cancel: %w, and %d bookings are cancelled", answers[1].Err, cancelled)
				}
				return nil
			},
			without: []sabotage{{
				name: "the state in the WHERE and the trigger",
				ddl:  "ALTER TABLE app.bookings DISABLE TRIGGER bookings_status_update",
				mend: "ALTER TABLE app.bookings ENABLE TRIGGER bookings_status_update",
				cuts: []cut{{in: "table.bookings.transitions.status.confirm", old: "AND status = 'held'", new: ""}},
			}},
		},
		{
			name: "the last ticket, sent twice", gates: []string{"app.counters"}, classify: "send",
			fixture: "INSERT INTO app.counters (name, remaining) VALUES ('tickets', 1);",
			calls: twice(func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Counters.Send(ctx, "tickets", 1)
				return nil, err
			}),
			allowed: []error{pawl.ErrGuard}, exclusive: true,
			broken:   "SELECT count(*) FROM app.counters WHERE remaining < 0 OR sent + remaining <> 1",
			endQuery: "SELECT sent FROM app.counters", end: oneEach,
			without: []sabotage{
				{name: "the derived guard and the check", ddl: dropCheck, mend: addCheck, cuts: []cut{sendGuard("")}},
				{name: "its own row in the guard", ddl: dropCheck, mend: addCheck, cuts: []cut{
					sendGuard("AND (SELECT c.remaining FROM app.counters AS c WHERE c.name = $1::text) - $2::bigint >= 0"),
				}},
			},
		},
		{
			name: "a room, repriced by two", fixture: aRoom,
			calls:    []call{{"by one", reprice(1)}, {"by two", reprice(2)}},
			endQuery: "SELECT price::bigint FROM app.rooms WHERE id = 1",
			end: func(_ []explore.End, price int64) error {
				if price != 13 {
					return fmt.Errorf("the price is %d: an update is lost", price)
				}
				return nil
			},
			without: []sabotage{{name: "the row lock", cuts: []cut{{in: "table.rooms.edit.reprice", old: "FOR NO KEY UPDATE", new: ""}}}},
		},
		{
			name: "one task, claimed by two", fixture: aTask, gates: []string{"app.tasks"}, calls: twice(claimOne), classify: "claim",
			neverWaits: true, end: claimedInAll(1), without: claimSabotage,
		},
		{
			name: "two tasks, claimed by two", fixture: twoTasks, gates: []string{"app.tasks"}, calls: twice(claimOne), classify: "claim",
			neverWaits: true, end: claimedInAll(2), without: claimSabotage[1:],
		},
		{
			name: "a task whose lease is over, claimed and completed", fixture: aLostClaim, gates: []string{"app.tasks"},
			calls: []call{{"claim", claimOne}, {"ghost", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Tasks.Complete(ctx, heldClaim)
			}}},
			allowed:  []error{pawl.ErrClaimLost},
			endQuery: "SELECT count(*) FROM app.tasks",
			end: func(answers []explore.End, left int64) error {
				if claimed := len(claimedBy(answers[0])); claimed != int(left) || (answers[1].Err == nil) == (claimed == 1) {
					return fmt.Errorf("%d claimed, the ghost was told %w, and %d tasks are left", claimed, answers[1].Err, left)
				}
				return nil
			},
			without: []sabotage{{name: "the fence", cuts: []cut{{in: "queue.tasks.complete", old: fenceCut, new: ""}}}},
		},
		{
			name: "a claim, completed and failed", fixture: aClaim, gates: []string{"app.tasks"},
			calls: []call{{"complete", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Tasks.Complete(ctx, heldClaim)
			}}, {"fail", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Tasks.Fail(ctx, heldClaim, errors.New("no luck"))
			}}},
			allowed: []error{pawl.ErrClaimLost}, exclusive: true,
			endQuery: "SELECT 1 - count(*) + count(*) FILTER (WHERE state = 'scheduled') FROM app.tasks", end: oneEach,
			without: []sabotage{{name: "the state in the WHERE", cuts: []cut{{in: "queue.tasks.complete", old: "WHERE t.state = 'running'", new: "WHERE true"}}}},
		},
		{
			name: "the outbox relay, run by two", calls: twice(relay()), classify: "run",
			without: []sabotage{{name: "the advisory lock", cuts: []cut{{in: "singleton.outbox_relay.run", old: "pg_advisory_xact_lock(4201, 1)", new: "1"}}}},
		},
		{
			name: "two doctors leave", fixture: night, calls: []call{{"ada", leave(1)}, {"grace", leave(2)}},
			allowed: []error{store.ErrShiftsSomeoneOnCall}, exclusive: true, broken: nobodyOnCall,
			without: []sabotage{asks, serializable},
		},
		{
			name: "two doctors leave, without a retry", fixture: night, calls: []call{{"ada", leave(1)}, {"grace", leave(2)}}, options: []pawl.Option{once()},
			allowed: []error{store.ErrShiftsSomeoneOnCall, retryError("40001")}, exclusive: true, broken: nobodyOnCall,
			without: []sabotage{asks, serializable},
		},
		{
			// The third holds the row that the two meet at: they are then inside their
			// statements, with a lock or without one.
			name: "two rooms, locked from both ends", fixture: aRoom, options: []pawl.Option{once()},
			calls: []call{{"1 and 2", lockMany(1, 2)}, {"2 and 1", lockMany(2, 1)}, {"2", lockMany(2)}},
			without: []sabotage{
				{name: "the order of the locks", cuts: []cut{
					{in: "table.rooms.get_many_for_update", old: "ORDER BY id", new: "ORDER BY array_position($1::bigint[], id)"},
				}},
				{name: "one statement for both", calls: []call{{"1, then 2", lockEach(1, 2)}, {"2, then 1", lockEach(2, 1)}}},
			},
		},
		{
			name: "two rooms, locked one by one from both ends", fixture: aRoom,
			calls:   []call{{"1, then 2", lockEach(1, 2)}, {"2, then 1", lockEach(2, 1)}},
			without: []sabotage{{name: "the retry", options: []pawl.Option{once()}}},
		},
	}
}

const (
	dropCheck = "ALTER TABLE app.counters DROP CONSTRAINT counters_remaining_not_negative"
	addCheck  = "ALTER TABLE app.counters ADD CONSTRAINT counters_remaining_not_negative CHECK (remaining >= 0)"
)

// oneEach holds when exactly one call succeeded, and with one effect.
func oneEach(answers []explore.End, effects int64) error {
	succeeded := 0
	for _, a := range answers {
		if a.Err == nil {
			succeeded++
		}
	}
	if succeeded != 1 || effects != 1 {
		return fmt.Errorf("%d calls succeeded, with %d effects", succeeded, effects)
	}
	return nil
}

func bookSeat(customer int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Seats.Book(ctx, 1, customer)
		return nil, err
	}
}

func sendGuard(instead string) cut {
	return cut{in: "table.counters.adjust.send", old: "AND ((remaining - $2::bigint) >= 0) IS NOT FALSE", new: instead}
}

func reprice(by int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Rooms.Reprice(ctx, 1, func(_ context.Context, r *store.Room) error {
			return addTo(r, by)
		})
		return nil, err
	}
}

func addTo(r *store.Room, by int64) error {
	v, err := r.Price.Int64Value()
	if err != nil {
		return err
	}
	return r.Price.Scan(fmt.Sprint(v.Int64 + by))
}

// claimOne returns the ids of the tasks that it got.
func claimOne(ctx context.Context, db *store.Store) (any, error) {
	claims, err := db.Tasks.Claim(ctx, 1)
	ids := []int64{}
	for _, c := range claims {
		ids = append(ids, c.ID)
	}
	return ids, err
}

func claimedBy(end explore.End) []int64 {
	ids, _ := end.Value.([]int64)
	return ids
}

// claimedInAll holds when the workers together hold n tasks, and none of them
// twice.
func claimedInAll(n int) func([]explore.End, int64) error {
	return func(answers []explore.End, _ int64) error {
		got := append(append([]int64{}, claimedBy(answers[0])...), claimedBy(answers[1])...)
		seen := map[int64]bool{}
		for _, id := range got {
			seen[id] = true
		}
		if len(got) != n || len(seen) != n {
			return fmt.Errorf("the workers got %v and %v", answers[0].Value, answers[1].Value)
		}
		return nil
	}
}

var claimSabotage = []sabotage{
	{name: "the row lock", cuts: []cut{{in: "queue.tasks.claim", old: "FOR UPDATE SKIP LOCKED", new: ""}}},
	{name: "skipping", cuts: []cut{{in: "queue.tasks.claim", old: "SKIP LOCKED", new: ""}}},
}

// relay runs the singleton, and fails when somebody else is inside.
func relay() func(context.Context, *store.Store) (any, error) {
	var holders atomic.Int32
	return func(ctx context.Context, db *store.Store) (any, error) {
		return nil, db.OutboxRelay.Run(ctx, func(ctx context.Context, tx *store.Store) error {
			defer holders.Add(-1)
			if holders.Add(1) > 1 {
				return errors.New("two hold the singleton")
			}
			_, err := tx.DB().Exec(ctx, "SELECT 1")
			return err
		})
	}
}

const (
	night = `INSERT INTO app.teams (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'night');
		SET session_replication_role = replica;
		INSERT INTO app.shifts (id, team_id, doctor, on_call) OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Ada', true), (2, 1, 'Grace', true);
		RESET session_replication_role;`
	nobodyOnCall = "SELECT count(*) FROM app.teams t WHERE NOT EXISTS (SELECT FROM app.shifts s WHERE s.team_id = t.id AND s.on_call)"
)

// What the rule rests on: a trigger that asks, and the level, which another trigger
// demands.
var (
	asks = sabotage{
		name: "the trigger that asks", ddl: "ALTER TABLE app.shifts DISABLE TRIGGER someone_on_call_update",
		mend: "ALTER TABLE app.shifts ENABLE TRIGGER someone_on_call_update",
	}
	serializable = sabotage{
		name: "serializable", cuts: []cut{{in: begin, old: "serializable", new: "repeatable read"}},
		ddl:  "ALTER TABLE app.shifts DISABLE TRIGGER someone_on_call_level_update, DISABLE TRIGGER someone_on_call_level_insert",
		mend: "ALTER TABLE app.shifts ENABLE TRIGGER someone_on_call_level_update, ENABLE TRIGGER someone_on_call_level_insert",
	}
)

// leave takes a doctor off call.
func leave(shift int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		return nil, db.Rules.SomeoneOnCall.GoOffCall(ctx, 1, shift)
	}
}

// retryError is the answer of a call whose attempts are used up, by the SQLSTATE
// that the last one ended with.
type retryError string

func (r retryError) Error() string { return "out of attempts: " + string(r) }

func lockMany(ids ...int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		return store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (any, error) {
			rooms, err := tx.Rooms.GetManyForUpdate(ctx, ids...)
			return len(rooms), err
		})
	}
}

// lockEach locks rooms in its own order, one by one: a deadlock, which InTx runs
// again.
func lockEach(ids ...int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		return store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (any, error) {
			for _, id := range ids {
				if _, err := tx.Rooms.GetForUpdate(ctx, id); err != nil {
					return nil, err
				}
			}
			return len(ids), nil
		})
	}
}
