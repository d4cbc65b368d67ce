package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/client"
)

// step is one call, made through the performer on one database and through the
// generated method on another. Both must give the same answer and leave the same
// rows behind.
type step struct {
	address string
	args    map[string]*string
	decide  func(row map[string]*string) map[string]*string
	work    func(ctx context.Context, tx pgx.Tx) error
	inTx    bool // in a transaction of the caller's
	before  string
	want    client.Answer
	about   string
	// generated calls the method; it returns what the method returned, nil when that
	// is an error alone.
	generated func(ctx context.Context, s *store.Store) (any, error)
}

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
		address: "table.shifts.delete", args: args("id", "1"), want: client.OK,
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

// noTransaction is what a step wants that must be an error of Do, and
// ErrNoTransaction of the method.
const noTransaction client.Answer = "no transaction"

func set(column, value string) func(map[string]*string) map[string]*string {
	return func(map[string]*string) map[string]*string { return args(column, value) }
}

func reprice(id, to int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		return got(s.Rooms.Reprice(ctx, id, func(_ context.Context, row *store.Room) error {
			row.Price = price(to)
			return nil
		}))
	}
}

func rename(id int64, to string) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		return got(s.Rooms.Rename(ctx, id, func(_ context.Context, row *store.Room) error {
			row.Name = to
			return nil
		}))
	}
}

func book(room, customer int64, during pawl.TimeRange, status store.BookingStatus) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		in := store.BookingInsert{RoomID: room, CustomerID: customer, During: during}
		if status != "" {
			in.Status = &status
		}
		return got(s.Bookings.Insert(ctx, in))
	}
}

func send(name string, n int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) { return got(s.Counters.Send(ctx, name, n)) }
}

func enqueue(ctx context.Context, s *store.Store) (any, error) {
	return got(s.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: json.RawMessage(`{"n": 1}`)}))
}

func fail(id, fence int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		return only(s.Tasks.Fail(ctx, held(id, fence), errors.New("too late")))
	}
}

// claimed makes an empty claim the answer that a performer gives it: nobody who
// judges results should have to count.
func claimed(tasks []store.TaskClaim, err error) (any, error) {
	if err == nil && len(tasks) == 0 {
		err = pawl.ErrNotFound
	}
	return tasks, err
}

// lostAny makes the lost ids of a heartbeat the error that a performer's answer
// stands for.
func lostAny(lost []int64, err error) (any, error) {
	if err == nil && len(lost) > 0 {
		return nil, pawl.ErrClaimLost
	}
	return nil, err
}

const teamSQL = "INSERT INTO app.teams (name) SELECT 'team ' || count(*) FROM app.teams"

func putTeam(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, teamSQL)
	return err
}

func runRelay(ctx context.Context, s *store.Store) (any, error) {
	return only(s.OutboxRelay.Run(ctx, func(ctx context.Context, tx *store.Store) error {
		_, err := tx.DB().Exec(ctx, teamSQL)
		return err
	}))
}

func tryRelay(ctx context.Context, s *store.Store) (any, error) {
	ran, err := s.OutboxRelay.TryRun(ctx, func(ctx context.Context, tx *store.Store) error {
		_, err := tx.DB().Exec(ctx, teamSQL)
		return err
	})
	if err == nil && !ran {
		err = pawl.ErrBusy
	}
	return only(err)
}

// TestPerformerDoesWhatGeneratedMethodsDo makes each call twice, on two databases
// that are equal, and compares the answers, how many rows came back, and all that
// the databases hold afterwards.
func TestPerformerDoesWhatGeneratedMethodsDo(t *testing.T) {
	program := compile(t, "examples/seats")
	performer := client.New(program)
	ours, theirs := connect(t, database(t, program)), connect(t, database(t, program))
	var seen pawl.Outcome
	methods := store.New(theirs, pawl.WithObserver(pawl.ObserverFunc(func(_ context.Context, e pawl.Event) { seen = e.Outcome })))
	called := map[string]bool{}
	for i, s := range seats {
		label := fmt.Sprintf("step %d, %s %s", i, s.address, spell(s.args))
		called[s.address] = true
		if s.before != "" {
			execute(t, ours, s.before)
			execute(t, theirs, s.before)
		}
		out, err := perform(t, performer, ours, s, client.Call{Operation: operation(t, program, s.address), Args: s.args, Decide: s.decide, Work: s.work})
		if err != nil {
			out.Answer, out.About = noTransaction, ""
			if s.want != noTransaction {
				t.Fatalf("%s: %v", label, err)
			}
		}
		if out.Answer != s.want || out.About != s.about || out.Attempts != 1 {
			t.Errorf("%s: %q, %q after %d attempts; want %q, %q after 1", label, out.Answer, out.About, out.Attempts, s.want, s.about)
		}
		seen = ""
		value, err := callMethod(t, methods, s)
		answer, about := answerOf(t, err, seen)
		if answer != s.want || about != s.about && about != client.Input {
			t.Errorf("%s: the generated method answers %q, %q (%v); the performer %q, %q", label, answer, about, err, out.Answer, out.About)
		}
		if n := rowsOf(value); n >= 0 && err == nil && n != len(out.Rows) {
			t.Errorf("%s: the generated method returns %d rows, the performer %d", label, n, len(out.Rows))
		}
		if a, b := contents(t, ours), contents(t, theirs); a != b {
			t.Fatalf("%s: the databases differ\nperformer:\n%s\ngenerated method:\n%s", label, a, b)
		}
	}
	for _, o := range operations(program) {
		if !called[o.Address] && !o.Internal {
			t.Errorf("no step calls %s", o.Address)
		}
	}
}

// perform makes a step's call, in a transaction where the step says so.
func perform(t *testing.T, p *client.Performer, conn *pgx.Conn, s step, call client.Call) (client.Outcome, error) {
	t.Helper()
	if !s.inTx {
		return p.Do(t.Context(), conn, call)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Do(t.Context(), tx, call)
	if endErr := tx.Commit(t.Context()); endErr != nil {
		t.Fatal(endErr)
	}
	return out, err
}

// callMethod calls a step's generated method. Its own error is kept apart from
// that of the transaction around it.
func callMethod(t *testing.T, methods *store.Store, s step) (value any, err error) {
	t.Helper()
	if !s.inTx {
		return s.generated(t.Context(), methods)
	}
	_, endErr := store.InTx(t.Context(), methods, func(ctx context.Context, tx *store.Store) (any, error) {
		value, err = s.generated(ctx, tx)
		return nil, nil
	})
	if endErr != nil {
		t.Fatal(endErr)
	}
	return value, err
}

// answerOf is a generated method's error in the performer's words.
func answerOf(t *testing.T, err error, seen pawl.Outcome) (client.Answer, string) {
	t.Helper()
	var (
		state      *pawl.StateError
		guard      *pawl.GuardError
		constraint *pawl.ConstraintError
	)
	switch {
	case err == nil && seen == pawl.OutcomeRepeated:
		return client.Repeated, ""
	case err == nil:
		return client.OK, ""
	case errors.As(err, &state):
		return client.Refused, state.Current
	case errors.As(err, &guard):
		return client.Refused, guard.Guard
	case errors.As(err, &constraint):
		return client.Violation, constraint.Constraint
	case errors.Is(err, pawl.ErrNotFound):
		return client.NotFound, ""
	case errors.Is(err, pawl.ErrBadInput):
		return client.Refused, client.Input
	case errors.Is(err, pawl.ErrClaimLost):
		return client.Refused, client.Fence
	case errors.Is(err, pawl.ErrBusy):
		return client.Busy, ""
	case errors.Is(err, pawl.ErrNoTransaction):
		return noTransaction, ""
	}
	t.Fatalf("the generated method fails: %v", err)
	return "", ""
}

// rowsOf is how many rows a method returned; -1 when it returns none.
func rowsOf(value any) int {
	v := reflect.ValueOf(value)
	switch {
	case !v.IsValid():
		return -1
	case v.Kind() == reflect.Slice:
		return v.Len()
	}
	return 1
}

// contents is everything that the tables hold, but for when it came to be there.
func contents(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var b strings.Builder
	for _, table := range []string{"customers", "rooms", "bookings", "seats", "counters", "teams", "shifts", "tasks"} {
		rows, err := conn.Query(t.Context(), "SELECT (to_jsonb(t) - 'created_at' - 'run_at' - 'lease_until')::text FROM app."+table+" AS t ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %s\n", table, strings.Join(lines, " "))
	}
	return b.String()
}

func spell(m map[string]*string) string {
	text, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
