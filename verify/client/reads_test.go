package client_test

import (
	"context"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/verify/client"
)

// reads are the calls that change nothing, made after those of seats.
var reads = []step{
	{
		address: "table.bookings.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Bookings.List(ctx, nil, 1)) },
	},
	{
		address: "table.counters.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Counters.List(ctx, nil, 1)) },
	},
	{
		address: "table.customers.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Customers.List(ctx, nil, 1)) },
	},
	{
		address: "table.rooms.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Rooms.List(ctx, nil, 1)) },
	},
	{
		address: "table.seats.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Seats.List(ctx, nil, 1)) },
	},
	{
		address: "table.shifts.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Shifts.List(ctx, nil, 1)) },
	},
	{
		address: "table.teams.list", args: args("limit", "1"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) { return got(s.Teams.List(ctx, nil, 1)) },
	},
	{
		address: "table.bookings.list", args: args("id", "1", "limit", "9"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Bookings.List(ctx, &store.Booking{ID: 1}, 9))
		},
	},
	{
		address: "table.seats.list_by_customer", args: args("customer_id", "1", "limit", "9"), want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Seats.ListByCustomer(ctx, 1, nil, 9))
		},
	},
	{
		address: "table.customers.get_by_one_live_account_for_update", args: args("email", "nobody"), inTx: true, want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Customers.GetByOneLiveAccountForUpdate(ctx, "nobody"))
		},
	},
	{
		address: "table.rooms.get_by_name_for_update", args: args("name", "nobody"), inTx: true, want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Rooms.GetByNameForUpdate(ctx, "nobody"))
		},
	},
	{
		address: "table.seats.get_by_label_for_update", args: args("label", "nobody"), inTx: true, want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Seats.GetByLabelForUpdate(ctx, "nobody"))
		},
	},
	{
		address: "table.teams.get_by_name_for_update", args: args("name", "nobody"), inTx: true, want: client.NotFound,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Teams.GetByNameForUpdate(ctx, "nobody"))
		},
	},
	{
		address: "table.teams.get_by_name_for_update", args: args("name", "night"), inTx: true, want: client.OK,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Teams.GetByNameForUpdate(ctx, "night"))
		},
	},
	{
		address: "table.teams.get_by_name_for_update", args: args("name", "night"), want: noTransaction,
		generated: func(ctx context.Context, s *store.Store) (any, error) {
			return got(s.Teams.GetByNameForUpdate(ctx, "night"))
		},
	},
}
