package client_test

import (
	"context"
	"math/big"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/client"
)

const (
	tomorrow = "[2999-01-01 00:00+00,2999-01-02 00:00+00)"
	longAgo  = "[1999-01-01 00:00+00,1999-01-02 00:00+00)"
	day      = 24 * time.Hour
)

var (
	tomorrowRange = between("2999-01-01")
	longAgoRange  = between("1999-01-01")
)

func between(date string) pawl.TimeRange {
	lower, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return store.Between(lower, lower.Add(day))
}

// got makes the result of a generated method one of a step.
func got[T any](v T, err error) (any, error) { return v, err }

// only is got for a method that returns an error alone.
func only(err error) (any, error) { return nil, err }

func price(n int64) pgtype.Numeric {
	return pgtype.Numeric{Int: big.NewInt(n), Valid: true}
}

func held(id, fence int64) store.TaskClaim {
	return store.TaskClaim{Claim: pawl.Claim{ID: id, Fence: fence}}
}

// seats are calls of every operation of examples/seats, in an order that makes
// each answer possible.
var seats = []step{
	// Customers: an expression index, and rows that others refer to.
	{
		address: "table.customers.insert", args: args("email", "a@x"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Customers.Insert(ctx, store.CustomerInsert{Email: "a@x"}))
		},
	},
	{
		address: "table.customers.insert", args: args("email", "A@X"), want: client.Violation, about: "customers_one_live_account",
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Customers.Insert(ctx, store.CustomerInsert{Email: "A@X"}))
		},
	},
	{
		address: "table.customers.get", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Customers.Get(ctx, 1)) },
	},
	{
		address: "table.customers.get", args: args("id", "99"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Customers.Get(ctx, 99)) },
	},
	{
		address: "table.customers.get_by_one_live_account", args: args("email", "a@X"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Customers.GetByOneLiveAccount(ctx, "a@X"))
		},
	},
	{
		address: "table.customers.get_for_update", args: args("id", "1"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Customers.GetForUpdate(ctx, 1)) },
	},
	{
		address: "table.customers.get_many_for_update", args: args("id", "{2,1}"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Customers.GetManyForUpdate(ctx, 2, 1))
		},
	},
	// Rooms: edits.
	{
		address: "table.rooms.insert", args: args("name", "red", "price", "5"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.Insert(ctx, store.RoomInsert{Name: "red", Price: new(price(5))}))
		},
	},
	{
		address: "table.rooms.insert", args: args("name", "blue"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.Insert(ctx, store.RoomInsert{Name: "blue"}))
		},
	},
	{
		address: "table.rooms.insert", args: args("name", "red"), want: client.Violation, about: "rooms_name",
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.Insert(ctx, store.RoomInsert{Name: "red"}))
		},
	},
	{
		address: "table.rooms.insert", args: args("name", "dear", "price", "99999999999"), want: client.Refused, about: client.Input,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.Insert(ctx, store.RoomInsert{Name: "dear", Price: new(price(99999999999))}))
		},
	},
	{
		address: "table.rooms.get", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Rooms.Get(ctx, 1)) },
	},
	{
		address: "table.rooms.get_by_name", args: args("name", "green"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Rooms.GetByName(ctx, "green")) },
	},
	{
		address: "table.rooms.get_for_update", args: args("id", "99"), inTx: true, want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Rooms.GetForUpdate(ctx, 99)) },
	},
	{
		address: "table.rooms.get_many_for_update", args: args("id", "{98,99}"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.GetManyForUpdate(ctx, 98, 99))
		},
	},
	{
		address: "table.rooms.edit.reprice", args: args("id", "1"), decide: set("price", "7"), want: client.OK,
		generated: reprice(1, 7),
	},
	{
		address: "table.rooms.edit.reprice", args: args("id", "99"), decide: set("price", "7"), want: client.NotFound,
		generated: reprice(99, 7),
	},
	{
		address: "table.rooms.edit.reprice", args: args("id", "1"), decide: set("price", "-7"), want: client.Violation, about: "rooms_price_not_negative",
		generated: reprice(1, -7),
	},
	{
		address: "table.rooms.edit.reprice", args: args("id", "1"), inTx: true, decide: set("price", "8"), want: client.OK,
		generated: reprice(1, 8),
	},
	{
		address: "table.rooms.edit.rename", args: args("id", "1"), decide: set("name", "blue"), want: client.Violation, about: "rooms_name",
		generated: rename(1, "blue"),
	},
	{
		address: "table.rooms.edit.rename", args: args("id", "1"), decide: set("name", "crimson"), want: client.OK,
		generated: rename(1, "crimson"),
	},
	{
		address: "table.rooms.edit.rename", args: args("id", "1"), decide: set("name", "crimson"), want: client.OK,
		generated: rename(1, "crimson"),
	},
	{
		address: "table.rooms.delete", args: args("id", "2"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Rooms.Delete(ctx, 2)) },
	},
	{
		address: "table.rooms.delete", args: args("id", "2"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Rooms.Delete(ctx, 2)) },
	},
	// Bookings: an exclusion, transitions held by the database, a guard.
	{
		address: "table.bookings.insert", args: args("room_id", "1", "customer_id", "1", "during", tomorrow), want: client.OK,
		generated: book(1, 1, tomorrowRange, ""),
	},
	{
		address: "table.bookings.insert", args: args("room_id", "1", "customer_id", "1", "during", tomorrow), want: client.Violation, about: "bookings_one_per_room",
		generated: book(1, 1, tomorrowRange, ""),
	},
	{
		address: "table.bookings.insert", args: args("room_id", "1", "customer_id", "1", "during", "empty"), want: client.Violation, about: "bookings_one_per_room_bounds",
		generated: book(1, 1, pgtype.Range[pgtype.Timestamptz]{LowerType: pgtype.Empty, UpperType: pgtype.Empty, Valid: true}, ""),
	},
	{
		address: "table.bookings.insert", args: args("room_id", "99", "customer_id", "1", "during", tomorrow), want: client.Violation, about: "bookings_room",
		generated: book(99, 1, tomorrowRange, ""),
	},
	{
		address: "table.bookings.insert", args: args("room_id", "1", "customer_id", "99", "during", longAgo), want: client.Violation, about: "bookings_customer",
		generated: book(1, 99, longAgoRange, ""),
	},
	{
		address: "table.bookings.insert", args: args("room_id", "1", "customer_id", "1", "during", longAgo, "status", "confirmed"), want: client.Violation, about: "bookings_status",
		generated: book(1, 1, longAgoRange, store.BookingStatusConfirmed),
	},
	{
		address: "table.bookings.insert", args: args("room_id", "1", "customer_id", "1", "during", longAgo, "status", "held"), want: client.OK,
		generated: book(1, 1, longAgoRange, store.BookingStatusHeld),
	},
	{
		address: "table.bookings.get", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Get(ctx, 1)) },
	},
	{
		address: "table.bookings.get_for_update", args: args("id", "1"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.GetForUpdate(ctx, 1)) },
	},
	{
		address: "table.bookings.get_many_for_update", args: args("id", "{}"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.GetManyForUpdate(ctx)) },
	},
	{
		address: "table.bookings.list_by_customer", args: args("customer_id", "1", "limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Bookings.ListByCustomer(ctx, 1, nil, 1))
		},
	},
	{
		address: "table.bookings.list_by_customer", args: args("customer_id", "1", "created_at", "1999-01-01", "id", "1", "limit", "9"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Bookings.ListByCustomer(ctx, 1, &store.Booking{ID: 1, CreatedAt: longAgoRange.Lower.Time}, 9))
		},
	},
	{
		address: "table.bookings.list_by_customer", args: args("customer_id", "99", "limit", "9"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Bookings.ListByCustomer(ctx, 99, nil, 9))
		},
	},
	{
		address: "table.bookings.list_by_customer", args: args("customer_id", "1", "limit", "-1"), want: client.Refused, about: "limit",
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Bookings.ListByCustomer(ctx, 1, nil, -1))
		},
	},
	{
		address: "table.bookings.transitions.status.confirm", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Confirm(ctx, 1)) },
	},
	{
		address: "table.bookings.transitions.status.confirm", args: args("id", "1"), want: client.Repeated,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Confirm(ctx, 1)) },
	},
	{
		address: "table.bookings.transitions.status.confirm", before: "UPDATE app.bookings SET during = '" + longAgo + "' WHERE id = (SELECT max(id) FROM app.bookings)",
		args: args("id", "99"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Confirm(ctx, 99)) },
	},
	{
		address: "table.bookings.transitions.status.confirm", args: args("id", "7"), want: client.Refused, about: "guard",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Confirm(ctx, 7)) },
	},
	{
		address: "table.bookings.transitions.status.cancel", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Cancel(ctx, 1)) },
	},
	{
		address: "table.bookings.transitions.status.confirm", args: args("id", "1"), inTx: true, want: client.Refused, about: "cancelled",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.Confirm(ctx, 1)) },
	},
	{
		address: "table.customers.delete", args: args("id", "1"), want: client.Violation, about: "bookings_customer",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Customers.Delete(ctx, 1)) },
	},
	{
		address: "table.bookings.delete", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Bookings.Delete(ctx, 1)) },
	},
	// Seats: moves with arguments that cannot be repeated.
	{
		address: "table.seats.insert", args: args("label", "1A"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Seats.Insert(ctx, store.SeatInsert{Label: "1A"}))
		},
	},
	{
		address: "table.seats.transitions.status.book", args: args("id", "1", "customer_id", "99"), want: client.Violation, about: "seats_customer",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.Book(ctx, 1, 99)) },
	},
	{
		address: "table.seats.transitions.status.book", args: args("id", "1", "customer_id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.Book(ctx, 1, 1)) },
	},
	{
		address: "table.seats.transitions.status.book", args: args("id", "1", "customer_id", "1"), want: client.Refused, about: "booked",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.Book(ctx, 1, 1)) },
	},
	{
		address: "table.seats.transitions.status.release", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.Release(ctx, 1)) },
	},
	{
		address: "table.seats.get", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.Get(ctx, 1)) },
	},
	{
		address: "table.seats.get_by_label", args: args("label", "1A"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.GetByLabel(ctx, "1A")) },
	},
	{
		address: "table.seats.get_for_update", args: args("id", "1"), want: noTransaction, // no transaction is open
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.GetForUpdate(ctx, 1)) },
	},
	{
		address: "table.seats.get_many_for_update", args: args("id", "{1}"), want: noTransaction,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.GetManyForUpdate(ctx, 1)) },
	},
	{
		address: "table.seats.delete", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Seats.Delete(ctx, 1)) },
	},
	// Counters: an adjust under a check.
	{
		address: "table.counters.insert", args: args("name", "mail", "remaining", "10"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Counters.Insert(ctx, store.CounterInsert{Name: "mail", Remaining: 10}))
		},
	},
	{
		address: "table.counters.insert", args: args("name", "mail", "remaining", "10"), want: client.Violation, about: "counters_pkey",
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Counters.Insert(ctx, store.CounterInsert{Name: "mail", Remaining: 10}))
		},
	},
	{
		address: "table.counters.insert", args: args("name", "debt", "remaining", "-1"), want: client.Violation, about: "counters_remaining_not_negative",
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Counters.Insert(ctx, store.CounterInsert{Name: "debt", Remaining: -1}))
		},
	},
	{address: "table.counters.adjust.send", args: args("name", "mail", "n", "4"), want: client.OK, generated: send("mail", 4)},
	{address: "table.counters.adjust.send", args: args("name", "mail", "n", "7"), want: client.Refused, about: "counters_remaining_not_negative", generated: send("mail", 7)},
	{address: "table.counters.adjust.send", args: args("name", "mail", "n", "0"), want: client.Refused, about: "n", generated: send("mail", 0)},
	{address: "table.counters.adjust.send", args: args("name", "gone", "n", "-1"), want: client.Refused, about: "n", generated: send("gone", -1)},
	{address: "table.counters.adjust.send", args: args("name", "gone", "n", "1"), want: client.NotFound, generated: send("gone", 1)},
	{address: "table.counters.adjust.send", args: args("name", "mail", "n", "6"), inTx: true, want: client.OK, generated: send("mail", 6)},
	{
		address: "table.counters.get", args: args("name", "mail"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Counters.Get(ctx, "mail")) },
	},
	{
		address: "table.counters.get_for_update", args: args("name", "mail"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Counters.GetForUpdate(ctx, "mail"))
		},
	},
	{
		address: "table.counters.get_many_for_update", args: args("name", "{gone,mail}"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Counters.GetManyForUpdate(ctx, "gone", "mail"))
		},
	},
	{
		address: "table.counters.delete", args: args("name", "mail"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Counters.Delete(ctx, "mail")) },
	},
	// Teams and shifts.
	{
		address: "table.teams.insert", args: args("name", "night"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Teams.Insert(ctx, store.TeamInsert{Name: "night"}))
		},
	},
	{
		address: "table.teams.get", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Teams.Get(ctx, 1)) },
	},
	{
		address: "table.teams.get_by_name", args: args("name", "night"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Teams.GetByName(ctx, "night")) },
	},
	{
		address: "table.teams.get_for_update", args: args("id", "1"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Teams.GetForUpdate(ctx, 1)) },
	},
	{
		address: "table.teams.get_many_for_update", args: args("id", "{1}"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Teams.GetManyForUpdate(ctx, 1)) },
	},
	{
		address: "table.shifts.insert", args: args("team_id", "1", "doctor", "Ada", "on_call", "true"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Shifts.Insert(ctx, store.ShiftInsert{TeamID: 1, Doctor: "Ada", OnCall: true}))
		},
	},
	{
		address: "table.shifts.get", args: args("id", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Shifts.Get(ctx, 1)) },
	},
	{
		address: "table.shifts.get_for_update", args: args("id", "1"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Shifts.GetForUpdate(ctx, 1)) },
	},
	{
		address: "table.shifts.get_many_for_update", args: args("id", "{1}"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Shifts.GetManyForUpdate(ctx, 1)) },
	},
	{
		address: "table.shifts.list_by_team", args: args("team_id", "1", "limit", "5"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Shifts.ListByTeam(ctx, 1, nil, 5))
		},
	},
	{
		address: "table.teams.delete", args: args("id", "1"), want: client.Violation, about: "shifts_team",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Teams.Delete(ctx, 1)) },
	},
	{
		address: "table.shifts.delete", args: args("id", "1"), want: client.Violation, about: "someone_on_call",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Shifts.Delete(ctx, 1)) },
	},
	// Tasks: claims, and claims that were lost.
	{
		address: "queue.tasks.claim", args: args("limit", "5"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return claimed(s.Tasks.Claim(ctx, 5)) },
	},
	{address: "queue.tasks.enqueue", args: args("kind", "mail", "body", `{"n": 1}`), want: client.OK, generated: enqueue},
	{address: "queue.tasks.enqueue", args: args("kind", "mail", "body", `{"n": 1}`), inTx: true, want: client.OK, generated: enqueue},
	{
		address: "queue.tasks.claim", args: args("limit", "-1"), want: client.Refused, about: "limit",
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Tasks.Claim(ctx, -1)) },
	},
	{
		address: "queue.tasks.claim", args: args("limit", "5"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return claimed(s.Tasks.Claim(ctx, 5)) },
	},
	{
		address: "queue.tasks.heartbeat", args: args("ids", "{1,2}", "fences", "{1,1}"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return lostAny(s.Tasks.Heartbeat(ctx, new(held(1, 1)), new(held(2, 1))))
		},
	},
	{
		address: "queue.tasks.heartbeat", args: args("ids", "{1,2}", "fences", "{0,1}"), want: client.Refused, about: client.Fence,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return lostAny(s.Tasks.Heartbeat(ctx, new(held(1, 0)), new(held(2, 1))))
		},
	},
	{
		address: "queue.tasks.release", args: args("id", "1", "fence", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Tasks.Release(ctx, held(1, 1))) },
	},
	{
		address: "queue.tasks.release", args: args("id", "1", "fence", "1"), want: client.Refused, about: client.Fence,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Tasks.Release(ctx, held(1, 1))) },
	},
	{
		address: "queue.tasks.claim", args: args("limit", "5"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return claimed(s.Tasks.Claim(ctx, 5)) },
	},
	{
		address: "queue.tasks.fail", args: args("id", "1", "fence", "1", "error", "too late"), want: client.Refused, about: client.Fence,
		generated: fail(1, 1),
	},
	{
		address: "queue.tasks.fail", args: args("id", "1", "fence", "2", "error", "too late"), want: client.OK,
		generated: fail(1, 2),
	},
	{
		address: "queue.tasks.complete", args: args("ids", "{2,2}", "fences", "{1,9}"), want: client.Refused, about: client.Fence,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return only(s.Tasks.Complete(ctx, held(2, 1), held(2, 9)))
		},
	},
	{
		address: "queue.tasks.claim", before: "UPDATE app.tasks SET run_at = now() - interval '1 hour' WHERE state = 'scheduled'",
		args: args("limit", "5"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return claimed(s.Tasks.Claim(ctx, 5)) },
	},
	{
		address: "queue.tasks.complete", args: args("ids", "{1,1}", "fences", "{3,3}"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return only(s.Tasks.Complete(ctx, held(1, 3), held(1, 3)))
		},
	},
	{
		address: "queue.tasks.complete", args: args("ids", "{}", "fences", "{}"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return only(s.Tasks.Complete(ctx)) },
	},
	// The singleton.
	{address: "singleton.outbox_relay.run", work: putTeam, want: client.OK, generated: runRelay},
	{address: "singleton.outbox_relay.run", inTx: true, work: putTeam, want: client.OK, generated: runRelay},
	{address: "singleton.outbox_relay.try_run", work: putTeam, want: client.OK, generated: tryRelay},
}
