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
