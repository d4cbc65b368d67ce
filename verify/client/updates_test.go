package client_test

import (
	"context"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/client"
)

// updates are the calls that name one column, made last.
var updates = []step{
	{
		address: "table.bookings.update", args: args("id", "99", "set_customer_id", "true", "customer_id", "1"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Bookings.Update(ctx, 99, store.BookingUpdate{CustomerID: pawl.Set[int64](1)}))
		},
	},
	{
		address: "table.counters.update", args: args("name", "nobody", "set_sent", "true", "sent", "1"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Counters.Update(ctx, "nobody", store.CounterUpdate{Sent: pawl.Set[int64](1)}))
		},
	},
	{
		address: "table.customers.update", args: args("id", "99", "set_email", "true", "email", "z@x"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Customers.Update(ctx, 99, store.CustomerUpdate{Email: pawl.Set("z@x")}))
		},
	},
	{
		address: "table.rooms.update", args: args("id", "99", "set_name", "true", "name", "z"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.Update(ctx, 99, store.RoomUpdate{Name: pawl.Set("z")}))
		},
	},
	{
		address: "table.seats.update", args: args("id", "99", "set_label", "true", "label", "z"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Seats.Update(ctx, 99, store.SeatUpdate{Label: pawl.Set("z")}))
		},
	},
	{
		address: "table.shifts.update", args: args("id", "99", "set_doctor", "true", "doctor", "z"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Shifts.Update(ctx, 99, store.ShiftUpdate{Doctor: pawl.Set("z")}))
		},
	},
	{
		address: "table.teams.update", args: args("id", "1", "set_name", "true", "name", "dawn"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Teams.Update(ctx, 1, store.TeamUpdate{Name: pawl.Set("dawn")}))
		},
	},
	{
		address: "table.teams.update", args: args("id", "99", "set_name", "true", "name", "dawn"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Teams.Update(ctx, 99, store.TeamUpdate{Name: pawl.Set("dawn")}))
		},
	},
}

// batches are the calls that take many rows, made after those.
var batches = []step{
	{
		address: "table.bookings.transitions.status.confirm.many", args: args("id", "{99}"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.ConfirmMany(ctx, 99)) },
	},
	{
		address: "table.bookings.transitions.status.cancel.many", args: args("id", "{99}"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.CancelMany(ctx, 99)) },
	},
	{
		address: "table.seats.transitions.status.book.many", args: args("id", "{99}", "customer_id", "{2}"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Seats.BookMany(ctx, []store.SeatBook{{ID: 99, CustomerID: 2}}))
		},
	},
	{
		address: "table.seats.transitions.status.release.many", args: args("id", "{99}"), want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.ReleaseMany(ctx, 99)) },
	},
	{
		address: "table.counters.adjust.send.many", before: "INSERT INTO app.counters (name, remaining) VALUES ('bulk', 5), ('more', 1)",
		args: args("name", "{more,bulk}", "n", "{1,2}"), want: client.OK, generated: sendMany(store.CounterSend{Name: "more", N: 1}, store.CounterSend{Name: "bulk", N: 2}),
	},
	{
		address: "table.counters.adjust.send.many", args: args("name", "{bulk,more}", "n", "{1,1}"), want: client.Refused, about: "counters_remaining_not_negative",
		generated: sendMany(store.CounterSend{Name: "bulk", N: 1}, store.CounterSend{Name: "more", N: 1}),
	},
}

func sendMany(in ...store.CounterSend) func(ctx context.Context, s *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) { return got(s.Counters.SendMany(ctx, in)) }
}
